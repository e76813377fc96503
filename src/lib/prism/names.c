/* SPDX-License-Identifier: MIT */
#include "names.h"

struct prism_name *
prismnames_get(struct prismnames *names, const char *p, uint32_t n)
{
	names->table.size = sizeof(struct prism_name);
	struct prism_name *name = prismtable_get(&names->table, p, n);
	if (name && !name->id) {
		name->id = names->table.n;
		name->len = n;
		name->text = (const char *)(name + 1);
	}
	return name;
}

void
prismnames_finish(struct prismnames *names)
{
	prismtable_finish(&names->table);
}
