/* SPDX-License-Identifier: MIT */
/* value: one value, as text and as JSON. */
#include "show.h"

#include "jsonout.h"
#include "when.h"

#include <inttypes.h>

struct show
show_of(struct tool *t, struct source *s)
{
	return (struct show){ .tool = t, .w = &t->out, .src = s };
}

bool
value_is_signed(const uscope_field_t *f)
{
	return f->type >= USCOPE_I8 && f->type <= USCOPE_I64;
}

int64_t
value_signed(const uscope_field_t *f, uint64_t raw)
{
	switch (f->type) {
	case USCOPE_I8:
		return (int8_t)raw;
	case USCOPE_I16:
		return (int16_t)raw;
	case USCOPE_I32:
		return (int32_t)raw;
	default:
		return (int64_t)raw;
	}
}

uint64_t
value_cut(const uscope_field_t *f, uint64_t v)
{
	return f->size >= 8 ? v : v & ((UINT64_C(1) << (f->size * 8)) - 1);
}

/* BOOL, ENUM and STRING_REF are no integers. */
static void
put_number(const struct show *s, const uscope_field_t *f, uint64_t raw, bool json)
{
	bool integer = f->type < USCOPE_BOOL;
	if (s->tool->hex && integer)
		wbuf_printf(s->w, json ? "\"0x%" PRIx64 "\"" : "0x%" PRIx64, value_cut(f, raw));
	else if (value_is_signed(f))
		put_i64(s->w, value_signed(f, raw));
	else
		put_u64(s->w, raw);
}

const char *
value_text(const struct show *s, const uscope_field_t *f, uint64_t raw, uint32_t *length)
{
	if (s->tool->raw)
		return NULL;
	const char *text = NULL;
	if (f->type == USCOPE_STRING_REF) {
		text = raw <= UINT32_MAX ? uscope_string(s->src->reader, (uint32_t)raw, length) : NULL;
	} else if (f->type == USCOPE_ENUM) {
		text = raw <= UINT8_MAX ? uscope_enum_label(s->src->schema, f->enum_id, (uint8_t)raw) : NULL;
		*length = text ? (uint32_t)strlen(text) : 0;
	}
	return text;
}

void
show_number(const struct show *s, const uscope_field_t *f, uint64_t raw)
{
	if (f->type == USCOPE_BOOL && !s->tool->raw)
		put_str(s->w, raw ? "true" : "false");
	else
		put_number(s, f, raw, false);
}

void
show_time(struct wbuf *w, uint64_t ps)
{
	char buf[WHEN_TEXT];
	put_str(w, when_text(buf, ps));
}

void
show_value(const struct show *s, const uscope_field_t *f, uint64_t raw)
{
	uint32_t n = 0;
	const char *text = value_text(s, f, raw, &n);
	if (f->type == USCOPE_BOOL && !s->tool->raw)
		put_str(s->w, raw ? "true" : "false");
	else if (text && f->type == USCOPE_STRING_REF)
		put_quoted(s->w, text, n);
	else if (text)
		put_text(s->w, text, n);
	else if (f->type == USCOPE_STRING_REF)
		wbuf_printf(s->w, "#%" PRIu64, raw);
	else
		put_number(s, f, raw, false);
}

void
show_field(const struct show *s, const uscope_field_t *f, uint64_t raw)
{
	put_text(s->w, f->name, strlen(f->name));
	put_str(s->w, "=");
	show_value(s, f, raw);
}

void
json_value(const struct show *s, const uscope_field_t *f, uint64_t raw)
{
	uint32_t n = 0;
	const char *text = value_text(s, f, raw, &n);
	if (f->type == USCOPE_BOOL && !s->tool->raw)
		put_str(s->w, raw ? "true" : "false");
	else if (text)
		json_text(s->w, NULL, text, n);
	else
		put_number(s, f, raw, true);
}

void
json_field_name(const struct show *s, const uscope_field_t *f, uint32_t index)
{
	json_key(s->w, NULL);
	put_str(s->w, "\"");
	put_form(s->w, TEXT_JSON, f->name, strlen(f->name));
	if (pathlist_is_repeated(&s->src->paths, f))
		wbuf_printf(s->w, "#%" PRIu32, index);
	put_str(s->w, "\"");
}

void
json_field(const struct show *s, const uscope_field_t *f, uint32_t index, uint64_t raw)
{
	json_field_name(s, f, index);
	put_str(s->w, ":");
	json_value(s, f, raw);
}

void
show_path(const struct show *s, uint16_t scope, const char *name)
{
	const char *path = pathlist_scope(&s->src->paths, scope);
	put_text(s->w, path, strlen(path));
	put_str(s->w, "/");
	put_text(s->w, name, strlen(name));
}

void
json_path(const struct show *s, uint16_t scope, const char *key, const char *name)
{
	const char *path = pathlist_scope(&s->src->paths, scope);
	json_str(s->w, "scope", *path ? path : "/");
	json_str(s->w, key, name);
}
