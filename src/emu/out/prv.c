/* SPDX-License-Identifier: MIT */
/* prv: the records of one class of rows, as Paraver events.
 *
 *   #Paraver (19/01/38 at 03:14):<20 digits of duration>_ns:0:1:1(<rows>:1)
 *   2:0:1:1:<row>:<time>:<type>:<value>[:<type>:<value>...]
 *
 * The date is fixed, so that the same trace gives the same file. In the default view all
 * pairs of a row at one instant share a record, in order of happening, and the rows of
 * an instant are in order of their first change; --compat writes a pair a line. */
#include "fmt.h"
#include "out.h"

#include <inttypes.h>
#include <string.h>

#define HEAD "#Paraver (19/01/38 at 03:14):"
#define NONE UINT32_MAX

enum {
	HEAD_SIZE = sizeof(HEAD) - 1,
	TIME_SIZE = 32,
	LOW = 100000000, /* 10^8 */
};

struct type_text {
	uint8_t size;
	bool odd_values; /* some that Paraver cannot label */
	char text[14];   /* ":type:" */
};

struct prv {
	const struct emu *emu;
	struct arena arena;
	struct wbuf out;
	uint32_t first_row;
	uint32_t nrows;
	bool coalesce;
	struct type_text *types; /* of each column */

	/* Text of the current instant. The digits above the last eight seldom change. */
	int64_t time;
	int64_t time_high; /* multiple of 10^8 that the text has; -1 none */
	size_t time_size;
	char time_text[TIME_SIZE]; /* ":time" */

	/* Grouping of an instant by rows: the records of a row are a list. */
	uint32_t *last; /* of each row: its last record, if seen[] is this instant */
	uint64_t *seen;
	uint64_t instant;
	uint32_t *order; /* first record of each group */
	uint32_t *next;
	size_t cap; /* of order and next */
};

static void
put_header(struct prv *p)
{
	char duration[20];
	(void)fmt_pad20(duration, 0);
	wbuf_put(&p->out, HEAD, HEAD_SIZE);
	wbuf_put(&p->out, duration, sizeof(duration));
	wbuf_printf(&p->out, "_ns:0:1:1(%" PRIu32 ":1)\n", p->nrows);
}

static int
prv_open(void *self, const struct emu *emu, const char *dir, enum row_class rows)
{
	struct prv *p = self;
	p->emu = emu;
	p->first_row = rows == ROW_THREAD ? 0 : emu->sys.nthreads;
	p->nrows = emu_nrows(emu, rows);
	p->coalesce = !emu->options.compat;
	p->time = -1;
	p->cap = FEED_RECORDS;
	p->types = arena_new(&p->arena, struct type_text, emu->ncols);
	p->last = arena_new(&p->arena, uint32_t, p->nrows);
	p->seen = arena_new(&p->arena, uint64_t, p->nrows);
	p->order = arena_new(&p->arena, uint32_t, p->cap);
	p->next = arena_new(&p->arena, uint32_t, p->cap);
	const char *path = out_path(&p->arena, emu, dir, rows, "prv");
	int rc = -ERR_MEMORY;
	if (path)
		rc = p->types && p->last && p->seen && p->order && p->next ? out_open(&p->out, emu, path) : diag_no_memory(emu->diag);
	if (rc < 0) {
		arena_finish(&p->arena);
		return rc;
	}
	for (uint32_t col = 0; col < emu->ncols; col++) {
		struct type_text *t = &p->types[col];
		t->text[0] = ':';
		char *end = fmt_i64(t->text + 1, out_decl(emu, rows, col)->prv_type);
		*end++ = ':';
		t->size = (uint8_t)(end - t->text);
	}
	put_header(p);
	/* Who looks at the directory while the run goes on finds a file that opens. */
	(void)wbuf_flush(&p->out);
	return 0;
}

static inline void
set_time(struct prv *p, int64_t time)
{
	if (time == p->time)
		return;
	p->time = time;
	if (time - p->time_high < LOW && p->time_high > 0) {
		fmt_8digits(p->time_text + p->time_size - 8, (uint32_t)(time - p->time_high));
		return;
	}
	p->time_high = time - time % LOW;
	p->time_text[0] = ':';
	p->time_size = (size_t)(fmt_i64(p->time_text + 1, time) - p->time_text);
}

/* "2:0:1:1:row:time" */
static inline char *
begin(struct prv *p, char *to, uint32_t row)
{
	memcpy(to, "2:0:1:1:", 8);
	to = fmt_u64(to + 8, row - p->first_row + 1);
	memcpy(to, p->time_text, TIME_SIZE); /* a fixed size is cheaper than the right one */
	return to + p->time_size;
}

/* ":type:value" */
static inline char *
pair(struct prv *p, char *to, const struct record *r)
{
	struct type_text *t = &p->types[r->col];
	memcpy(to, t->text, sizeof(t->text));
	t->odd_values |= (uint64_t)r->value > INT32_MAX;
	return fmt_i64(to + t->size, r->value);
}

enum {
	BEGIN_MAX = 8 + FMT_MAX + TIME_SIZE,
	PAIR_MAX = sizeof(((struct type_text *)0)->text) + FMT_MAX + 1,
	ALONE_MAX = 16, /* pairs of a line that is written at once */
};

/* Writes the group that begins with record i and follows next[]. */
static void
put_group(struct prv *p, const struct record *r, uint32_t i)
{
	char *to = wbuf_reserve(&p->out, BEGIN_MAX + PAIR_MAX);
	to = begin(p, to, r[i].row);
	for (;;) {
		to = pair(p, to, &r[i]);
		i = p->next[i];
		if (i == NONE)
			break;
		wbuf_commit(&p->out, to);
		to = wbuf_reserve(&p->out, PAIR_MAX);
	}
	*to++ = '\n';
	wbuf_commit(&p->out, to);
}

/* The records of one instant, grouped by row in order of first touch. */
static void
put_instant(struct prv *p, const struct record *r, size_t n)
{
	set_time(p, r[0].time);
	size_t ngroups = 0;
	p->instant++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = r[i].row - p->first_row;
		if (p->seen[row] == p->instant)
			p->next[p->last[row]] = i;
		else
			p->order[ngroups++] = i;
		p->seen[row] = p->instant;
		p->last[row] = i;
		p->next[i] = NONE;
	}
	for (size_t g = 0; g < ngroups; g++)
		put_group(p, r, p->order[g]);
}

/* How many of the records, of one instant, are of one row and leave the instant with
 * them. 0: other rows change in it too, or there are too many for one line. */
static inline size_t
alone(const struct prv *p, const struct record *r, size_t n)
{
	size_t k = 1;
	while (k < n && r[k].time == r[0].time) {
		if (!p->coalesce)
			return 1;
		if (r[k].row != r[0].row || k == ALONE_MAX)
			return 0;
		k++;
	}
	return k;
}

static int
prv_write(void *self, const struct record *r, size_t n)
{
	struct prv *p = self;
	for (size_t i = 0; i < n;) {
		size_t k = alone(p, &r[i], n - i);
		if (__builtin_expect(k == 0, 0)) {
			for (k = 1; i + k < n && r[i + k].time == r[i].time && k < p->cap;)
				k++;
			put_instant(p, &r[i], k);
			i += k;
			continue;
		}
		set_time(p, r[i].time);
		char *to = wbuf_reserve(&p->out, BEGIN_MAX + ALONE_MAX * PAIR_MAX);
		to = begin(p, to, r[i].row);
		for (size_t end = i + k; i < end; i++)
			to = pair(p, to, &r[i]);
		*to++ = '\n';
		wbuf_commit(&p->out, to);
	}
	if (wbuf_failed(&p->out))
		return diag_error(p->emu->diag, ERR_WRITE, NULL,
			"cannot write '%s': %s\nhint: the run stops; what was written before can be opened",
			p->out.path, strerror(p->out.error));
	return 0;
}

static void
warn_values(const struct prv *p)
{
	for (uint32_t col = 0; col < p->emu->ncols; col++)
		if (p->types[col].odd_values)
			diag_warn(p->emu->diag, NULL,
				"%s: type %.*s has values that Paraver cannot label or colour (negative, or above 2147483647)",
				p->out.path, p->types[col].size - 2, p->types[col].text + 1);
}

static int
prv_close(void *self, int64_t duration)
{
	struct prv *p = self;
	char digits[20];
	(void)fmt_pad20(digits, (uint64_t)duration);
	bool failed = wbuf_failed(&p->out);
	if (wbuf_flush(&p->out) < 0) {
		/* The disk is full: what is there is made a file that opens. */
		wbuf_trim(&p->out, '\n');
		if (failed)
			p->out.error = 0; /* it was reported */
	}
	wbuf_patch(&p->out, HEAD_SIZE, digits, sizeof(digits));
	if (p->coalesce)
		warn_values(p);
	int rc = 0;
	if (failed) {
		(void)wbuf_close(&p->out);
		rc = -ERR_WRITE;
	} else {
		rc = out_close(&p->out, p->emu);
	}
	arena_finish(&p->arena);
	return rc;
}

const struct sink_ops prv_sink = {
	.name = "prv",
	.size = sizeof(struct prv),
	.open = prv_open,
	.write = prv_write,
	.close = prv_close,
};
