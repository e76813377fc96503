/* SPDX-License-Identifier: MIT */
#include "feed.h"

#include "arena.h"
#include "emu.h"

#include <assert.h>
#include <string.h>

static void
use_chunk(struct feed *f, struct chunk *c)
{
	f->cur = c;
	c->batch = (struct batch){ .r = c->records, .odd = c->odd, .notes = c->notes };
	f->next = f->event = c->records;
	f->end = c->records + FLOW_RECORDS;
}

/* Hands over the first n records; moves the others to another chunk. */
static void
hand_over_some(struct feed *f, size_t n)
{
	struct chunk *c = f->cur;
	size_t have = (size_t)(f->next - c->records);
	size_t nodd = c->batch.nodd;
	use_chunk(f, flow_take(f->flow));
	memcpy(f->next, c->records + n, (have - n) * sizeof(struct record));
	f->next += have - n;
	while (c->batch.nodd && c->odd[c->batch.nodd - 1] >= n)
		c->batch.nodd--;
	for (size_t i = c->batch.nodd; i < nodd; i++)
		f->cur->odd[f->cur->batch.nodd++] = c->odd[i] - (uint32_t)n;
	size_t nnotes = c->batch.nnotes;
	while (c->batch.nnotes && c->notes[c->batch.nnotes - 1].at > n)
		c->batch.nnotes--;
	for (size_t i = c->batch.nnotes; i < nnotes; i++) {
		struct note *to = &f->cur->notes[f->cur->batch.nnotes++];
		*to = c->notes[i];
		to->at -= (uint32_t)n;
	}
	c->batch.n = n;
	c->batch.elsewhere = f->elsewhere;
	flow_give(f->flow, c);
}

/* Makes room for so many records of a part, or forgets those there are: then the run fails. */
static void
grow(struct feed *f, size_t room)
{
	size_t n = (size_t)(f->next - f->own);
	size_t event = (size_t)(f->event - f->own);
	struct record *own = f->lent ? block_alloc(room * sizeof(*own)) : block_resize(f->own, room * sizeof(*own));
	if (own && f->lent)
		memcpy(own, f->own, n * sizeof(*own));
	f->lent = f->lent && !own;
	f->lost = f->lost || !own;
	f->own = own ? own : f->own;
	f->next = own ? own + n : f->own;
	f->event = own ? own + event : f->own;
	f->end = own ? own + room : f->end;
	f->nnotes = own ? f->nnotes : 0;
}

void
feed_roll(struct feed *f)
{
	if (f->own) {
		grow(f, (size_t)(f->end - f->own) * 2);
		return;
	}
	struct chunk *c = f->cur;
	assert(c && f->next);
	if (f->drops) {
		use_chunk(f, c);
		return;
	}
	size_t have = (size_t)(f->next - c->records);
	size_t event = f->event ? (size_t)(f->event - c->records) : 0;
	size_t n = chunk_find_apart(c, have);
	c->batch.apart = n > 0;
	n = n ? n : event ? event
			  : have;
	c->batch.whole = n < have && c->records[n].begins;
	bool leaves = !f->event || event < n;
	hand_over_some(f, n);
	f->event = leaves ? NULL : f->cur->records + (event - n);
}

void
feed_cut(struct feed *f)
{
	size_t n = (size_t)(f->next - f->cur->records);
	f->cur->batch.whole = f->cur->batch.apart = true;
	if (n && !f->drops)
		hand_over_some(f, n);
}

uint64_t
feed_lend(struct feed *f, struct feed *to)
{
	*to = *f;
	return flow_lend(f->flow, f->cur);
}

void
feed_renew(struct feed *f)
{
	use_chunk(f, flow_take(f->flow));
}

void
feed_give_lent(struct feed *to)
{
	struct batch *b = &to->cur->batch;
	b->n = (size_t)(to->next - to->cur->records);
	b->whole = b->apart = true;
	flow_give_lent(to->flow, to->cur);
}

void
feed_drop(struct feed *f, bool drops)
{
	f->drops = drops;
	use_chunk(f, f->cur);
}

void
feed_flush(struct feed *f)
{
	struct batch *b = &f->cur->batch;
	size_t n = f->drops ? 0 : (size_t)(f->next - f->cur->records);
	b->next = n ? f->next[-1].time : 0;
	while (n && b->r[n - 1].time == b->next)
		n--;
	if (n) {
		b->whole = b->flush = true;
		b->apart = b->next > b->r[n - 1].time + 1;
		hand_over_some(f, n);
	}
	flow_flush(f->flow); /* also when no record leaves: a full chunk may be held back */
}

/* Adds an odd record. There must be room. */
static void
put_odd(struct feed *f, struct record r)
{
	assert(f->next && f->next < f->end);
	r.begins = f->next == f->event;
	if (f->cur)
		f->cur->odd[f->cur->batch.nodd++] = (uint32_t)(f->next - f->cur->records);
	*f->next++ = r;
}

static void
add_odd(struct feed *f, const struct record *r)
{
	if (f->next == f->end)
		feed_roll(f);
	put_odd(f, *r);
}

/* Adds a note of a part, or forgets it: then the run fails. */
static void
put_own_note(struct feed *f, const struct note *n)
{
	if (f->nnotes == f->notes_cap) {
		size_t room = f->notes_cap ? f->notes_cap * 2 : FLOW_NOTES;
		struct note *notes = block_resize(f->notes, room * sizeof(*notes));
		f->lost = f->lost || !notes;
		if (!notes)
			return;
		f->notes = notes;
		f->notes_cap = room;
	}
	struct note *to = &f->notes[f->nnotes++];
	*to = *n;
	to->at = (uint32_t)(f->next - f->own);
}

void
feed_put_note(struct feed *f, const struct note *n)
{
	if (f->own) {
		put_own_note(f, n);
		return;
	}
	while (f->cur->batch.nnotes == FLOW_NOTES)
		feed_roll(f);
	struct note *to = &f->cur->notes[f->cur->batch.nnotes++];
	*to = *n;
	to->at = (uint32_t)(f->next - f->cur->records);
}

void
feed_put_punctual(struct feed *f, int64_t time, uint32_t row, uint32_t col, int64_t value, int64_t before)
{
	add_odd(f, &(struct record){ .time = time, .value = value, .row = row, .col = (uint16_t)col, .kind = RECORD_PUNCTUAL, .before = before });
}

void
feed_put_late(struct feed *f, int64_t time, uint32_t row, uint32_t col, int64_t value)
{
	const struct record r = { .time = time, .value = value, .row = row, .col = (uint16_t)col, .kind = RECORD_LATE };
	add_odd(f, &r);
	f->next[-1].chan = row * f->ncols + col;
}

void
feed_put_event(struct feed *f, int64_t time, uint32_t thread, const uint8_t mcv[3], uint32_t size, const uint64_t payload[2])
{
	/* Both records must be in one chunk: hand over one that has room for one only. */
	while (f->end - f->next < 2)
		feed_roll(f);
	const struct record r = { .time = time, .kind = RECORD_EVENT };
	put_odd(f, r);
	put_odd(f, r);
	f->next[-2].value = (int64_t)payload[0];
	f->next[-2].row = thread;
	f->next[-2].col = (uint16_t)(mcv[0] | mcv[1] << 8);
	f->next[-1].value = (int64_t)payload[1];
	f->next[-1].row = size;
	f->next[-1].col = mcv[2];
}

const struct record *
feed_append_odd(struct feed *f, const struct record *r)
{
	/* Both records of an event of the trace itself must be in one chunk. */
	size_t n = r->kind == RECORD_EVENT ? 2 : 1;
	while ((size_t)(f->end - f->next) < n)
		feed_roll(f);
	struct chunk *c = f->cur;
	f->event = r->begins ? f->next : f->event;
	for (; n; n--) {
		if (!record_is_state(r->kind))
			c->odd[c->batch.nodd++] = (uint32_t)(f->next - c->records);
		*f->next++ = *r++;
	}
	return r;
}

void
feed_append_two(struct feed *f, const struct record **a, const struct record *a_end, const struct record **b, const struct record *b_end)
{
	const struct record *x = *a, *y = *b;
	while (x < a_end && y < b_end) {
		size_t n = (size_t)(a_end - x) < (size_t)(b_end - y) ? (size_t)(a_end - x) : (size_t)(b_end - y);
		n = n < (size_t)(f->end - f->next) ? n : (size_t)(f->end - f->next);
		struct record *to = f->next, *event = f->event;
		for (; n; n--) {
			const size_t later = y->time < x->time;
			const struct record *r = later ? y : x;
			if (__builtin_expect(!record_is_state(r->kind), 0))
				break;
			event = r->begins ? to : event;
			*to++ = *r;
			y += later;
			x += 1 - later;
		}
		f->next = to;
		f->event = event;
		if (n == 0 && to < f->end)
			continue;
		if (x == a_end || y == b_end)
			break;
		const struct record **first = y->time < x->time ? &y : &x;
		*first = feed_append_odd(f, *first);
	}
	*a = x;
	*b = y;
}

/* ---- Life. ---- */

int
feed_begin_own(struct feed *f, uint32_t ncols, size_t n)
{
	*f = (struct feed){ .ncols = ncols, .own = block_alloc(n * sizeof(struct record)) };
	f->next = f->event = f->own;
	f->end = f->own + n;
	return f->own ? 0 : -ERR_MEMORY;
}

void
feed_use_own(struct feed *f, struct record *lent, size_t n)
{
	assert(f->own && f->next == f->own && !f->lent);
	block_free(f->own);
	f->own = f->next = f->event = lent;
	f->end = lent + n;
	f->lent = true;
}

void
feed_end_own(struct feed *f)
{
	if (!f->lent)
		block_free(f->own);
	block_free(f->notes);
}

void
feed_hand_over_own(struct feed *f, struct feed *out, size_t nrecords, size_t nnotes)
{
	struct feed was = *f;
	size_t n = (size_t)(was.next - was.own) - nrecords;
	*f = *out;
	*out = was;
	out->next -= n;
	out->nnotes = nnotes;
	f->next = f->event = f->own;
	f->nnotes = 0;
	if ((size_t)(f->end - f->own) <= n)
		grow(f, n * 2);
	if (f->lost)
		return;
	memcpy(f->own, out->next, n * sizeof(*f->own));
	f->next = f->event = f->own + n;
	for (size_t i = nnotes; i < was.nnotes && !f->lost; i++) {
		put_own_note(f, &was.notes[i]);
		f->notes[i - nnotes].at = was.notes[i].at - (uint32_t)nrecords;
	}
}

bool
feed_failed(const struct feed *f)
{
	return flow_failed(f->flow);
}

int
feed_open(struct feed *f, struct diag *d, const struct emu *emu, const char *dir,
	const struct sink_ops *const *sinks, size_t nsinks)
{
	*f = (struct feed){ .ncols = emu ? (uint32_t)emu->plan->ncols : 0 };
	return flow_open(&f->flow, d, emu, dir, sinks, nsinks);
}

int
feed_start(struct feed *f, unsigned threads)
{
	int rc = flow_start(f->flow, threads > 1 ? threads - 1 : 0);
	if (rc == 0)
		use_chunk(f, flow_take(f->flow));
	return rc;
}

int
feed_close(struct feed *f, int64_t duration)
{
	if (f->cur && (f->next > f->cur->records || f->cur->batch.nnotes) && !f->drops) {
		f->cur->batch.n = (size_t)(f->next - f->cur->records);
		f->cur->batch.whole = f->cur->batch.apart = true;
		flow_give(f->flow, f->cur);
	}
	int rc = flow_close(f->flow, duration);
	*f = (struct feed){ 0 };
	return rc;
}
