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
#include "sig.h"

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
	OP_ROW = OP_KINDS, /* and above: enum op_kind of a channel that is of no thread */
};

/* Sizes of a payload that are accepted, in bytes. */
struct op_size {
	uint32_t min;  /* OP_SIZE_NONE: none is, */
	uint32_t more; /* and how many bytes may be behind the least ones */
};

#define OP_SIZE_NONE UINT32_MAX
#define OP_NO_STEP UINT16_MAX

struct op {
	uint8_t kind;   /* enum op_kind, or from OP_ROW on */
	uint8_t need;   /* enum need; of no operation: what no thread meets */
	uint16_t model; /* its number in the run */
	uint16_t col;
	uint16_t step;           /* it pushes or pops its value on that stack of a row, and nothing follows; OP_NO_STEP: it does more */
	struct op_size sizes[2]; /* of the payload of a plain event, and of a jumbo one */
	int64_t value;
	union {
		event_hook *hook; /* of OP_HOOK */
		struct {
			enum sig_type type; /* of the argument of OP_*_ARG, */
			uint16_t at;        /* and its offset in the payload; */
			uint16_t text_at;   /* that of the text of OP_LABEL */
		} arg;
	};
	const struct phases *phases; /* NULL: nothing follows the operation */
};

struct phase_hook {
	event_hook *hook;
	uint32_t model; /* its number in the run */
};

/* What follows the operation of an event: hooks of all phases, in one array. */
struct phases {
	const struct phase_hook *first;
	const struct phase_hook *emit; /* the first of this phase: the end of those of the one before, */
	const struct phase_hook *post;
	const struct phase_hook *end; /* and of the last one */
	bool watched;                 /* somebody watches what the operation may change */
};

enum {
	DISPATCH_OPS_MAX = 4096, /* far above all models together; ids are 16 bits */
};

struct dispatch {
	struct op *ops;                  /* [0]: no operation */
	const struct event_decl **decls; /* of each; NULL: it is that of a state */
	uint16_t nops;
	uint8_t *categories[256]; /* of each enabled model; of the others one that is empty */
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

/* The operation of an event; d->ops, which no event fits, if there is none. */
static inline const struct op *
dispatch_get(const struct dispatch *d, const uint8_t mcv[3])
{
	return &d->ops[d->pages[d->categories[mcv[0]][mcv[1]]][mcv[2]]];
}

/* The operation of an event, NULL if there is none. */
static inline const struct op *
dispatch_find(const struct dispatch *d, const uint8_t mcv[3])
{
	const struct op *op = dispatch_get(d, mcv);
	return op != d->ops ? op : NULL;
}

/* Whether an event fits the operation: a plain or a jumbo one, with a payload of that size. */
static inline bool
op_fits(const struct op *op, bool jumbo, uint32_t size)
{
	return size - op->sizes[jumbo].min <= op->sizes[jumbo].more;
}

#endif
