/* SPDX-License-Identifier: MIT */
/* The pyramid of a page against a naive twin, which keeps all that was shown: no share is too large, and where the buckets
 * that became one had the same value, value and share are exact. */
#include "overview.h"

#include "kit.h"

#include <string.h>

enum {
	TRACKS = 5,
	SHOWN_MAX = 400, /* of a track */
	VALUES_MAX = 40,
	SOME = 16, /* of so many buckets one is looked at closely */
	SLOT = 3,
};

struct shown {
	uint64_t time;
	uint32_t value;
};

static struct shown all[TRACKS][SHOWN_MAX];
static uint32_t nshown[TRACKS];

/* How long the track showed the value in [from, to). */
static uint64_t
time_of(uint32_t track, uint32_t value, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;
	uint32_t low = 0; /* values that were shown up to `from` */
	for (uint32_t high = nshown[track]; low < high;) {
		uint32_t mid = (low + high) / 2;
		if (all[track][mid].time <= from)
			low = mid + 1;
		else
			high = mid;
	}
	for (uint32_t i = low; from < to; i++) {
		uint32_t now = i ? all[track][i - 1].value : 0;
		uint64_t end = i < nshown[track] && all[track][i].time < to ? all[track][i].time : to;
		sum += now == value ? end - from : 0;
		from = end;
	}
	return sum;
}

/* What was there for the longest time of [from, to). *sure: it alone, and all values have slots of their own. */
static uint32_t
longest_of(uint32_t track, uint64_t from, uint64_t to, bool *sure)
{
	uint32_t best = 0;
	bool taken[OVERVIEW_SLOTS] = { false };
	bool alone = true;
	uint64_t most = 0;
	*sure = true;
	for (uint32_t value = 0; value < VALUES_MAX; value++) {
		uint64_t time = time_of(track, value, from, to);
		alone = alone && !(time && taken[value % OVERVIEW_SLOTS]);
		taken[value % OVERVIEW_SLOTS] |= time > 0;
		if (time == most && most)
			*sure = false;
		if (time > most) {
			*sure = true;
			most = time;
			best = value;
		}
	}
	*sure = *sure && alone;
	return best;
}

/* Looks at all buckets of the first length in [from, to): whether they have the same value for longest, and the longest time that one
 * of them has a value for. */
static bool
is_exact(uint32_t track, uint64_t from, uint64_t to, uint64_t first, uint64_t *least)
{
	bool sure;
	uint32_t value = longest_of(track, from, to, &sure);
	bool apart = sure;
	*least = 0;
	for (uint64_t at = from; at < to; at += first) {
		uint64_t end = at + first < to ? at + first : to;
		bool known;
		uint32_t now = longest_of(track, at, end, &known);
		uint64_t time = time_of(track, now, at, end);
		*least = time > *least ? time : *least;
		sure = sure && known && now == value;
	}
	*least = apart ? *least : 0;
	return sure;
}

static uint64_t
number(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;
	do
		v |= (uint64_t)(**p & 0x7f) << shift;
	while (shift += 7, *(*p)++ & 0x80);
	return v;
}

struct counts {
	unsigned exact;
	unsigned buckets;
	unsigned left_out;
};

/* Compares the runs of a track. Returns their end. */
static const uint8_t *
check_track(const uint8_t *p, uint32_t track, uint64_t begin, uint64_t end, uint64_t bucket, uint64_t nbuckets, uint64_t first, struct counts *counts)
{
	for (uint64_t i = 0; i < nbuckets;) {
		uint64_t run = number(&p);
		uint32_t value = (uint32_t)number(&p);
		uint8_t share = *p++;
		CHECK(run > 0 && run <= nbuckets - i && value < VALUES_MAX);
		for (; run > 0; run--, i++) {
			uint64_t from = begin + i * bucket;
			uint64_t to = from + bucket < end ? from + bucket : end;
			uint64_t length = to - from;
			uint64_t time = length ? time_of(track, value, from, to) * 255 / length : 255;
			CHECK(share <= time);
			counts->buckets++;
			uint64_t least;
			if (!length || counts->buckets % SOME || bucket / first > 64)
				continue;
			bool exact = is_exact(track, from, to, first, &least);
			CHECK(share >= least * 255 / length);
			if (!exact)
				continue;
			bool sure;
			CHECK(value == longest_of(track, from, to, &sure));
			CHECK(share == time);
			counts->exact++;
		}
	}
	return p;
}

static void
check_bytes(struct overview *o, uint64_t begin, uint64_t end, uint64_t tick, size_t most, uint64_t first, struct counts *counts)
{
	size_t n;
	const uint8_t *p = overview_bytes(o, end, tick, most, &n);
	if (!p) {
		counts->left_out++;
		CHECK(most < 1000);
		return;
	}
	const uint8_t *stop = p + n;
	CHECK(n <= most && memcmp(p, "oPYR", 4) == 0);
	p += 4;
	CHECK(number(&p) == 1 && number(&p) == begin * tick);
	uint64_t bucket = number(&p) / tick;
	uint64_t nbuckets = number(&p);
	CHECK(nbuckets && nbuckets <= OVERVIEW_BUCKETS && bucket * nbuckets >= end - begin);
	CHECK(end == begin || bucket * (nbuckets - 1) < end - begin);
	uint64_t ntracks = number(&p);
	uint32_t next = 0;
	for (uint64_t i = 0; i < ntracks; i++, next++) {
		uint64_t storage = number(&p);
		CHECK(number(&p) == SLOT && number(&p) == 7);
		/* One that is left out showed nothing. */
		for (; next < storage; next++)
			CHECK(time_of(next, 0, begin, end) == end - begin);
		CHECK(next == storage);
		p = check_track(p, next, begin, end, bucket, nbuckets, first, counts);
	}
	for (; next < TRACKS; next++)
		CHECK(time_of(next, 0, begin, end) == end - begin);
	CHECK(p == stop);
}

/* What a track showed in the present bucket, counted here in place of by overview_show(). */
static struct own {
	uint64_t times[VALUES_MAX];
	uint64_t since;
	uint32_t value;
} owns[TRACKS];

static void
count_own(struct overview *o, struct overview_track *t, struct own *own, uint32_t value, uint64_t time)
{
	overview_reach(o, time);
	uint64_t at = o->begin + ((time - o->begin) >> o->shift << o->shift);
	if (own->since < at) {
		uint64_t length = UINT64_C(1) << o->shift;
		uint32_t best = own->value;
		own->times[own->value] += o->begin + (((own->since - o->begin) >> o->shift) + 1) * length - own->since;
		for (uint32_t i = 0; i < VALUES_MAX; i++) {
			t->used = t->used || (i && own->times[i]);
			if (t->counted)
				overview_count(t, i, own->times[i]);
			else if (own->times[i] > own->times[best])
				best = i;
		}
		overview_end(o, t, best, t->counted ? 0 : own->times[best], own->value, at);
		t->used = t->used || own->value;
		memset(own->times, 0, sizeof(own->times));
		own->since = at;
	}
	own->times[own->value] += time - own->since;
	own->since = time;
	own->value = value;
}

static void
count_rest(struct overview *o, struct overview_track **tracks, uint64_t end)
{
	for (uint32_t track = 0; track < TRACKS; track++) {
		count_own(o, tracks[track], &owns[track], 0, end);
		for (uint32_t i = 0; i < VALUES_MAX; i++)
			overview_count(tracks[track], i, owns[track].times[i]);
	}
}

static void
round_of(uint64_t *r, struct counts *counts)
{
	struct overview o;
	struct overview_track *tracks[TRACKS];
	uint64_t begin = kit_below(r, 3) ? 0 : kit_below(r, 1000000);
	unsigned shift = kit_below(r, 2) ? 0 : (unsigned)kit_below(r, 6);
	uint64_t values = 1 + kit_below(r, kit_below(r, 3) ? 5 : VALUES_MAX);
	uint64_t step = UINT64_C(1) << kit_below(r, 14);
	uint64_t time = begin;
	bool own = kit_below(r, 2);
	CHECK(overview_init(&o, TRACKS, begin, shift));
	memset(nshown, 0, sizeof(nshown));
	memset(owns, 0, sizeof(owns));
	for (uint32_t i = 0; i < TRACKS; i++)
		owns[i].since = begin;
	for (uint32_t i = 0; i < TRACKS; i++)
		tracks[TRACKS - 1 - i] = overview_add(&o, TRACKS - 1 - i, (uint16_t)(TRACKS - 1 - i), SLOT, 7);
	for (uint64_t n = kit_below(r, (TRACKS - 1) * SHOWN_MAX); n > 0; n--) {
		uint32_t track = (uint32_t)kit_below(r, TRACKS - 1); /* the last one shows nothing */
		time += kit_below(r, 4) ? kit_below(r, step) : kit_below(r, 40) ? 0
										: kit_below(r, 100 * step);
		if (nshown[track] == SHOWN_MAX)
			continue;
		struct shown s = { time, (uint32_t)kit_below(r, values) };
		if (own)
			count_own(&o, tracks[track], &owns[track], s.value, s.time);
		else
			overview_show(&o, tracks[track], s.value, s.time);
		if (nshown[track] && all[track][nshown[track] - 1].time == time)
			nshown[track]--;
		all[track][nshown[track]++] = s;
	}
	uint64_t end = time + kit_below(r, step);
	if (own)
		count_rest(&o, tracks, end);
	size_t most = kit_below(r, 3) ? 1 << 20 : 300 + kit_below(r, 3000);
	check_bytes(&o, begin, end, 1 + kit_below(r, 2) * 999, most, UINT64_C(1) << shift, counts);
	overview_finish(&o);
}

int
main(int argc, char **argv)
{
	uint64_t x = kit_seed(argc, argv);
	double end = kit_now() + 2.0 / check_share();
	struct counts counts = { 0 };
	long rounds = 0;
	do
		round_of(&x, &counts);
	while (rounds++ < 2000 && kit_now() < end);
	(void)printf("%ld rounds, %u buckets, %u exact, %u left out\n", rounds, counts.buckets, counts.exact, counts.left_out);
	CHECK(counts.exact > 0);
	return 0;
}
