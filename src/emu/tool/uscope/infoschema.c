/* SPDX-License-Identifier: MIT */
/* infoschema: the schema of a file as a tree, for people. */
#include "fileinfo.h"
#include "puttext.h"
#include "scopetree.h"

#include <inttypes.h>

enum {
	INDENT_MAX = 40, /* columns */
};

static void
put_name(const struct show *s, const char *name)
{
	put_text(s->w, name, strlen(name));
}

static void
put_fields(const struct show *s, const char *what, const uscope_field_t *fields, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		put_str(s->w, i ? ", " : what);
		put_name(s, fields[i].name);
		wbuf_printf(s->w, " %s", uscope_type_name(fields[i].type));
		if (fields[i].type == USCOPE_ENUM && fields[i].enum_id < s->src->schema->num_enums) {
			put_str(s->w, " ");
			put_name(s, s->src->schema->enums[fields[i].enum_id].name);
		}
	}
}

static void
put_indent(const struct show *s, uint32_t depth)
{
	uint32_t n = 2 + 2 * depth;
	wbuf_printf(s->w, "%*s", (int)(n < INDENT_MAX ? n : INDENT_MAX), "");
}

static void
put_storage(const struct show *s, const uscope_storage_t *st, uint32_t depth)
{
	put_indent(s, depth);
	put_str(s->w, "storage ");
	put_name(s, st->name);
	wbuf_printf(s->w, ": %s%s, %u slot%s of %" PRIu32 " bytes", st->flags & USCOPE_SPARSE ? "sparse" : "dense",
		st->flags & USCOPE_BUFFER ? " buffer" : "", st->num_slots, st->num_slots == 1 ? "" : "s", st->slot_size);
	put_fields(s, ": ", st->fields, st->num_fields);
	put_fields(s, "; properties: ", st->properties, st->num_properties);
	put_str(s->w, "\n");
}

static void
put_scope(const struct show *s, uint16_t id, uint32_t depth)
{
	const schema_t *schema = s->src->schema;
	const uscope_scope_t *scope = &schema->scopes[id];
	put_indent(s, depth);
	put_name(s, scope->name);
	if (scope->protocol) {
		put_str(s->w, ", protocol ");
		put_name(s, scope->protocol);
	}
	uint8_t clock = uscope_scope_clock(schema, id);
	if (clock < schema->num_clocks) {
		put_str(s->w, ", clock ");
		put_name(s, schema->clocks[clock].name);
	}
	put_str(s->w, "\n");
	for (uint32_t i = 0; i < schema->num_storages; i++)
		if (scope_is(schema->storages[i].scope, id))
			put_storage(s, &schema->storages[i], depth + 1);
	for (uint32_t i = 0; i < schema->num_events; i++) {
		if (!scope_is(schema->events[i].scope, id))
			continue;
		put_indent(s, depth + 1);
		put_str(s->w, "event ");
		put_name(s, schema->events[i].name);
		put_fields(s, ": ", schema->events[i].fields, schema->events[i].num_fields);
		put_str(s->w, "\n");
	}
	for (uint32_t i = 0; i < schema->num_summary_fields; i++) {
		if (!scope_is(schema->summary_fields[i].scope, id))
			continue;
		put_indent(s, depth + 1);
		put_str(s->w, "summary field ");
		put_name(s, schema->summary_fields[i].name);
		wbuf_printf(s->w, " %s\n", uscope_type_name(schema->summary_fields[i].type));
	}
}

static void
put_tree(const struct show *s)
{
	struct scopetree tree;
	uint16_t scope;
	uint32_t depth;
	if (scopetree_init(&tree, s->src->schema) < 0) {
		(void)utool_no_memory(s->tool);
		return;
	}
	while (!utool_stop(s->tool) && scopetree_next(&tree, &scope, &depth))
		put_scope(s, scope, depth);
	scopetree_finish(&tree);
}

static void
put_enums(const struct show *s)
{
	const schema_t *schema = s->src->schema;
	if (schema->num_enums)
		put_str(s->w, "\nenumerations:\n");
	for (uint32_t i = 0; i < schema->num_enums; i++) {
		const uscope_enum_t *e = &schema->enums[i];
		put_str(s->w, "  ");
		put_name(s, e->name);
		for (uint32_t k = 0; k < e->num_values; k++) {
			wbuf_printf(s->w, "%s%u ", k ? ", " : ": ", e->values[k].value);
			put_name(s, e->values[k].name);
		}
		put_str(s->w, "\n");
	}
}

void
info_schema(const struct show *s)
{
	const schema_t *schema = s->src->schema;
	put_str(s->w, "\nclocks:\n");
	for (uint32_t i = 0; i < schema->num_clocks; i++) {
		put_str(s->w, "  ");
		put_name(s, schema->clocks[i].name);
		put_str(s->w, ": ");
		if (schema->clocks[i].period_ps)
			show_time(s->w, schema->clocks[i].period_ps);
		else
			put_str(s->w, "unknown");
		put_str(s->w, "\n");
	}
	put_str(s->w, "\nscopes:\n");
	put_tree(s);
	put_enums(s);
}
