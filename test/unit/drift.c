/* SPDX-License-Identifier: MIT */
/* Tables of offsets that change, and clocks corrected by them. */

#include "input/ovni/parts.h"
#include "kit.h"

#include <string.h>

#define TITLE "wallclock clock_ns node1 node10\n"

static struct diag diag = { .program = "test" };
static struct stream streams[4];
static struct trace t;

/* A format whose events are the clocks of a list. */
static int64_t clocks[64];
static size_t nclocks, taken;

static int
next(struct stream *s, struct event *ev)
{
	(void)s;
	if (taken == nclocks)
		return 0;
	*ev = (struct event){ .clock = clocks[taken++] };
	return 1;
}

static const struct stream_format format = { .name = "list", .next = next };

static int
apply(const char *text)
{
	static const char *const looms[4] = { "node1.100", "node1", NULL, "node10.1.2" };
	const char *path = kit_path("table");
	kit_text(path, text);
	t = (struct trace){ .diag = &diag, .dir = kit_dir(), .streams = streams, .nstreams = 4, .format = &format, .options = { .clock_table = path } };
	for (int i = 0; i < 4; i++)
		streams[i] = (struct stream){ .trace = &t, .meta.loom = looms[i], .relpath = "s" };
	return clkoff_apply(&t);
}

static void
bad(const char *text, const char *message)
{
	kit_capture();
	int rc = apply(text);
	const char *err = kit_captured();
	if (rc != -ERR_CLOCK_TABLE || !strstr(err, message))
		(void)fprintf(stderr, "%s: %d: %s", text, rc, err);
	CHECK(rc == -ERR_CLOCK_TABLE && strstr(err, message));
	arena_finish(&t.arena);
}

static int64_t
corrected(int stream, int64_t clock)
{
	return clock + drift_offset(streams[stream].drift, clock);
}

static void
linear(void)
{
	/* node1 is the reference; node10 is 1000 behind it, then 1100, then 900. */
	CHECK(apply(TITLE "1.5 10000 0 1000\n\n2.5 20000 0 1100\r\n 3.5\t30000 0 900 \n") == 0);
	CHECK(streams[0].drift && streams[1].drift && !streams[2].drift);
	CHECK(streams[0].clock_offset == 0 && streams[3].clock_offset == 1000);
	CHECK(corrected(0, 0) == 0 && corrected(0, 12345) == 12345 && corrected(0, 99999) == 99999);
	CHECK(corrected(3, 0) == 1000);          /* before all */
	CHECK(corrected(3, 9000) == 10000);      /* the first one */
	CHECK(corrected(3, 13950) == 15000);     /* half way: 1050 */
	CHECK(corrected(3, 18900) == 20000);     /* the second one */
	CHECK(corrected(3, 24000) == 25000);     /* half way: 1000 */
	CHECK(corrected(3, 29100) == 30000);     /* the last one */
	CHECK(corrected(3, 1029100) == 1030000); /* behind all */
	CHECK(corrected(3, 13950) == 15000);     /* and back */

	/* Through the stream; those without drift are as they were. */
	static const int64_t raw[] = { 0, 9000, 13950, 13951, 18900, 24000, 29100, 40000 };
	static const int64_t want[] = { 1000, 10000, 15000, 15001, 20000, 25000, 30000, 40900 };
	struct event ev;
	for (int s = 2; s < 4; s++) {
		memcpy(clocks, raw, sizeof(raw));
		nclocks = sizeof(raw) / sizeof(raw[0]);
		taken = 0;
		for (size_t i = 0; i < nclocks; i++) {
			int64_t expect = s == 3 ? want[i] : raw[i];
			CHECK(stream_next(&streams[s], &ev) == 1 && ev.clock == expect);
		}
		CHECK(stream_next(&streams[s], &ev) == 0);
	}
	arena_finish(&t.arena);

	/* One measurement is a constant. */
	CHECK(apply(TITLE "0 5 -7 8") == 0);
	CHECK(corrected(0, 100) == 93 && corrected(3, -100) == -92);
	/* What leaves the range is an error, not another clock. */
	clocks[0] = INT64_MAX;
	nclocks = 1;
	taken = 0;
	kit_capture();
	CHECK(stream_next(&streams[3], &ev) == -ERR_CLOCK_NEGATIVE);
	CHECK(strstr(kit_captured(), "clock offset 8 ns"));
	arena_finish(&t.arena);
}

static void
refused(void)
{
	bad("wallclock node1 node10\n1 2 3\n", "the column clock_ns is missing");
	bad("wallclock \n1 2 3\n", "the column clock_ns is missing");
	bad("wallclock clock_ns\n1 2\n", "line 1: the table has no hosts");
	bad(TITLE, "no measurements");
	bad(TITLE "\n \n", "no measurements");
	bad(TITLE "1 2 3\n", "line 2: the offset is missing");
	bad(TITLE "1\n", "the clock_ns is missing");
	bad(TITLE "1 2 3 4 5\n", "more offsets than hosts");
	bad(TITLE "x 2 3 4\n", "the wall clock is not a number: x");
	bad(TITLE "1 2.5 3 4\n", "the clock_ns is not an integer of 64 bits: 2.5");
	bad(TITLE "1 2 3 4e3\n", "the offset is not an integer of 64 bits: 4e3");
	bad(TITLE "1 2 3 9223372036854775808\n", "not an integer of 64 bits");
	bad(TITLE "1 2 3 4\n1 2 3 4\n", "line 3: clock_ns does not ascend");
	bad(TITLE "1 2 3 4\n1 3 3 5\n", "line 3: the clock of node10 does not ascend");
	bad(TITLE "1 2 3 4\n1 3 4 4\n", "line 3: the clock of node1 does not ascend");
	bad(TITLE "1 -9223372036854775808 0 1\n", "the offset of node10 is out of range");
	bad("wallclock clock_ns node1 node1\n1 2 3 4\n", "the host node1 is already");
	bad("wallclock clock_ns node1 other\n1 2 3 4\n", "no loom runs on the host other");

	char text[1000] = TITLE;
	memset(text + strlen(text), 'x', 300);
	bad(text, "words of more than 255 bytes");

	/* No text: the title ends in a NUL. */
	static const char nul[] = "wallclock clock_ns no\0de1\n1 2 3\n";
	kit_write(kit_path("table"), nul, sizeof(nul) - 1);
	kit_capture();
	t = (struct trace){ .diag = &diag, .dir = kit_dir(), .options = { .clock_table = kit_path("table") } };
	CHECK(clkoff_apply(&t) == -ERR_CLOCK_TABLE);
	CHECK(strstr(kit_captured(), "no text"));
	arena_finish(&t.arena);
}

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

/* The same in the obvious way. */
static wide
naive(const struct drift *d, int64_t clock)
{
	size_t i = d->n;
	while (i > 0 && clock < d->local[i - 1])
		i--;
	if (i == 0 || i == d->n)
		return (wide)clock + d->offset[i ? i - 1 : 0];
	i--;
	wide gone = (wide)clock - d->local[i];
	wide span = (wide)d->local[i + 1] - d->local[i];
	wide up = (wide)d->offset[i + 1] - d->offset[i];
	/* Two factors of 64 bits: the product needs all of 128. */
	wide step = (wide)((uwide)gone * (uwide)(up < 0 ? -up : up) / (uwide)span);
	return (wide)clock + d->offset[i] + (up < 0 ? -step : step);
}

/* Any int64_t, small and large ones alike. */
static int64_t
any(uint64_t *x)
{
	return (int64_t)(kit_random(x) << 1) >> kit_below(x, 64);
}

/* Random tables up to the ends of the range: the twin agrees, and clocks never go back. */
static void
against_twin(uint64_t *x)
{
	int64_t local[5];
	int64_t offset[5];
	struct drift d = { .local = local, .offset = offset };
	wide last = 0;
	for (size_t tries = 1 + kit_below(x, 50); tries && d.n < 5; tries--) {
		int64_t clock = any(x);
		offset[d.n] = any(x);
		/* As drift_parse() demands. */
		if (__builtin_sub_overflow(clock, offset[d.n], &local[d.n]) || (d.n && (clock <= last || local[d.n] <= local[d.n - 1])))
			continue;
		last = clock;
		d.n++;
	}
	if (d.n == 0)
		return;
	for (int k = 0; k < 40; k++) {
		int64_t clock = kit_below(x, 2) ? any(x) : (int64_t)((uint64_t)local[kit_below(x, d.n)] + kit_below(x, 5) - 2);
		wide now = (wide)clock + drift_offset(&d, clock);
		CHECK(now == naive(&d, clock));
		if (clock < INT64_MAX) {
			wide then = (wide)clock + 1 + drift_offset(&d, clock + 1);
			CHECK(then >= now);
		}
	}
}

int
main(int argc, char **argv)
{
	linear();
	refused();
	uint64_t x = kit_seed(argc, argv);
	for (int i = 0; i < 20000; i++)
		against_twin(&x);
	return 0;
}
