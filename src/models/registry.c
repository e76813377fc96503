/* SPDX-License-Identifier: MIT */
/* registry: the list of models. Each line of models.def names one: model_NAME of NAME.c.
 * They are probed and connected in ascending order of their letter, which the output
 * shows; a unit test checks that the list is in that order. */
#include "model.h"

#define MODEL(name) extern const struct model model_##name;
#include "models.def"
#undef MODEL

const struct model *const model_list[] = {
#define MODEL(name) &model_##name,
#include "models.def"
#undef MODEL
	NULL,
};
