/* SPDX-License-Identifier: MIT */
/* teammeet: processes of a team find out whether they do the same. */
#include "arena.h"
#include "emu.h"
#include "team.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HOST_SIZE = 64,
};

/* Adds bytes to a number that stands for all of them: FNV-1a. */
static uint64_t
add(uint64_t digest, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	for (size_t i = 0; i < n; i++)
		digest = (digest ^ p[i]) * UINT64_C(0x100000001b3);
	return digest;
}

static uint64_t
add_text(uint64_t digest, const char *text)
{
	return text ? add(digest, text, strlen(text) + 1) : digest;
}

static uint64_t
add_number(uint64_t digest, uint64_t n)
{
	return add(digest, &n, sizeof(n));
}

/* Names, sizes and metadata of the streams, as far as they matter: what there is to be shown of them. */
static uint64_t
digest_trace(const struct emu *emu)
{
	const struct plan *plan = emu->plan;
	uint64_t d = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < plan->trace.nstreams; i++) {
		const struct stream *s = &plan->trace.streams[i];
		d = add_text(d, s->relpath);
		d = add_number(d, s->in.file_size);
		d = add_number(d, (uint64_t)s->clock_offset);
		d = add_number(d, (uint64_t)s->last_clock);
		d = add_number(d, s->meta.finished);
	}
	for (enum row_class rows = ROW_THREAD; rows < ROW_CLASSES; rows++)
		for (uint32_t i = 0; i < emu_nrows(emu, rows); i++)
			d = add_text(d, emu_row_label(emu, emu_first_row(emu, rows) + i));
	for (size_t i = 0; i < plan->ncols; i++) {
		d = add_text(d, plan->cols[i].decl->title);
		d = add_number(d, (uint64_t)plan->cols[i].decl->prv_type);
	}
	for (size_t i = 0; i < plan->nmodels; i++)
		d = add_number(d, plan->models[i].enabled);
	return d;
}

/* Rank 0 reports that the process of that rank has failed, or sees something else, on a host of that name. */
static void
report(struct emu *emu, unsigned rank, int rc, const char *what)
{
	struct team *t = emu->plan->options.team;
	union {
		char text[HOST_SIZE];
		uint64_t v[HOST_SIZE / sizeof(uint64_t)];
	} host = { .text = "" };
	if (t->rank == rank)
		(void)gethostname(host.text, HOST_SIZE - 1);
	team_reduce(t, TEAM_EITHER, host.v, HOST_SIZE / sizeof(uint64_t));
	host.text[HOST_SIZE - 1] = '\0';
	if (t->rank)
		return;
	if (rc < 0)
		(void)diag_error(emu->diag, (enum error) - rc, NULL, "the process of rank %u, on %s, cannot use %s\nhint: all need the same files", rank, host.text, what);
	else
		(void)diag_error(emu->diag, ERR_READ, NULL, "the process of rank %u, on %s, does not see the same %s as that of rank 0\nhint: all need the same files", rank, host.text, what);
}

/* Each has a result, and a number that has to be the same. */
static int
compare(struct emu *emu, int rc, uint64_t number, const char *what)
{
	struct team *t = emu->plan->options.team;
	uint64_t first[] = { t->rank ? 0 : (uint64_t)-rc, t->rank ? 0 : number }; /* those of rank 0 */
	team_reduce(t, TEAM_EITHER, first, 2);
	if (first[0])
		return -(int)first[0];
	uint64_t failed = rc < 0 || first[1] != number ? t->rank : UINT64_MAX;
	team_reduce(t, TEAM_LEAST, &failed, 1);
	if (failed == UINT64_MAX)
		return 0;
	uint64_t code = failed == t->rank ? (uint64_t)-rc : 0;
	team_reduce(t, TEAM_EITHER, &code, 1);
	report(emu, (unsigned)failed, -(int)code, what);
	return code ? -(int)code : -ERR_READ;
}

int
team_agree(struct emu *emu, int rc)
{
	return compare(emu, rc, 0, "the files");
}

int
team_meet(struct emu *emu, int rc)
{
	return compare(emu, rc, rc == 0 ? digest_trace(emu) : 0, "trace");
}

/* The name of a file beside another one. Two file systems may number their files alike, but only one has a name that was just made up. */
static void
name_sign(char name[PATH_MAX], const char *path, uint64_t number)
{
	(void)snprintf(name, PATH_MAX, "%s.%016" PRIx64, path, number);
}

/* In rank 0: creates an empty file with a name that nobody else can know. Returns its number; 0: it could not. */
static uint64_t
put_sign(const char *path)
{
	char name[PATH_MAX];
	uint64_t number;
	if (getrandom(&number, sizeof(number), 0) != sizeof(number) || number == 0)
		return 0;
	name_sign(name, path, number);
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return 0;
	(void)close(fd);
	return number;
}

int
team_meet_file(struct emu *emu, const char *path, int rc)
{
	struct team *t = emu->plan->options.team;
	char name[PATH_MAX];
	struct stat st;
	uint64_t sign = t->rank == 0 && rc == 0 ? put_sign(path) : 0;
	team_reduce(t, TEAM_EITHER, &sign, 1);
	name_sign(name, path, sign);
	bool sees = rc == 0 && stat(path, &st) == 0 && (!sign || access(name, F_OK) == 0);
	rc = compare(emu, rc, sees ? st.st_ino : 0, path);
	if (t->rank == 0 && sign)
		(void)unlink(name);
	return rc;
}
