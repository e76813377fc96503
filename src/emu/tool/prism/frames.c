/* SPDX-License-Identifier: MIT */
/* frames: what threads have entered and not left yet. */
#include "scope.h"

/* What the function of a thread shows. */
static void
show_function(struct ptscope *u, const struct ps_thread *t)
{
	const struct ps_stack *k = &t->stacks[PRISMNAMES_FUNC];
	uint64_t depth = k->n + k->deeper;
	struct prism_name *top = k->n ? (struct prism_name *)k->frames[k->n - 1].name : NULL;
	ptscope_set(u, PS_THREADS, t->slot, PS_THREAD_DEPTH, depth < UINT16_MAX ? depth : UINT16_MAX);
	ptscope_set(u, PS_THREADS, t->slot, PS_THREAD_FUNCTION, top ? ptscope_string(u, top) : 0);
}

static int
enter(struct ptscope *u, struct ps_stream *s, struct ps_stack *k, const struct prism_cxt *c, struct prism_name *name)
{
	if (k->deeper || k->n == PS_DEPTH_MAX) {
		k->deeper++;
		return ptscope_issue(u, s, PRISM_PM06);
	}
	struct ps_frame *frames = arena_grow(&u->arena, k->frames, k->n, &k->cap, sizeof(*frames));
	if (!frames)
		return conv_no_memory(&u->tool->conv);
	uint16_t slot = conv_slots_take(&u->frame_slots);
	k->frames = frames;
	frames[k->n++] = (struct ps_frame){ name, slot };
	ptscope_set(u, PS_FRAMES, slot, PS_FRAME_THREAD, s->thread->slot);
	ptscope_set(u, PS_FRAMES, slot, PS_FRAME_DEPTH, k->n);
	ptscope_set(u, PS_FRAMES, slot, PS_FRAME_KIND, c->type);
	ptscope_set(u, PS_FRAMES, slot, PS_FRAME_NAME, name ? ptscope_string(u, name) : 0);
	ptscope_set(u, PS_FRAMES, slot, PS_FRAME_SEQ, s->in->in.seq - 1);
	return 0;
}

static void
pop(struct ptscope *u, struct ps_stack *k)
{
	uint16_t slot = k->frames[--k->n].slot;
	if (slot == CONV_NO_SLOT)
		return;
	uscope_slot_clear(u->file.w, PS_FRAMES, slot);
	conv_slots_give(&u->frame_slots, slot);
}

/* Down to the nearest one of that name, if there is one. */
static int
leave(struct ptscope *u, struct ps_stream *s, struct ps_stack *k, const struct prism_name *name)
{
	if (k->deeper) {
		k->deeper--;
		return 0;
	}
	if (k->n == 0)
		return ptscope_issue(u, s, PRISM_PM01);
	/* What is not known of either may be what the other says. */
	const struct prism_name *top = k->frames[k->n - 1].name;
	if (!name || !top || name == top) {
		pop(u, k);
		return 0;
	}
	int rc = ptscope_issue(u, s, PRISM_PM02);
	if (rc < 0)
		return rc;
	uint32_t at = k->n;
	while (at > 0 && k->frames[at - 1].name != name)
		at--;
	while (at > 0 && k->n >= at)
		pop(u, k);
	return 0;
}

int
ptframe_take(struct ptscope *u, struct ps_stream *s, const struct prism_cxt *c, uint32_t *string)
{
	struct prism_name *name = NULL;
	enum prismnames_kind kind;
	bool enters = false;
	*string = 0;
	switch (c->type) {
	case PRISM_FUNC_ENTER:
		enters = true;
		kind = PRISMNAMES_FUNC;
		break;
	case PRISM_FUNC_EXIT: kind = PRISMNAMES_FUNC; break;
	case PRISM_NET_ENTER:
		enters = true;
		kind = PRISMNAMES_NET;
		break;
	case PRISM_NET_EXIT: kind = PRISMNAMES_NET; break;
	case PRISM_OPERATOR_ENTER:
		enters = true;
		kind = PRISMNAMES_OPERATOR;
		break;
	case PRISM_OPERATOR_EXIT: kind = PRISMNAMES_OPERATOR; break;
	default: return 0;
	}
	if (c->has & PRISM_HAS_NAME) {
		name = prismnames_get(&u->names, c->name, c->name_len);
		if (!name)
			return conv_no_memory(&u->tool->conv);
		*string = ptscope_string(u, name);
	}
	struct ps_stack *k = &s->thread->stacks[kind];
	int rc = enters ? enter(u, s, k, c, name) : leave(u, s, k, name);
	if (rc == 0 && kind == PRISMNAMES_FUNC)
		show_function(u, s->thread);
	return rc;
}
