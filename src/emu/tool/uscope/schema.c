/* SPDX-License-Identifier: MIT */
/* schema: the schema of a file, as a tree for people or as JSON. */
#include "show.h"

#include <inttypes.h>

enum {
	INDENT_MAX = 40, /* columns */
};

/* ---- Text. ---- */

static void
put_name(const struct source *s, const char *text, const char *name)
{
	put_str(s->w, text);
	put_text(s->w, name, strlen(name));
}

static void
put_fields(const struct source *s, const char *what, const uscope_field_t *fields, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		put_name(s, i ? ", " : what, fields[i].name);
		wbuf_printf(s->w, " %s", uscope_type_name(fields[i].type));
		if (fields[i].type == USCOPE_ENUM && fields[i].enum_id < s->schema->num_enums)
			put_name(s, " ", s->schema->enums[fields[i].enum_id].name);
	}
}

/* Begins a line of the tree. */
static void
put_entry(const struct source *s, uint32_t depth, const char *what, const char *name)
{
	uint32_t n = 2 + 2 * depth;
	wbuf_printf(s->w, "%*s", (int)(n < INDENT_MAX ? n : INDENT_MAX), "");
	put_name(s, what, name);
}

static void
put_scope(const struct source *s, uint16_t id, uint32_t depth)
{
	const uscope_schema_t *schema = s->schema;
	put_entry(s, depth, "", schema->scopes[id].name);
	if (schema->scopes[id].protocol)
		put_name(s, ", protocol ", schema->scopes[id].protocol);
	uint8_t clock = uscope_scope_clock(schema, id);
	if (clock < schema->num_clocks)
		put_name(s, ", clock ", schema->clocks[clock].name);
	put_str(s->w, "\n");
	for (uint32_t i = 0; i < schema->num_storages; i++) {
		const uscope_storage_t *st = &schema->storages[i];
		if (!scope_is(st->scope, id))
			continue;
		put_entry(s, depth + 1, "storage ", st->name);
		wbuf_printf(s->w, ": %s%s, %u slot%s of %" PRIu32 " bytes", st->flags & USCOPE_SPARSE ? "sparse" : "dense",
			st->flags & USCOPE_BUFFER ? " buffer" : "", st->num_slots, st->num_slots == 1 ? "" : "s", st->slot_size);
		put_fields(s, ": ", st->fields, st->num_fields);
		put_fields(s, "; properties: ", st->properties, st->num_properties);
		put_str(s->w, "\n");
	}
	for (uint32_t i = 0; i < schema->num_events; i++) {
		const uscope_event_type_t *e = &schema->events[i];
		if (!scope_is(e->scope, id))
			continue;
		put_entry(s, depth + 1, "event ", e->name);
		put_fields(s, ": ", e->fields, e->num_fields);
		put_str(s->w, "\n");
	}
	for (uint32_t i = 0; i < schema->num_summary_fields; i++) {
		if (!scope_is(schema->summary_fields[i].scope, id))
			continue;
		put_entry(s, depth + 1, "summary field ", schema->summary_fields[i].name);
		wbuf_printf(s->w, " %s\n", uscope_type_name(schema->summary_fields[i].type));
	}
}

static void
put_schema(const struct source *s)
{
	const uscope_schema_t *schema = s->schema;
	put_str(s->w, "\nclocks:\n");
	for (uint32_t i = 0; i < schema->num_clocks; i++) {
		put_entry(s, 0, "", schema->clocks[i].name);
		put_str(s->w, schema->clocks[i].period_ps ? ": " : ": unknown");
		if (schema->clocks[i].period_ps)
			show_time(s->w, schema->clocks[i].period_ps);
		put_str(s->w, "\n");
	}
	put_str(s->w, "\nscopes:\n");
	for (uint32_t i = 0; i < schema->num_scopes && !utool_stop(s->tool); i++)
		put_scope(s, s->paths.tree[i].scope, s->paths.tree[i].depth);
	put_str(s->w, schema->num_enums ? "\nenumerations:\n" : "");
	for (uint32_t i = 0; i < schema->num_enums; i++) {
		const uscope_enum_t *e = &schema->enums[i];
		put_entry(s, 0, "", e->name);
		for (uint32_t k = 0; k < e->num_values; k++) {
			wbuf_printf(s->w, "%s%u", k ? ", " : ": ", e->values[k].value);
			put_name(s, " ", e->values[k].name);
		}
		put_str(s->w, "\n");
	}
}

/* ---- JSON. ---- */

/* Goes through a list of objects: ends the one before `i`, and begins the next. false: the list has ended. */
static bool
next_object(struct wbuf *w, const char *list, uint32_t i, uint32_t n)
{
	if (i == 0)
		json_open(w, list, '[');
	else
		json_close(w, '}');
	if (i < n)
		json_open(w, NULL, '{');
	else
		json_close(w, ']');
	return i < n;
}

static void
json_fields(struct wbuf *w, const char *key, const uscope_field_t *fields, uint32_t n)
{
	for (uint32_t i = 0; next_object(w, key, i, n); i++) {
		json_str(w, "name", fields[i].name);
		json_str(w, "type", uscope_type_name(fields[i].type));
		if (fields[i].type == USCOPE_ENUM)
			json_u64(w, "enum", fields[i].enum_id);
	}
}

static void
json_place(struct wbuf *w, const char *name, uint16_t scope)
{
	json_str(w, "name", name);
	json_u64(w, "scope", scope == USCOPE_NONE ? 0 : scope);
}

static void
json_scope(const struct source *s, uint16_t id)
{
	const uscope_scope_t *scope = &s->schema->scopes[id];
	const char *path = pathlist_scope(&s->paths, id);
	json_str(s->w, "name", scope->name);
	json_str(s->w, "path", *path ? path : "/");
	if (scope->parent == USCOPE_NONE)
		json_str(s->w, "parent", NULL);
	else
		json_u64(s->w, "parent", scope->parent);
	json_str(s->w, "protocol", scope->protocol);
	json_u64(s->w, "clock", uscope_scope_clock(s->schema, id));
}

static void
json_schema(const struct source *s)
{
	const uscope_schema_t *schema = s->schema;
	struct wbuf *w = s->w;
	json_open(w, "schema", '{');
	for (uint32_t i = 0; next_object(w, "clocks", i, schema->num_clocks); i++) {
		json_str(w, "name", schema->clocks[i].name);
		json_u64(w, "period_ps", schema->clocks[i].period_ps);
	}
	for (uint32_t i = 0; next_object(w, "scopes", i, schema->num_scopes); i++)
		json_scope(s, (uint16_t)i);
	for (uint32_t i = 0; next_object(w, "enums", i, schema->num_enums); i++) {
		const uscope_enum_t *e = &schema->enums[i];
		json_str(w, "name", e->name);
		for (uint32_t k = 0; next_object(w, "values", k, e->num_values); k++) {
			json_u64(w, "value", e->values[k].value);
			json_str(w, "label", e->values[k].name);
		}
	}
	for (uint32_t i = 0; next_object(w, "storages", i, schema->num_storages); i++) {
		const uscope_storage_t *st = &schema->storages[i];
		json_place(w, st->name, st->scope);
		json_u64(w, "slots", st->num_slots);
		json_bool(w, "sparse", st->flags & USCOPE_SPARSE);
		json_bool(w, "buffer", st->flags & USCOPE_BUFFER);
		json_fields(w, "fields", st->fields, st->num_fields);
		json_fields(w, "properties", st->properties, st->num_properties);
	}
	for (uint32_t i = 0; next_object(w, "events", i, schema->num_events); i++) {
		json_place(w, schema->events[i].name, schema->events[i].scope);
		json_fields(w, "fields", schema->events[i].fields, schema->events[i].num_fields);
	}
	for (uint32_t i = 0; next_object(w, "summary_fields", i, schema->num_summary_fields); i++) {
		json_place(w, schema->summary_fields[i].name, schema->summary_fields[i].scope);
		json_str(w, "type", uscope_type_name(schema->summary_fields[i].type));
	}
	json_close(w, '}');
}

void
show_schema(const struct source *s)
{
	if (s->tool->json)
		json_schema(s);
	else
		put_schema(s);
}
