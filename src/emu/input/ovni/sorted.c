/* SPDX-License-Identifier: MIT */
/* sorted: streams whose events between OU[ and OU] come late, sorted while they are read.
 *
 * Programs write there what they get late, as the events of the kernel. Events of each stream wait in a
 * window, in which those of a region find their place: what ovnisort does to the file. */
#include "parts.h"
#include "sortwin.h"
#include "window.h"

#include <inttypes.h>
#include <string.h>

enum {
	ALL_EVENTS = 2 * 1024 * 1024, /* that wait in all streams, about */
	REACH_MIN = 2 * 1024,
	REACH_MAX = 64 * 1024,
	REACH_BYTES = 8 * 1024 * 1024, /* of events that wait in a stream: jumbo ones may be large */
	REGION = 16,                   /* the longest region: so many times the reach */
	BLOCK_MIN = 16 * 1024,
	BLOCK_MAX = 256 * 1024,
};

enum region {
	OUTSIDE,
	OPENED, /* nothing but OU[ so far */
	INSIDE,
};

struct sorter {
	struct sortwin w;
	uint64_t given; /* events before that number are */
	int64_t last;   /* clock of the last of them, uncorrected */
	uint64_t end;   /* its end in the file, unless events of a region are still to come */
	enum region region;
	int64_t lowest; /* clock of the region */
	bool ended;
};

struct sorted {
	struct sorter *streams; /* by rank */
	uint64_t reach;         /* events that wait in a stream */
	uint64_t regions;       /* that had late events */
};

/* At OU]: sorts from the last event on that is lower than all of the region. */
static int
sort_region(struct stream *s, struct sorter *x)
{
	struct sorted *all = s->trace->data;
	struct sortwin *w = &x->w;
	uint64_t moved, i = w->head;
	while (i > x->given && sortwin_clock(w, i - 1) >= x->lowest)
		i--;
	if (i == x->given && i > 0 && x->lowest < x->last)
		return diag_error(s->trace->diag, ERR_CLOCK_BACKWARDS, &(struct place){ .file = s->relpath },
			"an event between OU[ and OU], of clock %" PRId64 ", is late by more than the %" PRIu64 " events that wait\n"
			"hint: run ovnisort on the trace",
			x->lowest, w->head - x->given);
	enum sortwin_result rc = sortwin_sort(w, i, &moved);
	if (rc == SORTWIN_MEMORY)
		return diag_no_memory(s->trace->diag);
	all->regions += moved > 0;
	return 0;
}

/* Called for each event, before it is added. Returns 0, or <0 (reported). */
static int
track_region(struct stream *s, struct sorter *x, const uint8_t *p)
{
	bool is_mark = p[1] == 'O' && p[2] == 'U';
	int rc = 0;
	if (x->region == OUTSIDE) {
		x->region = is_mark && p[3] == '[' ? OPENED : OUTSIDE;
	} else if (is_mark && p[3] == ']') {
		rc = x->region == INSIDE ? sort_region(s, x) : 0;
		x->region = OUTSIDE;
	} else {
		int64_t clock = wire_i64(p + 4);
		x->lowest = x->region == OPENED || clock < x->lowest ? clock : x->lowest;
		x->region = INSIDE;
	}
	return rc;
}

/* Moves an event, which the reader holds, to the window. Returns 1, or <0 (reported). */
static int
take_one(struct stream *s, struct sorter *x, uint64_t size)
{
	size_t room;
	uint64_t slots;
	int rc = track_region(s, x, s->in.p);
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
		return s->trace->base->next(s, &cut); /* which says so */
	return rc > 0 ? take_one(s, x, size) : rc;
}

/* Whether the next event must wait: it may not be the next one. */
static bool
waits(const struct stream *s, const struct sorter *x)
{
	const struct sorted *all = s->trace->data;
	uint64_t times = x->region == OUTSIDE ? 1 : REGION;
	uint64_t bytes = reader_offset(&s->in) - x->end;
	return !x->ended && x->w.head - x->given <= times * all->reach && bytes <= times * REACH_BYTES;
}

static int
next(struct stream *s, struct event *ev)
{
	const struct sorted *all = s->trace->data;
	struct sorter *x = &all->streams[s->rank];
	while (waits(s, x)) {
		int rc = read_one(s, x);
		if (rc < 0)
			return rc;
		x->ended = rc == 0;
	}
	sortwin_drop(&x->w, x->given);
	if (x->given == x->w.head)
		return 0;
	const uint8_t *p = sortwin_event(&x->w, x->given++);
	uint64_t size = wire_event_size(p, WIRE_JUMBO_HEADER);
	*ev = (struct event){
		.clock = wire_i64(p + 4),
		.payload = p + WIRE_EVENT_HEADER,
		.size = (uint32_t)(size - WIRE_EVENT_HEADER),
		.length = (uint32_t)size,
		.stream = s->rank,
		.jumbo = (p[0] & WIRE_JUMBO) != 0,
	};
	memcpy(ev->mcv, p + 1, 3);
	x->last = ev->clock;
	x->end += size;
	return 1;
}

/* The reader is ahead of the events that are given. */
static void
place(const struct stream *s, struct place *at)
{
	const struct sorted *all = s->trace->data;
	at->offset -= reader_offset(&s->in) - all->streams[s->rank].end;
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
	all->reach = ALL_EVENTS / (t->nstreams ? t->nstreams : 1);
	all->reach = all->reach < REACH_MIN ? REACH_MIN : all->reach > REACH_MAX ? REACH_MAX
										 : all->reach;
	for (size_t i = 0; i < t->nstreams; i++) {
		size_t block = (size_t)all->reach * 4;
		all->streams[i].w.block = block < BLOCK_MIN ? BLOCK_MIN : block > BLOCK_MAX ? BLOCK_MAX
											    : block;
		sortwin_init(&all->streams[i].w);
		all->streams[i].end = reader_offset(&t->streams[i].in);
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
