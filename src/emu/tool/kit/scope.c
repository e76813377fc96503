/* SPDX-License-Identifier: MIT */
#include "scope.h"

#include "puttext.h"

#include <inttypes.h>
#include <stdlib.h>

/* Checkpoints hold the state of all tables: rarely enough that they stay a small part. */
static const uint64_t checkpoint_bytes = 4 << 20;

enum {
	NUL_TEXT = 4, /* bytes of \x00 */
};

/* ---- Schema. ---- */

/* id: of what gets the fields, or <0. */
static int
add_fields(uscope_schema_t *s, int id, const struct conv_table *t, int (*add)(uscope_schema_t *s, int id, const char *name, uint8_t type, int enum_id))
{
	int rc = id;
	for (int k = 0; k < CONV_FIELDS && t->fields[k].name && rc >= 0; k++)
		rc = add(s, id, t->fields[k].name, t->fields[k].type, t->fields[k].enum_id);
	return rc < 0 ? rc : id;
}

int
convscope_storage(uscope_schema_t *s, int scope, const struct conv_table *t)
{
	return add_fields(s, uscope_schema_add_storage(s, t->name, scope, t->slots, t->flags), t, uscope_schema_add_field);
}

int
convscope_event(uscope_schema_t *s, int scope, const struct conv_table *t)
{
	return add_fields(s, uscope_schema_add_event(s, t->name, scope), t, uscope_schema_add_event_field);
}

/* ---- Slots. ---- */

int
conv_slots_init(struct conv_slots *s, const char *name, uint32_t max)
{
	*s = (struct conv_slots){ .name = name, .max = max };
	s->free = calloc(max, sizeof(*s->free));
	return s->free ? 0 : -1;
}

void
conv_slots_finish(struct conv_slots *s)
{
	free(s->free);
	s->free = NULL;
}

bool
conv_slots_reused(const struct conv_slots *s)
{
	return s->next == s->max;
}

uint16_t
conv_slots_take(struct conv_slots *s)
{
	if (s->next < s->max)
		return (uint16_t)s->next++;
	if (s->nfree == 0) {
		s->lost++;
		return CONV_NO_SLOT;
	}
	uint16_t slot = s->free[s->head];
	s->head = (s->head + 1) % s->max;
	s->nfree--;
	return slot;
}

void
conv_slots_give(struct conv_slots *s, uint16_t slot)
{
	if (slot == CONV_NO_SLOT)
		return;
	s->free[(s->head + s->nfree) % s->max] = slot;
	s->nfree++;
}

void
conv_slots_report(const struct conv_slots *s, struct conv *c)
{
	if (s->lost)
		conv_warn(c, "the table %s has %" PRIu32 " slots: %" PRIu64 " times there was none for a new entry",
			s->name, s->max, s->lost);
}

/* ---- The file. ---- */

int
convscope_open(struct convscope *s, struct conv *c, const uscope_schema_t *schema, const uscope_dut_desc_t *dut, bool drop_empty)
{
	uscope_error_t error = { 0 };
	const uscope_writer_options_t options = {
		.min_raw = checkpoint_bytes,
		.max_raw = checkpoint_bytes,
		.no_auto_summary = true,
		.drop_empty = drop_empty,
		.error = &error,
	};
	s->conv = c;
	s->w = uscope_writer_open_ex(c->part.path, dut, schema, &options, NULL);
	if (!s->w)
		return conv_error(c, "write", "cannot write %s: %s", c->out_path, error.reason);
	(void)uscope_string_insert(s->w, "");
	return 0;
}

int
convscope_frame(struct convscope *s, uint64_t ps)
{
	if (s->framed && ps == s->now)
		return 0;
	if (s->framed)
		uscope_end_cycle(s->w);
	s->now = ps;
	s->framed = true;
	uscope_begin_cycle(s->w, ps);
	return uscope_writer_error(s->w) < 0 ? -1 : 1;
}

void
convscope_end(struct convscope *s)
{
	if (s->framed)
		uscope_end_cycle(s->w);
	s->framed = false;
	(void)uscope_writer_set_end(s->w, s->now);
}

uint32_t
convscope_text(struct convscope *s, const char *text, size_t n)
{
	struct arena a = { 0 };
	char *copy = arena_new(&a, char, NUL_TEXT *n + 1);
	char *to = copy;
	/* A NUL would end the text. */
	for (size_t i = 0; copy && i < n; i++) {
		if (text[i]) {
			*to++ = text[i];
		} else {
			memcpy(to, "\\x00", NUL_TEXT);
			to += NUL_TEXT;
		}
	}
	const char *utf8 = copy ? puttext_utf8(&a, copy) : NULL;
	uint32_t index = utf8 ? uscope_string_insert(s->w, utf8) : UINT32_MAX;
	s->failed = s->failed || !utf8;
	arena_finish(&a);
	return index == UINT32_MAX ? 0 : index;
}

int
convscope_close(struct convscope *s, int rc)
{
	if (!s->w)
		return rc;
	/* A run that failed leaves no file: what the writer says counts only if nothing else did. */
	int status = uscope_writer_finish(s->w);
	if (status < 0 && !s->conv->reported) {
		const uscope_error_t *e = uscope_writer_error_info(s->w);
		rc = conv_error(s->conv, "write", "cannot write %s: %s", s->conv->out_path, e->reason[0] ? e->reason : uscope_status_text(status));
	}
	uscope_writer_close(s->w);
	s->w = NULL;
	return rc;
}
