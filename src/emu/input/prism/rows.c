/* SPDX-License-Identifier: MIT */
/* rows: the threads of Prism streams, in the order in which they appear: stream by
 * stream in files that can be read twice, else as they come. */
#include "parts.h"

#include <inttypes.h>

enum {
	LOOK_UP = 1 << 16, /* events between two looks at signals */
};

/* Fills the row of a thread. */
static int
fill_row(struct prism *p, const struct prism_thread *t)
{
	struct arena *a = &p->trace->arena;
	const char *label = p->many ? arena_printf(a, "thread %d.%" PRIu32, (int)t->process, t->id) : arena_printf(a, "thread %" PRIu32, t->id);
	p->rows[t->number] = (struct trace_thread){ .pid = (int)t->process, .tid = (int)t->id, .label = label };
	return label ? 0 : diag_no_memory(p->trace->diag);
}

int
prism_row(struct prism *p, const struct prism_thread *t)
{
	struct trace *trace = p->trace;
	if (trace->npids == 0)
		return diag_error(trace->diag, ERR_PRISM, NULL, "thread %" PRIu32 " was not there when the threads were looked for: has a file changed since?", t->id);
	if (trace->nreserved == 0)
		return diag_error(trace->diag, ERR_PRISM, NULL,
			"there is no row left for thread %" PRIu32 ": %zu are in use\n"
			"hint: --prism-threads gives live input more",
			t->id, trace->nthreads);
	int rc = fill_row(p, t);
	if (rc < 0)
		return rc;
	trace->nthreads++;
	trace->nreserved--;
	return trace->late ? trace->late(trace->live_arg, t->number) : 0;
}

/* ---- Looking ahead. ---- */

/* Adds a thread if it is new. */
static int
need(struct prism *p, uint32_t n, enum prismthreads_how how, uint64_t id)
{
	struct prism_threads *ts = &p->threads;
	if (!prismthreads_get(ts, (uint32_t)p->streams[n].source->process, how, id))
		return diag_no_memory(p->trace->diag);
	return ts->n <= PRISM_THREADS_MAX ? 0 : diag_error(p->trace->diag, ERR_PRISM, NULL, "there are more than %d threads", PRISM_THREADS_MAX);
}

/* Finds the thread that an event belongs to, or selects. 1, 0: a strict reader stops here,
 * <0. */
static int
scan_event(struct prism *p, uint32_t n, bool *has_thread)
{
	uint64_t id;
	enum prismthreads_how how = prismthreads_how(&p->streams[n].file.rec.ev, *has_thread, &id);
	if (how == PRISM_NOBODY || how == PRISM_SAME)
		return 1;
	if (how == PRISM_BY_BAD_ID && !p->options->lenient)
		return 0;
	*has_thread = true;
	int rc = need(p, n, how, how == PRISM_BY_STREAM ? n : id);
	return rc < 0 ? rc : 1;
}

/* Skips events of the thread that runs already. Returns how many. */
static uint64_t
skip(struct prism_stream *s)
{
	size_t used;
	struct reader *r = s->file.bytes;
	uint64_t n = prismread_skip(&s->file.in, r->p, (size_t)(r->end - r->p), &used);
	r->p += used;
	return n;
}

/* Scans a stream silently: its errors are reported when it is read again. */
static int
scan(struct prism *p, uint32_t n, uint64_t *events)
{
	struct prism_stream *s = &p->streams[n];
	const volatile sig_atomic_t *stop = p->trace->options.stop;
	struct prism_got got;
	bool has_thread = s->source->first_thread != 0;
	int rc = prismlive_open(p, n);
	if (rc == 0 && has_thread)
		rc = need(p, n, PRISM_BY_ID, s->source->first_thread);
	bool stamped = s->source->clock == PRISM_CLOCK_TIMESTAMPS;
	while (rc == 0) {
		uint64_t before = *events;
		*events += has_thread && !stamped ? skip(s) : 0;
		if ((rc = prismfile_next(&s->file, &got)) <= 0)
			break;
		int timed = stamped ? prismclock_take(&s->file.time, &s->file.rec.ev) : PRISM_OK;
		if (timed == PRISM_PT01)
			break;
		rc = timed < 0 ? timed : scan_event(p, n, &has_thread);
		if (++*events / LOOK_UP != before / LOOK_UP && stop && *stop)
			rc = -ERR_INTERRUPTED;
		if (rc == 0)
			break;
		rc = rc > 0 ? 0 : rc;
	}
	prismlive_close(p, n);
	return rc < 0 ? rc : 0;
}

/* Rows for threads that come while it runs, and all processes that they may be of. */
static int
reserve(struct prism *p)
{
	struct trace *t = p->trace;
	int *pids = arena_new(&t->arena, int, p->nstreams);
	if (!pids)
		return diag_no_memory(t->diag);
	for (uint32_t i = 0; i < p->nstreams; i++)
		pids[i] = p->streams[i].source->process;
	t->nreserved = p->options->threads ? p->options->threads : PRISM_ROWS;
	t->pids = pids;
	t->npids = p->nstreams;
	return 0;
}

/* Rows for the threads that were found, and those that were reserved. */
static int
make_rows(struct prism *p)
{
	struct trace *t = p->trace;
	p->rows = arena_new(&t->arena, struct trace_thread, p->threads.n + t->nreserved);
	if (!p->rows || !prismthreads_settle(&p->threads))
		return diag_no_memory(t->diag);
	int rc = 0;
	for (; t->nthreads < p->threads.n && rc == 0; t->nthreads++)
		rc = fill_row(p, p->threads.list[t->nthreads]);
	t->threads = p->rows;
	return rc;
}

int
prismrows_need_one(struct prism *p)
{
	int rc = need(p, 0, PRISM_BY_STREAM, 0);
	return rc == 0 && p->trace->threads ? prism_row(p, p->threads.list[0]) : rc;
}

int
prismrows_find(struct prism *p)
{
	struct trace *t = p->trace;
	uint64_t events = 0;
	int rc = 0;
	for (uint32_t i = 1; i < p->nstreams; i++)
		p->many = p->many || p->streams[i].source->process != p->streams[0].source->process;
	for (uint32_t i = 0; i < p->nstreams && rc == 0; i++)
		rc = p->streams[i].source->live ? 0 : scan(p, i, &events);
	if (rc == 0 && p->live)
		rc = reserve(p);
	else if (rc == 0 && p->threads.n == 0)
		rc = prismrows_need_one(p);
	if (rc == 0)
		rc = make_rows(p);
	p->events = p->shown ? p->options->events : PRISM_EVENTS_NONE;
	if (rc == 0 && p->events == PRISM_EVENTS_AUTO) {
		p->events = events > PRISM_EVENTS_MANY ? PRISM_EVENTS_SYNC : PRISM_EVENTS_ALL;
		if (p->events == PRISM_EVENTS_SYNC)
			diag_info(t->diag, "more than %d events: the timelines of memory, compute and control flow (types 420 to 424) are left out\n"
					   "hint: --prism-events=all writes them",
				PRISM_EVENTS_MANY);
	}
	return rc;
}
