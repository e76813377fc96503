/* SPDX-License-Identifier: MIT */
#include "total.h"

#include "arena.h"

#include <string.h>

enum {
	FIRST = 64,
};

static struct prismtotal_slot *
find(const struct prismtotal *t, struct prismtotal_slot *slots, size_t cap, uint64_t line)
{
	/* Where memory is differs between runs, and the lines with it that meet in a slot. */
	uint64_t h = (line ^ t->seed) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	size_t i = (size_t)(h >> 32) & (cap - 1);
	while (slots[i].interval == t->interval && slots[i].line != line)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

/* Those of former intervals are left behind. */
static int
grow(struct prismtotal *t)
{
	size_t cap = t->cap ? t->cap * 2 : FIRST;
	struct prismtotal_slot *slots = cap <= SIZE_MAX / 2 / sizeof(*slots) ? block_alloc(cap * sizeof(*slots)) : NULL;
	if (!slots)
		return -1;
	for (size_t i = 0; i < t->cap; i++)
		if (t->slots[i].interval == t->interval)
			*find(t, slots, cap, t->slots[i].line) = t->slots[i];
	block_free(t->slots);
	t->slots = slots;
	t->cap = cap;
	return 0;
}

static int
add_line(struct prismtotal *t, uint64_t line)
{
	if (t->last == line + 1)
		return 0;
	if (t->interval == 0) {
		t->interval = 1;
		t->seed = (uint64_t)(uintptr_t)t * UINT64_C(0xa0761d6478bd642f);
	}
	if (t->n[PRISMTOTAL_LINES] >= t->cap / 2 && grow(t) < 0)
		return -1;
	struct prismtotal_slot *s = find(t, t->slots, t->cap, line);
	t->n[PRISMTOTAL_LINES] += s->interval != t->interval;
	*s = (struct prismtotal_slot){ line, t->interval };
	t->last = line + 1;
	return 0;
}

int
prismtotal_mem(struct prismtotal *t, const struct prism_mem *ev)
{
	if (ev->type == PRISM_LOAD) {
		t->n[PRISMTOTAL_LOADS]++;
		t->n[PRISMTOTAL_LOAD_BYTES] += ev->bytes;
	} else if (ev->type == PRISM_STORE) {
		t->n[PRISMTOTAL_STORES]++;
		t->n[PRISMTOTAL_STORE_BYTES] += ev->bytes;
	} else {
		t->n[PRISMTOTAL_MEM_OTHER]++;
	}
	if (!(ev->has & PRISM_HAS_ADDR))
		return 0;
	/* An access may reach over the end of a line, and over that of all memory. */
	uint64_t first = ev->addr / PRISMTOTAL_LINE;
	uint64_t more = ev->bytes ? (ev->addr % PRISMTOTAL_LINE + ev->bytes - 1) / PRISMTOTAL_LINE : 0;
	int rc = 0;
	for (uint64_t i = 0; i <= more && rc == 0; i++)
		rc = add_line(t, (first + i) & UINT64_MAX / PRISMTOTAL_LINE);
	return rc;
}

void
prismtotal_comp(struct prismtotal *t, const struct prism_comp *ev)
{
	if (ev->format == PRISM_INTEGER)
		t->n[PRISMTOTAL_INT_OPS]++;
	else if (ev->format == PRISM_FLOAT)
		t->n[PRISMTOTAL_FP_OPS]++;
	else
		t->n[PRISMTOTAL_COMP_OTHER]++;
	t->n[PRISMTOTAL_OPS + (ev->op < PRISM_OPS ? ev->op : PRISM_OPS)]++;
}

void
prismtotal_clear(struct prismtotal *t)
{
	memset(t->n, 0, sizeof(t->n));
	t->last = 0;
	if (t->interval == 0 || ++t->interval != 0)
		return;
	t->interval = 1;
	memset(t->slots, 0, t->cap * sizeof(*t->slots));
}

void
prismtotal_finish(struct prismtotal *t)
{
	block_free(t->slots);
	*t = (struct prismtotal){ 0 };
}
