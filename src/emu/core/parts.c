/* SPDX-License-Identifier: MIT */
#include "parts.h"

#include "emu.h"
#include "part.h"
#include "team.h"

#include <string.h>

enum {
	PARTS_MAX = 64,
	PARTS_OF_TEAM = 1 << COLLATE_PART_BITS,
	THREADS_MIN = 3,       /* two have enough to do without: one emulates, the other makes lines of it */
	PARTS_OF_THREAD = 4,   /* more parts than threads keep all busy until the end of a slice, */
	RECORDS_ALL = 1 << 16, /* but each has room for some of all records */
	RECORDS_MIN = 1 << 10,
	RECORDS_MAX = 1 << 13,
};

/* ---- Which parts there are. ---- */

static uint32_t
loom_of(const struct system *sys, size_t rank)
{
	uint32_t th = sys->thread_of_stream[rank];
	return th == NO_INDEX ? NO_INDEX : sys->procs[sys->threads[th].proc].loom;
}

/* Whether an operation may change labels of columns, which all looms have. */
static bool
gives_labels(const struct op *op)
{
	unsigned kind = op->kind >= OP_ROW ? op->kind - OP_ROW : op->kind;
	bool has_arg = kind != OP_HOOK && kind >= OP_SET_ARG && kind != OP_ADD && kind != OP_IGNORE;
	return kind == OP_LABEL || (has_arg && op->arg.type == SIG_STR);
}

static bool
is_ours(const struct plan *plan, size_t model)
{
	return strcmp(plan->options.models->items[model].owner, MODELSET_OURS) == 0;
}

/* Whether an event calls code of the user, which may keep anything. */
static bool
calls_users(const struct plan *plan, const struct op *op)
{
	bool calls = op->kind == OP_HOOK && !is_ours(plan, op->model);
	for (const struct phase_hook *h = op->phases ? op->phases->first : NULL; h && h < op->phases->end; h++)
		calls = calls || !is_ours(plan, h->model);
	return calls;
}

/* Whether the looms have nothing to do with each other. */
static bool
may_divide(const struct emu *emu)
{
	const struct plan *plan = emu->plan;
	const struct emu_options *o = &plan->options;
	bool may = emu->merge.rounds && !o->compat && emu->learned && !emu->learned->whole && !plan->rows.number[OF_SYSTEM];
	for (size_t i = 0; i < plan->nmodels; i++)
		if (plan->models[i].enabled)
			may = may && !plan->models[i].model->finish && (is_ours(plan, i) || !plan->models[i].model->connect);
	for (uint16_t i = 1; i < plan->dispatch.nops; i++)
		may = may && !gives_labels(&plan->dispatch.ops[i]) && !calls_users(plan, &plan->dispatch.ops[i]);
	return may;
}

/* Finds where parts end: behind the streams of whole looms, where about as many bytes are read as by the other parts. Streams
 * that are of no loom go with those before them. Returns how many there are. */
static uint32_t
divide(struct emu *emu, uint32_t most, uint32_t *ends)
{
	const struct plan *plan = emu->plan;
	const struct system *sys = &plan->sys;
	struct arena *a = &emu->making->arena;
	uint32_t *last = arena_new(a, uint32_t, sys->nlooms); /* stream of each loom */
	uint32_t nstreams = (uint32_t)plan->trace.nstreams;
	uint64_t bytes = 0, all = 0;
	uint32_t open = 0; /* streams up to that one are of looms that have begun */
	uint32_t n = 0;
	for (uint32_t i = 0; last && i < nstreams; i++) {
		all += plan->trace.streams[i].in.file_size;
		if (loom_of(sys, i) != NO_INDEX)
			last[loom_of(sys, i)] = i;
	}
	for (uint32_t i = 0; last && i + 1 < nstreams; i++) {
		uint32_t loom = loom_of(sys, i);
		open = loom != NO_INDEX && last[loom] > open ? last[loom] : open;
		bytes += plan->trace.streams[i].in.file_size;
		if (i >= open && loom_of(sys, i + 1) != NO_INDEX && n + 1 < most && bytes * most >= all * (n + 1))
			ends[n++] = i + 1;
	}
	ends[n++] = nstreams;
	return last ? n : 1;
}

/* ---- Life. ---- */

/* Counts that so many parts are emulated at the same time, and what the thread that emulates has left to do for itself. Returns the
 * stage of parts; NULL: nobody asks. */
static struct stage *
count_parts(const struct emu *emu, uint32_t n)
{
	struct stats *s = emu->plan->options.stats;
	if (!s)
		return NULL;
	struct stage *g = &s->stages[STAGE_EMULATE];
	g->at_once = n;
	g->most = !may_divide(emu) ? 1 : emu->plan->sys.nlooms < PARTS_MAX ? emu->plan->sys.nlooms
									   : PARTS_MAX;
	if (n > 1)
		crew_turn_to(flow_crew(emu->feed.flow), &s->stages[STAGE_DIVIDE]);
	return g;
}

bool
parts_suit_team(const struct emu *emu)
{
	const struct emu_options *o = &emu->plan->options;
	return o->outputs && may_divide(emu) && !cut_is_asked(emu) && !o->rows && !o->types && !o->lint && !(o->outputs & OUTPUT_PERFETTO);
}

/* How many parts are enough. */
static uint32_t
count_most(const struct emu_options *o)
{
	uint32_t most = o->threads >= THREADS_MIN ? o->threads * PARTS_OF_THREAD : 1;
	most = o->parts ? o->parts : o->team ? team_count_parts(o, most)
					     : most;
	uint32_t room = o->team ? PARTS_OF_TEAM : PARTS_MAX;
	return most < room ? most : room;
}

static int
open_part(struct parts *m, uint32_t begin, uint32_t end, struct stage *stage)
{
	uint32_t i = m->n++;
	struct part *p = m->part[i] = block_alloc(sizeof(*p));
	if (!p)
		return -ERR_MEMORY;
	p->all = m;
	p->job.stage = stage;
	if (!m->team || team_has_part(m, i))
		return part_open(p, m->emu, begin, end, m->room);
	part_note(p, m->emu, begin, end);
	return 0;
}

int
parts_open(struct emu *emu)
{
	uint32_t ends[PARTS_OF_TEAM];
	const struct emu_options *o = &emu->plan->options;
	uint32_t most = count_most(o);
	bool divides = o->team || (most > 1 && emu->plan->sys.nlooms > 1 && may_divide(emu));
	uint32_t n = divides ? divide(emu, most, ends) : 1;
	struct stage *stage = count_parts(emu, n);
	if (n < 2 && !o->team)
		return 0;
	struct parts *m = emu->parts = block_alloc(sizeof(*m));
	if (!m)
		return diag_no_memory(emu->diag);
	m->emu = emu;
	m->team = o->team;
	m->part = block_alloc(n * sizeof(struct part *));
	size_t room = RECORDS_ALL / (o->team ? (n + o->team->n - 1) / o->team->n : n);
	size_t most_room = o->team ? RECORDS_ALL : RECORDS_MAX; /* who waits for others behind each slice makes longer ones */
	m->room = (uint32_t)(room < RECORDS_MIN ? RECORDS_MIN : room > most_room ? most_room
										 : room);
	m->room = emu->plan->options.part_room ? emu->plan->options.part_room : m->room;
	m->span = 1;
	if (!m->part || gather_init(m, n) < 0)
		return diag_no_memory(emu->diag);
	m->nparts = n;
	int rc = 0;
	if (m->team)
		rc = team_open(m);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = open_part(m, i ? ends[i - 1] : 0, ends[i], stage);
	return rc < 0 ? diag_no_memory(emu->diag) : 0;
}

void
parts_close(struct parts *m)
{
	if (m)
		team_close(m);
	for (uint32_t i = 0; m && i < m->n; i++) {
		if (m->part[i])
			part_close(m->part[i]);
		block_free(m->part[i]);
	}
	if (!m)
		return;
	block_free(m->part);
	gather_finish(m);
	block_free(m);
}
