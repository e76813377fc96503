/* SPDX-License-Identifier: MIT */
#ifndef TIEHEAP_H
#define TIEHEAP_H

/* tieheap: the order in which ovni 1.14 takes streams with equal clocks.
 *
 * It keeps the streams in a binary heap by clock alone, so that ties follow the shape of
 * the heap. Nothing asks for that order, but a breakdown shows it; --compat follows it
 * exactly. Positions are from 1. Defined in doc/format/trace.md, "Order". */

#include <stdint.h>

struct tieheap_item {
	int64_t clock;
	uint32_t rank;
};

struct tieheap {
	struct tieheap_item *items; /* room for one more than the streams */
	uint32_t n;
};

void tieheap_insert(struct tieheap *h, int64_t clock, uint32_t rank);

/* Takes the stream on top; there must be one. Returns its rank. */
uint32_t tieheap_extract(struct tieheap *h);

#endif
