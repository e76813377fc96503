/* SPDX-License-Identifier: MIT */
#include "diffpair.h"

#include <stdlib.h>
#include <string.h>

/* What is paired: the storages or the events of both files. */
struct side {
	const struct source *src;
	bool events;
};

static uint32_t
count(const struct side *s)
{
	return s->events ? s->src->schema->num_events : s->src->schema->num_storages;
}

static const char *
name_of(const struct side *s, uint32_t i)
{
	return s->events ? s->src->schema->events[i].name : s->src->schema->storages[i].name;
}

static uint16_t
scope_of(const struct side *s, uint32_t i)
{
	return s->events ? s->src->schema->events[i].scope : s->src->schema->storages[i].scope;
}

static bool
is_chosen(const struct side *s, uint32_t i)
{
	return s->events ? s->src->picked.events[i] : s->src->picked.storages[i];
}

static bool
same_place(const struct side *a, uint32_t i, const struct side *b, uint32_t k)
{
	return strcmp(name_of(a, i), name_of(b, k)) == 0 &&
		strcmp(pathlist_scope(&a->src->paths, scope_of(a, i)), pathlist_scope(&b->src->paths, scope_of(b, k))) == 0;
}

/* Files of one program have the same order: the same place is tried first. */
static uint32_t
find_other(const struct side *a, uint32_t i, const struct side *b, const uint32_t *taken)
{
	uint32_t n = count(b);
	for (uint32_t k = 0; k <= n; k++) {
		uint32_t at = k == 0 ? i : k - 1;
		if (at < n && taken[at] == UINT32_MAX && is_chosen(b, at) && same_place(a, i, b, at))
			return at;
	}
	return UINT32_MAX;
}

struct field_list {
	const uscope_field_t *fields;
	uint32_t n;
};

static bool
same_field(const uscope_field_t *a, const uscope_field_t *b)
{
	return a->type == b->type && strcmp(a->name, b->name) == 0;
}

/* `reported`: whose owner, for what is missing. */
struct missing {
	pair_missing_fn *fn;
	void *user;
	const struct side *sides;
	const uint16_t *id; /* of the owner, by side */
};

static bool
tell(const struct missing *m, int in, const char *field)
{
	const struct side *s = &m->sides[in];
	return m->fn(m->user, "field", in, scope_of(s, m->id[in]), name_of(s, m->id[in]), field);
}

static bool
room_for_fields(struct field_pairs *p, uint32_t na, uint32_t nb)
{
	const uint32_t n[SIDES] = { na, nb };
	for (int s = 0; s < SIDES; s++) {
		p->of[s] = calloc((size_t)na + 1, sizeof(*p->of[s]));
		p->index[s] = calloc((size_t)n[s] + 1, sizeof(*p->index[s]));
		if (!p->of[s] || !p->index[s])
			return false;
		for (uint32_t i = 0; i < n[s]; i++)
			p->index[s][i] = NO_PAIR;
	}
	return true;
}

static uint32_t
find_field(const uscope_field_t *f, uint32_t i, const struct field_list *in, const uint16_t *taken)
{
	for (uint32_t k = 0; k <= in->n; k++) {
		uint32_t at = k == 0 ? i : k - 1;
		if (at < in->n && taken[at] == NO_PAIR && same_field(f, &in->fields[at]))
			return at;
	}
	return in->n;
}

static bool
pair_fields(struct field_pairs *p, const struct field_list lists[SIDES], const struct missing *m)
{
	uint32_t na = lists[0].n;
	uint32_t nb = lists[1].n;
	if (!room_for_fields(p, na, nb))
		return false;
	for (uint32_t i = 0; i < na; i++) {
		uint32_t k = find_field(&lists[0].fields[i], i, &lists[1], p->index[1]);
		if (k == nb) {
			if (!tell(m, 0, lists[0].fields[i].name))
				return false;
			continue;
		}
		p->of[0][p->n] = (uint16_t)i;
		p->of[1][p->n] = (uint16_t)k;
		p->index[0][i] = p->index[1][k] = (uint16_t)p->n++;
	}
	for (uint32_t k = 0; k < nb; k++)
		if (p->index[1][k] == NO_PAIR && !tell(m, 1, lists[1].fields[k].name))
			return false;
	return true;
}

static struct field_list
fields_of(const struct side *s, uint32_t i)
{
	if (s->events)
		return (struct field_list){ s->src->schema->events[i].fields, s->src->schema->events[i].num_fields };
	return (struct field_list){ s->src->schema->storages[i].fields, s->src->schema->storages[i].num_fields };
}

static struct field_list
properties_of(const struct side *s, uint32_t i)
{
	return (struct field_list){ s->src->schema->storages[i].properties, s->src->schema->storages[i].num_properties };
}

static bool
pair_owner(struct owner_pair *o, const struct side sides[SIDES], pair_missing_fn *fn, void *user)
{
	const struct missing m = { .fn = fn, .user = user, .sides = sides, .id = o->id };
	const struct field_list fields[SIDES] = { fields_of(&sides[0], o->id[0]), fields_of(&sides[1], o->id[1]) };
	if (!pair_fields(&o->fields, fields, &m))
		return false;
	if (sides[0].events)
		return true;
	const struct field_list props[SIDES] = { properties_of(&sides[0], o->id[0]), properties_of(&sides[1], o->id[1]) };
	return pair_fields(&o->properties, props, &m);
}

static uint32_t *
new_map(uint32_t n)
{
	uint32_t *map = malloc(((size_t)n + 1) * sizeof(*map));
	for (uint32_t i = 0; map && i < n; i++)
		map[i] = UINT32_MAX;
	return map;
}

/* owners: room for all of side 0. */
static bool
pair_owners(struct owner_pair *owners, uint32_t *n, uint32_t *const maps[SIDES], const struct side sides[SIDES], pair_missing_fn *fn, void *user)
{
	const char *what = sides[0].events ? "event" : "storage";
	for (uint32_t i = 0; i < count(&sides[0]); i++) {
		if (!is_chosen(&sides[0], i))
			continue;
		uint32_t k = find_other(&sides[0], i, &sides[1], maps[1]);
		if (k == UINT32_MAX) {
			if (!fn(user, what, 0, scope_of(&sides[0], i), name_of(&sides[0], i), NULL))
				return false;
			continue;
		}
		maps[0][i] = maps[1][k] = *n;
		struct owner_pair *o = &owners[(*n)++];
		o->id[0] = (uint16_t)i;
		o->id[1] = (uint16_t)k;
		if (!pair_owner(o, sides, fn, user))
			return false;
	}
	for (uint32_t k = 0; k < count(&sides[1]); k++)
		if (is_chosen(&sides[1], k) && maps[1][k] == UINT32_MAX &&
			!fn(user, what, 1, scope_of(&sides[1], k), name_of(&sides[1], k), NULL))
			return false;
	return true;
}

bool
pairs_init(struct pairs *p, const struct source *in, pair_missing_fn *missing, void *user)
{
	*p = (struct pairs){ 0 };
	const struct side storages[SIDES] = { { &in[0], false }, { &in[1], false } };
	const struct side events[SIDES] = { { &in[0], true }, { &in[1], true } };
	p->storages = calloc((size_t)count(&storages[0]) + 1, sizeof(*p->storages));
	p->events = calloc((size_t)count(&events[0]) + 1, sizeof(*p->events));
	for (int s = 0; s < SIDES; s++) {
		p->storage_of[s] = new_map(count(&storages[s]));
		p->event_of[s] = new_map(count(&events[s]));
		if (!p->storage_of[s] || !p->event_of[s])
			return false;
	}
	return p->storages && p->events && pair_owners(p->storages, &p->nstorages, p->storage_of, storages, missing, user) &&
		pair_owners(p->events, &p->nevents, p->event_of, events, missing, user);
}

static void
finish_owners(struct owner_pair *owners, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		for (int s = 0; s < SIDES; s++) {
			free(owners[i].fields.of[s]);
			free(owners[i].fields.index[s]);
			free(owners[i].properties.of[s]);
			free(owners[i].properties.index[s]);
		}
	}
	free(owners);
}

void
pairs_finish(struct pairs *p)
{
	finish_owners(p->storages, p->nstorages);
	finish_owners(p->events, p->nevents);
	for (int s = 0; s < SIDES; s++) {
		free(p->storage_of[s]);
		free(p->event_of[s]);
	}
	*p = (struct pairs){ 0 };
}
