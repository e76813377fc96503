/* SPDX-License-Identifier: MIT */
#include "prvform.h"

#include <string.h>

int
prvform_init(struct prv_form *p, struct arena *a, const struct prv_texts *texts, const struct prv_texts *cpus)
{
	*p = (struct prv_form){ .in_instant = -1, .cut = -1 };
	p->cpus = cpus ? arena_new(a, struct prv_lines, 1) : NULL;
	if (prvline_init(&p->lines, a, texts) < 0 || (cpus && (!p->cpus || prvline_init(p->cpus, a, cpus) < 0)))
		return -1;
	/* Seldom used: last, so that the arena is still small and makes no room that would be touched. */
	p->held = arena_new(a, struct record, PRV_HELD);
	p->now = arena_new(a, struct record, PRV_HELD);
	return p->held && p->now ? 0 : -1;
}

/* Most of what is held shares its instant with other rows: trying one line for all of it is in vain. */
static void
put_lines(struct prv_form *p, const struct record *r, size_t n)
{
	prvline_put(&p->lines, r, r + n);
	if (p->cpus)
		prvline_put(p->cpus, r, r + n);
}

static void
put_all(struct prv_form *p)
{
	put_lines(p, p->held, p->nheld);
	put_lines(p, p->now, p->nnow);
	p->nheld = p->nnow = 0;
}

/* Time of the last line that is held; -1: there is none. */
static int64_t
last_time(const struct prv_form *p)
{
	if (p->nnow)
		return p->in_instant;
	return p->nheld ? p->held[p->nheld - 1].time : -1;
}

/* Moves the lines of the last instant behind those before it: no record of that instant follows. */
static void
end_instant(struct prv_form *p)
{
	memcpy(p->held + p->nheld, p->now, p->nnow * sizeof(*p->now));
	p->nheld += p->nnow;
	p->nnow = 0;
}

/* Writes the lines of former instants that no record at `time` or later can precede. */
static void
release(struct prv_form *p, int64_t time)
{
	size_t n = p->nheld;
	while (n && p->held[n - 1].time >= time - 1)
		n--;
	put_lines(p, p->held, n);
	p->nheld -= n;
	memmove(p->held, p->held + n, p->nheld * sizeof(*p->held));
}

/* Writes everything that is held, in the middle of the instant at `time`. */
static void
cut(struct prv_form *p, int64_t time)
{
	put_all(p);
	p->cut = time;
}

/* Makes room for two more lines; writes all but the last instant if a nanosecond fills the
 * buffer, and everything if that instant does: --compat has no limit for one. */
static void
make_room(struct prv_form *p)
{
	int64_t last = last_time(p);
	release(p, last);
	if (p->nheld + p->nnow + 2 > PRV_HELD)
		release(p, last + 1);
	if (p->nheld + p->nnow + 2 > PRV_HELD)
		cut(p, last);
}

/* Whether the row has a line of that type in the last instant. */
static bool
has_line(const struct prv_form *p, const struct record *r)
{
	for (const struct record *h = p->now + p->nnow; h-- > p->now;)
		if (h->col == r->col && (h->row == r->row || (h->cpu && h->cpu == r->row)))
			return true;
	return false;
}

/* Appends a line 1 ns before the instant, behind those that were at that time; in the instant itself at
 * time 0, and when lines of it are already written. */
static void
hold_before(struct prv_form *p, const struct record *r)
{
	bool first = r->time == 0 || p->cut == r->time;
	struct record *line = first ? &p->now[p->nnow++] : &p->held[p->nheld++];
	*line = *r;
	line->time -= !first;
}

static void
hold(struct prv_form *p, const struct record *r)
{
	if (r->time != p->in_instant) {
		end_instant(p);
		if (p->nheld > PRV_ENOUGH)
			release(p, r->time);
		p->in_instant = r->time;
	}
	if (p->nheld + p->nnow + 2 > PRV_HELD)
		make_room(p);
	if (r->kind == RECORD_PUNCTUAL) {
		struct record line = *r;
		line.before = 0; /* only one row shows it */
		if (has_line(p, r))
			p->now[p->nnow++] = line;
		else
			hold_before(p, &line);
		line.value = r->before;
		p->now[p->nnow++] = line;
	} else if (r->kind == RECORD_LATE) {
		hold_before(p, r);
	} else {
		p->now[p->nnow++] = *r;
	}
	/* Long instants are cut at fixed sizes: the file must not depend on batches. */
	if (p->lines.coalesce && p->nnow >= PRV_INSTANT)
		cut(p, r->time);
}

/* Whether no line can come between the held ones: the next record has another instant, and
 * no odd one comes before `odd`. */
static bool
is_apart(const struct prv_form *p, int64_t next, int64_t odd)
{
	int64_t last = last_time(p);
	return last < 0 || next - last > 1 || (next > last && odd - last > 1);
}

/* Returns the first record from r on that must be held: of the last nanosecond before an odd
 * record, or before the end. */
static const struct record *
first_held(const struct prv_form *p, const struct batch *b, const struct record *r, const uint32_t *odd, int64_t time)
{
	const struct record *stop = odd < b->odd + b->nodd ? &b->r[*odd] : b->r + b->n;
	if (p->lines.coalesce || stop < b->r + b->n)
		while (stop > r && stop[-1].time >= time - 1)
			stop--;
	return stop;
}

void
prvform_write(struct prv_form *p, const struct batch *b)
{
	const struct record *end = b->r + b->n;
	const uint32_t *odd = b->odd;
	for (const struct record *r = b->r; r < end;) {
		if (p->nnow && r->time == p->in_instant) {
			hold(p, r++);
			continue;
		}
		while (odd < b->odd + b->nodd && &b->r[*odd] < r)
			odd++;
		int64_t time = odd < b->odd + b->nodd ? b->r[*odd].time : end[-1].time;
		if (is_apart(p, r->time, time)) {
			put_all(p);
			const struct record *stop = first_held(p, b, r, odd, time);
			prvline_put_both(&p->lines, p->cpus, r, stop);
			r = stop;
		}
		if (r < end)
			hold(p, r++);
	}
}

void
prvform_put(struct prv_form *p, const struct record *r)
{
	if (is_apart(p, r->time, r->time))
		put_all(p);
	hold(p, r);
}

void
prvform_release(struct prv_form *p, int64_t time)
{
	if (time > p->in_instant)
		end_instant(p);
	release(p, time);
}

void
prvform_settle(struct prv_form *p)
{
	put_all(p);
	p->in_instant = p->cut = -1;
}
