/* SPDX-License-Identifier: MIT */
/* names: the texts of values, and their numbers in sequences of packets. */
#include "perfetto.h"

#include "paraver.h"
#include "puttext.h"
#include "track.h"

#include <string.h>

enum {
	INTERNED_EVENT_NAME = 2,
	INTERNED_IID = 1,
	INTERNED_NAME = 2,
};

void
pf_no_memory(struct perfetto *p)
{
	if (!p->failed)
		(void)diag_no_memory(p->emu->diag);
	p->failed = true;
}

const char *
pf_clean(struct perfetto *p, const char *text)
{
	if (text[strspn(text, " \t\r\n")] == 0)
		return NULL;
	char *copy = arena_strndup(&p->arena, text, strlen(text));
	for (char *c = copy; c && *c; c++)
		*c = paraver_clean(*c);
	const char *clean = copy ? puttext_utf8(&p->arena, copy) : NULL;
	if (!clean)
		pf_no_memory(p);
	return clean;
}

/* A value that has a label keeps it. */
static void
add_text(struct perfetto *p, enum row_class rows, uint32_t col, int64_t value, const char *text)
{
	struct idmap_slot *slot = idmap_slot(&p->labels[rows][col], &p->arena, (uint64_t)value);
	if (!slot) {
		pf_no_memory(p);
		return;
	}
	const char *clean = slot->value ? NULL : pf_clean(p, text);
	struct pf_text *t = clean ? arena_new(&p->arena, struct pf_text, 1) : NULL;
	if (clean && !t)
		pf_no_memory(p);
	if (!t)
		return;
	*t = (struct pf_text){ ++p->ntexts, strlen(clean), clean };
	slot->value = t;
	bool error = rows == ROW_CPU && (value == ST_TOO_MANY_TH || value == ST_BAD);
	p->nlabels[rows][col] += !error;
}

struct scan {
	struct perfetto *p;
	enum row_class rows;
	uint32_t col;
};

static void
take_label(void *arg, int64_t value, const char *text)
{
	const struct scan *s = arg;
	add_text(s->p, s->rows, s->col, value, text);
}

int
pf_open_names(struct perfetto *p)
{
	const struct emu *emu = p->emu;
	p->last_text = emu->texts;
	p->created = (struct pf_text){ ++p->ntexts, strlen("Task created"), "Task created" };
	p->executed = (struct pf_text){ ++p->ntexts, strlen("Task executed"), "Task executed" };
	for (int i = 0; i < PF_SMALL; i++) {
		const char *digits = arena_printf(&p->arena, "%d", i);
		if (!digits)
			return diag_no_memory(emu->diag);
		p->numbers[i] = (struct pf_text){ ++p->ntexts, strlen(digits), digits };
		pf_make_event(&p->small[i], (uint32_t)i, i);
	}
	int rc = 0;
	for (enum row_class rows = 0; rows < ROW_CLASSES; rows++) {
		p->labels[rows] = arena_new(&p->arena, struct idmap, emu->plan->ncols);
		p->nlabels[rows] = arena_new(&p->arena, uint32_t, emu->plan->ncols);
		if (!p->labels[rows] || !p->nlabels[rows])
			return diag_no_memory(emu->diag);
		for (uint32_t col = 0; col < emu->plan->ncols && rc == 0; col++)
			if (track_has(emu, rows, col))
				rc = out_labels(emu, rows, col, take_label, &(struct scan){ p, rows, col });
	}
	return p->failed ? -ERR_MEMORY : rc;
}

/* A value has got a label: its digits are no longer its name. */
static void
forget_number(struct perfetto *p, uint32_t col, int64_t value)
{
	size_t nrows = emu_first_row(p->emu, ROW_PROC) + emu_nrows(p->emu, ROW_PROC);
	for (size_t row = 0; row < nrows; row++) {
		struct pf_track *t = &p->tracks[p->track_of[row * p->emu->plan->ncols + col]];
		t->plain = false;
		if (!pf_knows(t, value))
			continue;
		/* A number keeps its name, so all get others. */
		t->numbered = false;
		memset(t->known, 0, sizeof(t->known));
	}
}

void
pf_learn(struct perfetto *p, uint32_t col, const struct label *label)
{
	for (enum row_class rows = 0; rows < ROW_CLASSES; rows++)
		if (track_has(p->emu, rows, col))
			add_text(p, rows, col, label->value, label->text);
	if (p->emu->plan->cols[col].decl->values != VALUES_TEXT)
		forget_number(p, col, label->value);
}

/* Takes the next text that a model told. Returns whether there was one. */
static bool
learn_text(struct perfetto *p)
{
	const struct emu_text *t = atomic_load_explicit(&p->last_text->next, memory_order_acquire);
	if (!t)
		return false;
	p->last_text = t;
	for (uint32_t col = NBASE; col < p->emu->plan->ncols; col++) {
		const struct col *k = &p->emu->plan->cols[col];
		if (k->model == t->model && k->decl->values == VALUES_TEXT)
			pf_learn(p, col, &(struct label){ t->value, t->text });
	}
	return true;
}

/* The text of a value; NULL: it has none. */
static const struct pf_text *
find_text(struct perfetto *p, enum row_class rows, uint32_t col, int64_t value)
{
	const struct idmap *labels = &p->labels[rows][col];
	const struct pf_text *t = idmap_find(labels, (uint64_t)value);
	/* The text of a value is told before its first record, and how far the emulator is by now is chance. */
	bool told = out_decl(p->emu, rows, col)->values == VALUES_TEXT;
	while (!t && told && learn_text(p))
		t = idmap_find(labels, (uint64_t)value);
	return t;
}

/* Gives a text a number in the sequence of a track, by a packet. */
static void
define(struct perfetto *p, struct pf_track *t, const struct pf_text *text, uint32_t iid)
{
	size_t name = 1 + varint_size(iid) + 1 + varint_size(text->n) + text->n;
	size_t data = 1 + varint_size(name) + name;
	char *to = pack_reserve(&p->pack, PACK_ROOM);
	to = put_varint(put_tag(to, TRACE_PACKET, WIRE_BYTES), t->nsequence + 1 + varint_size(data) + data);
	memcpy(to, &t->sequence, sizeof(t->sequence));
	to = put_varint(put_tag(to + t->nsequence, PACKET_INTERNED_DATA, WIRE_BYTES), data);
	to = put_varint(put_tag(to, INTERNED_EVENT_NAME, WIRE_BYTES), name);
	to = put_number(to, INTERNED_IID, iid);
	to = put_varint(put_tag(to, INTERNED_NAME, WIRE_BYTES), text->n);
	pack_commit(&p->pack, to);
	pack_put(&p->pack, text->text, text->n);
}

/* The number of a text there; the first time it is given one. */
static uint32_t
intern(struct perfetto *p, uint32_t track, const struct pf_text *text)
{
	struct idmap_slot *slot = idmap_slot(&p->names, &p->arena, (uint64_t)track << 32 | text->id);
	if (!slot) {
		pf_no_memory(p);
		return 1;
	}
	if (!slot->number) {
		slot->number = ++p->tracks[track].names;
		define(p, &p->tracks[track], text, (uint32_t)slot->number);
	}
	return (uint32_t)slot->number;
}

void
pf_define_small(struct perfetto *p, struct pf_track *t, const struct pf_text *text, uint32_t iid)
{
	define(p, t, text, iid);
	t->known[iid / 64] |= UINT64_C(1) << iid % 64;
}

/* Finds the number of the name of a value that is not small; 0: it has none. */
static inline uint32_t
find_large(struct perfetto *p, uint32_t track, uint32_t row, uint32_t col, int64_t value)
{
	if (pf_is_number(&p->tracks[track], value))
		return 0;
	struct pf_named *n = pf_named_at(p, track, value);
	if (n->value == value && n->track == track)
		return n->iid;
	const struct pf_text *text = find_text(p, pf_class_of(p->emu, row), col, value);
	if (!text)
		return 0;
	*n = (struct pf_named){ .value = value, .track = track, .iid = intern(p, track, text) };
	pf_make_event(&n->event, n->iid, value);
	return n->iid;
}

uint32_t
pf_find_name(struct perfetto *p, uint32_t track, uint32_t row, uint32_t col, int64_t value)
{
	struct pf_track *t = &p->tracks[track];
	if ((uint64_t)value >= PF_SMALL)
		return find_large(p, track, row, col, value);
	if (pf_knows(t, value))
		return (uint32_t)value;
	const struct pf_text *text = find_text(p, pf_class_of(p->emu, row), col, value);
	text = text ? text : &p->numbers[value];
	if (!t->numbered || value == 0)
		return intern(p, track, text);
	pf_define_small(p, t, text, (uint32_t)value);
	return (uint32_t)value;
}
