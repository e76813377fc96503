/* SPDX-License-Identifier: MIT */
/* Random records through the feed into two PRV files, which are read back: each row and type
 * has its sequence, punctual values have their two lines, and in the default view a row has one
 * line an instant, in order of first touch. */
#include "emu.h"
#include "kit.h"
#include "out.h"
#include "prv.h"

#include <inttypes.h>
#include <string.h>

enum {
	COLS_MAX = 40,
};

static struct list {
	struct record *r;
	size_t n, cap;
} records, lines_of;

static void
add(struct list *l, struct record r)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 4096;
		l->r = realloc(l->r, l->cap * sizeof(*l->r));
		CHECK(l->r);
	}
	l->r[l->n++] = r;
}

/* ---- The twin: from records to lines. ---- */

/* The part of its instant that a line is written in stands in `begins` and `kind`. */
static unsigned
part_of(const struct record *r)
{
	return (unsigned)r->kind << 1 | r->begins;
}

static void
set_part(struct record *r, size_t part)
{
	r->kind = (uint8_t)(part >> 1);
	r->begins = part & 1;
}

static void
insert_line(struct record r, int64_t time)
{
	r.time = time;
	add(&lines_of, r);
	size_t at = lines_of.n - 1;
	for (; at && lines_of.r[at - 1].time > time; at--)
		lines_of.r[at] = lines_of.r[at - 1];
	set_part(&r, at && lines_of.r[at - 1].time == time ? part_of(&lines_of.r[at - 1]) : 0);
	lines_of.r[at] = r;
}

/* Whether the row has a line of that type at the time of the record. */
static bool
has_line(const struct record *r)
{
	for (size_t i = lines_of.n; i && lines_of.r[i - 1].time == r->time; i--) {
		const struct record *l = &lines_of.r[i - 1];
		if ((l->row == r->row || (l->cpu && l->cpu == r->row)) && l->col == r->col)
			return true;
	}
	return false;
}

static void
make_lines(bool compat)
{
	size_t count = 0; /* lines of the part of the instant */
	size_t part = 0;
	lines_of.n = 0;
	for (size_t i = 0; i < records.n; i++) {
		struct record r = records.r[i];
		if (i && records.r[i - 1].time != r.time)
			count = part = 0;
		else if (!compat && count >= PRV_INSTANT) {
			count = 0;
			part++;
		}
		int64_t before = r.time && part == 0 ? r.time - 1 : r.time;
		if (r.kind == RECORD_EVENT)
			continue;
		if (r.kind == RECORD_LATE && before < r.time) {
			insert_line(r, before);
			continue;
		}
		if (r.kind == RECORD_PUNCTUAL) {
			struct record value = r;
			value.before = 0;
			if (before == r.time || has_line(&r)) {
				count++;
				set_part(&value, part);
				add(&lines_of, value);
			} else {
				insert_line(value, before);
			}
			r.value = r.before;
			r.before = 0;
		}
		count++;
		set_part(&r, part);
		add(&lines_of, r);
	}
}

struct line {
	uint32_t row;
	int64_t time;
};

/* Reads "2:0:1:1:row:time:type:value[:type:value...]" lines. Lines into *out, pairs into
 * `back` as records whose col is the type. */
static size_t
parse(char *p, uint32_t nrows, int64_t duration, struct line *out, struct record *back, size_t *nback)
{
	char head[128];
	(void)snprintf(head, sizeof(head), "#Paraver (19/01/38 at 03:14):%020" PRId64 "_ns:0:1:1(%" PRIu32 ":1)\n", duration, nrows);
	CHECK(strncmp(p, head, strlen(head)) == 0);
	p += strlen(head);
	size_t n = 0;
	*nback = 0;
	while (*p) {
		CHECK(strncmp(p, "2:0:1:1:", 8) == 0);
		p += 8;
		uint32_t row = (uint32_t)strtoul(p, &p, 10);
		CHECK(*p++ == ':' && row >= 1 && row <= nrows);
		int64_t time = strtoll(p, &p, 10);
		out[n++] = (struct line){ row, time };
		CHECK(*p == ':');
		while (*p == ':') {
			uint32_t type = (uint32_t)strtoul(p + 1, &p, 10);
			CHECK(*p == ':');
			int64_t value = strtoll(p + 1, &p, 10);
			back[(*nback)++] = (struct record){ time, value, row, .col = (uint16_t)type };
		}
		CHECK(*p++ == '\n');
	}
	return n;
}

/* The order that the file must have: by time; in the default view, in an instant, rows
 * by first touch; a row's records stay in order. */
static void
expected(const struct record *from, size_t nfrom, struct record *to, bool coalesce)
{
	size_t n = 0;
	for (size_t i = 0; i < nfrom;) {
		size_t end = i;
		while (end < nfrom && from[end].time == from[i].time && part_of(&from[end]) == part_of(&from[i]))
			end++;
		for (size_t k = i; k < end; k++) {
			bool first = true;
			for (size_t j = i; coalesce && j < k && first; j++)
				first = from[j].row != from[k].row;
			if (!first)
				continue;
			for (size_t j = k; j < (coalesce ? end : k + 1); j++)
				if (from[j].row == from[k].row)
					to[n++] = from[j];
		}
		i = end;
	}
	CHECK(n == nfrom);
}

/* The lines that the file of a class has to show. */
static size_t
select_rows(const struct emu *emu, enum row_class rows, struct record *to)
{
	size_t n = 0;
	for (size_t i = 0; i < lines_of.n; i++) {
		const struct record *r = &lines_of.r[i];
		uint32_t cpu = record_cpu(r, emu->plan->sys.nthreads);
		if (rows == ROW_CPU ? cpu == 0 : r->row >= emu->plan->sys.nthreads)
			continue;
		to[n] = *r;
		to[n++].row = rows == ROW_CPU ? cpu : r->row;
	}
	return n;
}

static void
check_file(const struct emu *emu, enum row_class rows, int64_t duration)
{
	size_t size = (lines_of.n + 1) * sizeof(struct record);
	struct record *of_class = malloc(size);
	struct record *want = malloc(size);
	struct record *have = malloc(size);
	struct line *lines = malloc((lines_of.n + 1) * sizeof(*lines));
	CHECK(of_class && want && have && lines);
	char *text = kit_read(kit_path("%s.prv", rows == ROW_CPU ? "cpu" : "thread"), NULL);
	uint32_t first = rows == ROW_CPU ? emu->plan->sys.nthreads : 0;
	bool compat = emu->plan->options.compat;
	size_t n = select_rows(emu, rows, of_class);
	expected(of_class, n, want, !compat);
	size_t nhave;
	size_t nlines = parse(text, emu_nrows(emu, rows), duration, lines, have, &nhave);
	CHECK(nhave == n);
	size_t groups = 0;
	for (size_t i = 0; i < n; i++) {
		CHECK(have[i].time == want[i].time && have[i].value == want[i].value);
		CHECK(have[i].row == want[i].row - first + 1 && have[i].col == (uint16_t)emu->plan->cols[want[i].col].decl->prv_type);
		groups += compat || i == 0 || want[i].row != want[i - 1].row || want[i].time != want[i - 1].time || part_of(&want[i]) != part_of(&want[i - 1]);
	}
	CHECK(nlines == groups);
	free(of_class);
	free(want);
	free(have);
	free(lines);
	free(text);
}

static int64_t
any_value(uint64_t *x)
{
	switch (kit_below(x, 6)) {
	case 0: return (int64_t)kit_random(x);
	case 1: return -(int64_t)kit_below(x, 2000);
	case 2: return INT64_MIN;
	case 3: return (int64_t)kit_below(x, 100000);
	default: return (int64_t)kit_below(x, 1200);
	}
}

static void
one(uint64_t *x)
{
	/* An emulator with rows and columns and nothing else. */
	static struct chan_decl decls[COLS_MAX];
	static struct col cols[COLS_MAX];
	struct diag diag = { .program = "test" };
	struct plan plan = { .cols = cols };
	struct emu emu = { .plan = &plan, .diag = &diag };
	plan.options.compat = kit_below(x, 3) == 0;
	plan.ncols = NBASE + 1 + kit_below(x, COLS_MAX - NBASE);
	for (uint32_t i = 0; i < plan.ncols; i++) {
		decls[i] = (struct chan_decl){ .prv_type = i % 7 ? (int)i : INT32_MAX - (int)i };
		cols[i].decl = &decls[i];
	}
	plan.sys.nthreads = plan.sys.nknown = 1 + (uint32_t)kit_below(x, 5);
	plan.sys.ncpus = 1 + (uint32_t)kit_below(x, kit_below(x, 3) ? 8 : 30000);
	uint32_t nrows = plan.sys.nthreads + plan.sys.ncpus;

	records.n = 0;
	int64_t t = (int64_t)kit_below(x, 3) * INT64_C(99999990);
	size_t n = kit_below(x, kit_below(x, 5) ? 300 : 40000);
	uint64_t far = kit_below(x, 4) ? 5 : UINT64_C(1000000000);
	uint64_t same = 1 + kit_below(x, 40);
	uint64_t twice = kit_below(x, 4); /* how many are shown by a CPU too */
	uint64_t odd = kit_below(x, 3) ? 1 + kit_below(x, 50) : 0;
	bool is_long = kit_below(x, 30) == 0; /* instants of more records than a chunk */
	for (size_t i = 0; i < n; i++) {
		if (kit_below(x, is_long ? 20000 : same) == 0)
			t += (int64_t)kit_below(x, far);
		uint32_t row = kit_below(x, 3) ? (uint32_t)kit_below(x, nrows) : 0;
		uint32_t col = NBASE + (uint32_t)kit_below(x, plan.ncols - NBASE);
		uint32_t cpu = plan.sys.nthreads + (uint32_t)kit_below(x, kit_below(x, 2) ? 1 : plan.sys.ncpus);
		bool both = row < plan.sys.nthreads && kit_below(x, 3) < twice;
		struct record r = { .time = t, .value = any_value(x), .row = row, .cpu = both ? cpu : 0, .col = (uint16_t)col };
		if (odd && !plan.options.compat && kit_below(x, odd) == 0) {
			r.kind = kit_below(x, 4) ? RECORD_PUNCTUAL : RECORD_LATE;
			r.cpu = 0;
			if (r.kind == RECORD_PUNCTUAL)
				r.before = any_value(x);
		}
		r.begins = kit_below(x, 3) == 0;
		add(&records, r);
	}
	make_lines(plan.options.compat);

	static const struct sink_ops *const sinks[] = { &prv_sink };
	struct feed f;
	CHECK(feed_open(&f, &diag, &emu, kit_dir(), sinks, 1) == 0 && feed_start(&f, 1 + (unsigned)kit_below(x, 2)) == 0);
	for (size_t i = 0; i < n; i++) {
		const struct record *r = &records.r[i];
		if (r->begins)
			feed_begin(&f);
		if (kit_below(x, 500) == 0 && r->begins)
			feed_flush(&f);
		if (r->kind == RECORD_PUNCTUAL)
			feed_put_punctual(&f, r->time, r->row, r->col, r->value, r->before);
		else if (r->kind == RECORD_LATE)
			feed_put_late(&f, r->time, r->row, r->col, r->value);
		else
			feed_put_both(&f, r->time, r->row, r->cpu, r->col, r->value, false);
	}
	kit_quiet();
	CHECK(feed_close(&f, t) == 0);
	kit_loud();
	check_file(&emu, ROW_THREAD, t);
	check_file(&emu, ROW_CPU, t);
}

/* Records that are put one by one, as of an ovni.uscp of --compat: an instant has more than there is
 * room for, and a punctual value goes behind them. */
static void
check_long_instant(void)
{
	enum {
		COUNT = 5 * PRV_HELD,
		TIME = 7,
	};
	struct diag diag = { .program = "test" };
	const int type = 9;
	struct prv prv;
	CHECK(prv_start(&prv, &(struct prv_options){ .diag = &diag, .path = kit_path("long.prv"), .nrows = 1, .types = &type, .ntypes = 1 }) == 0);
	for (uint32_t i = 0; i < COUNT; i++)
		CHECK(prv_put(&prv, &(struct record){ .time = TIME, .value = i }) == 0);
	CHECK(prv_put(&prv, &(struct record){ .time = TIME, .value = 3, .kind = RECORD_PUNCTUAL, .before = 4 }) == 0);
	CHECK(prv_finish(&prv, TIME) == 0);
	char *text = kit_read(kit_path("long.prv"), NULL);
	char *p = strchr(text, '\n');
	for (uint32_t i = 0; i < COUNT + 2; i++) {
		char want[64];
		int size = snprintf(want, sizeof(want), "\n2:0:1:1:1:%d:%d:%" PRIu32 "\n", TIME, type, i < COUNT ? i : i - COUNT + 3);
		CHECK(strncmp(p, want, (size_t)size) == 0);
		p += size - 1;
	}
	CHECK(strcmp(p, "\n") == 0);
	free(text);
}

/* A row has one line in a nanosecond that holds the states of one instant and the values of the next. */
static void
check_full_nanosecond(void)
{
	enum {
		ROWS = 100,
		COLS = PRV_INSTANT / ROWS, /* of one instant: not enough to write it in parts */
	};
	struct diag diag = { .program = "test" };
	int types[COLS];
	for (int i = 0; i < COLS; i++)
		types[i] = i + 1;
	struct prv prv;
	CHECK(prv_start(&prv, &(struct prv_options){ .diag = &diag, .path = kit_path("full.prv"), .nrows = ROWS, .types = types, .ntypes = COLS, .coalesce = true }) == 0);
	for (uint32_t i = 0; i < ROWS * COLS; i++)
		CHECK(prv_put(&prv, &(struct record){ .time = 7, .row = i % ROWS, .col = (uint16_t)(i / ROWS), .value = 1 }) == 0);
	for (uint32_t i = 0; i < ROWS * COLS; i++)
		CHECK(prv_put(&prv, &(struct record){ .time = 8, .row = i % ROWS, .col = (uint16_t)(i / ROWS), .value = 2, .kind = RECORD_PUNCTUAL, .before = 1 }) == 0);
	CHECK(prv_finish(&prv, 8) == 0);
	char *text = kit_read(kit_path("full.prv"), NULL);
	uint32_t nlines = 0;
	for (const char *p = text; (p = strchr(p, '\n')); p++)
		nlines++;
	CHECK(nlines == 1 + 2 * ROWS);
	free(text);
}

int
main(int argc, char **argv)
{
	check_long_instant();
	check_full_nanosecond();
	uint64_t x = kit_seed(argc, argv);
	double end = kit_now() + 2.0 / check_share();
	long rounds = 0;
	do {
		one(&x);
	} while (rounds++ < 2000 && kit_now() < end);
	(void)printf("%ld rounds\n", rounds);
	free(records.r);
	free(lines_of.r);
	return 0;
}
