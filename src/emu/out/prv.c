/* SPDX-License-Identifier: MIT */
/* prv: the records of some rows, as Paraver events.
 *
 *   #Paraver (19/01/38 at 03:14):<20 digits of duration>_ns:0:1:1(<rows>:1)
 *   2:0:1:1:<row>:<time>:<type>:<value>[:<type>:<value>...]
 *
 * When rows may come late, their number has leading zeros: as many digits as it may need.
 * The date is fixed, so that the same trace gives the same file. In the default view all
 * pairs of a row at one instant share a record, in order of happening, and the rows of
 * an instant are in order of their first change; --compat writes a pair a line. */
#include "prv.h"

#include "paraver.h"

#include <inttypes.h>
#include <string.h>

#define HEAD "#Paraver (19/01/38 at 03:14):"
#define UNIT "_ns:0:1:1("
#define NONE UINT32_MAX

enum {
	HEAD_SIZE = sizeof(HEAD) - 1,
	DURATION = 20, /* digits */
	ROWS_AT = HEAD_SIZE + DURATION + sizeof(UNIT) - 1,
	LOW_DIGITS = 4,
	LOW = 10000,
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

static void
prepare(struct prv *p, const int *types, size_t ntypes)
{
	for (size_t col = 0; col < ntypes; col++) {
		struct type_text *t = &p->types[col];
		t->text[0] = ':';
		char *end = fmt_i64(t->text + 1, types[col]);
		*end++ = ':';
		t->size = (uint8_t)(end - t->text);
	}
	for (uint32_t row = 0; row < p->nrows; row++) {
		struct row_text *t = &p->row_texts[row];
		memcpy(t->text, "2:0:1:1:", 8);
		t->size = (uint8_t)(fmt_u64(t->text + 8, (uint64_t)row + 1) - t->text);
	}
	for (uint32_t v = 0; v < PRV_SMALL; v++) {
		char text[FMT_MAX];
		p->small[v].size = (uint8_t)(fmt_u64(text, v) - text);
		memcpy(p->small[v].text, text, sizeof(p->small[v].text));
	}
}

/* Sets the text of the digits above the last four. */
static void
set_time_high(struct prv *p, int64_t time)
{
	p->time_high = time - time % LOW;
	p->high[0] = ':';
	p->high_size = 1;
	if (p->time_high)
		p->high_size = (size_t)(fmt_u64(p->high + 1, (uint64_t)(p->time_high / LOW)) - p->high);
}

static inline void
set_time(struct prv *p, int64_t time)
{
	if (time == p->time)
		return;
	p->time = time;
	if (__builtin_expect((uint64_t)(time - p->time_high) >= LOW, 0))
		set_time_high(p, time);
	p->low = fmt_fours((uint64_t)(time - p->time_high));
	p->low_size = p->time_high ? LOW_DIGITS : fmt_trim(&p->low, LOW_DIGITS);
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
	if (!p->types || !p->row_texts || !p->last || !p->seen || !p->order || !p->next || !p->held)
		return diag_no_memory(o->diag);
	int rc = paraver_open(&p->out, o->diag, o->path);
	if (rc < 0)
		return rc;
	prepare(p, o->types, o->ntypes);
	set_time_high(p, 0);
	put_header(p);
	/* The header reaches the disk now: a viewer can open the file during the run. */
	(void)wbuf_flush(&p->out);
	return 0;
}

/* Returns the row of the file that shows a record, from 0; NONE: none does. */
static inline uint32_t
row_of(const struct prv *p, const struct record *r)
{
	uint32_t row = r->row - p->first_row;
	if (row < p->nrows)
		return row;
	row = r->cpu - p->first_row;
	return r->cpu && row < p->nrows ? row : NONE;
}

/* Writes "2:0:1:1:row". A copy of fixed size is cheaper than one of the right size. */
static inline char *
put_row(const struct prv *p, char *to, uint32_t row)
{
	const struct row_text *t = &p->row_texts[row];
	memcpy(to, t->text, sizeof(t->text));
	return to + t->size;
}

/* ":time" */
static inline char *
put_time(const struct prv *p, char *to)
{
	memcpy(to, p->high, PRV_HIGH_SIZE);
	to += p->high_size;
	fmt_put(to, p->low);
	return to + p->low_size;
}

/* Writes a value that is not small. */
static inline char *
put_large(struct prv *p, char *to, int64_t value)
{
	/* Hashes of labels differ in all bits, task numbers in the lowest: mix both. */
	struct large_text *l = &p->large[(uint64_t)(value ^ value >> 8) % PRV_LARGE];
	if (l->value != value) {
		l->value = value;
		l->size = (uint8_t)(fmt_i64(l->text, value) - l->text);
	}
	memcpy(to, l->text, sizeof(l->text));
	return to + l->size;
}

/* ":type:value" */
static inline char *
pair(struct prv *p, struct type_text *types, char *to, const struct record *r)
{
	struct type_text *t = &types[r->col];
	memcpy(to, t, sizeof(*t));
	to += t->size;
	if (__builtin_expect((uint64_t)r->value < PRV_SMALL, 1)) {
		const struct value_text *v = &p->small[r->value];
		memcpy(to, v, sizeof(*v));
		return to + v->size;
	}
	if ((uint64_t)r->value > INT32_MAX)
		t->odd_values = p->odd_values = true;
	return put_large(p, to, r->value);
}

enum {
	ROW_MAX = sizeof(struct row_text),
	TIME_MAX = PRV_HIGH_SIZE + sizeof(uint64_t),
	PAIR_MAX = sizeof(struct type_text) + FMT_MAX + 1,
	ALONE_MAX = 16, /* most pairs of a line for the fast path */
	REST_COPY = 64, /* bytes behind the row that are always copied: a fixed size is cheaper */
	LINE_MAX_SIZE = ROW_MAX + TIME_MAX + ALONE_MAX * PAIR_MAX + REST_COPY,
};

/* Writes the group that begins with record i and follows next[]. */
static void
put_group(struct prv *p, const struct record *r, uint32_t i)
{
	char *to = wbuf_reserve(&p->out, ROW_MAX + TIME_MAX + PAIR_MAX);
	to = put_row(p, to, row_of(p, &r[i]));
	to = put_time(p, to);
	for (;;) {
		to = pair(p, p->types, to, &r[i]);
		i = p->next[i];
		if (i == NONE)
			break;
		wbuf_commit(&p->out, to);
		to = wbuf_reserve(&p->out, PAIR_MAX);
	}
	*to++ = '\n';
	wbuf_commit(&p->out, to);
}

/* Writes the records of one instant, grouped by row in order of first touch. Returns the
 * record behind them. */
static const struct record *
put_instant(struct prv *p, const struct record *r, const struct record *end)
{
	set_time(p, r->time);
	uint32_t ngroups = 0;
	p->instant++;
	uint32_t n = 0;
	for (; &r[n] < end && r[n].time == r[0].time && n < PRV_HELD; n++) {
		uint32_t row = row_of(p, &r[n]);
		if (row == NONE)
			continue;
		if (p->seen[row] == p->instant)
			p->next[p->last[row]] = n;
		else
			p->order[ngroups++] = n;
		p->seen[row] = p->instant;
		p->last[row] = n;
		p->next[n] = NONE;
	}
	for (uint32_t g = 0; g < ngroups; g++)
		put_group(p, r, p->order[g]);
	return r + n;
}

/* The part of a line behind its row. */
struct rest {
	const char *text;
	size_t size;
};

/* Writes the line of a row that changes alone in its instant, as nearly all do. Returns
 * the record behind it; NULL and nothing written when other rows change too, or when
 * there are too many pairs. */
static inline const struct record *
put_line(struct prv *p, uint32_t row, const struct record *r, const struct record *end, struct rest *rest)
{
	/* A local: for the compiler, writes of text may alias any member of *p. */
	struct type_text *types = p->types;
	const struct record *first = r;
	const struct record *stop = p->coalesce ? end : r + 1;
	if (stop - r > ALONE_MAX)
		stop = r + ALONE_MAX;
	set_time(p, r->time);
	char *to = wbuf_reserve(&p->out, LINE_MAX_SIZE);
	rest->text = to = put_row(p, to, row);
	to = put_time(p, to);
	do
		to = pair(p, types, to, r++);
	while (r < stop && r->time == first->time && r->row == first->row && r->cpu == first->cpu);
	if (p->coalesce && r < end && r->time == first->time)
		return NULL;
	*to++ = '\n';
	wbuf_commit(&p->out, to);
	rest->size = (size_t)(to - rest->text);
	return r;
}

/* Writes the line in the other file, with another row. */
static inline void
put_same_line(struct prv *p, uint32_t row, const struct rest *rest)
{
	char *to = wbuf_reserve(&p->out, LINE_MAX_SIZE);
	to = put_row(p, to, row);
	memcpy(to, rest->text, REST_COPY);
	if (__builtin_expect(rest->size > REST_COPY, 0))
		memcpy(to, rest->text, rest->size);
	wbuf_commit(&p->out, to + rest->size);
}

/* Reports the failure of a write, once. */
static int
check_written(struct prv *p)
{
	if (!wbuf_failed(&p->out))
		return 0;
	if (p->told)
		return -ERR_WRITE;
	p->told = true;
	return diag_error(p->diag, ERR_WRITE, NULL,
		"cannot write '%s': %s\nhint: the run stops; what was written before can be opened",
		p->out.path, strerror(p->out.error));
}

/* Whether another row changes in the same instant, as often in a breakdown. */
static inline bool
is_shared(const struct prv *p, const struct record *r, const struct record *end)
{
	return p->coalesce && r + 1 < end && r[1].time == r->time && r[1].row != r->row;
}

static void
put_all(struct prv *p, const struct record *r, const struct record *end)
{
	while (r < end) {
		uint32_t row = row_of(p, r);
		struct rest rest;
		const struct record *next = NULL;
		if (row == NONE)
			next = r + 1;
		else if (!is_shared(p, r, end))
			next = put_line(p, row, r, end, &rest);
		r = next ? next : put_instant(p, r, end);
	}
}

/* Returns the record behind those of the same instant. */
static const struct record *
end_of_instant(const struct record *r, const struct record *end)
{
	const struct record *first = r;
	while (r < end && r->time == first->time)
		r++;
	return r;
}

/* The line of the CPU file was copied, not formatted: note its values beyond 32 bits there
 * too. */
static void
share_odd_values(struct prv *from, struct prv *to, const struct record *r, const struct record *end)
{
	from->odd_values = false;
	for (; r < end; r++)
		to->types[r->col].odd_values |= (uint64_t)r->value > INT32_MAX;
}

/* Writes a line in the file of threads, in that of CPUs, or in both. Returns as put_line(). */
static inline const struct record *
put_lines(struct prv *threads, struct prv *cpus, const struct record *r, const struct record *end)
{
	struct rest rest;
	if (__builtin_expect(r->row >= threads->nrows, 0))
		return put_line(cpus, r->row - cpus->first_row, r, end, &rest);
	const struct record *next = put_line(threads, r->row, r, end, &rest);
	if (!next || !r->cpu)
		return next;
	put_same_line(cpus, r->cpu - cpus->first_row, &rest);
	if (__builtin_expect(threads->odd_values, 0))
		share_odd_values(threads, cpus, r, next);
	return next;
}

/* Writes states in their order: whole instants, or parts of long ones. */
static void
put_states(struct prv *p, struct prv *cpus, const struct record *r, const struct record *end)
{
	if (!cpus) {
		put_all(p, r, end);
		return;
	}
	while (r < end) {
		const struct record *next = put_lines(p, cpus, r, end);
		if (__builtin_expect(!next, 0)) {
			next = end_of_instant(r, end);
			put_all(p, r, next);
			put_all(cpus, r, next);
		}
		r = next;
	}
}

/* ---- Records that are held back, and punctual values. ---- */

/* Most of what is held shares its instant with other rows: trying one line for all of it is in vain. */
static void
put_held(struct prv *p, struct prv *cpus, size_t n)
{
	put_all(p, p->held, p->held + n);
	if (cpus)
		put_all(cpus, p->held, p->held + n);
	p->nheld -= n;
	memmove(p->held, p->held + n, p->nheld * sizeof(*p->held));
}

/* Writes the held records that no record at `time` or later can precede. */
static void
release(struct prv *p, struct prv *cpus, int64_t time)
{
	size_t n = p->nheld;
	while (n && p->held[n - 1].time >= time - 1)
		n--;
	put_held(p, cpus, n);
}

/* Writes everything that is held, in the middle of the instant at `time`. */
static void
cut(struct prv *p, struct prv *cpus, int64_t time)
{
	put_held(p, cpus, p->nheld);
	p->cut = time;
	p->ninstant = 0;
}

/* Makes room for two more records; writes all but the last instant if a nanosecond fills the
 * buffer, and everything if that instant does: --compat has no limit for one. */
static void
make_room(struct prv *p, struct prv *cpus)
{
	int64_t last = p->held[p->nheld - 1].time;
	release(p, cpus, last);
	if (p->nheld + 2 > PRV_HELD)
		release(p, cpus, last + 1);
	if (p->nheld + 2 > PRV_HELD)
		cut(p, cpus, last);
}

/* Holds a state, behind those held of its time: that of the last one, or 1 ns before. */
static void
hold_state(struct prv *p, const struct record *r, int64_t time)
{
	p->ninstant += time == p->in_instant;
	size_t at = p->nheld++;
	for (; at && p->held[at - 1].time > time; at--)
		p->held[at] = p->held[at - 1];
	p->held[at] = *r;
	p->held[at].time = time;
}

/* Whether the row has a line of that type at that time. */
static bool
has_line(const struct prv *p, const struct record *r)
{
	for (const struct record *h = p->held + p->nheld; h-- > p->held && h->time == r->time;)
		if ((h->row == r->row || (h->cpu && h->cpu == r->row)) && h->col == r->col)
			return true;
	return false;
}

static void
hold(struct prv *p, struct prv *cpus, const struct record *r)
{
	struct record line = *r;
	if (r->time != p->in_instant) {
		p->ninstant = 0;
		if (p->nheld > PRV_ENOUGH)
			release(p, cpus, r->time);
	}
	p->in_instant = r->time;
	if (p->nheld + 2 > PRV_HELD)
		make_room(p, cpus);
	/* No line goes before time 0, or before lines already written. */
	int64_t before = r->time > 0 && p->cut != r->time ? r->time - 1 : r->time;
	if (r->kind == RECORD_PUNCTUAL) {
		line.before = 0; /* only one row shows it */
		hold_state(p, &line, has_line(p, r) ? r->time : before);
		line.value = r->before;
	}
	hold_state(p, &line, r->kind == RECORD_LATE ? before : r->time);
	/* Long instants are cut at fixed sizes: the file must not depend on batches. */
	if (p->coalesce && p->ninstant >= PRV_INSTANT)
		cut(p, cpus, r->time);
}

/* Whether no line can come between the held ones: the next record has another instant, and
 * no odd one comes before `odd`. */
static bool
is_apart(const struct prv *p, int64_t next, int64_t odd)
{
	int64_t last = p->nheld ? p->held[p->nheld - 1].time : -1;
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
		while (odd < b->odd + b->nodd && &b->r[*odd] < r)
			odd++;
		int64_t time = odd < b->odd + b->nodd ? b->r[*odd].time : end[-1].time;
		if (is_apart(p, r->time, time)) {
			put_held(p, cpus, p->nheld);
			const struct record *stop = first_held(p, b, r, odd, time);
			put_states(p, cpus, r, stop);
			r = stop;
		}
		if (r < end)
			hold(p, cpus, r++);
	}
	int rc = check_written(p);
	int bad = cpus ? check_written(cpus) : 0;
	return rc ? rc : bad;
}

int
prv_put(struct prv *p, const struct record *r)
{
	if (is_apart(p, r->time, r->time))
		put_held(p, NULL, p->nheld);
	hold(p, NULL, r);
	return check_written(p);
}

int
prv_release(struct prv *p, struct prv *cpus, int64_t time)
{
	release(p, cpus, time);
	(void)wbuf_flush(&p->out);
	if (cpus)
		(void)wbuf_flush(&cpus->out);
	int rc = check_written(p);
	int bad = cpus ? check_written(cpus) : 0;
	return rc ? rc : bad;
}

int
prv_settle(struct prv *p, struct prv *cpus)
{
	put_held(p, cpus, p->nheld);
	int rc = check_written(p);
	int bad = cpus ? check_written(cpus) : 0;
	return rc ? rc : bad;
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
