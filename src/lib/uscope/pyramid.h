/* SPDX-License-Identifier: MIT */
#ifndef PYRAMID_H
#define PYRAMID_H

/* pyramid: the summary of a trace while it grows. Level 0 is kept, in buckets of `base`
 * cycles of clock domain 0 that double when there are too many; the levels above are made
 * when it is written. Bytes and rules: doc/format/uscope.md, "Summary". */

#include "fileout.h"
#include "uscope.h"

#define PYRAMID_MAX_BASE ((uint64_t)1 << 31) /* it is stored in 32 bits */

struct pyramid_counter {
	char *name;
	uscope_mipmap_t *buckets; /* of what was added; room; max 0: no cycle with a value; NULL: none in any */
	uint64_t *spans;          /* cycles in spans, each with the value 1; room; NULL: no span */
	uint64_t cycle;           /* the one being summed up in `value` */
	uint64_t value;
	uint16_t storage;
	bool written; /* some bucket has a value */
};

struct pyramid {
	uint64_t base;
	uint64_t max_buckets; /* that base doubles for; 0: not begun */
	uint64_t most;        /* that memory is taken for */
	uint64_t budget;      /* bytes */
	uint32_t fan_out;
	uint32_t ncounters;
	uint32_t *density;
	uscope_mipmap_t *levels; /* room for those of a counter while it is written */
	struct pyramid_counter *counters;
	size_t counters_cap;
	uint64_t total; /* of the density */
	uint64_t room;  /* buckets allocated, of each array */
	uint64_t used;  /* last bucket with something, plus 1 */
	bool has_density;
	bool dropped; /* it would not fit in `most` */

	/* Clock domain 0, and the last cycle that was looked up. */
	uint64_t period;
	uint64_t cycle;
	uint64_t cycle_start; /* ps */
	uint64_t cycle_end;   /* ps; 0: none yet */
	/* The density bucket of the last time. */
	uint64_t bucket;
	uint64_t bucket_start; /* ps */
	uint64_t bucket_end;   /* 0: none yet */
};

/* base, fan_out, budget: 0 for the defaults. 0, or E_ARG. */
int pyramid_init(struct pyramid *p, const uscope_schema_t *schema, uint32_t base, uint32_t fan_out, uint64_t budget);
/* Accepts a zeroed object. */
void pyramid_finish(struct pyramid *p);

/* A counter; its id, E_STATE once begun, E_NOMEM. name: UTF-8. */
int pyramid_counter(struct pyramid *p, const char *name, uint16_t storage);

/* The counters that every trace has: storages of one U64. storages: by storage, the
 * counter or -1. Then the field whose SETs are the density, or -1 -1. 0, E_NOMEM. */
int pyramid_auto(struct pyramid *p, const uscope_schema_t *schema, int32_t *counter_of, int32_t *density_storage,
	int32_t *density_field);

/* No more counters. Called by the functions below, too. */
void pyramid_begin(struct pyramid *p);

/* 0 or E_NOMEM, which leaves the pyramid as it was. Adds to one cycle that follow each
 * other are one value; a cycle that is come back to later counts again for min and max. */
int pyramid_add(struct pyramid *p, uint32_t counter, uint64_t time_ps, uint64_t delta);
int pyramid_span(struct pyramid *p, uint32_t counter, uint64_t t0_ps, uint64_t t1_ps);
int pyramid_density(struct pyramid *p, uint64_t time_ps, uint32_t n);

/* Makes it ready to be written for a trace whose last frame is at that time and whose deltas have so many
 * bytes in the file; what is later is cut off. Counters without a value are left out, and buckets become
 * wider until it is small beside the deltas. *any: there is something to write. 0, E_NOMEM. */
int pyramid_close(struct pyramid *p, uint64_t last_ps, uint64_t deltas, bool *any);

/* Two neighbours as one bucket: empty ones have no min. */
static inline uscope_mipmap_t
pyramid_join(uscope_mipmap_t a, uscope_mipmap_t b)
{
	if (a.max == 0 || b.max == 0) {
		uscope_mipmap_t full = a.max ? a : b;
		full.sum = a.sum + b.sum;
		return full;
	}
	return (uscope_mipmap_t){
		.min = a.min < b.min ? a.min : b.min,
		.max = a.max > b.max ? a.max : b.max,
		.sum = a.sum + b.sum,
	};
}

/* ---- pyramidout.c ---- */

/* Chooses what is written: leaves out, and makes buckets wider. false: it is too large all the same. */
bool pyramid_fit(struct pyramid *p, uint64_t deltas);
/* Makes buckets twice as wide. */
void pyramid_double(struct pyramid *p);
/* Once, as it is used up. */
void pyramid_write(struct pyramid *p, struct fileout *out);

/* A count, which is stored in 32 bits. */
static inline uint32_t
pyramid_saturate(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

#endif
