/* SPDX-License-Identifier: MIT */
/* ovniscope-prism import of any bytes: a strict reader takes the streams that come of it. The first byte of the input
 * chooses: bits 0-2 the format, 6 and 7: as the content tells; bit 3 lenient. */
#include "fuzz.h"
#include "import/import.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* The largest file that is written: a compressed input can be of any size. */
static uint8_t bytes[1 << 22];
static uint8_t names[1 << 22]; /* the table */

static void
finish(struct conv *c, bool good)
{
	(void)good;
	arena_finish(&ptool_of(c)->arena);
}

static const struct conv_family family = { .program = "fuzz", .finish = finish };

/* Reads a file, if it is there, and removes it. Returns its bytes, or <0. */
static ssize_t
take_named(const char *path, uint8_t *to)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return -1;
	size_t n = fread(to, 1, sizeof(bytes), f);
	CHECK(fclose(f) == 0 && unlink(path) == 0);
	return (ssize_t)n;
}

static ssize_t
take_file(const char *dir, unsigned i, const char *end)
{
	char path[300];
	(void)snprintf(path, sizeof(path), "%s/stream-%05u.%s", dir, i, end);
	return take_named(path, bytes);
}

static ssize_t
take_table(const char *dir)
{
	char path[300];
	(void)snprintf(path, sizeof(path), "%s/stream.names", dir);
	return take_named(path, names);
}

/* Whether there was a stream i, which then is as it should be. */
static bool
check_stream(const char *dir, unsigned i, ssize_t table)
{
	const struct prism_settings settings = { .name_size = table >= 0 ? 4 : 0 };
	struct prism_state st;
	struct prism_event ev = { 0 };
	ssize_t stamps = take_file(dir, i, "times");
	ssize_t described = take_file(dir, i, "json");
	ssize_t size = take_file(dir, i, "prism");
	if (stamps == sizeof(bytes) || size == sizeof(bytes))
		return true; /* cut there */
	CHECK((size < 0) == (described < 0) && (stamps < 0 || size >= 0));
	if (size < 0)
		return false;
	prism_begin(&st, &settings);
	ssize_t at = 0;
	ssize_t n = 0;
	ssize_t events = 0;
	for (; at < size && ev.kind != PRISM_END; at += n, events++) {
		n = prism_decode(bytes + at, (size_t)(size - at), &st, &ev);
		CHECK(n > 0 && ev.issues == 0 && !(ev.kind == PRISM_CXT && ev.cxt.has & PRISM_HAS_NAME));
		if (ev.kind == PRISM_CXT && (ev.cxt.has & PRISM_HAS_NUMBER) && table < (ssize_t)sizeof(names))
			CHECK(ev.cxt.id < (size_t)table && ev.cxt.id + 2U + names[ev.cxt.id] <= (size_t)table);
	}
	CHECK(at == size && ev.kind == PRISM_END && (stamps < 0 || stamps == (events - 1) * 8));
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char in[200];
	char out[200];
	char *argv[] = { in, NULL };
	static bool limited;
	if (size < 1)
		return 0;
	if (!limited)
		CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ sizeof(bytes), RLIM_INFINITY }) == 0 && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	limited = true;
	fuzz_file("import.in", data + 1, size - 1);
	(void)snprintf(in, sizeof(in), "%s", kit_path("import.in"));
	(void)snprintf(out, sizeof(out), "%s", kit_path("import.out"));
	unsigned from = data[0] & 7;
	struct ptool t = {
		.conv = { .family = &family, .command = &pcommand_import, .program = "fuzz", .lenient = data[0] & 8, .out_path = out },
		.from = from < IMPORT_FORMATS ? (int)from : -1,
	};
	t.conv.diag.program = "fuzz";
	fuzz_quiet();
	int status = conv_finish(&t.conv, pcommand_import.run(&t.conv, 1, argv));
	fuzz_loud();
	CHECK(status == 0 || (status == 1 && t.conv.reported));
	ssize_t table = take_table(out);
	for (unsigned i = 0; check_stream(out, i, table); i++)
		;
	CHECK(rmdir(out) == 0 || errno == ENOENT);
	return 0;
}
