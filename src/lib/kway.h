/* SPDX-License-Identifier: MIT */
#ifndef KWAY_H
#define KWAY_H

/* kway: a merge of many sorted sequences into one, for the tools and the libraries of formats.
 *
 * A binary heap holds one key a sequence: the time of its next item and, where times are equal,
 * its rank. The caller takes the item of the key on top, reads the next one of that sequence,
 * and says so with kway_replace() or kway_pop(). The emulator has a faster one of its own
 * (trace/merge.h). Memory is the caller's. Header only: libraries need nothing to link. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kway_key {
	uint64_t time;
	uint32_t rank; /* unique */
	uint32_t item; /* index of the sequence, for the caller */
};

struct kway {
	struct kway_key *heap; /* [0] is the first in order; room for one key a sequence */
	size_t n;
};

/* The order of signed times as that of unsigned ones. */
static inline uint64_t
kway_time(int64_t time)
{
	return (uint64_t)time ^ UINT64_C(1) << 63;
}

static inline bool
kway_before(const struct kway_key *a, const struct kway_key *b)
{
	return a->time < b->time || (a->time == b->time && a->rank < b->rank);
}

/* The time at which another sequence than that on top comes; UINT64_MAX: there is none. */
static inline uint64_t
kway_second(const struct kway *k)
{
	uint64_t time = UINT64_MAX;
	for (size_t i = 1; i < 3 && i < k->n; i++)
		time = k->heap[i].time < time ? k->heap[i].time : time;
	return time;
}

/* Adds a sequence by the key of its first item. O(log n). */
static inline void
kway_push(struct kway *k, struct kway_key key)
{
	size_t i = k->n++;
	for (; i > 0 && kway_before(&key, &k->heap[(i - 1) / 2]); i = (i - 1) / 2)
		k->heap[i] = k->heap[(i - 1) / 2];
	k->heap[i] = key;
}

/* Moves the key on top down to its place. */
static inline void
kway_sink(struct kway *k)
{
	struct kway_key key = k->heap[0];
	size_t i = 0;
	for (;;) {
		size_t child = 2 * i + 1;
		if (child + 1 < k->n && kway_before(&k->heap[child + 1], &k->heap[child]))
			child++;
		if (child >= k->n || !kway_before(&k->heap[child], &key))
			break;
		k->heap[i] = k->heap[child];
		i = child;
	}
	k->heap[i] = key;
}

/* The sequence on top goes on with an item of that time. At once when it stays on top. */
static inline void
kway_replace(struct kway *k, uint64_t time)
{
	k->heap[0].time = time;
	kway_sink(k);
}

/* The sequence on top has ended. */
static inline void
kway_pop(struct kway *k)
{
	k->heap[0] = k->heap[--k->n];
	if (k->n)
		kway_sink(k);
}

#endif
