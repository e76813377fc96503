/* SPDX-License-Identifier: MIT */
#include "cell.h"

#include "show.h"

#include <inttypes.h>
#include <stdio.h>

/* What follows a name at the begin of a text. NULL: it begins with something else. */
static const char *
behind(const char *text, const char *name)
{
	size_t n = strlen(name);
	return strncmp(text, name, n) == 0 ? text + n : NULL;
}

/* Reads "[3]". Returns what follows; NULL: it is no slot. */
static const char *
parse_slot(const char *text, uint32_t num_slots, uint16_t *slot)
{
	uint32_t n = 0;
	const char *p = text + 1;
	for (; *p >= '0' && *p <= '9' && n < num_slots; p++)
		n = n * 10 + (uint32_t)(*p - '0');
	*slot = (uint16_t)n;
	return p > text + 1 && *p == ']' && n < num_slots ? p + 1 : NULL;
}

/* Whether a field is the one meant: by name, or "name#2" when another has the same name. */
static bool
is_named(const struct source *s, const uscope_field_t *f, uint32_t index, const char *text)
{
	const char *rest = behind(text, f->name);
	char number[16];
	(void)snprintf(number, sizeof(number), "#%" PRIu32, index);
	return rest && (!*rest || (pathlist_is_repeated(&s->paths, f) && strcmp(rest, number) == 0));
}

/* Reads what follows the name of a storage, such as "[3].done". false: it is no place. */
static bool
find_in(const struct source *s, uint16_t storage, const char *text, struct cell *p)
{
	const uscope_storage_t *st = &s->schema->storages[storage];
	*p = (struct cell){ .storage = storage };
	bool has_slot = *text == '[';
	text = has_slot ? parse_slot(text, st->num_slots, &p->slot) : text;
	if (!text || *text != '.')
		return false;
	for (uint32_t i = 0; i < st->num_properties && !has_slot; i++)
		if (is_named(s, &st->properties[i], i, text + 1)) {
			p->field = (uint16_t)i;
			p->is_property = true;
			p->type = &st->properties[i];
			return true;
		}
	for (uint32_t i = 0; i < st->num_fields && (has_slot || st->num_slots == 1); i++)
		if (is_named(s, &st->fields[i], i, text + 1)) {
			p->field = (uint16_t)i;
			p->type = &st->fields[i];
			return true;
		}
	return false;
}

/* Says what there is in the storage that is named, if one is. */
static bool
no_place(struct tool *t, const struct source *s, const char *text, const uscope_storage_t *st)
{
	char names[400] = "";
	size_t n = 0;
	for (uint32_t i = 0; st && i < (uint32_t)st->num_fields + st->num_properties && n < sizeof(names); i++) {
		const uscope_field_t *f = i < st->num_fields ? &st->fields[i] : &st->properties[i - st->num_fields];
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s%s", i ? ", " : "", i < st->num_fields ? "[slot]." : ".", f->name);
	}
	if (st)
		t->status = conv_usage(&t->conv, "'%s': the storage has %u slot%s, and behind its name %s%s", text, st->num_slots, st->num_slots == 1 ? "" : "s", names,
			n < sizeof(names) ? "" : "...");
	else
		t->status = conv_usage(&t->conv, "nothing in %s is named '%s': a place is STORAGE[slot].field or STORAGE.property", s->path, text);
	return false;
}

bool
cell_find(struct tool *t, const struct source *s, const char *text, struct cell *cell)
{
	const uscope_storage_t *named = NULL;
	uint32_t found = 0;
	for (uint32_t i = 0; i < s->schema->num_storages; i++) {
		const uscope_storage_t *st = &s->schema->storages[i];
		const char *scope = *text == '/' ? behind(text, pathlist_scope(&s->paths, st->scope)) : NULL;
		const char *rest = behind(scope && *scope == '/' ? scope + 1 : text, st->name);
		struct cell p;
		if (!rest || (*rest != '[' && *rest != '.'))
			continue;
		named = st;
		if (!find_in(s, (uint16_t)i, rest, &p))
			continue;
		*cell = p;
		found++;
	}
	if (found > 1)
		t->status = conv_usage(&t->conv, "%" PRIu32 " places in %s are named '%s': the whole path tells which", found, s->path, text);
	return found == 1 || (found == 0 && no_place(t, s, text, named));
}

uint64_t
cell_value(const struct cell *p, const uscope_state_t *state)
{
	uint64_t v = p->is_property ? uscope_state_prop(state, p->storage, p->field)
				    : uscope_slot_field_raw(state, p->storage, p->slot, p->field);
	return p->type->type == USCOPE_BOOL ? v != 0 : value_cut(p->type, v);
}
