/* SPDX-License-Identifier: MIT */
/* infojson: what a file is, as one JSON object. */
#include "fileinfo.h"
#include "puttext.h"

#include <inttypes.h>

static void
put_key(const struct show *s, bool first, const char *key)
{
	wbuf_printf(s->w, "%s\"%s\":", first ? "" : ",", key);
}

/* NULL: null. */
static void
put_text_or_null(const struct show *s, const char *text)
{
	if (text)
		put_json_str(s->w, text);
	else
		put_str(s->w, "null");
}

static void
put_fields(const struct show *s, const char *key, const uscope_field_t *fields, uint32_t n)
{
	put_key(s, false, key);
	put_str(s->w, "[");
	for (uint32_t i = 0; i < n; i++) {
		put_str(s->w, i ? ",{\"name\":" : "{\"name\":");
		put_json_str(s->w, fields[i].name);
		wbuf_printf(s->w, ",\"type\":\"%s\"", uscope_type_name(fields[i].type));
		if (fields[i].type == USCOPE_ENUM)
			wbuf_printf(s->w, ",\"enum\":%u", fields[i].enum_id);
		put_str(s->w, "}");
	}
	put_str(s->w, "]");
}

static void
put_scope_id(const struct show *s, uint16_t scope)
{
	wbuf_printf(s->w, ",\"scope\":%u", scope == USCOPE_NONE ? 0 : scope);
}

static void
put_scopes(const struct show *s)
{
	const schema_t *schema = s->src->schema;
	put_key(s, true, "clocks");
	for (uint32_t i = 0; i < schema->num_clocks; i++) {
		put_str(s->w, i ? ",{\"name\":" : "[{\"name\":");
		put_json_str(s->w, schema->clocks[i].name);
		wbuf_printf(s->w, ",\"period_ps\":%" PRIu32 "}", schema->clocks[i].period_ps);
	}
	put_str(s->w, "],\"scopes\":");
	for (uint32_t i = 0; i < schema->num_scopes; i++) {
		const uscope_scope_t *scope = &schema->scopes[i];
		const char *path = pathlist_scope(&s->src->paths, (uint16_t)i);
		put_str(s->w, i ? ",{\"name\":" : "[{\"name\":");
		put_json_str(s->w, scope->name);
		put_str(s->w, ",\"path\":");
		put_json_str(s->w, *path ? path : "/");
		if (scope->parent == USCOPE_NONE)
			put_str(s->w, ",\"parent\":null,\"protocol\":");
		else
			wbuf_printf(s->w, ",\"parent\":%u,\"protocol\":", scope->parent);
		put_text_or_null(s, scope->protocol);
		wbuf_printf(s->w, ",\"clock\":%u}", uscope_scope_clock(schema, (uint16_t)i));
	}
	put_str(s->w, "],\"enums\":[");
	for (uint32_t i = 0; i < schema->num_enums; i++) {
		const uscope_enum_t *e = &schema->enums[i];
		put_str(s->w, i ? ",{\"name\":" : "{\"name\":");
		put_json_str(s->w, e->name);
		put_str(s->w, ",\"values\":[");
		for (uint32_t k = 0; k < e->num_values; k++) {
			wbuf_printf(s->w, "%s{\"value\":%u,\"label\":", k ? "," : "", e->values[k].value);
			put_json_str(s->w, e->values[k].name);
			put_str(s->w, "}");
		}
		put_str(s->w, "]}");
	}
	put_str(s->w, "]");
}

static void
put_schema(const struct show *s)
{
	const schema_t *schema = s->src->schema;
	put_key(s, false, "schema");
	put_str(s->w, "{");
	put_scopes(s);
	put_key(s, false, "storages");
	put_str(s->w, "[");
	for (uint32_t i = 0; i < schema->num_storages; i++) {
		const uscope_storage_t *st = &schema->storages[i];
		put_str(s->w, i ? ",{\"name\":" : "{\"name\":");
		put_json_str(s->w, st->name);
		put_scope_id(s, st->scope);
		wbuf_printf(s->w, ",\"slots\":%u,\"sparse\":%s,\"buffer\":%s", st->num_slots,
			st->flags & USCOPE_SPARSE ? "true" : "false", st->flags & USCOPE_BUFFER ? "true" : "false");
		put_fields(s, "fields", st->fields, st->num_fields);
		put_fields(s, "properties", st->properties, st->num_properties);
		put_str(s->w, "}");
	}
	put_str(s->w, "],\"events\":[");
	for (uint32_t i = 0; i < schema->num_events; i++) {
		put_str(s->w, i ? ",{\"name\":" : "{\"name\":");
		put_json_str(s->w, schema->events[i].name);
		put_scope_id(s, schema->events[i].scope);
		put_fields(s, "fields", schema->events[i].fields, schema->events[i].num_fields);
		put_str(s->w, "}");
	}
	put_str(s->w, "],\"summary_fields\":[");
	for (uint32_t i = 0; i < schema->num_summary_fields; i++) {
		put_str(s->w, i ? ",{\"name\":" : "{\"name\":");
		put_json_str(s->w, schema->summary_fields[i].name);
		put_scope_id(s, schema->summary_fields[i].scope);
		wbuf_printf(s->w, ",\"type\":\"%s\"}", uscope_type_name(schema->summary_fields[i].type));
	}
	put_str(s->w, "]}");
}

static void
put_segments(const struct show *s)
{
	put_key(s, false, "segment_list");
	put_str(s->w, "[");
	for (uint32_t i = 0; i < uscope_num_segments(s->src->reader) && !utool_stop(s->tool); i++) {
		uscope_segment_t seg;
		int rc = uscope_segment_info(s->src->reader, i, &seg);
		put_str(s->w, i ? "," : "");
		if (rc < 0) {
			wbuf_printf(s->w, "{\"status\":\"%s\"}", uscope_status_name(rc));
			continue;
		}
		wbuf_printf(s->w, "{\"offset\":%" PRIu64 ",\"time_start_ps\":%" PRIu64 ",\"time_end_ps\":%" PRIu64 ",\"checkpoint_size\":%" PRIu32, seg.offset,
			seg.time_start_ps, seg.time_end_ps, seg.checkpoint_size);
		wbuf_printf(s->w, ",\"compressed_size\":%" PRIu32 ",\"raw_size\":%" PRIu32 ",\"frames\":%" PRIu32 ",\"frames_active\":%" PRIu32 "}",
			seg.compressed_size, seg.raw_size, seg.num_frames, seg.num_frames_active);
	}
	put_str(s->w, "]");
}

static void
put_head(const struct show *s, const struct fileinfo *info)
{
	const file_header_t *h = uscope_header(s->src->reader);
	put_key(s, true, "file");
	put_json_str(s->w, s->src->path);
	wbuf_printf(s->w, ",\"size\":%" PRIu64 ",\"version\":\"%u.%u\",\"flags\":%" PRIu64 ",\"frame_format\":\"%s\",\"compression\":\"%s\"",
		info->size, h->version_major, h->version_minor, h->flags, frames_name(h->flags), compression_name(h->flags));
	wbuf_printf(s->w, ",\"complete\":%s,\"total_time_ps\":%" PRIu64 ",\"checkpoint_interval_ps\":%" PRIu64, uscope_is_complete(s->src->reader) ? "true" : "false",
		h->total_time_ps, uscope_checkpoint_interval(s->src->reader));
	wbuf_printf(s->w, ",\"segments\":%" PRIu32 ",\"bad_segments\":%" PRIu32 ",\"time_start_ps\":%" PRIu64 ",\"time_end_ps\":%" PRIu64, info->segments, info->bad,
		info->begin_ps, info->end_ps);
	wbuf_printf(s->w, ",\"frames\":%" PRIu64 ",\"frames_active\":%" PRIu64 ",\"raw_bytes\":%" PRIu64 ",\"compressed_bytes\":%" PRIu64 ",\"checkpoint_bytes\":%" PRIu64,
		info->frames, info->active, info->raw, info->compressed, info->checkpoints);
	wbuf_printf(s->w, ",\"strings\":%" PRIu32, uscope_num_strings(s->src->reader));
	uscope_summary_t sum;
	wbuf_printf(s->w, ",\"summary\":%s", uscope_summary_info(s->src->reader, &sum) ? "true" : "false");
	put_key(s, false, "sections");
	put_str(s->w, "[");
	for (uint32_t i = 0; i < uscope_num_sections(s->src->reader) && !utool_stop(s->tool); i++) {
		uscope_section_t section;
		if (uscope_section_info(s->src->reader, i, &section))
			wbuf_printf(s->w, "%s{\"type\":%u,\"offset\":%" PRIu64 ",\"size\":%" PRIu64 "}", i ? "," : "", section.type, section.offset, section.size);
	}
	put_str(s->w, "],\"diagnostics\":{");
	bool first = true;
	for (int i = 0; i < USCOPE_NUM_DIAGS; i++) {
		uint64_t n = uscope_reader_diag(s->src->reader, (enum uscope_diag)i);
		if (!n)
			continue;
		put_key(s, first, uscope_diag_name((enum uscope_diag)i));
		put_u64(s->w, n);
		first = false;
	}
	put_str(s->w, "}");
}

void
info_json(const struct show *s, const struct fileinfo *info, bool segments)
{
	const dut_desc_t *dut = uscope_dut_desc(s->src->reader);
	put_str(s->w, "{");
	put_head(s, info);
	put_key(s, false, "properties");
	put_str(s->w, "[");
	for (uint32_t i = 0; i < dut->num_properties; i++) {
		put_str(s->w, i ? ",{\"key\":" : "{\"key\":");
		put_json_str(s->w, dut->properties[i].key);
		put_str(s->w, ",\"value\":");
		put_json_str(s->w, dut->properties[i].value);
		put_str(s->w, "}");
	}
	put_str(s->w, "]");
	put_schema(s);
	if (segments)
		put_segments(s);
	put_str(s->w, "}\n");
}
