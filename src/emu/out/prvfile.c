/* SPDX-License-Identifier: MIT */
/* prvfile: the header of a Paraver trace, and what happens when it cannot be written.
 *
 *   #Paraver (19/01/38 at 03:14):<20 digits of duration>_ns:0:1:1(<rows>:1)
 *
 * When rows may come late, their number has leading zeros: as many digits as it may need. So the header can be written anew in
 * the end. In a compressed file it is a member that is not compressed, for the same reason.
 * The date is fixed, so that the same trace gives the same file. */
#include "prvfile.h"

#include "gzip.h"
#include "paraver.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEAD "#Paraver (19/01/38 at 03:14):"
#define UNIT "_ns:0:1:1("

enum {
	DIGITS = 20, /* of the duration, and at most of the number of rows */
	HEADER_MAX = sizeof(HEAD) + DIGITS + sizeof(UNIT) + DIGITS + sizeof(":1)\n") + GZIP_STORED,
};

/* Makes the header as it is in the file, where it is always as large. */
static size_t
make_header(const struct prv_file *f, char *to, int64_t duration)
{
	char line[HEADER_MAX];
	int width = snprintf(NULL, 0, "%" PRIu32, f->nrows);
	uint32_t known = f->nknown < f->nrows ? f->nknown : f->nrows;
	int n = snprintf(line, sizeof(line), HEAD "%020" PRIu64 UNIT "%0*" PRIu32 ":1)\n", (uint64_t)duration, width, known);
	if (f->gzip)
		return gzip_store(to, line, (size_t)n);
	memcpy(to, line, (size_t)n);
	return (size_t)n;
}

/* Removes the file of the other kind. */
static void
remove_other(const struct prv_file *f)
{
	char other[PATH_MAX];
	size_t n = strlen(f->out.path);
	size_t end = sizeof(PARAVER_GZIP) - 1;
	if (n + end >= sizeof(other))
		return;
	memcpy(other, f->out.path, n + 1);
	if (f->gzip)
		other[n - end] = '\0';
	else
		memcpy(other + n, PARAVER_GZIP, end + 1);
	(void)unlink(other);
}

int
prvfile_open(struct prv_file *f, const struct prv_options *o)
{
	*f = (struct prv_file){
		.diag = o->diag,
		.nrows = o->nrows,
		.nknown = o->nrows,
		.gzip = o->gzip,
		.warns = o->coalesce && !o->silent,
	};
	f->joins = o->joins;
	if (o->joins) /* who is first, has made it */
		return wbuf_join(&f->out, o->path) < 0 ? -ERR_WRITE : 0;
	char header[HEADER_MAX];
	int rc = paraver_open(&f->out, o->diag, o->path);
	if (rc < 0)
		return rc;
	remove_other(f);
	/* The header reaches the disk now: a viewer can open the file during the run. */
	if (wbuf_pass(&f->out, header, make_header(f, header, 0)) == 0)
		f->whole = f->out.written;
	return 0;
}

int
prvfile_put(struct prv_file *f, struct textbuf *lines)
{
	if (lines->failed && !f->out.error)
		f->out.error = ENOMEM;
	if (wbuf_pass(&f->out, lines->data, lines->used) == 0)
		f->whole = f->out.written;
	lines->used = 0;
	return wbuf_failed(&f->out) ? -ERR_WRITE : 0;
}

int
prvfile_place(struct prv_file *f, struct textbuf *lines, uint64_t at)
{
	wbuf_patch(&f->out, at, lines->data, lines->used);
	return wbuf_failed(&f->out) ? -ERR_WRITE : 0;
}

int
prvfile_check(struct prv_file *f)
{
	if (!wbuf_failed(&f->out) || f->joins)
		return 0;
	if (f->told)
		return -ERR_WRITE;
	f->told = true;
	if (diag_repeats(f->diag, f->out.path, strerror(f->out.error)))
		return -ERR_WRITE;
	return diag_error(f->diag, ERR_WRITE, NULL,
		"cannot write '%s': %s\nhint: the run stops; what was written before can be opened",
		f->out.path, strerror(f->out.error));
}

static void
warn_values(const struct prv_file *f, const struct prv_texts *k)
{
	for (size_t col = 0; col < k->ntypes; col++)
		if (k->odd_types[col])
			diag_warn(f->diag, NULL,
				"%s: type %.*s has values that Paraver cannot label or colour (negative, or above 2147483647)",
				f->out.path, k->types[col].size - 2, k->types[col].text + 1);
}

int
prvfile_close(struct prv_file *f, const struct prv_texts *texts, int64_t duration)
{
	if (!f->out.data) /* it was not opened */
		return 0;
	if (f->joins)
		return wbuf_close(&f->out) < 0 ? -ERR_WRITE : 0;
	if (wbuf_flush(&f->out) < 0) {
		/* The disk is full: cut it so that the file opens. */
		if (f->gzip)
			wbuf_cut(&f->out, f->whole);
		else
			wbuf_trim(&f->out, '\n');
		if (f->told)
			f->out.error = 0;
	}
	char header[HEADER_MAX];
	wbuf_patch(&f->out, 0, header, make_header(f, header, duration));
	if (f->warns)
		warn_values(f, texts);
	if (!f->told)
		return paraver_close(&f->out, f->diag);
	(void)wbuf_close(&f->out);
	return -ERR_WRITE;
}
