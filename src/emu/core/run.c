/* SPDX-License-Identifier: MIT */
#include "run.h"

#include "emu.h"

#include <inttypes.h>
#include <stdio.h>

const struct label thread_states[TH_STATES] = {
	{ TH_UNKNOWN, "Unknown" },
	{ TH_RUNNING, "Running" },
	{ TH_PAUSED, "Paused" },
	{ TH_DEAD, "Dead" },
	{ TH_COOLING, "Cooling" },
	{ TH_WARMING, "Warming" },
};

enum {
	STATE_BITS = NEED_RUNNING | NEED_ACTIVE,
};

static unsigned
bits_of(enum thread_state st)
{
	switch (st) {
	case TH_RUNNING: return NEED_RUNNING | NEED_ACTIVE;
	case TH_COOLING:
	case TH_WARMING: return NEED_ACTIVE;
	default: return 0;
	}
}

/* Puts a thread into a CPU; NO_INDEX: into none. */
static void
set_cpu(struct emu *emu, uint32_t thread, uint32_t cpu)
{
	struct thread_run *t = &emu->threads[thread];
	t->cpu = cpu;
	t->cpu_row = cpu == NO_INDEX ? 0 : emu->first_cpu + cpu;
	t->cpu_printed = &emu->printed[chan_id(&emu->chans, t->cpu_row, 0)];
}

void
run_init(struct emu *emu)
{
	const struct system *sys = &emu->plan->sys;
	for (uint32_t i = 0; i < sys->nthreads; i++) {
		size_t first = chan_id(&emu->chans, i, 0);
		emu->threads[i] = (struct thread_run){
			.has = NEED_THREAD | NEED_IN_CPU | (sys->threads[i].pseudo ? NEED_RUNNING | NEED_ACTIVE : 0),
			.index = i,
			.stacks = &emu->chans.stacks[(size_t)i * emu->chans.nstacks],
			.value = &emu->chans.value[first],
			.printed = &emu->printed[first],
		};
		set_cpu(emu, i, NO_INDEX);
	}
	struct thread_run *none = &emu->threads[sys->nthreads];
	none->index = none->cpu = NO_INDEX;
	for (size_t i = 0; i < emu->plan->trace.nstreams; i++)
		emu->run_of_stream[i] = sys->thread_of_stream[i] == NO_INDEX ? none : &emu->threads[sys->thread_of_stream[i]];
	for (uint32_t i = 0; i < sys->ncpus; i++)
		emu->cpus[i] = (struct cpu_run){ .over_since = -1, .selected = NO_INDEX };
}

/* Notes what the row of a CPU follows, where one thread alone is left, or that it does not. */
static void
follow(struct emu *emu, const struct cpu_run *c, bool follows)
{
	if (c->nrunning == 1) {
		struct thread_run *t = &emu->threads[c->running_sum];
		t->followed = (uint8_t)(follows ? t->followed | NEED_RUNNING : t->followed & ~NEED_RUNNING);
	}
	if (c->nactive == 1) {
		struct thread_run *t = &emu->threads[c->active_sum];
		t->followed = (uint8_t)(follows ? t->followed | NEED_ACTIVE : t->followed & ~NEED_ACTIVE);
	}
}

/* Adds a thread, as it is now, to the counts of its CPU, or takes it out. */
static void
count(struct emu *emu, uint32_t cpu, uint32_t thread, bool add)
{
	struct cpu_run *c = &emu->cpus[cpu];
	unsigned has = emu->threads[thread].has;
	uint32_t one = add ? 1u : UINT32_MAX;
	uint64_t index = add ? thread : (uint64_t)0 - thread;
	follow(emu, c, false);
	if (has & NEED_RUNNING) {
		c->nrunning += one;
		c->running_sum += index;
	}
	if (has & NEED_ACTIVE) {
		c->nactive += one;
		c->active_sum += index;
	}
	follow(emu, c, true);
}

void
run_settle(struct emu *emu, uint32_t cpu)
{
	struct cpu_run *c = &emu->cpus[cpu];
	if (c->over_since >= 0 && c->over_since < emu->time) /* a part that is stopped may be ahead */
		c->over_time += emu->time - c->over_since;
	c->over_since = -1;
}

void
run_forget_over(struct emu *emu, uint32_t cpu)
{
	struct cpu_run *c = &emu->cpus[cpu];
	bool now = c->over_since >= 0;
	c->over_since = now ? emu->time : -1;
	c->over_count = now;
	c->over_time = 0;
}

/* Writes the base channels of a CPU after its threads have changed. */
static int
update_cpu(struct emu *emu, uint32_t cpu)
{
	struct cpu_run *c = &emu->cpus[cpu];
	struct chans *ch = &emu->chans;
	uint32_t row = emu->first_cpu + cpu;
	bool compat = emu->compat;
	int64_t tid = CHAN_NULL;
	int64_t pid = CHAN_NULL;
	uint32_t select = NO_INDEX;
	if (c->nrunning == 1) {
		const struct thread *th = &emu->plan->sys.threads[c->running_sum];
		tid = th->tid;
		pid = emu->plan->sys.procs[th->proc].pid;
		select = (uint32_t)c->running_sum;
	} else if (c->nrunning > 1) {
		if (compat && emu->plan->sys.cpus[cpu].index >= 0)
			return event_error(emu, ERR_CPU_BUSY,
				"%s is a physical CPU and has %u threads running at the same time\n"
				"hint: without --compat it is shown as an error state and the run goes on",
				emu->plan->sys.cpus[cpu].label + 1, c->nrunning);
		if (!compat)
			tid = pid = ST_TOO_MANY_TH;
	}
	if (c->nrunning > 1 && c->over_since < 0) {
		c->over_since = emu->time;
		c->over_count++;
	} else if (c->nrunning <= 1) {
		run_settle(emu, cpu);
	}
	chan_put(ch, row, COL_RUN_TID, tid);
	chan_put(ch, row, COL_RUN_PID, pid);
	/* The row follows the selected thread; in the default view it depends on the counts, too. */
	if (!compat || select != c->selected)
		chan_touch_row(ch, row);
	c->selected = select;
	chan_put(ch, row, COL_NRUNNING, c->nrunning);
	return 0;
}

static void
set_state(struct emu *emu, uint32_t thread, enum thread_state st)
{
	struct thread_run *t = &emu->threads[thread];
	t->has = (uint8_t)((t->has & ~(unsigned)STATE_BITS) | bits_of(st));
	if (t->state != st)
		chan_touch_row(&emu->chans, thread);
	t->state = (uint8_t)st;
	chan_put(&emu->chans, thread, COL_STATE, st);
	chan_put(&emu->chans, thread, COL_TID, t->has & NEED_ACTIVE ? emu->plan->sys.threads[thread].tid : CHAN_NULL);
}

/* "Running or Cooling", of a set of states. */
static const char *
name_states(unsigned set, char *buf, size_t size)
{
	size_t n = 0;
	buf[0] = 0;
	for (int i = 0; i < TH_STATES; i++)
		if (set & (1u << i) && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " or " : "", thread_states[i].text);
	return buf;
}

static int
require_state(struct emu *emu, unsigned allowed, const char *verb)
{
	if (emu->shut)
		return emu_refuse_change(emu);
	enum thread_state st = emu->threads[emu->thread].state;
	if (allowed & (1u << st))
		return 0;
	char names[64];
	return event_error(emu, ERR_THREAD_STATE, "thread %d cannot %s while it is %s\nallowed states: %s",
		emu->plan->sys.threads[emu->thread].tid, verb, thread_states[st].text, name_states(allowed, names, sizeof(names)));
}

/* A change of state of a thread that keeps its CPU. */
static int
change(struct emu *emu, unsigned from, enum thread_state to, const char *verb)
{
	int rc = require_state(emu, from, verb);
	if (rc < 0)
		return rc;
	uint32_t th = emu->thread;
	uint32_t cpu = emu->threads[th].cpu;
	count(emu, cpu, th, false);
	set_state(emu, th, to);
	count(emu, cpu, th, true);
	return update_cpu(emu, cpu);
}

int
run_execute(struct emu *emu, uint32_t cpu)
{
	int rc = require_state(emu, 1u << TH_UNKNOWN | 1u << TH_DEAD, "execute");
	if (rc < 0)
		return rc;
	uint32_t th = emu->thread;
	set_cpu(emu, th, cpu);
	chan_put(&emu->chans, th, COL_CPU, (int64_t)cpu + 1);
	set_state(emu, th, TH_RUNNING);
	count(emu, cpu, th, true);
	return update_cpu(emu, cpu);
}

int
run_create(struct emu *emu, uint32_t cpu)
{
	int rc = require_state(emu, 1u << TH_UNKNOWN, "be created");
	if (rc < 0)
		return rc;
	set_cpu(emu, emu->thread, cpu);
	chan_put(&emu->chans, emu->thread, COL_CPU, (int64_t)cpu + 1);
	set_state(emu, emu->thread, TH_PAUSED);
	return 0;
}

int
run_kill(struct emu *emu)
{
	if (emu->shut)
		return emu_refuse_change(emu);
	uint32_t th = emu->thread;
	uint32_t cpu = emu->threads[th].cpu;
	count(emu, cpu, th, false);
	set_state(emu, th, TH_DEAD);
	int rc = update_cpu(emu, cpu);
	if (rc < 0)
		return rc;
	set_cpu(emu, th, NO_INDEX);
	chan_put(&emu->chans, th, COL_CPU, CHAN_NULL);
	return 0;
}

int
run_end(struct emu *emu)
{
	int rc = require_state(emu, 1u << TH_RUNNING | 1u << TH_COOLING, "end");
	return rc < 0 ? rc : run_kill(emu);
}

int
run_pause(struct emu *emu)
{
	return change(emu, 1u << TH_RUNNING | 1u << TH_COOLING, TH_PAUSED, "pause");
}

int
run_resume(struct emu *emu)
{
	return change(emu, 1u << TH_PAUSED | 1u << TH_WARMING, TH_RUNNING, "resume");
}

int
run_cool(struct emu *emu)
{
	return change(emu, 1u << TH_RUNNING, TH_COOLING, "cool");
}

int
run_warm(struct emu *emu)
{
	return change(emu, 1u << TH_PAUSED, TH_WARMING, "warm");
}

int
run_migrate(struct emu *emu, uint32_t thread, uint32_t cpu)
{
	if (emu->shut)
		return emu_refuse_change(emu);
	uint32_t old = emu->threads[thread].cpu;
	count(emu, old, thread, false);
	int rc = update_cpu(emu, old);
	if (rc < 0)
		return rc;
	count(emu, cpu, thread, true);
	set_cpu(emu, thread, cpu);
	rc = update_cpu(emu, cpu);
	if (rc < 0)
		return rc;
	chan_put(&emu->chans, thread, COL_CPU, (int64_t)cpu + 1);
	return 0;
}

void
run_set_in_cpu(struct emu *emu, bool in)
{
	if (emu->shut) {
		(void)emu_refuse_change(emu);
		return;
	}
	struct thread_run *t = &emu->threads[emu->thread];
	t->has = (uint8_t)(in ? t->has | NEED_IN_CPU : t->has & ~(unsigned)NEED_IN_CPU);
}
