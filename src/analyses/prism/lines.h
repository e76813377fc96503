/* SPDX-License-Identifier: MIT */
#ifndef ANALYSES_LINES_H
#define ANALYSES_LINES_H

/* lines: a table of lines of memory, with a value each, that has a bounded size.
 *
 * Lines are chosen by a hash of their key: while there are few, all of them. When there are more than may be kept, half of
 * the hashes are left out from then on, and the lines that have them; each of the others stands for twice as many. The
 * choice depends on addresses alone, so a line that is kept is seen at all of its accesses: distances and counts of lines
 * are those of all, divided by how many each stands for (as in "Efficient MRC construction with SHARDS", FAST 2015). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
	uint64_t key;
	uint64_t value; /* 0: the slot is free */
};

struct lines {
	struct line *slots;
	size_t cap;   /* a power of two */
	size_t n;     /* lines that are kept */
	size_t most;  /* that may be */
	unsigned cut; /* each stands for 1 << cut */
};

enum {
	LINES_CUT_MAX = 40,
	LINES_SAMPLE_MAX = 1 << 20,
};

static inline uint64_t
lines_hash(uint64_t key)
{
	key ^= key >> 32;
	key *= UINT64_C(0xd6e8feb86659fd93);
	key ^= key >> 32;
	key *= UINT64_C(0xd6e8feb86659fd93);
	return key ^ key >> 32;
}

/* Whether lines with this hash are kept. */
static inline bool
lines_keeps(const struct lines *l, uint64_t hash)
{
	return hash >> (63 - l->cut) >> 1 == 0;
}

/* The slot of a key with this hash, or the free one where it would be. The table must not be empty. */
static inline struct line *
lines_slot(const struct lines *l, uint64_t key, uint64_t hash)
{
	size_t i = hash & (l->cap - 1);
	while (l->slots[i].value && l->slots[i].key != key)
		i = (i + 1) & (l->cap - 1);
	return &l->slots[i];
}

/* Keeps at most so many lines; each stands for 1 << cut from the beginning. Returns 0, or -1 when memory is exhausted. */
int lines_begin(struct lines *l, size_t most, unsigned cut);

/* Makes sure that there is a slot for one more: the table may grow, then slots move. Returns 0; 1 when half of the hashes are
 * to be left out first, with lines_halve(); -1 when memory is exhausted. */
int lines_reserve(struct lines *l);

/* Leaves half of the hashes out. */
void lines_halve(struct lines *l);

/* Removes what is in a slot; others may move. */
void lines_remove(struct lines *l, struct line *slot);

/* Makes a copy of its own. Returns 0, or -1 when memory is exhausted. */
int lines_copy(struct lines *to, const struct lines *from);

/* Accepts a zeroed one. */
void lines_finish(struct lines *l);

#endif
