/* SPDX-License-Identifier: MIT */
/* prv: the records of some rows, as Paraver events: the header, and which states are written when.
 *
 *   #Paraver (19/01/38 at 03:14):<20 digits of duration>_ns:0:1:1(<rows>:1)
 *
 * When rows may come late, their number has leading zeros: as many digits as it may need.
 * The date is fixed, so that the same trace gives the same file. */
#include "prv.h"

#include "paraver.h"

#include <inttypes.h>
#include <string.h>

#define HEAD "#Paraver (19/01/38 at 03:14):"
#define UNIT "_ns:0:1:1("

enum {
	HEAD_SIZE = sizeof(HEAD) - 1,
	DURATION = 20, /* digits */
	ROWS_AT = HEAD_SIZE + DURATION + sizeof(UNIT) - 1,
};

static void
put_header(struct prv *p)
{
	char duration[DURATION];
	(void)fmt_pad20(duration, 0);
	wbuf_put(&p->out, HEAD, HEAD_SIZE);
	wbuf_put(&p->out, duration, sizeof(duration));
	wbuf_printf(&p->out, UNIT "%" PRIu32 ":1)\n", p->nrows);
}

int
prv_start(struct prv *p, const struct prv_options *o)
{
	*p = (struct prv){
		.diag = o->diag,
		.first_row = o->first_row,
		.nrows = o->nrows,
		.nknown = o->nrows,
		.late_rows = o->late_rows,
		.coalesce = o->coalesce,
		.silent = o->silent,
		.time = -1,
		.in_instant = -1,
		.cut = -1,
		.ntypes = o->ntypes,
	};
	p->types = arena_new(&p->arena, struct type_text, o->ntypes);
	p->row_texts = arena_new(&p->arena, struct row_text, o->nrows);
	p->last = arena_new(&p->arena, uint32_t, o->nrows);
	p->seen = arena_new(&p->arena, uint64_t, o->nrows);
	p->order = arena_new(&p->arena, uint32_t, PRV_HELD);
	p->next = arena_new(&p->arena, uint32_t, PRV_HELD);
	p->held = arena_new(&p->arena, struct record, PRV_HELD);
	p->now = arena_new(&p->arena, struct record, PRV_HELD);
	if (!p->types || !p->row_texts || !p->last || !p->seen || !p->order || !p->next || !p->held || !p->now)
		return diag_no_memory(o->diag);
	int rc = paraver_open(&p->out, o->diag, o->path);
	if (rc < 0)
		return rc;
	prvline_prepare(p, o->types);
	put_header(p);
	/* The header reaches the disk now: a viewer can open the file during the run. */
	(void)wbuf_flush(&p->out);
	return 0;
}

/* Reports the failure of a write to a file (NULL: there is none), once. */
static int
check_file(struct prv *p)
{
	if (!p || !wbuf_failed(&p->out))
		return 0;
	if (p->told)
		return -ERR_WRITE;
	p->told = true;
	if (diag_repeats(p->diag, p->out.path, strerror(p->out.error)))
		return -ERR_WRITE;
	return diag_error(p->diag, ERR_WRITE, NULL,
		"cannot write '%s': %s\nhint: the run stops; what was written before can be opened",
		p->out.path, strerror(p->out.error));
}

static int
check_written(struct prv *p, struct prv *cpus)
{
	int rc = check_file(p);
	int bad = check_file(cpus);
	return rc ? rc : bad;
}

/* Most of what is held shares its instant with other rows: trying one line for all of it is in vain. */
static void
put_lines(struct prv *p, struct prv *cpus, const struct record *r, size_t n)
{
	prvline_put(p, r, r + n);
	if (cpus)
		prvline_put(cpus, r, r + n);
}

static void
put_all(struct prv *p, struct prv *cpus)
{
	put_lines(p, cpus, p->held, p->nheld);
	put_lines(p, cpus, p->now, p->nnow);
	p->nheld = p->nnow = 0;
}

/* Time of the last line that is held; -1: there is none. */
static int64_t
last_time(const struct prv *p)
{
	if (p->nnow)
		return p->in_instant;
	return p->nheld ? p->held[p->nheld - 1].time : -1;
}

/* Moves the lines of the last instant behind those before it: no record of that instant follows. */
static void
end_instant(struct prv *p)
{
	memcpy(p->held + p->nheld, p->now, p->nnow * sizeof(*p->now));
	p->nheld += p->nnow;
	p->nnow = 0;
}

/* Writes the lines of former instants that no record at `time` or later can precede. */
static void
release(struct prv *p, struct prv *cpus, int64_t time)
{
	size_t n = p->nheld;
	while (n && p->held[n - 1].time >= time - 1)
		n--;
	put_lines(p, cpus, p->held, n);
	p->nheld -= n;
	memmove(p->held, p->held + n, p->nheld * sizeof(*p->held));
}

/* Writes everything that is held, in the middle of the instant at `time`. */
static void
cut(struct prv *p, struct prv *cpus, int64_t time)
{
	put_all(p, cpus);
	p->cut = time;
}

/* Makes room for two more lines; writes all but the last instant if a nanosecond fills the
 * buffer, and everything if that instant does: --compat has no limit for one. */
static void
make_room(struct prv *p, struct prv *cpus)
{
	int64_t last = last_time(p);
	release(p, cpus, last);
	if (p->nheld + p->nnow + 2 > PRV_HELD)
		release(p, cpus, last + 1);
	if (p->nheld + p->nnow + 2 > PRV_HELD)
		cut(p, cpus, last);
}

/* Whether the row has a line of that type in the last instant. */
static bool
has_line(const struct prv *p, const struct record *r)
{
	for (const struct record *h = p->now + p->nnow; h-- > p->now;)
		if (h->col == r->col && (h->row == r->row || (h->cpu && h->cpu == r->row)))
			return true;
	return false;
}

/* Appends a line 1 ns before the instant, behind those that were at that time; in the instant itself at
 * time 0, and when lines of it are already written. */
static void
hold_before(struct prv *p, const struct record *r)
{
	bool first = r->time == 0 || p->cut == r->time;
	struct record *line = first ? &p->now[p->nnow++] : &p->held[p->nheld++];
	*line = *r;
	line->time -= !first;
}

static void
hold(struct prv *p, struct prv *cpus, const struct record *r)
{
	if (r->time != p->in_instant) {
		end_instant(p);
		if (p->nheld > PRV_ENOUGH)
			release(p, cpus, r->time);
		p->in_instant = r->time;
	}
	if (p->nheld + p->nnow + 2 > PRV_HELD)
		make_room(p, cpus);
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
	if (p->coalesce && p->nnow >= PRV_INSTANT)
		cut(p, cpus, r->time);
}

/* Whether no line can come between the held ones: the next record has another instant, and
 * no odd one comes before `odd`. */
static bool
is_apart(const struct prv *p, int64_t next, int64_t odd)
{
	int64_t last = last_time(p);
	return last < 0 || next - last > 1 || (next > last && odd - last > 1);
}

/* Returns the first record from r on that must be held: of the last nanosecond before an odd
 * record, or before the end. */
static const struct record *
first_held(const struct prv *p, const struct batch *b, const struct record *r, const uint32_t *odd, int64_t time)
{
	const struct record *stop = odd < b->odd + b->nodd ? &b->r[*odd] : b->r + b->n;
	if (p->coalesce || stop < b->r + b->n)
		while (stop > r && stop[-1].time >= time - 1)
			stop--;
	return stop;
}

int
prv_write(struct prv *p, struct prv *cpus, const struct batch *b)
{
	const struct record *end = b->r + b->n;
	const uint32_t *odd = b->odd;
	for (const struct record *r = b->r; r < end;) {
		if (p->nnow && r->time == p->in_instant) {
			hold(p, cpus, r++);
			continue;
		}
		while (odd < b->odd + b->nodd && &b->r[*odd] < r)
			odd++;
		int64_t time = odd < b->odd + b->nodd ? b->r[*odd].time : end[-1].time;
		if (is_apart(p, r->time, time)) {
			put_all(p, cpus);
			const struct record *stop = first_held(p, b, r, odd, time);
			prvline_put_both(p, cpus, r, stop);
			r = stop;
		}
		if (r < end)
			hold(p, cpus, r++);
	}
	return check_written(p, cpus);
}

int
prv_put(struct prv *p, const struct record *r)
{
	if (is_apart(p, r->time, r->time))
		put_all(p, NULL);
	hold(p, NULL, r);
	return check_file(p);
}

int
prv_release(struct prv *p, struct prv *cpus, int64_t time)
{
	if (time > p->in_instant)
		end_instant(p);
	release(p, cpus, time);
	(void)wbuf_flush(&p->out);
	if (cpus)
		(void)wbuf_flush(&cpus->out);
	return check_written(p, cpus);
}

int
prv_settle(struct prv *p, struct prv *cpus)
{
	put_all(p, cpus);
	return check_written(p, cpus);
}

void
prv_set_rows(struct prv *p, uint32_t n)
{
	p->nknown = n;
}

static void
patch_rows(struct prv *p)
{
	char all[FMT_MAX];
	char known[DURATION];
	size_t n = (size_t)(fmt_u64(all, p->nrows) - all);
	(void)fmt_pad20(known, p->nknown);
	wbuf_patch(&p->out, ROWS_AT, known + DURATION - n, n);
}

static void
warn_values(const struct prv *p)
{
	for (uint32_t col = 0; col < p->ntypes; col++)
		if (p->types[col].odd_values)
			diag_warn(p->diag, NULL,
				"%s: type %.*s has values that Paraver cannot label or colour (negative, or above 2147483647)",
				p->out.path, p->types[col].size - 2, p->types[col].text + 1);
}

int
prv_finish(struct prv *p, int64_t duration)
{
	if (!p->out.data) { /* it was not opened */
		arena_finish(&p->arena);
		return 0;
	}
	(void)prv_settle(p, NULL);
	char digits[DURATION];
	(void)fmt_pad20(digits, (uint64_t)duration);
	if (wbuf_flush(&p->out) < 0) {
		/* The disk is full: cut behind the last whole line, so that the file opens. */
		wbuf_trim(&p->out, '\n');
		if (p->told)
			p->out.error = 0;
	}
	wbuf_patch(&p->out, HEAD_SIZE, digits, sizeof(digits));
	if (p->late_rows)
		patch_rows(p);
	if (p->coalesce && !p->silent)
		warn_values(p);
	int rc = 0;
	if (p->told) {
		(void)wbuf_close(&p->out);
		rc = -ERR_WRITE;
	} else {
		rc = paraver_close(&p->out, p->diag);
	}
	arena_finish(&p->arena);
	return rc;
}
