/* SPDX-License-Identifier: MIT */
#ifndef TOOL_DECL_H
#define TOOL_DECL_H

/* decl: a model without code, declared in a JSON file. It becomes the tables that a model in C has, and
 * nobody can tell it from one. share/ovniscope/model.schema.json describes the file. */

#include "arena.h"
#include "diag.h"
#include "json.h"
#include "modelset.h"

enum {
	DECL_FILE_MAX = 1024 * 1024, /* bytes: ten thousand states */
};

/* Reads the model to the arena, and adds it to the set. Returns 0, or <0 (reported). */
int decl_load(struct arena *a, struct diag *d, const char *file, struct model_set *set);

/* The item of the file that a channel, state, event or breakdown of such a model was made of, in the text read once more; that of
 * the model for all else. */
const cJSON *decl_item(const struct json_text *t, const struct model *m, const void *decl);

#endif
