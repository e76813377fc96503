/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_CELL_H
#define TOOL_USCOPE_CELL_H

/* cell: one value of the state, named as `dump` and `diff` print it: "/soc/core0/rob[3].done", or a
 * property, "rob.head". The storage is named by its path, or by its name if no other has that. A storage of one
 * slot needs no "[0]". */

#include "tool.h"

struct cell {
	uint16_t storage;
	uint16_t slot;  /* of a field */
	uint16_t field; /* or property */
	bool is_property;
	const uscope_field_t *type;
};

/* false: there is no such place, or there are several (reported). */
bool cell_find(struct tool *t, const struct source *s, const char *text, struct cell *cell);

/* Whether an item may change the cell: one of its slot, as a SET of another field makes it valid. */
static inline bool
cell_is_changed(const struct cell *p, const uscope_item_t *item)
{
	if (item->kind != USCOPE_ITEM_OP || item->storage != p->storage || item->bad)
		return false;
	if (item->action == USCOPE_PROP_SET)
		return p->is_property && item->field == p->field;
	return !p->is_property && item->slot == p->slot;
}

static inline bool
cell_is_valid(const struct cell *p, const uscope_state_t *state)
{
	return p->is_property || uscope_slot_valid(state, p->storage, p->slot);
}

/* The value as it is stored. */
uint64_t cell_value(const struct cell *p, const uscope_state_t *state);

#endif
