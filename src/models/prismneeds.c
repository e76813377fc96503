/* SPDX-License-Identifier: MIT */
/* prismneeds: what tools need of events, and which levels of detail show it. */
#include "prismrun.h"

#include <inttypes.h>

struct field {
	uint8_t bit;
	uint8_t with; /* bits that must be set too */
	uint32_t has;
	const char *name;
};

/* In the order of the bits, from the highest. */
static const struct field fields[PRISMRUN_NEEDS][5] = {
	[PRISM_MEM] = {
		{ 0x80, 0, PRISM_HAS_TYPE, "the type" },
		{ 0x40, 0, PRISM_HAS_SIZE, "the size" },
		{ 0x20, 0, PRISM_HAS_ADDR, "the address" },
		{ 0x10, 0, PRISM_HAS_ID, "the id" },
	},
	[PRISM_COMP] = {
		{ 0x80, 0, PRISM_HAS_FORMAT, "the format" },
		{ 0x40, 0, PRISM_HAS_SIZE, "the size" },
		{ 0x20, 0, PRISM_HAS_OP, "the operation" },
		{ 0x10, 0, PRISM_HAS_ARITY, "the arity" },
		{ 0x08, 0x10, PRISM_HAS_ARGS, "the ids of operands" },
	},
	[PRISM_SYNC] = {
		{ 0x80, 0, PRISM_HAS_TYPE, "the type" },
		{ 0x40, 0x80, PRISM_HAS_ARGS, "the arguments" },
	},
	[PRISM_CXT] = {
		{ 0x80, 0, PRISM_HAS_TYPE, "the type" },
		{ 0x40, 0x80, PRISM_HAS_ID, "the id" },
		{ 0x40, 0x80, PRISM_HAS_NAME, "the name" },
	},
};

static uint32_t
need_of(const struct prism_needs *n, unsigned kind)
{
	const uint32_t needs[PRISMRUN_NEEDS] = { n->mem, n->comp, n->sync, n->cxt };
	return needs[kind];
}

/* The first of the fields that is needed and that this level of detail does not show. */
static const struct field *
missing(uint32_t need, unsigned kind, uint8_t detail)
{
	for (size_t i = 0; i < 5; i++) {
		const struct field *f = &fields[kind][i];
		uint8_t bits = f->bit | f->with;
		if ((need & f->has) && (detail & bits) != bits)
			return f;
	}
	return NULL;
}

int
prismneeds_check(struct prism_run *run, const struct prism_hook *k)
{
	for (unsigned kind = 0; kind < PRISMRUN_NEEDS; kind++) {
		uint32_t known = 0;
		for (size_t i = 0; i < 5; i++)
			known |= fields[kind][i].has;
		uint32_t odd = need_of(&k->h.needs, kind) & ~known;
		if (odd)
			return diag_error(run->emu->diag, ERR_HOOKS, &(struct place){ .file = k->file },
				"tool \"%s\": its needs of %s events have bits that no such event has: %#" PRIx32, k->name, prism_kind_name(kind), odd);
	}
	return 0;
}

void
prismneeds_set(struct prism_run *run, uint32_t stream, unsigned kind, uint8_t detail)
{
	if (kind >= PRISMRUN_NEEDS)
		return;
	uint64_t *lacks = &run->lacks[stream * PRISMRUN_NEEDS + kind];
	*lacks = 0;
	for (uint32_t i = 0; i < run->nhooks; i++)
		if (missing(need_of(&run->hooks[i].h.needs, kind), kind, detail))
			*lacks |= UINT64_C(1) << i;
}

int
prismneeds_begin(struct prism_run *run)
{
	const struct prism *p = run->prism;
	run->lacks = arena_new(&run->emu->arena, uint64_t, (size_t)p->nstreams * PRISMRUN_NEEDS);
	if (!run->lacks)
		return diag_no_memory(run->emu->diag);
	for (uint32_t i = 0; i < p->nstreams; i++) {
		struct prism_state st;
		prism_begin(&st, &p->streams[i].source.settings);
		for (unsigned kind = 0; kind < PRISMRUN_NEEDS; kind++)
			prismneeds_set(run, i, kind, st.detail[kind]);
	}
	return 0;
}

int
prismneeds_lack(struct prism_run *run, unsigned kind)
{
	static const char *const keys[] = { "mem", "comp", "sync", "cxt" };
	struct prism_hook *k = &run->hooks[run->hook];
	if (run->prism->options->needs_skip) {
		k->skipped[kind]++;
		return 0;
	}
	uint8_t detail = run->prism->streams[run->at.stream].in.state.detail[kind];
	const struct field *f = missing(need_of(&k->h.needs, kind), kind, detail);
	return prismrun_error(run,
		"it needs %s of %s events, which the level of detail does not show (%s=%02x)\n"
		"hint: record the stream with more detail, or let such events bypass the tool with --prism-needs=skip",
		f ? f->name : "more", prism_kind_name(kind), keys[kind], detail);
}
