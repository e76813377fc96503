/* SPDX-License-Identifier: MIT */
#ifndef ANALYSES_ORDER_H
#define ANALYSES_ORDER_H

/* order: in which order lines were accessed last. Each access takes the next place in a row, and the line leaves the place that it
 * had; how many places behind that one are taken is how many other lines were accessed in between.
 *
 * The row is a bit for each place, with the number of bits in each word, in each 64 words, and above that in each 16 of the
 * level below: a node of a level is a line of memory or less, and only nodes up to the one that the end of the row
 * is in are read. When the row is full the places are given out anew, without gaps. */

#include <stdint.h>

enum {
	ORDER_LEVELS = 5, /* above the words, and those of 64 */
	ORDER_WORD = 64,
	ORDER_FAN = 16,
};

struct order {
	uint64_t *bits;
	uint8_t *words;                 /* bits of each word */
	uint32_t *counts[ORDER_LEVELS]; /* of each 64 words, 1024 words ... */
	uint32_t cap;                   /* places: a multiple of 4096 */
	uint32_t next;                  /* the first that was not given out */
};

/* Gives out n places, to lines that are told theirs by the caller: 0 to n - 1; there is room for several times as many. What it had
 * is given up. Returns 0, or -1 when memory is exhausted: then it is as before. */
int order_renew(struct order *o, uint32_t n);

/* How many places behind this one are taken. */
uint32_t order_behind(const struct order *o, uint32_t place);

/* Takes the next place, of which there is one while next < cap, or leaves one. */
void order_take(struct order *o);
void order_leave(struct order *o, uint32_t place);

/* Makes a copy of its own. Returns 0, or -1 when memory is exhausted. */
int order_copy(struct order *to, const struct order *from);

/* Accepts a zeroed one. */
void order_finish(struct order *o);

#endif
