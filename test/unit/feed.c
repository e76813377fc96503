/* SPDX-License-Identifier: MIT */
/* Records on their way to the sinks: order, insertion, failures. */
#include "feed.h"

#include "kit.h"

#include <string.h>
#include <unistd.h>

static struct diag diag = { .program = "test" };
static unsigned nthreads; /* that serve the sinks */

static const struct sink both[] = { { &kit_sink, ROW_THREAD }, { &kit_sink, ROW_CPU } };

/* What the sinks should get. */
struct list {
	struct record *items;
	size_t n, cap;
};

static struct list want[ROW_CLASSES];

static void
want_at(enum row_class rows, size_t at, struct record r)
{
	struct list *l = &want[rows];
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 1024;
		l->items = realloc(l->items, l->cap * sizeof(*l->items));
		CHECK(l->items);
	}
	memmove(&l->items[at + 1], &l->items[at], (l->n - at) * sizeof(r));
	l->items[at] = r;
	l->n++;
}

/* CPUs are behind the threads. */
static uint32_t
row_of(enum row_class rows, uint32_t row)
{
	return rows == ROW_CPU ? KIT_CPU + row : row;
}

static void
put(struct feed *f, enum row_class rows, int64_t time, uint32_t row, uint32_t col, int64_t value)
{
	row = row_of(rows, row);
	feed_put(f, LANE_ROWS, time, row, col, value);
	want_at(rows, want[rows].n, (struct record){ time, value, row, .col = (uint16_t)col });
}

static void
put_both(struct feed *f, int64_t time, uint32_t row, uint32_t cpu, uint32_t col, int64_t value)
{
	feed_put_both(f, LANE_ROWS, time, row, row_of(ROW_CPU, cpu), col, value);
	want_at(ROW_THREAD, want[ROW_THREAD].n, (struct record){ time, value, row, .col = (uint16_t)col });
	want_at(ROW_CPU, want[ROW_CPU].n, (struct record){ time, value, row_of(ROW_CPU, cpu), .col = (uint16_t)col });
}

static void
insert(struct feed *f, enum row_class rows, int64_t time, uint32_t row, uint32_t col, int64_t value)
{
	row = row_of(rows, row);
	feed_insert(f, time, row, col, value, RECORD_PUNCTUAL);
	size_t at = want[rows].n;
	while (at && want[rows].items[at - 1].time > time)
		at--;
	want_at(rows, at, (struct record){ time, value, row, .col = (uint16_t)col });
}

static void
begin(struct feed *f)
{
	kit_forget();
	for (int i = 0; i < ROW_CLASSES; i++) {
		free(want[i].items);
		want[i] = (struct list){ 0 };
	}
	if (!f)
		return;
	CHECK(feed_open(f, &diag, NULL, ".", both, 2) == 0);
	CHECK(kit_logs[ROW_THREAD].opened && kit_logs[ROW_CPU].opened);
	CHECK(feed_start(f, nthreads) == 0);
}

static bool
equal(const struct record *a, const struct record *b)
{
	return a->time == b->time && a->value == b->value && a->row == b->row && a->col == b->col;
}

static void
check_log(enum row_class rows, bool split_instants)
{
	const struct kit_log *log = &kit_logs[rows];
	CHECK(log->n == want[rows].n);
	for (size_t i = 0; i < log->n; i++) {
		CHECK(equal(&log->items[i].r, &want[rows].items[i]));
		if (i == 0)
			continue;
		CHECK(log->items[i].r.time >= log->items[i - 1].r.time);
		if (!split_instants && log->items[i].chunk != log->items[i - 1].chunk)
			CHECK(log->items[i].r.time > log->items[i - 1].r.time);
	}
}

static void
finish(struct feed *f, bool split_instants)
{
	CHECK(feed_close(f, 4242) == 0);
	CHECK(feed_close(f, 0) == 0); /* zeroed */
	for (int i = 0; i < ROW_CLASSES; i++) {
		CHECK(kit_logs[i].duration == 4242);
		check_log((enum row_class)i, split_instants);
	}
}

static void
order(void)
{
	struct feed f;
	begin(&f);
	for (int i = 0; i < 20 * FEED_RECORDS; i++) {
		put(&f, ROW_THREAD, i / 3, (uint32_t)i, 1, -i);
		if (i % 50 == 0) /* the classes fill at their own pace */
			put(&f, ROW_CPU, i / 3, (uint32_t)i, 2, i);
	}
	CHECK(kit_logs[ROW_THREAD].duration == -1);
	finish(&f, false);
	CHECK(kit_logs[ROW_THREAD].chunks > 10);
	begin(&f); /* nothing at all */
	finish(&f, false);
	CHECK(kit_logs[ROW_THREAD].chunks == 0);
}

/* A value one nanosecond back, with the chunk full to the last `room` records. */
static void
insertion(void)
{
	for (int room = 0; room < 6; room++) {
		for (int back = 0; back < 2; back++) {
			for (int last = 0; last < 4; last++) {
				struct feed f;
				begin(&f);
				int64_t t = 0;
				for (int i = 0; i < FEED_RECORDS - room - last; i++)
					put(&f, ROW_THREAD, t = i / 2, 1, 1, i);
				for (int i = 0; i < last; i++)
					put(&f, ROW_THREAD, t + 1, 1, 1, i);
				t += last > 0;
				for (int i = 0; i < 4; i++) {
					insert(&f, ROW_THREAD, t - back, 2, 2, 1000 + i);
					put(&f, ROW_THREAD, t, 2, 2, 0);
				}
				insert(&f, ROW_CPU, t - back, 3, 3, 7);
				finish(&f, false);
			}
		}
	}
}

static void
random_mix(void)
{
	uint64_t x = 99;
	for (unsigned round = 0; round < 6; round++) {
		struct feed f;
		begin(&f);
		int64_t t = 0;
		for (int i = 0; i < 6 * FEED_RECORDS; i++) {
			enum row_class rows = kit_below(&x, 4) ? ROW_THREAD : ROW_CPU;
			t += kit_below(&x, round + 2) == 0 ? (int64_t)kit_below(&x, 4) : 0;
			if (kit_below(&x, 5) == 0)
				insert(&f, rows, t ? t - 1 : 0, (uint32_t)i, 9, i);
			if (kit_below(&x, 300) == 0)
				feed_flush(&f);
			/* The last record is at t in both, as after an event. */
			if (kit_below(&x, 2)) {
				put_both(&f, t, (uint32_t)i, (uint32_t)i / 2, 1, i);
				continue;
			}
			put(&f, ROW_THREAD, t, (uint32_t)i, 1, i);
			put(&f, ROW_CPU, t, (uint32_t)i, 2, i);
		}
		finish(&f, false);
	}
}

/* It is split, in order; what is inserted before it goes behind what has left. */
static void
long_instant(void)
{
	struct feed f;
	begin(&f);
	put(&f, ROW_THREAD, 99, 1, 1, 1);
	for (int i = 0; i < 3 * FEED_RECORDS + 100; i++)
		put(&f, ROW_THREAD, 100, 1, 1, i);
	for (int i = 0; i < 3 * FEED_RECORDS; i++)
		put(&f, ROW_CPU, 100, 2, 1, i);
	feed_insert(&f, 99, 5, 5, 5, RECORD_PUNCTUAL);
	want_at(ROW_THREAD, want[ROW_THREAD].n, (struct record){ 100, 5, 5, .col = 5 });
	put(&f, ROW_THREAD, 101, 1, 1, 1);
	insert(&f, ROW_THREAD, 100, 1, 1, 2);
	finish(&f, true);
}

/* A slow sink without a class of its own log: it counts. */
static size_t slow_records;

static int
slow_open(void *self, const struct emu *emu, const char *dir, enum row_class rows)
{
	(void)self;
	(void)emu;
	(void)dir;
	(void)rows;
	return 0;
}

static int
slow_write(void *self, const struct record *r, size_t n)
{
	(void)self;
	(void)r;
	slow_records += n;
	(void)usleep(2000);
	return 0;
}

static int
slow_close(void *self, int64_t duration)
{
	(void)self;
	(void)duration;
	return 0;
}

static const struct sink_ops slow_sink = { .name = "slow", .open = slow_open, .write = slow_write, .close = slow_close };
static const struct sink_ops still_sink = { .name = "still", .open = slow_open, .close = slow_close };

/* ---- A sink of all lanes. ---- */

static struct {
	size_t n[LANES];
	int64_t last; /* time of the batch before */
	bool backwards;
} all;

static int
all_write(void *self, const struct batch *b)
{
	(void)self;
	int64_t last = all.last;
	for (int i = 0; i < LANES; i++)
		for (size_t k = 0; k < b->n[i]; k++) {
			const struct record *r = &b->r[i][k];
			all.backwards = all.backwards || r->time <= all.last;
			last = r->time > last ? r->time : last;
			all.n[i]++;
		}
	all.last = last;
	return 0;
}

static const struct sink_ops all_sink = { .name = "all", .open = slow_open, .write_all = all_write, .close = slow_close };

/* It gets the records of all classes, and the events; a batch is later than the one before. */
static void
lanes(void)
{
	static const struct sink sinks[] = { { &kit_sink, ROW_CPU }, { &all_sink, ROW_CLASSES } };
	enum { N = 5 * FEED_RECORDS };
	struct feed f;
	kit_forget();
	memset(&all, 0, sizeof(all));
	all.last = -1;
	struct diag d = { .program = "feed" };
	CHECK(feed_open(&f, &d, NULL, ".", sinks, 2) == 0);
	CHECK(feed_start(&f, nthreads) == 0);
	for (int i = 0; i < N; i++) {
		f.event = (uint16_t)(i & ~RECORD_PUNCTUAL);
		feed_put(&f, LANE_EVENTS, i, 1, 2, i);
		feed_put(&f, LANE_EVENTS, i, 3, 4, i);
		if (i % 2)
			feed_put(&f, LANE_ROWS, i, 1, 1, i);
		if (i % 7 == 0)
			feed_put(&f, LANE_ROWS, i, KIT_CPU, 1, i);
	}
	CHECK(feed_close(&f, N) == 0);
	CHECK(all.n[LANE_ROWS] == N / 2 + (N + 6) / 7 && all.n[LANE_EVENTS] == 2 * N);
	CHECK(!all.backwards && all.last == N - 1);
	CHECK(kit_logs[ROW_CPU].n == (N + 6) / 7);
}

static void
several(void)
{
	static const struct sink sinks[] = {
		{ &still_sink, ROW_CPU },
		{ &slow_sink, ROW_THREAD },
		{ &kit_sink, ROW_THREAD },
		{ &kit_sink, ROW_CPU },
		{ &still_sink, ROW_THREAD },
	};
	struct feed f;
	begin(NULL);
	slow_records = 0;
	CHECK(feed_open(&f, &diag, NULL, ".", sinks, 5) == 0);
	CHECK(feed_start(&f, nthreads) == 0);
	for (int i = 0; i < 12 * FEED_RECORDS; i++)
		put(&f, i % 3 ? ROW_THREAD : ROW_CPU, i, 1, 1, i);
	finish(&f, false);
	CHECK(slow_records == want[ROW_THREAD].n + want[ROW_CPU].n);

	/* No sinks: records go nowhere. */
	begin(NULL);
	CHECK(feed_open(&f, &diag, NULL, ".", NULL, 0) == 0 && feed_start(&f, nthreads) == 0);
	for (int i = 0; i < 10 * FEED_RECORDS; i++)
		feed_put(&f, LANE_ROWS, i, 1, 1, i);
	CHECK(!feed_failed(&f));
	CHECK(feed_close(&f, 1) == 0);
	/* Opened but never started. */
	CHECK(feed_open(&f, &diag, NULL, ".", both, 2) == 0);
	CHECK(feed_close(&f, 1) == 0);
	CHECK(kit_logs[ROW_THREAD].n == 0 && kit_logs[ROW_THREAD].duration == 1);
}

/* ---- While nothing comes. ---- */

static struct {
	atomic_int flushed;
	atomic_int written; /* when it was flushed last */
	int n;
} seen;

static int
seen_write(void *self, const struct record *r, size_t n)
{
	(void)self;
	(void)r;
	seen.n += (int)n;
	return 0;
}

static int
seen_flush(void *self)
{
	(void)self;
	atomic_store(&seen.written, seen.n);
	atomic_fetch_add(&seen.flushed, 1);
	return 0;
}

static void
wait_flushed(int n)
{
	for (int i = 0; i < 10000 && atomic_load(&seen.flushed) < n; i++)
		(void)usleep(1000);
	CHECK(atomic_load(&seen.flushed) == n);
}

/* All but the last nanosecond leave, if they have not left already. */
static void
idle(void)
{
	static const struct sink_ops ops = { .name = "seen", .open = slow_open, .write = seen_write, .flush = seen_flush, .close = slow_close };
	static const struct sink sinks[] = { { &ops, ROW_THREAD } };
	struct feed f;
	seen.n = 0;
	atomic_store(&seen.flushed, 0);
	CHECK(feed_open(&f, &diag, NULL, ".", sinks, 1) == 0 && feed_start(&f, nthreads) == 0);
	for (int i = 0; i < 100; i++)
		feed_put(&f, LANE_ROWS, i, 1, 1, i);
	feed_flush(&f);
	wait_flushed(1);
	CHECK(atomic_load(&seen.written) == 98);
	feed_flush(&f);
	feed_put(&f, LANE_ROWS, 99, 1, 1, 0);
	feed_flush(&f);
	feed_insert(&f, 98, 1, 1, 7, RECORD_PUNCTUAL);
	feed_put(&f, LANE_ROWS, 101, 1, 1, 0);
	feed_flush(&f);
	wait_flushed(2);
	CHECK(atomic_load(&seen.written) == 102);
	CHECK(feed_close(&f, 101) == 0);
	CHECK(seen.n == 103 && atomic_load(&seen.flushed) == 2);
}

static void
failures(void)
{
	struct feed f;
	/* One sink fails: the others get all, everyone is closed, the run may know. */
	begin(NULL);
	kit_logs[ROW_CPU].fail_at = 10;
	CHECK(feed_open(&f, &diag, NULL, ".", both, 2) == 0 && feed_start(&f, nthreads) == 0);
	bool told = false;
	for (int i = 0; i < 30 * FEED_RECORDS; i++) {
		put(&f, ROW_THREAD, i, 1, 1, i);
		put(&f, ROW_CPU, i, 1, 1, i);
		told = told || feed_failed(&f);
	}
	CHECK(told);
	CHECK(feed_close(&f, 7) == -ERR_WRITE);
	check_log(ROW_THREAD, false);
	CHECK(kit_logs[ROW_CPU].chunks == 1); /* not called again */
	CHECK(kit_logs[ROW_CPU].duration == 7 && kit_logs[ROW_THREAD].duration == 7);

	/* The second cannot be opened: the first is closed. */
	begin(NULL);
	kit_logs[ROW_CPU].fail_open = true;
	CHECK(feed_open(&f, &diag, NULL, ".", both, 2) == -ERR_WRITE);
	CHECK(feed_close(&f, 8) == 0);
	CHECK(kit_logs[ROW_THREAD].duration == 8 && !kit_logs[ROW_CPU].opened);

	begin(NULL);
	kit_logs[ROW_THREAD].fail_close = true;
	CHECK(feed_open(&f, &diag, NULL, ".", both, 2) == 0 && feed_start(&f, nthreads) == 0);
	CHECK(feed_close(&f, 9) == -ERR_WRITE);
	CHECK(kit_logs[ROW_CPU].duration == 9);

	f = (struct feed){ 0 };
	CHECK(feed_close(&f, 0) == 0);
}

int
main(void)
{
	for (nthreads = 0; nthreads <= 3; nthreads++) {
		order();
		random_mix();
		long_instant();
		lanes();
		several();
		idle();
		failures();
	}
	insertion();
	begin(NULL);
	return 0;
}
