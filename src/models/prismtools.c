/* SPDX-License-Identifier: MIT */
/* prismtools: loads the tools, gives them the events, and lets them finish. */
#include "prismrun.h"

#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <string.h>

#define SYMBOL "prism_tool"

static const char *const kind_names[PRISMRUN_KINDS] = { "mem", "comp", "sync", "cxt", "cf", "cfg", "buffer_end" };

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
	int rc = prismneeds_check(run, k);
	if (rc < 0)
		return rc;
	run->nhooks++;
	return 0;
}

/* Puts a hook on the lists of what it wants. */
static void
enlist(struct prism_run *run, uint32_t hook)
{
	const struct prism_hook *k = &run->hooks[hook];
	struct prism_entry e[PRISMRUN_KINDS] = {
		[PRISM_MEM].mem = k->h.mem,
		[PRISM_COMP].comp = k->h.comp,
		[PRISM_SYNC].sync = k->h.sync,
		[PRISM_CXT].cxt = k->h.cxt,
		[PRISM_CF].cf = k->h.cf,
		[PRISM_CFG].cfg = k->h.cfg,
		[PRISM_END].buffer_end = k->h.buffer_end,
	};
	const bool wants[PRISMRUN_KINDS] = { k->h.mem, k->h.comp, k->h.sync, k->h.cxt, k->h.cf, k->h.cfg, k->h.buffer_end };
	for (unsigned kind = 0; kind < PRISMRUN_KINDS; kind++) {
		struct prism_list *l = &run->lists[kind];
		e[kind].u = k->u;
		e[kind].hook = hook;
		if (wants[kind])
			l->entries[l->n++] = e[kind];
	}
}

static void
drop(struct prism_run *run, uint32_t hook)
{
	run->hooks[hook].gone = true;
	for (unsigned kind = 0; kind < PRISMRUN_KINDS; kind++) {
		struct prism_list *l = &run->lists[kind];
		uint32_t n = 0;
		for (uint32_t i = 0; i < l->n; i++)
			if (l->entries[i].hook != hook)
				l->entries[n++] = l->entries[i];
		l->n = n;
	}
}

/* What a function of a hook has returned: 0 goes on, 1 drops it, others end the run. */
static int
returned(struct prism_run *run, const char *function, int rc)
{
	struct prism_hook *k = &run->hooks[run->hook];
	if (run->failed) {
		k->gone = true;
		return run->failed;
	}
	if (rc == 0)
		return 0;
	if (rc == 1) {
		drop(run, run->hook);
		diag_debug(run->emu->diag, "tool \"%s\" is left alone from now on: %s returned 1", k->name, function);
		return 0;
	}
	k->gone = true;
	if (rc > 0)
		return prismrun_error(run, "%s returned %d, which is none of 0 (go on), 1 (leave me alone) and negative numbers (stop)", function, rc);
	return prismrun_error(run, "it stops the run: %s returned %d", function, rc);
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

/* The hooks that a file has brought, and those that they add. */
static int
begin(struct prism_run *run, uint32_t first)
{
	for (uint32_t i = first; i < run->nhooks; i++) {
		struct prism_hook *k = &run->hooks[i];
		run->hook = i;
		k->began = true;
		enlist(run, i);
		int rc = returned(run, "begin", k->h.begin ? k->h.begin(k->u, run) : 0);
		if (rc < 0)
			return rc;
		diag_debug(run->emu->diag, "tool \"%s\" of %s", k->name, k->file);
	}
	return 0;
}

int
prismtools_open(struct prism_run **out, struct emu *emu, struct prism *p)
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
	run->row = NO_INDEX;
	int rc = 0;
	for (size_t i = 0; i < o->nhooks && rc == 0; i++) {
		uint32_t first = run->nhooks;
		rc = load(run, o->hooks[i]);
		if (rc == 0)
			rc = begin(run, first);
	}
	if (rc == 0)
		rc = prismneeds_begin(run);
	run->phase = PRISMRUN_EVENT;
	if (rc == 0)
		*out = run;
	else
		(void)prismtools_close(run);
	return rc;
}

/* ---- Events. ---- */

static inline int
call(const struct prism_entry *e, unsigned kind, const struct prism_at *at, const struct prism_event *ev)
{
	switch (kind) {
	case PRISM_MEM: return e->mem(e->u, at, &ev->mem);
	case PRISM_COMP: return e->comp(e->u, at, &ev->comp);
	case PRISM_SYNC: return e->sync(e->u, at, &ev->sync);
	case PRISM_CXT: return e->cxt(e->u, at, &ev->cxt);
	case PRISM_CF: return e->cf(e->u, at, &ev->cf);
	case PRISM_CFG: return e->cfg(e->u, at, &ev->cfg);
	default: return e->buffer_end(e->u, at);
	}
}

/* All that want it, from entry i on: the first may have been called, and have returned rc. */
static int
give_rest(struct prism_run *run, const struct prism_event *ev, uint32_t i, bool called, int rc)
{
	unsigned kind = ev->kind;
	struct prism_list *l = &run->lists[kind];
	uint64_t lacks = kind < PRISMRUN_NEEDS ? run->lacks[run->at.stream * PRISMRUN_NEEDS + kind] : 0;
	for (; i < l->n; called = false) {
		uint32_t hook = run->hook = l->entries[i].hook;
		bool given = called || !(lacks >> hook & 1);
		if (!called)
			rc = given ? call(&l->entries[i], kind, &run->at, ev) : prismneeds_lack(run, kind);
		if (given && (rc || run->failed))
			rc = returned(run, kind_names[kind], rc);
		if (rc < 0)
			return rc;
		i += i < l->n && l->entries[i].hook == hook; /* or it was dropped */
	}
	return 0;
}

/* All that want it. The kind is known to the compiler, as this is done for each event. */
static inline __attribute__((always_inline)) int
give(struct prism_run *run, const struct prism_event *ev, unsigned kind)
{
	const struct prism_list *l = &run->lists[kind];
	if (kind < PRISMRUN_NEEDS && __builtin_expect(run->lacks[run->at.stream * PRISMRUN_NEEDS + kind] != 0, 0))
		return give_rest(run, ev, 0, false, 0);
	for (uint32_t i = 0; i < l->n; i++) {
		run->hook = l->entries[i].hook;
		int rc = call(&l->entries[i], kind, &run->at, ev);
		if (__builtin_expect((rc | run->failed) != 0, 0))
			return give_rest(run, ev, i, true, rc);
	}
	return 0;
}

/* The level of detail of a kind changes. */
static int
give_config(struct prism_run *run, const struct prism_event *ev)
{
	if (ev->cfg.target >= PRISM_KINDS)
		return 0; /* lenient: it changes nothing */
	prismneeds_set(run, run->at.stream, ev->cfg.target, ev->cfg.after);
	return give_rest(run, ev, 0, false, 0);
}

/* All but memory and compute events. */
static int
give_other(struct prism_run *run, const struct prism_event *ev)
{
	struct prism_event mine;
	if (ev->kind == PRISM_CFG)
		return give_config(run, ev);
	if (ev->kind == PRISM_SYNC && ev->sync.type >= PRISM_SYNCS) {
		mine = *ev;
		mine.sync.type = PRISM_SYNC_UNDEFINED;
		ev = &mine;
	}
	return give_rest(run, ev, 0, false, 0);
}

/* Says what the current event is. */
static inline const struct prism_event *
set_event(struct prism_run *run, const struct event *ev, uint32_t stream, uint32_t tid, uint32_t row)
{
	const struct prism_stream *s = &run->prism->streams[stream];
	run->at.stream = stream;
	run->at.process = (uint32_t)s->source.process;
	run->at.thread = tid;
	run->at.seq = s->seq;
	run->at.offset = s->offset;
	run->at.clock_ns = s->clock;
	run->ev = ev;
	run->row = row;
	return &s->ev;
}

int
prismtools_mem(struct prism_run *run, const struct event *ev, uint32_t stream, uint32_t tid, uint32_t row)
{
	return give(run, set_event(run, ev, stream, tid, row), PRISM_MEM);
}

int
prismtools_comp(struct prism_run *run, const struct event *ev, uint32_t stream, uint32_t tid, uint32_t row)
{
	return give(run, set_event(run, ev, stream, tid, row), PRISM_COMP);
}

int
prismtools_event(struct prism_run *run, const struct event *ev, uint32_t stream, uint32_t tid, uint32_t row)
{
	switch (run->prism->streams[stream].ev.kind) {
	case PRISM_MEM: return prismtools_mem(run, ev, stream, tid, row);
	case PRISM_COMP: return prismtools_comp(run, ev, stream, tid, row);
	default: return give_other(run, set_event(run, ev, stream, tid, row));
	}
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
		rc = run->failed || rc < 0 ? returned(run, "finish", rc) : 0;
		first = first ? first : rc;
	}
	while (run->nobjects)
		(void)dlclose(run->objects[--run->nobjects]);
	return first;
}
