/* SPDX-License-Identifier: MIT */
#include "diag.h"

#include "kit.h"

#include <errno.h>
#include <string.h>

static void
names(void)
{
	for (int i = 1; i < ERR_COUNT; i++) {
		const char *name = error_name(i);
		CHECK(*name && name == error_name(-i));
		CHECK(strspn(name, "abcdefghijklmnopqrstuvwxyz-") == strlen(name));
		CHECK(name[0] != '-' && name[strlen(name) - 1] != '-' && !strstr(name, "--"));
		for (int k = 1; k < i; k++)
			CHECK(strcmp(name, error_name(k)) != 0);
	}
	CHECK(strcmp(error_name(0), "?") == 0);
	CHECK(strcmp(error_name(ERR_COUNT), "?") == 0);
	CHECK(strcmp(error_name(-100000), "?") == 0);
	CHECK(strcmp(error_name(ERR_STACK_MISMATCH), "stack-mismatch") == 0);
}

static void
layout(void)
{
	struct diag d = { .program = "prog" };
	static const uint8_t mcv[] = { 'O', 'M', ']' };
	struct place at = {
		.file = "loom.n1/proc.42/thread.43",
		.has_offset = true,
		.offset = 0x1f40,
		.has_clock = true,
		.clock = -5,
		.mcv = mcv,
	};
	kit_capture();
	int rc = diag_error(&d, ERR_STACK_MISMATCH, &at, "pop of %d\nmodel x\nhint: sort", 3);
	CHECK(strcmp(kit_captured(), "prog: error[stack-mismatch]: pop of 3\n"
				     "  at loom.n1/proc.42/thread.43 +0x1f40, clock -5 ns, event OM]\n"
				     "  model x\n"
				     "  hint: sort\n") == 0);
	CHECK(rc == -ERR_STACK_MISMATCH);

	at = (struct place){ .file = "f" };
	kit_capture();
	diag_warn(&d, &at, "careful");
	CHECK(strcmp(kit_captured(), "prog: warning: careful\n  at f\n") == 0);

	/* Without a file there is no place. */
	at = (struct place){ .has_clock = true, .clock = 4 };
	kit_capture();
	(void)diag_error(&d, ERR_JSON, &at, "bad");
	CHECK(strcmp(kit_captured(), "prog: error[json]: bad\n") == 0);
	CHECK(d.errors == 2 && d.warnings == 1);

	struct diag nameless = { 0 };
	kit_capture();
	(void)diag_error(&nameless, ERR_JSON, NULL, "bad");
	CHECK(strncmp(kit_captured(), "ovniscope: ", 11) == 0);
}

/* No byte of the input drives the terminal. */
static void
clean(void)
{
	struct diag d = { .program = "p" };
	static const uint8_t mcv[] = { 0x1b, 'A', 0x00 };
	struct place at = { .file = "a\x1b[2Jb\nc", .mcv = mcv };
	kit_capture();
	(void)diag_error(&d, ERR_JSON, &at, "x%cy%c\r\tz", 7, 0x7f);
	CHECK(strcmp(kit_captured(), "p: error[json]: x?y???z\n  at a?[2Jb?c, event \\x1bA\\x00\n") == 0);
}

static void
long_message(void)
{
	static char text[20000];
	struct diag d = { .program = "p" };
	struct place at = { .file = text };
	memset(text, 'a', sizeof(text) - 1);
	for (size_t n = sizeof(text) - 1; n > 3000; n -= n > 4300 ? 4000 : 1) {
		text[n] = 0;
		kit_capture();
		(void)diag_error(&d, ERR_JSON, &at, "%s\n%s", text, text);
		const char *out = kit_captured();
		CHECK(strlen(out) <= 4096 && out[strlen(out) - 1] == '\n');
		kit_capture();
		(void)diag_error(&d, ERR_JSON, &at, "short");
		out = kit_captured();
		CHECK(strlen(out) <= 4096 && out[strlen(out) - 1] == '\n');
	}
}

static void
levels(void)
{
	static const char *const want[] = { "", "p: info\n", "p: info\np: debug\n" };
	for (int i = DIAG_QUIET; i <= DIAG_VERBOSE; i++) {
		struct diag d = { .program = "p", .level = (enum diag_level)i };
		kit_capture();
		diag_info(&d, "info");
		diag_debug(&d, "debug");
		CHECK(strcmp(kit_captured(), want[i]) == 0);
		kit_capture();
		diag_warn(&d, NULL, "w");
		CHECK(strcmp(kit_captured(), "p: warning: w\n") == 0);
	}
}

static void
codes(void)
{
	struct diag d = { .program = "p" };
	kit_capture();
	CHECK(diag_no_memory(&d) == -ERR_MEMORY);
	CHECK(diag_io(&d, ERR_WRITE, "open", "/x", ENOENT) == -ERR_WRITE);
	const char *out = kit_captured();
	CHECK(strstr(out, "error[memory]: out of memory\n"));
	CHECK(strstr(out, "error[write]: cannot open '/x': No such file or directory\n"));
	kit_capture();
	diag_progress(&d, "%d %%", 50);
	CHECK(strcmp(kit_captured(), "p: 50 %\n") == 0); /* not a terminal */
	CHECK(!d.progress_shown);
}

int
main(void)
{
	names();
	layout();
	clean();
	long_message();
	levels();
	codes();
	return 0;
}
