/* SPDX-License-Identifier: MIT */
/* The subcommand uscope: threads and events over time as a µScope file. */
#include "scope.h"
#include "puttext.h"

#include <inttypes.h>

enum {
	PS_PER_NS = 1000,
};

/* ---- What the parts share. ---- */

uint32_t
ptscope_string(struct ptscope *u, struct prism_name *name)
{
	/* A name has one string, whatever it names. */
	if (!name->user[0])
		name->user[0] = convscope_text(&u->file, name->text, name->len) + 1;
	return name->user[0] - 1;
}

static void
show_total(struct ptscope *u, const struct ps_thread *t, int total, uint64_t n)
{
	if (t->slot != CONV_NO_SLOT)
		uscope_slot_add(u->file.w, PS_COUNTERS, t->slot, (uint16_t)total, n);
}

void
ptscope_count(struct ptscope *u, struct ps_thread *t, int total, uint64_t n)
{
	uscope_summary_add(u->file.w, u->counters[total], u->rel * PS_PER_NS, n);
	if (!u->tool->no_accesses) {
		show_total(u, t, total, n);
		return;
	}
	t->n[total] += n;
	if (t->dirty)
		return;
	t->dirty = true;
	t->next_dirty = u->dirty;
	u->dirty = t;
}

/* ---- Frames. ---- */

static int
frame(struct ptscope *u, uint64_t rel)
{
	return convscope_frame(&u->file, rel * PS_PER_NS) < 0 ? -1 : 0;
}

static void
flush(struct ptscope *u)
{
	for (struct ps_thread *t = u->dirty; t; t = t->next_dirty) {
		t->dirty = false;
		for (int i = 0; i < PS_TOTALS; i++)
			if (t->n[i])
				show_total(u, t, i, t->n[i]);
		memset(t->n, 0, sizeof(t->n));
	}
	u->dirty = NULL;
}

/* The time of the next event. With windows, those that end before it. */
static int
advance(struct ptscope *u, const struct ptinput *in)
{
	struct conv *c = &u->tool->conv;
	u->rel = in->clock - u->first;
	if (u->rel > INT64_MAX / PS_PER_NS)
		return conv_error(c, "time", "%s: %" PRIu64 " ns after the first event the time does not fit in 63 bits of picoseconds", in->source.name, u->rel);
	if (!u->tool->no_accesses || u->rel < u->tick)
		return 0;
	int rc = u->dirty ? frame(u, u->tick) : 0;
	flush(u);
	if (__builtin_mul_overflow(u->rel / u->tool->window + 1, u->tool->window, &u->tick))
		u->tick = UINT64_MAX;
	return rc;
}

/* ---- Events. ---- */

static void
take_mem(struct ptscope *u, struct ps_stream *s, const struct prism_mem *m)
{
	struct conv_payload p = { .n = 0 };
	if (m->type == PRISM_LOAD || m->type == PRISM_STORE) {
		int store = m->type == PRISM_STORE;
		ptscope_count(u, u->step.thread->user, PRISM_TOTAL_LOADS + store, 1);
		if (m->bytes)
			ptscope_count(u, u->step.thread->user, PRISM_TOTAL_LOAD_BYTES + store, m->bytes);
	}
	if (u->tool->no_accesses)
		return;
	conv_put(&p, ptscope_slot(u->step.thread), 2);
	conv_put(&p, m->type, 1);
	conv_put(&p, m->bytes, 2);
	conv_put(&p, m->addr, 8);
	conv_put(&p, m->id, 1);
	conv_put(&p, m->has, 2);
	ptscope_send(u, s, PS_MEM, &p);
}

static void
take_comp(struct ptscope *u, struct ps_stream *s, const struct prism_comp *e)
{
	struct conv_payload p = { .n = 0 };
	if (e->format == PRISM_INTEGER || e->format == PRISM_FLOAT)
		ptscope_count(u, u->step.thread->user, e->format == PRISM_INTEGER ? PRISM_TOTAL_INT_OPS : PRISM_TOTAL_FP_OPS, 1);
	if (u->tool->no_accesses)
		return;
	conv_put(&p, ptscope_slot(u->step.thread), 2);
	conv_put(&p, e->format, 1);
	conv_put(&p, e->bytes, 2);
	conv_put(&p, e->op, 1);
	conv_put(&p, e->arity, 1);
	for (int i = 0; i < 4; i++)
		conv_put(&p, e->ids[i], 1);
	conv_put(&p, e->has, 2);
	ptscope_send(u, s, PS_COMP, &p);
}

static int
take_sync(struct ptscope *u, struct ps_stream *s, const struct prism_sync *e)
{
	struct conv_payload p = { .n = 0 };
	int rc = ptstate_sync(u, e);
	if (e->type != PRISM_SWAP)
		ptscope_count(u, u->step.thread->user, PRISM_TOTAL_SYNCS, 1);
	conv_put(&p, ptscope_slot(u->step.thread), 2);
	conv_put(&p, e->type, 1);
	conv_put(&p, e->arg[0], 8);
	conv_put(&p, e->arg[1], 8);
	ptscope_send(u, s, PS_SYNC, &p);
	return rc;
}

static void
take_cxt(struct ptscope *u, struct ps_stream *s, const struct prism_cxt *e)
{
	struct conv_payload p = { .n = 0 };
	uint32_t string = u->step.name ? ptscope_string(u, u->step.name) : 0;
	ptstate_cxt(u, s, e);
	if (e->type == PRISM_INSN) {
		ptscope_count(u, u->step.thread->user, PRISM_TOTAL_INSNS, 1);
		uscope_summary_density(u->file.w, u->rel * PS_PER_NS, 1);
	}
	conv_put(&p, ptscope_slot(u->step.thread), 2);
	conv_put(&p, e->type, 1);
	conv_put(&p, e->id, 8);
	conv_put(&p, string, 4);
	ptscope_send(u, s, PS_CXT, &p);
}

static void
take_cfg(struct ptscope *u, const struct ps_stream *s, const struct prism_cfg *e)
{
	struct conv_payload p = { .n = 0 };
	if (e->target >= PRISM_KINDS)
		return;
	if (e->target != PRISM_CF)
		uscope_slot_set(u->file.w, PS_DETAIL, s->number, e->target, e->after);
	conv_put(&p, e->target, 1);
	conv_put(&p, e->before, 1);
	conv_put(&p, e->after, 1);
	ptscope_send(u, s, PS_CFG, &p);
}

static int
take_event(struct ptscope *u, struct ps_stream *s)
{
	const struct prism_event *ev = &s->in->file.rec.ev;
	bool ticks = ev->kind != PRISM_CFG && ev->kind != PRISM_END;
	bool access = ev->kind == PRISM_MEM || ev->kind == PRISM_COMP;
	int rc = advance(u, s->in);
	/* An access that shows as such nowhere needs no frame. */
	if (rc == 0 && !(access && u->tool->no_accesses && s->core->thread))
		rc = frame(u, u->rel);
	if (rc == 0)
		rc = ptstate_take(u, s, ev);
	if (rc < 0)
		return rc;
	if (ticks && !s->has_insns)
		uscope_summary_density(u->file.w, u->rel * PS_PER_NS, 1);
	switch (ev->kind) {
	case PRISM_MEM: take_mem(u, s, &ev->mem); return 0;
	case PRISM_COMP: take_comp(u, s, &ev->comp); return 0;
	case PRISM_SYNC: return take_sync(u, s, &ev->sync);
	case PRISM_CXT: take_cxt(u, s, &ev->cxt); return 0;
	case PRISM_CFG: take_cfg(u, s, &ev->cfg); return 0;
	default: return 0;
	}
}

/* ---- Streams. ---- */

/* Writes the level of detail and the first thread of each stream. */
static int
begin_all(struct ptscope *u)
{
	int rc = frame(u, 0);
	for (size_t i = 0; i < u->tool->ninputs && rc == 0; i++) {
		struct ps_stream *s = &u->streams[i];
		for (unsigned kind = 0; kind < PRISM_CF; kind++)
			uscope_slot_set(u->file.w, PS_DETAIL, s->number, (uint16_t)kind, s->core->detail[kind]);
		if (s->in->source.first_thread)
			rc = ptstate_take(u, s, NULL);
	}
	return rc;
}

static int
end_all(struct ptscope *u)
{
	int rc = frame(u, u->rel);
	flush(u);
	for (size_t i = 0; i < u->tool->ninputs; i++)
		ptstate_end(u, &u->streams[i]);
	convscope_end(&u->file);
	return rc;
}

/* The first event of each stream. */
static int
load_all(struct ptscope *u)
{
	int rc = 0;
	for (uint32_t i = 0; i < u->tool->ninputs && rc >= 0; i++) {
		rc = ptinput_next(&u->tool->inputs[i]);
		if (rc > 0)
			kway_push(&u->merge, (struct kway_key){ .time = u->tool->inputs[i].clock, .rank = i, .item = i });
	}
	return rc < 0 ? rc : 0;
}

/* The next event of the stream that had its turn, or its end. */
static int
load_next(struct ptscope *u, const struct ps_stream *s)
{
	int rc = ptinput_next(s->in);
	if (rc > 0)
		kway_replace(&u->merge, s->in->clock);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	kway_pop(&u->merge);
	rc = frame(u, u->rel);
	ptstate_end(u, s);
	return rc;
}

/* All events in the order of their times; where these are equal the stream named first comes first. */
static int
take_all(struct ptscope *u)
{
	struct conv *c = &u->tool->conv;
	int rc = load_all(u);
	u->first = u->merge.n ? u->merge.heap[0].time : 0;
	if (rc == 0)
		rc = begin_all(u);
	while (rc == 0 && u->merge.n) {
		struct ps_stream *s = &u->streams[u->merge.heap[0].item];
		rc = take_event(u, s);
		if (rc == 0 && conv_stop(c))
			rc = -1;
		if (rc == 0)
			rc = load_next(u, s);
		if (rc == 0 && u->file.failed)
			rc = conv_no_memory(c);
	}
	return rc < 0 ? rc : end_all(u);
}

static int
open_streams(struct ptscope *u)
{
	struct ptool *t = u->tool;
	if (t->ninputs > PS_STREAMS_MAX)
		return conv_error(&t->conv, "streams", "a file can hold %d streams, and there are %zu", PS_STREAMS_MAX, t->ninputs);
	if (t->ninputs > PS_EVENT_STREAMS)
		conv_warn(&t->conv, "events of the first %d streams are in the file, and states of all", PS_EVENT_STREAMS);
	u->streams = arena_new(&u->arena, struct ps_stream, t->ninputs);
	u->merge.heap = arena_new(&u->arena, struct kway_key, t->ninputs);
	if (!u->streams || !u->merge.heap || prism_machine_begin(&u->machine, (uint32_t)t->ninputs, t->conv.lenient) < 0)
		return conv_no_memory(&t->conv);
	u->machine.no_totals = true;
	for (size_t i = 0; i < t->ninputs; i++) {
		struct ps_stream *s = &u->streams[i];
		s->in = &t->inputs[i];
		s->number = (uint16_t)i;
		s->core = &u->machine.cores[i];
		prism_machine_stream(&u->machine, (uint32_t)i, (uint32_t)s->in->source.process, &s->in->source.settings);
		int rc = ptinput_has_insns(s->in, &s->has_insns);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- The file. ---- */

static int
open_file(struct ptscope *u)
{
	struct ptool *t = u->tool;
	const char *name = puttext_utf8(&u->arena, t->name);
	uscope_schema_t *schema = ptschema_make(t);
	const char *clock = NULL;
	const char *layout = NULL;
	for (size_t i = 0; i < t->ninputs; i++) {
		clock = prism_common(clock, prism_clock_words[t->inputs[i].source.clock]);
		layout = prism_common(layout, prism_layout_words[t->inputs[i].source.settings.layout]);
	}
	const uscope_dut_property_t properties[] = {
		{ "dut_name", name },
		{ "prism.protocol_version", "0.1" },
		{ "prism.clock_mode", clock },
		{ "prism.compute_layout", layout },
	};
	const uscope_dut_desc_t dut = { properties, sizeof(properties) / sizeof(properties[0]) };
	int rc = name && schema ? 0 : conv_no_memory(&t->conv);
	if (rc == 0)
		rc = convscope_open(&u->file, &t->conv, schema, &dut, t->no_accesses);
	uscope_schema_free(schema);
	for (int i = 0; i < PS_TOTALS && rc == 0; i++)
		u->counters[i] = uscope_summary_counter(u->file.w, ptschema_totals[i], PS_COUNTERS);
	return rc;
}

static int
work(struct ptscope *u, int argc, char **argv)
{
	struct conv *c = &u->tool->conv;
	int rc = ptinput_open_all(u->tool, argc, argv);
	if (rc == 0)
		rc = conv_place_output(c, c->out_path);
	if (rc == 0)
		rc = open_streams(u);
	if (rc == 0)
		rc = open_file(u);
	if (rc == 0)
		rc = take_all(u);
	rc = convscope_close(&u->file, rc);
	if (rc == 0) {
		conv_slots_report(&u->thread_slots, c);
		conv_slots_report(&u->frame_slots, c);
		conv_slots_report(&u->lock_slots, c);
	}
	return rc;
}

static int
run_uscope(struct conv *c, int argc, char **argv)
{
	struct ptscope u = { .tool = ptool_of(c) };
	if (!c->out_path || strcmp(c->out_path, "-") == 0)
		return conv_usage(c, "-o FILE says what is to be written: no pipe can hold it");
	u.tick = u.tool->window;
	int rc;
	if (conv_slots_init(&u.thread_slots, "threads", PS_THREADS_MAX) == 0 &&
		conv_slots_init(&u.frame_slots, "frames", PS_FRAMES_MAX) == 0 &&
		conv_slots_init(&u.lock_slots, "locks", PS_LOCKS_MAX) == 0)
		rc = work(&u, argc, argv);
	else
		rc = conv_no_memory(c);
	conv_slots_finish(&u.thread_slots);
	conv_slots_finish(&u.frame_slots);
	conv_slots_finish(&u.lock_slots);
	prism_machine_finish(&u.machine);
	arena_finish(&u.arena);
	return rc;
}

const struct conv_command pcommand_uscope = {
	.name = "uscope",
	.synopsis = "[options] -o OUT.uscp [FILE...]",
	.brief = "threads, frames, locks and events as a µScope file",
	.about = "Write threads and events over time as a µScope file.",
	.with = CONV_WITH_OUTPUT | PTOOL_WITH_INPUT | PTOOL_WITH_CLOCK | PTOOL_WITH_USCOPE,
	.max_args = -1,
	.run = run_uscope,
};
