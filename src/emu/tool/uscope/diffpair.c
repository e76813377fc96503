/* SPDX-License-Identifier: MIT */
#include "diffpair.h"

#include <string.h>

/* A list of one file: its storages, its types of events, or the fields of one of these. */
struct list {
	const struct source *src;
	bool events;
	bool inside; /* fields of `owner` */
	uint16_t owner;
	const uscope_field_t *fields;
	uint32_t n;
};

struct missing {
	struct arena *arena; /* of the pairs */
	pair_missing_fn *fn;
	void *user;
};

static const char *
owner_name(const struct list *l, uint32_t i)
{
	return l->events ? l->src->schema->events[i].name : l->src->schema->storages[i].name;
}

static uint16_t
owner_scope(const struct list *l, uint32_t i)
{
	return l->events ? l->src->schema->events[i].scope : l->src->schema->storages[i].scope;
}

static bool
is_chosen(const struct list *l, uint32_t i)
{
	return l->inside || (l->events ? l->src->picked.events[i] : l->src->picked.storages[i]);
}

static bool
is_same(const struct list *a, uint32_t i, const struct list *b, uint32_t k)
{
	if (a->inside)
		return a->fields[i].type == b->fields[k].type && strcmp(a->fields[i].name, b->fields[k].name) == 0;
	return strcmp(owner_name(a, i), owner_name(b, k)) == 0 &&
		strcmp(pathlist_scope(&a->src->paths, owner_scope(a, i)), pathlist_scope(&b->src->paths, owner_scope(b, k))) == 0;
}

/* Pairs each entry of the first list with the first of the second that is the same and free. Files of one
 * program have the same order: the same place is tried before all. false: out of memory. */
static bool
match(struct matching *m, const struct list *a, const struct list *b, struct arena *arena)
{
	const uint32_t n[SIDES] = { a->n, b->n };
	for (int s = 0; s < SIDES; s++) {
		m->of[s] = arena_new(arena, uint16_t, a->n);
		m->index[s] = arena_new(arena, uint16_t, n[s]);
		if (!m->of[s] || !m->index[s])
			return false;
		memset(m->index[s], 0xff, n[s] * sizeof(*m->index[s]));
	}
	for (uint32_t i = 0; i < a->n; i++) {
		for (uint32_t k = 0; is_chosen(a, i) && k <= b->n; k++) {
			uint32_t at = k == 0 ? i : k - 1;
			if (at >= b->n || m->index[1][at] != NO_PAIR || !is_chosen(b, at) || !is_same(a, i, b, at))
				continue;
			m->of[0][m->n] = (uint16_t)i;
			m->of[1][m->n] = (uint16_t)at;
			m->index[0][i] = m->index[1][at] = m->n++;
			break;
		}
	}
	return true;
}

static bool
tell(const struct missing *m, int in, const struct list *l, uint32_t i)
{
	uint32_t owner = l->inside ? l->owner : i;
	const char *what = l->inside ? "field" : l->events ? "event"
							   : "storage";
	return m->fn(m->user, what, in, owner_scope(l, owner), owner_name(l, owner), l->inside ? l->fields[i].name : NULL);
}

static bool
pair_fields(struct matching *m, const struct list lists[SIDES], const struct missing *missing)
{
	if (!match(m, &lists[0], &lists[1], missing->arena))
		return false;
	for (int s = 0; s < SIDES; s++)
		for (uint32_t i = 0; i < lists[s].n; i++)
			if (m->index[s][i] == NO_PAIR && !tell(missing, s, &lists[s], i))
				return false;
	return true;
}

static bool
pair_owner(struct owner_pair *o, const struct list lists[SIDES], const struct missing *missing)
{
	struct list fields[SIDES];
	struct list properties[SIDES];
	for (int s = 0; s < SIDES; s++) {
		fields[s] = properties[s] = (struct list){ .src = lists[s].src, .events = lists[s].events, .inside = true, .owner = o->id[s] };
		const uscope_schema_t *schema = lists[s].src->schema;
		const uscope_event_type_t *e = &schema->events[o->id[s]];
		const uscope_storage_t *st = &schema->storages[o->id[s]];
		fields[s].fields = lists[s].events ? e->fields : st->fields;
		fields[s].n = lists[s].events ? e->num_fields : st->num_fields;
		properties[s].fields = lists[s].events ? NULL : st->properties;
		properties[s].n = lists[s].events ? 0 : st->num_properties;
	}
	return pair_fields(&o->fields, fields, missing) && pair_fields(&o->properties, properties, missing);
}

static bool
pair_owners(struct owner_pairs *p, const struct list lists[SIDES], const struct missing *missing)
{
	struct matching *m = &p->ids;
	p->at = arena_new(missing->arena, struct owner_pair, lists[0].n);
	if (!p->at || !match(m, &lists[0], &lists[1], missing->arena))
		return false;
	for (int s = 0; s < SIDES; s++) {
		for (uint32_t i = 0; i < lists[s].n; i++) {
			uint16_t pair = m->index[s][i];
			if (pair == NO_PAIR && is_chosen(&lists[s], i) && !tell(missing, s, &lists[s], i))
				return false;
			if (pair == NO_PAIR || s > 0)
				continue;
			p->at[pair].id[0] = m->of[0][pair];
			p->at[pair].id[1] = m->of[1][pair];
			if (!pair_owner(&p->at[pair], lists, missing))
				return false;
		}
	}
	return true;
}

bool
pairs_init(struct pairs *p, struct source *in, pair_missing_fn *fn, void *user)
{
	const struct missing missing = { &in[0].arena, fn, user };
	struct list storages[SIDES];
	struct list events[SIDES];
	*p = (struct pairs){ 0 };
	for (int s = 0; s < SIDES; s++) {
		storages[s] = (struct list){ .src = &in[s], .n = in[s].schema->num_storages };
		events[s] = (struct list){ .src = &in[s], .n = in[s].schema->num_events, .events = true };
	}
	return pair_owners(&p->storages, storages, &missing) && pair_owners(&p->events, events, &missing);
}
