/* SPDX-License-Identifier: MIT */
#include "jsonvalue.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	HASHED = 16, /* members; fewer are faster to look at one by one */
};

struct json *
rt_json_new(enum json_kind kind)
{
	struct json *v = calloc(1, sizeof(*v));
	if (v)
		v->kind = kind;
	return v;
}

struct json *
rt_json_number(double number)
{
	struct json *v = rt_json_new(JSON_NUMBER);
	if (v)
		v->number = number;
	return v;
}

struct json *
rt_json_text(const char *text)
{
	struct json *v = text ? rt_json_new(JSON_STRING) : NULL;
	if (v && !(v->text = strdup(text))) {
		free(v);
		v = NULL;
	}
	return v;
}

void
rt_json_free(struct json *v)
{
	if (!v)
		return;
	for (struct json *m = v->first, *next; m; m = next) {
		next = m->next;
		rt_json_free(m);
	}
	free(v->slots);
	free(v->text);
	free(v->name);
	free(v);
}

/* ---- Members. ---- */

static bool
is_named(const struct json *m, const char *name, size_t len)
{
	return strncmp(m->name, name, len) == 0 && m->name[len] == '\0';
}

/* Finds the slot of a name: that of its member, or the free one where it would be. */
static struct json **
slot_of(const struct json *v, const char *name, size_t len)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)name[i]) * 16777619u;
	for (size_t at = hash & (v->nslots - 1);; at = (at + 1) & (v->nslots - 1))
		if (!v->slots[at] || is_named(v->slots[at], name, len))
			return &v->slots[at];
}

/* Makes the hash table anew, half empty at least. Without memory there is none. */
static void
rehash(struct json *v)
{
	free(v->slots);
	v->slots = NULL;
	if (v->nmembers < HASHED)
		return;
	for (v->nslots = HASHED; v->nslots < 4 * v->nmembers;)
		v->nslots *= 2;
	v->slots = calloc(v->nslots, sizeof(struct json *));
	for (struct json *m = v->first; v->slots && m; m = m->next)
		*slot_of(v, m->name, strlen(m->name)) = m;
}

struct json *
rt_json_member(const struct json *v, const char *name, size_t len)
{
	if (v->kind != JSON_OBJECT)
		return NULL;
	if (v->slots)
		return *slot_of(v, name, len);
	struct json *m = v->first;
	while (m && !is_named(m, name, len))
		m = m->next;
	return m;
}

static void
append(struct json *to, struct json *v)
{
	v->next = NULL;
	*(to->last ? &to->last->next : &to->first) = v;
	to->last = v;
	to->nmembers++;
}

bool
rt_json_push(struct json *array, struct json *v)
{
	if (!v)
		return false;
	append(array, v);
	return true;
}

/* Makes `was`, which others point to, the value v; frees v and what was there. */
static void
replace(struct json *was, struct json *v)
{
	struct json old = *was;
	*was = *v;
	was->name = old.name;
	was->next = old.next;
	*v = (struct json){ .text = old.text, .first = old.first, .slots = old.slots };
	rt_json_free(v);
}

bool
rt_json_put(struct json *object, const char *name, size_t len, struct json *v)
{
	if (!v)
		return false;
	struct json *was = rt_json_member(object, name, len);
	if (was) {
		replace(was, v);
		return true;
	}
	free(v->name);
	if (!(v->name = strndup(name, len))) {
		rt_json_free(v);
		return false;
	}
	append(object, v);
	if (object->slots && 2 * object->nmembers < object->nslots)
		*slot_of(object, name, len) = v;
	else
		rehash(object);
	return true;
}

struct json *
rt_json_take(struct json *object, const char *name)
{
	struct json *v = rt_json_member(object, name, strlen(name));
	if (!v)
		return NULL;
	struct json *before = NULL;
	for (struct json *m = object->first; m != v; m = m->next)
		before = m;
	*(before ? &before->next : &object->first) = v->next;
	if (object->last == v)
		object->last = before;
	object->nmembers--;
	rehash(object);
	return v;
}
