/* SPDX-License-Identifier: MIT */
#include "refuse.h"

#include <inttypes.h>
#include <stdio.h>

static const struct model_run *
find_model(const struct emu *emu, uint8_t id)
{
	for (size_t i = 0; i < emu->plan->nmodels; i++)
		if ((uint8_t)emu->plan->models[i].model->id == id)
			return &emu->plan->models[i];
	return NULL;
}

/* An event that no operation is for. */
static int
refuse_unknown(struct emu *emu)
{
	const struct event *ev = emu->event;
	if (emu->thread == NO_INDEX)
		return event_error(emu, ERR_PART, "the stream has events, but it is not a thread in a loom: it is of part \"%s\"",
			emu->plan->trace.streams[ev->stream].meta.part);
	const struct model_run *mr = find_model(emu, ev->mcv[0]);
	struct learned *learned = emu->learned;
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
	if (!mr->enabled && !mr->model->foreign && !strict && learned) {
		learned->models[ev->mcv[0]] = true;
		(void)snprintf(learned->note, sizeof(learned->note),
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

int
refuse_event(struct emu *emu, const struct op *op)
{
	const struct event *ev = emu->event;
	if (emu->thread == NO_INDEX || op == emu->plan->dispatch.ops)
		return refuse_unknown(emu);
	/* It stands for what was before the stream, and its thread has yet to run. */
	if (op_fits(op, ev->jumbo, ev->size) && emu_is_of_ring(emu) && emu->threads[emu->thread].state == TH_UNKNOWN)
		return 1;
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
	const struct op_size *size = &op->sizes[ev->jumbo];
	if (size->min == OP_SIZE_NONE)
		return event_error(emu, ERR_PAYLOAD, ev->jumbo ? "the event must not be a jumbo event" : "the event must be a jumbo event");
	return event_error(emu, ERR_PAYLOAD, "the payload has %" PRIu32 " bytes, but the event needs %s%" PRIu32,
		ev->size, size->more == 0 ? "" : "at least ", size->min);
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

int
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

int
refuse_value(struct emu *emu, int rc, uint32_t col, int64_t value)
{
	const struct col *k = &emu->plan->cols[col];
	if ((rc == -ERR_STACK_EMPTY || rc == -ERR_STACK_MISMATCH) && emu_is_of_ring(emu)) {
		struct place at = event_place(emu);
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
