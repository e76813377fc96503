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

/* A packet at the time of the one before. */
static inline char *
begin_at_once(char *to)
{
	to[0] = TRACE_PACKET << 3 | WIRE_BYTES;
	to[2] = PACKET_TIMESTAMP << 3 | WIRE_VARINT;
	to[3] = 0;
	return to + 4;
}

static inline char *
put_end(char *to, struct pf_track *t, int64_t time)
{
	char *end = begin_packet(to, t, time);
	memcpy(end, t->end, PF_END_MAX);
	return end_packet(to, end + t->nend);
}

enum {
	SMALL_NAME = 128, /* numbers of names below have one byte, */
	/* and make events of one size: what is before the type of the event */
	SMALL_EVENT = PACKET_TRACK_EVENT << 3 | WIRE_BYTES | 4 << 8 | (EVENT_TYPE << 3 | WIRE_VARINT) << 16,
};

static __attribute__((noinline)) uint32_t
find_name(struct perfetto *p, struct pf_named *n, uint32_t track, uint32_t row, uint32_t col, int64_t value)
{
	const struct pf_text *text = pf_find_text(p, pf_class_of(p->emu, row), col, value);
	if (!text)
		return 0;
	*n = (struct pf_named){ value, track + 1, pf_intern(p, track, text) };
	return n->iid;
}

/* The number of the name of a value; 0: it has no label. Found by hash; an entry holds one of many. */
static inline uint32_t
name_of(struct perfetto *p, uint32_t track, uint32_t row, uint32_t col, int64_t value)
{
	uint64_t hash = ((uint64_t)value + ((uint64_t)track << 32)) * UINT64_C(0x9e3779b97f4a7c15);
	struct pf_named *n = &p->named[hash >> 40 & (PF_NAMED - 1)];
	if (__builtin_expect(n->value == value && n->track == track + 1, 1))
		return n->iid;
	return find_name(p, n, track, row, col, value);
}

/* Puts the event of a name with a larger number, or of none: the digits of the value. */
static __attribute__((noinline)) char *
put_named(char *to, unsigned type, uint32_t iid, int64_t value)
{
	char event[8 + FMT_MAX];
	char digits[FMT_MAX];
	char *end = put_number(event, EVENT_TYPE, type);
	if (iid)
		end = put_number(end, EVENT_NAME_IID, iid);
	else
		end = put_bytes(end, EVENT_NAME, digits, (size_t)(fmt_i64(digits, value) - digits));
	return put_bytes(to, PACKET_TRACK_EVENT, event, (size_t)(end - event));
}

/* A begin, or an instant, in a packet that has its time. */
static inline char *
put_begin(char *to, char *end, const struct pf_track *t, unsigned type, uint32_t iid, int64_t value)
{
	if (__builtin_expect(iid - 1 < SMALL_NAME - 1, 1)) {
		uint32_t event = SMALL_EVENT | type << 24;
		memcpy(end, &event, sizeof(event));
		end[4] = EVENT_NAME_IID << 3 | WIRE_VARINT;
		end[5] = (char)iid;
		end += 6;
	} else {
		end = put_named(end, type, iid, value);
	}
	memcpy(end, t->end + PF_END_EVENT, PF_SEQUENCE_MAX);
	return end_packet(to, end + t->nend - PF_END_EVENT);
}

static void
put_counter(struct perfetto *p, struct pf_track *t, int64_t time, int64_t value)
{
	char event[4 + 2 + PACK_VARINT];
	char *end = put_number(event, EVENT_TYPE, TYPE_COUNTER);
	end = put_number(end, EVENT_COUNTER_VALUE, (uint64_t)value);
	char *packet = pack_reserve(&p->pack, STATE_ROOM);
	char *to = put_bytes(begin_packet(packet, t, time), PACKET_TRACK_EVENT, event, (size_t)(end - event));
	memcpy(to, t->end + PF_END_EVENT, PF_SEQUENCE_MAX);
	pack_commit(&p->pack, end_packet(packet, to + t->nend - PF_END_EVENT));
}

/* Ends the slices above a depth. */
static void
end_slices(struct perfetto *p, struct pf_track *t, int64_t time, uint16_t depth)
{
	for (; t->open > depth; t->open--) {
		char *to = pack_reserve(&p->pack, STATE_ROOM);
		pack_commit(&p->pack, put_end(to, t, time));
	}
}

static void
begin_slice(struct perfetto *p, uint32_t track, const struct record *r, uint32_t row)
{
	uint32_t iid = name_of(p, track, row, r->col, r->value);
	char *to = pack_reserve(&p->pack, STATE_ROOM);
	struct pf_track *t = &p->tracks[track];
	pack_commit(&p->pack, put_begin(to, begin_packet(to, t, r->time), t, TYPE_BEGIN, iid, r->value));
	t->open++;
}

/* Returns the track of a channel; UINT32_MAX: none yet, and nothing to show, or no memory. */
static inline uint32_t
track_of(struct perfetto *p, uint32_t chan, uint32_t row, const struct record *r)
{
	uint32_t *of = &p->track_of[chan];
	if (__builtin_expect(*of == 0, 0)) {
		if (r->value == 0)
			return UINT32_MAX;
		*of = pf_add_track(p, row, r->col, r->time) + 1; /* 0 again: no memory */
	}
	return *of - 1;
}

/* A stack of a thread, or a number. */
static __attribute__((noinline)) void
show_other(struct perfetto *p, uint32_t track, uint32_t row, const struct record *r)
{
	struct pf_track *t = &p->tracks[track];
	bool leaves = r->kind == RECORD_LEAVE || r->kind == RECORD_REPLACE || r->kind == RECORD_GONE;
	if (t->type == PF_COUNTER) {
		put_counter(p, t, r->time, r->value);
		return;
	}
	if (leaves && t->open > 0)
		end_slices(p, t, r->time, (uint16_t)(t->open - 1));
	else if (r->kind == RECORD_STATE)
		end_slices(p, t, r->time, 0);
	if (r->kind == RECORD_LEVEL || (r->value && r->kind != RECORD_LEAVE && r->kind != RECORD_GONE))
		begin_slice(p, track, r, row);
}

/* A row shows the value of a record. --compat tells some again. */
static inline void
show(struct perfetto *p, uint32_t chan, uint32_t row, const struct record *r)
{
	uint32_t track = track_of(p, chan, row, r);
	if (track == UINT32_MAX)
		return;
	struct pf_track *t = &p->tracks[track];
	if (t->value == r->value && r->kind < RECORD_LEVEL)
		return;
	t->value = r->value;
	if (t->type != PF_SLICES) {
		show_other(p, track, row, r);
		return;
	}
	uint32_t iid = r->value ? name_of(p, track, row, r->col, r->value) : 0;
	char *to = pack_reserve(&p->pack, STATE_ROOM);
	if (t->open) {
		to = put_end(to, t, r->time);
		if (r->value)
			to = put_begin(to, begin_at_once(to), t, TYPE_BEGIN, iid, r->value);
	} else if (r->value) {
		to = put_begin(to, begin_packet(to, t, r->time), t, TYPE_BEGIN, iid, r->value);
	}
	t->open = r->value != 0;
	pack_commit(&p->pack, to);
}

/* A value that happens: an instant, or a number that is there for no time. */
static void
show_punctual(struct perfetto *p, const struct record *r)
{
	uint32_t track = track_of(p, r->row * (uint32_t)p->emu->plan->ncols + r->col, r->row, r);
	if (track == UINT32_MAX)
		return;
	struct pf_track *t = &p->tracks[track];
	if (t->type == PF_COUNTER) {
		put_counter(p, t, r->time, r->value);
		put_counter(p, t, r->time, r->before);
		return;
	}
	uint32_t iid = name_of(p, track, r->row, r->col, r->value);
	char *to = pack_reserve(&p->pack, STATE_ROOM);
	pack_commit(&p->pack, put_begin(to, begin_packet(to, t, r->time), t, TYPE_INSTANT, iid, r->value));
}

/* A task is created, or first executed: two instants, and a flow from one to the other. */
static void
show_task(struct perfetto *p, const struct record *r)
{
	const struct emu *emu = p->emu;
	uint32_t track = pf_task_track(p, r->row, r->col, r->time);
	if (track == UINT32_MAX)
		return;
	uint32_t iid = pf_intern(p, track, r->before ? &p->executed : &p->created);
	struct pf_track *t = &p->tracks[track];
	uint64_t flow = (uint64_t)(uint8_t)emu->plan->models[r->col].model->id << MODEL_SHIFT |
		(uint64_t)emu->plan->sys.threads[r->row].proc << PROC_SHIFT | (uint32_t)r->value;
	char note[16 + PACK_VARINT];
	char *end = put_bytes(note, NOTE_NAME, "task", strlen("task"));
	end = put_number(end, NOTE_INT, (uint64_t)r->value);
	size_t nnote = (size_t)(end - note);
	char event[STATE_ROOM];
	end = put_number(event, EVENT_TYPE, TYPE_INSTANT);
	end = put_number(end, EVENT_NAME_IID, iid);
	end = put_bytes(end, EVENT_DEBUG_ANNOTATION, note, nnote);
	end = put_tag(end, r->before ? EVENT_FLOW_END : EVENT_FLOW, WIRE_FIXED64);
	memcpy(end, &flow, sizeof(flow));
	end += sizeof(flow);
	char *packet = pack_reserve(&p->pack, STATE_ROOM);
	char *to = put_bytes(begin_packet(packet, t, r->time), PACKET_TRACK_EVENT, event, (size_t)(end - event));
	memcpy(to, t->end + PF_END_EVENT, PF_SEQUENCE_MAX);
	pack_commit(&p->pack, end_packet(packet, to + t->nend - PF_END_EVENT));
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

static int
perfetto_write(void *self, const struct batch *b)
{
	struct perfetto *p = self;
	uint32_t ncols = (uint32_t)p->emu->plan->ncols;
	for (const struct record *r = b->r; r < b->r + b->n; r++) {
		if (__builtin_expect(!record_is_state(r->kind), 0)) {
			take_odd(p, r);
			continue;
		}
		show(p, r->chan, r->row, r);
		if (r->cpu)
			show(p, r->cpu * ncols + r->col, r->cpu, r);
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
	for (size_t i = 0; i < p->ntracks; i++) {
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
