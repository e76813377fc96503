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
#include <unistd.h>

static bool
is_alone(const struct uscp *u)
{
	return !(u->emu->plan->options.outputs & ~(unsigned)OUTPUTS_OF_USCOPE);
}

void
uscp_give_up(struct uscp *u, const char *what, int status)
{
	if (u->failed)
		return;
	u->failed = true;
	if (status == USCOPE_E_IO && uscp_is_page(u)) {
		uscp_fail_page(u);
		return;
	}
	if (status == USCOPE_E_IO && diag_repeats(u->emu->diag, u->path, what))
		return;
	(void)diag_error(u->emu->diag, status == USCOPE_E_NOMEM ? ERR_MEMORY : ERR_WRITE, NULL,
		"%s: %s\nhint: %swhat the file holds up to here can be read", u->path, what,
		is_alone(u) ? "" : "the other outputs are not affected; ");
}

void
uscp_check_writer(struct uscp *u)
{
	if (u->w && uscope_writer_error(u->w) && !u->failed)
		uscp_give_up(u, uscope_writer_error_info(u->w)->reason, uscope_writer_error(u->w));
}

/* Buffers SETs: batches are cheaper; anything else flushes the buffer first. */
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

/* Writes an event of the trace, which is two records: see feed_put_event(). */
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

static void
put_any(struct uscp *u, const struct record *r)
{
	enum row_class rows = uscp_class_of(u, r->row);
	const struct uscp_class *c = &u->map.classes[rows];
	if (__builtin_expect(r->row - c->first_row >= u->nknown[rows], 0))
		uscp_put_rows(u, rows, r->row - c->first_row + 1);
	if (r->kind == RECORD_PUNCTUAL) {
		put_punctual(u, c, r);
		return;
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

static void
end_cycle(struct uscp *u)
{
	put_breakdowns(u);
	uscp_end_cycle(u);
}

/* Writes the changes of one event of the trace as a cycle. Returns the record behind them. */
static const struct record *
put_cycle(struct uscp *u, const struct record *r, const struct record *end, bool whole)
{
	const struct record *next = r + 1;
	while (next < end && !next->begins)
		next++;
	u->time = r->time;
	if (next[-1].kind == RECORD_EVENT)
		put_raw(u, next - 2);
	for (; r < next; r++)
		if (r->kind <= RECORD_PUNCTUAL)
			put_any(u, r);
	/* An event that is too long for a batch goes on in the next one. */
	if (next < end || whole || u->nreductions == 0)
		end_cycle(u);
	return next;
}

/* After a failure the run goes on if there are other outputs. Returns 0, or <0. */
static int
go_on(const struct uscp *u)
{
	return u->failed && is_alone(u) ? -ERR_WRITE : 0;
}

/* Shows the first states of the rows that come in an instant, from the odd record `late` on, in a
 * cycle before it. Returns the odd record behind the instant. */
static size_t
put_late(struct uscp *u, const struct batch *b, size_t late)
{
	int64_t time = b->r[b->odd[late]].time;
	u->time = time > u->time ? time - 1 : time;
	if (u->time <= u->flushed) { /* the file has got that nanosecond; it counts ps */
		uscope_begin_cycle(u->w, uscp_ps(u->time) + 1);
		u->begun = true;
		u->times.inexact = true;
	}
	for (; late < b->nodd && b->r[b->odd[late]].time == time; late++)
		if (b->r[b->odd[late]].kind == RECORD_LATE)
			put_any(u, &b->r[b->odd[late]]);
	uscp_end_cycle(u);
	return late;
}

/* Returns the first odd record from i on of rows that come. */
static size_t
find_late(const struct batch *b, size_t i)
{
	while (i < b->nodd && b->r[b->odd[i]].kind != RECORD_LATE)
		i++;
	return i;
}

/* Returns where the plain states from r on end: at the event of the odd record `odd`, or at the
 * instant before which rows come. */
static const struct record *
end_of_plain(const struct batch *b, const struct record *r, size_t odd, size_t late)
{
	const struct record *end = b->r + b->n;
	if (late < b->nodd)
		for (end = &b->r[b->odd[late]]; end > r && end[-1].time == end->time;)
			end--;
	if (odd < b->nodd && &b->r[b->odd[odd]] < end)
		for (end = &b->r[b->odd[odd]]; end > r && !end->begins;)
			end--;
	return end;
}

/* A file that nobody has asked for must not make a good run fail: times beyond 2^64 ps are not in it. */
static void
leave_out(struct uscp *u)
{
	u->failed = u->left_out = true;
	diag_warn(u->emu->diag, NULL, "%s is left out: the trace is longer than the 213 days that such a file can tell", u->path);
	(void)unlink(u->path);
}

static int
uscp_write(void *self, const struct batch *b)
{
	struct uscp *u = self;
	if (!u->failed && b->n && b->r[b->n - 1].time > USCP_TIME_MAX && !u->emu->plan->options.uscope.asked)
		leave_out(u);
	const struct record *end = b->r + b->n;
	size_t odd = 0;
	size_t late = find_late(b, 0);
	for (const struct record *r = b->r; r < end && !u->failed;) {
		while (odd < b->nodd && &b->r[b->odd[odd]] < r)
			odd++;
		if (late < b->nodd && b->r[b->odd[late]].time == r->time)
			late = find_late(b, put_late(u, b, late));
		const struct record *plain = end_of_plain(b, r, odd, late);
		const struct record *from = r;
		if (r < plain && r->begins && u->nreductions == 0)
			r = uscp_show_cycles(u, r, plain);
		if (r == from)
			r = put_cycle(u, r, end, b->whole);
	}
	uscp_check_writer(u);
	return go_on(u);
}

static int
uscp_flush(void *self, int64_t time)
{
	(void)time;
	struct uscp *u = self;
	if (u->failed)
		return go_on(u);
	(void)uscope_writer_flush(u->w);
	u->flushed = u->time;
	uscp_check_writer(u);
	return go_on(u);
}

static int
uscp_close(void *self, int64_t duration)
{
	struct uscp *u = self;
	int rc = 0;
	if (u->w && !u->failed) {
		if (duration < u->time)
			duration = u->time;
		for (uint32_t i = 0; i < u->emu->plan->sys.ncpus; i++) {
			uscp_count_busy(u, &u->busy[i], false, duration);
			uscp_count_busy(u, &u->over[i], false, duration);
		}
		const struct density *d = &u->emu->density;
		for (size_t i = 0; d->n && i <= d->bucket; i++)
			if (d->n[i])
				uscope_summary_density(u->w, uscp_ps((int64_t)i << d->shift), d->n[i]);
		/* Labels known only at the end, and texts never shown. */
		u->time = duration;
		uscp_write_times(u, duration);
		uscp_learn_texts(u);
		uscp_put_late(u);
		rc = uscp_put_colors(u);
		uscp_end_cycle(u);
		(void)uscope_writer_set_end(u->w, uscp_ps(duration));
	}
	if (u->w && uscope_writer_finish(u->w) < 0)
		uscp_check_writer(u);
	if (u->nlabels_lost)
		diag_warn(u->emu->diag, NULL,
			"%s: %" PRIu64 " labels are left out, as its table has room for %u\nhint: --uscope-labels gives it more",
			u->path, u->nlabels_lost, u->map.nlabels);
	else if (u->ncolors_lost)
		diag_warn(u->emu->diag, NULL,
			"%s: %" PRIu64 " colours are left out, as its table has room for %u\nhint: --uscope-labels gives it more",
			u->path, u->ncolors_lost, u->map.nlabels);
	rc = rc == 0 && u->failed && !u->left_out ? -ERR_WRITE : rc;
	if (u->w) {
		int page = uscp_write_page(u);
		rc = rc ? rc : page;
	}
	uscp_finish(u);
	return rc;
}

const struct sink_ops uscp_sink = {
	.name = "ovni.uscp",
	.size = sizeof(struct uscp),
	.open = uscp_open,
	.write = uscp_write,
	.flush = uscp_flush,
	.close = uscp_close,
};
