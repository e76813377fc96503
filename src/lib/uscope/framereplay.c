/* SPDX-License-Identifier: MIT */
/* framereplay: the frames of a segment straight into a state, or only looked through. */
#include "framecursor.h"

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
		good = into ? state_op(state, op->action, op->storage, op->slot, op->field, op->value) : framecursor_op_good(f->schema, op);
	}
	if (__builtin_expect(!good, 0) && diag)
		diag[USCOPE_V_BAD_OP]++;
}

static inline void
note_event(const struct framein *f, uint16_t type, uint32_t size, uint64_t *diag)
{
	if (diag) {
		enum event_kind kind = framecursor_event_kind(f->schema, type, size);
		diag[USCOPE_N_UNKNOWN_EVENT] += kind == EVENT_UNKNOWN;
		diag[USCOPE_V_BAD_EVENT] += kind == EVENT_BAD_SIZE;
	}
}

static int
pass_event(struct framein *f, struct framecursor *c, uint64_t *diag)
{
	uint16_t type;
	uint32_t size;
	int status = framecursor_event(f, c, &type, &size);
	if (status)
		return status;
	note_event(f, type, size, diag);
	return framecursor_skip(f, c, size);
}

/* The items left in a frame. */
static int
replay_frame(struct framein *f, struct framecursor *c, struct uscope_state *state, uint64_t *diag)
{
	struct op op = { 0 };
	int rc = 0;
	for (; f->ops && rc >= 0; f->ops--) {
		rc = framecursor_op(f, c, f->interleaved, &op);
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
replay_inside(struct framein *f, struct framecursor *c, bool into, struct uscope_state *state, uint64_t until, uint64_t *diag, bool *late)
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
	struct framecursor c = { f->blob.p, f->blob.end };
	bool late = false;
	for (;;) {
		if (f->interleaved && state)
			replay_inside(f, &c, true, state, until, diag, &late);
		else if (f->interleaved)
			replay_inside(f, &c, false, NULL, UINT64_MAX, diag, &late);
		int rc = replay_frame(f, &c, state, diag);
		if (rc || (rc = framecursor_begin(f, &c)) < 0)
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
