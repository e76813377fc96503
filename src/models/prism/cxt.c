/* SPDX-License-Identifier: MIT */
/* cxt: contexts: what a thread has entered, and blocks and instructions. */
#include "parts.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	TEXT_MAX = PRISM_NAME_MAX * 4 + 1, /* \xNN for every byte */
};

static const uint8_t channels[PRISMNAMES_KINDS] = {
	[PRISMNAMES_FUNC] = FUNC,
	[PRISMNAMES_OPERATOR] = OPERATOR,
	[PRISMNAMES_NET] = NET,
};

/* ---- Names. ---- */

/* The name as a text of one line: what is no text, or would break one, as \xNN. A blank name
 * shows its first byte so, too, or it would be no label. */
static const char *
text_of(char text[TEXT_MAX], const char *name, size_t len)
{
	const char *end = name + len;
	size_t blanks = 0;
	while (blanks < len && name[blanks] == ' ')
		blanks++;
	const char *plain = blanks == len ? name + 1 : name;
	char *to = text;
	for (const char *p = name; p < end;) {
		uint32_t c;
		size_t n = p < plain ? 0 : utf8_next(p, (size_t)(end - p), &c);
		if (n && !utf8_is_control(c)) {
			memcpy(to, p, n);
			to += n;
			p += n;
			continue;
		}
		for (size_t i = n ? n : 1; i; i--)
			to += snprintf(to, 5, "\\x%02x", (unsigned)(uint8_t)*p++);
	}
	*to = 0;
	return text;
}

/* Adds to the list. Returns its index, or 0: no memory (reported). */
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

/* Looks the name up, for the stacks and for hooks. Returns 0, or <0 (reported). */
static int
find_name(struct emu *emu, struct prismmodel *d, struct prism_cxt *c, struct prism_name **name)
{
	*name = NULL;
	if (!(c->has & PRISM_HAS_NAME))
		return 0;
	*name = prismnames_get(&d->names, c->name, c->name_len);
	if (!*name)
		return diag_no_memory(emu->diag);
	c->name = (*name)->text;
	c->name_id = (*name)->id;
	return 0;
}

/* ---- Stacks. ---- */

static int
show_depth(struct emu *emu, const struct event *ev, const struct prism_thread *t, enum prismnames_kind kind)
{
	if (kind != PRISMNAMES_FUNC)
		return 0;
	return emu_set(emu, ev, FUNC_DEPTH, (int64_t)(emu_depth(emu, FUNC) + t->deeper[kind]));
}

static int
enter(struct emu *emu, const struct event *ev, struct prismmodel *d, enum prismnames_kind kind, struct prism_name *name)
{
	struct prism_labels *k = &d->kinds[kind];
	struct prism_thread *t = d->thread;
	uint32_t *index = name ? &name->index[kind] : &k->unnamed;
	if (!*index && !(*index = add_index(emu, k, name)))
		return -ERR_MEMORY;
	if (t->deeper[kind] == 0 && emu_depth(emu, channels[kind]) < CHAN_STACK_MAX)
		return emu_push(emu, ev, channels[kind], *index);
	int rc = prismmodel_issue(d, PRISM_PM06, "%d contexts of this kind are entered already", CHAN_STACK_MAX);
	t->deeper[kind]++;
	return rc;
}

/* What is not on top. */
static int
unwind(struct emu *emu, const struct event *ev, struct prismmodel *d, enum prismnames_kind kind, const struct prism_name *name)
{
	char want[TEXT_MAX];
	char have[TEXT_MAX];
	const struct prism_name *top = d->kinds[kind].list[emu_top(emu, channels[kind]) - 1];
	int rc = prismmodel_issue(d, PRISM_PM02, "exit of \"%s\", but \"%s\" is on top", text_of(want, name->text, name->len),
		text_of(have, top->text, top->len));
	if (rc < 0)
		return rc;
	uint32_t at = name->index[kind] ? emu_find(emu, channels[kind], name->index[kind]) : 0;
	return at ? emu_truncate(emu, ev, channels[kind], at - 1) : 1;
}

/* Returns 0, 1 when nothing was left, or <0 (reported). */
static int
leave(struct emu *emu, const struct event *ev, struct prismmodel *d, enum prismnames_kind kind, const struct prism_name *name)
{
	struct prism_thread *t = d->thread;
	int64_t top = emu_top(emu, channels[kind]);
	if (t->deeper[kind]) {
		t->deeper[kind]--;
		return 0;
	}
	if (!top) {
		char want[TEXT_MAX];
		int rc = name ? prismmodel_issue(d, PRISM_PM01, "exit of \"%s\", but nothing was entered", text_of(want, name->text, name->len))
			      : prismmodel_issue(d, PRISM_PM01, "exit, but nothing was entered");
		return rc < 0 ? rc : 1;
	}
	/* What is not known of either may be what the other says. */
	if (!name || top == name->index[kind] || top == d->kinds[kind].unnamed)
		return emu_pop(emu, ev, channels[kind], top);
	return unwind(emu, ev, d, kind, name);
}

static int
take_named(struct emu *emu, const struct event *ev, struct prismmodel *d, struct prism_cxt *c, enum prismnames_kind kind, bool enters)
{
	struct prism_name *name;
	int rc = find_name(emu, d, c, &name);
	if (rc == 0)
		rc = enters ? enter(emu, ev, d, kind, name) : leave(emu, ev, d, kind, name);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = show_depth(emu, ev, d->thread, kind);
	if (rc == 0 && kind == PRISMNAMES_FUNC && d->p->options->interval == PRISM_INTERVAL_FUNC)
		rc = prismspan_close(emu, ev, d);
	return rc;
}

/* ---- Blocks and instructions. ---- */

/* Shows which one it is. */
static int
take_address(struct emu *emu, const struct event *ev, const struct prism_cxt *c, struct prism_index *x, int chan)
{
	if (!(c->has & PRISM_HAS_ID))
		return 0;
	uint32_t index = prismmodel_index(emu, x, c->id);
	return index ? emu_set(emu, ev, chan, index) : -ERR_MEMORY;
}

int
prismcxt_take(struct emu *emu, const struct event *ev, struct prismmodel *d, struct prism_cxt *c)
{
	switch (c->type) {
	case PRISM_INSN:
		d->thread->total.n[PRISMTOTAL_INSNS]++;
		d->core->total.n[PRISMTOTAL_INSNS]++;
		return d->p->options->insn ? take_address(emu, ev, c, &d->insns, INSN) : 0;
	case PRISM_BB: return take_address(emu, ev, c, &d->blocks, BB);
	case PRISM_FUNC_ENTER: return take_named(emu, ev, d, c, PRISMNAMES_FUNC, true);
	case PRISM_FUNC_EXIT: return take_named(emu, ev, d, c, PRISMNAMES_FUNC, false);
	case PRISM_NET_ENTER: return take_named(emu, ev, d, c, PRISMNAMES_NET, true);
	case PRISM_NET_EXIT: return take_named(emu, ev, d, c, PRISMNAMES_NET, false);
	case PRISM_OPERATOR_ENTER: return take_named(emu, ev, d, c, PRISMNAMES_OPERATOR, true);
	case PRISM_OPERATOR_EXIT: return take_named(emu, ev, d, c, PRISMNAMES_OPERATOR, false);
	default: return 0; /* a thread, or what is not known */
	}
}

/* ---- Labels. ---- */

static int
label_names(struct emu *emu, const struct prism_labels *k, int chan)
{
	int rc = 0;
	for (size_t i = 0; i < k->n && rc == 0; i++) {
		char text[TEXT_MAX];
		const struct prism_name *name = k->list[i];
		const char *label = arena_printf(&emu->arena, "%s", name ? text_of(text, name->text, name->len) : "(no name)");
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
	for (int kind = 0; kind < PRISMNAMES_KINDS && rc == 0; kind++)
		rc = label_names(emu, &d->kinds[kind], channels[kind]);
	if (rc == 0)
		rc = label_keys(emu, &d->blocks, BB);
	if (rc == 0)
		rc = label_keys(emu, &d->insns, INSN);
	return rc < 0 ? rc : label_keys(emu, &d->objects, SYNC_OBJECT);
}
