/* SPDX-License-Identifier: MIT */
/* label: what the values of a timeline are called. */
#include "labelhash.h"
#include "file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	CLASS_BOTH = TL_PROC, /* threads and CPUs; of the classes behind it, in the file the number is one more */
};

enum {
	LABEL_CLASS,
	LABEL_TYPE,
	LABEL_VALUE,
	LABEL_TEXT,
};

static bool
add(struct tlfile *f, struct tlchannel *ch, int64_t value, uint32_t text)
{
	struct tllabel *l = arena_new(&f->labels, struct tllabel, 1);
	struct idmap_slot *by_value = idmap_slot(&ch->by_value, &f->labels, (uint64_t)value);
	if (!l || !by_value)
		return false;
	*l = (struct tllabel){ .value = value, .text = text };
	if (!by_value->value)
		by_value->value = l;
	struct idmap_slot *by_text = idmap_slot(&ch->by_text, &f->labels, text);
	if (!by_text)
		return false;
	if (!by_text->value)
		by_text->value = l;
	if (ch->last)
		ch->last->next = l;
	else
		ch->first = l;
	ch->last = l;
	return true;
}

/* A row of the table, for the channels of that type. */
static bool
read_row(struct tlfile *f, const uscope_state_t *state, uint16_t slot)
{
	uint64_t v[4];
	for (int i = 0; i < 4; i++)
		v[i] = uscope_slot_field(state, f->labels_table, slot, (uint16_t)f->labels_fields[i]);
	uint64_t first = v[LABEL_CLASS];
	uint64_t last = first;
	if (first == CLASS_BOTH) {
		first = TL_THREAD;
		last = TL_CPU;
	} else if (first > CLASS_BOTH) {
		first = --last;
	}
	if (last >= TL_CLASSES || v[LABEL_TYPE] > UINT16_MAX || v[LABEL_TEXT] > UINT32_MAX) {
		conv_fail(&f->tool->conv, "timeline", "row %u of the table of labels is damaged\nin %s", slot, f->src->path);
		return false;
	}
	for (uint64_t c = first; c <= last; c++) {
		struct tlchannel *ch = idmap_find(&f->by_type, c << 16 | v[LABEL_TYPE]);
		if (ch && !add(f, ch, (int64_t)v[LABEL_VALUE], (uint32_t)v[LABEL_TEXT])) {
			(void)conv_no_memory(&f->tool->conv);
			return false;
		}
	}
	return true;
}

bool
tllabel_read(struct tlfile *f, const uscope_state_t *state)
{
	arena_finish(&f->labels);
	for (uint32_t i = 0; i < f->nchannels; i++) {
		struct tlchannel *ch = &f->channels[i];
		ch->first = ch->last = NULL;
		ch->by_value = ch->by_text = (struct idmap){ 0 };
	}
	uint32_t n = f->src->schema->storages[f->labels_table].num_slots;
	for (uint32_t slot = 0; slot < n; slot++)
		if (uscope_slot_valid(state, f->labels_table, (uint16_t)slot) && !read_row(f, state, (uint16_t)slot))
			return false;
	return true;
}

/* A text of the file; an unfinished one has only the texts that all files share. */
static const char *
text_of(const struct tlfile *f, uint32_t index, uint32_t *n)
{
	static const char *const fixed[] = { "", [TL_TEXT_BAD] = "Error: the thread does not show it", [TL_TEXT_TOO_MANY] = "Error: too many threads" };
	if (uscope_is_complete(f->src->reader))
		return uscope_string(f->src->reader, index, n);
	if (index > TL_TEXT_TOO_MANY)
		return NULL;
	*n = (uint32_t)strlen(fixed[index]);
	return fixed[index];
}

struct tlstate
tllabel_state(const struct tlfile *f, const struct tlchannel *ch, uint64_t raw)
{
	struct tlstate s = { .raw = raw, .value = (int64_t)raw };
	if (ch->kind == TL_ENUM && raw >= TL_ENUM_BAD)
		s.value = raw == TL_ENUM_BAD ? TL_BAD : TL_TOO_MANY;
	if (ch->kind != TL_TEXT || raw == 0)
		return s;
	if (raw == TL_TEXT_BAD || raw == TL_TEXT_TOO_MANY) {
		s.value = raw == TL_TEXT_BAD ? TL_BAD : TL_TOO_MANY;
		return s;
	}
	const struct tllabel *l = idmap_find(&ch->by_text, raw);
	uint32_t n;
	const char *text = l ? NULL : text_of(f, (uint32_t)raw, &n); /* the table was full */
	if (l)
		s.value = l->value;
	else if (text)
		s.value = labelhash(text, n);
	s.unknown = !l && !text;
	return s;
}

const char *
tllabel_of(const struct tlfile *f, const struct tlchannel *ch, const struct tlstate *s)
{
	if (ch->kind == TL_ENUM) {
		uint64_t v = !s->by_value ? s->raw : s->value == TL_BAD ? TL_ENUM_BAD
			: s->value == TL_TOO_MANY                       ? TL_ENUM_TOO_MANY
									: (uint64_t)s->value;
		return v <= UINT8_MAX ? uscope_enum_label(f->src->schema, ch->enum_id, (uint8_t)v) : NULL;
	}
	uint32_t n;
	if (ch->kind == TL_TEXT && !s->by_value)
		return s->raw ? text_of(f, (uint32_t)s->raw, &n) : NULL;
	const struct tllabel *l = idmap_find(&ch->by_value, (uint64_t)s->value);
	return l ? text_of(f, l->text, &n) : NULL;
}

const char *
tllabel_text(const struct tlfile *f, const struct tlchannel *ch, const struct tlstate *s, char buf[TLLABEL_NUMBER])
{
	const char *label = tllabel_of(f, ch, s);
	if (label && label[strspn(label, " ")])
		return label + strspn(label, " ");
	if (ch->kind == TL_TEXT && !s->by_value && s->raw)
		(void)snprintf(buf, TLLABEL_NUMBER, "#%" PRIu64, s->raw);
	else
		(void)snprintf(buf, TLLABEL_NUMBER, "%" PRId64, s->value);
	return buf;
}
