/* SPDX-License-Identifier: MIT */
#include "threads.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST = 64,
};

struct prism_line {
	uint64_t line;
	uint32_t interval; /* another than the current one: the slot is free */
};

static struct prism_line *
find(const struct prism_total *t, struct prism_line *lines, size_t cap, uint64_t line)
{
	/* Where memory is differs between runs, and the lines with it that meet in a slot. */
	uint64_t h = (line ^ t->seed) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	size_t i = (size_t)(h >> 32) & (cap - 1);
	while (lines[i].interval == t->interval && lines[i].line != line)
		i = (i + 1) & (cap - 1);
	return &lines[i];
}

/* Lines of former intervals are left behind. */
static int
grow(struct prism_total *t)
{
	size_t cap = t->cap ? t->cap * 2 : FIRST;
	struct prism_line *lines = cap <= SIZE_MAX / 2 / sizeof(*lines) ? calloc(cap, sizeof(*lines)) : NULL;
	if (!lines)
		return -1;
	for (size_t i = 0; i < t->cap; i++)
		if (t->lines[i].interval == t->interval)
			*find(t, lines, cap, t->lines[i].line) = t->lines[i];
	free(t->lines);
	t->lines = lines;
	t->cap = cap;
	return 0;
}

static int
add_line(struct prism_total *t, uint64_t line)
{
	if (t->last == line + 1)
		return 0;
	if (t->interval == 0) {
		t->interval = 1;
		t->seed = (uint64_t)(uintptr_t)t * UINT64_C(0xa0761d6478bd642f);
	}
	if (t->n[PRISM_TOTAL_LINES] >= t->cap / 2 && grow(t) < 0)
		return -1;
	struct prism_line *s = find(t, t->lines, t->cap, line);
	t->n[PRISM_TOTAL_LINES] += s->interval != t->interval;
	*s = (struct prism_line){ line, t->interval };
	t->last = line + 1;
	return 0;
}

int
prismtotal_mem(struct prism_total *t, const struct prism_mem *ev)
{
	if (ev->type == PRISM_LOAD) {
		t->n[PRISM_TOTAL_LOADS]++;
		t->n[PRISM_TOTAL_LOAD_BYTES] += ev->bytes;
	} else if (ev->type == PRISM_STORE) {
		t->n[PRISM_TOTAL_STORES]++;
		t->n[PRISM_TOTAL_STORE_BYTES] += ev->bytes;
	} else {
		t->n[PRISM_TOTAL_MEM_OTHER]++;
	}
	if (!(ev->has & PRISM_HAS_ADDR))
		return 0;
	/* An access may reach over the end of a line, and over that of all memory. */
	uint64_t first = ev->addr / PRISM_LINE;
	uint64_t more = ev->bytes ? (ev->addr % PRISM_LINE + ev->bytes - 1) / PRISM_LINE : 0;
	int rc = 0;
	for (uint64_t i = 0; i <= more && rc == 0; i++)
		rc = add_line(t, (first + i) & UINT64_MAX / PRISM_LINE);
	return rc;
}

void
prismtotal_comp(struct prism_total *t, const struct prism_comp *ev)
{
	if (ev->format == PRISM_INTEGER)
		t->n[PRISM_TOTAL_INT_OPS]++;
	else if (ev->format == PRISM_FLOAT)
		t->n[PRISM_TOTAL_FP_OPS]++;
	else
		t->n[PRISM_TOTAL_COMP_OTHER]++;
	t->n[PRISM_TOTAL_OPS + (ev->op < PRISM_OPS ? ev->op : PRISM_OPS)]++;
}

void
prism_total_clear(struct prism_total *t)
{
	memset(t->n, 0, sizeof(t->n));
	t->active = false;
	t->last = 0;
	if (t->interval == 0 || ++t->interval != 0)
		return;
	t->interval = 1;
	memset(t->lines, 0, t->cap * sizeof(*t->lines));
}

void
prismtotal_finish(struct prism_total *t)
{
	free(t->lines);
	*t = (struct prism_total){ 0 };
}
