/* SPDX-License-Identifier: MIT */
#ifndef DISPATCH_H
#define DISPATCH_H

/* dispatch: from the three letters of an event to its operation.
 *
 * The tables of the models are compiled once: a letter selects a model, 256 bytes give
 * the category, 512 bytes a category the operation. No hash, no string, no search. */

#include "arena.h"
#include "diag.h"
#include "ovniscope/model.h"

#include <stdint.h>

/* All models, in ascending order of their letter; NULL ends the list. */
extern const struct model *const model_list[];

/* A model in one run. */
struct model_run {
	const struct model *model;
	bool enabled;
	bool breaks_down;   /* its breakdown is wanted, and the trace can have it */
	uint32_t first_col; /* column of its channel 0 */
	uint32_t nchans;    /* declared ones, then added ones */
};

enum {
	OP_PHASES = OP_KINDS, /* it has hooks in several phases, or somebody watches what it changes: see ops.h */
};

struct op {
	unsigned kind; /* enum op_kind, or OP_PHASES */
	unsigned need;
	uint32_t model; /* its number in the run */
	uint32_t col;
	uint32_t min_size; /* of the payload, bytes */
	uint32_t max_size;
	int64_t value;
	union {
		event_hook *hook;
		const struct phases *phases;
	};
	bool takes[2];    /* whether a plain event is accepted, and a jumbo one */
	uint8_t arg_type; /* enum sig_type, */
	uint16_t arg_at;  /* and offset in the payload, of the argument of OP_*_ARG */
	uint16_t text_at; /* of that of OP_LABEL */
};

/* All hooks of an event that has more than one operation or hook. */
struct phase_hook {
	event_hook *hook;
	uint32_t model; /* its number in the run */
};

struct phases {
	struct op own; /* what the event does by itself */
	const struct phase_hook *pre, *emit, *post;
	uint16_t npre, nemit, npost;
};

enum {
	DISPATCH_OPS_MAX = 4096, /* far above all models together; ids are 16 bits */
};

struct dispatch {
	struct op *ops;                  /* [0] is not used: no operation */
	const struct event_decl **decls; /* of each; NULL: it is that of a state */
	uint16_t nops;
	uint8_t *categories[256]; /* of each enabled model, NULL: not enabled */
	uint16_t (*pages)[256];
	uint16_t npages;
};

/* Compiles the tables of the enabled models. Returns 0, or <0 (reported). */
int dispatch_init(struct dispatch *d, struct arena *a, struct diag *diag, const struct model_run *models, size_t nmodels);

/* Whether a model gets the events of another one. */
bool dispatch_observes(const struct model *m, const struct model *other);

/* Adds the hooks of phases, when all models are connected. `watched` tells by column what somebody asked for. Returns 0, or
 * <0 (reported). */
int dispatch_add_phases(struct dispatch *d, struct arena *a, struct diag *diag, const struct model_run *models, size_t nmodels,
	const bool *watched);

/* The operation of an event, NULL if there is none. */
static inline const struct op *
dispatch_find(const struct dispatch *d, const uint8_t mcv[3])
{
	const uint8_t *category = d->categories[mcv[0]];
	if (!category)
		return NULL;
	uint16_t op = d->pages[category[mcv[1]]][mcv[2]];
	return op ? &d->ops[op] : NULL;
}

#endif
