/* SPDX-License-Identifier: MIT */
#include "collate.h"

#include "arena.h"

/* ---- Order. ---- */

static inline uint64_t
key_of(int64_t base, int64_t time, uint32_t part)
{
	uint64_t ahead = time < base ? 0 : (uint64_t)time - (uint64_t)base;
	return (ahead < (uint64_t)COLLATE_SPAN_MAX * 2 ? ahead << COLLATE_PART_BITS : COLLATE_FAR) | part;
}

uint64_t
collate_key(int64_t base, int64_t time, uint32_t part)
{
	return key_of(base, time, part);
}

/* The end of the records that stand before the next note. */
static inline const struct record *
end_of_records(const struct collate_source *s)
{
	return __builtin_expect(s->note < s->notes_end, 0) ? s->own + s->note->at : s->end;
}

/* The key of the next record, or note. */
static uint64_t
next_key(const struct collate_source *s, int64_t since, uint32_t part)
{
	if (__builtin_expect(s->r < end_of_records(s), 1))
		return key_of(since, s->r->time, part);
	return s->note < s->notes_end ? key_of(since, s->note->time, part) : UINT64_MAX;
}

const struct record *
collate_find_time(const struct record *r, const struct record *end, int64_t time)
{
	while (r < end) {
		const struct record *middle = r + (end - r) / 2;
		if (middle->time < time)
			r = middle + 1;
		else
			end = middle;
	}
	return r;
}

/* ---- A tree of losers, as in merge.c. ---- */

static uint64_t
play(struct collation *c, int64_t since, uint32_t node)
{
	if (node >= c->nleaves)
		return node - c->nleaves < c->n ? next_key(&c->of[node - c->nleaves], since, node - c->nleaves) : UINT64_MAX;
	uint64_t a = play(c, since, node * 2);
	uint64_t b = play(c, since, node * 2 + 1);
	c->losers[node] = a < b ? b : a;
	return a < b ? a : b;
}

/* Puts the new key of a part in its place. Returns the lowest of all. */
static inline uint64_t
replay(uint64_t *restrict losers, uint32_t node, uint64_t key)
{
	for (; node >= 1; node /= 2) {
		uint64_t other = losers[node];
		uint64_t best = other < key ? other : key;
		losers[node] = other ^ key ^ best;
		key = best;
	}
	return key;
}

/* Appends a part's records of an instant, which follow each other, or a note. Returns its next key. */
static inline uint64_t
append(struct collate_source *s, struct feed *to, int64_t since, uint32_t part)
{
	const struct record *end = end_of_records(s);
	if (__builtin_expect(s->r < end, 1)) {
		s->r = feed_append(to, s->r, end);
		if (__builtin_expect(s->r < end, 1))
			return key_of(since, s->r->time, part);
	} else {
		feed_put_note(to, s->note++);
	}
	return next_key(s, since, part);
}

/* Joins two parts, if no other one has records, which needs no tree; some of the second one, or of the first, are left. */
static void
collate_two(struct collation *c, struct feed *to)
{
	struct collate_source *two[2];
	uint32_t n = 0;
	for (struct collate_source *s = c->of; s < c->of + c->n && n <= 2; s++) {
		n += s->note < s->notes_end ? 3 : 0;
		if (s->r == s->end)
			continue;
		if (n < 2)
			two[n] = s;
		n++;
	}
	if (n == 2)
		feed_append_two(to, &two[0]->r, two[0]->end, &two[1]->r, two[1]->end);
}

void
collate_run(struct collation *c, struct feed *to, int64_t since)
{
	collate_two(c, to);
	const uint32_t nleaves = c->nleaves;
	uint64_t key = play(c, since, 1);
	while (key != UINT64_MAX) {
		uint32_t i = (uint32_t)(key & COLLATE_PART_MASK);
		key = replay(c->losers, (i + nleaves) / 2, append(&c->of[i], to, since, i));
	}
}

/* ---- Life. ---- */

int
collate_init(struct collation *c, uint32_t n)
{
	*c = (struct collation){ .n = n, .nleaves = 1 };
	while (c->nleaves < n)
		c->nleaves *= 2;
	c->losers = block_alloc(c->nleaves * sizeof(*c->losers));
	c->of = block_alloc(n * sizeof(*c->of));
	return c->losers && c->of ? 0 : -ERR_MEMORY;
}

void
collate_finish(struct collation *c)
{
	block_free(c->losers);
	block_free(c->of);
}
