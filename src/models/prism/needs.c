/* SPDX-License-Identifier: MIT */
/* needs: compares the fields that tools need with the levels of detail of the streams. */
#include "toolrun.h"

#include <inttypes.h>

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
prismneeds_check(struct prism_run *run, const struct prism_hook *k)
{
	for (unsigned kind = 0; kind < PRISMRUN_NEEDS; kind++) {
		uint32_t odd = need_of(&k->h.needs, kind) & ~prism_detail_has(kind, 0xff);
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
		if (need_of(&run->hooks[i].h.needs, kind) & ~prism_detail_has(kind, detail))
			*lacks |= UINT64_C(1) << i;
	prismgive_select(run, stream, kind);
}

int
prismneeds_begin(struct prism_run *run)
{
	const struct prism *p = run->prism;
	size_t nfirst = (size_t)p->nstreams * PRISMRUN_FIRST;
	run->lacks = arena_new(&run->emu->arena, uint64_t, (size_t)p->nstreams * PRISMRUN_NEEDS);
	run->first = arena_new(&run->emu->arena, const struct prism_entry *, nfirst);
	if (!run->lacks || !run->first)
		return diag_no_memory(run->emu->diag);
	for (uint32_t i = 0; i < p->nstreams; i++)
		for (unsigned kind = 0; kind < PRISMRUN_NEEDS; kind++)
			prismneeds_set(run, i, kind, run->machine->cores[i].detail[kind]);
	return 0;
}

int
prismneeds_lack(struct prism_run *run, unsigned kind)
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
