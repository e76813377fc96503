/* SPDX-License-Identifier: MIT */
#ifndef MODELS_REGISTRY_H
#define MODELS_REGISTRY_H

#include "modelset.h"

/* registry: the models of the tree, one for each line of models.def: what a set begins with.
 * Returns 0, or <0 (reported). */
int registry_add(struct model_set *set, struct diag *d);

#endif
