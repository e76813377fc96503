/* SPDX-License-Identifier: MIT */
#include "source/laplace/hooks.h"
#include "stream.h"

#include "input/inputs.h"
#include "laplace/kernel.h"
#include "trace.h"
#include "unpack.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000u

__extension__ typedef unsigned __int128 uint128;

enum {
	TOLD = 5,          /* issues of a kind that are told one by one */
	PROGRESS = 0xffff, /* records between two looks at how far it is, less one */
	WINDOW = 1000000,
	REF_SIZE = 9, /* payload of a reference */
};

/* ---- Messages. ---- */

static struct place
place_of(const struct lap_place *at)
{
	return (struct place){ .file = at->file, .line = at->line, .has_offset = true, .offset = at->offset };
}

static void
tell(void *self, const struct lap_issue *issue, bool fatal)
{
	struct laplace *l = self;
	struct diag *d = l->trace->diag;
	struct place at = { .file = issue->file, .line = issue->line, .has_offset = true, .offset = issue->offset };
	const char *name = lap_code(issue->code)->name;
	if (fatal) {
		const char *lenient = lap_code(issue->code)->lenient;
		enum error error = issue->code == LAP_E_IO ? ERR_READ : ERR_LAPLACE;
		l->reported = true;
		(void)diag_error(d, error, &at, "%s: %s%s%s", name, issue->text, *lenient ? "\nhint: with --lenient: " : "", lenient);
		return;
	}
	uint64_t n = issue->code < LAP_CODES ? l->log.counts[issue->code] : 1;
	if (n <= TOLD)
		diag_warn(d, &at, "%s: %s%s", name, issue->text, n == TOLD ? "\nmore of these are only counted" : "");
}

int
laplace_failed(struct laplace *l, int code)
{
	if (-code == LAP_E_MEMORY && !l->reported)
		return diag_no_memory(l->trace->diag);
	if (!l->reported && -code != LAP_E_FILTER)
		(void)diag_error(l->trace->diag, ERR_LAPLACE, NULL, "%s: %s", lap_code(code)->name, lap_code(code)->text);
	l->reported = true;
	return -code == LAP_E_IO ? -ERR_READ : -code == LAP_E_FILTER ? -ERR_HOOKS
								     : -ERR_LAPLACE;
}

/* ---- Time. ---- */

/* ns from cycles; <0: more than 63 bits hold. */
static inline int64_t
to_ns(const struct laplace *l, uint64_t cycle)
{
	if (l->source.freq == NS_PER_S)
		return (int64_t)cycle;
	uint128 ns = (uint128)cycle * NS_PER_S / l->source.freq;
	return ns > INT64_MAX ? -1 : (int64_t)ns;
}

/* The window that ends at `tick`, the first multiple of its length behind a time. */
static void
set_window(struct laplace *l, int64_t time)
{
	int64_t n = time / l->window + 1;
	uint128 cycle = UINT64_MAX;
	if (__builtin_mul_overflow(n, l->window, &l->tick))
		l->tick = INT64_MAX;
	else
		cycle = ((uint128)l->tick * l->source.freq + NS_PER_S - 1) / NS_PER_S;
	l->tick_cycle = cycle > UINT64_MAX ? UINT64_MAX : (uint64_t)cycle;
}

static bool
give_tick(struct laplace *l, struct event *ev, int64_t time)
{
	*ev = (struct event){ .clock = time, .payload = l->payload, .mcv = { 'L', 'W', '.' } };
	l->is_tick = true;
	l->batch.nmore = 0;
	return true;
}

/* ---- Records. ---- */

static void
note_progress(struct laplace *l)
{
	uint64_t done = 0;
	for (size_t i = 0; i < l->nfiles; i++)
		if (!l->files[i].once)
			done += l->files[i].bytes->nread;
	l->trace->streams[0].in.file_pos = done;
}

/* Reads the next record. 1, 0 at the end, <0 an error (reported). */
static inline int
pull(struct laplace *l)
{
	const struct lap_record *rec;
	const struct lapread *of;
	struct lap_batch *b = &l->batch;
	int rc = lapmerge_next(&l->merge, &rec, &of);
	if (__builtin_expect(rc <= 0, 0))
		return rc < 0 ? laplace_failed(l, rc) : 0;
	b->rec = *rec;
	b->at = of->at;
	b->code = l->log.last ? l->log.last : l->ahead;
	l->log.last = 0;
	l->ahead = 0;
	if (__builtin_expect((++l->nrecords & PROGRESS) == 0, 0))
		note_progress(l);
	return 1;
}

static void
put_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* The payload of an event: the first of its numbers, little-endian. */
static void
describe(const struct stream *s, struct event *ev)
{
	struct laplace *l = s->trace->data;
	const struct lap_record *rec = &l->batch.rec;
	if (l->is_tick)
		return;
	ev->payload = l->payload;
	if (rec->type != LAP_EVENT) {
		l->payload[0] = rec->length;
		put_u32(l->payload + 1, rec->space);
		put_u32(l->payload + 5, rec->addr);
		return;
	}
	const uint8_t *fields = lap_tags[rec->event->code - 1].fields;
	memset(l->payload, 0, sizeof(l->payload));
	uint32_t n = 0;
	if (rec->event->code == LAP_OTHER)
		put_u32(l->payload + 8 * n++, rec->event->tag);
	for (int i = 0; fields[i] && n < sizeof(l->payload) / 8; i++) {
		if (fields[i] == LAP_NAME || !lap_has_field(l->source.dialect, fields[i]))
			continue;
		uint64_t v = rec->event->arg[fields[i]];
		put_u32(l->payload + 8 * n, (uint32_t)v);
		put_u32(l->payload + 8 * n++ + 4, (uint32_t)(v >> 32));
	}
	ev->size = 8 * n;
}

/* Makes the end of a window the event, if one ends before the record and has totals to show. */
static bool
take_tick(struct laplace *l, struct event *ev, uint64_t cycle)
{
	int64_t now = to_ns(l, cycle);
	bool due = l->active || l->stale;
	int64_t tick = l->tick;
	l->stale = l->active;
	l->active = false;
	set_window(l, due ? tick : now < 0 ? INT64_MAX
					   : now);
	return due && give_tick(l, ev, tick);
}

static int
next(struct stream *s, struct event *ev)
{
	struct laplace *l = s->trace->data;
	s->trace->nmore += l->batch.nmore;
	/* Behind a tick the record is already read. */
	int rc = l->is_tick && !l->ended ? 1 : pull(l);
	l->is_tick = false;
	if (rc < 0)
		return rc;
	if (rc == 0 && laphooks_finish(l->hooks) < 0)
		return laplace_failed(l, -LAP_E_FILTER);
	if (rc == 0) {
		bool active = l->active;
		l->active = false;
		l->ended = true;
		return active ? give_tick(l, ev, to_ns(l, l->last_cycle)) : 0;
	}
	uint64_t cycle = l->batch.rec.ts - l->first;
	if (__builtin_expect(cycle >= l->tick_cycle, 0) && take_tick(l, ev, cycle))
		return 1;
	int64_t now = to_ns(l, cycle);
	if (__builtin_expect(now < 0, 0)) {
		struct place at = place_of(&l->batch.at);
		return diag_error(l->trace->diag, ERR_LAPLACE, &at, "the time does not fit in 63 bits of nanoseconds\nhint: is freq_hz right?");
	}
	l->active = true;
	l->last_cycle = cycle;
	const struct lap_record *rec = &l->batch.rec;
	bool is_event = rec->type == LAP_EVENT;
	uint8_t letter = is_event ? lap_tags[rec->event->code - 1].tag : rec->kind;
	*ev = (struct event){ .clock = now, .record = &l->batch, .size = is_event ? 0 : REF_SIZE, .mcv = { 'L', is_event ? 'K' : 'R', letter } };
	uint64_t before = l->nrecords;
	laprun_take(l);
	if ((before ^ l->nrecords) & ~(uint64_t)PROGRESS)
		note_progress(l);
	return 1;
}

static void
get_place(const struct stream *s, struct place *at)
{
	const struct laplace *l = s->trace->data;
	if (l->is_tick)
		return;
	struct place item = place_of(&l->batch.at);
	item.has_clock = at->has_clock;
	item.clock = at->clock;
	item.mcv = at->mcv;
	*at = item;
}

/* ---- Life. ---- */

static int
probe(struct trace *t)
{
	return lapmanifest_probe(t->dir);
}

/* The machine that the model drives, and what takes references together need. */
static int
make_machine(struct laplace *l)
{
	struct arena *a = &l->trace->arena;
	uint32_t n = l->source.ncpus;
	const struct lapmachine_options o = {
		.kernel_base = l->source.kernel_base,
		.offset_in_pages = l->source.offset_in_pages,
		.no_kernel_trace = !l->has_kernel,
		.ncpus = n,
	};
	l->machine = arena_new(a, struct lapmachine, 1);
	l->batch.more = arena_new(a, struct lap_more, LAPLACE_RUN);
	bool many = n > 1 && l->has_kernel;
	l->batch.places = many ? arena_new(a, uint64_t, LAPLACE_RUN) : NULL;
	l->batch.last = many ? arena_new(a, struct lap_last, n) : NULL;
	bool made = l->machine && l->batch.more && (!many || (l->batch.places && l->batch.last));
	if (!made || lapmachine_init(l->machine, &l->log, &o) < 0)
		return diag_no_memory(l->trace->diag);
	return 0;
}

static int
open_trace(struct trace *t)
{
	static const struct laplace_options defaults = { 0 };
	static const struct require_meta model = { "laplace", "1.0.0" };
	const struct laplace_options *o = t->format_options ? t->format_options : &defaults;
	if (t->options.peer_ties)
		return diag_error(t->diag, ERR_USAGE, NULL, "--compat prints what ovni prints of its own traces; it knows no Laplace");
	struct laplace *l = arena_new(&t->arena, struct laplace, 1);
	if (!l)
		return diag_no_memory(t->diag);
	t->data = l;
	*l = (struct laplace){ .trace = t, .refs = o->refs, .window = o->window ? o->window : WINDOW };
	l->log = (struct lap_log){ .lenient = o->lenient, .tell = tell, .self = l, .texts = TOLD };
	l->hooks = arena_new(&t->arena, struct laphooks, 1);
	if (!l->hooks)
		return diag_no_memory(t->diag);
	int rc = laphooks_open(l->hooks, t->diag, o->hooks, o->nhooks);
	if (rc == 0)
		rc = lapmanifest_read(l, o);
	if (rc == 0)
		rc = lapfiles_open(l);
	if (rc == 0)
		rc = trace_make_streams(t, 1, l->source.name, l->source.ncpus, &model); /* for all files */
	if (rc == 0)
		rc = make_machine(l);
	if (rc < 0)
		return rc;
	t->streams[0].relpath = l->source.has_manifest ? "laplace.json" : l->files[0].options.file;
	l->first = l->merge.order.n ? l->merge.order.heap[0].time : 0;
	set_window(l, 0);
	return 0;
}

static void
close_trace(struct trace *t)
{
	struct laplace *l = t->data;
	if (l)
		lapfiles_close(l);
	if (l && l->hooks)
		laphooks_close(l->hooks);
	if (l && l->machine)
		lapmachine_finish(l->machine);
}

const struct stream_format laplace_format = {
	.name = "laplace",
	.holds = "one of Laplace laplace.json",
	.options = &lapopts,
	.probe = probe,
	.open = open_trace,
	.next = next,
	.describe = describe,
	.close = close_trace,
	.place = get_place,
	.open_ended = true,
};
