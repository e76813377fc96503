/* SPDX-License-Identifier: MIT */
#include "statetext.h"

#include "jsonout.h"

#include <inttypes.h>

bool
slot_has_content(const struct source *src, const uscope_state_t *state, uint16_t storage, uint16_t slot)
{
	const uscope_storage_t *st = &src->schema->storages[storage];
	if (!uscope_slot_valid(state, storage, slot))
		return false;
	if (st->flags & USCOPE_SPARSE)
		return true;
	for (uint32_t f = 0; f < st->num_fields; f++)
		if (uscope_slot_field_raw(state, storage, slot, (uint16_t)f))
			return true;
	return false;
}

static bool
is_shown(const struct show *s, const uscope_state_t *state, uint32_t storage, uint32_t slot, bool all)
{
	if (all)
		return uscope_slot_valid(state, (uint16_t)storage, (uint16_t)slot);
	return slot_has_content(s->src, state, (uint16_t)storage, (uint16_t)slot);
}

static void
show_slots(const struct show *s, const uscope_state_t *state, uint32_t id, bool all)
{
	const uscope_storage_t *st = &s->src->schema->storages[id];
	uint32_t left_out = 0;
	for (uint32_t slot = 0; slot < st->num_slots && !utool_stop(s->tool); slot++) {
		if (!is_shown(s, state, id, slot, all)) {
			left_out++;
			continue;
		}
		wbuf_printf(s->w, "  [%" PRIu32 "]", slot);
		for (uint32_t f = 0; f < st->num_fields; f++) {
			put_str(s->w, " ");
			show_field(s, &st->fields[f], uscope_slot_field_raw(state, (uint16_t)id, (uint16_t)slot, (uint16_t)f));
		}
		put_str(s->w, "\n");
	}
	if (left_out && !(st->flags & USCOPE_SPARSE))
		wbuf_printf(s->w, "  (%" PRIu32 " slot%s of zeros)\n", left_out, left_out == 1 ? "" : "s");
}

void
show_state(const struct show *s, const uscope_state_t *state, bool all)
{
	const schema_t *schema = s->src->schema;
	for (uint32_t id = 0; id < schema->num_storages && !utool_stop(s->tool); id++) {
		const uscope_storage_t *st = &schema->storages[id];
		if (!s->src->picked.storages[id])
			continue;
		show_path(s, st->scope, st->name);
		if (st->flags & USCOPE_SPARSE)
			wbuf_printf(s->w, ": %" PRIu32 " of %u slots valid\n", uscope_storage_occupancy(state, (uint16_t)id), st->num_slots);
		else
			wbuf_printf(s->w, ": %u slot%s\n", st->num_slots, st->num_slots == 1 ? "" : "s");
		for (uint32_t p = 0; p < st->num_properties; p++) {
			put_str(s->w, "  ");
			show_field(s, &st->properties[p], uscope_state_prop(state, (uint16_t)id, (uint16_t)p));
			put_str(s->w, "\n");
		}
		show_slots(s, state, id, all);
	}
}

static void
json_begin(const struct show *s, uint32_t id, const char *kind, uint64_t time_ps)
{
	const uscope_storage_t *st = &s->src->schema->storages[id];
	json_open(s->w, NULL, '{');
	json_str(s->w, "kind", kind);
	json_u64(s->w, "time_ps", time_ps);
	json_path(s, st->scope, "storage", st->name);
}

static void
json_slot(const struct show *s, const uscope_state_t *state, uint32_t id, uint32_t slot)
{
	const uscope_storage_t *st = &s->src->schema->storages[id];
	json_u64(s->w, "slot", slot);
	json_open(s->w, "fields", '{');
	for (uint32_t f = 0; f < st->num_fields; f++)
		json_field(s, &st->fields[f], f, uscope_slot_field_raw(state, (uint16_t)id, (uint16_t)slot, (uint16_t)f));
	json_close(s->w, '}');
	json_end(s->w);
}

static void
json_properties(const struct show *s, const uscope_state_t *state, uint32_t id)
{
	const uscope_storage_t *st = &s->src->schema->storages[id];
	json_open(s->w, "properties", '{');
	for (uint32_t p = 0; p < st->num_properties; p++)
		json_field(s, &st->properties[p], p, uscope_state_prop(state, (uint16_t)id, (uint16_t)p));
	json_close(s->w, '}');
	json_end(s->w);
}

void
json_state(const struct show *s, const uscope_state_t *state, bool all, const char *kind, uint64_t time_ps)
{
	const schema_t *schema = s->src->schema;
	for (uint32_t id = 0; id < schema->num_storages && !utool_stop(s->tool); id++) {
		if (!s->src->picked.storages[id])
			continue;
		if (schema->storages[id].num_properties) {
			json_begin(s, id, kind, time_ps);
			json_properties(s, state, id);
		}
		for (uint32_t slot = 0; slot < schema->storages[id].num_slots && !utool_stop(s->tool); slot++) {
			if (!is_shown(s, state, id, slot, all))
				continue;
			json_begin(s, id, kind, time_ps);
			json_slot(s, state, id, slot);
		}
	}
}
