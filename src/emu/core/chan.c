/* SPDX-License-Identifier: MIT */
#include "chan.h"

#include <assert.h>
#include <string.h>

int
chan_init(struct chans *c, struct arena *a, const struct col *cols, uint32_t ncols, uint32_t nrows, uint32_t nthreads)
{
	*c = (struct chans){ .arena = a, .cols = cols, .ncols = ncols, .nthreads = nthreads, .event = 1 };
	for (uint32_t i = 0; i < ncols; i++)
		c->nstacks += cols[i].kind == CHAN_STACK;
	size_t n = (size_t)nrows * ncols;
	c->value = arena_new(a, int64_t, n);
	c->stacks = arena_new(a, struct chan_stack, (size_t)nthreads * c->nstacks);
	c->touched = arena_new(a, uint64_t, n);
	c->row_touched = arena_new(a, uint64_t, nrows);
	c->dirty = arena_new(a, struct chan_ref, n + nrows);
	if (!c->value || !c->stacks || !c->touched || !c->row_touched || !c->dirty)
		return -ERR_MEMORY;
	for (size_t i = 0; i < n; i++)
		c->value[i] = CHAN_NULL;
	return 0;
}

/* Checks a write of v over the value `old`. Returns 0, 1 when it has no effect, or an error. */
static inline int
check(const struct col *col, int64_t old, int64_t v)
{
	if (old != v || col->dup == DUP_ALLOW)
		return 0;
	return col->dup == DUP_SKIP ? 1 : -ERR_CHAN_REPEATED;
}

static struct chan_stack *
stack_of(const struct chans *c, uint32_t row, uint32_t col)
{
	return &c->stacks[(size_t)row * c->nstacks + c->cols[col].stack];
}

static int
grow(struct chans *c, struct chan_stack *s)
{
	if (s->cap == CHAN_STACK_MAX)
		return -ERR_STACK_FULL;
	uint16_t cap = s->cap ? (uint16_t)(s->cap * 2) : 8;
	int64_t *values = arena_new(c->arena, int64_t, 1 + (size_t)cap);
	if (!values)
		return -ERR_MEMORY;
	values[0] = CHAN_NULL;
	if (s->depth)
		memcpy(values, s->values, (1 + (size_t)s->depth) * sizeof(*values));
	s->values = values;
	s->cap = cap;
	return 0;
}

static inline int
set(struct chans *c, size_t id, uint32_t col, int64_t v)
{
	assert(c->cols[col].kind != CHAN_PUNCTUAL);
	int rc = check(&c->cols[col], c->value[id], v);
	if (rc == 0)
		c->value[id] = v;
	return rc;
}

static inline int
push(struct chans *c, size_t id, uint32_t row, uint32_t col, int64_t v)
{
	struct chan_stack *s = stack_of(c, row, col);
	int rc = check(&c->cols[col], c->value[id], v);
	if (rc == 0 && __builtin_expect(s->depth == s->cap, 0))
		rc = grow(c, s);
	if (rc != 0)
		return rc;
	s->values[++s->depth] = v;
	c->value[id] = v;
	return 0;
}

static inline int
pop(struct chans *c, size_t id, uint32_t row, uint32_t col, int64_t v)
{
	struct chan_stack *s = stack_of(c, row, col);
	if (s->depth == 0)
		return -ERR_STACK_EMPTY;
	if (s->values[s->depth] != v)
		return -ERR_STACK_MISMATCH;
	c->value[id] = s->values[--s->depth];
	return 0;
}

int
chan_set_alone(struct chans *c, uint32_t row, uint32_t col, int64_t v)
{
	return set(c, chan_id(c, row, col), col, v);
}

int
chan_step_alone(struct chans *c, uint32_t row, uint32_t col, int64_t v, bool leaves)
{
	size_t id = chan_id(c, row, col);
	if (chan_step_quickly(stack_of(c, row, col), &c->value[id], v, leaves))
		return 0;
	return leaves ? pop(c, id, row, col, v) : push(c, id, row, col, v);
}

static inline int
touched(struct chans *c, size_t id, uint32_t row, uint32_t col, int rc, enum record_kind kind)
{
	if (rc == 0)
		chan_touch(c, id, row, col, kind);
	return rc < 0 ? rc : 0;
}

int
chan_set(struct chans *c, uint32_t row, uint32_t col, int64_t v)
{
	size_t id = chan_id(c, row, col);
	if (chan_set_quickly(c, id, row, col, v))
		return 0;
	if (chan_is_dirty(c, id)) {
		if (!c->rewrite || c->cols[col].kind != CHAN_SINGLE)
			return -ERR_CHAN_TWICE;
		c->value[id] = v;
		return 0;
	}
	return c->cols[col].dup == DUP_SKIP ? 0 : -ERR_CHAN_REPEATED;
}

int
chan_push(struct chans *c, uint32_t row, uint32_t col, int64_t v)
{
	size_t id = chan_id(c, row, col);
	if (chan_is_dirty(c, id))
		return -ERR_CHAN_TWICE;
	return touched(c, id, row, col, push(c, id, row, col, v), RECORD_ENTER);
}

int
chan_pop(struct chans *c, uint32_t row, uint32_t col, int64_t v)
{
	size_t id = chan_id(c, row, col);
	if (chan_is_dirty(c, id))
		return -ERR_CHAN_TWICE;
	return touched(c, id, row, col, pop(c, id, row, col, v), RECORD_LEAVE);
}

int
chan_truncate(struct chans *c, uint32_t row, uint32_t col, uint32_t depth)
{
	size_t id = chan_id(c, row, col);
	struct chan_stack *s = stack_of(c, row, col);
	if (depth >= s->depth)
		return 0;
	if (chan_is_dirty(c, id))
		return -ERR_CHAN_TWICE;
	s->depth = (uint16_t)depth;
	c->value[id] = s->values[depth];
	chan_touch(c, id, row, col, RECORD_LEAVE);
	return 0;
}

int
chan_replace(struct chans *c, uint32_t row, uint32_t col, int64_t v)
{
	size_t id = chan_id(c, row, col);
	struct chan_stack *s = stack_of(c, row, col);
	if (s->depth == 0)
		return -ERR_STACK_EMPTY;
	if (chan_is_dirty(c, id))
		return -ERR_CHAN_TWICE;
	/* One of both may be equal to the value below, and not count. */
	int64_t below = s->values[s->depth - 1];
	enum record_kind kind = c->value[id] == below ? RECORD_ENTER : v == below ? RECORD_LEAVE
										  : RECORD_REPLACE;
	s->values[s->depth] = v;
	c->value[id] = v;
	chan_touch(c, id, row, col, kind);
	return 0;
}

void
chan_put(struct chans *c, uint32_t row, uint32_t col, int64_t v)
{
	size_t id = chan_id(c, row, col);
	if (c->value[id] == v)
		return;
	c->value[id] = v;
	if (!chan_is_dirty(c, id))
		chan_touch(c, id, row, col, RECORD_STATE);
}

void
chan_put_own(struct chans *c, uint32_t row, uint32_t col, int64_t v)
{
	chan_put(c, row, col, v);
	c->ndirect += chan_is_dirty(c, chan_id(c, row, col));
}

void
chan_touch_row(struct chans *c, uint32_t row)
{
	if (chan_row_is_dirty(c, row))
		return;
	c->row_touched[row] = c->event;
	c->dirty[c->ndirty++] = (struct chan_ref){ .row = row, .what = CHAN_ROW };
	c->ndirect += CHAN_ROW_DIRECT;
}

uint32_t
chan_depth(const struct chans *c, uint32_t row, uint32_t col)
{
	return stack_of(c, row, col)->depth;
}
