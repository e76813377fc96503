/* SPDX-License-Identifier: MIT */
/* tools: loads the tools, lets them begin, and lets them finish. */
#include "tools.h"

#include "object.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

static const struct object_kind tool = {
	.code = ERR_HOOKS,
	.symbol = "prism_tool",
	.type = "struct prism_hooks",
	.header = "prism_hooks.h",
	.page = "doc/prism.md",
	.version = PRISM_HOOKS_VERSION,
	.size = sizeof(struct prism_hooks),
};

/* ---- Registration. ---- */

int
prismrun_add(struct prism_run *run, const struct prism_hooks *h, uint64_t size, void *u, const char *file)
{
	struct prism_hook *k = &run->hooks[run->nhooks];
	if (run->nhooks == PRISMRUN_HOOKS)
		return diag_error(run->emu->diag, ERR_HOOKS, &(struct place){ .file = file }, "there are more than %d hooks in all tools", PRISMRUN_HOOKS);
	*k = (struct prism_hook){ .u = u, .file = file };
	int rc = object_copy(&k->h, h, size, &tool, run->emu->diag, file);
	if (rc < 0)
		return rc;
	const char *slash = strrchr(file, '/');
	const char *name = k->h.name && *k->h.name ? k->h.name : slash ? slash + 1
								       : file;
	k->name = arena_strndup(&run->emu->arena, name, strlen(name));
	if (!k->name)
		return diag_no_memory(run->emu->diag);
	rc = prismgive_check(run, k);
	if (rc < 0)
		return rc;
	run->nhooks++;
	return 0;
}

/* ---- Begin. ---- */

static int
load(struct prism_run *run, const char *file)
{
	struct emu *emu = run->emu;
	struct object o;
	int rc = object_open(&o, &tool, emu->diag, file);
	if (o.handle)
		run->objects[run->nobjects++] = o.handle;
	for (size_t i = 0; i + 1 < run->nobjects && rc == 0; i++)
		if (run->objects[i] == o.handle)
			return diag_error(emu->diag, ERR_HOOKS, &(struct place){ .file = file },
				"the shared object is given twice: it has one set of variables only");
	return rc < 0 ? rc : prismrun_add(run, o.data, o.size, NULL, file);
}

/* Calls begin() of the hooks of a file, and of those that they add. */
static int
begin(struct prism_run *run, uint32_t first)
{
	for (uint32_t i = first; i < run->nhooks; i++) {
		struct prism_hook *k = &run->hooks[i];
		run->hook = i;
		k->began = true;
		prismgive_enlist(run, i);
		int rc = prismgive_returned(run, "begin", k->h.begin ? k->h.begin(k->u, run) : 0);
		if (rc < 0)
			return rc;
		diag_debug(run->emu->diag, "tool \"%s\" of %s", k->name, k->file);
	}
	return 0;
}

int
prismtools_open(struct prism_run **out, struct emu *emu, struct prism *p, const struct prism_machine *machine)
{
	const struct prism_options *o = p->options;
	*out = NULL;
	if (o->nhooks == 0)
		return 0;
	struct prism_run *run = arena_new(&emu->arena, struct prism_run, 1);
	if (!run)
		return diag_no_memory(emu->diag);
	run->emu = emu;
	run->prism = p;
	run->machine = machine;
	run->row = NO_INDEX;
	int rc = 0;
	for (size_t i = 0; i < o->nhooks && rc == 0; i++) {
		uint32_t first = run->nhooks;
		rc = load(run, o->hooks[i]);
		if (rc == 0)
			rc = begin(run, first);
	}
	if (rc == 0)
		rc = prismgive_begin(run);
	run->phase = PRISMRUN_EVENT;
	if (rc == 0)
		*out = run;
	else
		(void)prismtools_close(run);
	return rc;
}

/* ---- End. ---- */

static void
tell_skipped(struct prism_run *run, const struct prism_hook *k)
{
	for (unsigned kind = 0; kind < PRISMRUN_NEEDS; kind++)
		if (k->skipped[kind])
			diag_warn(run->emu->diag, NULL, "tool \"%s\" did not see %" PRIu64 " %s events: they do not show what it needs",
				k->name, k->skipped[kind], prism_kind_name(kind));
}

int
prismtools_close(struct prism_run *run)
{
	if (!run)
		return 0;
	int first = 0;
	run->phase = PRISMRUN_FINISH;
	for (uint32_t i = 0; i < run->nhooks; i++) {
		struct prism_hook *k = &run->hooks[i];
		tell_skipped(run, k);
		if (!k->began || k->gone || !k->h.finish)
			continue;
		run->hook = i;
		run->failed = 0;
		int rc = k->h.finish(k->u);
		rc = run->failed || rc < 0 ? prismgive_returned(run, "finish", rc) : 0;
		first = first ? first : rc;
	}
	while (run->nobjects)
		(void)dlclose(run->objects[--run->nobjects]);
	return first;
}
