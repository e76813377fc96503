/* SPDX-License-Identifier: MIT */
#include "scopetree.h"

#include <stdlib.h>

int
scopetree_init(struct scopetree *t, const schema_t *schema)
{
	uint32_t n = schema->num_scopes;
	*t = (struct scopetree){ .schema = schema };
	t->child = calloc(2 * (size_t)n + 1, sizeof(*t->child));
	if (!t->child)
		return -1;
	t->brother = t->child + n;
	/* From the end, so that brothers come in the order of the file. */
	for (uint32_t i = n; i-- > 1;) {
		uint16_t up = schema->scopes[i].parent;
		if (up >= n)
			continue;
		t->brother[i] = t->child[up];
		t->child[up] = i;
	}
	return 0;
}

void
scopetree_finish(struct scopetree *t)
{
	free(t->child);
	*t = (struct scopetree){ 0 };
}

bool
scopetree_next(struct scopetree *t, uint16_t *scope, uint32_t *depth)
{
	if (t->begun) {
		if (t->child[t->at]) {
			t->at = t->child[t->at];
			t->depth++;
		} else {
			while (t->at && !t->brother[t->at]) {
				t->at = t->schema->scopes[t->at].parent;
				t->depth--;
			}
			if (t->at == 0)
				return false;
			t->at = t->brother[t->at];
		}
	}
	t->begun = true;
	*scope = (uint16_t)t->at;
	*depth = t->depth;
	return t->schema->num_scopes > 0;
}
