/* SPDX-License-Identifier: MIT */
/* perfetto: records as packets of ovni.perfetto-trace. A change of state is an end and a begin of one time. */
#include "perfetto.h"

#include "fmt.h"
#include "paraver.h"

#define FILE_NAME "ovni.perfetto-trace"

enum {
	MODEL_SHIFT = 56, /* in the number of a flow, above process and task */
	PROC_SHIFT = 32,
	STATE_ROOM = 2 * (3 + PACK_VARINT + 48), /* an end and a begin */
};

/* Begins a packet with its time; end_packet() knows its size. */
static inline char *
begin_packet(char *to, struct pf_track *t, int64_t time)
{
	to[0] = TRACE_PACKET << 3 | WIRE_BYTES;
	to[2] = PACKET_TIMESTAMP << 3 | WIRE_VARINT;
	to = put_varint(to + 3, (uint64_t)(time - t->last));
	t->last = time;
	return to;
}

static inline char *
end_packet(char *packet, char *end)
{
	packet[1] = (char)(end - packet - 2);
	return end;
}

/* Ends a packet with the number of its sequence. */
static inline char *
end_with_sequence(char *packet, char *end, const struct pf_track *t)
{
	memcpy(end, t->pair + PF_END_EVENT, PF_SEQUENCE_MAX);
	return end_packet(packet, end + t->nend - PF_END_EVENT);
}

/* Whether a value that is not small has no label for sure. */
static inline bool
is_number(const struct pf_track *t, int64_t value)
{
	return t->plain && value != ST_TOO_MANY_TH && value != ST_BAD;
}

/* Finds the number of the name of a value that is not small; 0: it has none. */
static inline uint32_t
find_large(struct perfetto *p, uint32_t track, uint32_t row, uint32_t col, int64_t value)
{
	if (is_number(&p->tracks[track], value))
		return 0;
	uint64_t hash = ((uint64_t)value + ((uint64_t)track << 32)) * UINT64_C(0x9e3779b97f4a7c15);
	struct pf_named *n = &p->named[hash >> 40 & (PF_NAMED - 1)];
	if (n->value == value && n->track == track)
		return n->iid;
	const struct pf_text *text = pf_find_text(p, pf_class_of(p->emu, row), col, value);
	if (!text)
		return 0;
	*n = (struct pf_named){ value, track, pf_intern(p, track, text) };
	return n->iid;
}

/* Gives a name the number of a small value. */
static void
define_small(struct perfetto *p, struct pf_track *t, const struct pf_text *text, uint32_t iid)
{
	pf_define(p, t, text, iid);
	t->known[iid / 64] |= UINT64_C(1) << iid % 64;
}

/* Finds the number of the name of a value, which is defined if it is new; 0: it has none. */
static uint32_t
find_name(struct perfetto *p, uint32_t track, uint32_t row, uint32_t col, int64_t value)
{
	struct pf_track *t = &p->tracks[track];
	if ((uint64_t)value >= PF_SMALL)
		return find_large(p, track, row, col, value);
	if (pf_knows(t, value))
		return (uint32_t)value;
	const struct pf_text *text = pf_find_text(p, pf_class_of(p->emu, row), col, value);
	text = text ? text : &p->numbers[value];
	if (!t->numbered || value == 0)
		return pf_intern(p, track, text);
	define_small(p, t, text, (uint32_t)value);
	return (uint32_t)value;
}

/* Puts the field of an event. One without a number of a name has the digits of the value. */
static __attribute__((noinline)) char *
put_event(char *to, unsigned type, uint32_t iid, int64_t value)
{
	char *event = put_tag(to, PACKET_TRACK_EVENT, WIRE_BYTES) + 1;
	char *end = put_number(event, EVENT_TYPE, type);
	if (iid) {
		end = put_number(end, EVENT_NAME_IID, iid);
	} else if (type == TYPE_COUNTER) {
		end = put_number(end, EVENT_COUNTER_VALUE, (uint64_t)value);
	} else if (type != TYPE_END) {
		char *digits = put_tag(end, EVENT_NAME, WIRE_BYTES) + 1;
		end = fmt_i64(digits, value);
		digits[-1] = (char)(end - digits);
	}
	event[-1] = (char)(end - event);
	return end;
}

static void
put_packet(struct perfetto *p, struct pf_track *t, int64_t time, unsigned type, uint32_t iid, int64_t value)
{
	char *packet = pack_reserve(&p->pack, STATE_ROOM);
	char *end = put_event(begin_packet(packet, t, time), type, iid, value);
	pack_commit(&p->pack, end_with_sequence(packet, end, t));
}

/* Ends the slices above a depth. */
static void
end_slices(struct perfetto *p, struct pf_track *t, int64_t time, uint16_t depth)
{
	for (; t->open > depth; t->open--)
		put_packet(p, t, time, TYPE_END, 0, 0);
}

/* Returns the track of a channel; 0: none yet, and nothing to show, or no memory. */
static uint32_t
track_of(struct perfetto *p, uint32_t chan, uint32_t row, const struct record *r)
{
	uint32_t *of = &p->track_of[chan];
	if (*of == 0 && r->value)
		*of = pf_add_track(p, row, r->col, r->time);
	return *of;
}

/* A row shows the value of a record. */
static __attribute__((noinline)) void
show(struct perfetto *p, uint32_t chan, uint32_t row, const struct record *r)
{
	uint32_t track = track_of(p, chan, row, r);
	struct pf_track *t = &p->tracks[track];
	bool last = r->kind < RECORD_LEVEL; /* of its event */
	if (!track || (p->values && last && p->values[chan] == r->value))
		return;
	if (p->values && last)
		p->values[chan] = r->value;
	if (t->type == PF_COUNTER) {
		put_packet(p, t, r->time, TYPE_COUNTER, 0, r->value);
		return;
	}
	bool ends = t->open;
	bool begins = r->value;
	if (t->type == PF_NESTED) {
		if (r->kind == RECORD_STATE && t->open > 1)
			end_slices(p, t, r->time, 1);
		ends = ends && r->kind != RECORD_ENTER && r->kind != RECORD_LEVEL;
		begins = r->kind == RECORD_LEVEL || (begins && r->kind != RECORD_LEAVE && r->kind != RECORD_GONE);
	}
	uint32_t iid = begins ? find_name(p, track, row, r->col, r->value) : 0;
	if (ends)
		put_packet(p, t, r->time, TYPE_END, 0, 0);
	if (begins)
		put_packet(p, t, r->time, TYPE_BEGIN, iid, r->value);
	t->open = (uint16_t)(t->open + begins - ends);
}

/* A value that happens: an instant, or a number that is there for no time. */
static void
show_punctual(struct perfetto *p, const struct record *r)
{
	uint32_t track = track_of(p, r->row * (uint32_t)p->emu->plan->ncols + r->col, r->row, r);
	if (!track)
		return;
	struct pf_track *t = &p->tracks[track];
	if (t->type == PF_COUNTER) {
		put_packet(p, t, r->time, TYPE_COUNTER, 0, r->value);
		put_packet(p, t, r->time, TYPE_COUNTER, 0, r->before);
		return;
	}
	uint32_t iid = find_name(p, track, r->row, r->col, r->value);
	put_packet(p, t, r->time, TYPE_INSTANT, iid, r->value);
}

/* A task is created, or first executed: two instants, and a flow from one to the other. */
static void
show_task(struct perfetto *p, const struct record *r)
{
	const struct emu *emu = p->emu;
	uint32_t track = pf_task_track(p, r->row, r->col, r->time);
	if (!track)
		return;
	struct pf_track *t = &p->tracks[track];
	uint32_t iid = r->before ? 2 : 1;
	if (!pf_knows(t, iid))
		define_small(p, t, r->before ? &p->executed : &p->created, iid);
	uint64_t flow = (uint64_t)(uint8_t)emu->plan->models[r->col].model->id << MODEL_SHIFT |
		(uint64_t)emu->plan->sys.threads[r->row].proc << PROC_SHIFT | (uint32_t)r->value;
	char *packet = pack_reserve(&p->pack, STATE_ROOM);
	char *event = put_tag(begin_packet(packet, t, r->time), PACKET_TRACK_EVENT, WIRE_BYTES) + 1;
	char *end = put_number(put_number(event, EVENT_TYPE, TYPE_INSTANT), EVENT_NAME_IID, iid);
	char *note = put_tag(end, EVENT_DEBUG_ANNOTATION, WIRE_BYTES) + 1;
	end = put_number(put_bytes(note, NOTE_NAME, "task", strlen("task")), NOTE_INT, (uint64_t)r->value);
	note[-1] = (char)(end - note);
	end = put_tag(end, r->before ? EVENT_FLOW_END : EVENT_FLOW, WIRE_FIXED64);
	memcpy(end, &flow, sizeof(flow));
	end += sizeof(flow);
	event[-1] = (char)(end - event);
	pack_commit(&p->pack, end_with_sequence(packet, end, t));
}

static __attribute__((noinline)) void
take_odd(struct perfetto *p, const struct record *r)
{
	if (r->kind == RECORD_PUNCTUAL)
		show_punctual(p, r);
	else if (r->kind == RECORD_LEVEL || r->kind == RECORD_GONE)
		show(p, r->chan, r->row, r);
	else if (r->kind == RECORD_TASK)
		show_task(p, r);
	else if (r->kind == RECORD_LABEL)
		pf_learn(p, r->col, r->label);
	else if (r->kind == RECORD_LATE) {
		struct record before = *r;
		before.kind = RECORD_STATE;
		before.time -= before.time > 0;
		show(p, r->chan, r->row, &before);
	}
}

/* ---- Fast path: what show() does for slices, of which most have names of small values. ---- */

enum {
	BEGINS = 1, /* these bits are in RECORD_ENTER, RECORD_LEAVE and RECORD_REPLACE */
	ENDS = 2,
	SHORT_TIME = 1 << 28, /* takes at most four bytes */
	RECORD_ROOM = 2 * STATE_ROOM,
	SIZE_SHIFT = 8, /* of the size of a packet in its first bytes */
	DIGITS_AT = 7,  /* in an event */
};

/* What a packet begins with: its size and time. */
struct head {
	int64_t since;  /* time of the packet before */
	uint64_t bytes; /* the event is to be added to the size */
	size_t n;
};

/* Makes all bytes of a time below SHORT_TIME at once. */
static inline struct head
make_head(int64_t since, uint64_t time)
{
	static const uint8_t nbytes[] = { 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4 }; /* by the highest bit */
	static const uint32_t more[] = { 0, 0, 0x80, 0x8080, 0x808080 };
	uint64_t n = nbytes[31 ^ __builtin_clz((uint32_t)time | 1)];
	uint32_t x = (uint32_t)time;
	x = (x & 0x3fff) | (x & 0x0fffc000) << 2;
	x = (x & 0x007f007f) | (x & 0x3f803f80) << 1;
	uint64_t first = (TRACE_PACKET << 3 | WIRE_BYTES) | 1 << SIZE_SHIFT | (PACKET_TIMESTAMP << 3 | WIRE_VARINT) << 16;
	return (struct head){ since, first + (n << SIZE_SHIFT) + ((uint64_t)(x | more[n]) << 24), 3 + n };
}

/* Puts the event of a begin; its name are digits. */
static inline char *
put_digits(char *to, uint64_t value)
{
	char *digits = to + DIGITS_AT;
	char *end = fmt_u64(digits, value);
	uint64_t ndigits = (uint64_t)(end - digits);
	uint64_t event = (PACKET_TRACK_EVENT << 3 | WIRE_BYTES) + ((DIGITS_AT - 2 + ndigits) << 8) + ((EVENT_TYPE << 3 | WIRE_VARINT) << 16) + (TYPE_BEGIN << 24) +
		((uint64_t)((EVENT_NAME << 3 | WIRE_BYTES) | 1 << 8) << 32) + (ndigits << 48);
	memcpy(to, &event, DIGITS_AT);
	return end;
}

/* Puts the packets of an end and a begin, or of one of them, into RECORD_ROOM bytes. frequent: the name is that of a small value.
 * Returns where they end. */
static inline __attribute__((always_inline)) char *
put_slices(char *to, const struct pf_track *t, struct head h, unsigned does, uint32_t iid, bool frequent, int64_t value)
{
	size_t nend = t->nend;
	char *packet = to;
	uint64_t first = h.bytes + (nend << SIZE_SHIFT);
	if (does & ENDS) {
		memcpy(to, &first, sizeof(first));
		memcpy(to + h.n, t->pair, PF_PAIR);
		packet = to + h.n + nend;
		if (!(does & BEGINS))
			return packet;
		to = packet + PF_AT_ONCE;
	} else {
		first += (PF_BEGIN_EVENT - PF_END_EVENT) << SIZE_SHIFT;
		memcpy(to, &first, sizeof(first));
		to += h.n;
		memcpy(to, t->pair + nend + PF_AT_ONCE, PF_BEGIN_EVENT + PF_SEQUENCE_MAX);
	}
	if (!frequent)
		return end_with_sequence(packet, iid || value < 0 ? put_event(to, TYPE_BEGIN, iid, value) : put_digits(to, (uint64_t)value), t);
	to[PF_BEGIN_EVENT - 1] = (char)iid;
	return to + nend + PF_BEGIN_EVENT - PF_END_EVENT;
}

/* The same for a name that may be new, or of a large value. */
static __attribute__((noinline)) char *
put_rare(struct perfetto *p, char *to, const struct record *r, uint32_t track, uint32_t row, struct head h, unsigned does)
{
	const struct pf_track *t = &p->tracks[track];
	if (r->value >= PF_SMALL && is_number(t, r->value))
		return put_slices(to, t, h, does, 0, false, r->value);
	pack_commit(&p->pack, to);
	uint32_t iid = find_name(p, track, row, r->col, r->value);
	to = pack_reserve(&p->pack, RECORD_ROOM);
	return put_slices(to, t, h, does, iid, iid - 1 < PF_SMALL - 1, r->value);
}

static __attribute__((noinline)) char *
show_slowly(struct perfetto *p, char *to, const struct record *r, uint32_t row)
{
	pack_commit(&p->pack, to);
	show(p, row * (uint32_t)p->emu->plan->ncols + r->col, row, r);
	return pack_reserve(&p->pack, RECORD_ROOM);
}

/* Does what show() does. `h` was made by another row (made) and is taken if it fits, or is made. Returns the end of the packets; there
 * is RECORD_ROOM. */
static inline __attribute__((always_inline)) char *
show_quickly(struct perfetto *p, char *to, const struct record *r, uint32_t row, uint32_t track, struct head *h, bool made)
{
	struct pf_track *t = &p->tracks[track];
	unsigned open = t->open;
	unsigned after = r->value != 0;
	unsigned does = open * ENDS + after;
	if (__builtin_expect(t->type != PF_SLICES, 0)) {
		if (r->kind != RECORD_STATE) {
			does = r->kind;
			after = open + (does & BEGINS) - does / ENDS;
		}
		if (t->type != PF_NESTED || does > (BEGINS | ENDS) || (does >= ENDS && !open))
			return show_slowly(p, to, r, row);
	}
	if (!made || t->last != h->since) {
		uint64_t time = (uint64_t)(r->time - t->last);
		if (__builtin_expect(time >= SHORT_TIME, 0))
			return show_slowly(p, to, r, row);
		*h = make_head(t->last, time);
	}
	t->last = r->time;
	t->open = (uint16_t)after;
	if (does == ENDS)
		return put_slices(to, t, *h, ENDS, 0, true, 0);
	if (__builtin_expect(!pf_knows(t, r->value), 0))
		return does ? put_rare(p, to, r, track, row, *h, does) : to;
	return put_slices(to, t, *h, does, (uint32_t)r->value, true, 0);
}

/* Writes states. Returns the record behind them: an odd one, or the end. */
static const struct record *
write_states(struct perfetto *p, const struct record *r, const struct record *end)
{
	uint32_t ncols = (uint32_t)p->emu->plan->ncols;
	const uint32_t *track_of = p->track_of;
	char *to = p->pack.next;
	for (; r < end && record_is_state(r->kind); r++) {
		if (__builtin_expect((size_t)(p->pack.end - to) < RECORD_ROOM, 0)) {
			pack_commit(&p->pack, to);
			to = pack_reserve(&p->pack, RECORD_ROOM);
		}
		struct head h = { .since = -1 };
		to = show_quickly(p, to, r, r->row, track_of[r->chan], &h, false);
		if (r->cpu)
			to = show_quickly(p, to, r, r->cpu, track_of[r->cpu * ncols + r->col], &h, true);
	}
	pack_commit(&p->pack, to);
	return r;
}

/* With --compat: states may be told again. */
static const struct record *
write_compat(struct perfetto *p, const struct record *r, const struct record *end)
{
	uint32_t ncols = (uint32_t)p->emu->plan->ncols;
	for (; r < end && record_is_state(r->kind); r++) {
		show(p, r->chan, r->row, r);
		if (r->cpu)
			show(p, r->cpu * ncols + r->col, r->cpu, r);
	}
	return r;
}

static int
perfetto_write(void *self, const struct batch *b)
{
	struct perfetto *p = self;
	const struct record *end = b->r + b->n;
	for (const struct record *r = b->r; r < end;) {
		r = p->emu->plan->options.compat ? write_compat(p, r, end) : write_states(p, r, end);
		if (r < end)
			take_odd(p, r++);
	}
	return p->failed ? -ERR_MEMORY : wbuf_failed(&p->pack.out) ? -ERR_WRITE
								   : 0;
}

static int
perfetto_flush(void *self, int64_t time)
{
	(void)time;
	struct perfetto *p = self;
	pack_flush(&p->pack);
	return wbuf_failed(&p->pack.out) ? -ERR_WRITE : 0;
}

static int
perfetto_close(void *self, int64_t duration)
{
	struct perfetto *p = self;
	for (size_t i = 1; i < p->ntracks; i++) {
		struct pf_track *t = &p->tracks[i];
		end_slices(p, t, duration > t->last ? duration : t->last, 0);
	}
	pack_close(&p->pack);
	int rc = paraver_close(&p->pack.out, p->emu->diag);
	arena_finish(&p->arena);
	return rc;
}

static int
perfetto_open(void *self, const struct emu *emu, const char *dir)
{
	struct perfetto *p = self;
	p->emu = emu;
	p->path = arena_printf(&p->arena, "%s/" FILE_NAME, dir);
	int rc = p->path ? pf_open_names(p) : diag_no_memory(emu->diag);
	if (rc == 0)
		rc = pf_open_tracks(p);
	if (rc == 0)
		rc = paraver_open(&p->pack.out, emu->diag, p->path);
	if (rc == 0 && pack_open(&p->pack, emu->plan->options.perfetto_gzip) < 0) {
		(void)paraver_close(&p->pack.out, emu->diag);
		rc = diag_no_memory(emu->diag);
	}
	if (rc < 0)
		arena_finish(&p->arena);
	return rc;
}

const struct sink_ops perfetto_sink = {
	.size = sizeof(struct perfetto),
	.load = 3,
	.open = perfetto_open,
	.write = perfetto_write,
	.flush = perfetto_flush,
	.close = perfetto_close,
};
