/* SPDX-License-Identifier: MIT */
#ifndef MODELSET_H
#define MODELSET_H

/* modelset: the models that a run or a tool knows, in ascending order of their letter, which the outputs
 * show. Each has an owner, so that a clash between two of them can say who brought either. */

#include "diag.h"
#include "ovniscope/model.h"

enum {
	MODELSET_MAX = 256, /* as many as there are letters */
};

#define MODELSET_OURS "ovniscope" /* the owner of the models of the tree */

struct owned_model {
	const struct model *model;
	const char *owner; /* MODELSET_OURS, or the file that it came from */
};

/* A zeroed one is empty. It has no memory of its own. */
struct model_set {
	struct owned_model items[MODELSET_MAX];
	size_t n;
};

/* Adds a model. Model and owner are borrowed for the life of the set. One whose declarations are
 * wrong, or clash with those of a model that is there (see clash.h), is refused. Returns 0, or <0
 * (reported); the set is then as before. */
int modelset_add(struct model_set *set, struct diag *d, const struct model *m, const char *owner);

/* Whether a model clashes with one of the set: see clash_between(), of which `text` is, with a hint. */
bool modelset_clashes(const struct model_set *set, const struct owned_model *added, char *text, size_t size, const void **member);

/* The model of a letter, or of a name of n bytes; NULL: there is none. */
const struct model *modelset_find(const struct model_set *set, uint8_t letter);
const struct model *modelset_named(const struct model_set *set, const char *name, size_t n);

#endif
