/* SPDX-License-Identifier: MIT */
#include "tieheap.h"

static void
swap(struct tieheap *h, uint32_t a, uint32_t b)
{
	struct tieheap_item t = h->items[a];
	h->items[a] = h->items[b];
	h->items[b] = t;
}

void
tieheap_insert(struct tieheap *h, int64_t clock, uint32_t rank)
{
	uint32_t i = ++h->n;
	h->items[i] = (struct tieheap_item){ clock, rank };
	for (; i > 1 && h->items[i].clock < h->items[i / 2].clock; i /= 2)
		swap(h, i, i / 2);
}

uint32_t
tieheap_extract(struct tieheap *h)
{
	uint32_t rank = h->items[1].rank;
	h->items[1] = h->items[h->n--];
	for (uint32_t i = 1;;) {
		uint32_t best = i;
		for (uint32_t child = 2 * i; child <= 2 * i + 1 && child <= h->n; child++)
			if (h->items[child].clock < h->items[best].clock)
				best = child;
		if (best == i)
			return rank;
		swap(h, i, best);
		i = best;
	}
}
