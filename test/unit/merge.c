/* SPDX-License-Identifier: MIT */
/* Order of the events, from streams in memory. */
#include "merge.h"

#include "kit.h"

#include <string.h>

#define HOUR INT64_C(3600000000000)

#define FAILS INT64_MIN /* next() gives an error here */

enum {
	MAX = 9,
};

struct source {
	const int64_t *clocks;
	size_t n, at;
};

static struct source sources[MAX];
static struct stream streams[MAX];
static struct trace trace;
static struct diag diag = { .program = "test" };
static struct merge m;

static int
next(struct stream *s, struct event *ev)
{
	struct source *src = &sources[s - streams];
	if (src->at == src->n)
		return 0;
	*ev = (struct event){ .clock = src->clocks[src->at++], .stream = (uint32_t)(s - streams), .length = 12, .mcv = { 'O', 'B', '.' } };
	return ev->clock == FAILS ? diag_error(&diag, ERR_STREAM_TRUNCATED, NULL, "cut") : 1;
}

static const struct stream_format format = { .name = "memory", .next = next };

static void
begin(void)
{
	arena_finish(&trace.arena);
	memset(streams, 0, sizeof(streams));
	trace = (struct trace){ .diag = &diag, .format = &format, .streams = streams };
}

static void
add(const int64_t *clocks, size_t n)
{
	static const char *const names[MAX] = { "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8" };
	size_t i = trace.nstreams++;
	CHECK(i < MAX);
	streams[i] = (struct stream){ .trace = &trace, .relpath = names[i] };
	sources[i] = (struct source){ clocks, n, 0 };
}

#define ADD(...)                                               \
	do {                                                   \
		static const int64_t list[] = { __VA_ARGS__ }; \
		add(list, sizeof(list) / sizeof(list[0]));     \
	} while (0)

/* "clock:rank clock:rank ...", and how it ends. */
static int
run(const char *want)
{
	char have[1024] = "";
	size_t n = 0;
	int rc = merge_init(&m, &trace);
	struct event *ev;
	while (rc >= 0 && (rc = merge_next(&m, &ev)) > 0)
		n += (size_t)snprintf(have + n, sizeof(have) - n, "%s%lld:%u", n ? " " : "", (long long)ev->clock, ev->stream);
	if (rc == 0) /* the end stays the end */
		CHECK(merge_next(&m, &ev) == 0);
	if (strcmp(have, want) != 0)
		(void)fprintf(stderr, "wanted %s\ngot    %s\n", want, have);
	CHECK(strcmp(have, want) == 0);
	return rc;
}

static void
expect(const char *want, enum error code, const char *text)
{
	kit_capture();
	int rc = run(want);
	const char *err = kit_captured();
	if (rc != -(int)code || !strstr(err, text))
		(void)fprintf(stderr, "got %d: %s", rc, err);
	CHECK(rc == -(int)code && strstr(err, text));
}

static void
order(void)
{
	begin();
	ADD(7);
	CHECK(run("7:0") == 0);

	begin();
	ADD(1, 4, 4, 9);
	ADD(2, 4, 5);
	ADD(0, 4, 10);
	CHECK(run("0:2 1:0 2:1 4:0 4:0 4:1 4:2 5:1 9:0 10:2") == 0);
}

/* Equal clocks: by rank, also when a stream is in the middle of its events. */
static void
ties(void)
{
	begin();
	ADD(5, 5);
	ADD(5, 5);
	ADD(3, 5, 5);
	CHECK(run("3:2 5:0 5:0 5:1 5:1 5:2 5:2") == 0);

	begin();
	ADD(1, 5);
	ADD(0, 5, 5);
	CHECK(run("0:1 1:0 5:0 5:1 5:1") == 0);
	begin();
	for (int i = 0; i < MAX; i++)
		ADD(0, 0, 1);
	CHECK(run("0:0 0:0 0:1 0:1 0:2 0:2 0:3 0:3 0:4 0:4 0:5 0:5 0:6 0:6 0:7 0:7 0:8 0:8 "
		  "1:0 1:1 1:2 1:3 1:4 1:5 1:6 1:7 1:8") == 0);
}

/* The largest clock is a clock like any other. */
static void
extremes(void)
{
	begin();
	ADD(INT64_MAX - 1, INT64_MAX, INT64_MAX);
	ADD(INT64_MAX, INT64_MAX);
	CHECK(run("9223372036854775806:0 9223372036854775807:0 9223372036854775807:0 9223372036854775807:1 9223372036854775807:1") == 0);
	begin();
	ADD(INT64_MAX, INT64_MAX);
	ADD(INT64_MAX - 1, INT64_MAX, INT64_MAX);
	CHECK(run("9223372036854775806:1 9223372036854775807:0 9223372036854775807:0 9223372036854775807:1 9223372036854775807:1") == 0);
}

static void
empty(void)
{
	begin();
	CHECK(run("") == 0);
	begin();
	add(NULL, 0);
	ADD(3);
	add(NULL, 0);
	kit_capture();
	CHECK(run("3:1") == 0);
	const char *err = kit_captured();
	CHECK(strstr(err, "2 of 3 streams have no events, this is the first\n  at s0"));
	begin();
	add(NULL, 0);
	kit_capture();
	CHECK(run("") == 0);
	(void)kit_captured();
}

static void
gate(void)
{
	begin();
	ADD(10);
	ADD(10 + HOUR); /* inclusive */
	CHECK(run("10:0 3600000000010:1") == 0);
	begin();
	ADD(10 + HOUR);
	ADD(10);
	CHECK(run("10:1 3600000000010:0") == 0);
	begin();
	ADD(10);
	add(NULL, 0);
	ADD(11 + HOUR);
	expect("", ERR_CLOCK_GATE, "  at s2, clock 3600000000011 ns");
	begin();
	ADD(11 + HOUR);
	ADD(10);
	expect("", ERR_CLOCK_GATE, "  at s1");
	/* Only the beginnings count. */
	begin();
	ADD(10, 5 * HOUR);
	ADD(11);
	CHECK(run("10:0 11:1 18000000000000:0") == 0);
	begin();
	ADD(0);
	ADD(INT64_MAX);
	expect("", ERR_CLOCK_GATE, "s1");
}

static void
clocks(void)
{
	begin();
	ADD(-1);
	expect("", ERR_CLOCK_NEGATIVE, "negative");
	begin();
	ADD(5, 8, 7);
	ADD(6);
	expect("5:0 6:1 8:0", ERR_CLOCK_BACKWARDS, "by 1 ns, from 8");

	/* The offset counts before the check. */
	begin();
	ADD(100, 110);
	ADD(5, 10);
	streams[0].clock_offset = -97;
	CHECK(run("3:0 5:1 10:1 13:0") == 0);
	begin();
	ADD(5);
	streams[0].clock_offset = -6;
	expect("", ERR_CLOCK_NEGATIVE, "offset -6");
	begin();
	ADD(5);
	streams[0].clock_offset = INT64_MAX;
	expect("", ERR_CLOCK_NEGATIVE, "out of range");
}

static void
errors(void)
{
	begin();
	ADD(1, FAILS);
	ADD(0, 2);
	expect("0:1 1:0", ERR_STREAM_TRUNCATED, "cut");
	begin();
	ADD(1);
	ADD(FAILS);
	expect("", ERR_STREAM_TRUNCATED, "cut");
}

int
main(void)
{
	order();
	ties();
	extremes();
	empty();
	gate();
	clocks();
	errors();
	arena_finish(&trace.arena);
	return 0;
}
