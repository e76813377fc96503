/* SPDX-License-Identifier: MIT */
#include "input/ovni/parts.h"

#include "kit.h"

#include <string.h>
#include <sys/stat.h>

#define TITLE "rank hostname offset_median offset_mean offset_std\n"

static struct diag diag = { .program = "test" };
static struct stream streams[4] = {
	{ .meta = { .loom = "node1.100" } },
	{ .meta = { .loom = "node1" } },
	{ .meta = { .loom = NULL } },
	{ .meta = { .loom = "node10.1.2" } },
};
static struct trace t;

static int
apply(const char *path)
{
	for (int i = 0; i < 4; i++)
		streams[i].clock_offset = 0;
	t = (struct trace){ .diag = &diag, .dir = kit_dir(), .streams = streams, .nstreams = 4, .options = { .clock_table = path } };
	int rc = clkoff_apply(&t);
	arena_finish(&t.arena);
	return rc;
}

static void
good(const char *text, int64_t node1, int64_t node10)
{
	const char *path = kit_path("table");
	kit_text(path, text);
	CHECK(apply(path) == 0);
	CHECK(streams[0].clock_offset == node1 && streams[1].clock_offset == node1);
	CHECK(streams[2].clock_offset == 0 && streams[3].clock_offset == node10);
}

static void
bad(const char *text, const char *message)
{
	const char *path = kit_path("table");
	kit_text(path, text);
	kit_capture();
	int rc = apply(path);
	const char *err = kit_captured();
	if (rc != -ERR_CLOCK_TABLE || !strstr(err, message))
		(void)fprintf(stderr, "%s: %d: %s", text, rc, err);
	CHECK(rc == -ERR_CLOCK_TABLE && strstr(err, message));
}

static void
files(void)
{
	CHECK(apply(NULL) == 0); /* there is none */
	kit_text(kit_path("clock-offsets.txt"), TITLE "0 node1 7 7 0\n");
	CHECK(apply(NULL) == 0 && streams[0].clock_offset == 7 && streams[3].clock_offset == 0);
	kit_text(kit_path("clock-offsets.txt"), "");
	kit_capture();
	CHECK(apply(NULL) == -ERR_CLOCK_TABLE);
	CHECK(apply(kit_path("absent")) == -ERR_CLOCK_TABLE); /* asked for */
	CHECK(strstr(kit_captured(), "No such file"));
	kit_capture();
	CHECK(apply(kit_dir()) < 0);
	(void)kit_captured();
}

int
main(void)
{
	files();
	good(TITLE "0 node1 5.9 0 0\n1 node10 -3.9 0 0\n", 5, -3);
	good("whatever stands here\n1 node10 100 0 0\n", 0, 100);
	good("\n 0\tnode1   1e3  0 0  and more\n\n   \n", 1000, 0);
	good(TITLE "0 node1 1 2 3", 1, 0); /* no end of line */
	good(TITLE "0 node1 1 2 3\r\n1 node10 2 2 3\r\n", 1, 2);
	good(TITLE "0 node1 9007199254740993 0 0\n1 node10 -9007199254740993 0 0\n", INT64_C(9007199254740993), INT64_C(-9007199254740993));
	good(TITLE "0 node1 9e18 0 0\n1 node10 -9e18 0 0\n", INT64_C(9000000000000000000), INT64_C(-9000000000000000000));

	bad("", "is empty");
	bad(TITLE, "no entries");
	bad(TITLE "\n\n", "no entries");
	bad(TITLE "0\n", "line 2: the field hostname is missing");
	bad(TITLE "0 node1\n", "the field offset_median is missing");
	bad(TITLE "0 node1 1\n", "the field offset_mean is missing");
	bad(TITLE "0 node1 1 2\n", "the field offset_std is missing");
	bad(TITLE "x node1 1 2 3\n", "the field rank is not a number: x");
	bad(TITLE "0x node1 1 2 3\n", "the field rank is not a number");
	bad(TITLE "0 node1 1y 2 3\n", "the field offset_median is not a number: 1y");
	bad(TITLE "0 node1 1 z 3\n", "the field offset_mean is not a number");
	bad(TITLE "0 node1 1 2 -\n", "the field offset_std is not a number");
	bad(TITLE "0 node1 nan 2 3\n", "does not fit");
	bad(TITLE "0 node1 inf 2 3\n", "does not fit");
	bad(TITLE "0 node1 1e19 2 3\n", "does not fit");
	bad(TITLE "0 node1 -1e19 2 3\n", "does not fit");
	bad(TITLE "\n0 node1 1 2 3\n1 node1 1 2 3\n", "line 4: the host node1 is already");
	bad(TITLE "0 node1 1 2 3\n1 node2 1 2 3\n", "no loom runs on the host node2");
	bad(TITLE "0 node1.100 1 2 3\n", "no loom runs on the host node1.100");
	bad(TITLE "0 nod 1 2 3\n", "no loom runs on the host nod");

	char line[3000];
	memset(line, 'x', sizeof(line));
	(void)memcpy(line, TITLE "0 ", sizeof(TITLE) + 1);
	line[sizeof(line) - 1] = 0;
	bad(line, "longer than");
	(void)memcpy(line + sizeof(line) - 10, " 1 2 3\n", 8);
	bad(line, "longer than");
	return 0;
}
