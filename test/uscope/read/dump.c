/* SPDX-License-Identifier: MIT */
/* dump: all that a reader gives for a file, as JSON of the shape that vectors.py and
 * own.py compare.
 *
 *   usage: dump MODE FILE [TIME... | FROM-TO...]
 *
 * MODE is default, strict or recover. Each TIME adds a state, each FROM-TO the events in
 * between. Numbers of 64 bits are texts. Always status 0, if the file could be looked at. */
#include "check.h"
#include "uscope.h"

#include <inttypes.h>
#include <string.h>

static void
text(const char *s, size_t n)
{
	(void)putchar('"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		if (c < 0x20 || c == '"' || c == '\\')
			(void)printf("\\u%04x", c);
		else
			(void)putchar(c);
	}
	(void)putchar('"');
}

static void
name(const char *key, const char *s)
{
	(void)printf("\"%s\":", key);
	if (s)
		text(s, strlen(s));
	else
		(void)printf("null");
}

static void
number(uint8_t type, uint64_t v)
{
	if (type >= USCOPE_I8 && type <= USCOPE_I64)
		(void)printf("\"%" PRId64 "\"", (int64_t)v);
	else
		(void)printf("\"%" PRIu64 "\"", v);
}

static void
scope_id(const char *key, uint16_t v)
{
	if (v == USCOPE_NONE)
		(void)printf("\"%s\":null", key);
	else
		(void)printf("\"%s\":%u", key, v);
}

static void
fields(const char *key, const uscope_field_t *f, uint32_t n)
{
	static const char *const types[] = { "", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "bool", "str", "enum" };
	(void)printf("\"%s\":[", key);
	for (uint32_t i = 0; i < n; i++) {
		(void)printf("%s{", i ? "," : "");
		name("name", f[i].name);
		(void)printf(",\"type\":\"%s\"", types[f[i].type]);
		if (f[i].type == USCOPE_ENUM)
			(void)printf(",\"enum\":%u", f[i].enum_id);
		(void)printf("}");
	}
	(void)printf("]");
}

static void
schema(const uscope_schema_t *s)
{
	(void)printf(",\"schema\":{\"clocks\":[");
	for (uint32_t i = 0; i < s->num_clocks; i++) {
		(void)printf("%s{", i ? "," : "");
		name("name", s->clocks[i].name);
		(void)printf(",\"period_ps\":%u}", s->clocks[i].period_ps);
	}
	(void)printf("],\"scopes\":[");
	for (uint32_t i = 0; i < s->num_scopes; i++) {
		(void)printf("%s{", i ? "," : "");
		name("name", s->scopes[i].name);
		(void)printf(",");
		scope_id("parent", s->scopes[i].parent);
		(void)printf(",");
		name("protocol", s->scopes[i].protocol);
		(void)printf(",");
		scope_id("clock", s->scopes[i].clock == USCOPE_INHERIT ? USCOPE_NONE : s->scopes[i].clock);
		(void)printf("}");
	}
	(void)printf("],\"enums\":[");
	for (uint32_t i = 0; i < s->num_enums; i++) {
		(void)printf("%s{", i ? "," : "");
		name("name", s->enums[i].name);
		(void)printf(",\"values\":[");
		for (uint32_t k = 0; k < s->enums[i].num_values; k++) {
			(void)printf("%s[%u,", k ? "," : "", s->enums[i].values[k].value);
			text(s->enums[i].values[k].name, strlen(s->enums[i].values[k].name));
			(void)printf("]");
		}
		(void)printf("]}");
	}
	(void)printf("],\"storages\":[");
	for (uint32_t i = 0; i < s->num_storages; i++) {
		const uscope_storage_t *st = &s->storages[i];
		(void)printf("%s{", i ? "," : "");
		name("name", st->name);
		(void)printf(",");
		scope_id("scope", st->scope);
		(void)printf(",\"slots\":%u,\"sparse\":%s,\"buffer\":%s,", st->num_slots,
			st->flags & USCOPE_SPARSE ? "true" : "false", st->flags & USCOPE_BUFFER ? "true" : "false");
		fields("fields", st->fields, st->num_fields);
		(void)printf(",");
		fields("properties", st->properties, st->num_properties);
		(void)printf("}");
	}
	(void)printf("],\"events\":[");
	for (uint32_t i = 0; i < s->num_events; i++) {
		(void)printf("%s{", i ? "," : "");
		name("name", s->events[i].name);
		(void)printf(",");
		scope_id("scope", s->events[i].scope);
		(void)printf(",");
		fields("fields", s->events[i].fields, s->events[i].num_fields);
		(void)printf("}");
	}
	(void)printf("],\"summary_fields\":[");
	for (uint32_t i = 0; i < s->num_summary_fields; i++) {
		(void)printf("%s{", i ? "," : "");
		name("name", s->summary_fields[i].name);
		(void)printf(",");
		fields("types", &(uscope_field_t){ .name = "", .type = s->summary_fields[i].type }, 1);
		(void)printf(",");
		scope_id("scope", s->summary_fields[i].scope);
		(void)printf("}");
	}
	(void)printf("]}");
}

static void
head(const uscope_reader_t *r)
{
	const uscope_file_header_t *h = uscope_header(r);
	(void)printf(",\"header\":{\"version_major\":%u,\"version_minor\":%u,\"flags\":%" PRIu64 ",\"total_time_ps\":\"%" PRIu64
		     "\",\"num_segments\":%u,\"preamble_end\":%u,\"section_table_offset\":%" PRIu64 ",\"tail_offset\":%" PRIu64 "}",
		h->version_major, h->version_minor, h->flags, h->total_time_ps, h->num_segments, h->preamble_end,
		h->section_table_offset, h->tail_offset);
	const uscope_dut_desc_t *dut = uscope_dut_desc(r);
	(void)printf(",\"dut\":[");
	for (uint32_t i = 0; i < dut->num_properties; i++) {
		(void)printf("%s[", i ? "," : "");
		text(dut->properties[i].key, strlen(dut->properties[i].key));
		(void)printf(",");
		text(dut->properties[i].value, strlen(dut->properties[i].value));
		(void)printf("]");
	}
	(void)printf("],\"config\":{\"checkpoint_interval_ps\":\"%" PRIu64 "\"}", uscope_checkpoint_interval(r));
	(void)printf(",\"sections\":[");
	for (uint32_t i = 0; i < uscope_num_sections(r); i++) {
		uscope_section_t s;
		CHECK(uscope_section_info(r, i, &s));
		(void)printf("%s{\"type\":%u,\"offset\":%" PRIu64 ",\"size\":%" PRIu64 "}", i ? "," : "", s.type, s.offset, s.size);
	}
	(void)printf("]");
}

static void
strings(uscope_reader_t *r)
{
	(void)printf(",\"strings\":[");
	for (uint32_t i = 0; i < uscope_num_strings(r); i++) {
		uint32_t n;
		const char *s = uscope_string(r, i, &n);
		CHECK(s && s[n] == '\0');
		(void)printf("%s", i ? "," : "");
		text(s, n);
	}
	CHECK(!uscope_string(r, uscope_num_strings(r), NULL));
	(void)printf("]");
}

static void
summary(uscope_reader_t *r)
{
	uscope_summary_t s;
	uint32_t n;
	(void)printf(",\"summary\":");
	if (!uscope_summary_info(r, &s)) {
		(void)printf("null");
		return;
	}
	(void)printf("{\"kind\":\"%s\",\"base_interval_cycles\":%u,\"fan_out\":%u,\"total_instructions\":\"%" PRIu64 "\",\"density\":[",
		s.legacy ? "CSUM" : "TSUM", s.base_interval_cycles, s.fan_out, s.total_instructions);
	for (uint32_t i = 0; i < uscope_summary_levels(r); i++) {
		const uint32_t *v = uscope_summary_data(r, i, &n);
		(void)printf("%s[", i ? "," : "");
		for (uint32_t k = 0; k < n; k++)
			(void)printf("%s%u", k ? "," : "", v[k]);
		(void)printf("]");
	}
	(void)printf("],\"counters\":[");
	for (uint32_t i = 0; i < s.num_counters; i++) {
		const char *what;
		uint32_t length, levels;
		uint16_t storage;
		CHECK(uscope_summary_counter_info(r, i, &what, &length, &storage, &levels));
		(void)printf("%s{\"name\":", i ? "," : "");
		text(what, length);
		(void)printf(",\"storage\":%u,\"levels\":[", storage);
		for (uint32_t l = 0; l < levels; l++) {
			const uscope_mipmap_t *m = uscope_summary_counter_data(r, i, l, &n);
			CHECK(m);
			(void)printf("%s[", l ? "," : "");
			for (uint32_t k = 0; k < n; k++)
				(void)printf("%s[\"%" PRIu64 "\",\"%" PRIu64 "\",\"%" PRIu64 "\"]", k ? "," : "", m[k].min, m[k].max, m[k].sum);
			(void)printf("]");
		}
		(void)printf("]}");
	}
	(void)printf("]}");
}

static uint64_t
load(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

static void
payload(const uscope_schema_t *s, uint16_t type, const uint8_t *p)
{
	const uscope_event_type_t *e = &s->events[type];
	(void)printf("\"event\":%u,\"fields\":[", type);
	for (uint32_t i = 0; i < e->num_fields; i++) {
		const uscope_field_t *f = &e->fields[i];
		uint64_t v = load(p + f->offset, f->size);
		unsigned spare = 64 - 8u * f->size;
		if (f->type >= USCOPE_I8 && f->type <= USCOPE_I64)
			v = (uint64_t)((int64_t)(v << spare) >> spare);
		if (f->type == USCOPE_BOOL)
			v = v != 0;
		(void)printf("%s", i ? "," : "");
		number(f->type, v);
	}
	(void)printf("]");
}

/* The items of a segment; its status. */
static int
frames(uscope_reader_t *r, uint32_t segment)
{
	static const char *const actions[] = { "?", "set", "clear", "add", "prop" };
	uscope_item_iter_t *it = uscope_segment_items(r, segment);
	CHECK(it);
	uscope_item_t item;
	bool frame = false, first = true;
	(void)printf(",\"frames\":[");
	while (uscope_item_next(it, &item)) {
		CHECK(item.segment == segment);
		if (item.kind == USCOPE_ITEM_FRAME) {
			(void)printf("%s{\"time_ps\":\"%" PRIu64 "\",\"items\":[", frame ? "]}," : "", item.time_ps);
			frame = first = true;
			continue;
		}
		(void)printf("%s{", first ? "" : ",");
		first = false;
		if (item.kind == USCOPE_ITEM_OP)
			(void)printf("\"op\":\"%s\",\"storage\":%u,\"slot\":%u,\"field\":%u,\"value\":\"%" PRIu64 "\"",
				item.action <= 4 ? actions[item.action] : "?", item.storage, item.slot, item.field, item.value);
		else if (item.bad)
			(void)printf("\"event\":%u,\"size\":%u", item.event_type, item.payload_size);
		else
			payload(uscope_schema(r), item.event_type, item.payload);
		if (item.bad)
			(void)printf(",\"bad\":true");
		(void)printf("}");
	}
	(void)printf("%s]", frame ? "]}" : "");
	int status = uscope_item_iter_status(it);
	uscope_item_iter_free(it);
	return status;
}

static void
segments(uscope_reader_t *r)
{
	(void)printf(",\"segments\":[");
	for (uint32_t i = 0; i < uscope_num_segments(r); i++) {
		uscope_segment_t s;
		(void)printf("%s{", i ? "," : "");
		int status = uscope_segment_info(r, i, &s);
		if (status) {
			(void)printf("\"decode\":\"%s\"}", uscope_status_name(status));
			continue;
		}
		(void)printf("\"offset\":%" PRIu64 ",\"time_start_ps\":\"%" PRIu64 "\",\"time_end_ps\":\"%" PRIu64 "\",\"prev\":%" PRIu64
			     ",\"checkpoint_size\":%u,\"deltas_compressed_size\":%u,\"deltas_raw_size\":%u,\"num_frames\":%u,\"num_frames_active\":%u",
			s.offset, s.time_start_ps, s.time_end_ps, s.prev_offset, s.checkpoint_size, s.compressed_size, s.raw_size,
			s.num_frames, s.num_frames_active);
		status = frames(r, i);
		(void)printf(",\"decode\":\"%s\"", status ? uscope_status_name(status) : "ok");
		(void)printf("}");
	}
	(void)printf("]");
}

static void
state_at(uscope_reader_t *r, uint64_t time)
{
	const uscope_schema_t *s = uscope_schema(r);
	(void)printf("{\"time_ps\":\"%" PRIu64 "\"", time);
	uscope_state_t *state = uscope_state_at(r, time);
	if (!state) {
		(void)printf(",\"error\":\"%s\"}", uscope_status_name(uscope_reader_status(r)));
		return;
	}
	(void)printf(",\"storages\":[");
	for (uint16_t i = 0; i < s->num_storages; i++) {
		const uscope_storage_t *st = &s->storages[i];
		bool first = true;
		(void)printf("%s{\"storage\":%u,\"occupancy\":%u,\"rows\":{", i ? "," : "", i, uscope_storage_occupancy(state, i));
		for (uint16_t slot = 0; slot < st->num_slots; slot++) {
			bool show = st->flags & USCOPE_SPARSE && uscope_slot_valid(state, i, slot);
			for (uint16_t f = 0; f < st->num_fields && !show; f++)
				show = uscope_slot_field(state, i, slot, f) != 0;
			if (!show)
				continue;
			(void)printf("%s\"%u\":[", first ? "" : ",", slot);
			first = false;
			for (uint16_t f = 0; f < st->num_fields; f++) {
				(void)printf("%s", f ? "," : "");
				number(st->fields[f].type, uscope_slot_field(state, i, slot, f));
			}
			(void)printf("]");
		}
		(void)printf("},\"properties\":[");
		for (uint16_t p = 0; p < st->num_properties; p++) {
			(void)printf("%s", p ? "," : "");
			number(st->properties[p].type, uscope_state_prop(state, i, p));
		}
		(void)printf("]}");
	}
	(void)printf("]}");
	uscope_state_free(state);
}

static void
events(uscope_reader_t *r, uint64_t from, uint64_t to)
{
	(void)printf("{\"from_ps\":\"%" PRIu64 "\",\"to_ps\":\"%" PRIu64 "\",\"events\":[", from, to);
	uscope_event_iter_t *it = uscope_events_in_range(r, from, to);
	CHECK(it);
	uint64_t time;
	uint16_t type;
	const void *p;
	for (bool first = true; uscope_event_next(it, &time, &type, &p); first = false) {
		(void)printf("%s{\"time_ps\":\"%" PRIu64 "\",", first ? "" : ",", time);
		payload(uscope_schema(r), type, p);
		(void)printf("}");
	}
	(void)printf("]");
	if (uscope_event_iter_status(it))
		(void)printf(",\"error\":\"%s\"", uscope_status_name(uscope_event_iter_status(it)));
	(void)printf("}");
	uscope_event_iter_free(it);
}

static void
queries(uscope_reader_t *r, int n, char **args)
{
	bool first = true;
	(void)printf(",\"states\":[");
	for (int i = 0; i < n; i++) {
		if (strchr(args[i], '-'))
			continue;
		(void)printf("%s", first ? "" : ",");
		first = false;
		state_at(r, strtoull(args[i], NULL, 10));
	}
	first = true;
	(void)printf("],\"event_queries\":[");
	for (int i = 0; i < n; i++) {
		const char *dash = strchr(args[i], '-');
		if (!dash)
			continue;
		(void)printf("%s", first ? "" : ",");
		first = false;
		events(r, strtoull(args[i], NULL, 10), strtoull(dash + 1, NULL, 10));
	}
	(void)printf("]");
}

int
main(int argc, char **argv)
{
	CHECK(argc >= 3);
	uscope_reader_options_t options = {
		.mode = strcmp(argv[1], "strict") == 0 ? USCOPE_STRICT : strcmp(argv[1], "recover") == 0 ? USCOPE_RECOVER
													 : USCOPE_TOLERANT,
	};
	uscope_error_t error;
	uscope_reader_t *r = uscope_reader_open_ex(argv[2], &options, &error);
	if (!r) {
		(void)printf("{\"open\":\"%s\",\"segment\":%" PRId64 ",\"offset\":%" PRIu64 ",\"reason\":", uscope_status_name(error.status),
			error.segment, error.offset);
		text(error.reason, strlen(error.reason));
		(void)printf("}\n");
		return 0;
	}
	CHECK(error.status == 0);
	(void)printf("{\"open\":\"ok\",\"complete\":%s", uscope_is_complete(r) ? "true" : "false");
	head(r);
	schema(uscope_schema(r));
	strings(r);
	summary(r);
	segments(r);
	queries(r, argc - 3, argv + 3);
	(void)printf(",\"diagnostics\":{");
	bool first = true;
	for (unsigned id = 0; id < USCOPE_NUM_DIAGS; id++) {
		uint64_t n = uscope_reader_diag(r, id);
		if (n) {
			(void)printf("%s\"%s\":%" PRIu64, first ? "" : ",", uscope_diag_name(id), n);
			first = false;
		}
	}
	uscope_recovery_t report;
	uscope_reader_recovery(r, &report);
	(void)printf("},\"recovery\":{\"segments\":%u,\"holes\":%u,\"discarded\":%" PRIu64 "}}\n", report.segments, report.holes, report.discarded);
	uscope_reader_close(r);
	return 0;
}
