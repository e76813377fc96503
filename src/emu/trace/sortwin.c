/* SPDX-License-Identifier: MIT */
#include "sortwin.h"

#include "arena.h"
#include "wire.h"

#include <string.h>

enum {
	BLOCK_SIZE = 256 * 1024,
	BYTES_A_SLOT = 16, /* of the first ring */
	INSERTION = 12,    /* as many are sorted without merging */
};

struct sortwin_block {
	struct sortwin_block *next;
	struct sortwin_block *prev;
	uint64_t begin; /* number of its first event */
	uint64_t end;   /* number behind its last event */
	size_t used;
	size_t cap;
	uint8_t data[];
};

static size_t
event_size(const uint8_t *p)
{
	return (size_t)wire_event_size(p, WIRE_JUMBO_HEADER);
}

static void
release(struct sortwin *w, struct sortwin_block *b)
{
	*(b->prev ? &b->prev->next : &w->first) = b->next;
	*(b->next ? &b->next->prev : &w->last) = b->prev;
	if (b->cap == w->block && !w->spare)
		w->spare = b;
	else
		block_free(b);
}

void
sortwin_init(struct sortwin *w)
{
	while (w->last)
		release(w, w->last);
	w->head = w->tail = 0;
	w->block = w->block ? w->block : BLOCK_SIZE;
}

void
sortwin_finish(struct sortwin *w)
{
	sortwin_init(w);
	block_free(w->spare);
	block_free(w->ring);
	block_free(w->keys);
	block_free(w->bytes);
	*w = (struct sortwin){ 0 };
}

static bool
grow_ring(struct sortwin *w)
{
	uint64_t n = w->ring ? (w->mask + 1) * 2 : w->block / BYTES_A_SLOT;
	const uint8_t **ring = block_alloc(n * sizeof(*ring));
	if (!ring)
		return false;
	for (uint64_t i = w->tail; i < w->head; i++)
		ring[i & (n - 1)] = w->ring[i & w->mask];
	block_free(w->ring);
	w->ring = ring;
	w->mask = n - 1;
	return true;
}

static bool
add_block(struct sortwin *w, uint64_t size)
{
	size_t cap = size > w->block ? (size_t)size : w->block;
	struct sortwin_block *b = cap == w->block && w->spare ? w->spare : block_alloc(sizeof(*b) + cap);
	if (!b)
		return false;
	w->spare = b == w->spare ? NULL : w->spare;
	*b = (struct sortwin_block){ .prev = w->last, .begin = w->head, .end = w->head, .cap = cap };
	*(w->last ? &w->last->next : &w->first) = b;
	w->last = b;
	return true;
}

/* A few free slots would only mean to come back soon. */
static bool
ring_full(const struct sortwin *w)
{
	return !w->ring || w->mask + 1 - (w->head - w->tail) <= w->mask / 16;
}

static bool
block_full(const struct sortwin *w, uint64_t size)
{
	return !w->last || w->last->cap - w->last->used < size;
}

bool
sortwin_full(const struct sortwin *w, uint64_t size)
{
	return ring_full(w) || block_full(w, size);
}

uint8_t *
sortwin_reserve(struct sortwin *w, uint64_t size, size_t *room, uint64_t *slots)
{
	if (ring_full(w) && !grow_ring(w))
		return NULL;
	if (block_full(w, size) && !add_block(w, size))
		return NULL;
	*room = w->last->cap - w->last->used;
	*slots = w->mask + 1 - (w->head - w->tail);
	return w->last->data + w->last->used;
}

void
sortwin_commit(struct sortwin *w, size_t n)
{
	w->last->used += n;
	w->last->end = w->head;
}

const uint8_t *
sortwin_bytes(const struct sortwin *w, uint64_t *from, uint64_t to, size_t *n)
{
	const struct sortwin_block *b = w->first;
	while (b->end <= *from)
		b = b->next;
	const uint8_t *p = sortwin_event(w, *from);
	*n = (size_t)((to < b->end ? sortwin_event(w, to) : b->data + b->used) - p);
	*from = to < b->end ? to : b->end;
	return p;
}

void
sortwin_drop(struct sortwin *w, uint64_t number)
{
	w->tail = number;
	while (w->first != w->last && w->first->end <= number)
		release(w, w->first);
	if (w->last && number == w->head) { /* all of it is room again */
		w->last->used = 0;
		w->last->begin = number;
	}
}

/* Stable. tmp has room for half of them. What is in order already is not moved. */
static void
merge_sort(struct sortwin_key *a, struct sortwin_key *tmp, size_t n)
{
	if (n <= INSERTION) {
		for (size_t i = 1; i < n; i++) {
			struct sortwin_key k = a[i];
			size_t j = i;
			for (; j > 0 && a[j - 1].clock > k.clock; j--)
				a[j] = a[j - 1];
			a[j] = k;
		}
		return;
	}
	size_t mid = n / 2;
	merge_sort(a, tmp, mid);
	merge_sort(a + mid, tmp, n - mid);
	if (a[mid - 1].clock <= a[mid].clock)
		return;
	memcpy(tmp, a, mid * sizeof(*a));
	size_t i = 0;
	size_t j = mid;
	for (size_t k = 0; i < mid; k++)
		a[k] = j == n || tmp[i].clock <= a[j].clock ? tmp[i++] : a[j++];
}

static bool
grow_keys(struct sortwin *w, size_t n)
{
	if (n <= w->nkeys)
		return true;
	n += n / 4;
	struct sortwin_key *keys = block_alloc((n + n / 2 + 1) * sizeof(*keys));
	if (!keys)
		return false;
	block_free(w->keys);
	w->keys = keys;
	w->nkeys = n;
	return true;
}

/* Bytes of all events from that number on. */
static size_t
bytes_from(const struct sortwin *w, uint64_t first)
{
	const struct sortwin_block *b = w->last;
	size_t total = 0;
	for (; b->begin > first; b = b->prev)
		total += b->used;
	return total + b->used - (size_t)(sortwin_event(w, first) - b->data);
}

/* The bytes of these events, `total` in all, one behind the other. */
static bool
gather(struct sortwin *w, const struct sortwin_key *keys, size_t n, size_t total)
{
	if (total > w->nbytes) {
		block_free(w->bytes);
		w->nbytes = total + total / 4;
		w->bytes = block_alloc(w->nbytes);
		if (!w->bytes) {
			w->nbytes = 0;
			return false;
		}
	}
	uint8_t *to = w->bytes;
	for (size_t i = 0; i < n; i++) {
		size_t size = event_size(keys[i].event);
		memcpy(to, keys[i].event, size);
		to += size;
	}
	return true;
}

/* From number `first` on the events are these n, which are all from there to the head. When
 * memory is exhausted some are lost. */
static bool
rewrite(struct sortwin *w, uint64_t first, const struct sortwin_key *keys, size_t n)
{
	if (!gather(w, keys, n, bytes_from(w, first)))
		return false;
	const uint8_t *at = sortwin_event(w, first);
	while (w->last->begin > first)
		release(w, w->last);
	w->last->used = (size_t)(at - w->last->data);
	w->head = w->last->end = first;

	const uint8_t *p = w->bytes;
	while (n) {
		if (block_full(w, event_size(p)) && !add_block(w, event_size(p)))
			return false;
		uint8_t *to = w->last->data + w->last->used;
		size_t room = w->last->cap - w->last->used;
		size_t k = 0;
		for (; n && event_size(p + k) <= room - k; n--) {
			sortwin_push(w, to + k);
			k += event_size(p + k);
		}
		memcpy(to, p, k);
		sortwin_commit(w, k);
		p += k;
	}
	return true;
}

enum sortwin_result
sortwin_sort(struct sortwin *w, uint64_t from, uint64_t *moved)
{
	size_t n = (size_t)(w->head - from);
	*moved = 0;
	if (!grow_keys(w, n))
		return SORTWIN_MEMORY;
	bool negative = false;
	for (size_t i = 0; i < n; i++) {
		w->keys[i] = (struct sortwin_key){ sortwin_clock(w, from + i), sortwin_event(w, from + i) };
		negative = negative || w->keys[i].clock < 0;
	}
	if (negative)
		return SORTWIN_NEGATIVE;
	merge_sort(w->keys, w->keys + w->nkeys, n);
	size_t first = n;
	for (size_t i = n; i-- > 0;) {
		if (sortwin_event(w, from + i) == w->keys[i].event)
			continue;
		(*moved)++;
		first = i;
	}
	return first == n || rewrite(w, from + first, w->keys + first, n - first) ? SORTWIN_OK : SORTWIN_MEMORY;
}
