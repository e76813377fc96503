/* SPDX-License-Identifier: MIT */
#include "chan.h"

#include "check.h"
#include "diag.h"

enum {
	SINGLE,
	STACK,
	SKIP,
	ALLOW,
	STACK_ALLOW,
	NCOLS,
	NROWS = 3,
	NTHREADS = 2,
};

static const struct col cols[NCOLS] = {
	[SINGLE] = { .kind = CHAN_SINGLE },
	[STACK] = { .kind = CHAN_STACK, .stack = 0 },
	[SKIP] = { .kind = CHAN_STACK, .dup = DUP_SKIP, .stack = 1 },
	[ALLOW] = { .kind = CHAN_SINGLE, .dup = DUP_ALLOW },
	[STACK_ALLOW] = { .kind = CHAN_STACK, .dup = DUP_ALLOW, .stack = 2 },
};

static struct arena arena;
static struct chans c;

static void
begin(void)
{
	arena_finish(&arena);
	CHECK(chan_init(&c, &arena, cols, NCOLS, NROWS, NTHREADS) == 0);
}

static int64_t
value(uint32_t row, uint32_t col)
{
	return c.value[chan_id(&c, row, col)];
}

/* Ends the event; how many channels it changed. */
static uint32_t
end_event(void)
{
	uint32_t n = c.ndirty;
	chan_clean(&c);
	for (size_t i = 0; i < (size_t)NROWS * NCOLS; i++)
		CHECK(!chan_is_dirty(&c, i));
	return n;
}

static void
set(void)
{
	begin();
	for (uint32_t row = 0; row < NROWS; row++)
		for (uint32_t col = 0; col < NCOLS; col++)
			CHECK(value(row, col) == CHAN_NULL);
	CHECK(chan_set(&c, 0, SINGLE, 5) == 0 && value(0, SINGLE) == 5);
	CHECK(value(1, SINGLE) == CHAN_NULL && value(0, ALLOW) == CHAN_NULL);
	CHECK(chan_set(&c, 0, SINGLE, 6) == -ERR_CHAN_TWICE && value(0, SINGLE) == 5);
	CHECK(end_event() == 1);
	CHECK(chan_set(&c, 0, SINGLE, 5) == -ERR_CHAN_REPEATED);
	CHECK(end_event() == 0);
	CHECK(chan_set(&c, 0, SINGLE, 0) == 0 && value(0, SINGLE) == 0);
	CHECK(end_event() == 1);
	CHECK(chan_set(&c, 0, SINGLE, CHAN_NULL) == 0 && value(0, SINGLE) == CHAN_NULL);
	CHECK(end_event() == 1);
	CHECK(chan_set(&c, 0, SINGLE, CHAN_NULL) == -ERR_CHAN_REPEATED);
	CHECK(chan_set(&c, 0, ALLOW, 7) == 0);
	CHECK(end_event() == 1);
	CHECK(chan_set(&c, 0, ALLOW, 7) == 0);
	CHECK(end_event() == 1); /* counts as a change */
}

/* The default view: the last write of an event wins. */
static void
rewrite(void)
{
	begin();
	c.rewrite = true;
	CHECK(chan_set(&c, 0, SINGLE, 5) == 0);
	CHECK(chan_set(&c, 0, SINGLE, 6) == 0 && value(0, SINGLE) == 6);
	CHECK(chan_set(&c, 0, SINGLE, 6) == 0);
	CHECK(end_event() == 1);
	CHECK(chan_set(&c, 0, SINGLE, 6) == -ERR_CHAN_REPEATED);
	CHECK(chan_push(&c, 0, STACK, 1) == 0);
	CHECK(chan_push(&c, 0, STACK, 2) == -ERR_CHAN_TWICE); /* not of stacks */
	CHECK(chan_pop(&c, 0, STACK, 1) == -ERR_CHAN_TWICE);
}

static void
stack(void)
{
	begin();
	CHECK(chan_depth(&c, 1, STACK) == 0);
	CHECK(chan_pop(&c, 1, STACK, 1) == -ERR_STACK_EMPTY);
	CHECK(chan_push(&c, 1, STACK, 1) == 0 && value(1, STACK) == 1 && chan_depth(&c, 1, STACK) == 1);
	CHECK(chan_push(&c, 1, STACK, 2) == -ERR_CHAN_TWICE);
	CHECK(chan_pop(&c, 1, STACK, 1) == -ERR_CHAN_TWICE);
	CHECK(end_event() == 1);
	CHECK(chan_push(&c, 1, STACK, 1) == -ERR_CHAN_REPEATED && chan_depth(&c, 1, STACK) == 1);
	CHECK(chan_push(&c, 1, STACK, 2) == 0);
	CHECK(end_event() == 1);
	CHECK(chan_pop(&c, 1, STACK, 1) == -ERR_STACK_MISMATCH);
	CHECK(value(1, STACK) == 2 && chan_depth(&c, 1, STACK) == 2 && end_event() == 0);
	CHECK(chan_push(&c, 1, STACK, 3) == 0 && end_event() == 1);
	CHECK(chan_pop(&c, 1, STACK, 3) == 0 && value(1, STACK) == 2 && end_event() == 1);
	CHECK(chan_pop(&c, 1, STACK, 2) == 0 && value(1, STACK) == 1);
	CHECK(end_event() == 1);
	CHECK(chan_pop(&c, 1, STACK, 1) == 0 && value(1, STACK) == CHAN_NULL);
	CHECK(end_event() == 1);
	/* Other rows and stacks have their own. */
	CHECK(chan_depth(&c, 0, STACK) == 0 && chan_depth(&c, 1, SKIP) == 0);
}

static void
dups(void)
{
	begin();
	CHECK(chan_push(&c, 0, SKIP, 1) == 0 && end_event() == 1);
	CHECK(chan_push(&c, 0, SKIP, 1) == 0 && end_event() == 0 && chan_depth(&c, 0, SKIP) == 1);
	CHECK(chan_push(&c, 0, SKIP, 2) == 0);
	/* The second write of an event is no duplicate. */
	CHECK(chan_push(&c, 0, SKIP, 2) == -ERR_CHAN_TWICE);
	CHECK(end_event() == 1);
	CHECK(chan_push(&c, 0, STACK_ALLOW, 4) == 0 && end_event() == 1);
	CHECK(chan_push(&c, 0, STACK_ALLOW, 4) == 0 && end_event() == 1 && chan_depth(&c, 0, STACK_ALLOW) == 2);
	CHECK(chan_pop(&c, 0, STACK_ALLOW, 4) == 0 && end_event() == 1 && value(0, STACK_ALLOW) == 4);
}

static void
depth(void)
{
	begin();
	for (int i = 0; i < CHAN_STACK_MAX; i++) {
		CHECK(chan_push(&c, 1, STACK, i + 1) == 0 && value(1, STACK) == i + 1);
		chan_clean(&c);
	}
	CHECK(chan_push(&c, 1, STACK, 1000) == -ERR_STACK_FULL);
	CHECK(end_event() == 0 && value(1, STACK) == CHAN_STACK_MAX && chan_depth(&c, 1, STACK) == CHAN_STACK_MAX);
	for (int i = CHAN_STACK_MAX; i > 0; i--) {
		CHECK(chan_pop(&c, 1, STACK, i) == 0);
		chan_clean(&c);
	}
	CHECK(chan_pop(&c, 1, STACK, 1) == -ERR_STACK_EMPTY);
}

static void
truncate_stack(void)
{
	begin();
	CHECK(chan_truncate(&c, 1, STACK, 0) == 0 && end_event() == 0);
	for (int i = 1; i < 6; i++) {
		CHECK(chan_push(&c, 1, STACK, i % 4) == 0);
		CHECK(end_event() == 1);
	}
	CHECK(chan_truncate(&c, 1, STACK, 5) == 0 && chan_truncate(&c, 1, STACK, 9) == 0 && end_event() == 0);
	CHECK(chan_replace(&c, 1, STACK, 7) == 0 && chan_replace(&c, 1, STACK, 8) == -ERR_CHAN_TWICE && value(1, STACK) == 7 && end_event() == 1);
	CHECK(chan_depth(&c, 1, STACK) == 5 && chan_pop(&c, 1, STACK, 7) == 0 && value(1, STACK) == 0 && end_event() == 1);
	CHECK(chan_truncate(&c, 1, STACK, 2) == 0 && value(1, STACK) == 2 && chan_depth(&c, 1, STACK) == 2);
	CHECK(chan_truncate(&c, 1, STACK, 1) == -ERR_CHAN_TWICE && chan_depth(&c, 1, STACK) == 2);
	CHECK(end_event() == 1);
	CHECK(chan_truncate(&c, 1, STACK, 0) == 0 && value(1, STACK) == CHAN_NULL && end_event() == 1);
	CHECK(chan_push(&c, 1, STACK, 7) == 0 && value(1, STACK) == 7 && end_event() == 1);
}

/* Order of first touch, each channel once; put is never refused. */
static void
dirty(void)
{
	begin();
	CHECK(chan_set(&c, 1, SINGLE, 5) == 0);
	chan_put(&c, 2, ALLOW, 1);
	CHECK(chan_push(&c, 0, STACK, 3) == 0);
	chan_put(&c, 2, ALLOW, 2);
	chan_put(&c, 2, ALLOW, 1);
	chan_put(&c, 2, SINGLE, CHAN_NULL); /* it has that */
	CHECK(c.ndirty == 3);
	CHECK(c.dirty[0].row == 1 && c.dirty[0].col == SINGLE);
	CHECK(c.dirty[1].row == 2 && c.dirty[1].col == ALLOW);
	CHECK(c.dirty[2].row == 0 && c.dirty[2].col == STACK);
	(void)end_event();
	/* All of them fit. */
	for (uint32_t row = 0; row < NROWS; row++)
		for (uint32_t col = 0; col < NCOLS; col++)
			chan_put(&c, row, col, 77);
	CHECK(end_event() == NROWS * NCOLS);
}

int
main(void)
{
	set();
	rewrite();
	stack();
	dups();
	depth();
	truncate_stack();
	dirty();
	arena_finish(&arena);
	return 0;
}
