/* SPDX-License-Identifier: MIT */
#include "cpuscope.h"

#include "uscope/layout.h"

static uint16_t
find_field(const uscope_field_t *fields, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(fields[i].name, name) == 0)
			return (uint16_t)i;
	return NO_FIELD;
}

static bool
find_entities(struct cpuscope *c, const uscope_schema_t *s, uint16_t scope)
{
	for (uint32_t i = 0; i < s->num_storages; i++) {
		const uscope_storage_t *st = &s->storages[i];
		if (!scope_is(st->scope, scope) || !(st->flags & USCOPE_SPARSE) || strcmp(st->name, "entities") != 0)
			continue;
		c->storage = (uint16_t)i;
		c->num_slots = st->num_slots;
		c->num_fields = st->num_fields;
		c->fields = st->fields;
		c->id = find_field(st->fields, st->num_fields, "entity_id");
		c->thread = find_field(st->fields, st->num_fields, "thread_id");
		c->pc = find_field(st->fields, st->num_fields, "pc");
		c->bits = find_field(st->fields, st->num_fields, "inst_bits");
		return true;
	}
	return false;
}

/* The events by their steps, and the fields that matter; an event that lacks one is not meant. */
static const struct {
	const char *name, *first, *second;
} known[STEPS] = {
	[STEP_STAGE] = { "stage_transition", "entity_id", "stage" },
	[STEP_NOTE] = { "annotate", "entity_id", "text" },
	[STEP_FLUSH] = { "flush", "entity_id" },
	[STEP_DEPENDENCY] = { "dependency", "src_id", "dst_id" },
};

static struct event_use
find_event(const uscope_schema_t *s, uint16_t scope, enum step_kind kind)
{
	for (uint32_t i = 0; i < s->num_events; i++) {
		const uscope_event_type_t *e = &s->events[i];
		if (!scope_is(e->scope, scope) || strcmp(e->name, known[kind].name) != 0)
			continue;
		const char *second = known[kind].second;
		uint16_t a = find_field(e->fields, e->num_fields, known[kind].first);
		uint16_t b = second ? find_field(e->fields, e->num_fields, second) : 0;
		if (a == NO_FIELD || b == NO_FIELD)
			continue;
		return (struct event_use){ .type = (uint16_t)i, .first = &e->fields[a], .second = second ? &e->fields[b] : NULL };
	}
	return (struct event_use){ 0 };
}

bool
cpuscope_find(struct cpuscope *c, const struct pathlist *paths, const char *path)
{
	const uscope_schema_t *s = paths->schema;
	for (uint32_t i = 0; i < s->num_scopes; i++) {
		const char *here = pathlist_scope(paths, (uint16_t)i);
		const char *protocol = s->scopes[i].protocol;
		if (path && strcmp(path, *here ? here : "/") != 0 && strcmp(path, s->scopes[i].name) != 0)
			continue;
		if (!protocol || strcmp(protocol, "cpu") != 0 || !find_entities(c, s, (uint16_t)i))
			continue;
		for (int kind = STEP_STAGE; kind < STEPS; kind++)
			c->events[kind] = find_event(s, (uint16_t)i, (enum step_kind)kind);
		c->period_ps = s->clocks[uscope_scope_clock(s, (uint16_t)i)].period_ps;
		c->period_ps = c->period_ps ? c->period_ps : 1;
		return true;
	}
	return false;
}

static bool
step_of_op(const struct cpuscope *c, const uscope_item_t *item, struct step *step)
{
	bool clear = item->action == USCOPE_SLOT_CLEAR;
	if (item->storage != c->storage || item->action < USCOPE_SLOT_SET || item->action > USCOPE_SLOT_ADD)
		return false;
	if (!clear && item->field >= c->num_fields)
		return false;
	if (item->bad && item->slot < c->num_slots)
		return false;
	*step = (struct step){
		.kind = clear ? STEP_CLEAR : item->action == USCOPE_SLOT_ADD ? STEP_ADD
									     : STEP_SET,
		.slot = item->slot,
		.field = clear ? NO_FIELD : item->field,
		.value = item->value,
	};
	return true;
}

/* false: it is no number of a slot. */
static bool
get_slot(const uscope_item_t *item, const uscope_field_t *f, uint16_t *slot)
{
	uint64_t v = load_value((const uint8_t *)item->payload + f->offset, f->size);
	*slot = (uint16_t)v;
	return v < SLOTS;
}

static bool
step_of_event(const struct cpuscope *c, const uscope_item_t *item, struct step *step)
{
	for (int kind = STEP_STAGE; kind < STEPS; kind++) {
		const struct event_use *use = &c->events[kind];
		if (!use->first || item->event_type != use->type)
			continue;
		*step = (struct step){ .kind = (enum step_kind)kind, .field = NO_FIELD };
		if (use->second)
			step->value = load_value((const uint8_t *)item->payload + use->second->offset, use->second->size);
		return get_slot(item, use->first, &step->slot) &&
			(step->kind != STEP_DEPENDENCY || (use->second && get_slot(item, use->second, &step->other)));
	}
	return false;
}

bool
cpuscope_step(const struct cpuscope *c, const uscope_item_t *item, struct step *step)
{
	if (item->kind == USCOPE_ITEM_OP)
		return step_of_op(c, item, step);
	return item->kind == USCOPE_ITEM_EVENT && !item->bad && step_of_event(c, item, step);
}
