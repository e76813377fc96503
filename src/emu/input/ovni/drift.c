/* SPDX-License-Identifier: MIT */
/* drift: a table of clock offsets that were measured several times. Defined in
 * doc/format/trace.md, "Drift". */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORD_SIZE = 256, /* longer words are refused: a name of a host has 64 bytes */
};

#define FIRST_TITLE "wallclock"
#define SECOND_TITLE "clock_ns"

/* The file, word by word. */
struct scan {
	struct clock_table *tab;
	size_t n;
	char word[WORD_SIZE];
};

/* The rows while they are read: clock of the reference, and the offset of each host. */
struct rows {
	int64_t *clock;
	size_t clock_cap;
	int64_t *offsets; /* n times the hosts */
	size_t offsets_cap;
	size_t n;
	size_t *lines; /* of each row */
	size_t lines_cap;
};

static bool
is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* The next word of this line. 1 word, 0 end of the line, <0 (reported). */
static int
next_word(struct scan *s)
{
	int c;
	do {
		c = getc_unlocked(s->tab->f);
	} while (is_blank(c));
	s->n = 0;
	while (c != EOF && c != '\n' && !is_blank(c)) {
		if (s->n == WORD_SIZE - 1 || c == 0)
			return clkoff_bad(s->tab, "this is no text, or has words of more than %d bytes", WORD_SIZE - 1);
		s->word[s->n++] = (char)c;
		c = getc_unlocked(s->tab->f);
	}
	s->word[s->n] = 0;
	if (c == '\n') /* it also ends the line */
		(void)ungetc(c, s->tab->f);
	return s->n > 0;
}

/* To the next line. 1 there is one, 0 end of the file, <0 (reported). */
static int
next_line(struct scan *s)
{
	int c = getc_unlocked(s->tab->f);
	if (c == EOF)
		return ferror(s->tab->f) ? diag_io(s->tab->trace->diag, ERR_READ, "read", s->tab->path, errno) : 0;
	s->tab->line++;
	return 1;
}

static int
next_integer(struct scan *s, const char *what, int64_t *v)
{
	int rc = next_word(s);
	if (rc <= 0)
		return rc < 0 ? rc : clkoff_bad(s->tab, "the %s is missing", what);
	char *end;
	errno = 0;
	long long n = strtoll(s->word, &end, 10);
	if (end == s->word || *end || errno)
		return clkoff_bad(s->tab, "the %s is not an integer of 64 bits: %s", what, s->word);
	*v = n;
	return 0;
}

/* The titles: each host is an entry. */
static int
parse_hosts(struct scan *s)
{
	struct clock_table *tab = s->tab;
	int rc = next_word(s); /* FIRST_TITLE, as drift_probe() found */
	if (rc > 0)
		rc = next_word(s);
	if (rc < 0)
		return rc;
	if (strcmp(s->word, SECOND_TITLE) != 0)
		return diag_error(tab->trace->diag, ERR_CLOCK_TABLE, NULL,
			"%s: the column " SECOND_TITLE " is missing, so nothing tells which clocks the offsets are of\n"
			"hint: ovnisync of ovni writes no such column; measure with that of ovniscope",
			tab->path);
	while ((rc = next_word(s)) > 0)
		if ((rc = clkoff_add(tab, s->word, s->n, 0)) < 0)
			return rc;
	return rc == 0 && tab->n == 0 ? clkoff_bad(s->tab, "the table has no hosts") : rc;
}

static int
add_row(struct scan *s, struct rows *r)
{
	struct arena *a = &s->tab->trace->arena;
	if (!arena_grow(a, &r->clock, r->n, &r->clock_cap, sizeof(*r->clock)) ||
		!arena_grow(a, &r->offsets, r->n, &r->offsets_cap, sizeof(*r->offsets) * s->tab->n) ||
		!arena_grow(a, &r->lines, r->n, &r->lines_cap, sizeof(*r->lines)))
		return diag_no_memory(s->tab->trace->diag);
	r->lines[r->n] = s->tab->line;
	return 0;
}

/* A row whose first word has been read. */
static int
parse_row(struct scan *s, struct rows *r)
{
	char *end;
	(void)strtod(s->word, &end);
	if (end == s->word || *end)
		return clkoff_bad(s->tab, "the wall clock is not a number: %s", s->word);
	int rc = add_row(s, r);
	if (rc == 0)
		rc = next_integer(s, SECOND_TITLE, &r->clock[r->n]);
	for (size_t h = 0; h < s->tab->n && rc == 0; h++)
		rc = next_integer(s, "offset", &r->offsets[r->n * s->tab->n + h]);
	if (rc < 0)
		return rc;
	if ((rc = next_word(s)) != 0)
		return rc < 0 ? rc : clkoff_bad(s->tab, "there are more offsets than hosts");
	if (r->n && r->clock[r->n] <= r->clock[r->n - 1])
		return clkoff_bad(s->tab, SECOND_TITLE " does not ascend");
	r->n++;
	return 0;
}

/* The measurements of a host, by its own clock: the reference less the offset. */
static int
make_drift(struct clock_table *tab, const struct rows *r, size_t h)
{
	struct clock_entry *e = &tab->entries[h];
	int64_t *local = arena_new(&tab->trace->arena, int64_t, r->n);
	int64_t *offset = arena_new(&tab->trace->arena, int64_t, r->n);
	if (!local || !offset)
		return diag_no_memory(tab->trace->diag);
	for (size_t i = 0; i < r->n; i++) {
		offset[i] = r->offsets[i * tab->n + h];
		tab->line = r->lines[i];
		if (__builtin_sub_overflow(r->clock[i], offset[i], &local[i]))
			return clkoff_bad(tab, "the offset of %s is out of range", e->host);
		if (i && local[i] <= local[i - 1])
			return clkoff_bad(tab, "the clock of %s does not ascend: its offset grows faster than time", e->host);
	}
	e->drift = (struct drift){ .local = local, .offset = offset, .n = r->n };
	return 0;
}

bool
drift_probe(FILE *f)
{
	enum {
		LENGTH = sizeof(FIRST_TITLE) - 1,
	};
	char head[LENGTH + 1];
	size_t n = fread(head, 1, sizeof(head), f);
	rewind(f);
	return n == sizeof(head) && memcmp(head, FIRST_TITLE, LENGTH) == 0 && is_blank(head[LENGTH]);
}

int
drift_parse(struct clock_table *tab)
{
	tab->line = 1;
	tab->columns = "wallclock clock_ns, and the offset of each host";
	struct scan s = { .tab = tab };
	struct rows r = { 0 };
	int rc = parse_hosts(&s);
	while (rc >= 0 && (rc = next_line(&s)) > 0) {
		if ((rc = next_word(&s)) > 0)
			rc = parse_row(&s, &r);
	}
	if (rc < 0)
		return rc;
	if (r.n == 0)
		return clkoff_bad(tab, "the table has titles but no measurements");
	for (size_t h = 0; h < tab->n && rc == 0; h++)
		rc = make_drift(tab, &r, h);
	return rc;
}

/* a * b / c, rounded down, for a < c: no step overflows. */
static uint64_t
scale(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t product;
	if (!__builtin_mul_overflow(a, b, &product))
		return product / c;
	/* Long division, bit by bit of b: q * c + r is a times the bits so far. */
	uint64_t q = 0;
	uint64_t r = 0;
	for (int bit = 63; bit >= 0; bit--) {
		bool over = r >= c - r; /* r = 2 r mod c, without the carry */
		r = over ? r - (c - r) : r + r;
		q = q * 2 + over;
		if (b >> bit & 1) {
			over = r >= c - a;
			r = over ? r - (c - a) : r + a;
			q += over;
		}
	}
	return q;
}

/* The offset at a clock behind measurement i. */
static int64_t
between(const struct drift *d, size_t i, int64_t clock)
{
	if (i + 1 == d->n || clock <= d->local[i])
		return d->offset[i];
	/* Differences of ascending integers fit when they are unsigned. */
	uint64_t gone = (uint64_t)clock - (uint64_t)d->local[i];
	uint64_t span = (uint64_t)d->local[i + 1] - (uint64_t)d->local[i];
	bool up = d->offset[i + 1] >= d->offset[i];
	uint64_t from = (uint64_t)d->offset[i];
	uint64_t to = (uint64_t)d->offset[i + 1];
	uint64_t step = scale(gone, up ? to - from : from - to, span);
	return (int64_t)(up ? from + step : from - step);
}

int64_t
drift_offset(struct drift *d, int64_t clock)
{
	while (d->at > 0 && clock < d->local[d->at])
		d->at--;
	while (d->at + 1 < d->n && clock >= d->local[d->at + 1])
		d->at++;
	return between(d, d->at, clock);
}

/* The format of the trace, with the offset set anew for each event. */
static int
next(struct stream *s, struct event *ev)
{
	int rc = s->trace->undrifted->next(s, ev);
	if (rc > 0 && s->drift)
		s->clock_offset = drift_offset(s->drift, ev->clock);
	return rc;
}

int
drift_install(struct trace *t)
{
	struct stream_format *f = arena_new(&t->arena, struct stream_format, 1);
	if (!f)
		return diag_no_memory(t->diag);
	t->undrifted = t->format;
	if (t->format)
		*f = *t->format;
	f->next = next;
	t->format = f;
	return 0;
}
