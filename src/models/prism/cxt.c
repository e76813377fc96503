/* SPDX-License-Identifier: MIT */
/* cxt: contexts: the stacks of entered functions, operators and nets, and blocks and
 * instructions. */
#include "parts.h"
#include "prism/names.h"

#include <inttypes.h>

static const uint8_t channels[PRISM_STACKS] = {
	[PRISM_FUNCTIONS] = FUNC,
	[PRISM_OPERATORS] = OPERATOR,
	[PRISM_NETS] = NET,
};

/* ---- Stacks. ---- */

/* Adds a name to the list. Returns its index, or 0: no memory (reported). */
static uint32_t
add_index(struct emu *emu, struct prism_labels *k, const struct prism_name *name)
{
	const struct prism_name **list = arena_grow(&emu->arena, k->list, k->n, &k->cap, sizeof(void *));
	if (!list) {
		(void)diag_no_memory(emu->diag);
		return 0;
	}
	k->list = list;
	list[k->n++] = name;
	return (uint32_t)k->n;
}

int
prismcxt_number(struct emu *emu, struct prismmodel *d, const struct prism_cxt *c)
{
	enum prism_stack_kind kind = prism_stack_of(c->type);
	struct prism_labels *k = &d->stacks[kind];
	uint32_t *index = d->step.name ? &d->step.name->user[kind] : &k->unnamed;
	if (!prism_cxt_enters(c->type) || *index)
		return 0;
	*index = add_index(emu, k, d->step.name);
	return *index ? 0 : -ERR_MEMORY;
}

/* Shows a change of a stack by the step, in the stack of a channel. */
static int
show_stack(struct emu *emu, const struct event *ev, struct prismmodel *d, const struct prism_cxt *c)
{
	const struct prism_step *step = &d->step;
	enum prism_stack_kind kind = prism_stack_of(c->type);
	int rc = 0;
	if (step->pushed)
		rc = emu_push(emu, ev, channels[kind], step->name ? step->name->user[kind] : d->stacks[kind].unnamed);
	else if (step->popped == 1)
		rc = emu_pop(emu, ev, channels[kind], emu_top(emu, channels[kind]));
	else if (step->popped)
		rc = emu_truncate(emu, ev, channels[kind], step->stack->n);
	if (rc < 0 || !step->changed || kind != PRISM_FUNCTIONS)
		return rc;
	rc = emu_set(emu, ev, FUNC_DEPTH, (int64_t)(step->stack->n + step->stack->deeper));
	return rc == 0 && d->p->options->interval == PRISM_INTERVAL_FUNC ? prismspan_close(emu, ev, d) : rc;
}

/* ---- Blocks and instructions. ---- */

/* Shows the number of a block or an instruction. */
static int
take_address(struct emu *emu, const struct event *ev, const struct prism_cxt *c, struct prism_index *x, int chan)
{
	if (!(c->has & PRISM_HAS_ID))
		return 0;
	uint32_t index = prismmodel_index(emu, x, c->id);
	return index ? emu_set(emu, ev, chan, index) : -ERR_MEMORY;
}

int
prismcxt_take(struct emu *emu, const struct event *ev, struct prismmodel *d, const struct prism_cxt *c)
{
	if (d->step.stack)
		return show_stack(emu, ev, d, c);
	if (c->type == PRISM_BB)
		return take_address(emu, ev, c, &d->blocks, BB);
	return c->type == PRISM_INSN && d->p->options->insn ? take_address(emu, ev, c, &d->insns, INSN) : 0;
}

/* ---- Labels. ---- */

static int
label_names(struct emu *emu, const struct prism_labels *k, int chan)
{
	int rc = 0;
	for (size_t i = 0; i < k->n && rc == 0; i++) {
		char text[PRISMISSUE_TEXT];
		const struct prism_name *name = k->list[i];
		const char *label = arena_printf(&emu->arena, "%s", name ? prismissue_text(text, name) : "(no name)");
		rc = label ? emu_add_label(emu, chan, (int64_t)i + 1, label) : diag_no_memory(emu->diag);
	}
	return rc;
}

static int
label_keys(struct emu *emu, const struct prism_index *x, int chan)
{
	int rc = 0;
	for (const struct prism_key *k = x->first; k && k->number <= LABELS_MAX && rc == 0; k = k->next) {
		const char *label = arena_printf(&emu->arena, "%#" PRIx64, k->key);
		rc = label ? emu_add_label(emu, chan, k->number, label) : diag_no_memory(emu->diag);
	}
	return rc;
}

int
prismcxt_label(struct emu *emu, struct prismmodel *d)
{
	int rc = 0;
	for (int kind = 0; kind < PRISM_STACKS && rc == 0; kind++)
		rc = label_names(emu, &d->stacks[kind], channels[kind]);
	if (rc == 0)
		rc = label_keys(emu, &d->blocks, BB);
	if (rc == 0)
		rc = label_keys(emu, &d->insns, INSN);
	return rc < 0 ? rc : label_keys(emu, &d->objects, SYNC_OBJECT);
}
