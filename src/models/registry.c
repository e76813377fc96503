/* SPDX-License-Identifier: MIT */
/* registry: each line of models.def names a model: model_NAME of NAME.c. */
#include "registry.h"

#define MODEL(name) extern const struct model model_##name;
#include "models.def"
#undef MODEL

int
registry_add(struct model_set *set, struct diag *d)
{
	static const struct model *const list[] = {
#define MODEL(name) &model_##name,
#include "models.def"
#undef MODEL
	};
	int rc = 0;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]) && rc == 0; i++)
		rc = modelset_add(set, d, list[i], MODELSET_OURS);
	return rc;
}
