/* SPDX-License-Identifier: MIT */
#include "threads.h"

#include <stdlib.h>
#include <string.h>

/* No padding: keys are compared as bytes. */
struct key {
	uint32_t process;
	uint32_t how;
	uint64_t id;
};

enum prismthreads_how
prismthreads_how(const struct prism_event *ev, bool has_thread, uint64_t *id)
{
	*id = 0;
	if (ev->kind == PRISM_CFG || ev->kind == PRISM_END)
		return PRISM_NOBODY;
	if (ev->kind == PRISM_SYNC && ev->sync.type == PRISM_SWAP && ev->sync.nargs > 0)
		*id = ev->sync.arg[0];
	else if (ev->kind == PRISM_CXT && ev->cxt.type == PRISM_THREAD && ev->cxt.has & PRISM_HAS_ID)
		*id = ev->cxt.id;
	else
		return has_thread ? PRISM_SAME : PRISM_BY_STREAM;
	return prism_is_thread(*id) ? PRISM_BY_ID : PRISM_BY_BAD_ID;
}

static bool
is_real(const struct prism_threads *ts, uint32_t process, uint32_t id)
{
	return prismtable_find(&ts->table, &(struct key){ process, PRISM_BY_ID, id }, sizeof(struct key)) != NULL;
}

/* Returns an id that no thread of the process has. 0: no memory. */
static uint32_t
fresh_id(struct prism_threads *ts, uint32_t process)
{
	ts->fresh.size = sizeof(uint32_t);
	uint32_t *n = prismtable_get(&ts->fresh, &process, sizeof(process));
	if (!n)
		return 0;
	while (is_real(ts, process, PRISM_FRESH + *n))
		++*n;
	return PRISM_FRESH + (*n)++;
}

static bool
add(struct prism_threads *ts, struct prism_thread *t)
{
	if (ts->n == ts->cap) {
		uint32_t cap = ts->cap ? ts->cap * 2 : 16;
		struct prism_thread **list = realloc(ts->list, cap * sizeof(struct prism_thread *));
		if (!list)
			return false;
		ts->list = list;
		ts->cap = cap;
	}
	t->number = ts->n;
	ts->list[ts->n++] = t;
	return true;
}

struct prism_thread *
prismthreads_get(struct prism_threads *ts, uint32_t process, enum prismthreads_how how, uint64_t id)
{
	const struct key key = { process, how, id };
	ts->table.size = sizeof(struct prism_thread);
	struct prism_thread *t = prismtable_get(&ts->table, &key, sizeof(key));
	if (!t || t->id)
		return t;
	t->process = process;
	t->made_up = how != PRISM_BY_ID;
	t->id = how == PRISM_BY_STREAM ? PRISM_NO_THREAD + (uint32_t)id : (uint32_t)id;
	if (how == PRISM_BY_BAD_ID || (how == PRISM_BY_STREAM && is_real(ts, process, t->id)))
		t->id = fresh_id(ts, process);
	return t->id && add(ts, t) ? t : NULL;
}

bool
prismthreads_settle(struct prism_threads *ts)
{
	for (uint32_t i = 0; i < ts->n; i++) {
		struct prism_thread *t = ts->list[i];
		if (t->made_up && is_real(ts, t->process, t->id))
			t->id = fresh_id(ts, t->process);
		if (!t->id)
			return false;
	}
	return true;
}

void
prismthreads_finish(struct prism_threads *ts)
{
	for (uint32_t i = 0; i < ts->n; i++) {
		prismtotal_finish(&ts->list[i]->total);
		for (int kind = 0; kind < PRISM_STACKS; kind++)
			free(ts->list[i]->stacks[kind].frames);
	}
	free(ts->list);
	prismtable_finish(&ts->table);
	prismtable_finish(&ts->fresh);
	*ts = (struct prism_threads){ 0 };
}
