/* SPDX-License-Identifier: MIT */
#ifndef MODELS_PRISM_TOTAL_H
#define MODELS_PRISM_TOTAL_H

/* total: what happens in an interval of a Prism trace: totals, and how many lines of
 * memory are touched. Memory is that of the interval which touches most. */

#include "prism/prism.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of the channels. */
enum prismtotal_kind {
	PRISMTOTAL_LOADS,
	PRISMTOTAL_STORES,
	PRISMTOTAL_LOAD_BYTES,
	PRISMTOTAL_STORE_BYTES,
	PRISMTOTAL_INT_OPS,
	PRISMTOTAL_FP_OPS,
	PRISMTOTAL_INSNS,
	PRISMTOTAL_SYNCS,
	PRISMTOTAL_LINES,
	PRISMTOTAL_MEM_OTHER,
	PRISMTOTAL_OPS, /* eight: undefined or absent, add ... mov, other */
	PRISMTOTAL_COMP_OTHER = PRISMTOTAL_OPS + PRISM_OPS + 1,
	PRISMTOTAL_KINDS,
};

enum {
	PRISMTOTAL_LINE = 64, /* bytes */
};

struct prismtotal_slot {
	uint64_t line;
	uint32_t interval; /* another than the current one: the slot is free */
};

struct prismtotal {
	uint64_t n[PRISMTOTAL_KINDS];
	uint32_t interval; /* from 1 */
	uint64_t last;     /* line touched last, + 1; 0: none in this interval */
	struct prismtotal_slot *slots;
	size_t cap; /* power of two, or 0 */
	uint64_t seed;
};

/* Counts an event. Returns 0, or -1: no memory. A zeroed struct is ready. */
int prismtotal_mem(struct prismtotal *t, const struct prism_mem *ev);
void prismtotal_comp(struct prismtotal *t, const struct prism_comp *ev);

/* Another interval begins. */
void prismtotal_clear(struct prismtotal *t);

/* Frees. Accepts a zeroed struct. */
void prismtotal_finish(struct prismtotal *t);

#endif
