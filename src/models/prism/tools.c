/* SPDX-License-Identifier: MIT */
/* tools: loads the tools, lets them begin, and lets them finish. */
#include "tools.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

/* ---- Registration. ---- */

int
prismrun_add(struct prism_run *run, const struct prism_hooks *h, void *u, struct arguments *arguments)
{
	struct emu *emu = run->emu;
	const char *file = arguments->file;
	struct prism_hook *k = &run->hooks[run->nhooks];
	if (run->nhooks == PRISMRUN_HOOKS)
		return emu_file_error(emu, file, "hooks", "there are more than %d hooks in all tools", PRISMRUN_HOOKS);
	*k = (struct prism_hook){ .h = *h, .u = u, .file = file, .arguments = arguments };
	const char *slash = strrchr(file, '/');
	const char *name = h->name && *h->name ? h->name : slash ? slash + 1
								 : file;
	k->name = emu_strndup(emu, name, strlen(name));
	int rc = k->name ? prismgive_check(run, k) : emu_no_memory(emu);
	run->nhooks += rc == 0;
	return rc;
}

/* ---- Begin. ---- */

static int
load(struct prism_run *run, const char *option, struct arguments *arguments)
{
	struct prism_hooks h;
	void *handle;
	char why[ARGUMENTS_WHY];
	if (arguments_read(arguments, option, why) < 0)
		return emu_file_error(run->emu, option, "hooks", "%s", why);
	const char *file = arguments->file;
	int rc = prism_load(run->prism, file, &handle, &h);
	if (handle)
		run->objects[run->nobjects++] = handle;
	for (size_t i = 0; i + 1 < run->nobjects && rc == 0; i++)
		if (run->objects[i] == handle)
			return emu_file_error(run->emu, file, "hooks", "the shared object is given twice: it has one set of variables only");
	return rc < 0 ? emu_stop(run->emu, "hooks") : prismrun_add(run, &h, NULL, arguments);
}

/* Calls begin() of the hooks of a file, and of those that they add; then all its arguments must be known. */
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
		emu_debug(run->emu, "tool \"%s\" of %s", k->name, k->file);
	}
	char why[ARGUMENTS_WHY];
	if (arguments_check(run->hooks[first].arguments, why) == 0)
		return 0;
	/* It has seen nothing, so there is nothing that it might finish. */
	for (uint32_t i = first; i < run->nhooks; i++)
		run->hooks[i].gone = true;
	run->hook = first;
	return prismrun_error(run, "%s", why);
}

struct prism_run *
prismtools_open(struct emu *emu, struct prism *p, const struct prism_machine *machine)
{
	const struct prism_options *o = p->options;
	struct prism_run *run = o->nhooks ? emu_alloc(emu, sizeof(*run)) : NULL;
	if (!run)
		return NULL;
	run->emu = emu;
	run->prism = p;
	run->machine = machine;
	run->row = NO_INDEX;
	int rc = 0;
	for (size_t i = 0; i < o->nhooks && rc == 0; i++) {
		uint32_t first = run->nhooks;
		rc = load(run, o->hooks[i], &run->arguments[i]);
		if (rc == 0)
			rc = begin(run, first);
	}
	if (rc == 0)
		rc = prismgive_begin(run);
	run->phase = PRISMRUN_EVENT;
	if (rc == 0)
		return run;
	prismtools_close(run);
	return NULL;
}

/* ---- End. ---- */

static void
tell_skipped(struct prism_run *run, const struct prism_hook *k)
{
	for (unsigned kind = 0; kind < PRISMRUN_NEEDS; kind++)
		if (k->skipped[kind])
			emu_warn(run->emu, "tool \"%s\" did not see %" PRIu64 " %s events: they do not show what it needs",
				k->name, k->skipped[kind], prism_kind_name(kind));
}

void
prismtools_close(struct prism_run *run)
{
	if (!run)
		return;
	run->phase = PRISMRUN_FINISH;
	for (uint32_t i = 0; i < run->nhooks; i++) {
		struct prism_hook *k = &run->hooks[i];
		tell_skipped(run, k);
		if (!k->began || k->gone || !k->h.finish)
			continue;
		run->hook = i;
		run->failed = 0;
		int rc = k->h.finish(k->u);
		if (run->failed || rc < 0)
			(void)prismgive_returned(run, "finish", rc);
	}
	while (run->nobjects)
		(void)dlclose(run->objects[--run->nobjects]);
	for (size_t i = 0; i < PRISM_TOOLS; i++)
		arguments_finish(&run->arguments[i]);
}
