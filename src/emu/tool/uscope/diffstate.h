/* SPDX-License-Identifier: MIT */
#ifndef DIFFSTATE_H
#define DIFFSTATE_H

/* diffstate: two files are replayed side by side, and what has changed in one of them is
 * compared when all that happens at that time has happened. */

#include "diffpair.h"

enum cell_kind {
	CELL_VALID, /* whether the slot is valid */
	CELL_FIELD,
	CELL_PROPERTY,
};

struct cell {
	enum cell_kind kind;
	const struct owner_pair *storage;
	uint32_t slot;
	uint32_t pair; /* field or property, index into the pairs */
};

/* A difference after all that happens at time_ps. false: stop. */
typedef bool cell_differs_fn(void *user, uint64_t time_ps, const struct cell *cell);

struct diffstate;

/* NULL: out of memory. The others are borrowed. */
struct diffstate *diffstate_new(struct tool *t, struct source *in, const struct pairs *pairs);
void diffstate_free(struct diffstate *d);

/* When something happens next. false: no more, or damage: see diffstate_status. */
bool diffstate_next(struct diffstate *d, uint64_t *time_ps);
/* Replays up to and at a time, then compares. false: stopped, or damage. */
bool diffstate_advance(struct diffstate *d, uint64_t time_ps, cell_differs_fn *fn, void *user);
/* STATUS_GOOD, or STATUS_BAD when something was reported. */
int diffstate_status(const struct diffstate *d);
/* The value of a cell on a side, and its field; NULL for CELL_VALID. */
uint64_t diffstate_raw(const struct diffstate *d, const struct cell *c, int side);
const uscope_field_t *cell_field(const struct source *in, const struct cell *c, int side);
/* The number of that field on a side. */
uint16_t cell_index(const struct cell *c, int side);

/* Whether two values of fields of one type are the same; texts are compared, not their
 * indices. */
bool same_value(const struct source *in, const uscope_field_t *f, uint64_t a, uint64_t b);

#endif
