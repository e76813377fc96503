/* SPDX-License-Identifier: MIT */
#ifndef LATEST_H
#define LATEST_H

/* latest: what phrases have set and the state does not have yet. Phrases are written far more
 * often than the state is asked for, which is when a segment ends: only the last SET of a place
 * matters, and a phrase knows where it was written last. What else is set meanwhile is noted too,
 * so that all of it is done in the order of the deltas. */

#include "uscope.h"

struct latest {
	uscope_phrase_t **phrases; /* that were written since; some may be here twice, or again */
	size_t n;                  /* 0: the state has everything */
	size_t cap;
	uint64_t *ops;  /* a bit for each byte of deltas: a SET begins there that may be the last of its place */
	size_t nops;    /* words */
	uint64_t since; /* position: phrases that were written before are in the state */
};

/* Room for n phrases more in the segment. false: out of memory. */
bool latest_reserve(uscope_writer_t *w, size_t n);

/* A phrase is written for the first time since; there is room for it. */
static inline void
latest_add(struct latest *l, uscope_phrase_t *p)
{
	l->phrases[l->n++] = p;
}

/* The phrase will be another: its place is noted. */
void latest_leave(uscope_writer_t *w, const uscope_phrase_t *p);

/* A record is complete, or what there is of it, which was not done by phrases: its SETs are
 * noted. Not for version 0.1. false after writer_fail. */
bool latest_record(uscope_writer_t *w);

/* The state has everything. Phrases are far from what comes. */
void latest_settle(uscope_writer_t *w);

void latest_finish(struct latest *l);

#endif
