/* SPDX-License-Identifier: MIT */
#ifndef SORTWIN_H
#define SORTWIN_H

/* sortwin: the last events of a stream, which can still be sorted.
 *
 * Events have numbers, from 0 in the order in which they were added; sorting gives them
 * others. Their bytes are in blocks, in the order of the numbers; a block is used again once
 * all of its events were dropped. So memory is that of the events that are kept, and as much
 * again and two keys for each event that is sorted. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sortwin_block;

struct sortwin_key {
	int64_t clock;
	const uint8_t *event;
};

struct sortwin {
	uint64_t head; /* number of the next event, so how many there were */
	uint64_t tail; /* number of the oldest one that is kept */
	size_t block;  /* bytes of a block, a power of two; 0: as for one stream at a time */

	const uint8_t **ring; /* an event is at its number & mask */
	uint64_t mask;
	struct sortwin_block *first; /* oldest */
	struct sortwin_block *last;
	struct sortwin_block *spare;
	/* Scratch, to sort. */
	struct sortwin_key *keys;
	size_t nkeys;
	uint8_t *bytes;
	size_t nbytes;
};

/* Takes a zeroed struct, or one that was used: the memory is used again. */
void sortwin_init(struct sortwin *w);
void sortwin_finish(struct sortwin *w);

/* Whether room for an event of that size takes more memory: it is time to drop some. */
bool sortwin_full(const struct sortwin *w, uint64_t size);

/* Room for events, at least one of `size` bytes: *room bytes from the result on, and
 * *slots events. NULL when memory is exhausted. */
uint8_t *sortwin_reserve(struct sortwin *w, uint64_t size, size_t *room, uint64_t *slots);

/* Another event, which is at p in that room. */
static inline void
sortwin_push(struct sortwin *w, const uint8_t *p)
{
	w->ring[w->head++ & w->mask] = p;
}

/* n bytes of the room have been filled with events. */
void sortwin_commit(struct sortwin *w, size_t n);

static inline const uint8_t *
sortwin_event(const struct sortwin *w, uint64_t number)
{
	return w->ring[number & w->mask];
}

static inline int64_t
sortwin_clock(const struct sortwin *w, uint64_t number)
{
	int64_t clock;
	__builtin_memcpy(&clock, sortwin_event(w, number) + 4, sizeof(clock));
	return clock;
}

/* The bytes of events from number *from on: of all before `to`, or of some. Sets *n to how
 * many bytes, and *from to the number behind. */
const uint8_t *sortwin_bytes(const struct sortwin *w, uint64_t *from, uint64_t to, size_t *n);

/* The events before that number are not asked for any more. */
void sortwin_drop(struct sortwin *w, uint64_t number);

enum sortwin_result {
	SORTWIN_OK,
	SORTWIN_NEGATIVE, /* there is a negative clock: nothing was done */
	SORTWIN_MEMORY,
};

/* Sorts the events from that number to the last one by clock; equal ones keep their order.
 * *moved: how many numbers have another event now. */
enum sortwin_result sortwin_sort(struct sortwin *w, uint64_t from, uint64_t *moved);

#endif
