/* SPDX-License-Identifier: MIT */
/* prvline: states as lines of a Paraver trace.
 *
 *   2:0:1:1:<row>:<time>:<type>:<value>[:<type>:<value>...]
 *
 * In the default view all pairs of a row at one instant share a line, in order of happening, and the
 * rows of an instant are in order of their first change; --compat writes a pair a line. */
#include "prvline.h"

#include <string.h>

#define NONE UINT32_MAX

enum {
	LOW = PRV_THREES * PRV_THREES, /* the last six digits of the time are below */
};

/* Sets the text of the digits above the last six. */
static void
set_time_high(struct prv_lines *p, int64_t time)
{
	p->time_high = time - time % LOW;
	p->high[0] = ':';
	p->high_size = (size_t)(fmt_u64(p->high + 1, (uint64_t)(time / LOW)) - p->high);
}

int
prv_texts_init(struct prv_texts *k, struct arena *a, const struct prv_options *o)
{
	*k = (struct prv_texts){ .first_row = o->first_row, .nrows = o->nrows, .ntypes = o->ntypes, .coalesce = o->coalesce };
	k->types = arena_new(a, struct type_text, o->ntypes);
	k->rows = arena_new(a, struct row_text, o->nrows);
	k->odd_types = arena_new(a, bool, o->ntypes);
	if (!k->types || !k->rows || !k->odd_types)
		return -1;
	for (size_t col = 0; col < o->ntypes; col++) {
		struct type_text *t = &k->types[col];
		t->text[0] = ':';
		char *end = fmt_i64(t->text + 1, o->types[col]);
		*end++ = ':';
		t->size = (uint8_t)(end - t->text);
	}
	for (uint32_t row = 0; row < o->nrows; row++) {
		struct row_text *t = &k->rows[row];
		memcpy(t->text, "2:0:1:1:", 8);
		t->size = (uint8_t)(fmt_u64(t->text + 8, (uint64_t)row + 1) - t->text);
	}
	for (uint32_t v = 0; v < PRV_SMALL; v++) {
		char text[FMT_MAX];
		k->small[v].size = (uint8_t)(fmt_u64(text, v) - text);
		memcpy(k->small[v].text, text, sizeof(k->small[v].text));
	}
	for (uint32_t v = 0; v < PRV_THREES; v++) {
		char text[FMT_MAX];
		(void)fmt_u64(text, PRV_THREES + v);
		memcpy(k->threes[v], text + 1, PRV_THREE);
	}
	return 0;
}

int
prvline_init(struct prv_lines *p, struct arena *a, const struct prv_texts *k)
{
	*p = (struct prv_lines){ .texts = k, .first_row = k->first_row, .nrows = k->nrows, .coalesce = k->coalesce, .time_high = -LOW };
	p->odd_types = arena_new(a, bool, k->ntypes);
	p->last = arena_new(a, uint32_t, k->nrows);
	p->seen = arena_new(a, uint64_t, k->nrows);
	p->order = arena_new(a, uint32_t, PRV_HELD);
	p->next = arena_new(a, uint32_t, PRV_HELD);
	return p->odd_types && p->last && p->seen && p->order && p->next ? 0 : -1;
}

void
prvline_finish(const struct prv_lines *p, struct prv_texts *k)
{
	for (size_t col = 0; col < k->ntypes; col++)
		k->odd_types[col] = k->odd_types[col] || p->odd_types[col];
}

/* Returns the row of the file that shows a record, from 0; NONE: none does. */
static inline uint32_t
row_of(const struct prv_lines *p, const struct record *r)
{
	uint32_t row = r->row - p->first_row;
	if (row < p->nrows)
		return row;
	row = r->cpu - p->first_row;
	return r->cpu && row < p->nrows ? row : NONE;
}

/* Writes "2:0:1:1:row". A copy of fixed size is cheaper than one of the right size. */
static inline char *
put_row(const struct prv_texts *k, char *to, uint32_t row)
{
	const struct row_text *t = &k->rows[row];
	memcpy(to, t->text, sizeof(t->text));
	return to + t->size;
}

/* ":time" */
static inline char *
put_time(struct prv_lines *p, const struct prv_texts *k, char *to, int64_t time)
{
	if (__builtin_expect((uint64_t)(time - p->time_high) >= LOW, 0)) {
		if (time < LOW) {
			*to++ = ':';
			return fmt_u64(to, (uint64_t)time);
		}
		set_time_high(p, time);
	}
	uint32_t low = (uint32_t)(time - p->time_high);
	memcpy(to, p->high, PRV_HIGH_SIZE);
	to += p->high_size;
	memcpy(to, k->threes[low / PRV_THREES], sizeof(k->threes[0]));
	to += PRV_THREE;
	memcpy(to, k->threes[low % PRV_THREES], sizeof(k->threes[0]));
	return to + PRV_THREE;
}

/* Writes a value that is not small. */
static inline char *
put_large(struct prv_lines *p, char *to, int64_t value)
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

/* Notes a value that Paraver cannot label, and in the other file (NULL: there is none) if its line is copied there. */
static void
note_odd(struct prv_lines *p, struct prv_lines *other, const struct record *r)
{
	p->odd_types[r->col] = true;
	if (other && r->cpu)
		other->odd_types[r->col] = true;
}

/* ":type:value" */
static inline char *
pair(struct prv_lines *p, struct prv_lines *other, const struct prv_texts *k, char *to, const struct record *r)
{
	const struct type_text *t = &k->types[r->col];
	memcpy(to, t, sizeof(*t));
	to += t->size;
	if (__builtin_expect((uint64_t)r->value < PRV_SMALL, 1)) {
		const struct value_text *v = &k->small[r->value];
		memcpy(to, v, sizeof(*v));
		return to + v->size;
	}
	if (__builtin_expect((uint64_t)r->value > INT32_MAX, 0))
		note_odd(p, other, r);
	return put_large(p, to, r->value);
}

enum {
	ROW_MAX = sizeof(struct row_text),
	TIME_MAX = 1 + FMT_MAX + 1, /* a byte behind the last digit is written too */
	PAIR_MAX = sizeof(struct type_text) + FMT_MAX + 1,
	ALONE_MAX = 16, /* most pairs of a line for the fast path */
	REST_COPY = 64, /* bytes behind the row that are always copied: a fixed size is cheaper */
	LINE_MAX_SIZE = ROW_MAX + TIME_MAX + ALONE_MAX * PAIR_MAX + 1,
	CHUNK = 64, /* records of two files that are written with one look at the room for them */
	CHUNK_MAX_SIZE = CHUNK * (ROW_MAX + TIME_MAX + PAIR_MAX + 1) + REST_COPY,
};

/* Writes the group that begins with record i and follows next[]. */
static void
put_group(struct prv_lines *p, const struct record *r, uint32_t i)
{
	char *to = textbuf_reserve(&p->out, ROW_MAX + TIME_MAX + PAIR_MAX);
	to = put_row(p->texts, to, row_of(p, &r[i]));
	to = put_time(p, p->texts, to, r[i].time);
	for (;;) {
		to = pair(p, NULL, p->texts, to, &r[i]);
		i = p->next[i];
		if (i == NONE)
			break;
		textbuf_commit(&p->out, to);
		to = textbuf_reserve(&p->out, PAIR_MAX);
	}
	*to++ = '\n';
	textbuf_commit(&p->out, to);
}

/* Writes the records of one instant, grouped by row in order of first touch. Returns the
 * record behind them. */
static const struct record *
put_instant(struct prv_lines *p, const struct record *r, const struct record *end)
{
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

struct line {
	char *rest; /* the part behind the row */
	char *end;
	const struct record *next; /* behind its records */
	bool goes_on;              /* its instant does, there */
};

/* Makes the line of records that follow each other in an instant and are of the same rows. */
static inline struct line
make_line(struct prv_lines *p, struct prv_lines *other, char *to, uint32_t row, const struct record *r, const struct record *stop)
{
	/* Locals: for the compiler, writes of text may alias any member of *p, and the records. */
	const struct prv_texts *k = p->texts;
	const int64_t time = r->time;
	const uint32_t of_row = r->row;
	const uint32_t cpu = r->cpu;
	struct line line;
	line.rest = put_row(k, to, row);
	to = put_time(p, k, line.rest, time);
	do {
		to = pair(p, other, k, to, r++);
		line.goes_on = r < stop && r->time == time;
	} while (line.goes_on && r->row == of_row && r->cpu == cpu);
	*to++ = '\n';
	line.end = to;
	line.next = r;
	return line;
}

/* Whether another row changes in the same instant, as often in a breakdown. */
static inline bool
is_shared(const struct prv_lines *p, const struct record *r, const struct record *end)
{
	return p->coalesce && r + 1 < end && r[1].time == r->time && r[1].row != r->row;
}

/* Writes the line of a record, and of those that follow it in its instant, if no other row changes there. Returns the record behind
 * them; r: nothing is written. */
static const struct record *
put_alone(struct prv_lines *p, uint32_t row, const struct record *r, const struct record *end)
{
	if (is_shared(p, r, end))
		return r;
	const struct record *stop = p->coalesce ? end : r + 1;
	if (stop - r > ALONE_MAX)
		stop = r + ALONE_MAX;
	char *to = textbuf_reserve(&p->out, LINE_MAX_SIZE);
	struct line line = make_line(p, NULL, to, row, r, stop);
	/* There may be more behind the longest line, too. */
	if (p->coalesce && line.next < end && line.next->time == r->time)
		return r;
	textbuf_commit(&p->out, line.end);
	return line.next;
}

void
prvline_put(struct prv_lines *p, const struct record *r, const struct record *end)
{
	while (r < end) {
		uint32_t row = row_of(p, r);
		const struct record *next = row == NONE ? r + 1 : put_alone(p, row, r, end);
		r = next > r ? next : put_instant(p, r, end);
	}
}

/* ---- Two files. ---- */

/* Notes that a row has a line in this instant. Returns whether it had one. */
static bool
has_line(struct prv_lines *p, const struct record *r)
{
	uint32_t row = row_of(p, r);
	if (row == NONE)
		return false;
	bool had = p->seen[row] == p->instant;
	p->seen[row] = p->instant;
	return had;
}

/* Finds the end of an instant. Returns whether the records of each row follow each other there: each is one line. */
static bool
are_lines(struct prv_lines *p, struct prv_lines *cpus, const struct record *r, const struct record **end)
{
	const int64_t time = r->time;
	const struct record *next;
	bool good = true;
	p->instant++;
	cpus->instant++;
	for (; r < *end && r->time == time; r = next) {
		for (next = r + 1; next < *end && next->time == time && next->row == r->row && next->cpu == r->cpu;)
			next++;
		bool again = has_line(p, r);
		again = has_line(cpus, r) || again;
		good = good && !again;
	}
	*end = r;
	return good;
}

/* A line of another file, behind its row. */
struct copy {
	const char *rest;
	uint32_t size;
	uint32_t row; /* of this file, from 0 */
};

/* Copies lines of another file. Of many at a time: what was just written in parts cannot be loaded as a whole before it is in the
 * cache. */
static inline char *
put_copies(const struct prv_texts *k, char *to, const struct copy *copy, const struct copy *end)
{
	for (; copy < end; copy++) {
		to = put_row(k, to, copy->row);
		memcpy(to, copy->rest, REST_COPY);
		if (__builtin_expect(copy->size > REST_COPY, 0))
			memcpy(to, copy->rest, copy->size);
		to += copy->size;
	}
	return to;
}

/* Returns the end of the first records, as many as are a chunk; of whole instants where their pairs share lines: r if the first is
 * longer. */
static const struct record *
end_of_chunk(const struct record *r, const struct record *end, bool coalesce)
{
	if (end - r <= CHUNK)
		return end;
	const struct record *stop = r + CHUNK;
	while (coalesce && stop > r && stop[-1].time == stop->time)
		stop--;
	return stop;
}

/* Writes the lines of a chunk. Returns its end, or the first record of an instant where a row has records in several places. */
static inline const struct record *
put_chunk(struct prv_lines *p, struct prv_lines *cpus, const struct record *r, const struct record *stop, const bool coalesce)
{
	const struct record *lines = r; /* the instant up to here is one line for each row */
	char *to = textbuf_reserve(&p->out, CHUNK_MAX_SIZE);
	char *cpu_to = textbuf_reserve(&cpus->out, CHUNK_MAX_SIZE);
	struct copy copies[CHUNK], *copy = copies;
	while (r < stop) {
		const bool of_cpu = r->row >= p->nrows; /* alone */
		const uint32_t cpu = r->cpu;
		const struct record *line_stop = coalesce ? stop : r + 1;
		struct line line;
		if (__builtin_expect(of_cpu, 0)) {
			cpu_to = put_copies(cpus->texts, cpu_to, copies, copy);
			copy = copies;
			line = make_line(cpus, NULL, cpu_to, r->row - cpus->first_row, r, line_stop);
		} else
			line = make_line(p, cpus, to, r->row, r, line_stop);
		if (__builtin_expect(line.goes_on, 0) && line.next >= lines) {
			lines = stop;
			if (!are_lines(p, cpus, r, &lines))
				break;
		}
		r = line.next;
		if (__builtin_expect(of_cpu, 0)) {
			cpu_to = line.end;
			continue;
		}
		to = line.end;
		*copy = (struct copy){ line.rest, (uint32_t)(line.end - line.rest), cpu - cpus->first_row };
		copy += cpu != 0;
	}
	textbuf_commit(&p->out, to);
	textbuf_commit(&cpus->out, put_copies(cpus->texts, cpu_to, copies, copy));
	return r;
}

void
prvline_put_both(struct prv_lines *p, struct prv_lines *cpus, const struct record *r, const struct record *end)
{
	if (!cpus) {
		prvline_put(p, r, end);
		return;
	}
	while (r < end) {
		const struct record *stop = end_of_chunk(r, end, p->coalesce);
		/* With a constant: the loop is made twice. */
		const struct record *next = p->coalesce ? put_chunk(p, cpus, r, stop, true) : put_chunk(p, cpus, r, stop, false);
		if (next < stop || stop == r) {
			(void)put_instant(cpus, next, end);
			next = put_instant(p, next, end);
		}
		r = next;
	}
}
