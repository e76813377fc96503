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

int
prismcxt_index(struct emu *emu, struct idmap *x, int chan, uint64_t key, uint32_t *number)
{
	/* Mixed with the address of the table, so that collisions differ between runs. */
	struct idmap_slot *slot = idmap_slot(x, &emu->arena, key ^ (uint64_t)(uintptr_t)x * UINT64_C(0x9e3779b97f4a7c15));
	uint32_t *n = slot ? slot->value : NULL;
	*number = n ? *n : (uint32_t)x->n;
	if (n)
		return 0;
	n = slot ? slot->value = arena_new(&emu->arena, uint32_t, 1) : NULL;
	const char *label = n && *number <= LABELS_MAX ? arena_printf(&emu->arena, "%#" PRIx64, key) : "";
	if (!n || !label)
		return diag_no_memory(emu->diag);
	*n = *number;
	return *label ? emu_add_label(emu, chan, *number, label) : 0;
}

static int
add_number(struct emu *emu, struct prismmodel *d, enum prism_stack_kind kind, uint32_t *number, const char *text)
{
	if (*number)
		return 0;
	*number = ++d->nnames[kind];
	const char *label = arena_printf(&emu->arena, "%s", text);
	return label ? emu_add_label(emu, channels[kind], *number, label) : diag_no_memory(emu->diag);
}

int
prismcxt_number(struct emu *emu, struct prismmodel *d, const struct prism_cxt *c)
{
	char text[PRISMISSUE_TEXT];
	enum prism_stack_kind kind = prism_stack_of(c->type);
	struct prism_name *name = d->step.name;
	uint32_t *number = name ? &name->user[kind] : &d->unnamed[kind];
	if (!prism_cxt_enters(c->type) || *number)
		return 0;
	return add_number(emu, d, kind, number, name ? prismissue_text(text, name) : "(no name)");
}

/* ---- Events. ---- */

static uint32_t
number_of(const struct prismmodel *d, enum prism_stack_kind kind, const struct prism_name *name)
{
	return name ? name->user[kind] : d->unnamed[kind];
}

/* A stack that is full shows that there are deeper contexts in place of the one on top. */
static int
show_cut(struct emu *emu, struct prismmodel *d, enum prism_stack_kind kind, bool enters)
{
	char text[40];
	const struct prism_stack *k = d->step.stack;
	if (k->deeper != (enters ? 1 : 0))
		return 0;
	(void)snprintf(text, sizeof(text), "(deeper than %d)", PRISM_DEPTH_MAX);
	int rc = add_number(emu, d, kind, &d->cut[kind], text);
	return rc < 0 ? rc : emu_replace(emu, channels[kind], enters ? d->cut[kind] : number_of(d, kind, k->frames[k->n - 1].name));
}

/* Shows a change of a stack by the step, in the stack of a channel. */
static int
show_stack(struct emu *emu, struct prismmodel *d, const struct prism_cxt *c)
{
	const struct prism_step *step = &d->step;
	enum prism_stack_kind kind = prism_stack_of(c->type);
	int rc = 0;
	if (step->pushed)
		rc = emu_push(emu, channels[kind], number_of(d, kind, step->name));
	else if (step->popped == 1)
		rc = emu_pop(emu, channels[kind], emu_value(emu, channels[kind]));
	else if (step->popped)
		rc = emu_truncate(emu, channels[kind], step->stack->n);
	else if (step->changed)
		rc = show_cut(emu, d, kind, prism_cxt_enters(c->type));
	if (rc < 0 || !step->changed || kind != PRISM_FUNCTIONS)
		return rc;
	rc = emu_set(emu, FUNC_DEPTH, (int64_t)(step->stack->n + step->stack->deeper));
	return rc == 0 && d->p->options->interval == PRISM_INTERVAL_FUNC ? prismspan_close(emu, d) : rc;
}

/* Shows the number of a block or an instruction. */
static int
take_address(struct emu *emu, const struct prism_cxt *c, struct idmap *x, int chan)
{
	uint32_t number;
	if (!(c->has & PRISM_HAS_ID))
		return 0;
	int rc = prismcxt_index(emu, x, chan, c->id, &number);
	return rc < 0 ? rc : emu_set(emu, chan, number);
}

int
prismcxt_take(struct emu *emu, struct prismmodel *d, const struct prism_cxt *c)
{
	if (d->step.stack)
		return show_stack(emu, d, c);
	if (c->type == PRISM_BB)
		return take_address(emu, c, &d->blocks, BB);
	return c->type == PRISM_INSN && d->p->options->insn ? take_address(emu, c, &d->insns, INSN) : 0;
}
