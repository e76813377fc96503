/* SPDX-License-Identifier: MIT */
/* infojson: what a file is, as one JSON object. */
#include "fileinfo.h"
#include "jsonout.h"

static void
put_fields(struct wbuf *w, const char *key, const uscope_field_t *fields, uint32_t n)
{
	json_open(w, key, '[');
	for (uint32_t i = 0; i < n; i++) {
		json_open(w, NULL, '{');
		json_str(w, "name", fields[i].name);
		json_str(w, "type", uscope_type_name(fields[i].type));
		if (fields[i].type == USCOPE_ENUM)
			json_u64(w, "enum", fields[i].enum_id);
		json_close(w, '}');
	}
	json_close(w, ']');
}

/* Opens an object of the schema. */
static void
open_named(struct wbuf *w, const char *name)
{
	json_open(w, NULL, '{');
	json_str(w, "name", name);
}

static void
open_in_scope(struct wbuf *w, const char *name, uint16_t scope)
{
	open_named(w, name);
	json_u64(w, "scope", scope == USCOPE_NONE ? 0 : scope);
}

static void
put_scopes(const struct show *s)
{
	const schema_t *schema = s->src->schema;
	struct wbuf *w = s->w;
	json_open(w, "clocks", '[');
	for (uint32_t i = 0; i < schema->num_clocks; i++) {
		open_named(w, schema->clocks[i].name);
		json_u64(w, "period_ps", schema->clocks[i].period_ps);
		json_close(w, '}');
	}
	json_close(w, ']');
	json_open(w, "scopes", '[');
	for (uint32_t i = 0; i < schema->num_scopes; i++) {
		const uscope_scope_t *scope = &schema->scopes[i];
		const char *path = pathlist_scope(&s->src->paths, (uint16_t)i);
		open_named(w, scope->name);
		json_str(w, "path", *path ? path : "/");
		if (scope->parent == USCOPE_NONE)
			json_str(w, "parent", NULL);
		else
			json_u64(w, "parent", scope->parent);
		json_str(w, "protocol", scope->protocol);
		json_u64(w, "clock", uscope_scope_clock(schema, (uint16_t)i));
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void
put_enums(struct wbuf *w, const schema_t *schema)
{
	json_open(w, "enums", '[');
	for (uint32_t i = 0; i < schema->num_enums; i++) {
		const uscope_enum_t *e = &schema->enums[i];
		open_named(w, e->name);
		json_open(w, "values", '[');
		for (uint32_t k = 0; k < e->num_values; k++) {
			json_open(w, NULL, '{');
			json_u64(w, "value", e->values[k].value);
			json_str(w, "label", e->values[k].name);
			json_close(w, '}');
		}
		json_close(w, ']');
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void
put_schema(const struct show *s)
{
	const schema_t *schema = s->src->schema;
	struct wbuf *w = s->w;
	json_open(w, "schema", '{');
	put_scopes(s);
	put_enums(w, schema);
	json_open(w, "storages", '[');
	for (uint32_t i = 0; i < schema->num_storages; i++) {
		const uscope_storage_t *st = &schema->storages[i];
		open_in_scope(w, st->name, st->scope);
		json_u64(w, "slots", st->num_slots);
		json_bool(w, "sparse", st->flags & USCOPE_SPARSE);
		json_bool(w, "buffer", st->flags & USCOPE_BUFFER);
		put_fields(w, "fields", st->fields, st->num_fields);
		put_fields(w, "properties", st->properties, st->num_properties);
		json_close(w, '}');
	}
	json_close(w, ']');
	json_open(w, "events", '[');
	for (uint32_t i = 0; i < schema->num_events; i++) {
		const uscope_event_type_t *e = &schema->events[i];
		open_in_scope(w, e->name, e->scope);
		put_fields(w, "fields", e->fields, e->num_fields);
		json_close(w, '}');
	}
	json_close(w, ']');
	json_open(w, "summary_fields", '[');
	for (uint32_t i = 0; i < schema->num_summary_fields; i++) {
		open_in_scope(w, schema->summary_fields[i].name, schema->summary_fields[i].scope);
		json_str(w, "type", uscope_type_name(schema->summary_fields[i].type));
		json_close(w, '}');
	}
	json_close(w, ']');
	json_close(w, '}');
}

void
json_segment(struct wbuf *w, const uscope_segment_t *seg)
{
	json_u64(w, "offset", seg->offset);
	json_u64(w, "time_start_ps", seg->time_start_ps);
	json_u64(w, "time_end_ps", seg->time_end_ps);
	json_u64(w, "checkpoint_size", seg->checkpoint_size);
	json_u64(w, "compressed_size", seg->compressed_size);
	json_u64(w, "raw_size", seg->raw_size);
	json_u64(w, "frames", seg->num_frames);
}

static void
put_segments(const struct show *s)
{
	json_open(s->w, "segment_list", '[');
	for (uint32_t i = 0; i < uscope_num_segments(s->src->reader) && !utool_stop(s->tool); i++) {
		uscope_segment_t seg;
		int rc = uscope_segment_info(s->src->reader, i, &seg);
		json_open(s->w, NULL, '{');
		if (rc < 0) {
			json_str(s->w, "status", uscope_status_name(rc));
		} else {
			json_segment(s->w, &seg);
			json_u64(s->w, "frames_active", seg.num_frames_active);
		}
		json_close(s->w, '}');
	}
	json_close(s->w, ']');
}

static void
put_head(const struct show *s, const struct fileinfo *info)
{
	const file_header_t *h = uscope_header(s->src->reader);
	struct wbuf *w = s->w;
	uscope_summary_t sum;
	json_str(w, "file", s->src->path);
	json_u64(w, "size", info->size);
	json_printf(w, "version", "%u.%u", h->version_major, h->version_minor);
	json_u64(w, "flags", h->flags);
	json_str(w, "frame_format", frames_name(h->flags));
	json_str(w, "compression", compression_name(h->flags));
	json_bool(w, "complete", uscope_is_complete(s->src->reader));
	json_u64(w, "total_time_ps", h->total_time_ps);
	json_u64(w, "checkpoint_interval_ps", uscope_checkpoint_interval(s->src->reader));
	json_u64(w, "segments", info->segments);
	json_u64(w, "bad_segments", info->bad);
	json_u64(w, "time_start_ps", info->begin_ps);
	json_u64(w, "time_end_ps", info->end_ps);
	json_u64(w, "frames", info->frames);
	json_u64(w, "frames_active", info->active);
	json_u64(w, "raw_bytes", info->raw);
	json_u64(w, "compressed_bytes", info->compressed);
	json_u64(w, "checkpoint_bytes", info->checkpoints);
	json_u64(w, "strings", uscope_num_strings(s->src->reader));
	json_bool(w, "summary", uscope_summary_info(s->src->reader, &sum));
}

static void
put_sections(const struct show *s)
{
	json_open(s->w, "sections", '[');
	for (uint32_t i = 0; i < uscope_num_sections(s->src->reader) && !utool_stop(s->tool); i++) {
		uscope_section_t section;
		if (!uscope_section_info(s->src->reader, i, &section))
			continue;
		json_open(s->w, NULL, '{');
		json_u64(s->w, "type", section.type);
		json_u64(s->w, "offset", section.offset);
		json_u64(s->w, "size", section.size);
		json_close(s->w, '}');
	}
	json_close(s->w, ']');
}

void
info_json(const struct show *s, const struct fileinfo *info, bool segments)
{
	const dut_desc_t *dut = uscope_dut_desc(s->src->reader);
	struct wbuf *w = s->w;
	json_open(w, NULL, '{');
	put_head(s, info);
	put_sections(s);
	json_open(w, "diagnostics", '{');
	for (int i = 0; i < USCOPE_NUM_DIAGS; i++) {
		uint64_t n = uscope_reader_diag(s->src->reader, (enum uscope_diag)i);
		if (n)
			json_u64(w, uscope_diag_name((enum uscope_diag)i), n);
	}
	json_close(w, '}');
	json_open(w, "properties", '[');
	for (uint32_t i = 0; i < dut->num_properties; i++) {
		json_open(w, NULL, '{');
		json_str(w, "key", dut->properties[i].key);
		json_str(w, "value", dut->properties[i].value);
		json_close(w, '}');
	}
	json_close(w, ']');
	put_schema(s);
	if (segments)
		put_segments(s);
	json_end(w);
}
