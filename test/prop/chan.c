/* SPDX-License-Identifier: MIT */
/* Random operations on channels, against lists. */
#include "chan.h"

#include "kit.h"

#include <string.h>

enum {
	NROWS = 4,
	NTHREADS = 3,
	NCOLS = 6,
};

/* The twin: a list of values each (a set replaces it all), the value at the end of the
 * last event, whether it was written in this one, and who was written, in order. */
struct twin {
	int64_t list[CHAN_STACK_MAX];
	int n;
	int64_t last;
	bool written;
};

static struct twin twins[NROWS][NCOLS];
static int order[NROWS * NCOLS];
static int norder;

static int64_t
top(const struct twin *t)
{
	return t->n ? t->list[t->n - 1] : CHAN_NULL;
}

static void
write_twin(int row, int col)
{
	if (!twins[row][col].written)
		order[norder++] = row * NCOLS + col;
	twins[row][col].written = true;
}

/* As spec: written twice, then duplicates, then room. 1: no effect. */
static int
may_write(const struct twin *t, const struct col *c, bool rewrite, int64_t v)
{
	if (t->written)
		return rewrite && c->kind == CHAN_SINGLE ? 0 : -ERR_CHAN_TWICE;
	if (v == t->last && c->dup != DUP_ALLOW)
		return c->dup == DUP_SKIP ? 1 : -ERR_CHAN_REPEATED;
	return 0;
}

static int
twin_set(int row, int col, const struct col *c, bool rewrite, int64_t v)
{
	struct twin *t = &twins[row][col];
	int rc = may_write(t, c, rewrite, v);
	if (rc)
		return rc < 0 ? rc : 0;
	t->n = 1;
	t->list[0] = v;
	write_twin(row, col);
	return 0;
}

static int
twin_push(int row, int col, const struct col *c, int64_t v)
{
	struct twin *t = &twins[row][col];
	int rc = may_write(t, c, false, v);
	if (rc)
		return rc < 0 ? rc : 0;
	if (t->n == CHAN_STACK_MAX)
		return -ERR_STACK_FULL;
	t->list[t->n++] = v;
	write_twin(row, col);
	return 0;
}

static int
twin_pop(int row, int col, int64_t v)
{
	struct twin *t = &twins[row][col];
	if (t->written)
		return -ERR_CHAN_TWICE;
	if (!t->n)
		return -ERR_STACK_EMPTY;
	if (top(t) != v)
		return -ERR_STACK_MISMATCH;
	t->n--;
	write_twin(row, col);
	return 0;
}

static int
twin_truncate(int row, int col, int depth)
{
	struct twin *t = &twins[row][col];
	if (depth >= t->n)
		return 0;
	if (t->written)
		return -ERR_CHAN_TWICE;
	t->n = depth;
	write_twin(row, col);
	return 0;
}

static void
compare(const struct chans *c, const struct col *cols)
{
	CHECK((int)c->ndirty == norder);
	for (int i = 0; i < norder; i++)
		CHECK((int)(c->dirty[i].row * NCOLS + c->dirty[i].col) == order[i]);
	for (uint32_t row = 0; row < NROWS; row++) {
		for (uint32_t col = 0; col < NCOLS; col++) {
			CHECK(c->value[chan_id(c, row, col)] == top(&twins[row][col]));
			if (cols[col].kind == CHAN_STACK && row < NTHREADS)
				CHECK((int)chan_depth(c, row, col) == twins[row][col].n);
		}
	}
}

static void
one(uint64_t *x)
{
	struct col cols[NCOLS] = { 0 };
	uint32_t stacks = 0;
	for (int i = 0; i < NCOLS; i++) {
		cols[i].kind = i < NCOLS / 2 ? CHAN_SINGLE : CHAN_STACK;
		cols[i].dup = (enum dup)kit_below(x, 3);
		cols[i].stack = stacks;
		stacks += cols[i].kind == CHAN_STACK;
	}
	memset(twins, 0, sizeof(twins));
	for (int i = 0; i < NROWS * NCOLS; i++)
		twins[i / NCOLS][i % NCOLS].last = CHAN_NULL;
	norder = 0;
	struct arena a = { 0 };
	struct chans c;
	CHECK(chan_init(&c, &a, cols, NCOLS, NROWS, NTHREADS) == 0);
	c.rewrite = kit_below(x, 2);
	uint64_t deep = kit_below(x, 4) ? 2 : 12; /* sometimes mostly pushes */
	for (int i = 0; i < 3000; i++) {
		uint32_t row = (uint32_t)kit_below(x, NTHREADS);
		uint32_t col = (uint32_t)kit_below(x, NCOLS);
		int64_t v = (int64_t)kit_below(x, 5) - 1;
		struct twin *t = &twins[row][col];
		if (cols[col].kind == CHAN_SINGLE) {
			v = v < 0 ? CHAN_NULL : v;
			CHECK(chan_set(&c, row, col, v) == twin_set((int)row, (int)col, &cols[col], c.rewrite, v));
		} else if (kit_below(x, 24) == 0) {
			int depth = (int)kit_below(x, (uint64_t)t->n + 2);
			CHECK(chan_truncate(&c, row, col, (uint32_t)depth) == twin_truncate((int)row, (int)col, depth));
		} else if (kit_below(x, deep) || deep == 2) {
			if (deep == 2 && kit_below(x, 2)) {
				v = kit_below(x, 4) ? top(t) : v;
				CHECK(chan_pop(&c, row, col, v) == twin_pop((int)row, (int)col, v));
			} else {
				CHECK(chan_push(&c, row, col, v) == twin_push((int)row, (int)col, &cols[col], v));
			}
		} else {
			v = top(t);
			CHECK(chan_pop(&c, row, col, v) == twin_pop((int)row, (int)col, v));
		}
		if (kit_below(x, 8) == 0) { /* a base channel */
			chan_put(&c, NROWS - 1, 0, v);
			if (top(&twins[NROWS - 1][0]) != v) {
				twins[NROWS - 1][0].list[0] = v;
				twins[NROWS - 1][0].n = 1;
				write_twin(NROWS - 1, 0);
			}
		}
		compare(&c, cols);
		if (kit_below(x, 2)) { /* the event ends */
			chan_clean(&c);
			for (int k = 0; k < NROWS * NCOLS; k++) {
				twins[k / NCOLS][k % NCOLS].last = top(&twins[k / NCOLS][k % NCOLS]);
				twins[k / NCOLS][k % NCOLS].written = false;
			}
			norder = 0;
		}
	}
	arena_finish(&a);
}

int
main(int argc, char **argv)
{
	uint64_t x = kit_seed(argc, argv);
	double end = kit_now() + 2.0 / check_share();
	long rounds = 0;
	do {
		one(&x);
	} while (rounds++ < 2000 && kit_now() < end);
	(void)printf("%ld rounds\n", rounds);
	return 0;
}
