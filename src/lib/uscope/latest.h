/* SPDX-License-Identifier: MIT */
#ifndef LATEST_H
#define LATEST_H

/* latest: what phrases have set and the state does not have yet. Phrases are written far more
 * often than the state is asked for, which is when a segment ends: only the last SET of a place
 * matters, and a phrase knows where it was written last. What other calls do meanwhile is noted
 * too, so that all of it is done in the order of the deltas: a SET and a CLEAR, which are done at
 * once, then are done again, and an ADD, which needs the value before it, is done only then. */

#include "uscope.h"

struct latest {
	uscope_phrase_t **phrases; /* that were written in the segment; one may be listed more than once */
	size_t n;                  /* 0: the state has everything */
	size_t cap;
	uint64_t *ops;  /* a bit for each byte of deltas: an operation begins there that is to be done; */
	uint64_t *busy; /* behind them: a bit for each word that is not 0 */
	size_t nops;    /* words of ops, a multiple of 64 */
	uint64_t since; /* position where the segment begins: what was written before is in the state */
};

/* Room for n phrases more in the segment. false: out of memory. */
bool latest_reserve(uscope_writer_t *w, size_t n);

/* A phrase is written for the first time in the segment; there is room for it. */
static inline void
latest_add(struct latest *l, uscope_phrase_t *p)
{
	l->phrases[l->n++] = p;
}

/* The phrase will be another: where it is in the deltas is noted. One that was never written, or
 * whose bytes are not there, is left alone. */
void latest_leave(uscope_writer_t *w, const uscope_phrase_t *p);

/* The phrase gets another value. Where it was in the segment it has the old one, which is what
 * counts until it is written again; no match is to be looked for there. */
#define LATEST_CHANGED (UINT64_C(1) << 63) /* in `at`, where no position is */

static inline void
latest_change(const struct latest *l, uscope_phrase_t *p)
{
	p->at = (p->at & ~LATEST_CHANGED) < l->since ? 0 : p->at | LATEST_CHANGED;
}

/* A record that was not made of phrases is complete: its operations are noted. Not for version
 * 0.1. false after writer_fail. */
bool latest_record(uscope_writer_t *w);

/* The segment ends: the state gets everything. */
void latest_settle(uscope_writer_t *w);

void latest_finish(struct latest *l);

#endif
