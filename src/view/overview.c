/* SPDX-License-Identifier: MIT */
#include "overview.h"

#include <stdlib.h>
#include <string.h>

enum {
	TRACKS_MAX = 1 << 18,
	RUNS_LOW = 1 << 14, /* of all tracks, or a part of those that were ever made: what is cheap beside the trace itself */
	RUNS_SHARE = 2,
	FIRST_RUNS = 4,
	SHIFT_MAX = 62,
	VERSION = 1,
	SHARE_ALL = 255,
	SHARE_SHIFT = 8, /* bits of it */
	LEB_MAX = 10,
};

static const char magic[] = { 'o', 'P', 'Y', 'R' };

bool
overview_init(struct overview *o, uint32_t n, uint64_t begin, unsigned shift)
{
	*o = (struct overview){ .ntracks = n, .begin = begin, .shift = shift };
	o->tracks = arena_new(&o->arena, struct overview_track *, n);
	o->spare = arena_new(&o->arena, struct overview_run, OVERVIEW_BUCKETS);
	return o->tracks && o->spare;
}

/* Frees the runs. */
static void
drop(struct overview *o)
{
	for (uint32_t i = 0; o->tracks && i < o->ntracks; i++) {
		struct overview_track *t = o->tracks[i];
		if (!t)
			continue;
		block_free(t->runs);
		t->end = UINT64_MAX; /* it goes on to be shown, and does nothing */
		o->tracks[i] = NULL;
	}
	o->dropped = true;
}

void
overview_finish(struct overview *o)
{
	drop(o);
	arena_finish(&o->arena);
	*o = (struct overview){ 0 };
}

struct overview_track *
overview_add(struct overview *o, uint32_t track, uint16_t storage, uint16_t slot, uint16_t field)
{
	if (o->dropped || o->tracks[track])
		return o->tracks[track];
	struct overview_track *t = o->nadded < TRACKS_MAX ? arena_new(&o->arena, struct overview_track, 1) : NULL;
	o->no_memory = !t && o->nadded < TRACKS_MAX;
	o->nadded++;
	if (!t) {
		drop(o);
		return NULL;
	}
	t->place = (uint64_t)storage << 32 | (uint64_t)slot << 16 | field;
	t->since = o->begin;
	t->end = o->begin + (UINT64_C(1) << o->shift);
	o->tracks[track] = t;
	return t;
}

/* ---- Runs. ---- */

/* Gives the array of runs another length. Returns false, and drops all, if there is no memory for it. */
static bool
resize(struct overview *o, struct overview_track *t, uint32_t cap)
{
	struct overview_run *runs = block_resize(t->runs, cap * sizeof(*runs));
	if (!runs) {
		o->no_memory = true;
		drop(o);
		return false;
	}
	t->runs = runs;
	t->cap = cap;
	return true;
}

/* Adds buckets up to `end` to the runs. */
static void
put_run(struct overview_run *runs, uint32_t *nruns, uint32_t first, uint32_t end, uint64_t value, uint64_t time)
{
	uint32_t n = *nruns;
	if (first < end && (n == 0 || runs[n - 1].value != value || runs[n - 1].time != time))
		runs[(*nruns)++] = (struct overview_run){ time, value, first };
}

/* Makes one bucket of two. */
static void
put_pair(struct overview_run *runs, uint32_t *nruns, uint32_t at, const struct overview_run *a, const struct overview_run *b)
{
	const struct overview_run *more = b->time > a->time ? b : a;
	put_run(runs, nruns, at, at + 1, more->value, a->value == b->value ? a->time + b->time : more->time);
}

/* Counts time of a value in the present bucket. Of two in a slot the one with less time is forgotten. */
static void
count(struct overview_track *t, uint64_t value, uint64_t time)
{
	struct overview_slot *s = &t->slots[value % OVERVIEW_SLOTS];
	t->used = t->used || (value && time);
	t->counted = true;
	if (s->value == value)
		s->time += time;
	else if (time > s->time)
		*s = (struct overview_slot){ value, time };
}

/* Makes the buckets of a track twice as long. The last one of an odd number becomes part of the present one. */
static bool
double_track(struct overview *o, struct overview_track *t)
{
	struct overview_run *to = o->spare;
	struct overview_run half = { 0 };
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->nruns; i++) {
		const struct overview_run run = t->runs[i];
		uint32_t end = i + 1 < t->nruns ? t->runs[i + 1].first : t->nbuckets;
		if (run.first % 2)
			put_pair(to, &n, run.first / 2, &half, &run);
		put_run(to, &n, (run.first + 1) / 2, end / 2, run.value, 2 * run.time);
		half = run;
	}
	if (t->nbuckets % 2)
		count(t, half.value, half.time);
	t->nbuckets /= 2;
	o->nruns += n;
	o->nruns -= t->nruns;
	t->nruns = n;
	t->end = o->begin + (((uint64_t)t->nbuckets + 1) << o->shift);
	bool fits = n <= t->cap && (t->cap <= FIRST_RUNS || n > t->cap / 4);
	if (!fits && !resize(o, t, 2 * n > FIRST_RUNS ? 2 * n : FIRST_RUNS))
		return false;
	if (n)
		memcpy(t->runs, to, n * sizeof(*to));
	return true;
}

/* Makes all buckets twice as long. false: it cannot be done. */
static bool
double_all(struct overview *o)
{
	if (o->shift == SHIFT_MAX) {
		drop(o);
		return false;
	}
	o->shift++;
	for (uint32_t i = 0; i < o->ntracks; i++)
		if (o->tracks[i] && !double_track(o, o->tracks[i]))
			return false;
	return true;
}

/* Returns what was there for the longest time of the present bucket. */
static const struct overview_slot *
longest(const struct overview_track *t)
{
	const struct overview_slot *best = t->slots;
	for (const struct overview_slot *s = best; s < t->slots + OVERVIEW_SLOTS; s++)
		best = s->time > best->time ? s : best;
	return best;
}

/* Ends the present bucket, mostly of `value` for so long, and those behind it, all of `shown`, before that of a time. */
static bool
put_buckets(struct overview *o, struct overview_track *t, uint64_t value, uint64_t length, uint64_t shown, uint64_t time)
{
	uint32_t at = (uint32_t)((time - o->begin) >> o->shift);
	if ((!t->runs || t->nruns + 2 > t->cap) && !resize(o, t, t->cap ? 2 * t->cap : FIRST_RUNS))
		return false;
	uint32_t before = t->nruns;
	put_run(t->runs, &t->nruns, t->nbuckets, t->nbuckets + 1, value, length);
	put_run(t->runs, &t->nruns, t->nbuckets + 1, at, shown, UINT64_C(1) << o->shift);
	o->nruns += t->nruns - before;
	o->nturns += t->nruns - before;
	t->nbuckets = at;
	t->since = o->begin + ((uint64_t)at << o->shift);
	t->end = t->since + (UINT64_C(1) << o->shift);
	return true;
}

/* The same by what was counted. */
static bool
put_counted(struct overview *o, struct overview_track *t, uint64_t shown, uint64_t time)
{
	const struct overview_slot *best = longest(t);
	if (!put_buckets(o, t, best->value, best->time, shown, time))
		return false;
	for (uint32_t i = 0; i < OVERVIEW_SLOTS; i++)
		t->slots[i].time = 0;
	t->counted = false;
	return true;
}

/* Whether there are more runs than make sense; each track may have two. */
static bool
is_full(const struct overview *o)
{
	size_t most = o->nturns / RUNS_SHARE;
	most = most > RUNS_LOW ? most : RUNS_LOW;
	return o->nruns > most + 2 * (size_t)o->nadded;
}

void
overview_reach(struct overview *o, uint64_t time)
{
	while (!o->dropped && ((time - o->begin) >> o->shift >= OVERVIEW_BUCKETS || is_full(o)))
		(void)double_all(o);
}

void
overview_count(struct overview_track *t, uint64_t value, uint64_t time)
{
	count(t, value, time);
	t->since += time;
}

void
overview_end(struct overview *o, struct overview_track *t, uint64_t value, uint64_t length, uint64_t shown, uint64_t time)
{
	if (t->counted) {
		count(t, value, length);
		(void)put_counted(o, t, shown, time);
		return;
	}
	(void)put_buckets(o, t, value, length, shown, time);
}

void
overview_turn(struct overview *o, struct overview_track *t, uint64_t value, uint64_t time)
{
	if (time < t->since)
		time = t->since;
	overview_reach(o, time);
	if (o->dropped)
		return;
	if (time >= t->end) {
		count(t, t->shown, t->end - t->since);
		if (!put_counted(o, t, t->shown, time))
			return;
	}
	count(t, t->shown, time - t->since);
	t->since = time;
	t->shown = value;
}

/* ---- The bytes. ---- */

struct bytes {
	uint8_t *p;
	uint8_t *end;
};

static bool
put(struct bytes *b, uint64_t v)
{
	if (b->end - b->p < LEB_MAX)
		return false;
	for (; v >= 0x80; v >>= 7)
		*b->p++ = (uint8_t)(v | 0x80);
	*b->p++ = (uint8_t)v;
	return true;
}

/* The part that a time is of a bucket, rounded down. */
static uint8_t
share_of(uint64_t time, uint64_t length)
{
	if (time >= length)
		return SHARE_ALL;
	while (length >> (64 - SHARE_SHIFT)) {
		length = length / 2 + 1;
		time /= 2;
	}
	return (uint8_t)(time * SHARE_ALL / length);
}

/* A run as it is written, up to the next that is not equal. */
struct pending {
	uint32_t n;
	uint64_t value;
	uint8_t share;
};

static bool
flush(struct bytes *b, const struct pending *p)
{
	if (p->n == 0)
		return true;
	if (!put(b, p->n) || !put(b, p->value) || b->p == b->end)
		return false;
	*b->p++ = p->share;
	return true;
}

static bool
add(struct bytes *b, struct pending *p, uint32_t n, uint64_t value, uint8_t share)
{
	if (p->value == value && p->share == share) {
		p->n += n;
		return true;
	}
	bool good = flush(b, p);
	*p = (struct pending){ n, value, share };
	return good;
}

/* Puts a track, whose time is counted up to `end`. */
static bool
put_track(const struct overview *o, const struct overview_track *t, struct bytes *b, uint64_t end, uint32_t nbuckets)
{
	uint64_t bucket = UINT64_C(1) << o->shift;
	struct pending p = { 0 };
	bool good = put(b, t->place >> 32) && put(b, t->place >> 16 & 0xffff) && put(b, t->place & 0xffff);
	for (uint32_t i = 0; i < t->nruns && good; i++) {
		const struct overview_run *run = &t->runs[i];
		uint32_t next = i + 1 < t->nruns ? run[1].first : t->nbuckets;
		good = add(b, &p, next - run->first, run->value, share_of(run->time, bucket));
	}
	const struct overview_slot *best = longest(t);
	if (t->nbuckets < nbuckets && good)
		good = add(b, &p, 1, best->time ? best->value : t->shown, share_of(best->time, end - (t->end - bucket)));
	return good && flush(b, &p);
}

static bool
put_all(const struct overview *o, struct overview_track *const *tracks, uint32_t n, struct bytes *b, uint64_t end, uint64_t tick)
{
	uint64_t length = (end - o->begin + ((UINT64_C(1) << o->shift) - 1)) >> o->shift;
	uint32_t nbuckets = length ? (uint32_t)length : 1;
	if ((size_t)(b->end - b->p) < sizeof(magic))
		return false;
	memcpy(b->p, magic, sizeof(magic));
	b->p += sizeof(magic);
	bool good = put(b, VERSION) && put(b, o->begin * tick) && put(b, tick << o->shift) && put(b, nbuckets) && put(b, n);
	for (uint32_t i = 0; i < n && good; i++)
		good = put_track(o, tracks[i], b, end, nbuckets);
	return good;
}

static int
by_place(const void *a, const void *b)
{
	uint64_t x = (*(struct overview_track *const *)a)->place;
	uint64_t y = (*(struct overview_track *const *)b)->place;
	return (x > y) - (x < y);
}

/* Collects the tracks that showed something, in the order of their places. */
static uint32_t
collect(struct overview *o, struct overview_track **to, uint64_t end)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < o->ntracks; i++) {
		struct overview_track *t = o->tracks[i];
		if (!t)
			continue;
		overview_turn(o, t, t->shown, end);
		if (o->dropped)
			return 0;
		if (t->used)
			to[n++] = t;
	}
	if (n)
		qsort(to, n, sizeof(struct overview_track *), by_place);
	return n;
}

const uint8_t *
overview_bytes(struct overview *o, uint64_t end, uint64_t tick, size_t most, size_t *n)
{
	struct overview_track **tracks = arena_new(&o->arena, struct overview_track *, o->ntracks);
	uint8_t *buf = arena_alloc(&o->arena, most, 1);
	o->no_memory = o->no_memory || !tracks || !buf;
	if (o->no_memory || o->dropped)
		return NULL;
	end = end > o->begin ? end : o->begin;
	uint32_t ntracks = collect(o, tracks, end);
	struct bytes b = { buf, buf + most };
	while (!o->dropped && !put_all(o, tracks, ntracks, &b, end, tick)) {
		if (end - o->begin <= UINT64_C(1) << o->shift || !double_all(o))
			return NULL;
		b.p = buf;
	}
	*n = (size_t)(b.p - buf);
	return o->dropped ? NULL : buf;
}
