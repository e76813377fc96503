/* SPDX-License-Identifier: MIT */
/* Records on their way to the sinks: order, where batches end, who serves whom, failures. */
#include "feed.h"

#include "emu.h"
#include "kit.h"
#include "stats.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static struct diag diag = { .program = "test" };
static unsigned nthreads; /* in all */
static const struct emu *machine;
static useconds_t pause_us; /* now and then, while records are made */

/* ---- What the sinks should get, and get. ---- */

struct list {
	struct record *items;
	size_t n, cap;
};

static struct list want;

static void
expect(struct record r)
{
	if (want.n == want.cap) {
		want.cap = want.cap ? want.cap * 2 : 1024;
		want.items = realloc(want.items, want.cap * sizeof(*want.items));
		CHECK(want.items);
	}
	want.items[want.n++] = r;
}

static struct {
	size_t at;      /* of want */
	size_t batches; /* and how many of them did not end with an event */
	size_t parts;
	size_t largest;
	int64_t duration;
	bool torn; /* the event at the end of the last batch goes on */
} got;

static bool
is_odd(const struct batch *b, size_t i)
{
	for (size_t k = 0; k < b->nodd; k++)
		if (b->odd[k] == i)
			return true;
	return false;
}

static int
check_open(void *self, const struct emu *emu, const char *dir)
{
	(void)self;
	(void)emu;
	(void)dir;
	return 0;
}

static int
check_write(void *self, const struct batch *b)
{
	(void)self;
	CHECK(b->n > 0 && got.at + b->n <= want.n);
	size_t nodd = 0;
	for (size_t i = 0; i < b->n; i++) {
		const struct record *r = &b->r[i];
		const struct record *w = &want.items[got.at + i];
		CHECK(r->time == w->time && r->value == w->value && r->row == w->row && r->col == w->col && r->kind == w->kind);
		CHECK(r->begins == w->begins);
		CHECK(r->kind == RECORD_PUNCTUAL ? r->before == w->before : r->kind != RECORD_STATE || r->cpu == w->cpu);
		nodd += r->kind != RECORD_STATE;
		if (nodd < 64) /* a search is slow */
			CHECK(is_odd(b, i) == (r->kind != RECORD_STATE));
	}
	CHECK(b->nodd == nodd);
	/* An event is in one batch, but for one that is longer. */
	CHECK(b->r[0].begins == !got.torn);
	got.at += b->n;
	CHECK(!b->whole || got.at == want.n || want.items[got.at].begins);
	CHECK(b->whole || b->n >= FLOW_RECORDS - 1);
	got.torn = !b->whole;
	got.parts += !b->whole;
	got.batches++;
	got.largest = b->n > got.largest ? b->n : got.largest;
	return 0;
}

static int
check_close(void *self, int64_t duration)
{
	(void)self;
	got.duration = duration;
	return 0;
}

static const struct sink_ops check_sink = { .open = check_open, .write = check_write, .close = check_close };
static const struct sink_ops still_sink = { .open = check_open, .close = check_close };

/* The records are made first, as sinks run on other threads. */
static void
forget(void)
{
	want.n = 0;
	memset(&got, 0, sizeof(got));
}

static void
play(const struct sink_ops *const *sinks, size_t n)
{
	struct feed f;
	CHECK(feed_open(&f, &diag, machine, ".", sinks, n) == 0);
	CHECK(feed_start(&f, nthreads) == 0);
	for (size_t i = 0; i < want.n; i++) {
		const struct record *r = &want.items[i];
		if (pause_us && i % FLOW_RECORDS == 0)
			(void)usleep(pause_us);
		if (r->begins)
			feed_begin(&f);
		if (r->kind == RECORD_PUNCTUAL)
			feed_put_punctual(&f, r->time, r->row, r->col, r->value, r->before);
		else if (r->kind == RECORD_LATE)
			feed_put_late(&f, r->time, r->row, r->col, r->value);
		else if (r->kind == RECORD_EVENT) {
			const uint64_t payload[] = { (uint64_t)r[0].value, (uint64_t)r[1].value };
			const uint8_t mcv[] = { (uint8_t)r[0].col, (uint8_t)(r[0].col >> 8), (uint8_t)r[1].col };
			feed_put_event(&f, r->time, r->row, mcv, r[1].row, payload);
			i++;
		} else
			feed_put_both(&f, r->time, r->row, r->cpu, r->col, r->value, false);
	}
	CHECK(feed_close(&f, 4242) == 0);
	CHECK(feed_close(&f, 0) == 0); /* zeroed */
}

static void
play_checked(void)
{
	static const struct sink_ops *const sinks[] = { &check_sink };
	play(sinks, 1);
	CHECK(got.at == want.n && got.duration == 4242);
}

static void
add_event(int64_t time, size_t n, uint64_t *x)
{
	for (size_t i = 0; i < n; i++) {
		struct record r = { .time = time, .value = (int64_t)want.n, .row = (uint32_t)i, .col = 7, .begins = i == 0 };
		if (kit_below(x, 20) == 0) {
			r.kind = RECORD_PUNCTUAL;
			r.before = -(int64_t)i;
		} else if (kit_below(x, 200) == 0) {
			r.kind = RECORD_LATE;
		} else {
			r.cpu = (uint32_t)kit_below(x, 3);
		}
		expect(r);
	}
	if (n && kit_below(x, 3) == 0) {
		expect((struct record){ .time = time, .value = 5, .row = 1, .col = 'a' | 'b' << 8, .kind = RECORD_EVENT });
		expect((struct record){ .time = time, .value = 6, .row = 12, .col = 'c', .kind = RECORD_EVENT });
	}
}

/* Events of all sizes, at times of their own and at the same time. */
static void
order(void)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		uint64_t x = seed;
		forget();
		for (int64_t t = 0; want.n < 20 * FLOW_RECORDS; t += (int64_t)kit_below(&x, 2))
			add_event(t, kit_below(&x, seed + 1) * kit_below(&x, 5), &x);
		play_checked();
		CHECK(got.batches >= 20 && got.parts == 0);
	}
	forget(); /* nothing at all */
	play_checked();
	CHECK(got.batches == 0);
}

/* It is cut each FLOW_RECORDS, wherever it begins; those beside it are whole. */
static void
long_event(void)
{
	for (size_t before = 0; before < 3; before++) {
		uint64_t x = 5;
		forget();
		add_event(1, before, &x);
		size_t first = want.n;
		add_event(2, 3 * FLOW_RECORDS + 100, &x);
		size_t end = want.n;
		add_event(2, 3, &x);
		add_event(3, 3, &x);
		play_checked();
		CHECK(got.parts == 3 && got.largest == FLOW_RECORDS);
		CHECK(got.batches == 4 + (first > 0) && end > first);
	}
}

/* ---- Threads. ---- */

/* Opens, but has no use for records. */
static int
idle_open(void *self, const struct emu *emu, const char *dir)
{
	(void)self;
	(void)emu;
	(void)dir;
	return 1;
}

static int
idle_write(void *self, const struct batch *b)
{
	(void)self;
	(void)b;
	CHECK(false); /* it wants no records */
	return 0;
}

static const struct sink_ops idle_sink = { .open = idle_open, .write = idle_write, .close = check_close };

/* Two sinks that count; the first waits for the second. */
static struct {
	atomic_uint batches[2];
	atomic_uint inside[2];
	pthread_t emulates;
} seats;

static void
sit(unsigned i, bool waits)
{
	CHECK(atomic_fetch_add(&seats.inside[i], 1) == 0); /* one thread at a time */
	CHECK(nthreads > 1 || pthread_equal(seats.emulates, pthread_self()));
	unsigned n = atomic_fetch_add(&seats.batches[i], 1);
	while (waits && atomic_load(&seats.batches[1]) <= n)
		(void)usleep(100);
	atomic_fetch_sub(&seats.inside[i], 1);
}

static int
first_write(void *self, const struct batch *b)
{
	(void)self;
	(void)b;
	sit(0, nthreads > 1);
	return 0;
}

static int
second_write(void *self, const struct batch *b)
{
	(void)self;
	(void)b;
	sit(1, false);
	return 0;
}

static const struct sink_ops first_sink = { .open = check_open, .write = first_write, .close = check_close };
static const struct sink_ops second_sink = { .open = check_open, .write = second_write, .close = check_close };

/* With one thread all is done on that which emulates; with two, two sinks are served at the same time. */
static void
share(void)
{
	static const struct sink_ops *const sinks[] = { &still_sink, &idle_sink, &first_sink, &second_sink };
	unsigned threads = nthreads;
	for (nthreads = 1; nthreads <= 4; nthreads++) {
		uint64_t x = 3;
		forget();
		memset(&seats, 0, sizeof(seats));
		seats.emulates = pthread_self();
		for (int64_t t = 0; want.n < 30 * FLOW_RECORDS; t++)
			add_event(t, 3, &x);
		play(sinks, 4);
		CHECK(seats.batches[0] >= 30 && seats.batches[0] == seats.batches[1]);
	}
	nthreads = threads;
}

/* A slow sink: it counts. */
static size_t slow_records;

static int
slow_write(void *self, const struct batch *b)
{
	(void)self;
	slow_records += b->n;
	(void)usleep(2000);
	return 0;
}

static const struct sink_ops slow_sink = { .open = check_open, .write = slow_write, .close = check_close };

static void
several(void)
{
	const struct sink_ops *const sinks[] = { &still_sink, &slow_sink, &check_sink, &still_sink };
	uint64_t x = 8;
	forget();
	slow_records = 0;
	for (int64_t t = 0; want.n < 12 * FLOW_RECORDS; t++)
		add_event(t, 2, &x);
	play(sinks, 4);
	CHECK(slow_records == want.n && got.at == want.n);

	/* No sinks: records go nowhere. */
	play(NULL, 0);
	/* Opened but never started. */
	struct feed f;
	CHECK(feed_open(&f, &diag, NULL, ".", sinks, 4) == 0);
	CHECK(feed_close(&f, 1) == 0);
	CHECK(got.duration == 1);
}

/* ---- Where the time goes. ---- */

static struct stats stats;

static uint64_t
play_counted(const struct sink_ops *const *sinks, size_t n)
{
	struct plan plan = { .options = { .stats = &stats } };
	machine = &(struct emu){ .plan = &plan };
	play(sinks, n);
	machine = NULL;
	uint64_t wall = stats.end_ns - stats.begin_ns;
	CHECK(stats.nstages == STAGE_MERGE + 1 + n && stats.nthreads == nthreads && stats.records == want.n);
	for (const struct stage *g = stats.stages; g < stats.stages + stats.nstages; g++)
		CHECK(g->busy_ns + g->waited_ns[WAIT_INPUT] + g->waited_ns[WAIT_THREAD] + g->waited_ns[WAIT_ROOM] == wall);
	return wall;
}

static int
quick_write(void *self, const struct batch *b)
{
	(void)self;
	(void)b;
	return 0;
}

/* Each stage waits for what is not there. */
static void
stages(void)
{
	enum {
		MUCH = 4, /* that part of the time: a thread that could go on is not always let by a busy machine */
	};
	static const struct sink_ops quick_sink = { .open = check_open, .write = quick_write, .close = check_close };
	static const struct sink_ops *const slow[] = { &slow_sink, &slow_sink };
	static const struct sink_ops *const quick[] = { &quick_sink };
	const struct stage *emulates = &stats.stages[STAGE_EMULATE], *sink = &stats.stages[STAGE_MERGE + 1];
	uint64_t x = 8;
	forget();
	for (int64_t t = 0; want.n < 30 * FLOW_RECORDS; t++)
		add_event(t, 2, &x);
	uint64_t wall = play_counted(slow, 1);
	CHECK(emulates->waited_ns[WAIT_ROOM] > wall / MUCH && emulates->njobs == sink->njobs && sink->njobs >= 30);
	CHECK(sink->busy_ns >= sink->njobs * 2000000 && sink->cpu_ns && sink->cpu_ns < sink->busy_ns / 2); /* it sleeps */
	CHECK(emulates->cpu_ns && emulates->cpu_ns <= emulates->busy_ns + wall / 10);
	if (nthreads == 1) {
		wall = play_counted(slow, 2);
		CHECK(sink[0].waited_ns[WAIT_THREAD] + sink[1].waited_ns[WAIT_THREAD] > wall / MUCH);
	}
	pause_us = 2000;
	wall = play_counted(quick, 1);
	pause_us = 0;
	CHECK(emulates->busy_ns > wall / MUCH && sink->waited_ns[nthreads > 1 ? WAIT_INPUT : WAIT_THREAD] > wall / MUCH);
	CHECK(stats.stages[STAGE_DIVIDE].njobs == 0 && stats.stages[STAGE_MERGE].njobs == 0);
}

/* ---- While nothing comes. ---- */

static struct {
	atomic_int flushed;
	atomic_int written; /* when it was flushed last, */
	atomic_int time;    /* and what comes is not before */
	atomic_int n;
} seen;

static int
seen_write(void *self, const struct batch *b)
{
	(void)self;
	atomic_fetch_add(&seen.n, (int)b->n);
	return 0;
}

static int
seen_flush(void *self, int64_t time)
{
	(void)self;
	atomic_store(&seen.time, (int)time);
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

/* All but the last instant leaves; when there is nothing, nobody is bothered. */
static void
idle(void)
{
	static const struct sink_ops ops = { .open = check_open, .write = seen_write, .flush = seen_flush, .close = check_close };
	static const struct sink_ops *const sinks[] = { &ops };
	struct feed f;
	seen.n = 0;
	atomic_store(&seen.flushed, 0);
	CHECK(feed_open(&f, &diag, NULL, ".", sinks, 1) == 0 && feed_start(&f, nthreads) == 0);
	for (int i = 0; i < 100; i++) {
		feed_begin(&f);
		feed_put(&f, i, 1, 1, i);
	}
	feed_flush(&f);
	wait_flushed(1);
	CHECK(atomic_load(&seen.written) == 99 && atomic_load(&seen.time) == 99);
	feed_flush(&f);
	feed_begin(&f);
	feed_put_punctual(&f, 99, 1, 1, 0, 7);
	feed_flush(&f);
	feed_begin(&f);
	feed_put_punctual(&f, 101, 1, 1, 0, 7);
	feed_flush(&f);
	wait_flushed(2);
	CHECK(atomic_load(&seen.written) == 101 && atomic_load(&seen.time) == 101);
	CHECK(feed_close(&f, 101) == 0);
	CHECK(seen.n == 102 && atomic_load(&seen.flushed) == 2);
}

/* A full chunk leaves when nothing comes, though all records behind it are of the last instant. */
static void
held(void)
{
	static const struct sink_ops ops = { .open = check_open, .write = seen_write, .close = check_close };
	static const struct sink_ops *const sinks[] = { &ops };
	struct feed f;
	atomic_store(&seen.n, 0);
	CHECK(feed_open(&f, &diag, NULL, ".", sinks, 1) == 0 && feed_start(&f, nthreads) == 0);
	(void)usleep(1000); /* threads sleep, or the chunk is not held back */
	for (int i = 0; i <= FLOW_RECORDS; i++) {
		feed_begin(&f);
		feed_put(&f, i < FLOW_RECORDS ? 10 * i : 10 * (i - 1), 1, 1, i);
	}
	feed_flush(&f);
	for (int i = 0; i < 10000 && atomic_load(&seen.n) < FLOW_RECORDS - 1; i++)
		(void)usleep(1000);
	CHECK(atomic_load(&seen.n) == FLOW_RECORDS - 1);
	CHECK(feed_close(&f, 10 * FLOW_RECORDS) == 0);
}

static struct {
	size_t nrecords;
	uint32_t nnotes;
} noted;

static int
noted_write(void *self, const struct batch *b)
{
	(void)self;
	for (const struct note *n = b->notes; n < b->notes + b->nnotes; n++) {
		CHECK(n->at <= b->n && noted.nrecords + n->at == (size_t)n->value);
		CHECK(n->row == noted.nnotes++);
	}
	noted.nrecords += b->n;
	return 0;
}

/* Notes stand between the records where they were added, however chunks end. */
static void
notes(void)
{
	static const struct sink_ops ops = { .open = check_open, .write = noted_write, .close = check_close };
	static const struct sink_ops *const sinks[] = { &ops };
	struct feed f;
	uint64_t x = 5;
	size_t nrecords = 0;
	uint32_t nnotes = 0;
	memset(&noted, 0, sizeof(noted));
	CHECK(feed_open(&f, &diag, NULL, ".", sinks, 1) == 0 && feed_start(&f, nthreads) == 0);
	for (int i = 0; i < 4 * FLOW_RECORDS; i++) {
		feed_begin(&f);
		for (uint64_t n = kit_below(&x, 4); n; n--, nrecords++) {
			for (uint64_t k = kit_below(&x, kit_below(&x, 5000) ? 3 : 3 * FLOW_NOTES); k; k--)
				feed_put_note(&f, &(struct note){ .time = i, .value = (int64_t)nrecords, .row = nnotes++ });
			feed_put(&f, i, 1, 1, 1);
		}
	}
	feed_put_note(&f, &(struct note){ .value = (int64_t)nrecords, .row = nnotes++ });
	CHECK(feed_close(&f, 1) == 0);
	CHECK(noted.nrecords == nrecords && noted.nnotes == nnotes);
}

static void
failures(void)
{
	struct feed f;
	/* One sink fails: the others get all, everyone is closed, the run may know. */
	kit_forget();
	kit_logs[ROW_CPU].fail_at = 10;
	CHECK(feed_open(&f, &diag, NULL, ".", kit_sinks, ROW_CLASSES) == 0 && feed_start(&f, nthreads) == 0);
	bool told = false;
	for (int i = 0; i < 30 * FLOW_RECORDS; i++) {
		feed_begin(&f);
		feed_put_both(&f, i, 1, KIT_CPU, 1, i, false);
		told = told || feed_failed(&f);
	}
	CHECK(told);
	CHECK(feed_close(&f, 7) == -ERR_WRITE);
	CHECK(kit_logs[ROW_THREAD].n == 30 * FLOW_RECORDS);
	CHECK(kit_logs[ROW_CPU].chunks == 1); /* not called again */
	CHECK(kit_logs[ROW_CPU].duration == 7 && kit_logs[ROW_THREAD].duration == 7);

	/* The second cannot be opened: the first is closed. */
	kit_forget();
	kit_logs[ROW_CPU].fail_open = true;
	CHECK(feed_open(&f, &diag, NULL, ".", kit_sinks, ROW_CLASSES) == -ERR_WRITE);
	CHECK(feed_close(&f, 8) == 0);
	CHECK(kit_logs[ROW_THREAD].duration == 8 && !kit_logs[ROW_CPU].opened);

	kit_forget();
	kit_logs[ROW_THREAD].fail_close = true;
	CHECK(feed_open(&f, &diag, NULL, ".", kit_sinks, ROW_CLASSES) == 0 && feed_start(&f, nthreads) == 0);
	CHECK(feed_close(&f, 9) == -ERR_WRITE);
	CHECK(kit_logs[ROW_CPU].duration == 9);

	f = (struct feed){ 0 };
	CHECK(feed_close(&f, 0) == 0);
	kit_forget();
}

int
main(void)
{
	for (nthreads = 0; nthreads <= 3; nthreads++) {
		order();
		long_event();
		several();
		if (nthreads)
			stages();
		idle();
		held();
		notes();
		failures();
	}
	share();
	free(want.items);
	return 0;
}
