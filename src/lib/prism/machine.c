/* SPDX-License-Identifier: MIT */
#include "prism_machine.h"

#include "names.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

struct prism_tables {
	struct prismtable names;
	struct prismtable locks; /* struct lock_key -> struct prism_lock */
	struct prismtable held;  /* struct lock_key -> struct held */
};

/* A mutex and a spin lock with one object are two locks. No padding: keys are compared as
 * bytes. */
struct lock_key {
	uint64_t object;
	uint32_t spin;
	uint32_t thread; /* in the table of held locks: number of the thread; else 0 */
};

/* A lock that a thread has taken at least once. */
struct held {
	struct prism_lock *lock;
	uint64_t n; /* how often the thread holds it now */
};

/* ---- Begin and end. ---- */

int
prismmachine_begin_with(struct prism_machine *m, uint32_t n, bool lenient, struct prism_threads *threads)
{
	*m = (struct prism_machine){ .ncores = n, .threads = threads, .lenient = lenient, .own_threads = !threads };
	m->cores = calloc(n ? n : 1, sizeof(*m->cores));
	m->tables = calloc(1, sizeof(*m->tables));
	if (!threads)
		m->threads = calloc(1, sizeof(*m->threads));
	if (!m->cores || !m->tables || !m->threads)
		return -PRISM_E_MEMORY;
	m->tables->locks.size = sizeof(struct prism_lock);
	m->tables->held.size = sizeof(struct held);
	for (uint32_t i = 0; i < n; i++) {
		m->cores[i].number = i;
		prism_machine_stream(m, i, 1, NULL);
	}
	return 0;
}

int
prism_machine_begin(struct prism_machine *m, uint32_t n, bool lenient)
{
	return prismmachine_begin_with(m, n, lenient, NULL);
}

void
prism_machine_stream(struct prism_machine *m, uint32_t stream, uint32_t process, const struct prism_settings *settings)
{
	struct prism_state st;
	prism_begin(&st, settings);
	memcpy(m->cores[stream].detail, st.detail, sizeof(st.detail));
	m->cores[stream].process = process;
}

void
prism_machine_finish(struct prism_machine *m)
{
	for (uint32_t i = 0; m->cores && i < m->ncores; i++)
		prismtotal_finish(&m->cores[i].total);
	free(m->cores);
	if (m->threads && m->own_threads)
		prismthreads_finish(m->threads);
	if (m->own_threads)
		free(m->threads);
	if (m->tables) {
		prismtable_finish(&m->tables->names);
		prismtable_finish(&m->tables->locks);
		prismtable_finish(&m->tables->held);
	}
	free(m->tables);
	*m = (struct prism_machine){ 0 };
}

uint32_t
prism_machine_nthreads(const struct prism_machine *m)
{
	return m->threads->n;
}

struct prism_thread *
prism_machine_thread(const struct prism_machine *m, uint32_t number)
{
	return m->threads->list[number];
}

/* Notes an issue of the event. Returns 0 if work goes on (lenient, or a warning), else
 * -code. */
static int
raise_issue(const struct prism_machine *m, struct prism_step *step, int code)
{
	step->issues |= 1U << code;
	return m->lenient || prism_code_warns(code) ? 0 : -code;
}

/* ---- Threads. ---- */

/* Switches a stream to a thread. */
static int
switch_to(const struct prism_machine *m, struct prism_core *core, struct prism_thread *t, struct prism_step *step)
{
	struct prism_thread *old = core->thread;
	step->thread = t;
	if (old == t && t->on == core)
		return 0;
	if (t->on && t->on != core) {
		step->from = t->on;
		int rc = raise_issue(m, step, PRISM_PM04);
		if (rc < 0)
			return rc;
	}
	if (old && old->on == core) {
		old->on = NULL;
		step->paused = old;
	}
	core->thread = t;
	t->on = core;
	t->last = core;
	step->switched = true;
	return 0;
}

static int
run(const struct prism_machine *m, struct prism_core *core, enum prismthreads_how how, uint64_t id, struct prism_step *step)
{
	uint32_t n = m->threads->n;
	struct prism_thread *t = prismthreads_get(m->threads, core->process, how, id);
	step->is_new = m->threads->n > n;
	return t ? switch_to(m, core, t, step) : -PRISM_E_MEMORY;
}

/* Finds the thread of an event, and runs it. */
static int
find_thread(const struct prism_machine *m, struct prism_core *core, const struct prism_event *ev, struct prism_step *step)
{
	uint64_t id;
	enum prismthreads_how how = prismthreads_how(ev, core->thread, &id);
	int rc = 0;
	if (how == PRISM_NOBODY)
		return 0;
	step->selects = how == PRISM_BY_ID || how == PRISM_BY_BAD_ID;
	step->thread = core->thread;
	if (how == PRISM_SAME)
		return 0;
	if (how == PRISM_BY_BAD_ID)
		rc = raise_issue(m, step, PRISM_PM05);
	return rc < 0 ? rc : run(m, core, how, how == PRISM_BY_STREAM ? core->number : id, step);
}

int
prism_machine_start(struct prism_machine *m, uint32_t stream, uint32_t id, struct prism_step *step)
{
	*step = (struct prism_step){ 0 };
	return run(m, &m->cores[stream], PRISM_BY_ID, id, step);
}

void
prism_machine_end(struct prism_thread *t)
{
	t->on = NULL;
	t->last = NULL;
}

/* ---- Synchronization. ---- */

/* A lock whose object is not shown is only counted. */
static int
lock(struct prism_tables *x, struct prism_thread *t, bool spin, const struct prism_sync *s, struct prism_step *step)
{
	t->held++;
	if (!s->nargs) {
		t->unnamed++;
		return 0;
	}
	struct lock_key key = { s->arg[0], spin, t->number };
	struct held *h = prismtable_get(&x->held, &key, sizeof(key));
	key.thread = 0;
	if (h && !h->lock)
		h->lock = prismtable_get(&x->locks, &key, sizeof(key));
	if (!h || !h->lock)
		return -PRISM_E_MEMORY;
	h->n++;
	h->lock->object = s->arg[0];
	h->lock->owner = t;
	h->lock->acquisitions++;
	step->lock = h->lock;
	return 0;
}

/* Releases a lock. One whose object is not shown may be any of those held. */
static int
unlock(const struct prism_machine *m, struct prism_thread *t, bool spin, const struct prism_sync *s, struct prism_step *step)
{
	const struct lock_key key = { s->arg[0], spin, t->number };
	struct held *h = s->nargs ? prismtable_find(&m->tables->held, &key, sizeof(key)) : NULL;
	if (h && h->n) {
		step->lock = h->lock;
		step->released = --h->n == 0 && h->lock->owner == t;
		if (step->released)
			h->lock->owner = NULL;
	} else if (t->unnamed) {
		t->unnamed--;
	} else if (s->nargs || !t->held) {
		return raise_issue(m, step, PRISM_PM03);
	}
	t->held -= t->held != 0;
	return 0;
}

static int
take_sync(const struct prism_machine *m, struct prism_thread *t, const struct prism_sync *s, struct prism_step *step)
{
	switch (s->type) { /* 0, or above the last: unknown */
	case PRISM_CREATE: t->children++; return 0;
	case PRISM_JOIN:
	case PRISM_BARRIER: t->waiting = s->type; return 0;
	case PRISM_LOCK:
	case PRISM_SPIN_LOCK: return lock(m->tables, t, s->type == PRISM_SPIN_LOCK, s, step);
	case PRISM_UNLOCK:
	case PRISM_SPIN_UNLOCK: return unlock(m, t, s->type == PRISM_SPIN_UNLOCK, s, step);
	default: return 0;
	}
}

/* ---- Contexts. ---- */

static int
enter(const struct prism_machine *m, struct prism_stack *k, struct prism_step *step)
{
	step->changed = true;
	if (k->deeper || k->n == PRISM_DEPTH_MAX) {
		k->deeper++;
		return raise_issue(m, step, PRISM_PM06);
	}
	if (k->n == k->cap) {
		uint32_t cap = k->cap ? k->cap * 2 : 8;
		struct prism_frame *frames = realloc(k->frames, cap * sizeof(*frames));
		if (!frames)
			return -PRISM_E_MEMORY;
		k->frames = frames;
		k->cap = cap;
	}
	k->frames[k->n++] = (struct prism_frame){ .name = step->name };
	step->pushed = true;
	return 0;
}

/* Pops frames down to the nearest one of that name, if there is one. */
static int
leave(const struct prism_machine *m, struct prism_stack *k, struct prism_step *step)
{
	const struct prism_name *name = step->name;
	uint32_t at = k->n;
	if (k->deeper) {
		k->deeper--;
		step->changed = true;
		return 0;
	}
	if (k->n == 0)
		return raise_issue(m, step, PRISM_PM01);
	struct prism_name *top = k->frames[k->n - 1].name;
	/* An unnamed frame matches any name, and an exit without a name any frame. */
	if (name && top && name != top) {
		step->top = top;
		int rc = raise_issue(m, step, PRISM_PM02);
		if (rc < 0)
			return rc;
		while (at > 0 && k->frames[at - 1].name != name)
			at--;
		if (at == 0)
			return 0;
	}
	step->popped = k->n - (at - 1);
	step->changed = true;
	k->n = at - 1;
	return 0;
}

static int
take_cxt(const struct prism_machine *m, const struct prism_cxt *c, struct prism_step *step)
{
	if (!prism_cxt_is_named(c->type))
		return 0;
	if (c->has & PRISM_HAS_NAME && !(step->name = prismnames_get(&m->tables->names, c->name, c->name_len)))
		return -PRISM_E_MEMORY;
	step->stack = &step->thread->stacks[prism_stack_of(c->type)];
	return prism_cxt_enters(c->type) ? enter(m, step->stack, step) : leave(m, step->stack, step);
}

/* ---- Events. ---- */

/* A lenient reader passes a synchronization of a type that does not exist. */
static bool
is_unknown(const struct prism_event *ev)
{
	return ev->issues & 1U << PRISM_PB11;
}

static int
count(struct prism_total *t, const struct prism_event *ev)
{
	t->active = true;
	switch (ev->kind) {
	case PRISM_MEM: return prismtotal_mem(t, &ev->mem);
	case PRISM_COMP: prismtotal_comp(t, &ev->comp); return 0;
	case PRISM_SYNC: t->n[PRISM_TOTAL_SYNCS] += ev->sync.type != PRISM_SWAP && !is_unknown(ev); return 0;
	case PRISM_CXT: t->n[PRISM_TOTAL_INSNS] += ev->cxt.type == PRISM_INSN; return 0;
	default: return 0;
	}
}

/* Whether the event ends the wait of its thread: a switch only tells that others ran
 * meanwhile. */
static bool
wakes(const struct prism_event *ev)
{
	if (ev->kind == PRISM_SYNC)
		return ev->sync.type != PRISM_SWAP && !is_unknown(ev);
	return ev->kind != PRISM_CXT || ev->cxt.type != PRISM_THREAD;
}

int
prism_machine_step(struct prism_machine *m, uint32_t stream, const struct prism_event *ev, struct prism_step *step)
{
	struct prism_core *core = &m->cores[stream];
	*step = (struct prism_step){ 0 };
	if (ev->kind == PRISM_CFG && ev->cfg.target < PRISM_KINDS)
		core->detail[ev->cfg.target] = ev->cfg.after;
	int rc = find_thread(m, core, ev, step);
	struct prism_thread *t = step->thread;
	if (rc < 0 || !t)
		return rc;
	step->held = t->held;
	step->woke = t->waiting && wakes(ev);
	if (step->woke)
		t->waiting = 0;
	if (!m->no_totals && (count(&t->total, ev) | count(&core->total, ev)) < 0)
		return -PRISM_E_MEMORY;
	if (ev->kind == PRISM_SYNC)
		return take_sync(m, t, &ev->sync, step);
	return ev->kind == PRISM_CXT ? take_cxt(m, &ev->cxt, step) : 0;
}
