/* SPDX-License-Identifier: MIT */
/* perfetto: records as packets of ovni.perfetto-trace. A change of state is an end and a begin of one time. */
#include "perfetto.h"

#include "fmt.h"
#include "paraver.h"

#define FILE_NAME "ovni.perfetto-trace"

enum {
	MODEL_SHIFT = 56, /* in the number of a flow, above process and task */
	PROC_SHIFT = 32,
	PACKET_ROOM = 3 + PACK_VARINT + 48,
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
	memcpy(end, &t->sequence, sizeof(t->sequence));
	return end_packet(packet, end + t->nsequence);
}

char *
pf_put_event(char *to, unsigned type, uint32_t iid, int64_t value)
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

void
pf_make_event(struct pf_event *e, uint32_t iid, int64_t value)
{
	e->n = (uint8_t)(pf_put_event(e->bytes, TYPE_BEGIN, iid, value) - e->bytes);
}

static void
put_packet(struct perfetto *p, struct pf_track *t, int64_t time, unsigned type, uint32_t iid, int64_t value)
{
	char *packet = pack_reserve(&p->pack, PACKET_ROOM);
	char *end = pf_put_event(begin_packet(packet, t, time), type, iid, value);
	pack_commit(&p->pack, end_with_sequence(packet, end, t));
}

static void
begin_slice(struct perfetto *p, uint32_t track, uint32_t row, uint32_t col, int64_t time, int64_t value)
{
	struct pf_track *t = &p->tracks[track];
	uint32_t iid = pf_find_name(p, track, row, col, value);
	put_packet(p, t, time, TYPE_BEGIN, iid, value);
	t->open++;
}

/* Ends the slices above a depth. */
static void
end_slices(struct perfetto *p, struct pf_track *t, int64_t time, uint16_t depth)
{
	for (; pf_depth(t) > depth; t->open--)
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

/* A value stands under the next one of its stack, in a slice that was begun, or begins. */
static void
show_under(struct perfetto *p, const struct note *n)
{
	const struct record r = { .time = n->time, .value = n->value, .col = n->col };
	uint32_t track = track_of(p, n->row * (uint32_t)p->emu->plan->ncols + n->col, n->row, &r);
	if (track && ++p->tracks[track].under > pf_depth(&p->tracks[track]))
		begin_slice(p, track, n->row, n->col, n->time, n->value);
}

/* A value has left its stack, and others do, too. */
static void
show_left(struct perfetto *p, const struct note *n)
{
	struct pf_track *t = &p->tracks[p->track_of[n->row * (uint32_t)p->emu->plan->ncols + n->col]];
	if (pf_depth(t))
		end_slices(p, t, n->time, (uint16_t)(pf_depth(t) - 1));
}

/* Ends and begins slices so that the value of a record, if it is not 0, stands on top of a stack. */
static void
show_nested(struct perfetto *p, uint32_t track, uint32_t row, const struct record *r)
{
	struct pf_track *t = &p->tracks[track];
	uint16_t open = pf_depth(t);
	uint16_t below = open ? (uint16_t)(open - 1) : 0;
	uint16_t keep = 0;
	bool begins = r->value;
	if (r->value && r->kind == RECORD_ENTER) {
		keep = open;
	} else if (r->value && (r->kind == RECORD_LEAVE || r->kind == RECORD_REPLACE)) {
		keep = below;
		begins = below == 0 || r->kind == RECORD_REPLACE;
	} else if (r->value && r->kind == RECORD_TOP) {
		begins = open <= t->under + 1;
		keep = (uint16_t)(t->under + !begins);
	}
	t->under = 0;
	end_slices(p, t, r->time, keep);
	if (begins)
		begin_slice(p, track, row, r->col, r->time, r->value);
}

void
pf_show(struct perfetto *p, uint32_t chan, uint32_t row, const struct record *r)
{
	uint32_t track = track_of(p, chan, row, r);
	struct pf_track *t = &p->tracks[track];
	if (!track || (p->values && p->values[chan] == r->value)) {
		t->under = 0;
		return;
	}
	if (p->values)
		p->values[chan] = r->value;
	if (t->type == PF_COUNTER) {
		put_packet(p, t, r->time, TYPE_COUNTER, 0, r->value);
	} else if (t->type == PF_NESTED) {
		show_nested(p, track, row, r);
	} else {
		end_slices(p, t, r->time, 0);
		if (r->value)
			begin_slice(p, track, row, r->col, r->time, r->value);
	}
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
	uint32_t iid = pf_find_name(p, track, r->row, r->col, r->value);
	put_packet(p, t, r->time, TYPE_INSTANT, iid, r->value);
}

/* A task is created, or first executed: two instants, and a flow from one to the other. */
static void
show_task(struct perfetto *p, const struct note *n)
{
	const struct emu *emu = p->emu;
	uint32_t track = pf_task_track(p, n->row, n->col, n->time);
	if (!track)
		return;
	struct pf_track *t = &p->tracks[track];
	bool executed = n->kind == NOTE_EXECUTED;
	uint32_t iid = executed ? 2 : 1;
	if (!pf_knows(t, iid))
		pf_define_small(p, t, executed ? &p->executed : &p->created, iid);
	uint64_t flow = (uint64_t)(uint8_t)emu->plan->models[n->col].model->id << MODEL_SHIFT |
		(uint64_t)emu->plan->sys.threads[n->row].proc << PROC_SHIFT | (uint32_t)n->value;
	char *packet = pack_reserve(&p->pack, PACKET_ROOM);
	char *event = put_tag(begin_packet(packet, t, n->time), PACKET_TRACK_EVENT, WIRE_BYTES) + 1;
	char *end = put_number(put_number(event, EVENT_TYPE, TYPE_INSTANT), EVENT_NAME_IID, iid);
	char *note = put_tag(end, EVENT_DEBUG_ANNOTATION, WIRE_BYTES) + 1;
	end = put_number(put_bytes(note, NOTE_NAME, "task", strlen("task")), NOTE_INT, (uint64_t)n->value);
	note[-1] = (char)(end - note);
	end = put_tag(end, executed ? EVENT_FLOW_END : EVENT_FLOW, WIRE_FIXED64);
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
	else if (r->kind == RECORD_LATE) {
		struct record before = *r;
		before.kind = RECORD_STATE;
		before.time -= before.time > 0;
		pf_show(p, r->chan, r->row, &before);
	}
}

static __attribute__((noinline)) void
take_note(struct perfetto *p, const struct note *n)
{
	switch (n->kind) {
	case NOTE_UNDER: show_under(p, n); break;
	case NOTE_LEFT: show_left(p, n); break;
	case NOTE_LABEL: pf_learn(p, n->col, n->label); break;
	default: show_task(p, n); break;
	}
}

/* With --compat: states may be told again. */
static const struct record *
write_compat(struct perfetto *p, const struct record *r, const struct record *end)
{
	uint32_t ncols = (uint32_t)p->emu->plan->ncols;
	for (; r < end && record_is_state(r->kind); r++) {
		pf_show(p, r->chan, r->row, r);
		if (r->cpu)
			pf_show(p, r->cpu * ncols + r->col, r->cpu, r);
	}
	return r;
}

static int
perfetto_write(void *self, const struct batch *b)
{
	struct perfetto *p = self;
	const struct record *r = b->r;
	for (const struct note *n = b->notes; n <= b->notes + b->nnotes; n++) {
		const struct record *end = n < b->notes + b->nnotes ? b->r + n->at : b->r + b->n;
		while (r < end) {
			r = p->emu->plan->options.compat ? write_compat(p, r, end) : pf_write_states(p, r, end);
			if (r < end)
				take_odd(p, r++);
		}
		if (n < b->notes + b->nnotes)
			take_note(p, n);
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
	.name = "ovni.perfetto-trace",
	.size = sizeof(struct perfetto),
	.open = perfetto_open,
	.write = perfetto_write,
	.flush = perfetto_flush,
	.close = perfetto_close,
};
