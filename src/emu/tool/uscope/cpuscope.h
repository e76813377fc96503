/* SPDX-License-Identifier: MIT */
#ifndef CPUSCOPE_H
#define CPUSCOPE_H

/* cpuscope: the scope of a processor by the conventions of the protocol "cpu": where its
 * entities are, its events, and what an item of the file means for an entity. */

#include "pathlist.h"

enum {
	SLOTS = 65536, /* files of other converters use slots that their storage has not */
	NO_FIELD = 0xffff,
};

enum step_kind {
	STEP_SET,
	STEP_ADD,
	STEP_CLEAR,
	STEP_STAGE,
	STEP_NOTE,
	STEP_FLUSH,
	STEP_DEPENDENCY,
};

enum {
	STEPS = STEP_DEPENDENCY + 1,
};

/* A type of event, with the places of two fields. */
struct event_use {
	uint16_t type;
	const uscope_field_t *first; /* NULL: absent */
	const uscope_field_t *second;
};

struct cpuscope {
	const uscope_field_t *fields; /* of the entities */
	uint32_t num_slots;
	uint32_t num_fields;
	uint32_t period_ps;
	uint16_t storage;
	uint16_t id, thread, pc, bits;  /* fields, or NO_FIELD */
	struct event_use events[STEPS]; /* from STEP_STAGE on */
};

struct step {
	enum step_kind kind;
	uint16_t slot;   /* of the entity; producer of a dependency */
	uint16_t other;  /* consumer */
	uint16_t field;  /* of a SET or ADD */
	uint64_t value;  /* of it; stage or text of an event */
	uint64_t thread; /* for those who keep steps */
};

/* path: of the scope, or its name; NULL: the first that fits. false: there is none. */
bool cpuscope_find(struct cpuscope *c, const struct pathlist *paths, const char *path);
/* false: the item does not matter. */
bool cpuscope_step(const struct cpuscope *c, const uscope_item_t *item, struct step *step);

#endif
