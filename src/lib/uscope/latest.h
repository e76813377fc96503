/* SPDX-License-Identifier: MIT */
#ifndef LATEST_H
#define LATEST_H

/* latest: SETs of phrases that the state lacks until the segment ends. Phrases are written far more
 * often than the state is needed; only the last SET of a place matters then, and a phrase knows where
 * it was written last. Operations of other calls are noted too, so that all are applied in the order
 * of the deltas: SETs and CLEARs, which are applied at once, are applied again; an ADD, which needs the
 * value before it, is applied only then. */

#include "phrase.h"

struct latest {
	uscope_phrase_t **phrases; /* written in the segment; a phrase may be listed more than once */
	size_t n;                  /* 0: the state has everything */
	size_t cap;
	uint64_t *ops;  /* a bit for each byte of deltas: an operation to apply begins there */
	uint64_t *busy; /* a bit for each word of ops that is not 0; in the same memory */
	size_t nops;    /* words of ops, a multiple of 64 */
	uint64_t since; /* position where the segment begins: the state has everything before */
};

/* Room for n phrases more in the segment. false: out of memory. */
bool latest_reserve(uscope_writer_t *w, size_t n);

/* A phrase is written for the first time in the segment; there is room for it. */
static inline void
latest_add(struct latest *l, uscope_phrase_t *p)
{
	l->phrases[l->n++] = p;
}

/* Notes where a phrase is in the deltas, as it is about to be made anew. Does nothing for a phrase that
 * was never written, or whose bytes are not there. */
void latest_leave(uscope_writer_t *w, const uscope_phrase_t *p);

/* The phrase gets another value. In the segment it stands with the old value, which counts until it is
 * written again; the compressor must not expect the new bytes there. */
#define LATEST_CHANGED (UINT64_C(1) << 63) /* a bit of `at` that no position needs */

static inline void
latest_change(const struct latest *l, uscope_phrase_t *p)
{
	p->at = (p->at & ~LATEST_CHANGED) < l->since ? 0 : p->at | LATEST_CHANGED;
}

/* Notes the operations of a complete record that was not made of phrases. Not for version 0.1. false
 * after writer_fail. */
bool latest_record(uscope_writer_t *w);

/* Brings the state up to date, when the segment ends. */
void latest_settle(uscope_writer_t *w);

void latest_finish(struct latest *l);

#endif
