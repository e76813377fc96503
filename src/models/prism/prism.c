/* SPDX-License-Identifier: MIT */
/* prism: who runs, in which functions, what they wait for, and what they do to memory.
 *
 * Streams are CPUs, not threads: an event is of the thread that runs in its stream at that time,
 * as the machine says. */
#include "parts.h"
#include "tools.h"

#include <inttypes.h>

enum {
	AT_ONCE = 1024, /* events of a stream, when only tools look at them: in between others look at signals */
};

/* ---- Begin and end. ---- */

/* Adds the settings of the streams as properties of the trace. */
static void
add_properties(struct emu *emu, const struct prism *p)
{
	const char *clock = NULL;
	const char *layout = NULL;
	for (uint32_t i = 0; i < p->nstreams; i++) {
		clock = prism_common(clock, prism_clock_words[p->sources.list[i].clock]);
		layout = prism_common(layout, prism_layout_words[p->sources.list[i].settings.layout]);
	}
	emu_add_property(emu, "prism.protocol_version", "0.1");
	emu_add_property(emu, "prism.clock_mode", clock ? clock : "");
	emu_add_property(emu, "prism.compute_layout", layout ? layout : "");
}

static void
create(struct emu *emu)
{
	struct prismmodel *d = emu_data(emu);
	static const struct prism_inside nothing;
	struct prism *p = d->p = emu_input(emu, "prism");
	if (!p)
		return;
	d->all = p->events == PRISM_EVENTS_ALL;
	d->syncs = p->events != PRISM_EVENTS_NONE;
	d->shown = p->shown;
	d->every = d->shown && p->options->interval == PRISM_INTERVAL_EVENTS ? p->options->length : 0;
	d->quick = !d->shown ? QUICK_GIVE : d->all || d->every ? QUICK_NOT
							       : QUICK_COUNT;
	prismfilter_begin(d);
	d->cores = emu_alloc(emu, p->nstreams * sizeof(*d->cores));
	d->threads = emu_alloc(emu, emu_nthreads(emu) * sizeof(*d->threads));
	d->listed = emu_alloc(emu, emu_nthreads(emu) * sizeof(*d->listed));
	d->blocks.map = emu_map_new(emu);
	d->insns.map = emu_map_new(emu);
	d->objects.map = emu_map_new(emu);
	d->met = emu_map_new(emu);
	d->inside = p->options->nhooks ? emu_alloc(emu, emu_nthreads(emu) * sizeof(*d->inside)) : NULL;
	if (emu_has_failed(emu))
		return;
	if (prismmachine_begin_with(&d->machine, p->nstreams, p->options->lenient, &p->threads) < 0)
		(void)emu_no_memory(emu);
	d->machine.no_totals = !d->shown;
	for (uint32_t i = 0; i < p->nstreams && !emu_has_failed(emu); i++) {
		const struct prism_source *s = &p->sources.list[i];
		prism_machine_stream(&d->machine, i, (uint32_t)s->process, &s->settings);
		d->cores[i].at = (struct prism_at){ .stream = i, .process = (uint32_t)s->process, .in = &nothing };
	}
	add_properties(emu, p);
	if (!emu_has_failed(emu))
		d->tools = prismtools_open(emu, p, &d->machine);
	if (emu_has_failed(emu))
		prism_machine_finish(&d->machine);
}

/* Reports how often each code was found, also those not reported one by one. */
static void
tell_codes(struct emu *emu, const struct prism *p)
{
	for (int code = 1; code < PRISM_CODES; code++) {
		uint64_t n = p->sources.counts[code];
		if (n && (p->options->lenient || prism_code_warns(code)))
			emu_warn(emu, "%s: %" PRIu64 " time%s: %s (%s)", prism_code_name(code), n, n == 1 ? "" : "s", prism_code_text(code), prism_code_lenient(code));
	}
}

static void
finish(struct emu *emu)
{
	struct prismmodel *d = emu_data(emu);
	const struct prism *p = d->p;
	if (!p)
		return;
	tell_codes(emu, p);
	prismtools_close(d->tools);
	prism_machine_finish(&d->machine);
}

/* ---- Events. ---- */

static void
show_mem(struct emu *emu, const struct prism_mem *m)
{
	static const uint8_t values[] = { MEM_OTHER, MEM_LOAD, MEM_STORE, MEM_OTHER };
	(void)emu_punctual(emu, MEM, values[m->type & 3]);
	if (m->has & PRISM_HAS_SIZE)
		(void)emu_punctual(emu, MEM_BYTES, m->bytes);
}

static void
show_comp(struct emu *emu, const struct prism_comp *c)
{
	static const uint8_t values[] = { COMP_OTHER, COMP_INTEGER, COMP_FLOAT, COMP_OTHER };
	(void)emu_punctual(emu, COMP, values[c->format & 3]);
	if (c->has & PRISM_HAS_OP)
		(void)emu_punctual(emu, COMP_OP, c->op < PRISM_OPS ? c->op + 1 : OP_OTHER);
}

static void
show_detail(struct emu *emu, const struct prismmodel *d, unsigned kind)
{
	emu_set_cpu(emu, d->stream, LOD + (int)kind, 256 + d->machine.cores[d->stream].detail[kind]);
}

/* Shows which thread runs behind a step of the machine, at or in front of the event; rc: what the machine returned.
 * Returns 0, or <0 (reported). */
static int
show_step(struct emu *emu, struct prismmodel *d, const struct prism_record *r, int rc)
{
	if (rc == -PRISM_E_MEMORY)
		return emu_no_memory(emu);
	if (d->step.stack && d->shown)
		prismcxt_number(emu, d, &r->ev.cxt, r->brief);
	if (d->step.issues && prismissue_tell(d, &r->ev) < 0)
		return emu_stop(emu, "prism");
	return d->step.thread ? prismthread_show(emu, d) : 0;
}

/* Shows an event of a thread. */
static void
show_event(struct emu *emu, struct prismmodel *d, const struct prism_event *pe)
{
	for (unsigned kind = PRISM_MEM; kind <= PRISM_CXT && !d->core->shown; kind++)
		show_detail(emu, d, kind);
	d->core->shown = true;
	prismspan_note(d);
	if (d->step.woke)
		prismthread_wake(emu, d);
	if (pe->kind == PRISM_SYNC && !(pe->issues & 1U << PRISM_PB11))
		prismthread_take(emu, d, &pe->sync);
	else if (pe->kind == PRISM_CXT)
		prismcxt_take(emu, d, &pe->cxt);
	else if (d->all && pe->kind == PRISM_MEM)
		show_mem(emu, &pe->mem);
	else if (d->all && pe->kind == PRISM_COMP)
		show_comp(emu, &pe->comp);
	else if (d->all && pe->kind == PRISM_CF)
		(void)emu_punctual(emu, CF, pe->cf.type + 1);
	prismspan_tick(emu, d);
}

/* The row of the thread that ran last in a stream; NO_INDEX: none yet. */
static uint32_t
row_of(const struct prismmodel *d, uint32_t stream)
{
	const struct prism_thread *t = d->machine.cores[stream].thread;
	return t ? t->number : NO_INDEX;
}

/* Shows the codes of the event in the rows of its thread and CPU. */
static void
show_codes(struct emu *emu, struct prismmodel *d)
{
	uint32_t row = row_of(d, d->stream);
	for (int code = 1; code < PRISM_CODES; code++) {
		if (!(d->codes & 1U << code) || !d->p->options->lenient)
			continue;
		if (row != NO_INDEX) {
			emu_choose(emu, row);
			(void)emu_punctual(emu, DIAG, code);
		}
		(void)emu_punctual_cpu(emu, d->stream, DIAG, code);
	}
}

/* Shows an event, and what is wrong with it. */
static void
show(struct emu *emu, struct prismmodel *d, const struct prism_event *pe)
{
	if (d->step.thread)
		show_event(emu, d, pe);
	else if (pe->kind == PRISM_CFG && pe->cfg.target <= PRISM_CXT)
		show_detail(emu, d, pe->cfg.target);
	d->codes |= pe->issues;
	if (d->codes)
		show_codes(emu, d);
}

/* Makes the stream of an event the current one. Returns 0, or <0 (reported). */
static int
find_stream(struct emu *emu, const struct event *ev, struct prismmodel *d)
{
	if (!d->p)
		return emu_error(emu, "prism", "events of Prism are in Prism streams only");
	d->stream = ev->stream - 1;
	d->core = &d->cores[d->stream];
	d->codes = 0;
	return 0;
}

/* Fast path for events that are only given to tools: for one, and for those behind it. Returns whether it was one. */
static inline bool
give_only(const struct emu *emu, const struct event *ev, struct prismmodel *d)
{
	uint32_t stream = ev->stream - 1;
	const struct prism_event *pe = &((const struct prism_record *)ev->record)->ev;
	const struct prism_thread *t = d->machine.cores[stream].thread;
	if (pe->kind > PRISM_COMP || pe->issues || !t || t->waiting)
		return false;
	/* A channel changes once an event. */
	unsigned n = prismtools_has_channels(d->tools) || !prism_has_more(d->p, stream) ? 1 : AT_ONCE;
	do {
		if (d->tools && pe->kind == PRISM_MEM)
			prismtools_mem(d->tools, ev, &d->cores[stream].at, t->number);
		else if (d->tools)
			prismtools_comp(d->tools, ev, &d->cores[stream].at, t->number);
	} while (--n && !emu_has_failed(emu) && prism_more(d->p, stream));
	return true;
}

/* Fast path for events that only count, as most of long streams do. Returns whether it was
 * one. */
static inline bool
count_only(struct emu *emu, const struct event *ev, struct prismmodel *d)
{
	if (d->quick != QUICK_COUNT)
		return d->quick == QUICK_GIVE && give_only(emu, ev, d);
	uint32_t stream = ev->stream - 1;
	const struct prism_record *r = ev->record;
	struct prism_core *core = &d->machine.cores[stream];
	if (r->ev.kind > PRISM_COMP || r->ev.issues || !core->total.active)
		return false;
	struct prism_thread *t = core->thread;
	if (t->waiting || !t->total.active)
		return false;
	if (r->ev.kind == PRISM_MEM) {
		if ((prismtotal_mem(&t->total, &r->ev.mem) | prismtotal_mem(&core->total, &r->ev.mem)) < 0)
			(void)emu_no_memory(emu);
		else if (d->tools)
			prismtools_mem(d->tools, ev, &d->cores[stream].at, t->number);
	} else {
		prismtotal_comp(&t->total, &r->ev.comp);
		prismtotal_comp(&core->total, &r->ev.comp);
		if (d->tools)
			prismtools_comp(d->tools, ev, &d->cores[stream].at, t->number);
	}
	return true;
}

static void
on_event(struct emu *emu, const struct event *ev)
{
	struct prismmodel *d = emu_data(emu);
	if (count_only(emu, ev, d) || find_stream(emu, ev, d) < 0)
		return;
	const struct prism_record *r = ev->record;
	const struct prism_event *pe = &r->ev;
	uint32_t first = d->core->started ? 0 : d->p->sources.list[d->stream].first_thread;
	d->core->started = true;
	if (first && show_step(emu, d, r, prism_machine_start(&d->machine, d->stream, first, &d->step)) < 0)
		return;
	if (show_step(emu, d, r, prism_machine_step(&d->machine, d->stream, pe, &d->step)) < 0)
		return;
	if (d->inside && d->step.thread && pe->kind == PRISM_CXT)
		prismcxt_note(d, &pe->cxt);
	if (d->shown)
		show(emu, d, pe);
	if (d->tools && !emu_has_failed(emu))
		prismtools_event(d->tools, ev, &d->core->at, row_of(d, d->stream), d->step.name);
}

static void
on_tick(struct emu *emu, const struct event *ev)
{
	(void)ev;
	struct prismmodel *d = emu_data(emu);
	if (d->p)
		prismspan_rotate(emu, d);
	else
		(void)emu_error(emu, "prism", "intervals are in Prism streams only");
}

/* Whether all streams have ended. One without events has no event that ends it. */
static bool
all_ended(const struct prismmodel *d)
{
	for (uint32_t i = 0; i < d->p->nstreams; i++)
		if (!d->cores[i].ended && !prism_is_empty(d->p, i))
			return false;
	return true;
}

static void
on_end(struct emu *emu, const struct event *ev)
{
	struct prismmodel *d = emu_data(emu);
	if (find_stream(emu, ev, d) < 0)
		return;
	int code = prism_stopped_by(d->p, d->stream);
	d->codes = code ? 1U << code : 0;
	if (d->codes && d->shown)
		show_codes(emu, d);
	prismthread_end(emu, d);
	d->core->ended = true;
	if (d->shown && all_ended(d))
		prismspan_end(emu, d);
}

static const struct event_decl events[] = {
	{ "RM.(u32 has, u8 type, u8 id, u16 bytes, u64 address)", "accesses %{bytes} bytes at %#llx{address} (type %{type}, id %{id}, fields %#x{has})", .hook = on_event },
	{ "RC.(u32 has, u8 format, u8 op, u16 bytes, u8 arity, u8 nids, u8 id0, u8 id1, u8 id2, u8 id3)",
		"computes operation %{op} in %{bytes} bytes with %{arity} operands (format %{format}, %{nids} ids: %{id0} %{id1} %{id2} %{id3}, fields %#x{has})", .hook = on_event },
	{ "RSa(u64 word)", "synchronizes in an unknown way with %#llx{word}", .hook = on_event },
	{ "RSb(u64 thread)", "creates thread %#llx{thread}", .hook = on_event },
	{ "RSc(u64 thread)", "begins to wait for the end of thread %#llx{thread}", .hook = on_event },
	{ "RSd(u64 barrier)", "begins to wait at barrier %#llx{barrier}", .hook = on_event },
	{ "RSe(u64 object)", "synchronizes with %#llx{object}", .hook = on_event },
	{ "RSf(u64 thread)", "the stream goes on with thread %{thread}", .hook = on_event },
	{ "RSg(u64 mutex)", "has locked mutex %#llx{mutex}", .hook = on_event },
	{ "RSh(u64 mutex)", "has unlocked mutex %#llx{mutex}", .hook = on_event },
	{ "RSi(u64 condition, u64 mutex)", "has waited for condition %#llx{condition} with mutex %#llx{mutex}", .hook = on_event },
	{ "RSj(u64 condition)", "has signalled condition %#llx{condition}", .hook = on_event },
	{ "RSk(u64 condition)", "has broadcast condition %#llx{condition}", .hook = on_event },
	{ "RSl(u64 lock)", "has locked spin lock %#llx{lock}", .hook = on_event },
	{ "RSm(u64 lock)", "has unlocked spin lock %#llx{lock}", .hook = on_event },
	{ "RXa(u64 id)", "is in the unknown context %#llx{id}", .hook = on_event },
	{ "RXb(u64 address)", "executes the instruction at %#llx{address}", .hook = on_event },
	{ "RXc(u64 id)", "begins basic block %#llx{id}", .hook = on_event },
	{ "RXd+(str name)", "enters function %{name}", .hook = on_event },
	{ "RXe+(str name)", "leaves function %{name}", .hook = on_event },
	{ "RXf(u64 thread)", "the stream goes on with thread %{thread}", .hook = on_event },
	{ "RXg+(str name)", "enters net %{name}", .hook = on_event },
	{ "RXh+(str name)", "leaves net %{name}", .hook = on_event },
	{ "RXi+(str name)", "enters operator %{name}", .hook = on_event },
	{ "RXj+(str name)", "leaves operator %{name}", .hook = on_event },
	{ "RF.(u8 type)", "goes elsewhere, in the way %{type}", .hook = on_event },
	{ "RG.(u8 target, u8 before, u8 after)", "events of kind %{target} change their level of detail from %#x{before} to %#x{after}", .hook = on_event },
	{ "RE.", "a buffer ends", .hook = on_event },
	{ "RD.", "the stream ends", .hook = on_end },
	{ "RW.", "an interval ends", .hook = on_tick },
};

const struct model model_prism = {
	MODEL_ABI,
	.id = 'R',
	.name = "prism",
	.version = "1.0.0",
	.foreign = true,
	CHANS(prismmodel_chans),
	EVENTS(events),
	.data_size = sizeof(struct prismmodel),
	.create = create,
	.finish = finish,
};
