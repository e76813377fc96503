/* SPDX-License-Identifier: MIT */
/* rows: the threads of Prism streams, in the order in which they appear: stream by
 * stream in files that can be read twice, else as they come. */
#include "parts.h"

#include "idmap.h"

#include <inttypes.h>

enum {
	LOOK_UP = 1 << 16, /* events between two looks at signals */
};

/* Ids of a process that stand for those that no thread can have. */
struct fresh {
	struct idmap ids;
	uint32_t next;
};

struct prism_rows {
	struct idmap by_id; /* process, id -> number of its row */
	struct idmap fresh; /* process -> struct fresh */
	struct trace_thread *threads;
	size_t cap;
	bool many; /* processes */
	uint64_t events;
};

/* Maps a key to a number. Returns 0, or -1 when memory is exhausted. */
static int
add_number(struct idmap *m, struct arena *a, uint64_t key, uint32_t number)
{
	uint32_t *n = arena_new(a, uint32_t, 1);
	if (!n)
		return -1;
	*n = number;
	return idmap_add(m, a, key, n);
}

static uint64_t
key_of(int process, uint32_t id)
{
	return (uint64_t)(uint32_t)process << 32 | id;
}

static const char *
label_of(struct prism *p, int process, uint32_t id)
{
	struct arena *a = &p->trace->arena;
	return p->rows->many ? arena_printf(a, "thread %d.%" PRIu32, process, id) : arena_printf(a, "thread %" PRIu32, id);
}

/* A row that is not there yet. While the threads are looked for the array grows, then rows
 * are what was reserved. */
static uint32_t
add(struct prism *p, int process, uint32_t id)
{
	struct trace *t = p->trace;
	struct prism_rows *r = p->rows;
	if (t->threads && t->npids == 0) {
		(void)diag_error(t->diag, ERR_PRISM, NULL, "thread %" PRIu32 " was not there when the threads were looked for: has a file changed since?", id);
		return PRISM_NO_ROW;
	}
	if (t->threads && t->nreserved == 0) {
		(void)diag_error(t->diag, ERR_PRISM, NULL,
			"there is no row left for thread %" PRIu32 ": %zu are in use\n"
			"hint: --prism-threads gives live input more",
			id, t->nthreads);
		return PRISM_NO_ROW;
	}
	if (t->nthreads == PRISM_THREADS_MAX) {
		(void)diag_error(t->diag, ERR_PRISM, NULL, "there are more than %d threads", PRISM_THREADS_MAX);
		return PRISM_NO_ROW;
	}
	struct trace_thread *th = t->threads ? r->threads : arena_grow(&t->arena, r->threads, t->nthreads, &r->cap, sizeof(*th));
	const char *label = label_of(p, process, id);
	uint32_t row = (uint32_t)t->nthreads;
	if (!th || !label || add_number(&r->by_id, &t->arena, key_of(process, id), row) < 0) {
		(void)diag_no_memory(t->diag);
		return PRISM_NO_ROW;
	}
	r->threads = th;
	th[t->nthreads++] = (struct trace_thread){ .pid = process, .tid = (int)id, .label = label };
	if (!t->threads)
		return row;
	t->nreserved--;
	return t->late && t->late(t->live_arg, row) < 0 ? PRISM_NO_ROW : row;
}

uint32_t
prism_row(struct prism *p, int process, uint32_t id)
{
	const uint32_t *known = idmap_find(&p->rows->by_id, key_of(process, id));
	return known ? *known : add(p, process, id);
}

uint32_t
prism_fresh(struct prism *p, int process, uint64_t id)
{
	struct prism_rows *r = p->rows;
	struct arena *a = &p->trace->arena;
	struct fresh *f = idmap_find(&r->fresh, (uint64_t)process);
	if (!f) {
		f = arena_new(a, struct fresh, 1);
		if (f)
			f->next = PRISM_FRESH;
		if (!f || idmap_add(&r->fresh, a, (uint64_t)process, f) < 0)
			f = NULL;
	}
	const uint32_t *known = f ? idmap_find(&f->ids, id) : NULL;
	if (known)
		return *known;
	while (f && f->next < INT32_MAX && idmap_find(&r->by_id, key_of(process, f->next)))
		f->next++;
	if (f && add_number(&f->ids, a, id, f->next) == 0)
		return f->next++;
	(void)diag_no_memory(p->trace->diag);
	return 0;
}

/* ---- Looking ahead. ---- */

/* The thread that an event is of, or selects. 1, 0 a strict reader stops here, <0. */
static int
scan_event(struct prism *p, uint32_t n, bool *has_thread)
{
	const struct prism_stream *s = &p->streams[n];
	int process = s->source.process;
	uint32_t tid = PRISM_NO_THREAD + n;
	uint64_t id;
	if (s->ev.kind == PRISM_CFG || s->ev.kind == PRISM_END)
		return 1;
	if (prism_selects(&s->ev, &id)) {
		bool good = prism_is_thread(id);
		if (!good && !p->options->lenient)
			return 0;
		tid = good ? (uint32_t)id : prism_fresh(p, process, id);
	} else if (*has_thread) {
		return 1;
	}
	*has_thread = true;
	return tid != 0 && prism_row(p, process, tid) != PRISM_NO_ROW ? 1 : -ERR_PRISM;
}

/* Without a word: what is wrong is told when it is read again. */
static int
scan(struct prism *p, uint32_t n)
{
	struct prism_stream *s = &p->streams[n];
	const volatile sig_atomic_t *stop = p->trace->options.stop;
	struct prism_got got;
	bool has_thread = s->source.first_thread != 0;
	int rc = prismbytes_open(p, n);
	if (rc == 0 && has_thread && prism_row(p, s->source.process, s->source.first_thread) == PRISM_NO_ROW)
		rc = -ERR_PRISM;
	while (rc == 0 && (rc = prismbytes_next(p, n, &got)) > 0) {
		int timed = s->source.clock == PRISM_CLOCK_TIMESTAMPS ? prismclock_take(&s->time, &s->ev) : PRISM_OK;
		if (timed == PRISM_PT01)
			break;
		rc = timed < 0 ? timed : scan_event(p, n, &has_thread);
		if (++p->rows->events % LOOK_UP == 0 && stop && *stop)
			rc = -ERR_INTERRUPTED;
		if (rc == 0)
			break;
		rc = rc > 0 ? 0 : rc;
	}
	prismbytes_close(p, n);
	return rc < 0 ? rc : 0;
}

/* Rows for threads that come while it runs, and all processes that they may be of. */
static int
reserve(struct prism *p)
{
	struct trace *t = p->trace;
	size_t n = p->options->threads ? p->options->threads : PRISM_ROWS;
	struct trace_thread *th = arena_new(&t->arena, struct trace_thread, t->nthreads + n);
	int *pids = arena_new(&t->arena, int, p->nstreams);
	if (!th || !pids)
		return diag_no_memory(t->diag);
	for (size_t i = 0; i < t->nthreads; i++)
		th[i] = p->rows->threads[i];
	for (uint32_t i = 0; i < p->nstreams; i++)
		pids[i] = p->streams[i].source.process;
	p->rows->threads = th;
	t->nreserved = n;
	t->pids = pids;
	t->npids = p->nstreams;
	return 0;
}

int
prismrows_find(struct prism *p)
{
	struct trace *t = p->trace;
	struct prism_rows *r = p->rows = arena_new(&t->arena, struct prism_rows, 1);
	if (!r)
		return diag_no_memory(t->diag);
	int rc = 0;
	for (uint32_t i = 0; i < p->nstreams; i++)
		r->many = r->many || p->streams[i].source.process != p->streams[0].source.process;
	for (uint32_t i = 0; i < p->nstreams && rc == 0; i++)
		rc = p->streams[i].source.live ? 0 : scan(p, i);
	if (rc == 0 && p->live)
		rc = reserve(p);
	else if (rc == 0 && t->nthreads == 0 && prism_row(p, p->streams[0].source.process, PRISM_NO_THREAD) == PRISM_NO_ROW)
		rc = -ERR_MEMORY;
	t->threads = r->threads;
	p->events = p->options->events;
	if (rc == 0 && p->events == PRISM_EVENTS_AUTO) {
		p->events = r->events > PRISM_EVENTS_MANY ? PRISM_EVENTS_SYNC : PRISM_EVENTS_ALL;
		if (p->events == PRISM_EVENTS_SYNC)
			diag_info(t->diag, "more than %d events: the timelines of memory, compute and control flow (types 420 to 424) are left out\n"
					   "hint: --prism-events=all writes them",
				PRISM_EVENTS_MANY);
	}
	return rc;
}
