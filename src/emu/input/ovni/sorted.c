/* SPDX-License-Identifier: MIT */
/* sorted: streams whose events between OU[ and OU] come late, sorted while they are read.
 *
 * Programs write there what they get late, as the events of the kernel. Events of a stream wait in a
 * window, in which those of a region find their place: what ovnisort does to the file. How many wait is
 * measured before: a thread that has not asked the kernel for long has events that are late by many. */
#include "parts.h"
#include "sortwin.h"
#include "window.h"

#include <inttypes.h>
#include <string.h>

enum {
	WAIT_MAX = 256 * 1024 * 1024, /* bytes of a stream */
	STEP = 4 * 1024,              /* bytes, so exactly it is measured */
	BLOCK_MIN = 16 * 1024,
	BLOCK_MAX = 256 * 1024,
};

/* A region, as it is read. */
struct region {
	enum {
		OUTSIDE,
		OPENED, /* nothing but OU[ so far */
		INSIDE,
	} state;
	int64_t lowest; /* clock of its events */
};

struct sorter {
	struct sortwin w;
	uint64_t wait;  /* the next event may go when so many bytes of others are there; 0: there are no regions */
	uint64_t given; /* events before that number are */
	int64_t floor;  /* no clock is below that: those that are were before the stream begins; 0: none */
	uint64_t end;   /* of their bytes in the file: of the last of them, unless events of a region are still to come */
	struct region region;
	bool ended;
};

struct sorted {
	struct sorter *streams; /* by rank */
	uint64_t regions;       /* that had late events */
};

/* Called for each event. Returns whether a region with events ends before it. */
static bool
track_region(struct region *r, const uint8_t *p)
{
	bool is_mark = p[1] == 'O' && p[2] == 'U';
	bool ends = false;
	if (r->state == OUTSIDE) {
		r->state = is_mark && p[3] == '[' ? OPENED : OUTSIDE;
	} else if (is_mark && p[3] == ']') {
		ends = r->state == INSIDE;
		r->state = OUTSIDE;
	} else {
		int64_t clock = wire_i64(p + 4);
		r->lowest = r->state == OPENED || clock < r->lowest ? clock : r->lowest;
		r->state = INSIDE;
	}
	return ends;
}

/* ---- How much must wait. ---- */

struct measure {
	int64_t highest;  /* clock so far */
	int64_t *heights; /* that of the events which begin in the first STEP bytes, in twice as many, ... */
	size_t nheights;
	size_t cap;
	struct region region;
	uint64_t wait;
};

/* At the end of a region: its events may go before all that are not surely lower. */
static void
measure_region(struct measure *m, uint64_t at)
{
	size_t lower = m->nheights;
	while (lower > 0 && m->heights[lower - 1] >= m->region.lowest)
		lower--;
	uint64_t late = at - lower * STEP;
	m->wait = late > m->wait ? late : m->wait;
}

/* The event at so many bytes. Returns whether there was memory. */
static bool
measure_event(struct measure *m, uint64_t at, const uint8_t *p)
{
	int64_t clock = wire_i64(p + 4);
	for (; m->nheights < at / STEP; m->nheights++) {
		if (m->nheights == m->cap) {
			size_t cap = m->cap ? m->cap * 2 : 128;
			int64_t *heights = block_resize(m->heights, cap * sizeof(*heights));
			if (!heights)
				return false;
			m->heights = heights;
			m->cap = cap;
		}
		m->heights[m->nheights] = m->highest;
	}
	if (track_region(&m->region, p))
		measure_region(m, at);
	m->highest = clock > m->highest ? clock : m->highest;
	return true;
}

/* Reads the stream once. Returns 0, or <0 (reported, unless the user has stopped it). */
static int
measure_stream(const struct stream *s, uint64_t *wait)
{
	struct trace *t = s->trace;
	struct stream again = *s;
	struct reader *in = &again.in;
	struct measure m = { .highest = INT64_MIN };
	uint64_t size;
	int rc = reader_open_again(in, &t->readers, &s->in);
	if (rc == 0)
		rc = reader_fill(in, WIRE_STREAM_HEADER);
	if (rc > 0)
		in->p += WIRE_STREAM_HEADER;
	while (rc > 0 && (rc = window_fill(&again, &size)) == 1) {
		if (!measure_event(&m, reader_offset(in) - WIRE_STREAM_HEADER, in->p))
			rc = diag_no_memory(t->diag);
		else if (t->options.stop && *t->options.stop)
			rc = -ERR_INTERRUPTED;
		in->p += size;
	}
	if (m.region.state == INSIDE)
		measure_region(&m, reader_offset(in) - WIRE_STREAM_HEADER);
	*wait = m.wait < WAIT_MAX ? m.wait : WAIT_MAX;
	block_free(m.heights);
	reader_close(in);
	return rc < 0 ? rc : 0;
}

/* ---- Reading. ---- */

/* Sorts from the last event on that is lower than all of the region. */
static int
sort_region(struct stream *s, struct sorter *x)
{
	struct sorted *all = s->trace->data;
	struct sortwin *w = &x->w;
	uint64_t moved, i = w->head;
	while (i > x->given && sortwin_clock(w, i - 1) >= x->region.lowest)
		i--;
	enum sortwin_result rc = sortwin_sort(w, i, &moved);
	if (rc == SORTWIN_MEMORY)
		return diag_no_memory(s->trace->diag);
	all->regions += moved > 0;
	return 0;
}

/* Moves an event, which the reader holds, to the window. Returns 1, or <0 (reported). */
static int
take_one(struct stream *s, struct sorter *x, uint64_t size)
{
	size_t room;
	uint64_t slots;
	uint8_t *p = s->in.buf + (s->in.p - s->in.buf);
	if (s->meta.ring && reader_offset(&s->in) >= WIRE_STREAM_HEADER + (uint64_t)s->meta.shared) {
		int64_t clock = wire_i64(p + 4);
		x->floor = x->floor ? x->floor : clock;
		clock = clock < x->floor ? x->floor : clock;
		memcpy(p + 4, &clock, sizeof(clock));
	}
	int rc = track_region(&x->region, p) ? sort_region(s, x) : 0;
	if (rc < 0)
		return rc;
	uint8_t *to = sortwin_reserve(&x->w, size, &room, &slots);
	if (!to)
		return diag_no_memory(s->trace->diag);
	memcpy(to, s->in.p, (size_t)size);
	sortwin_push(&x->w, to);
	sortwin_commit(&x->w, (size_t)size);
	s->in.p += size;
	return 1;
}

/* Takes the next event of the stream into the window. Returns 1, 0 at its end, <0 (reported). */
static int
read_one(struct stream *s, struct sorter *x)
{
	uint64_t size;
	int rc = window_fill(s, &size);
	struct event cut;
	if (rc == WINDOW_CUT)
		rc = s->trace->base->next(s, &cut); /* which says so */
	else if (rc > 0)
		return take_one(s, x, size);
	/* A program that was killed may have begun a region. */
	if (rc == 0 && x->region.state == INSIDE)
		rc = sort_region(s, x);
	return rc;
}

static uint64_t
next_size(const struct sorter *x)
{
	return wire_event_size(sortwin_event(&x->w, x->given), WIRE_JUMBO_HEADER);
}

/* Whether events that are not read yet may go before the next one, or before what follows it. */
static bool
waits(const struct stream *s, const struct sorter *x)
{
	uint64_t have = reader_offset(&s->in) - x->end;
	return !x->ended && (x->given == x->w.head || have - next_size(x) < x->wait);
}

static int
next(struct stream *s, struct event *ev)
{
	const struct sorted *all = s->trace->data;
	struct sorter *x = &all->streams[s->rank];
	if (!x->wait)
		return s->trace->base->next(s, ev);
	while (waits(s, x)) {
		int rc = read_one(s, x);
		if (rc < 0)
			return rc;
		x->ended = rc == 0;
	}
	sortwin_drop(&x->w, x->given);
	if (x->given == x->w.head)
		return 0;
	uint64_t size = next_size(x);
	const uint8_t *p = sortwin_event(&x->w, x->given++);
	*ev = (struct event){
		.clock = wire_i64(p + 4),
		.payload = p + WIRE_EVENT_HEADER,
		.size = (uint32_t)(size - WIRE_EVENT_HEADER),
		.length = (uint32_t)size,
		.stream = s->rank,
		.jumbo = (p[0] & WIRE_JUMBO) != 0,
	};
	memcpy(ev->mcv, p + 1, 3);
	x->end += size;
	return 1;
}

/* The reader is ahead of the events that are given. */
static void
place(const struct stream *s, struct place *at)
{
	const struct sorted *all = s->trace->data;
	const struct sorter *x = &all->streams[s->rank];
	at->offset -= x->wait ? reader_offset(&s->in) - x->end : 0;
}

static void
close_sorted(struct trace *t)
{
	struct sorted *all = t->data;
	if (all->regions)
		diag_info(t->diag, "%" PRIu64 " regions with late events (OU[ to OU]) were sorted while they were read", all->regions);
	for (size_t i = 0; i < t->nstreams; i++)
		sortwin_finish(&all->streams[i].w);
}

int
sorted_install(struct trace *t)
{
	struct sorted *all = arena_new(&t->arena, struct sorted, 1);
	struct stream_format *f = arena_new(&t->arena, struct stream_format, 1);
	if (!all || !f || !(all->streams = arena_new(&t->arena, struct sorter, t->nstreams)))
		return diag_no_memory(t->diag);
	for (size_t i = 0; i < t->nstreams; i++) {
		struct sorter *x = &all->streams[i];
		int rc = measure_stream(&t->streams[i], &x->wait);
		if (rc < 0)
			return rc;
		if (!x->wait)
			continue;
		for (x->w.block = BLOCK_MIN; x->w.block < BLOCK_MAX && x->w.block < x->wait;)
			x->w.block *= 2;
		sortwin_init(&x->w);
		x->end = reader_offset(&t->streams[i].in);
	}
	*f = *t->format;
	f->next = next;
	f->place = place;
	f->close = close_sorted;
	f->wire = false;
	t->data = all;
	t->format = f;
	return 0;
}
