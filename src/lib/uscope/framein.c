/* SPDX-License-Identifier: MIT */
#include "framein.h"

enum {
	FRAME_HEADER_MAX = LEB_MAX + 6,
	PAYLOAD_MAX = 64 * 1024, /* that is handed out; no event of a schema has more */
};

/* A place in the blob, in registers while items are decoded. */
struct cursor {
	const uint8_t *p, *end;
};

int
framein_open(struct framein *f, struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, bool part)
{
	*f = (struct framein){
		.schema = r->schema,
		.segment = *s,
		.time = s->time_start_ps,
		.index = i,
		.interleaved = r->header.flags & USCOPE_F_INTERLEAVED,
		.compact = r->header.flags & USCOPE_F_COMPACT_DELTAS,
	};
	return blob_open(&f->blob, r, i, s, part);
}

void
framein_close(struct framein *f)
{
	blob_close(&f->blob);
}

static int
bad(const struct framein *f, const char *why)
{
	(void)status_set(&f->blob.r->error, USCOPE_E_FRAME, f->index, blob_offset(&f->blob), "%s", why);
	f->blob.r->error.raw_offset = true;
	return f->blob.r->error.status;
}

/* More bytes, or the end: no need to have them. */
static int
peek(struct framein *f, struct cursor *c, size_t n)
{
	f->blob.p = c->p;
	int status = blob_more(&f->blob, n);
	*c = (struct cursor){ f->blob.p, f->blob.end };
	return status;
}

/* At least n bytes at c->p, n <= BLOB_WANT. The blob moves only when they are not there. */
static inline int
need(struct framein *f, struct cursor *c, size_t n)
{
	if (__builtin_expect((size_t)(c->end - c->p) >= n, 1))
		return 0;
	int status = peek(f, c, n);
	if (status)
		return status;
	return (size_t)(c->end - c->p) >= n ? 0 : bad(f, "the last frame is cut off");
}

/* The next frame: 1, 0 at the end of the blob, <0. */
static int
begin_frame(struct framein *f, struct cursor *c)
{
	if ((size_t)(c->end - c->p) < FRAME_HEADER_MAX) {
		int status = peek(f, c, FRAME_HEADER_MAX);
		if (status)
			return status;
		if (c->p == c->end)
			return 0;
	}
	f->blob.p = c->p; /* for errors */
	uint64_t delta = 0;
	for (unsigned i = 0;; i++) {
		if (c->p == c->end)
			return bad(f, "the time of the last frame is cut off");
		uint8_t byte = *c->p++;
		if (i == LEB_MAX - 1 && byte > 1)
			return bad(f, "a time of more than 64 bits");
		delta |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			break;
	}
	if (delta > UINT64_MAX - f->time)
		return bad(f, "a time past the end of the axis");
	f->time += delta;
	f->frames++;

	size_t n = f->interleaved ? 2 : 6;
	if ((size_t)(c->end - c->p) < n)
		return bad(f, "the last frame is cut off");
	if (f->interleaved) {
		f->ops = load16(c->p);
		f->events = 0;
	} else {
		f->format = c->p[0];
		f->ops = load16(c->p + 2);
		f->events = load16(c->p + 4);
		if (f->format > FORMAT_COMPACT)
			return bad(f, "operations of an unknown size");
		if (f->format == FORMAT_COMPACT && !f->compact)
			return bad(f, "compact operations that the header does not announce");
	}
	c->p += n;
	return 1;
}

/* ---- One item. ---- */

/* The operation at c->p, which moves behind it; `tagged` in interleaved frames. 1: an operation, 0: an
 * event is there, <0. */
static inline int
get_op(struct framein *f, struct cursor *c, bool tagged, struct op *op)
{
	unsigned form = f->format == FORMAT_WIDE ? TAG_WIDE : TAG_COMPACT;
	int status = tagged ? need(f, c, 1) : 0;
	if (status)
		return status;
	if (tagged)
		form = *c->p;
	if (form == TAG_EVENT)
		return 0;
	if (form != TAG_WIDE && form != TAG_COMPACT) {
		f->blob.p = c->p;
		return bad(f, "an item with an unknown tag");
	}
	bool wide = form == TAG_WIDE;
	if ((status = need(f, c, op_size(wide, tagged))))
		return status;
	*op = op_load(c->p, wide, tagged);
	c->p += op_size(wide, tagged);
	return 1;
}

static inline bool
op_good(const uscope_schema_t *schema, const struct op *op)
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
event_kind(const uscope_schema_t *schema, uint16_t type, uint32_t size)
{
	if (type >= schema->num_events)
		return EVENT_UNKNOWN;
	return schema->events[type].payload_size == size ? EVENT_GOOD : EVENT_BAD_SIZE;
}

/* Header of the event at c->p; c moves to its payload. */
static int
get_event(struct framein *f, struct cursor *c, uint16_t *type, uint32_t *size)
{
	int status = need(f, c, EVENT_HEADER_SIZE);
	if (status)
		return status;
	f->blob.p = c->p;
	*type = load16(c->p + (f->interleaved ? 2 : 0));
	*size = load32(c->p + 4);
	if (*size > blob_left(&f->blob) - EVENT_HEADER_SIZE)
		return bad(f, "the payload of an event passes the end");
	c->p += EVENT_HEADER_SIZE;
	return 0;
}

static int
skip_payload(struct framein *f, struct cursor *c, uint32_t size)
{
	if ((size_t)(c->end - c->p) >= size) {
		c->p += size;
		return 0;
	}
	f->blob.p = c->p;
	int status = blob_skip(&f->blob, size);
	*c = (struct cursor){ f->blob.p, f->blob.end };
	return status;
}

/* ---- Items. ---- */

static void
put_op(const struct framein *f, uscope_item_t *item, const struct op *op)
{
	*item = (uscope_item_t){
		.kind = USCOPE_ITEM_OP,
		.bad = !op_good(f->schema, op),
		.wide = op->wide,
		.time_ps = f->time,
		.segment = f->index,
		.action = op->action,
		.storage = op->storage,
		.slot = op->slot,
		.field = op->field,
		.value = op->value,
	};
}

static int
next_event(struct framein *f, struct cursor *c, uscope_item_t *item)
{
	*item = (uscope_item_t){ .kind = USCOPE_ITEM_EVENT, .time_ps = f->time, .segment = f->index };
	int status = get_event(f, c, &item->event_type, &item->payload_size);
	if (status)
		return status;
	item->bad = event_kind(f->schema, item->event_type, item->payload_size) != EVENT_GOOD;
	if (item->payload_size > PAYLOAD_MAX)
		return skip_payload(f, c, item->payload_size);
	if ((status = need(f, c, item->payload_size)))
		return status;
	item->payload = item->payload_size ? c->p : (const uint8_t *)"";
	c->p += item->payload_size;
	return 0;
}

int
framein_next(struct framein *f, uscope_item_t *item)
{
	struct cursor c = { f->blob.p, f->blob.end };
	struct op op = { 0 };
	int rc = 0; /* of an operation */
	if (!f->ops && !f->events) {
		rc = begin_frame(f, &c);
		f->blob.p = c.p;
		*item = (uscope_item_t){ .kind = USCOPE_ITEM_FRAME, .time_ps = f->time, .segment = f->index };
		return rc;
	}
	if (f->ops) {
		f->ops--;
		rc = get_op(f, &c, f->interleaved, &op);
	} else {
		f->events--;
	}
	if (rc > 0)
		put_op(f, item, &op);
	else if (rc == 0)
		rc = next_event(f, &c, item);
	f->blob.p = c.p;
	return rc < 0 ? rc : 1;
}

int
framein_skip_frame(struct framein *f)
{
	uscope_item_t item;
	while (f->ops || f->events) {
		int rc = framein_next(f, &item);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- Straight into a state. ---- */

/* An operation. `into` is a constant where this is inlined, as are the arguments of the functions below: whether
 * there is a state. */
static inline __attribute__((always_inline)) void
apply(const struct framein *f, bool into, struct uscope_state *state, const struct op *op, uint64_t *diag)
{
	bool good;
	if (into && op->storage < state->num_storages && (op->action == USCOPE_SLOT_SET || op->action == USCOPE_SLOT_ADD)) {
		struct state_storage *st = &state->storages[op->storage];
		good = op->slot < st->num_slots && op->field < st->num_fields;
		if (good)
			state_put(st, op->slot, &st->fields[op->field], op->value, op->action == USCOPE_SLOT_ADD);
	} else {
		good = into ? state_op(state, op->action, op->storage, op->slot, op->field, op->value) : op_good(f->schema, op);
	}
	if (__builtin_expect(!good, 0) && diag)
		diag[USCOPE_V_BAD_OP]++;
}

static inline void
note_event(const struct framein *f, uint16_t type, uint32_t size, uint64_t *diag)
{
	if (diag) {
		enum event_kind kind = event_kind(f->schema, type, size);
		diag[USCOPE_N_UNKNOWN_EVENT] += kind == EVENT_UNKNOWN;
		diag[USCOPE_V_BAD_EVENT] += kind == EVENT_BAD_SIZE;
	}
}

static int
pass_event(struct framein *f, struct cursor *c, uint64_t *diag)
{
	uint16_t type;
	uint32_t size;
	int status = get_event(f, c, &type, &size);
	if (status)
		return status;
	note_event(f, type, size, diag);
	return skip_payload(f, c, size);
}

/* The items left in a frame. */
static int
replay_frame(struct framein *f, struct cursor *c, struct uscope_state *state, uint64_t *diag)
{
	struct op op = { 0 };
	int rc = 0;
	for (; f->ops && rc >= 0; f->ops--) {
		rc = get_op(f, c, f->interleaved, &op);
		if (rc > 0 && state)
			apply(f, true, state, &op, diag);
		else if (rc > 0)
			apply(f, false, NULL, &op, diag);
		else if (rc == 0)
			rc = pass_event(f, c, diag);
	}
	for (; f->events && rc >= 0; f->events--)
		rc = pass_event(f, c, diag);
	return rc < 0 ? rc : 0;
}

/* Interleaved frames up to `until`, as far as nothing must be waited for or refused: stops in front of an item
 * or a frame for which that is not certain. *late: some begin at the end of the segment or later. */
static inline __attribute__((always_inline)) void
replay_inside(struct framein *f, struct cursor *c, bool into, struct uscope_state *state, uint64_t until, uint64_t *diag, bool *late)
{
	const uint8_t *p = c->p;
	const uint8_t *end = c->end;
	uint64_t time = f->time;
	uint32_t left = f->ops;
	uint32_t frames = f->frames;
	while (end - p >= OP_WIDE_SIZE) { /* more is never loaded at once */
		if (left == 0) {
			unsigned n;
			uint64_t delta = load_leb(p, &n);
			if (n == 0 || delta > until - time || time > until)
				break;
			time += delta;
			*late |= time >= f->segment.time_end_ps;
			frames++;
			left = load16(p + n);
			p += n + 2;
			continue;
		}
		if (p[0] == TAG_COMPACT || p[0] == TAG_WIDE) {
			bool wide = p[0] == TAG_WIDE;
			struct op op = op_load(p, wide, true);
			apply(f, into, state, &op, diag);
			p += op_size(wide, true);
		} else if (p[0] == TAG_EVENT) {
			uint32_t size = load32(p + 4);
			if (size > (size_t)(end - p) - EVENT_HEADER_SIZE)
				break;
			note_event(f, load16(p + 2), size, diag);
			p += EVENT_HEADER_SIZE + (size_t)size;
		} else {
			break;
		}
		left--;
	}
	c->p = p;
	f->time = time;
	f->ops = left;
	f->frames = frames;
}

int
framein_replay(struct framein *f, struct uscope_state *state, uint64_t until, uint64_t *diag)
{
	struct cursor c = { f->blob.p, f->blob.end };
	bool late = false;
	for (;;) {
		if (f->interleaved && state)
			replay_inside(f, &c, true, state, until, diag, &late);
		else if (f->interleaved)
			replay_inside(f, &c, false, NULL, UINT64_MAX, diag, &late);
		int rc = replay_frame(f, &c, state, diag);
		if (rc || (rc = begin_frame(f, &c)) < 0)
			return rc;
		if (rc == 0)
			break;
		late |= f->time >= f->segment.time_end_ps;
		if (f->time > until) {
			if (!diag)
				return 0;
			state = NULL;
		}
	}
	if (diag) {
		diag[USCOPE_V_TIME_END] += late;
		diag[USCOPE_V_NFRAMES] += f->frames != f->segment.num_frames;
	}
	return 0;
}
