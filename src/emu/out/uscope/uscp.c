/* SPDX-License-Identifier: MIT */
/* uscp: the timelines of all rows as one µScope file, ovni.uscp.
 *
 * Every record of a PRV is one SET, in the same order; a cycle of the file is one event of
 * the trace. A file that cannot be written does not harm the others: it is completed with
 * what it has, and the run goes on if it has another output. Layout in doc/format/timeline.md. */
#include "uscp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void
uscp_give_up(struct uscp *u, const char *what, int status)
{
	if (u->failed)
		return;
	u->failed = true;
	(void)diag_error(u->emu->diag, status == USCOPE_E_NOMEM ? ERR_MEMORY : ERR_WRITE, NULL,
		"%s: %s\nhint: %swhat the file holds up to here can be read", u->path, what,
		u->emu->options.uscope.alone ? "" : "the other outputs are not affected; ");
}

void
uscp_check_writer(struct uscp *u)
{
	if (u->w && uscope_writer_error(u->w) && !u->failed)
		uscp_give_up(u, uscope_writer_error_info(u->w)->reason, uscope_writer_error(u->w));
}

/* ---- Cycles. ---- */

/* Phrases are kept until the cycle ends, as the writer takes them at once for less. What
 * is none goes behind those before it. */
void
uscp_begin_cycle(struct uscp *u)
{
	if (!u->begun)
		uscope_begin_cycle(u->w, uscp_ps(u->time));
	u->begun = true;
	for (size_t i = 0; i < u->nlines; i++)
		uscope_phrase(u->w, u->lines[i].phrase);
	u->nlines = 0;
}

void
uscp_end_cycle(struct uscp *u)
{
	if (u->failed)
		u->nlines = 0;
	if (u->begun) {
		uscp_begin_cycle(u);
		uscope_end_cycle(u->w);
	} else if (!u->failed) {
		uscope_cycles(u->w, u->lines, u->nlines);
	}
	u->begun = false;
	u->nlines = 0;
}

/* ---- Punctual values. ---- */

/* The first record says the value, at t - 1 or t; one at t, of the same event, says what
 * the row showed before. The file has one event, at t. */
static void
hold(struct uscp *u, const struct record *r)
{
	struct record *p = arena_grow(&u->arena, u->pending, u->npending, &u->pending_cap, sizeof(*p));
	if (!p) {
		uscp_give_up(u, "memory is exhausted", USCOPE_E_NOMEM);
		return;
	}
	u->pending = p;
	p[u->npending++] = *r;
}

/* Whether the record ends a punctual value; then in *value. */
static bool
release(struct uscp *u, const struct record *r, struct record *value)
{
	for (size_t i = 0; i < u->npending; i++) {
		const struct record *p = &u->pending[i];
		if (p->row != r->row || p->col != r->col || (p->event & ~RECORD_PUNCTUAL) != r->event)
			continue;
		*value = *p;
		memmove(&u->pending[i], &u->pending[i + 1], (--u->npending - i) * sizeof(*p));
		return true;
	}
	return false;
}

static void
store_le(uint8_t *to, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void
put_punctual(struct uscp *u, const struct uscp_class *c, const struct record *r)
{
	uint8_t payload[14];
	store_le(payload, 4, r->row - c->first_row + 1);
	store_le(payload + 4, 2, c->cols[r->col].channel);
	store_le(payload + 6, 8, (uint64_t)r->value);
	uscp_begin_cycle(u);
	uscope_event(u->w, c->punctual, payload);
}

/* An event of the trace, which is two records: see struct batch. */
static void
put_raw(struct uscp *u, const struct record *r)
{
	uint8_t payload[24];
	store_le(payload, 4, r[0].row + 1);
	payload[4] = (uint8_t)r[0].col;
	payload[5] = (uint8_t)(r[0].col >> 8);
	payload[6] = (uint8_t)r[1].col;
	payload[7] = (uint8_t)r[1].row;
	store_le(payload + 8, 8, (uint64_t)r[0].value);
	store_le(payload + 16, 8, (uint64_t)r[1].value);
	uscp_begin_cycle(u);
	uscope_event(u->w, u->map.raw_event, payload);
}

/* ---- Events of the trace. ---- */

/* The records of a lane, and how far they are written. */
struct cursor {
	const struct record *begin;
	const struct record *at;
	const struct record *end;
};

/* Both lines of a punctual value are at t when there was one before, and the reader knows
 * that. Where an instant was too long for a batch they may be for no such reason: then
 * they are written as what they are. */
static bool
is_plain(const struct cursor *c, const struct record *r, const struct record *value)
{
	if (value->time != r->time || r->time == 0)
		return true;
	for (const struct record *p = r; p-- > c->begin && p->time == r->time;)
		if ((p->row == r->row || (p->cpu && p->cpu == r->row)) && p->col == r->col && !(p->event & RECORD_PUNCTUAL))
			return true;
	return false;
}

static void
put_any(struct uscp *u, const struct cursor *cur, const struct record *r)
{
	const struct uscp_class *cpus = &u->map.classes[ROW_CPU];
	enum row_class rows = r->row < cpus->first_row ? ROW_THREAD : ROW_CPU;
	const struct uscp_class *c = &u->map.classes[rows];
	struct record value;
	if (__builtin_expect(r->row - c->first_row >= u->nknown[rows], 0))
		uscp_put_rows(u, rows, r->row - c->first_row + 1);
	if (__builtin_expect(u->npending != 0, 0) && release(u, r, &value)) {
		if (is_plain(cur, r, &value)) {
			put_punctual(u, c, &value);
			return;
		}
		uscp_show(u, &value);
	}
	uscp_show(u, r);
	if (r->col == COL_NRUNNING)
		uscp_count_running(u, r);
	for (size_t i = 0; i < u->nreductions; i++)
		if (reduce_matters(&u->reductions[i], r))
			reduce_take(&u->reductions[i], r);
}

static void
put_breakdowns(struct uscp *u)
{
	const struct uscp_class *c = &u->map.classes[USCP_BREAKDOWN];
	for (size_t i = 0; i < u->nreductions; i++) {
		struct reduction *r = &u->reductions[i];
		uint32_t n = r->ntouched ? reduce_end(r) : 0;
		for (uint32_t k = 0; k < n; k++)
			uscp_show_own(u, &c->cols[i], r->changed[k], r->shown[r->changed[k]]);
	}
}

/* Sets punctual values aside, up to the next other record. */
static void
skip_punctuals(struct uscp *u, struct cursor *c)
{
	for (; c->at < c->end && c->at->event & RECORD_PUNCTUAL; c->at++)
		hold(u, c->at);
}

/* Events are counted in 15 bits: which of two of an instant is the earlier. */
static bool
is_earlier(const struct record *a, const struct record *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return ((a->event - b->event) & (RECORD_PUNCTUAL >> 1)) != 0;
}

/* The earliest record of all lanes; NULL: there are no more. */
static inline const struct record *
first_record(const struct cursor cur[])
{
	const struct cursor *rows = &cur[LANE_ROWS];
	const struct cursor *events = &cur[LANE_EVENTS];
	const struct record *row = rows->at < rows->end ? rows->at : NULL;
	const struct record *event = events->at < events->end ? events->at : NULL;
	if (!row || !event)
		return row ? row : event;
	return is_earlier(event, row) ? event : row;
}

static inline bool
is_next(const struct cursor *c, int64_t time, uint16_t event)
{
	return c->at < c->end && c->at->time == time && c->at->event == event;
}

/* All that one event of the trace has changed. */
static void
put_cycle(struct uscp *u, struct cursor cur[], int64_t time, uint16_t event)
{
	u->time = time;
	for (; is_next(&cur[LANE_EVENTS], time, event); cur[LANE_EVENTS].at += 2)
		put_raw(u, cur[LANE_EVENTS].at);
	for (struct cursor *rows = &cur[LANE_ROWS]; is_next(rows, time, event); skip_punctuals(u, rows))
		put_any(u, rows, rows->at++);
	/* An event that is too long for a batch goes on in the next one. */
	u->unended = u->nreductions && !first_record(cur);
	u->last_event = event;
	if (u->nreductions && !u->unended)
		put_breakdowns(u);
	uscp_end_cycle(u);
}

/* The event that ended the last batch, after all. */
static void
end_event(struct uscp *u)
{
	if (!u->unended)
		return;
	u->unended = false;
	put_breakdowns(u);
	uscp_end_cycle(u);
}

/* Whether the run goes on, as others do. */
static int
go_on(const struct uscp *u)
{
	return u->failed && u->emu->options.uscope.alone ? -ERR_WRITE : 0;
}

static int
uscp_write(void *self, const struct batch *b)
{
	struct uscp *u = self;
	if (u->failed || !u->w)
		return go_on(u);
	struct cursor cur[LANES];
	for (int i = 0; i < LANES; i++)
		cur[i] = (struct cursor){ b->r[i], b->r[i], b->r[i] + b->n[i] };
	skip_punctuals(u, &cur[LANE_ROWS]);
	const struct record *first = first_record(cur);
	if (first && (first->time != u->time || first->event != u->last_event))
		end_event(u);
	struct cursor *rows = &cur[LANE_ROWS];
	bool plain = u->nreductions == 0 && b->n[LANE_EVENTS] == 0;
	for (const struct record *r; !u->failed && (r = first_record(cur));) {
		if (plain && u->npending == 0) {
			rows->at = uscp_show_cycles(u, r, rows->end);
			skip_punctuals(u, rows);
			if (rows->at > r)
				continue;
		}
		put_cycle(u, cur, r->time, r->event);
	}
	uscp_check_writer(u);
	return go_on(u);
}

/* What came so far are whole events, and what comes is later. */
static int
uscp_flush(void *self)
{
	struct uscp *u = self;
	if (u->failed || !u->w)
		return go_on(u);
	end_event(u);
	(void)uscope_writer_flush(u->w);
	uscp_check_writer(u);
	return go_on(u);
}

/* ---- Close. ---- */

static int
uscp_close(void *self, int64_t duration)
{
	struct uscp *u = self;
	if (u->w && !u->failed) {
		end_event(u);
		if (duration < u->time)
			duration = u->time;
		for (uint32_t i = 0; i < u->emu->sys.ncpus; i++) {
			uscp_count_busy(u, &u->busy[i], false, duration);
			uscp_count_busy(u, &u->over[i], false, duration);
		}
		const struct density *d = &u->emu->density;
		for (size_t i = 0; d->n && i <= d->bucket; i++)
			if (d->n[i])
				uscope_summary_density(u->w, uscp_ps((int64_t)i << d->shift), d->n[i]);
		/* Texts of what never ran, and what is only known now. */
		if (atomic_load(&u->last_text->next) || uscp_has_late(u)) {
			u->time = duration;
			uscp_learn_texts(u);
			uscp_put_late(u);
			uscp_end_cycle(u);
		}
		(void)uscope_writer_set_end(u->w, uscp_ps(duration));
	}
	if (u->w && uscope_writer_finish(u->w) < 0)
		uscp_check_writer(u);
	if (u->nlabels_lost)
		diag_warn(u->emu->diag, NULL,
			"%s: %" PRIu64 " labels are left out, as its table has room for %u\nhint: --uscope-labels gives it more",
			u->path, u->nlabels_lost, u->map.nlabels);
	int rc = u->failed ? -ERR_WRITE : 0;
	uscp_finish(u);
	return rc;
}

const struct sink_ops uscp_sink = {
	.name = "uscope",
	.size = sizeof(struct uscp),
	.open = uscp_open,
	.write_all = uscp_write,
	.flush = uscp_flush,
	.close = uscp_close,
};
