/* SPDX-License-Identifier: MIT */
/* tools: loads the tools, lets them begin, and lets them finish. */
#include "tools.h"

#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <string.h>

#define SYMBOL "prism_tool"

/* ---- Registration. ---- */

int
prismrun_add(struct prism_run *run, const struct prism_hooks *h, void *u, const char *file)
{
	struct prism_hook *k = &run->hooks[run->nhooks];
	if (run->nhooks == PRISMRUN_HOOKS)
		return diag_error(run->emu->diag, ERR_HOOKS, &(struct place){ .file = file }, "there are more than %d hooks in all tools", PRISMRUN_HOOKS);
	const char *slash = strrchr(file, '/');
	const char *name = h->name && *h->name ? h->name : slash ? slash + 1
								 : file;
	*k = (struct prism_hook){ .h = *h, .u = u, .file = file, .name = arena_strndup(&run->emu->arena, name, strlen(name)) };
	if (!k->name)
		return diag_no_memory(run->emu->diag);
	int rc = prismgive_check(run, k);
	if (rc < 0)
		return rc;
	run->nhooks++;
	return 0;
}

/* ---- Begin. ---- */

/* The symbol of an object, if it is a struct prism_hooks by its kind and size. */
static const struct prism_hooks *
find_tool(struct prism_run *run, void *object, const char *file)
{
	struct diag *d = run->emu->diag;
	struct place at = { .file = file };
	const void *tool = dlsym(object, SYMBOL);
	Dl_info info;
	void *entry = NULL;
	if (!tool) {
		(void)diag_error(d, ERR_HOOKS, &at, "the shared object exports no " SYMBOL "\n"
						    "hint: it needs a global 'const struct prism_hooks " SYMBOL "', see doc/prism.md");
		return NULL;
	}
	if (!dladdr1(tool, &info, &entry, RTLD_DL_SYMENT) || !entry)
		return tool;
	const ElfW(Sym) *sym = entry;
	bool data = ELF64_ST_TYPE(sym->st_info) == STT_OBJECT;
	if (data && sym->st_size == sizeof(struct prism_hooks))
		return tool;
	(void)diag_error(d, ERR_HOOKS, &at, "its " SYMBOL " is no struct prism_hooks of this version: it has %" PRIu64 " bytes%s, not %zu\n"
					    "hint: build it with the prism_hooks.h of this ovniscope",
		(uint64_t)sym->st_size, data ? "" : " and is no object", sizeof(struct prism_hooks));
	return NULL;
}

static int
load(struct prism_run *run, const char *file)
{
	struct emu *emu = run->emu;
	struct place at = { .file = file };
	/* A name without '/' would be looked for in the folders of libraries. */
	const char *path = strchr(file, '/') ? file : arena_printf(&emu->arena, "./%s", file);
	if (!path)
		return diag_no_memory(emu->diag);
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object)
		return diag_error(emu->diag, ERR_HOOKS, &at, "the shared object cannot be loaded: %s", dlerror());
	run->objects[run->nobjects++] = object;
	for (size_t i = 0; i + 1 < run->nobjects; i++)
		if (run->objects[i] == object)
			return diag_error(emu->diag, ERR_HOOKS, &at, "the shared object is given twice: it has one set of variables only");
	const struct prism_hooks *h = find_tool(run, object, file);
	return h ? prismrun_add(run, h, NULL, file) : -ERR_HOOKS;
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
