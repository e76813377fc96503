/* SPDX-License-Identifier: MIT */
/* tools: loads the tools that --prism-hooks names. */
#include "object.h"
#include "parts.h"
#include "prism/prism_hooks.h"

static const struct object_kind kind = {
	.code = ERR_HOOKS,
	.symbol = "prism_tool",
	.type = "struct prism_hooks",
	.header = "prism_hooks.h",
	.page = "doc/prism.md",
	.folder = "prism",
	.version = PRISM_HOOKS_VERSION,
	.size = sizeof(struct prism_hooks),
};

int
prism_load(const struct prism *p, const char *file, void **handle, struct prism_hooks *to)
{
	struct object o;
	int rc = object_open(&o, &kind, p->trace->diag, file);
	*handle = o.handle;
	return rc < 0 ? rc : object_copy(to, o.data, o.size, &kind, p->trace->diag, file);
}

int
prism_copy(const struct prism *p, const char *file, const struct prism_hooks *hooks, struct prism_hooks *to)
{
	return object_copy(to, hooks, UINT64_MAX, &kind, p->trace->diag, file);
}
