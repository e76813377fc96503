/* SPDX-License-Identifier: MIT */
#include "topcount.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	FINE_BINS = 10000,        /* of an interval that is not given: merged by tens */
	GIVEN_BINS = 1024 * 1024, /* most rows of an interval that is given */
	LINES = 20,               /* about as many rows when it is not */
	ODD_FIRST = 256,
	PROGRESS_EVERY = 1 << 16, /* events */
};

int
top_init(struct top *top)
{
	struct arena *a = &top->trace->arena;
	struct diag *d = top->trace->diag;
	top->first = INT64_MAX;
	top->last = INT64_MIN;
	int rc = catalog_init(&top->catalog, a, d);
	if (rc < 0)
		return rc;
	top->kinds = arena_new(a, struct tally, top->catalog.dispatch.nops);
	top->streams = arena_new(a, struct tally, top->trace->nstreams);
	top->width = top->step ? top->step : 1;
	top->bins_cap = FINE_BINS;
	top->bins = block_alloc(top->bins_cap * sizeof(*top->bins));
	return top->kinds && top->streams && top->bins ? 0 : diag_no_memory(d);
}

void
top_close(struct top *top)
{
	block_free(top->bins);
	block_free(top->odd);
	top->bins = NULL;
	top->odd = NULL;
}

static inline void
add(struct tally *t, const struct event *ev)
{
	t->events++;
	t->bytes += ev->length;
}

static void
merge(struct tally *to, const struct tally *from)
{
	to->events += from->events;
	to->bytes += from->bytes;
}

/* ---- Names that no model has. ---- */

static struct odd_slot *
odd_find(struct odd_slot *slots, size_t cap, uint32_t key)
{
	size_t i = (key * UINT32_C(2654435769)) >> 8;
	while (slots[i & (cap - 1)].key && slots[i & (cap - 1)].key != key)
		i++;
	return &slots[i & (cap - 1)];
}

static int
odd_grow(struct top *top)
{
	size_t cap = top->odd_cap ? top->odd_cap * 2 : ODD_FIRST;
	struct odd_slot *slots = block_alloc(cap * sizeof(*slots));
	if (!slots)
		return diag_no_memory(top->trace->diag);
	for (size_t i = 0; i < top->odd_cap; i++)
		if (top->odd[i].key)
			*odd_find(slots, cap, top->odd[i].key) = top->odd[i];
	block_free(top->odd);
	top->odd = slots;
	top->odd_cap = cap;
	return 0;
}

static int
add_odd(struct top *top, const struct event *ev)
{
	if (top->nodd * 2 >= top->odd_cap) {
		int rc = odd_grow(top);
		if (rc < 0)
			return rc;
	}
	uint32_t key = ((uint32_t)ev->mcv[0] << 16 | (uint32_t)ev->mcv[1] << 8 | ev->mcv[2]) + 1;
	struct odd_slot *slot = odd_find(top->odd, top->odd_cap, key);
	top->nodd += slot->key == 0;
	slot->key = key;
	add(&slot->tally, ev);
	return 0;
}

/* ---- Intervals. ---- */

/* Ten bins become one. */
static void
coarsen(struct top *top)
{
	size_t n = 0;
	for (size_t i = 0; i < top->nbins; i++) {
		struct tally t = top->bins[i];
		top->bins[i] = (struct tally){ 0 };
		merge(&top->bins[i / 10], &t);
		n = i / 10 + 1;
	}
	top->nbins = n;
	top->width *= 10;
}

static int
grow_bins(struct top *top, uint64_t index)
{
	if (index >= GIVEN_BINS)
		return diag_error(top->trace->diag, ERR_USAGE, NULL,
			"intervals of %" PRId64 " ns give more than %d lines\nhint: choose a longer one with --step, or a part of the trace with --from and --to",
			top->step, GIVEN_BINS);
	size_t cap = top->bins_cap;
	while (cap <= index)
		cap *= 2;
	struct tally *bins = block_resize(top->bins, cap * sizeof(*bins));
	if (!bins)
		return diag_no_memory(top->trace->diag);
	memset(bins + top->bins_cap, 0, (cap - top->bins_cap) * sizeof(*bins));
	top->bins = bins;
	top->bins_cap = cap;
	return 0;
}

static int
add_time(struct top *top, const struct event *ev)
{
	if (ev->clock < top->origin) {
		add(&top->early, ev);
		return 0;
	}
	uint64_t since = (uint64_t)ev->clock - (uint64_t)top->origin;
	uint64_t i = since / (uint64_t)top->width;
	while (!top->step && i >= FINE_BINS) {
		coarsen(top);
		i /= 10;
	}
	if (i >= top->bins_cap) {
		int rc = grow_bins(top, i);
		if (rc < 0)
			return rc;
	}
	if (i >= top->nbins)
		top->nbins = (size_t)i + 1;
	add(&top->bins[i], ev);
	return 0;
}

/* ---- All events. ---- */

static inline int
add_event(struct top *top, const struct event *ev)
{
	switch (top->by) {
	case TOP_EVENT: {
		const struct kind *k = catalog_find(&top->catalog, ev->mcv);
		if (!k || k->any_value)
			return add_odd(top, ev);
		add(&top->kinds[k - top->catalog.kinds], ev);
		return 0;
	}
	case TOP_MODEL: add(&top->models[ev->mcv[0]], ev); return 0;
	case TOP_TIME: return add_time(top, ev);
	default: return 0; /* the sum of the stream is enough */
	}
}

static int
count_stream(struct top *top, struct stream *s, struct event *ev)
{
	struct tally sum = { 0 };
	int64_t first = INT64_MAX;
	int64_t last = INT64_MIN;
	uint64_t seen = 0;
	int rc = 0;
	do {
		if (top->progress && ++seen % PROGRESS_EVERY == 0)
			top->progress(top, top->progress_arg);
		if (!filter_takes(top->filter, ev))
			continue;
		first = ev->clock < first ? ev->clock : first;
		last = ev->clock > last ? ev->clock : last;
		add(&sum, ev);
		rc = add_event(top, ev);
	} while (rc == 0 && loose_next(s, ev));
	top->first = first < top->first ? first : top->first;
	top->last = last > top->last ? last : top->last;
	top->streams[s->rank] = sum;
	merge(&top->all, &sum);
	return rc;
}

int
top_count(struct top *top)
{
	struct trace *t = top->trace;
	struct event *heads = arena_new(&t->arena, struct event, t->nstreams);
	bool *alive = arena_new(&t->arena, bool, t->nstreams);
	if (!heads || !alive)
		return diag_no_memory(t->diag);
	int64_t origin = INT64_MAX;
	for (size_t i = 0; i < t->nstreams; i++) {
		struct stream *s = &t->streams[i];
		alive[i] = loose_next(s, &heads[i]) > 0;
		if (alive[i] && heads[i].clock < origin)
			origin = heads[i].clock;
		if (!alive[i] && !s->failed)
			diag_warn(t->diag, &(struct place){ .file = s->relpath },
				s->was_cut ? "the stream is cut before its first event" : "the stream has no events");
	}
	top->origin = origin;
	filter_range(top->filter, origin == INT64_MAX ? 0 : origin, false);
	int rc = 0;
	for (size_t i = 0; i < t->nstreams && rc == 0; i++)
		if (alive[i] && filter_takes_stream(top->filter, &t->streams[i]))
			rc = count_stream(top, &t->streams[i], &heads[i]);
	return rc;
}

/* ---- Rows. ---- */

static int
add_row(struct top *top, size_t *cap, const struct top_row *row)
{
	if (row->tally.events == 0 && top->by != TOP_TIME)
		return 0;
	struct top_row *rows = arena_grow(&top->trace->arena, top->rows, top->nrows, cap, sizeof(*rows));
	if (!rows)
		return diag_no_memory(top->trace->diag);
	top->rows = rows;
	rows[top->nrows++] = *row;
	return 0;
}

static int
event_rows(struct top *top, size_t *cap)
{
	int rc = 0;
	for (size_t i = 1; i < top->catalog.dispatch.nops && rc == 0; i++) {
		struct top_row row = { .tally = top->kinds[i], .name = top->catalog.kinds[i].model->name };
		memcpy(row.mcv, top->catalog.kinds[i].sig->mcv, 3);
		rc = add_row(top, cap, &row);
	}
	for (size_t i = 0; i < top->odd_cap && rc == 0; i++) {
		uint32_t mcv = top->odd[i].key - 1;
		struct top_row row = { .tally = top->odd[i].tally, .mcv = { (uint8_t)(mcv >> 16), (uint8_t)(mcv >> 8), (uint8_t)mcv } };
		const struct kind *k = catalog_find(&top->catalog, row.mcv);
		row.name = k ? k->model->name : NULL;
		rc = add_row(top, cap, &row);
	}
	return rc;
}

static int
model_rows(struct top *top, size_t *cap)
{
	int rc = 0;
	for (int c = 0; c < 256 && rc == 0; c++) {
		struct top_row row = { .tally = top->models[c], .mcv = { (uint8_t)c } };
		for (int i = 0; model_list[i]; i++)
			if ((uint8_t)model_list[i]->id == c)
				row.name = model_list[i]->name;
		rc = add_row(top, cap, &row);
	}
	return rc;
}

/* The name as the runtime names directories, or the stream when that is not known. */
static const char *
stream_name(struct top *top, const struct stream *s)
{
	const struct thread_meta *m = &s->meta;
	struct arena *a = &top->trace->arena;
	bool known = m->loom && (m->pid || top->by == TOP_LOOM) && (m->tid || top->by != TOP_THREAD);
	if (!known)
		return s->relpath;
	if (top->by == TOP_LOOM)
		return arena_printf(a, "loom.%s", m->loom);
	if (top->by == TOP_PROCESS)
		return arena_printf(a, "loom.%s/proc.%d", m->loom, m->pid);
	return arena_printf(a, "loom.%s/proc.%d/thread.%d", m->loom, m->pid, m->tid);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct top_row *)a)->name, ((const struct top_row *)b)->name);
}

static int
stream_rows(struct top *top, size_t *cap)
{
	int rc = 0;
	for (size_t i = 0; i < top->trace->nstreams && rc == 0; i++) {
		const struct stream *s = &top->trace->streams[i];
		struct top_row row = { .tally = top->streams[i], .stream = s, .name = stream_name(top, s) };
		rc = row.name ? add_row(top, cap, &row) : diag_no_memory(top->trace->diag);
	}
	if (rc < 0 || top->nrows == 0)
		return rc;
	/* Streams of one name are one row. */
	qsort(top->rows, top->nrows, sizeof(*top->rows), by_name);
	size_t n = 1;
	for (size_t i = 1; i < top->nrows; i++) {
		if (by_name(&top->rows[n - 1], &top->rows[i]) == 0)
			merge(&top->rows[n - 1].tally, &top->rows[i].tally);
		else
			top->rows[n++] = top->rows[i];
	}
	top->nrows = n;
	return 0;
}

/* The step, of 1, 2 or 5 and zeros, that gives about LINES rows. */
static int64_t
choose_step(const struct top *top)
{
	static const int64_t factors[] = { 1, 2, 5 };
	int64_t unit = top->width;
	for (;;) {
		for (int i = 0; i < 3; i++)
			if (unit > INT64_MAX / 100 || (int64_t)top->nbins / (unit / top->width * factors[i]) < LINES)
				return unit * factors[i];
		unit *= 10;
	}
}

static int
time_rows(struct top *top, size_t *cap)
{
	int rc = 0;
	if (!top->step)
		top->step = choose_step(top);
	size_t each = (size_t)(top->step / top->width);
	/* Only the intervals from the first event counted to the last one. */
	size_t begin = 0;
	while (begin < top->nbins && top->bins[begin].events == 0)
		begin++;
	if (top->early.events)
		rc = add_row(top, cap, &(struct top_row){ .tally = top->early, .time = -1 });
	for (size_t i = begin / each * each; i < top->nbins && rc == 0; i += each) {
		struct top_row row = { .time = (int64_t)i * top->width };
		for (size_t k = i; k < i + each && k < top->nbins; k++)
			merge(&row.tally, &top->bins[k]);
		rc = add_row(top, cap, &row);
	}
	return rc;
}

static int
by_count(const void *a, const void *b)
{
	const struct top_row *x = a;
	const struct top_row *y = b;
	if (x->tally.events != y->tally.events)
		return x->tally.events < y->tally.events ? 1 : -1;
	if (x->stream)
		return by_name(x, y);
	return memcmp(x->mcv, y->mcv, 3);
}

int
top_rows(struct top *top)
{
	size_t cap = 0;
	int rc;
	switch (top->by) {
	case TOP_EVENT: rc = event_rows(top, &cap); break;
	case TOP_MODEL: rc = model_rows(top, &cap); break;
	case TOP_TIME: return time_rows(top, &cap);
	default: rc = stream_rows(top, &cap); break;
	}
	if (rc == 0 && top->nrows)
		qsort(top->rows, top->nrows, sizeof(*top->rows), by_count);
	return rc;
}
