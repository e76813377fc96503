/* SPDX-License-Identifier: MIT */
#include "emu.h"

#include "track.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	LOOK_UP_EVENTS = 4096, /* events between two checks for signals and failures: below a millisecond */
};

static int unknown_event(struct emu *emu);
static int refuse(struct emu *emu, const struct op *op);

static int chan_failed(struct emu *emu, int rc, uint32_t col, int64_t value);
static int refuse_chan(struct emu *emu, int chan);

/* Whether the model that is called may change its channel, which has to be of that kind. */
static inline bool
may_change(const struct emu *emu, int chan, enum chan_kind kind)
{
	const struct model_part *m = emu->cur;
	return __builtin_expect(!emu->shut && (uint32_t)chan < m->nchans && emu->chans.cols[m->first_col + (uint32_t)chan].kind == kind, 1);
}

/* Changes a channel of the event's thread, for a hook. */
static inline int
change(struct emu *emu, enum op_kind kind, int chan, int64_t value)
{
	struct chans *c = &emu->chans;
	uint32_t col = emu->cur->first_col + (uint32_t)chan;
	int rc;
	if (!may_change(emu, chan, kind == OP_PUSH || kind == OP_POP ? CHAN_STACK : CHAN_SINGLE))
		return refuse_chan(emu, chan);
	if (kind == OP_CLEAR)
		rc = chan_set(c, emu->thread, col, CHAN_NULL);
	else if (kind == OP_POP)
		rc = chan_pop(c, emu->thread, col, value);
	else if (__builtin_expect(value == CHAN_NULL, 0))
		rc = -ERR_CHAN_VALUE;
	else if (kind == OP_PUSH)
		rc = chan_push(c, emu->thread, col, value);
	else
		rc = chan_set(c, emu->thread, col, value);
	return __builtin_expect(rc < 0, 0) ? chan_failed(emu, rc, col, kind == OP_CLEAR ? CHAN_NULL : value) : 0;
}

/* Runs the operation; one that changes one channel prints at once, others mark channels
 * dirty. */
static inline __attribute__((always_inline)) int
run_op(struct emu *emu, const struct event *ev, const struct op *op)
{
	struct chans *c = &emu->chans;
	int rc;
	if (op->kind == OP_HOOK) {
		emu->cur = &emu->models[op->model];
		op->hook(emu, ev);
		return emu->failed;
	}
	switch (op->kind) {
	case OP_PUNCTUAL: return emu_add_punctual(emu, emu->thread, op->col, op->value);
	case OP_SET: rc = chan_set_alone(c, emu->thread, op->col, op->value); break;
	case OP_CLEAR: rc = chan_set_alone(c, emu->thread, op->col, CHAN_NULL); break;
	case OP_PUSH:
	case OP_POP: rc = chan_step_alone(c, emu->thread, op->col, op->value, op->kind == OP_POP); break;
	case OP_IGNORE: return 0;
	default: return ops_run_arg(emu, op);
	}
	if (__builtin_expect(rc < 0, 0))
		return chan_failed(emu, rc, op->col, op->kind == OP_CLEAR ? CHAN_NULL : op->value);
	if (rc == 0)
		track_emit_alone(emu, op->col);
	return 0;
}

static bool
is_of_ring(const struct emu *emu)
{
	return emu->plan->trace.streams[emu->event->stream].meta.ring;
}

/* Whether the event is one of those that stand for what was before the stream, and its thread has yet to run. */
static bool
is_before(const struct emu *emu)
{
	return is_of_ring(emu) && emu->threads[emu->thread].state == TH_UNKNOWN;
}

int
emu_apply(struct emu *emu, const struct event *ev)
{
	emu->nevents++;
	emu->event = ev;
	feed_begin(&emu->feed);
	emu->time = ev->clock - emu->plan->start;
	emu->thread = emu->thread_of_stream[ev->stream];

	const struct op *op = dispatch_find(&emu->plan->dispatch, ev->mcv);
	if (__builtin_expect(!op || emu->thread == NO_INDEX, 0)) {
		int rc = unknown_event(emu);
		if (rc == 0 && emu->time >= emu->watch_at)
			watch_event(emu, ev);
		return rc;
	}
	bool allowed = (op->need & ~(unsigned)emu->threads[emu->thread].has) == 0;
	bool fits = ev->size - op->min_size <= op->more && op->takes[ev->jumbo];
	if (__builtin_expect(!allowed || !fits, 0) && !(fits && is_before(emu)))
		return refuse(emu, op);

	int rc = run_op(emu, ev, op);
	if (__builtin_expect(rc < 0, 0))
		return rc;
	if (op->phases && (rc = ops_run_phases(emu, ev, op)) < 0)
		return rc;
	if (emu_has_changes(emu))
		track_emit(emu);
	if (__builtin_expect(emu->time >= emu->watch_at, 0))
		watch_event(emu, ev);
	return 0;
}

/* Stops the run when a signal came or an output failed; shows the progress. */
static int
look_up(struct emu *emu)
{
	if (emu->plan->options.stop && *emu->plan->options.stop)
		return -ERR_INTERRUPTED;
	if (feed_failed(&emu->feed))
		return -ERR_WRITE;
	if (emu->plan->options.progress)
		emu->plan->options.progress(emu, emu->plan->options.progress_arg);
	return 0;
}

/* Not inlined: in its caller the loop would spill registers at each event. */
__attribute__((noinline)) int
emu_run(struct emu *emu)
{
	struct event *ev;
	int rc;
	while ((rc = merge_next(&emu->merge, &ev)) > 0) {
		if ((rc = emu_apply(emu, ev)) < 0) {
			emu->refused = true;
			break;
		}
		if (emu->nevents % LOOK_UP_EVENTS == 0 && (rc = look_up(emu)) < 0)
			break;
	}
	emu->complete = rc == 0;
	return rc;
}

static const struct model_run *
find_model(const struct emu *emu, uint8_t id)
{
	for (size_t i = 0; i < emu->plan->nmodels; i++)
		if ((uint8_t)emu->plan->models[i].model->id == id)
			return &emu->plan->models[i];
	return NULL;
}

static int
unknown_event(struct emu *emu)
{
	const struct event *ev = emu->event;
	if (emu->thread == NO_INDEX)
		return event_error(emu, ERR_PART, "the stream has events, but it is not a thread in a loom: it is of part \"%s\"",
			emu->plan->trace.streams[ev->stream].meta.part);
	const struct model_run *mr = find_model(emu, ev->mcv[0]);
	const struct emu_options *o = &emu->plan->options;
	bool strict = emu->plan->trace.options.strict;
	if (!mr && emu->plan->lacks_models && !strict) {
		struct place at = event_place(emu);
		often_add(&emu->tallies.skipped, &at, "an event of a model that is not there is skipped");
		return 0;
	}
	if (!mr)
		return event_error(emu, ERR_UNKNOWN_MODEL,
			"no model has the letter of this event\n"
			"hint: 'ovniemu --help' lists the models; the stream may be damaged");
	if (!mr->enabled && !mr->model->foreign && !strict && o->learned) {
		o->learned->models[ev->mcv[0]] = true;
		(void)snprintf(o->learned->note, sizeof(o->learned->note),
			"the model %s is enabled, as the trace has events of it: no thread requires it", mr->model->name);
		return EMU_AGAIN;
	}
	if (!mr->enabled)
		return event_error(emu, ERR_MODEL_DISABLED,
			"the model %s is not enabled, as no thread requires it\n"
			"hint: call ovni_thread_require(\"%s\", \"%s\") in the program, or use -a to enable all models",
			mr->model->name, mr->model->name, mr->model->version);
	return event_error(emu, ERR_UNKNOWN_EVENT, "the model %s %s has no such event",
		mr->model->name, mr->model->version);
}

static int
refuse(struct emu *emu, const struct op *op)
{
	const struct event *ev = emu->event;
	const struct model *m = emu->models[op->model].model;
	unsigned missing = op->need & ~(unsigned)emu->threads[emu->thread].has;
	int tid = emu->plan->sys.threads[emu->thread].tid;
	if (missing & NEED_IN_CPU)
		return event_error(emu, ERR_OUT_OF_CPU, "current thread %d out of CPU: it cannot do this before the kernel gives it back",
			tid);
	enum thread_state state = emu->threads[emu->thread].state;
	if (missing)
		return event_error(emu, ERR_THREAD_STATE, "thread %d is %s, but model %s needs it to be %s%s",
			tid, thread_states[state].text, m->name,
			missing & NEED_RUNNING ? "Running" : "active (Running, Cooling or Warming)",
			state == TH_UNKNOWN ? "\nhint: the program must first tell that the thread begins (OHx)" : "");
	if (!op->takes[ev->jumbo])
		return event_error(emu, ERR_PAYLOAD, op->takes[true] ? "the event must be a jumbo event" : "the event must not be a jumbo event");
	return event_error(emu, ERR_PAYLOAD, "the payload has %" PRIu32 " bytes, but the event needs %s%" PRIu32,
		ev->size, op->more == 0 ? "" : "at least ", op->min_size);
}

int
emu_refuse_change(struct emu *emu)
{
	if (emu->failed == 0 && !emu->event)
		(void)emu_error(emu, "model", "the model %s changes a channel or a thread in %s: only hooks of events may", emu->cur->model->name, emu->stage);
	else if (emu->failed == 0)
		(void)event_error(emu, ERR_MODEL, "a hook of the model %s changes a channel or a thread when what changed is being shown\n"
						  "hint: only hooks of the phase pre may; emit may add punctual values",
			emu->cur->model->name);
	return emu->failed;
}

/* Says why a model may not change its channel so. */
static int
refuse_chan(struct emu *emu, int chan)
{
	const struct model_part *m = emu->cur;
	static const char *const kinds[] = { [CHAN_SINGLE] = "single: it is set and cleared", [CHAN_STACK] = "a stack: it is pushed and popped", [CHAN_PUNCTUAL] = "punctual" };
	if (emu->shut)
		return emu_refuse_change(emu);
	if ((uint32_t)chan >= m->nchans)
		return emu_error(emu, "model", "a hook of the model %s changes its channel %d, but it has %" PRIu32 ", from 0 on", m->model->name, chan, m->nchans);
	const struct chan_decl *k = emu->chans.cols[m->first_col + (uint32_t)chan].decl;
	if (k->of != OF_THREAD)
		return emu_error(emu, "model", "a hook of the model %s changes the channel %s as if it were one of threads\nhint: emu_set_row() and emu_add_row() change those of processes, looms and the system",
			m->model->name, k->name);
	return emu_error(emu, "model", "a hook of the model %s changes the channel %s as one of another kind: it is %s", m->model->name, k->name, kinds[k->kind]);
}

/* Finds the label of a value; NULL: it has none. */
static const char *
value_name(struct emu *emu, uint32_t col, int64_t value)
{
	const struct col *k = &emu->plan->cols[col];
	for (size_t i = 0; i < k->decl->nlabels; i++)
		if (k->decl->labels[i].value == value)
			return k->decl->labels[i].text;
	const struct model *m = k->model;
	for (size_t i = 0; m && i < m->nstates; i++)
		if (&m->chans[m->states[i].chan] == k->decl && m->states[i].value == value)
			return m->states[i].label;
	return NULL;
}

/* Writes a value with its label, as in "3 (Solve)". Returns buf. */
static const char *
describe(struct emu *emu, uint32_t col, int64_t value, char *buf, size_t size)
{
	const char *name = value == CHAN_NULL ? NULL : value_name(emu, col, value);
	if (value == CHAN_NULL)
		(void)snprintf(buf, size, "nothing");
	else if (name)
		(void)snprintf(buf, size, "%" PRId64 " (%.200s)", value, name);
	else
		(void)snprintf(buf, size, "%" PRId64, value);
	return buf;
}

static int
chan_failed(struct emu *emu, int rc, uint32_t col, int64_t value)
{
	const struct col *k = &emu->plan->cols[col];
	if ((rc == -ERR_STACK_EMPTY || rc == -ERR_STACK_MISMATCH) && is_of_ring(emu)) {
		struct place at = stream_place(&emu->plan->trace.streams[emu->event->stream], emu->event);
		often_add(&emu->tallies.ends, &at, "the end of what was not told to have begun: more was open than a ring keeps");
		return 0;
	}
	if (rc == -ERR_CHAN_REPEATED && value == CHAN_NULL)
		return event_error(emu, ERR_CHAN_REPEATED, "the end of what has not begun: the channel shows nothing\n"
							   "model %s, channel %s (type %d), thread %d",
			k->model->name, k->decl->name, k->decl->prv_type, emu->plan->sys.threads[emu->thread].tid);
	char want[256];
	char have[256];
	describe(emu, col, value, want, sizeof(want));
	describe(emu, col, emu->chans.value[chan_id(&emu->chans, emu->thread, col)], have, sizeof(have));
	const char *what = "the channel refuses the value";
	char full[64];
	(void)snprintf(full, sizeof(full), "the stack is full, it holds %d values", CHAN_STACK_MAX);
	switch (-rc) {
	case ERR_CHAN_VALUE: return event_error(emu, ERR_CHAN_VALUE, "a channel cannot hold the value %" PRId64, value);
	case ERR_CHAN_REPEATED: what = "the channel already has that value"; break;
	case ERR_CHAN_TWICE: what = "the event writes the channel twice"; break;
	case ERR_STACK_FULL: what = full; break;
	case ERR_STACK_EMPTY: what = "the stack is empty"; break;
	case ERR_STACK_MISMATCH: what = "the top of the stack is another value"; break;
	case ERR_MEMORY: return emu_no_memory(emu);
	default: break;
	}
	bool stack = k->kind == CHAN_STACK;
	char depth[32] = "";
	if (stack)
		(void)snprintf(depth, sizeof(depth), ", depth %" PRIu32, chan_depth(&emu->chans, emu->thread, col));
	return event_error(emu, (enum error)(-rc),
		"%s: the event has %s, the channel has %s\nmodel %s, channel %s (type %d), thread %d%s\n"
		"hint: the program does not emit its events in pairs, or the stream is not sorted (run ovnisort)",
		what, want, have, k->model->name, k->decl->name, k->decl->prv_type,
		emu->plan->sys.threads[emu->thread].tid, depth);
}

int
emu_set(struct emu *emu, int chan, int64_t value)
{
	return change(emu, OP_SET, chan, value);
}

int
emu_clear(struct emu *emu, int chan)
{
	return change(emu, OP_CLEAR, chan, CHAN_NULL);
}

int
emu_push(struct emu *emu, int chan, int64_t value)
{
	return change(emu, OP_PUSH, chan, value);
}

int
emu_pop(struct emu *emu, int chan, int64_t value)
{
	return change(emu, OP_POP, chan, value);
}

int
emu_truncate(struct emu *emu, int chan, uint32_t depth)
{
	uint32_t col = emu->cur->first_col + (uint32_t)chan;
	if (!may_change(emu, chan, CHAN_STACK))
		return refuse_chan(emu, chan);
	int rc = chan_truncate(&emu->chans, emu->thread, col, depth);
	return rc < 0 ? chan_failed(emu, rc, col, CHAN_NULL) : 0;
}

int
emu_replace(struct emu *emu, int chan, int64_t value)
{
	uint32_t col = emu->cur->first_col + (uint32_t)chan;
	if (!may_change(emu, chan, CHAN_STACK))
		return refuse_chan(emu, chan);
	int rc = chan_replace(&emu->chans, emu->thread, col, value);
	return rc < 0 ? chan_failed(emu, rc, col, value) : 0;
}

int64_t
emu_value(struct emu *emu, int chan)
{
	if ((uint32_t)chan >= emu->cur->nchans || !emu->chans.value) {
		(void)emu_error(emu, "model", "the model %s asks for the value of its channel %d in %s: %s", emu->cur->model->name, chan, emu_stage(emu),
			emu->chans.value ? "there is no such channel" : "there are none before connect()");
		return 0;
	}
	uint32_t col = emu->cur->first_col + (uint32_t)chan;
	int64_t v = emu->chans.value[chan_id(&emu->chans, emu->thread, col)];
	return v == CHAN_NULL ? 0 : v;
}

int
emu_add_punctual(struct emu *emu, uint32_t row, uint32_t col, int64_t value)
{
	if (emu->compat)
		return 0;
	if (!arena_grow(&emu->arena, &emu->punctuals, emu->npunctuals, &emu->punctuals_cap, sizeof(*emu->punctuals)))
		return emu_no_memory(emu);
	emu->punctuals[emu->npunctuals++] = (struct punctual){ .row = row, .col = col, .value = value };
	return 0;
}

int
emu_punctual(struct emu *emu, int chan, int64_t value)
{
	if (emu->late || (uint32_t)chan >= emu->cur->nchans || emu->chans.cols[emu->cur->first_col + (uint32_t)chan].kind == CHAN_OF_ROWS)
		return refuse_chan(emu, chan);
	return emu_add_punctual(emu, emu->thread, emu->cur->first_col + (uint32_t)chan, value);
}

/* Whether a CPU row has a value of its own in the channel. */
static inline bool
is_own(const struct emu *emu, uint32_t cpu, int chan)
{
	const struct model_part *m = emu->cur;
	return cpu < emu->plan->sys.ncpus && (uint32_t)chan < m->nchans && emu->chans.cols[m->first_col + (uint32_t)chan].cpu_need == NEED_OWN;
}

static int
refuse_own(struct emu *emu, uint32_t cpu, int chan)
{
	const struct model_part *m = emu->cur;
	if (emu->shut || (uint32_t)chan >= m->nchans)
		return refuse_chan(emu, chan);
	if (cpu >= emu->plan->sys.ncpus)
		return emu_error(emu, "model", "a hook of the model %s changes the CPU %" PRIu32 ", but there are %" PRIu32 ", from 0 on", m->model->name, cpu, emu->plan->sys.ncpus);
	return emu_error(emu, "model", "a hook of the model %s changes the channel %s in the row of a CPU, which shows that of its thread\nhint: the channel needs TRACK_OWN",
		m->model->name, emu->chans.cols[m->first_col + (uint32_t)chan].decl->name);
}

int
emu_punctual_cpu(struct emu *emu, uint32_t cpu, int chan, int64_t value)
{
	if (emu->late || !is_own(emu, cpu, chan))
		return refuse_own(emu, cpu, chan);
	return emu_add_punctual(emu, emu->first_cpu + cpu, emu->cur->first_col + (uint32_t)chan, value);
}

void
emu_set_cpu(struct emu *emu, uint32_t cpu, int chan, int64_t value)
{
	if (emu->shut || !is_own(emu, cpu, chan))
		(void)refuse_own(emu, cpu, chan);
	else
		chan_put_own(&emu->chans, emu->first_cpu + cpu, emu->cur->first_col + (uint32_t)chan, value);
}

void
emu_choose(struct emu *emu, uint32_t thread)
{
	/* Two threads changed: the fast path for one thread no longer holds. */
	emu->chans.ndirect += emu->chans.ndirty && emu->thread != thread;
	emu->thread = thread;
}

const char *
emu_row_label(const struct emu *emu, uint32_t row)
{
	const struct system *sys = &emu->plan->sys;
	uint32_t n = sys->nthreads;
	if (row < n)
		return sys->threads[row].label;
	return row < n + sys->ncpus ? sys->cpus[row - n].label : emu->plan->rows.labels[row - n - sys->ncpus];
}
