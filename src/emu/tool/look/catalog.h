/* SPDX-License-Identifier: MIT */
#ifndef TOOL_LOOK_CATALOG_H
#define TOOL_LOOK_CATALOG_H

/* catalog: the events that the models declare: what they carry, and what they mean.
 *
 * An event is known by the same tables as in the emulator, and its payload is checked by
 * the same rules. */

#include "dispatch.h"
#include "modelset.h"
#include "phrase.h"
#include "sig.h"

enum {
	CATALOG_MEANING = 512,
};

/* An event as a model declares it. */
struct catalog_item {
	struct sig sig;
	char meaning[CATALOG_MEANING]; /* with %{name} for arguments */
	bool any_value;                /* whatever the third letter */
	bool unlisted;                 /* known, but not in the reference */
};

/* The next event of a model: those of its states, entered and left, then the others. *at begins
 * at 0. Returns 1, 0 when there are no more, or <0 for a broken declaration (reported). */
int catalog_next(const struct model *m, size_t *at, struct catalog_item *item, struct diag *d);

/* An event as its model declares it, ready to be printed. */
struct kind {
	const struct model *model;
	const struct sig *sig;
	struct phrase phrase;
	bool any_value;
};

struct catalog {
	const struct model_set *models;
	struct dispatch dispatch;
	struct kind *kinds; /* by operation */
};

/* All models of the set, which is borrowed. Memory comes from the arena. Returns 0, or <0 (reported). */
int catalog_init(struct catalog *c, struct arena *a, struct diag *d, const struct model_set *set);

/* NULL when no model knows the event. O(1). */
static inline const struct kind *
catalog_find(const struct catalog *c, const uint8_t mcv[3])
{
	const struct op *op = dispatch_find(&c->dispatch, mcv);
	return op ? &c->kinds[op - c->dispatch.ops] : NULL;
}

/* Compares the payload with the declaration. NULL: it is fine. Otherwise what is wrong, in
 * buf or static. */
const char *catalog_check(const struct catalog *c, const struct kind *k, const struct event *ev, char *buf, size_t size);

#endif
