/* SPDX-License-Identifier: MIT */
/* give: gives the events to the tools that want them.
 *
 * Most events of a stream are of memory and compute, and must cost next to nothing: the hook that
 * such an event calls is chosen ahead, for each stream. */
#include "tools.h"

#include <inttypes.h>

static const char *const kind_names[PRISMRUN_KINDS] = { "mem", "comp", "sync", "cxt", "cf", "cfg", "buffer_end" };

/* ---- Hooks called directly. ---- */

/* Stands for a direct call while some tool needs fields that the events lack: takes the slow
 * path. */
static int
later_mem(void *u, const struct prism_at *at, const struct prism_mem *ev)
{
	(void)u;
	(void)at;
	(void)ev;
	return 1;
}

static int
later_comp(void *u, const struct prism_at *at, const struct prism_comp *ev)
{
	(void)u;
	(void)at;
	(void)ev;
	return 1;
}

static const struct prism_entry later[PRISMRUN_FIRST] = {
	[PRISM_MEM] = { .mem = later_mem, .hook = NO_INDEX },
	[PRISM_COMP] = { .comp = later_comp, .hook = NO_INDEX },
};

/* Chooses the hook that events of a kind of a stream call directly. */
static void
choose_first(struct prism_run *run, uint32_t stream, unsigned kind)
{
	if (kind >= PRISMRUN_FIRST)
		return;
	const struct prism_list *l = &run->lists[kind];
	uint64_t lacks = run->lacks[stream * PRISMRUN_NEEDS + kind];
	bool lacking = false;
	for (uint32_t i = 0; i < l->n; i++)
		lacking = lacking || lacks >> l->entries[i].hook & 1;
	const struct prism_entry *first = lacking ? &later[kind] : l->entries;
	run->first[stream * PRISMRUN_FIRST + kind] = l->n ? first : NULL;
}

/* ---- Lists of hooks by kind. ---- */

void
prismgive_enlist(struct prism_run *run, uint32_t hook)
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
		if (!wants[kind])
			continue;
		if (l->n)
			l->entries[l->n - 1].more = true;
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
		if (n)
			l->entries[n - 1].more = false;
	}
	for (uint32_t i = 0; run->first && i < run->prism->nstreams; i++)
		for (unsigned kind = 0; kind < PRISMRUN_FIRST; kind++)
			choose_first(run, i, kind);
}

int
prismgive_returned(struct prism_run *run, const char *function, int rc)
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
		emu_debug(run->emu, "tool \"%s\" is left alone from now on: %s returned 1", k->name, function);
		return 0;
	}
	k->gone = true;
	if (rc > 0)
		return prismrun_error(run, "%s returned %d, which is none of 0 (go on), 1 (leave me alone) and negative numbers (stop)", function, rc);
	return prismrun_error(run, "it stops the run: %s returned %d", function, rc);
}

/* ---- Fields that hooks need. ---- */

static uint32_t
need_of(const struct prism_needs *n, unsigned kind)
{
	const uint32_t needs[PRISMRUN_NEEDS] = { n->mem, n->comp, n->sync, n->cxt };
	return needs[kind];
}

/* Names the first of the fields in a mask. */
static const char *
field_name(unsigned kind, uint32_t has)
{
	static const char *const names[] = { "the type", "the size", "the address", "the id", "the format", "the operation", "the arity",
		"the arguments", "the name" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (has >> i & 1)
			return (1U << i) == PRISM_HAS_ARGS && kind == PRISM_COMP ? "the ids of operands" : names[i];
	return "more";
}

int
prismgive_check(struct prism_run *run, const struct prism_hook *k)
{
	for (unsigned kind = 0; kind < PRISMRUN_NEEDS; kind++) {
		uint32_t odd = need_of(&k->h.needs, kind) & ~prism_detail_has(kind, 0xff);
		if (odd)
			return emu_file_error(run->emu, k->file, "hooks",
				"tool \"%s\": its needs of %s events have bits that no such event has: %#" PRIx32, k->name, prism_kind_name(kind), odd);
	}
	return 0;
}

/* Finds the hooks that need fields which the events of a stream lack. */
static void
set_needs(struct prism_run *run, uint32_t stream, unsigned kind, uint8_t detail)
{
	if (kind >= PRISMRUN_NEEDS)
		return;
	uint64_t *lacks = &run->lacks[stream * PRISMRUN_NEEDS + kind];
	*lacks = 0;
	for (uint32_t i = 0; i < run->nhooks; i++)
		if (need_of(&run->hooks[i].h.needs, kind) & ~prism_detail_has(kind, detail))
			*lacks |= UINT64_C(1) << i;
	choose_first(run, stream, kind);
}

int
prismgive_begin(struct prism_run *run)
{
	const struct prism *p = run->prism;
	run->lacks = emu_alloc(run->emu, p->nstreams * PRISMRUN_NEEDS * sizeof(*run->lacks));
	run->first = emu_alloc(run->emu, p->nstreams * PRISMRUN_FIRST * sizeof(const struct prism_entry *));
	if (!run->lacks || !run->first)
		return emu_no_memory(run->emu);
	for (uint32_t i = 0; i < p->nstreams; i++)
		for (unsigned kind = 0; kind < PRISMRUN_NEEDS; kind++)
			set_needs(run, i, kind, run->machine->cores[i].detail[kind]);
	return 0;
}

/* Handles an event that lacks fields the current hook needs. */
static int
lack(struct prism_run *run, unsigned kind)
{
	struct prism_hook *k = &run->hooks[run->hook];
	if (run->prism->options->needs_skip) {
		k->skipped[kind]++;
		return 0;
	}
	uint8_t detail = run->machine->cores[run->at->stream].detail[kind];
	uint32_t missing = need_of(&k->h.needs, kind) & ~prism_detail_has(kind, detail);
	return prismrun_error(run,
		"it needs %s of %s events, which the level of detail does not show (%s=%02x)\n"
		"hint: record the stream with more detail, or let such events bypass the tool with --prism-needs=skip",
		field_name(kind, missing), prism_kind_name(kind), prism_kind_words[kind], detail);
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

/* Calls the hooks of the event's kind from entry i on. called: the first was already, and
 * returned rc. */
static int
give_rest(struct prism_run *run, const struct prism_event *ev, uint32_t i, bool called, int rc)
{
	unsigned kind = ev->kind;
	const struct prism_at *at = run->at;
	struct prism_list *l = &run->lists[kind];
	uint64_t lacks = kind < PRISMRUN_NEEDS ? run->lacks[at->stream * PRISMRUN_NEEDS + kind] : 0;
	for (; i < l->n; called = false) {
		uint32_t hook = run->hook = l->entries[i].hook;
		bool given = called || !(lacks >> hook & 1);
		if (!called)
			rc = given ? call(&l->entries[i], kind, at, ev) : lack(run, kind);
		if (given && (rc || run->failed))
			rc = prismgive_returned(run, kind_names[kind], rc);
		if (rc < 0)
			return rc;
		i += i < l->n && l->entries[i].hook == hook; /* a dropped hook has left the list */
	}
	return 0;
}

/* A directly called hook returned non-zero, or has failed. */
static int __attribute__((noinline))
go_on(struct prism_run *run, int rc)
{
	const struct prism_event *ev = &((const struct prism_record *)run->ev->record)->ev;
	const struct prism_list *l = &run->lists[ev->kind];
	uint32_t i = 0;
	if (run->hook == NO_INDEX)
		return give_rest(run, ev, 0, false, 0);
	while (l->entries[i].hook != run->hook)
		i++;
	return give_rest(run, ev, i, true, rc);
}

/* Sets the current event. Returns it. */
static inline const struct prism_event *
set_event(struct prism_run *run, const struct event *ev, struct prism_at *at, uint32_t row)
{
	const struct prism_record *r = ev->record;
	at->seq = r->seq;
	at->offset = r->offset;
	at->clock_ns = r->clock_ns;
	run->ev = ev;
	run->at = at;
	run->row = row;
	return &r->ev;
}

/* Inlined for a constant kind: this runs for each event. */
static inline __attribute__((always_inline)) int
give(struct prism_run *run, const struct event *ev, struct prism_at *at, uint32_t row, unsigned kind)
{
	const struct prism_entry *e = run->first[at->stream * PRISMRUN_FIRST + kind];
	if (!e)
		return 0;
	const struct prism_event *pe = set_event(run, ev, at, row);
	do {
		run->hook = e->hook;
		int rc = call(e, kind, at, pe);
		if (__builtin_expect((rc | run->failed) != 0, 0))
			return go_on(run, rc);
	} while (__builtin_expect(e++->more, 0));
	return 0;
}

void
prismtools_mem(struct prism_run *run, const struct event *ev, struct prism_at *at, uint32_t row)
{
	(void)give(run, ev, at, row, PRISM_MEM);
}

void
prismtools_comp(struct prism_run *run, const struct event *ev, struct prism_at *at, uint32_t row)
{
	(void)give(run, ev, at, row, PRISM_COMP);
}

/* Handles a change of the level of detail. */
static void
give_config(struct prism_run *run, const struct prism_event *ev)
{
	if (ev->cfg.target >= PRISM_KINDS)
		return; /* lenient: it changes nothing */
	set_needs(run, run->at->stream, ev->cfg.target, ev->cfg.after);
	(void)give_rest(run, ev, 0, false, 0);
}

void
prismtools_event(struct prism_run *run, const struct event *ev, struct prism_at *at, uint32_t row, const struct prism_name *name)
{
	const struct prism_event *pe = &((const struct prism_record *)ev->record)->ev;
	switch (pe->kind) {
	case PRISM_MEM: prismtools_mem(run, ev, at, row); return;
	case PRISM_COMP: prismtools_comp(run, ev, at, row); return;
	default: (void)set_event(run, ev, at, row); break;
	}
	if (pe->kind == PRISM_CFG) {
		give_config(run, pe);
		return;
	}
	struct prism_event mine = *pe;
	if (pe->kind == PRISM_SYNC && pe->sync.type >= PRISM_SYNCS)
		mine.sync.type = PRISM_SYNC_UNDEFINED;
	if (name) {
		mine.cxt.name = name->text;
		mine.cxt.name_id = name->id;
	}
	(void)give_rest(run, &mine, 0, false, 0);
}
