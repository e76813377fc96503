/* SPDX-License-Identifier: MIT */
#ifndef FRAMECURSOR_H
#define FRAMECURSOR_H

/* framecursor: a place in the deltas of a segment, and what is decoded there: the begin of a frame, an operation, the
 * header of an event. Whoever reads items (framein.c) or applies them (framereplay.c) moves one. Defined in
 * doc/format/uscope.md, "Frames". */

#include "framein.h"

/* A place in the blob, in registers while items are decoded. f->blob.p is behind, but for errors. */
struct framecursor {
	const uint8_t *p, *end;
};

/* Notes an error at f->blob.p. Returns its status. */
int framecursor_bad(const struct framein *f, const char *why);

/* Asks for n bytes; at the end there are fewer. Returns 0, <0. */
int framecursor_peek(struct framein *f, struct framecursor *c, size_t n);

/* The next frame: 1, 0 at the end of the blob, <0. */
int framecursor_begin(struct framein *f, struct framecursor *c);

/* Header of the event at c->p; c moves to its payload. 0, <0. */
int framecursor_event(struct framein *f, struct framecursor *c, uint16_t *type, uint32_t *size);

/* Moves behind a payload. 0, <0. */
int framecursor_skip(struct framein *f, struct framecursor *c, uint32_t size);

/* At least n bytes at c->p, n <= BLOB_WANT. The blob moves only when they are not there. */
static inline int
framecursor_need(struct framein *f, struct framecursor *c, size_t n)
{
	if (__builtin_expect((size_t)(c->end - c->p) >= n, 1))
		return 0;
	int status = framecursor_peek(f, c, n);
	if (status)
		return status;
	return (size_t)(c->end - c->p) >= n ? 0 : framecursor_bad(f, "the last frame is cut off");
}

/* The operation at c->p, which moves behind it; `tagged` in interleaved frames. 1: an operation, 0: an
 * event is there, <0. */
static inline int
framecursor_op(struct framein *f, struct framecursor *c, bool tagged, struct op *op)
{
	unsigned form = f->format == FORMAT_WIDE ? TAG_WIDE : TAG_COMPACT;
	int status = tagged ? framecursor_need(f, c, 1) : 0;
	if (status)
		return status;
	if (tagged)
		form = *c->p;
	if (form == TAG_EVENT)
		return 0;
	if (form != TAG_WIDE && form != TAG_COMPACT) {
		f->blob.p = c->p;
		return framecursor_bad(f, "an item with an unknown tag");
	}
	bool wide = form == TAG_WIDE;
	if ((status = framecursor_need(f, c, op_size(wide, tagged))))
		return status;
	*op = op_load(c->p, wide, tagged);
	c->p += op_size(wide, tagged);
	return 1;
}

/* Whether an operation is one that the schema allows. */
static inline bool
framecursor_op_good(const uscope_schema_t *schema, const struct op *op)
{
	if (op->storage >= schema->num_storages)
		return false;
	const uscope_storage_t *st = &schema->storages[op->storage];
	switch (op->action) {
	case USCOPE_SLOT_SET:
	case USCOPE_SLOT_ADD:
		return op->slot < st->num_slots && op->field < st->num_fields;
	case USCOPE_SLOT_CLEAR:
		return op->slot < st->num_slots && (st->flags & USCOPE_SPARSE);
	case USCOPE_PROP_SET:
		return op->field < st->num_properties;
	default:
		return false;
	}
}

enum event_kind {
	EVENT_GOOD,
	EVENT_UNKNOWN,
	EVENT_BAD_SIZE,
};

static inline enum event_kind
framecursor_event_kind(const uscope_schema_t *schema, uint16_t type, uint32_t size)
{
	if (type >= schema->num_events)
		return EVENT_UNKNOWN;
	return schema->events[type].payload_size == size ? EVENT_GOOD : EVENT_BAD_SIZE;
}

#endif
