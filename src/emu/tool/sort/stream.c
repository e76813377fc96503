/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include "kit/replace.h"
#include "window.h"

#include <inttypes.h>
#include <string.h>

enum region {
	OUTSIDE,
	OPENED, /* nothing but OU[ so far */
	INSIDE,
};

struct sorter {
	struct stream *s;
	struct sortwin *w;
	const struct sortstream_options *o;
	struct sortstream_result *r;
	struct replace out;
	bool writing;
	uint64_t done;     /* events before that number are final, and written if anything is */
	uint64_t offset;   /* of the end of the last event in the stream */
	int64_t done_last; /* --all: highest clock that is final */
	int64_t newest;    /* --all: clock of the last event */
	bool disorder;     /* --all: some event after `done` is late */
	enum region region;
	int64_t lowest; /* clock of the region */
};

/* Brings the bytes of the next event in front of the reader. Returns their number, 0 at the end of
 * the stream, <0 (reported) when it ends inside an event or cannot be read. */
static int64_t
whole_event(struct stream *s)
{
	uint64_t size;
	int rc = window_fill(s, &size);
	if (rc != WINDOW_CUT)
		return rc > 0 ? (int64_t)size : rc;
	struct place at = stream_place(s, NULL);
	if (s->in.end - s->in.p >= 4)
		at.mcv = s->in.p + 1;
	return diag_error(s->trace->diag, ERR_STREAM_TRUNCATED, &at,
		"the stream ends with an incomplete event\n"
		"hint: was the disk full, or the copy of the trace cut short?");
}

/* Shows the progress. Returns 0, or <0 (reported) when the user
 * wants it to end. */
static int
go_on(const struct stream *s, const struct sortstream_options *o)
{
	const struct trace *t = s->trace;
	if (o->progress && progress_due(o->progress)) {
		double done = (double)(o->before + stream_consumed(s));
		diag_progress(t->diag, "%5.1f %% done", t->bytes ? done / (double)t->bytes * 100 : 100.0);
	}
	return !*o->stop ? 0 : diag_error(t->diag, ERR_INTERRUPTED, &(struct place){ .file = s->relpath }, "stopped by the user: the stream is as it was");
}

/* ---- Writing. ---- */

static void
put_events(struct sorter *x, uint64_t to)
{
	for (uint64_t i = x->done; i < to;) {
		size_t n;
		const uint8_t *p = sortwin_bytes(x->w, &i, to, &n);
		replace_put(&x->out, p, n);
	}
}

static int
failed_write(struct sorter *x)
{
	return replace_failed(&x->out) ? replace_commit(&x->out) : 0;
}

/* Events before that number will not be sorted any more. */
static int
settle(struct sorter *x, uint64_t number)
{
	int rc = 0;
	if (x->writing) {
		put_events(x, number);
		rc = failed_write(x);
	}
	x->done = number;
	sortwin_drop(x->w, number);
	return rc;
}

/* The first n bytes of the stream, which stay. */
static int
copy_head(struct sorter *x, uint64_t n)
{
	struct trace *t = x->s->trace;
	struct reader r;
	int rc = reader_open_again(&r, &t->readers, &x->s->in);
	while (rc >= 0 && n) {
		rc = reader_fill(&r, 1);
		uint64_t have = (uint64_t)(r.end - r.p);
		uint64_t k = have < n ? have : n;
		if (rc == 0)
			rc = diag_error(t->diag, ERR_READ, &(struct place){ .file = x->s->relpath },
				"the stream has become shorter while it was sorted");
		if (rc > 0) {
			replace_put(&x->out, r.p, (size_t)k);
			r.p += k;
			n -= k;
			rc = replace_failed(&x->out) ? replace_commit(&x->out) : go_on(x->s, x->o);
		}
	}
	reader_close(&r);
	return rc < 0 ? rc : 0;
}

/* The file has to change. It begins with what is out of reach, as it was. */
static int
begin_writing(struct sorter *x)
{
	if (x->writing || x->o->dry_run)
		return 0;
	uint64_t head = x->offset;
	for (uint64_t i = x->w->tail; i < x->w->head; i++)
		head -= wire_event_size(sortwin_event(x->w, i), WIRE_JUMBO_HEADER);
	int rc = replace_open(&x->out, x->s->trace->diag, x->s->in.path, NULL, "sorted");
	if (rc < 0)
		return rc;
	x->writing = true;
	x->done = x->w->tail;
	return copy_head(x, head);
}

/* ---- Sorting. ---- */

static struct place
place_at_end(const struct sorter *x)
{
	return (struct place){ .file = x->s->relpath, .has_offset = true, .offset = x->offset };
}

static int
sort_from(struct sorter *x, uint64_t from)
{
	struct diag *d = x->s->trace->diag;
	uint64_t moved;
	struct place at = place_at_end(x);
	switch (sortwin_sort(x->w, from, &moved)) {
	case SORTWIN_OK: break;
	case SORTWIN_MEMORY: return diag_no_memory(d);
	case SORTWIN_NEGATIVE:
	default:
		return diag_error(d, ERR_CLOCK_NEGATIVE, &at, "one of the %" PRIu64 " events before has a negative clock",
			x->w->head - from);
	}
	x->r->moved += moved;
	return moved ? begin_writing(x) : 0;
}

/* At OU]: from the last event that is lower than all of the region. */
static int
sort_region(struct sorter *x)
{
	struct sortwin *w = x->w;
	uint64_t low = w->head > x->o->reach ? w->head - x->o->reach : 0;
	uint64_t i = w->head;
	while (i > low && sortwin_clock(w, i - 1) >= x->lowest)
		i--;
	x->r->regions++;
	if (i > low)
		return sort_from(x, i - 1);
	if (w->head < x->o->reach)
		return sort_from(x, 0);
	struct place at = place_at_end(x);
	return diag_error(x->s->trace->diag, ERR_SORT_WINDOW, &at,
		"cannot find a event previous to clock %" PRId64 " among the last %" PRIu64 "\n"
		"hint: -n makes ovnisort look further back",
		x->lowest, x->o->reach);
}

/* --all: what is there is sorted, and at most `keep` of it waits for what comes. */
static int
sort_batch(struct sorter *x, uint64_t keep)
{
	int rc = 0;
	struct sortwin *w = x->w;
	uint64_t from = x->done;
	if (x->disorder)
		rc = sort_from(x, from);
	x->disorder = false;
	if (rc < 0 || w->head == from)
		return rc;
	if (sortwin_clock(w, from) < x->done_last) {
		struct place at = place_at_end(x);
		return diag_error(x->s->trace->diag, ERR_SORT_WINDOW, &at,
			"an event of clock %" PRId64 " is too late: more than %" PRIu64 " events behind its place\n"
			"hint: -n makes ovnisort look further back",
			sortwin_clock(w, from), x->o->reach / 2);
	}
	if (w->head - from <= keep)
		return 0;
	uint64_t to = w->head - keep;
	x->done_last = sortwin_clock(w, to - 1);
	x->newest = sortwin_clock(w, w->head - 1);
	return settle(x, to);
}

/* ---- Reading. ---- */

static inline bool
is_mark(const uint8_t *p, uint8_t value)
{
	return p[1] == 'O' && p[2] == 'U' && p[3] == value;
}

/* Called for each event, before it counts as one. Returns whether a region ends here. */
static inline bool
track_region(struct sorter *x, const uint8_t *p)
{
	if (__builtin_expect(x->region == OUTSIDE, 1)) {
		if (__builtin_expect(is_mark(p, '['), 0))
			x->region = OPENED;
		return false;
	}
	if (is_mark(p, ']')) {
		x->r->empty += x->region == OPENED;
		bool ends = x->region == INSIDE;
		x->region = OUTSIDE;
		return ends;
	}
	int64_t clock = wire_i64(p + 4);
	x->lowest = x->region == OPENED || clock < x->lowest ? clock : x->lowest;
	x->region = INSIDE;
	return false;
}

static inline void
track_order(struct sorter *x, const uint8_t *p)
{
	int64_t clock = wire_i64(p + 4);
	/* A negative one is found when it is sorted. */
	x->disorder = x->disorder || clock < x->newest || clock < 0;
	x->newest = clock;
}

/* Makes room when there is none: what is out of reach goes. */
static int
make_room(struct sorter *x, uint64_t size)
{
	struct sortwin *w = x->w;
	int rc = go_on(x->s, x->o);
	if (rc < 0)
		return rc;
	if (x->o->all)
		return w->head - x->done >= x->o->reach ? sort_batch(x, x->o->reach - (x->o->reach + 1) / 2) : 0;
	if (!sortwin_full(w, size))
		return 0;
	return settle(x, w->head > x->o->reach && w->head - x->o->reach > x->done ? w->head - x->o->reach : x->done);
}

/* Takes all events that the reader holds and there is room for, but stops at the end of a
 * region: that event is not taken. Returns 1 stopped so, 0 else, <0 (reported). */
static int
take_events(struct sorter *x, uint64_t size)
{
	struct reader *in = &x->s->in;
	struct sortwin *w = x->w;
	size_t room;
	uint64_t slots;
	uint8_t *to = sortwin_reserve(w, size, &room, &slots);
	if (!to)
		return diag_no_memory(x->s->trace->diag);
	if (x->o->all && slots > x->o->reach - (w->head - x->done))
		slots = x->o->reach - (w->head - x->done);
	const uint8_t *p = in->p;
	const uint8_t *end = (size_t)(in->end - p) < room ? in->end : p + room;
	bool ends = false;
	for (; slots; slots--) {
		size = wire_event_size(p, (uint64_t)(end - p));
		if (!size || size > (uint64_t)(end - p))
			break;
		if (x->o->all)
			track_order(x, p);
		else if ((ends = track_region(x, p)))
			break;
		sortwin_push(w, to + (p - in->p));
		p += size;
	}
	size_t n = (size_t)(p - in->p);
	memcpy(to, in->p, n);
	sortwin_commit(w, n);
	in->p = p;
	x->offset += n;
	return ends;
}

static int
read_all(struct sorter *x)
{
	for (;;) {
		int64_t size = whole_event(x->s);
		if (size <= 0)
			return (int)size;
		int rc = make_room(x, (uint64_t)size);
		if (rc == 0)
			rc = take_events(x, (uint64_t)size);
		if (rc > 0)
			rc = sort_region(x); /* OU] comes next, and is then outside */
		if (rc < 0)
			return rc;
	}
}

/* All that is kept is final; behind it come the bytes of an event that is cut. */
static int
finish(struct sorter *x)
{
	int rc = x->o->all ? sort_batch(x, 0) : settle(x, x->w->head);
	struct reader *in = &x->s->in;
	while (rc == 0 && x->writing && in->p < in->end) {
		replace_put(&x->out, in->p, (size_t)(in->end - in->p));
		in->p = in->end;
		rc = reader_fill(in, 1);
		rc = rc > 0 ? 0 : rc;
	}
	return rc == 0 && x->writing ? replace_commit(&x->out) : rc;
}

int
sortstream_sort(struct stream *s, struct sortwin *w, const struct sortstream_options *o, struct sortstream_result *r)
{
	struct sorter x = { .s = s, .w = w, .o = o, .r = r, .offset = reader_offset(&s->in) };
	*r = (struct sortstream_result){ 0 };
	sortwin_init(w);
	int rc = read_all(&x);
	r->events = w->head;
	/* A truncated stream is sorted up to its last whole event, if the torn rest can be written
	 * again as it is. */
	int bad = rc;
	if (rc == -ERR_STREAM_TRUNCATED && !s->in.codec)
		rc = 0;
	if (rc == 0)
		rc = finish(&x);
	replace_abandon(&x.out);
	return rc < 0 ? rc : bad;
}

int
sortstream_check(struct stream *s, const struct sortstream_options *o, struct sortstream_result *r)
{
	struct reader *in = &s->in;
	*r = (struct sortstream_result){ 0 };
	uint64_t last = 0;
	for (;;) {
		int64_t size = whole_event(s);
		if (size <= 0)
			return (int)size;
		int rc = go_on(s, o);
		if (rc < 0)
			return rc;
		while (size && size <= in->end - in->p) {
			uint64_t clock = wire_u64(in->p + 4);
			if (clock < last) {
				struct place at = stream_place(s, NULL);
				at.mcv = in->p + 1;
				(void)diag_error(s->trace->diag, ERR_CLOCK_BACKWARDS, &at,
					"backwards jump in time %" PRIu64 " -> %" PRIu64 " for stream %s", last, clock, s->relpath);
				r->back++;
			}
			last = clock;
			r->events++;
			in->p += size;
			size = (int64_t)wire_event_size(in->p, (uint64_t)(in->end - in->p));
		}
	}
}
