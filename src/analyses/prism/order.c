/* SPDX-License-Identifier: MIT */
#include "order.h"

#include "arena.h"

#include <stddef.h>
#include <string.h>

enum {
	WORDS = 64,                /* in a node of the first level */
	NODE = ORDER_WORD * WORDS, /* places in it */
	ROOM = 8,                  /* times as many places as lines: giving out anew costs each access little */
	LEAST = 16 * NODE,         /* places */
};

static const uint32_t most = UINT32_MAX / NODE * NODE; /* places */

/* Counters of a level, with those that fill its last node. */
static size_t
size_of(const struct order *o, unsigned level)
{
	size_t n = o->cap / NODE;
	for (unsigned i = 0; i < level; i++)
		n = (n + ORDER_FAN - 1) / ORDER_FAN;
	return (n + ORDER_FAN - 1) / ORDER_FAN * ORDER_FAN;
}

void
order_finish(struct order *o)
{
	block_free(o->bits);
	block_free(o->words);
	for (unsigned i = 0; i < ORDER_LEVELS; i++)
		block_free(o->counts[i]);
	*o = (struct order){ 0 };
}

/* Zeroed. Returns 0, or -1 when memory is exhausted. */
static int
begin(struct order *o, uint32_t cap)
{
	*o = (struct order){ .cap = cap };
	o->bits = block_alloc(cap / ORDER_WORD * sizeof(*o->bits));
	o->words = block_alloc(cap / ORDER_WORD);
	int rc = o->bits && o->words ? 0 : -1;
	for (unsigned i = 0; i < ORDER_LEVELS; i++) {
		o->counts[i] = block_alloc(size_of(o, i) * sizeof(*o->counts[i]));
		rc = o->counts[i] ? rc : -1;
	}
	if (rc < 0)
		order_finish(o);
	return rc;
}

int
order_renew(struct order *o, uint32_t n)
{
	struct order new;
	uint64_t cap = ((uint64_t)n * ROOM / NODE + 1) * NODE;
	cap = cap < LEAST ? LEAST : cap > most ? most
					       : cap;
	if (begin(&new, (uint32_t)cap) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i += ORDER_WORD) {
		uint32_t here = n - i < ORDER_WORD ? n - i : ORDER_WORD;
		new.bits[i / ORDER_WORD] = UINT64_MAX >> (ORDER_WORD - here);
		new.words[i / ORDER_WORD] = (uint8_t)here;
		uint32_t node = i / NODE;
		for (unsigned level = 0; level < ORDER_LEVELS; level++, node /= ORDER_FAN)
			new.counts[level][node] += here;
	}
	new.next = n;
	order_finish(o);
	*o = new;
	return 0;
}

/* Without an instruction for it, which the oldest machines do not have. */
static uint32_t
count_bits(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* The sum of the bytes of a node behind one of them. */
static uint32_t
sum_behind(const uint8_t *node, uint32_t at)
{
	uint64_t pairs = 0;
	uint64_t keep = UINT64_MAX << 8 * (at % 8) << 8;
	for (uint32_t i = at & ~7u; i < WORDS; i += 8, keep = UINT64_MAX) {
		uint64_t x;
		memcpy(&x, node + i, sizeof(x));
		x &= keep;
		pairs += (x & UINT64_C(0x00ff00ff00ff00ff)) + (x >> 8 & UINT64_C(0x00ff00ff00ff00ff));
	}
	return (uint32_t)(pairs * UINT64_C(0x0001000100010001) >> 48);
}

uint32_t
order_behind(const struct order *o, uint32_t place)
{
	uint32_t at = place / ORDER_WORD;
	uint32_t end = (o->next - 1) / ORDER_WORD;
	uint32_t n = count_bits(o->bits[at] >> place % ORDER_WORD >> 1);
	if (at == end)
		return n;
	n += sum_behind(o->words + at / WORDS * WORDS, at % WORDS);
	at /= WORDS;
	end /= WORDS;
	for (unsigned level = 0; at != end && level < ORDER_LEVELS; level++) {
		const uint32_t *counts = o->counts[level];
		uint32_t last = (at | (ORDER_FAN - 1)) < end ? at | (ORDER_FAN - 1) : end;
		for (uint32_t i = at + 1; i <= last; i++)
			n += counts[i];
		at /= ORDER_FAN;
		end /= ORDER_FAN;
	}
	return n;
}

void
order_take(struct order *o)
{
	uint32_t place = o->next++;
	o->bits[place / ORDER_WORD] |= UINT64_C(1) << place % ORDER_WORD;
	o->words[place / ORDER_WORD]++;
	uint32_t node = place / NODE;
	for (unsigned level = 0; level < ORDER_LEVELS; level++, node /= ORDER_FAN)
		o->counts[level][node]++;
}

void
order_leave(struct order *o, uint32_t place)
{
	o->bits[place / ORDER_WORD] &= ~(UINT64_C(1) << place % ORDER_WORD);
	o->words[place / ORDER_WORD]--;
	uint32_t node = place / NODE;
	for (unsigned level = 0; level < ORDER_LEVELS; level++, node /= ORDER_FAN)
		o->counts[level][node]--;
}

int
order_copy(struct order *to, const struct order *from)
{
	struct order new;
	if (begin(&new, from->cap) < 0)
		return -1;
	memcpy(new.bits, from->bits, from->cap / ORDER_WORD * sizeof(*new.bits));
	memcpy(new.words, from->words, from->cap / ORDER_WORD);
	for (unsigned i = 0; i < ORDER_LEVELS; i++)
		memcpy(new.counts[i], from->counts[i], size_of(from, i) * sizeof(*new.counts[i]));
	new.next = from->next;
	*to = new;
	return 0;
}
