/* SPDX-License-Identifier: MIT */
/* reuse: how many other lines of memory are accessed before a line is accessed again, and what follows from that: how often caches
 * of any size miss that keep what was used last (fully associative, least recently used).
 *
 * What a cache of N lines has are the N lines accessed last, so it misses the accesses with a distance of N or more, and
 * first ones. Distances are counted exactly, in time that grows with the logarithm of the number of lines. */
#include "lines.h"
#include "order.h"
#include "spans.h"

enum {
	STEPS = 8, /* buckets in each power of two */
	STEP_BITS = 3,
	BUCKETS = (64 - STEP_BITS + 1) * STEPS,
	LINE_MAX_BYTES = 1 << 20,
	KEEP_MIN = 16,
	KEEP_MAX = 1 << 28,
};

struct reuse {
	struct lines lines; /* values: places in the order, from 1 */
	struct order order;
	uint64_t accesses;         /* all */
	uint64_t first;            /* to lines that were not accessed before; these and */
	uint64_t buckets[BUCKETS]; /* those by distance are estimates when lines were left out */
};

static struct kit kit;
static struct spans spans;
static uint64_t keep = 1 << 22;
static uint64_t sample = 1;

/* ---- Buckets: each its own distance below 16, then 8 of the same size to the next power of two. ---- */

static unsigned
bucket_of(uint64_t distance)
{
	if (distance < STEPS)
		return (unsigned)distance;
	unsigned shift = 63 - STEP_BITS - (unsigned)__builtin_clzll(distance);
	return shift * STEPS + (unsigned)(distance >> shift);
}

/* The least distance in a bucket. */
static uint64_t
bucket_from(unsigned bucket)
{
	return bucket < STEPS ? bucket : (bucket % STEPS + UINT64_C(8)) << (bucket / STEPS - 1);
}

/* ---- Accesses. ---- */

static void
drop(void *p)
{
	struct reuse *r = p;
	lines_finish(&r->lines);
	order_finish(&r->order);
	block_free(r);
}

static void *
start(void)
{
	struct reuse *r = block_alloc(sizeof(*r));
	if (r && lines_begin(&r->lines, keep, (unsigned)__builtin_ctzll(sample)) == 0 && order_renew(&r->order, 0) == 0)
		return r;
	if (r)
		drop(r);
	return NULL;
}

static void *
copy(const void *from)
{
	const struct reuse *old = from;
	struct reuse *r = block_alloc(sizeof(*r));
	if (!r)
		return NULL;
	*r = *old;
	r->order = (struct order){ 0 };
	if (lines_copy(&r->lines, &old->lines) == 0 && order_copy(&r->order, &old->order) == 0)
		return r;
	drop(r);
	return NULL;
}

static struct kit_streams streams = { .start = start, .copy = copy };

/* Leaves half of the lines out. */
static void
halve(struct reuse *r)
{
	struct lines less = r->lines;
	less.cut++;
	for (size_t i = 0; i < less.cap; i++)
		if (less.slots[i].value && !lines_keeps(&less, lines_hash(less.slots[i].key)))
			order_leave(&r->order, (uint32_t)(less.slots[i].value - 1));
	lines_halve(&r->lines);
}

/* Gives lines places without gaps, in the same order. Returns 0, or -1 when memory is exhausted. */
static int
renew(struct reuse *r)
{
	uint32_t n = (uint32_t)r->lines.n;
	for (size_t i = 0; i < r->lines.cap; i++) {
		struct line *line = &r->lines.slots[i];
		if (line->value)
			line->value = n - order_behind(&r->order, (uint32_t)(line->value - 1));
	}
	return order_renew(&r->order, n);
}

/* The first access to a line. Returns 0, or -1 when memory is exhausted. */
static int
add(struct reuse *r, uint64_t key, uint64_t hash)
{
	int rc;
	while ((rc = lines_reserve(&r->lines)) > 0)
		halve(r);
	if (rc < 0)
		return -1;
	if (!lines_keeps(&r->lines, hash))
		return 0;
	r->first += UINT64_C(1) << r->lines.cut;
	r->lines.n++;
	*lines_slot(&r->lines, key, hash) = (struct line){ key, r->order.next + UINT64_C(1) };
	order_take(&r->order);
	return 0;
}

static int
touch(struct reuse *r, uint64_t key, uint64_t hash)
{
	r->accesses++;
	if (!lines_keeps(&r->lines, hash))
		return 0;
	if (r->order.next == r->order.cap && renew(r) < 0)
		return -1;
	struct line *line = lines_slot(&r->lines, key, hash);
	if (!line->value)
		return add(r, key, hash);
	if (line->value == r->order.next) { /* again */
		r->buckets[0] += UINT64_C(1) << r->lines.cut;
		return 0;
	}
	uint32_t place = (uint32_t)(line->value - 1);
	uint64_t distance = (uint64_t)order_behind(&r->order, place) << r->lines.cut;
	r->buckets[bucket_of(distance)] += UINT64_C(1) << r->lines.cut;
	line->value = r->order.next + UINT64_C(1);
	order_leave(&r->order, place);
	order_take(&r->order);
	return 0;
}

static int
on_mem(void *u, const struct prism_at *at, const struct prism_mem *ev)
{
	(void)u;
	struct reuse *one = kit_stream(&streams, at->stream);
	if (!one)
		return kit_no_memory(&kit);
	struct reuse *all = streams.all;
	int64_t process = spans_process(&spans, &kit, at);
	if (process < 0)
		return -1;
	uint32_t n;
	uint64_t key = spans_keys(&spans, (uint32_t)process, ev, &n);
	for (; n; n--, key++) {
		uint64_t hash = lines_hash(key);
		if (touch(one, key, hash) < 0 || (one != all && touch(all, key, hash) < 0))
			return kit_no_memory(&kit);
	}
	return 0;
}

/* ---- The report. ---- */

/* When lines were left out, there were more or fewer accesses to the others than their share: what is missing or too much is
 * counted as accesses to the line before, of which samples have too few or too many. */
static void
correct(struct reuse *r)
{
	uint64_t sum = r->first;
	for (unsigned i = 0; i < BUCKETS; i++)
		sum += r->buckets[i];
	if (sum <= r->accesses)
		r->buckets[0] += r->accesses - sum;
	else
		r->buckets[0] -= sum - r->accesses < r->buckets[0] ? sum - r->accesses : r->buckets[0];
}

/* The misses of a cache with as many lines as the least distance in a bucket. */
static uint64_t
misses_from(const struct reuse *r, unsigned bucket)
{
	uint64_t n = r->first;
	for (unsigned i = bucket; i < BUCKETS; i++)
		n += r->buckets[i];
	return n;
}

static double
ratio(uint64_t n, uint64_t of)
{
	return of ? (double)n / (double)of : 0;
}

static void
put_table(const struct reuse *r, const char *stream)
{
	struct wbuf *w = &kit.out;
	wbuf_printf(w, "\n%s%s", stream ? "stream " : "all streams", stream ? stream : "");
	wbuf_printf(w, ": %" PRIu64 " accesses, %" PRIu64 " lines, first accesses %" PRIu64, r->accesses, (uint64_t)r->lines.n << r->lines.cut, r->first);
	if (r->lines.cut)
		wbuf_printf(w, " (estimated by one line of %" PRIu64 ")", UINT64_C(1) << r->lines.cut);
	wbuf_printf(w, "\n%14s %14s %14s %14s %10s\n", "cache bytes", "lines", "reused", "misses", "miss ratio");
	uint64_t rest = UINT64_MAX;
	for (uint64_t size = 1; rest > r->first && size >> 56 == 0; size *= 2) {
		uint64_t before = size > 1 ? rest : r->accesses;
		rest = misses_from(r, bucket_of(size));
		wbuf_printf(w, "%14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %10.4f\n", size << spans.shift, size, before > rest ? before - rest : 0, rest,
			ratio(rest, r->accesses));
	}
}

static void
put_json(const struct reuse *r, const char *stream)
{
	struct wbuf *w = &kit.out;
	json_open(w, NULL, '{');
	json_key(w, "stream");
	put_str(w, stream ? stream : "null");
	json_u64(w, "accesses", r->accesses);
	json_u64(w, "lines", (uint64_t)r->lines.n << r->lines.cut);
	json_u64(w, "first", r->first);
	json_u64(w, "sample", UINT64_C(1) << r->lines.cut);
	json_open(w, "distances", '[');
	unsigned last = 0;
	for (unsigned i = 0; i < BUCKETS; i++) {
		if (!r->buckets[i])
			continue;
		last = i + 1;
		json_open(w, NULL, '{');
		json_u64(w, "from", bucket_from(i));
		json_u64(w, "to", bucket_from(i + 1) - 1);
		json_u64(w, "accesses", r->buckets[i]);
		json_close(w, '}');
	}
	json_close(w, ']');
	json_open(w, "misses", '[');
	uint64_t misses = misses_from(r, 1);
	for (unsigned i = 1; i <= last; misses -= i < BUCKETS ? r->buckets[i] : 0, i++) {
		json_open(w, NULL, '{');
		json_u64(w, "lines", bucket_from(i));
		json_u64(w, "misses", misses);
		json_key(w, "ratio");
		wbuf_printf(w, "%.6f", ratio(misses, r->accesses));
		json_close(w, '}');
	}
	json_close(w, ']');
	json_close(w, '}');
}

static void
put(void *p, const char *stream)
{
	struct reuse *r = p;
	correct(r);
	if (kit.json)
		put_json(r, stream);
	else
		put_table(r, stream);
}

static int
finish(void *u)
{
	(void)u;
	if (kit.json) {
		kit_open_json(&kit, "reuse");
		json_u64(&kit.out, "line", UINT64_C(1) << spans.shift);
		json_open(&kit.out, "streams", '[');
	} else {
		wbuf_printf(&kit.out, "reuse distances of lines of %" PRIu64 " bytes, and caches that keep what was used last\n", UINT64_C(1) << spans.shift);
	}
	kit_put_streams(&streams, put);
	if (kit.json) {
		json_close(&kit.out, ']');
		kit_close_json(&kit);
	}
	return kit_finish(&kit);
}

KIT_RELEASE
release(void)
{
	kit_finish_streams(&streams, drop);
	spans_finish(&spans);
	kit_release(&kit);
}

static int
begin(void *u, struct prism_run *r)
{
	(void)u;
	uint64_t line = 64;
	if (kit_begin(&kit, r) < 0 || kit_power(&kit, "line", LINE_MAX_BYTES, &line) < 0 || kit_power(&kit, "sample", LINES_SAMPLE_MAX, &sample) < 0 ||
		prism_argument_number(r, "keep", KEEP_MIN, KEEP_MAX, &keep) < 0)
		return -1;
	spans.shift = (unsigned)__builtin_ctzll(line);
	return kit_open(&kit);
}

const struct prism_hooks prism_tool = {
	PRISM_HOOKS_HEAD,
	.name = "reuse",
	.needs = { .mem = PRISM_HAS_ADDR },
	.begin = begin,
	.mem = on_mem,
	.finish = finish,
};
