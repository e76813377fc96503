/* SPDX-License-Identifier: MIT */
/* cxt: contexts: the stacks of entered functions, operators and nets, and blocks and
 * instructions. */
#include "parts.h"
#include "prism/names.h"

#include <inttypes.h>
#include <stdio.h>

static const uint8_t channels[PRISM_STACKS] = {
	[PRISM_FUNCTIONS] = FUNC,
	[PRISM_OPERATORS] = OPERATOR,
	[PRISM_NETS] = NET,
};

/* ---- Numbers. ---- */

uint32_t
prismcxt_index(struct emu *emu, struct prismmodel_numbers *x, int chan, uint64_t key)
{
	/* Mixed with the address of the table, so that collisions differ between runs. */
	void **slot = emu_map_slot(emu, x->map, key ^ (uint64_t)(uintptr_t)x->map * UINT64_C(0x9e3779b97f4a7c15));
	if (slot && *slot)
		return *(uint32_t *)*slot;
	uint32_t *n = slot ? *slot = emu_alloc(emu, sizeof(*n)) : NULL;
	if (!n)
		return 0;
	*n = ++x->n;
	char label[24];
	(void)snprintf(label, sizeof(label), "%#" PRIx64, key);
	if (*n <= LABELS_MAX)
		(void)emu_add_label(emu, chan, *n, label);
	return *n;
}

static void
add_number(struct emu *emu, struct prismmodel *d, enum prism_stack_kind kind, uint32_t *number, const char *text)
{
	if (*number)
		return;
	*number = ++d->nnames[kind];
	(void)emu_add_label(emu, channels[kind], *number, text);
}

void
prismcxt_number(struct emu *emu, struct prismmodel *d, const struct prism_cxt *c, bool brief)
{
	char text[PRISMISSUE_TEXT];
	enum prism_stack_kind kind = prism_stack_of(c->type);
	struct prism_name *name = d->step.name;
	uint32_t *number = name ? &name->user[kind] : &d->unnamed[kind];
	bool enters = prism_cxt_enters(c->type);
	d->hidden = enters && d->filters && kind == PRISM_FUNCTIONS && prismfilter_hides(emu, d, brief);
	if (enters && !d->hidden && !*number)
		add_number(emu, d, kind, number, name ? prismissue_text(text, name) : PRISM_UNNAMED);
}

/* ---- Events. ---- */

static uint32_t
number_of(const struct prismmodel *d, enum prism_stack_kind kind, const struct prism_name *name)
{
	return name ? name->user[kind] : d->unnamed[kind];
}

/* A stack that is full shows that there are deeper contexts in place of the one on top. */
static void
show_cut(struct emu *emu, struct prismmodel *d, enum prism_stack_kind kind, bool enters)
{
	char text[40];
	const struct prism_stack *k = d->step.stack;
	if (k->deeper != (enters ? 1 : 0))
		return;
	(void)snprintf(text, sizeof(text), "(deeper than %d)", PRISM_DEPTH_MAX);
	add_number(emu, d, kind, &d->cut[kind], text);
	(void)emu_replace(emu, channels[kind], enters ? d->cut[kind] : number_of(d, kind, k->frames[k->n - 1].name));
}

/* Shows a change of a stack by the step, in the stack of a channel. */
static void
show_stack(struct emu *emu, struct prismmodel *d, const struct prism_cxt *c)
{
	const struct prism_step *step = &d->step;
	enum prism_stack_kind kind = prism_stack_of(c->type);
	struct prism_stack *k = step->stack;
	bool enters = step->pushed && !d->hidden;
	bool deeper = step->changed && !step->pushed && !step->popped && !(d->filters && kind == PRISM_FUNCTIONS);
	uint32_t *shown = &d->threads[step->thread->number].shown[kind];
	uint32_t left = 0;
	for (uint32_t i = 0; i < step->popped; i++)
		left += k->frames[k->n + i].user;
	*shown -= left;
	if (enters) {
		k->frames[k->n - 1].user = 1;
		++*shown;
		(void)emu_push(emu, channels[kind], number_of(d, kind, step->name));
	} else if (left == 1) {
		(void)emu_pop(emu, channels[kind], emu_value(emu, channels[kind]));
	} else if (left) {
		(void)emu_truncate(emu, channels[kind], *shown);
	} else if (deeper) {
		show_cut(emu, d, kind, prism_cxt_enters(c->type));
	}
	if (kind != PRISM_FUNCTIONS || !(enters || left || deeper))
		return;
	(void)emu_set(emu, FUNC_DEPTH, (int64_t)(*shown + (d->filters ? 0 : k->deeper)));
	if (d->p->options->interval == PRISM_INTERVAL_FUNC)
		prismspan_close(emu, d);
}

/* Shows the number of a block or an instruction. */
static void
take_address(struct emu *emu, const struct prism_cxt *c, struct prismmodel_numbers *x, int chan)
{
	if (c->has & PRISM_HAS_ID)
		(void)emu_set(emu, chan, prismcxt_index(emu, x, chan, c->id));
}

void
prismcxt_note(const struct prismmodel *d, const struct prism_cxt *c)
{
	struct prism_inside *in = &d->inside[d->step.thread->number];
	struct prism_entered *const entered[PRISM_STACKS] = {
		[PRISM_FUNCTIONS] = &in->function,
		[PRISM_OPERATORS] = &in->op,
		[PRISM_NETS] = &in->net,
	};
	const struct prism_stack *k = d->step.stack;
	if (k) {
		const struct prism_name *name = k->n && !k->deeper ? k->frames[k->n - 1].name : NULL;
		struct prism_entered *e = entered[prism_stack_of(c->type)];
		e->name = name ? name->text : NULL;
		e->name_len = name ? name->len : 0;
		e->name_id = name ? name->id : 0;
		e->depth = k->n + k->deeper;
	} else if (c->type == PRISM_BB && c->has & PRISM_HAS_ID) {
		in->has_block = true;
		in->block = c->id;
	} else if (c->type == PRISM_INSN && c->has & PRISM_HAS_ID) {
		in->has_insn = true;
		in->insn = c->id;
	}
}

void
prismcxt_take(struct emu *emu, struct prismmodel *d, const struct prism_cxt *c)
{
	if (d->step.stack)
		show_stack(emu, d, c);
	else if (c->type == PRISM_BB)
		take_address(emu, c, &d->blocks, BB);
	else if (c->type == PRISM_INSN && d->p->options->insn)
		take_address(emu, c, &d->insns, INSN);
}
