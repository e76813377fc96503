/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include "input/inputs.h"
#include "parts.h"

#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- Time. ---- */

/* Reports a bad time. 1: it can be used, 0: the stream ends before it (PT01), <0. */
static int
check_time(struct prism *p, uint32_t n, int code)
{
	struct prism_stream *s = &p->streams[n];
	struct place at = prismtell_place(s);
	if (code < 0)
		return code;
	if (code == PRISM_E_VALUE)
		return diag_error(p->trace->diag, ERR_PRISM, &at, "the time does not fit in 63 bits of nanoseconds");
	if (code == PRISM_PT01)
		return 0;
	s->file.rec.ev.issues |= 1U << code;
	int rc = prism_issue(p, n, PRISM_PT02, "the timestamp goes back by %llu ns", (unsigned long long)s->file.time.back);
	return rc < 0 ? rc : 1;
}

/* ---- Events. ---- */

/* The payload of most events is a part of the event itself. */
static const struct {
	uint8_t letter;
	uint8_t size; /* of the payload */
	uint8_t at;   /* of it in struct prism_event */
} shapes[] = {
	[PRISM_MEM] = { 'M', 16, offsetof(struct prism_event, mem) },
	[PRISM_COMP] = { 'C', 14, offsetof(struct prism_event, comp) },
	[PRISM_SYNC] = { 'S', 8, offsetof(struct prism_event, sync.arg) },
	[PRISM_CXT] = { 'X', 8, offsetof(struct prism_event, cxt.id) },
	[PRISM_CF] = { 'F', 1, offsetof(struct prism_event, cf.type) },
	[PRISM_CFG] = { 'G', 3, offsetof(struct prism_event, cfg.target) },
	[PRISM_END] = { 'E', 0, 0 },
};

_Static_assert(offsetof(struct prism_mem, type) == 4 && offsetof(struct prism_mem, id) == 5 &&
		offsetof(struct prism_mem, bytes) == 6 && offsetof(struct prism_mem, addr) == 8,
	"the payload of RM. is another");
_Static_assert(offsetof(struct prism_comp, format) == 4 && offsetof(struct prism_comp, op) == 5 &&
		offsetof(struct prism_comp, bytes) == 6 && offsetof(struct prism_comp, arity) == 8 &&
		offsetof(struct prism_comp, nids) == 9 && offsetof(struct prism_comp, ids) == 10,
	"the payload of RC. is another");
_Static_assert(offsetof(struct prism_cfg, before) == 1 && offsetof(struct prism_cfg, after) == 2, "the payload of RG. is another");

static uint8_t
letter(uint8_t type, uint8_t types)
{
	return (uint8_t)('a' + (type < types ? type : 0));
}

/* The letters of an event, and the size of its payload. */
static void
identify(const struct prism_record *r, struct event *ev)
{
	const struct prism_event *e = &r->ev;
	uint8_t value = '.';
	ev->record = r;
	ev->size = shapes[e->kind].size;
	ev->jumbo = false;
	if (e->kind == PRISM_SYNC) {
		value = letter(e->sync.type, PRISM_SYNCS);
		ev->size += e->sync.type == PRISM_COND_WAIT ? 8 : 0;
	} else if (e->kind == PRISM_CXT) {
		value = letter(e->cxt.type, PRISM_CXTS);
		ev->jumbo = prism_cxt_is_named(e->cxt.type);
		if (ev->jumbo) /* its count, the name, and its end */
			ev->size = 4 + (e->cxt.has & PRISM_HAS_NAME ? e->cxt.name_len : 0) + 1;
	}
	ev->mcv[0] = 'R';
	ev->mcv[1] = shapes[e->kind].letter;
	ev->mcv[2] = value;
}

static void
describe(const struct stream *st, struct event *ev)
{
	const struct prism *p = st->trace->data;
	if (ev->mcv[1] == 'W' || ev->mcv[1] == 'D')
		return;
	struct prism_stream *s = &p->streams[st->rank - 1];
	const struct prism_event *e = &((const struct prism_record *)ev->record)->ev;
	ev->payload = (const uint8_t *)e + shapes[e->kind].at;
	if (!ev->jumbo)
		return;
	uint32_t size = ev->size - 4;
	for (int i = 0; i < 4; i++)
		s->payload[i] = (uint8_t)(size >> 8 * i);
	if (size > 1)
		memcpy(s->payload + 4, e->cxt.name, size - 1);
	s->payload[4 + size - 1] = 0;
	ev->payload = s->payload;
}

/* ---- Streams. ---- */

/* Tells of the end of a stream: why it ended, and timestamps that are left. */
static int
check_end(struct prism *p, uint32_t n, enum prism_code code, uint32_t issues)
{
	static const char torn[] = "the compressed file ends inside a frame";
	struct prism_stream *s = &p->streams[n];
	const struct reader *r = &p->trace->streams[n + 1].in;
	s->file.rec.offset = s->file.in.at;
	s->mcv[0] = 0;
	struct place at = prismtell_place(s);
	int rc = prismtell_issues(p, n, issues);
	if (rc == 0 && code)
		rc = prism_issue(p, n, code, "%s", prism_code_text((int)code));
	if (rc == 0 && r->torn && !p->options->lenient)
		return diag_error(p->trace->diag, ERR_STREAM_TRUNCATED, &at, "%s", torn);
	if (rc == 0 && r->torn)
		diag_warn(p->trace->diag, &at, "%s", torn);
	s->stopped_by = (int)code;
	if (rc < 0 || code)
		return rc;
	rc = prismclock_left(&s->file.time);
	if (rc > 0)
		rc = prism_issue(p, n, PRISM_PT01, "there are more timestamps than events");
	return rc;
}

/* Ends the last interval at the end of all streams, and adds a row if there is none: outputs
 * need one. */
static int
end_trace(struct prism *p)
{
	int64_t last = 0;
	for (uint32_t i = 0; i < p->nstreams; i++) {
		if (p->streams[i].phase != PRISM_ENDED)
			return 0;
		last = (int64_t)p->streams[i].file.rec.clock_ns > last ? (int64_t)p->streams[i].file.rec.clock_ns : last;
	}
	if (p->waiting)
		p->waiting->clock = last;
	bool empty = p->trace->nthreads == 0 && !p->trace->options.events_only;
	return empty ? prismrows_need_one(p) : 0;
}

static int
end_stream(struct prism *p, uint32_t n, struct event *ev, enum prism_code code, uint32_t issues)
{
	struct prism_stream *s = &p->streams[n];
	int rc = check_end(p, n, code, issues);
	if (rc < 0)
		return rc;
	s->phase = PRISM_ENDED;
	if (p->trace->options.events_only || s->file.in.seq == 0 || !s->file.time.known)
		return end_trace(p);
	static const uint8_t mcv[] = { 'R', 'D', '.' };
	s->phase = PRISM_ENDING;
	s->file.rec.seq = s->file.in.seq;
	memcpy(s->mcv, mcv, sizeof(mcv));
	*ev = (struct event){ .clock = (int64_t)s->file.rec.clock_ns, .payload = s->payload, .stream = n + 1, .mcv = { 'R', 'D', '.' } };
	return 1;
}

/* The next event of a stream. 1, 0 there is none, <0. An End that is all there is has no time
 * if those are stamped: it is passed over. */
static int
pull(struct prism *p, uint32_t n, struct event *ev)
{
	struct prism_stream *s = &p->streams[n];
	struct prism_got got;
	int rc;
	int timed;
	do {
		if (__builtin_expect(s->ahead != NULL, 0) && (rc = prismahead_look(s)) < 0)
			return rc;
		rc = prismfile_next(&s->file, &got);
		if (__builtin_expect(rc <= 0, 0))
			return rc < 0 ? rc : end_stream(p, n, ev, got.code, got.issues);
		timed = prismclock_take(&s->file.time, &s->file.rec.ev);
	} while (__builtin_expect(!s->file.time.known && timed == PRISM_OK, 0));
	s->file.rec.seq = s->file.in.seq - 1;
	s->file.rec.offset = s->file.in.at;
	identify(&s->file.rec, ev);
	memcpy(s->mcv, ev->mcv, sizeof(s->mcv));
	if (__builtin_expect(timed != PRISM_OK, 0) && (rc = check_time(p, n, timed)) <= 0)
		return rc < 0 ? rc : end_stream(p, n, ev, PRISM_PT01, 0);
	s->file.rec.clock_ns = s->file.time.now;
	if (__builtin_expect(got.issues != 0, 0) && (rc = prismtell_issues(p, n, got.issues)) < 0)
		return rc;
	ev->clock = (int64_t)s->file.rec.clock_ns;
	ev->length = (uint32_t)(s->file.in.offset - s->file.in.at);
	ev->stream = n + 1;
	return 1;
}

/* ---- Ends of intervals. ---- */

/* The first events, so that the clocks of all streams are known. */
static int
prime(struct prism *p)
{
	p->zero = INT64_MAX;
	for (uint32_t i = 0; i < p->nstreams; i++) {
		struct prism_stream *s = &p->streams[i];
		int rc = pull(p, i, &s->first);
		if (rc < 0)
			return rc;
		s->phase = rc > 0 ? PRISM_PRIMED : PRISM_ENDED;
		if (rc > 0 && s->first.clock < p->zero)
			p->zero = s->first.clock;
	}
	p->primed = true;
	return 0;
}

static int
next_tick(struct prism *p, struct event *ev)
{
	p->waiting = NULL;
	if (p->options->interval != PRISM_INTERVAL_TIME || !p->shown)
		return 0;
	int rc = p->primed ? 0 : prime(p);
	if (rc < 0)
		return rc;
	/* The next events of all streams are known: none comes before the lowest. */
	int64_t now = INT64_MAX;
	bool ended = true;
	for (uint32_t i = 0; i < p->nstreams; i++) {
		const struct prism_stream *s = &p->streams[i];
		if (s->phase == PRISM_ENDED)
			continue;
		ended = false;
		now = (int64_t)s->file.rec.clock_ns - p->zero < now ? (int64_t)s->file.rec.clock_ns - p->zero : now;
	}
	if (ended)
		return 0;
	int64_t tick = INT64_MAX;
	int64_t n = now / p->length + 1;
	if (p->had || now < p->tick + p->length)
		(void)(__builtin_add_overflow(p->tick, p->length, &tick) && (tick = INT64_MAX));
	else
		(void)(__builtin_mul_overflow(n, p->length, &tick) && (tick = INT64_MAX));
	p->had = now < tick;
	p->tick = tick;
	int64_t clock;
	if (__builtin_add_overflow(p->zero, tick, &clock))
		clock = INT64_MAX;
	*ev = (struct event){ .clock = clock, .payload = (const uint8_t *)"", .mcv = { 'R', 'W', '.' } };
	p->waiting = ev;
	return 1;
}

/* ---- The format. ---- */

static int
next(struct stream *st, struct event *ev)
{
	struct prism *p = st->trace->data;
	if (st->rank == 0)
		return next_tick(p, ev);
	uint32_t n = st->rank - 1;
	struct prism_stream *s = &p->streams[n];
	if (__builtin_expect(s->phase == PRISM_READING, 1))
		return pull(p, n, ev);
	if (s->phase == PRISM_PRIMED) {
		bool dies = s->first.mcv[1] == 'D';
		s->phase = dies ? PRISM_ENDING : PRISM_READING;
		*ev = s->first;
		return 1;
	}
	s->phase = PRISM_ENDED;
	return end_trace(p);
}

static void
get_place(const struct stream *st, struct place *at)
{
	const struct prism *p = st->trace->data;
	if (st->rank == 0) {
		at->has_offset = false;
		return;
	}
	at->file = p->streams[st->rank - 1].source->name;
	at->offset = p->streams[st->rank - 1].file.rec.offset;
	if (!at->has_clock)
		return;
	/* prism_more() may have taken it. */
	struct prism_stream *s = &p->streams[st->rank - 1];
	struct event now;
	identify(&s->file.rec, &now);
	if (s->phase == PRISM_READING)
		memcpy(s->mcv, now.mcv, sizeof(s->mcv));
	at->clock = (int64_t)s->file.rec.clock_ns;
	at->mcv = s->mcv;
}

static int
probe(struct trace *t)
{
	return prismfiles_probe(t->dir);
}

/* The first stream, of the ends of intervals, tells of the CPUs. */
static int
make_streams(struct prism *p)
{
	static const struct require_meta model = { "prism", "1.0.0" };
	struct trace *t = p->trace;
	struct arena *a = &t->arena;
	p->nstreams = p->sources.n;
	p->streams = arena_new(a, struct prism_stream, p->nstreams);
	p->polls = arena_new(a, struct pollfd, p->nstreams);
	p->polled = arena_new(a, uint32_t, p->nstreams);
	if (!p->streams || !p->polls || !p->polled)
		return diag_no_memory(t->diag);
	int rc = trace_make_streams(t, p->nstreams + 1, "prism", p->nstreams, &model);
	if (rc < 0)
		return rc;
	t->streams[0].silent = true;
	t->streams[0].relpath = "intervals";
	for (uint32_t i = 0; i < p->nstreams; i++) {
		p->sources.list[i].settings.lenient = p->options->lenient;
		p->streams[i].source = &p->sources.list[i];
		p->live = p->live || p->sources.list[i].live;
		t->streams[i + 1].relpath = p->streams[i].source->name;
	}
	return 0;
}

static int
open_trace(struct trace *t)
{
	static const struct prism_options defaults = { 0 };
	const struct prism_options *o = t->format_options ? t->format_options : &defaults;
	if (t->options.peer_ties)
		return diag_error(t->diag, ERR_USAGE, NULL, "--compat prints what ovni prints of its own traces; it knows no Prism");
	struct prism *p = arena_new(&t->arena, struct prism, 1);
	if (!p)
		return diag_no_memory(t->diag);
	*p = (struct prism){ .trace = t, .options = o, .shown = !t->options.shows_nothing && !t->options.events_only, .length = PRISM_INTERVAL_NS };
	if (o->length)
		p->length = o->length > INT64_MAX ? INT64_MAX : (int64_t)o->length;
	t->data = p;
	p->sources = (struct prism_sources){ .diag = t->diag, .arena = &t->arena, .keys = &o->keys, .dir = t->dir };
	int rc = prismfiles_find(&p->sources, o->file, o->nfiles);
	t->dir = p->sources.dir;
	if (rc == 0)
		rc = make_streams(p);
	reader_pool_init(&t->readers, t->diag, 3 * (size_t)p->nstreams);
	if (rc == 0)
		rc = prismrows_find(p);
	for (uint32_t i = 0; i < p->nstreams && rc == 0; i++) {
		rc = prismlive_open(p, i);
		if (rc == 0 && o->min_ns && p->shown)
			rc = prismahead_open(p, i);
		t->bytes += t->streams[i + 1].in.file_size;
	}
	return rc;
}

static void
close_trace(struct trace *t)
{
	struct prism *p = t->data;
	if (!p)
		return;
	prismthreads_finish(&p->threads);
	for (uint32_t i = 0; t->streams && i < p->nstreams; i++) {
		prismahead_close(&p->streams[i]);
		prismlive_close(p, i);
	}
	prismfiles_finish(&p->sources);
}

const struct stream_format prism_format = {
	.name = "prism",
	.holds = "one of Prism *.prism or their descriptions",
	.options = &prismopts,
	.probe = probe,
	.open = open_trace,
	.next = next,
	.describe = describe,
	.close = close_trace,
	.place = get_place,
	.open_ended = true,
	.one_clock = true,
};

/* ---- For the model. ---- */

int
prism_stopped_by(const struct prism *p, uint32_t stream)
{
	return p->streams[stream].stopped_by;
}

bool
prism_is_empty(const struct prism *p, uint32_t stream)
{
	return p->streams[stream].phase == PRISM_ENDED && !p->streams[stream].file.in.seq;
}
