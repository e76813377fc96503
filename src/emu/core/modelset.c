/* SPDX-License-Identifier: MIT */
#include "modelset.h"

#include "clash.h"

#include <stdio.h>

bool
modelset_clashes(const struct model_set *set, const struct owned_model *added, char *text, size_t size, const void **member)
{
	bool clashes = false;
	for (size_t i = 0; i < set->n && !clashes; i++)
		clashes = clash_between(&set->items[i], added, text, size, member);
	size_t n = clashes ? strlen(text) : size;
	if (n < size)
		(void)snprintf(text + n, size - n, "\nhint: 'ovniscope-model free' prints letters and types that no model has");
	return clashes;
}

int
modelset_add(struct model_set *set, struct diag *d, const struct model *m, const char *owner)
{
	const struct owned_model added = { .model = m, .owner = owner };
	const struct place file = { .file = owner };
	const void *member;
	char text[640];
	if (clash_within(m, text, sizeof(text), NULL))
		return diag_error(d, ERR_MODEL, &file, "%s", text);
	if (modelset_clashes(set, &added, text, sizeof(text), &member))
		return diag_error(d, ERR_MODEL_CLASH, &file, "%s", text);
	/* As letters differ, there is room. */
	size_t at = set->n++;
	for (; at && (uint8_t)set->items[at - 1].model->id > (uint8_t)m->id; at--)
		set->items[at] = set->items[at - 1];
	set->items[at] = added;
	return 0;
}

const struct model *
modelset_find(const struct model_set *set, uint8_t letter)
{
	for (size_t i = 0; i < set->n; i++)
		if ((uint8_t)set->items[i].model->id == letter)
			return set->items[i].model;
	return NULL;
}

const struct model *
modelset_named(const struct model_set *set, const char *name, size_t n)
{
	for (size_t i = 0; i < set->n; i++)
		if (strlen(set->items[i].model->name) == n && memcmp(set->items[i].model->name, name, n) == 0)
			return set->items[i].model;
	return NULL;
}
