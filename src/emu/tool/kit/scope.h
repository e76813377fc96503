/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_SCOPE_H
#define TOOL_KIT_SCOPE_H

/* scope: a trace as a µScope file: schemas out of tables, slots, texts, frames, and the
 * life of the writer. */

#include "conv.h"
#include "uscope/uscope.h"

enum {
	CONV_FIELDS = 12,
	CONV_PAYLOAD = 40,     /* bytes of an event */
	CONV_NO_SLOT = 0xffff, /* of an entry that got none */
};

/* ---- Schema. ---- */

struct conv_field {
	const char *name;
	uint8_t type; /* enum uscope_type */
	uint8_t enum_id;
};

/* A storage or an event. */
struct conv_table {
	const char *name;
	uint16_t slots;
	uint16_t flags;
	struct conv_field fields[CONV_FIELDS];
};

/* Returns the id, or <0. */
int convscope_storage(uscope_schema_t *s, int scope, const struct conv_table *t);
int convscope_event(uscope_schema_t *s, int scope, const struct conv_table *t);

/* ---- Slots of a table: those never used come first, then those that were given back
 * longest ago. ---- */

struct conv_slots {
	const char *name;
	uint32_t max;  /* at most CONV_NO_SLOT */
	uint32_t next; /* never used from here on */
	uint32_t head;
	uint32_t nfree; /* given back */
	uint64_t lost;  /* entries that got none */
	uint16_t *free;
};

/* 0, or <0: out of memory. Finish accepts a zeroed one. */
int conv_slots_init(struct conv_slots *s, const char *name, uint32_t max);
void conv_slots_finish(struct conv_slots *s);
/* Whether a slot that is taken now may have been used before. */
bool conv_slots_reused(const struct conv_slots *s);
uint16_t conv_slots_take(struct conv_slots *s);
void conv_slots_give(struct conv_slots *s, uint16_t slot);
/* Warns of what got none. */
void conv_slots_report(const struct conv_slots *s, struct conv *c);

/* ---- Events: packed, little endian. ---- */

struct conv_payload {
	uint8_t bytes[CONV_PAYLOAD];
	uint32_t n;
};

static inline void
conv_put(struct conv_payload *p, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		p->bytes[p->n++] = (uint8_t)(value >> (8 * i));
}

/* ---- The file. ---- */

struct convscope {
	struct conv *conv;
	uscope_writer_t *w;
	uint64_t now; /* ps */
	bool framed;  /* a frame is open */
	bool failed;  /* memory is exhausted */
};

/* Opens the file at the part_path of conv_place_output(). String 0 is the empty one. 0, or <0
 * (reported). */
int convscope_open(struct convscope *s, struct conv *c, const uscope_schema_t *schema, const uscope_dut_desc_t *dut, bool drop_empty);

/* The frame of a time. 1: it has begun, 0: it was open, <0: the writer has failed (the end
 * tells). */
int convscope_frame(struct convscope *s, uint64_t ps);

/* Ends the last frame, and the trace at its time. */
void convscope_end(struct convscope *s);

/* A text of the trace as a string of the file; s->failed when memory is exhausted. */
uint32_t convscope_text(struct convscope *s, const char *text, size_t n);

/* Returns rc, or <0 (reported). Accepts one that was not opened. */
int convscope_close(struct convscope *s, int rc);

static inline void
convscope_send(struct convscope *s, uint16_t type, const struct conv_payload *p)
{
	uscope_event_bytes(s->w, type, p->bytes, p->n);
}

/* An entry without a slot is not written. */
static inline void
convscope_set(struct convscope *s, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value)
{
	if (slot != CONV_NO_SLOT)
		uscope_slot_set(s->w, storage, slot, field, value);
}

#endif
