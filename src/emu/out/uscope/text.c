/* SPDX-License-Identifier: MIT */
/* text: texts and labels of values in ovni.uscp. */
#include "uscp.h"

#include "puttext.h"

/* A text of a model, and the value that it stands for. */
struct known {
	int64_t value;
	uint32_t index;
};

uint32_t
uscp_put_text(struct uscp *u, const char *text)
{
	text = puttext_utf8(&u->arena, text);
	if (!text)
		uscp_give_up(u, "memory is exhausted", USCOPE_E_NOMEM);
	uint32_t index = text ? uscope_string_insert(u->w, text) : UINT32_MAX;
	return index == UINT32_MAX ? USCP_TEXT_EMPTY : index;
}

void
uscp_put_label(struct uscp *u, unsigned class, int prv_type, int64_t value, uint32_t text)
{
	if (u->nlabels == u->map.nlabels) {
		u->nlabels_lost++;
		return;
	}
	uscp_begin_cycle(u);
	uint16_t slot = (uint16_t)u->nlabels++;
	uscope_slot_set(u->w, u->map.labels, slot, LABELS_CLASS, class);
	uscope_slot_set(u->w, u->map.labels, slot, LABELS_TYPE, (uint64_t)prv_type);
	uscope_slot_set(u->w, u->map.labels, slot, LABELS_VALUE, (uint64_t)value);
	uscope_slot_set(u->w, u->map.labels, slot, LABELS_TEXT, text);
}

/* Whether any rows in the file have the column. */
static bool
is_there(const struct uscp *u, uint32_t col)
{
	const struct uscp_class *c = u->map.classes;
	for (enum row_class rows = ROW_THREAD; rows < ROW_CLASSES; rows++)
		if (c[rows].cols && c[rows].cols[col].kind != USCP_NONE)
			return true;
	return false;
}

/* Labels a value with its text in all text columns of its model, and in its breakdown. */
static void
label_columns(struct uscp *u, const struct emu_text *t, uint32_t index)
{
	for (uint32_t col = NBASE; col < u->emu->plan->ncols; col++) {
		const struct col *k = &u->emu->plan->cols[col];
		if (k->model == t->model && k->decl->values == VALUES_TEXT && is_there(u, col))
			uscp_put_label(u, k->decl->of ? LABEL_OF_PROC : LABEL_OF_BOTH, k->decl->prv_type, t->value, index);
	}
	for (size_t i = 0; i < u->nreductions; i++)
		if (u->reductions[i].model == t->model)
			uscp_put_label(u, LABEL_OF_BREAKDOWN, u->reductions[i].decl->prv_type, t->value, index);
}

/* Adds a key. Returns whether it is new. */
static bool
note(struct uscp *u, struct idmap *m, uint64_t key, void *value)
{
	struct idmap_slot *slot = idmap_slot(m, &u->arena, key);
	if (!slot)
		uscp_give_up(u, "memory is exhausted", USCOPE_E_NOMEM);
	if (!slot || slot->value)
		return false;
	slot->value = value;
	return true;
}

/* Adds the text of a value, with an index of its own: a text equal to an error state or to
 * one of another value gets blanks appended. */
static uint32_t
put_text_of(struct uscp *u, struct known *k, const char *text)
{
	while (text && !u->failed && !uscope_writer_error(u->w)) {
		uint32_t index = uscp_put_text(u, text);
		if (index > USCP_TEXT_TOO_MANY) {
			(void)note(u, &u->by_index, index, k);
			const struct known *owner = idmap_find(&u->by_index, index);
			if (owner && owner->value == k->value)
				return index;
		}
		text = arena_printf(&u->arena, "%s ", text);
	}
	if (!text)
		uscp_give_up(u, "memory is exhausted", USCOPE_E_NOMEM);
	return USCP_TEXT_EMPTY;
}

/* Adds the next text of the models, with its labels. Returns whether there was one. */
static bool
learn_text(struct uscp *u)
{
	const struct emu_text *t = atomic_load_explicit(&u->last_text->next, memory_order_acquire);
	if (!t)
		return false;
	u->last_text = t;
	struct known *k = arena_new(&u->arena, struct known, 1);
	if (!k) {
		uscp_give_up(u, "memory is exhausted", USCOPE_E_NOMEM);
		return false;
	}
	uint64_t of_model = (uint64_t)t->value << 8 | (uint8_t)t->model->id;
	if (!note(u, &u->labelled, of_model, k))
		return true; /* another process told it already */
	k->value = t->value;
	k->index = put_text_of(u, k, t->text);
	(void)note(u, &u->texts, (uint64_t)t->value, k);
	label_columns(u, t, k->index);
	return true;
}

void
uscp_learn_texts(struct uscp *u)
{
	while (learn_text(u))
		;
}

/* Adds a label learnt late. In CPU rows 777 (ST_TOO_MANY_TH) keeps its label as an error
 * state. */
static void
put_late_label(struct uscp *u, const struct chan_decl *decl, const struct label *l)
{
	bool shared = l->value == ST_TOO_MANY_TH && decl->cpu_track != TRACK_OWN;
	uscp_put_label(u, decl->of ? LABEL_OF_PROC : shared ? LABEL_OF_THREAD
							    : LABEL_OF_BOTH,
		decl->prv_type, l->value, uscp_put_text(u, l->text));
}

void
uscp_put_late(struct uscp *u)
{
	for (uint32_t col = NBASE; col < u->emu->plan->ncols; col++) {
		const struct col *k = &u->emu->plan->cols[col];
		if (k->decl->values == VALUES_TEXT || !is_there(u, col))
			continue;
		for (const struct late_label *l = u->told[col] ? u->told[col]->next : u->emu->labels[col].first; l; l = l->next)
			put_late_label(u, k->decl, &l->label);
	}
}

bool
uscp_knows_text(const struct uscp *u, int64_t value)
{
	return value == 0 || value == ST_BAD || value == ST_TOO_MANY_TH || idmap_find(&u->texts, (uint64_t)value);
}

uint32_t
uscp_text_of(struct uscp *u, int64_t value)
{
	if (value == 0)
		return USCP_TEXT_EMPTY;
	if (value == ST_BAD)
		return USCP_TEXT_BAD;
	if (value == ST_TOO_MANY_TH)
		return USCP_TEXT_TOO_MANY;
	if (value == u->last_of) /* a thread and its CPU show it together */
		return u->last_index;
	/* Only texts already in the file: the emulator runs ahead by chance. */
	const struct known *k;
	while (!(k = idmap_find(&u->texts, (uint64_t)value)) && learn_text(u))
		;
	if (!k)
		return UINT32_MAX;
	u->last_of = value;
	u->last_index = k->index;
	return k->index;
}
