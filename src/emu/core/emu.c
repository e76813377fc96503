/* SPDX-License-Identifier: MIT */
#include "emu.h"

#include "ahead.h"
#include "parts.h"
#include "refuse.h"
#include "track.h"

#include <assert.h>

enum {
	LOOK_UP_EVENTS = 4096, /* events between two checks for signals and failures: below a millisecond */
	EARLY = 4,             /* events between that which is emulated and that whose thread is loaded into the cache, */
	EARLIER = 12,          /* and that which is loaded itself, as it tells the thread */
};

static_assert((int)EARLIER < (int)ROUND_PEEK, "events so far ahead can be seen");
static_assert((int)RECORD_ENTER == (int)OP_PUSH && (int)RECORD_LEAVE == (int)OP_POP, "the kind of a record is that of the operation");

/* Whether the model that is called may change its channel, which has to be of that kind. */
static inline bool
may_change(const struct emu *emu, int chan, enum chan_kind kind)
{
	const struct model_part *m = emu->cur;
	return __builtin_expect(!emu->shut && (uint32_t)chan < m->nchans && m->cols[chan].kind == kind, 1);
}

/* Changes a channel of the event's thread, for a hook. Not inlined: who is quicker with it needs no registers. */
static __attribute__((noinline)) int
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
	return __builtin_expect(rc < 0, 0) ? refuse_value(emu, rc, col, kind == OP_CLEAR ? CHAN_NULL : value) : 0;
}

/* Pushes the value of an operation, or pops it, if that is all there is to it. Returns whether it is done. */
static inline bool
step_quickly(const struct thread_run *t, const struct op *op)
{
	return op->step != OP_NO_STEP && chan_step_quickly(&t->stacks[op->step], &t->value[op->col], op->value, op->kind == OP_POP);
}

/* Runs the operation; one that changes one channel prints at once, others mark channels
 * dirty. */
static inline __attribute__((always_inline)) int
run_op(struct emu *emu, const struct event *ev, const struct op *op)
{
	struct chans *c = &emu->chans;
	enum record_kind kind = RECORD_STATE;
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
	case OP_POP:
		rc = chan_step_alone(c, emu->thread, op->col, op->value, op->kind == OP_POP);
		kind = op->kind;
		break;
	case OP_IGNORE: return 0;
	default: return ops_run_arg(emu, op);
	}
	if (__builtin_expect(rc < 0, 0))
		return refuse_value(emu, rc, op->col, op->kind == OP_CLEAR ? CHAN_NULL : op->value);
	if (rc == 0)
		track_emit_alone(emu, record_what(op->col, kind));
	return 0;
}

/* What an event is about. */
struct target {
	const struct op *op;
	struct thread_run *thread;
};

static inline struct target
find_target(const struct emu *emu, const struct event *ev)
{
	return (struct target){ dispatch_get(emu->dispatch, ev->mcv), emu->run_of_stream[ev->stream] };
}

static inline __attribute__((always_inline)) int
apply(struct emu *emu, const struct event *ev, struct target target)
{
	struct thread_run *t = target.thread;
	const struct op *op = target.op;

	emu->nevents++;
	emu->event = ev;
	feed_begin(&emu->feed);
	emu->time = ev->clock - emu->start;
	emu->run = t;
	emu->thread = t->index;

	int rc = 0;
	if (__builtin_expect(op->need & ~(unsigned)t->has || !op_fits(op, ev->jumbo, ev->size), 0) && (rc = refuse_event(emu, op)) <= 0) {
		if (rc == 0 && emu->time >= emu->watch_at)
			watch_event(emu, ev);
		return rc;
	}
	/* Most events of most models are steps. */
	if (step_quickly(t, op))
		track_emit_alone(emu, record_what(op->col, op->kind));
	else if ((rc = run_op(emu, ev, op)) < 0 || (op->phases && (rc = ops_run_phases(emu, ev, op)) < 0))
		return rc;
	else if (emu_has_changes(emu))
		track_emit(emu);
	if (__builtin_expect(emu->time >= emu->watch_at, 0))
		watch_event(emu, ev);
	return 0;
}

/* Asks the cache for what events to come will need: nearly each is of another thread than the one before. Inlined always, as the
 * compiler would take a function that does nothing else for one that does nothing. */
static inline __attribute__((always_inline)) void
ask_for_next(const struct emu *emu, const struct round *r)
{
	__builtin_prefetch(round_peek(r, EARLIER));
	const struct event *ev = round_peek(r, EARLY);
	__builtin_prefetch(ev->payload);
	__builtin_prefetch(emu->run_of_stream[ev->stream]);
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

/* Looks at what an event returned, and now and then up. */
static inline __attribute__((always_inline)) int
go_on(struct emu *emu, int rc)
{
	if (rc < 0)
		emu->refused = true;
	else if (emu->nevents % LOOK_UP_EVENTS == 0)
		return look_up(emu);
	return rc;
}

/* Notes an event of a leg. Returns whether that is full. Not inlined: it would take registers of the loop, which runs without one nearly always. */
static __attribute__((noinline)) bool
note(const struct emu *emu, struct emu_leg *leg)
{
	const struct feed *f = &emu->feed;
	leg->times[leg->n++] = emu->time;
	return leg->n == leg->most || (size_t)(f->next - f->own) >= leg->records || f->nnotes >= leg->notes;
}

/* Emulates an event and all that follow, or those of a leg (NULL: there is none). Returns as emu_run_leg(). Nobody else calls apply(): of
 * what is called in one place only, all becomes a part of this loop. Not inlined: in its caller it would spill registers at each event. */
static __attribute__((noinline)) int
run(struct emu *emu, struct event *ev, struct emu_leg *leg)
{
	struct round *round = &emu->merge.round;
	struct target now = find_target(emu, ev);
	struct target next = now;
	int rc;
	for (;;) {
		/* Found an event early: what an event does is not predicted well, and behind a wrong guess one load would wait for another. */
		struct event *seen = NULL;
		if (round->at < round->n) {
			seen = round_peek(round, 0);
			next = find_target(emu, seen);
			ask_for_next(emu, round);
		}
		rc = apply(emu, ev, now);
		if (!leg && (rc = go_on(emu, rc)) < 0)
			return rc;
		if (leg && (rc < 0 || note(emu, leg)))
			return rc < 0 ? rc : 1;
		if (seen) {
			round->at++;
			ev = seen;
			now = next;
			continue;
		}
		rc = merge_next(&emu->merge, &ev);
		if (rc <= 0)
			return rc;
		now = find_target(emu, ev);
	}
}

int
emu_apply(struct emu *emu, struct event *ev)
{
	int64_t time;
	struct emu_leg leg = { .times = &time, .most = 1 };
	int rc = run(emu, ev, &leg);
	return rc < 0 ? rc : 0;
}

int
emu_step(struct emu *emu, struct event *ev)
{
	return go_on(emu, emu_apply(emu, ev));
}

int
emu_run_leg(struct emu *emu, struct emu_leg *leg)
{
	struct event *ev;
	int rc = merge_next(&emu->merge, &ev);
	return rc > 0 ? run(emu, ev, leg) : rc;
}

static int
run_all(struct emu *emu)
{
	struct event *ev;
	int rc = merge_next(&emu->merge, &ev);
	return rc > 0 ? run(emu, ev, NULL) : rc;
}

int
emu_run(struct emu *emu)
{
	int rc = emu->parts ? parts_run(emu) : cut_is_asked(emu) ? cut_run(emu)
								 : run_all(emu);
	ahead_rest(emu->ahead);
	emu->complete = rc == 0;
	return rc < 0 ? rc : 0;
}

/* Sets a channel of the event's thread, if it is no more than that. */
static inline bool
set_quickly(struct emu *emu, int chan, int64_t value)
{
	struct chans *c = &emu->chans;
	uint32_t col = emu->cur->first_col + (uint32_t)chan;
	return may_change(emu, chan, CHAN_SINGLE) && chan_set_quickly(c, chan_id(c, emu->thread, col), emu->thread, col, value);
}

int
emu_set(struct emu *emu, int chan, int64_t value)
{
	if (__builtin_expect(value != CHAN_NULL && set_quickly(emu, chan, value), 1))
		return 0;
	return change(emu, OP_SET, chan, value);
}

int
emu_clear(struct emu *emu, int chan)
{
	if (__builtin_expect(set_quickly(emu, chan, CHAN_NULL), 1))
		return 0;
	return change(emu, OP_CLEAR, chan, CHAN_NULL);
}

/* Pushes a value on a channel of the event's thread, or pops it, if that is all there is to it. */
static inline bool
step_chan_quickly(struct emu *emu, int chan, int64_t value, bool leaves)
{
	struct chans *c = &emu->chans;
	uint32_t col = emu->cur->first_col + (uint32_t)chan;
	if (value == CHAN_NULL || !may_change(emu, chan, CHAN_STACK))
		return false;
	size_t id = chan_id(c, emu->thread, col);
	if (chan_is_dirty(c, id) || !chan_step_quickly(&emu->run->stacks[c->cols[col].stack], &c->value[id], value, leaves))
		return false;
	chan_touch(c, id, emu->thread, col, leaves ? RECORD_LEAVE : RECORD_ENTER);
	return true;
}

int
emu_push(struct emu *emu, int chan, int64_t value)
{
	return __builtin_expect(step_chan_quickly(emu, chan, value, false), 1) ? 0 : change(emu, OP_PUSH, chan, value);
}

int
emu_pop(struct emu *emu, int chan, int64_t value)
{
	return __builtin_expect(step_chan_quickly(emu, chan, value, true), 1) ? 0 : change(emu, OP_POP, chan, value);
}

int
emu_truncate(struct emu *emu, int chan, uint32_t depth)
{
	uint32_t col = emu->cur->first_col + (uint32_t)chan;
	if (!may_change(emu, chan, CHAN_STACK))
		return refuse_chan(emu, chan);
	uint32_t before = chan_depth(&emu->chans, emu->thread, col);
	int rc = chan_truncate(&emu->chans, emu->thread, col, depth);
	if (rc == 0 && depth < before)
		detail_truncate(emu, col, before);
	return rc < 0 ? refuse_value(emu, rc, col, CHAN_NULL) : 0;
}

int
emu_replace(struct emu *emu, int chan, int64_t value)
{
	uint32_t col = emu->cur->first_col + (uint32_t)chan;
	if (!may_change(emu, chan, CHAN_STACK))
		return refuse_chan(emu, chan);
	int rc = chan_replace(&emu->chans, emu->thread, col, value);
	return rc < 0 ? refuse_value(emu, rc, col, value) : 0;
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
	emu->run = &emu->threads[thread];
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
