/* SPDX-License-Identifier: MIT */
#include "pthreads.h"

#include "kit.h"
#include "traces.h"

#include <stdlib.h>

bool
pthreads_lacks_thread(const struct pthreads *p)
{
	return p->nmade < p->ncreates;
}

/* While there are creates without threads, there are no threads without creates. */
void
pthreads_add_thread(struct pthreads *p, uint32_t thread)
{
	p->nthreads = thread;
	if (thread > 1 && !pthreads_lacks_thread(p))
		return;
	p->nknown++;
	if (thread > 1)
		p->creates[p->nmade++].thread = thread;
}

uint32_t
pthreads_orphans(const struct pthreads *p)
{
	return p->nthreads - p->nknown;
}

int
pthreads_add_create(struct pthreads *p, uint64_t *object)
{
	struct idmap_slot *slot = idmap_slot(&p->newest, &p->arena, *object);
	/* Those up to that of its last create are taken. */
	if (slot && slot->number)
		*object = p->creates[slot->number - 1].key + 1;
	struct idmap_slot *taken = slot ? idmap_slot(&p->keys, &p->arena, *object) : NULL;
	while (taken && taken->number)
		taken = idmap_slot(&p->keys, &p->arena, ++*object);
	if (!taken || !kit_room(&p->creates, &p->creates_cap, p->ncreates + 1, sizeof(*p->creates)))
		return -1;
	bool waits = pthreads_orphans(p) > 0;
	p->creates[p->ncreates++] = (struct pthreads_create){ .key = *object };
	slot->number = taken->number = p->ncreates;
	if (waits)
		p->creates[p->nmade++].thread = ++p->nknown;
	return 0;
}

bool
pthreads_find(const struct pthreads *p, uint64_t *object)
{
	uintptr_t create = (uintptr_t)idmap_find(&p->newest, *object);
	if (create)
		*object = p->creates[create - 1].key;
	return create != 0;
}

int
pthreads_add_waiter(struct pthreads *p, uint64_t barrier, uint32_t thread)
{
	struct idmap_slot *slot = idmap_slot(&p->waiting, &p->arena, barrier);
	if (slot && !slot->value)
		slot->value = arena_new(&p->arena, struct idmap, 1);
	struct idmap_slot *there = slot && slot->value ? idmap_slot(slot->value, &p->arena, thread) : NULL;
	if (there && there->number)
		return 0;
	if (!there || !kit_room(&p->waiters, &p->waiters_cap, p->nwaiters + 1, sizeof(*p->waiters)))
		return -1;
	there->number = 1;
	p->waiters[p->nwaiters++] = (struct pthreads_waiter){ barrier, thread };
	return 0;
}

static int
by_barrier(const void *a, const void *b)
{
	const struct pthreads_waiter *v = a;
	const struct pthreads_waiter *w = b;
	return v->barrier != w->barrier ? (v->barrier < w->barrier ? -1 : 1) : (v->thread > w->thread) - (v->thread < w->thread);
}

void
pthreads_put(struct pthreads *p, struct textbuf *text)
{
	for (size_t i = 0; i < p->ncreates; i++) {
		trace_put(text, "##");
		trace_put_u64(text, p->creates[i].key);
		trace_put(text, ",");
		trace_put_u64(text, p->creates[i].thread);
		trace_put(text, "\n");
	}
	if (p->nwaiters)
		qsort(p->waiters, p->nwaiters, sizeof(*p->waiters), by_barrier);
	for (size_t i = 0; i < p->nwaiters;) {
		uint64_t barrier = p->waiters[i].barrier;
		trace_put(text, "**");
		trace_put_u64(text, barrier);
		for (trace_put(text, ","); i < p->nwaiters && p->waiters[i].barrier == barrier; i++) {
			trace_put_u64(text, p->waiters[i].thread);
			trace_put(text, ",");
		}
		trace_put(text, "\n");
	}
}

void
pthreads_finish(struct pthreads *p)
{
	arena_finish(&p->arena);
	block_free(p->creates);
	block_free(p->waiters);
	*p = (struct pthreads){ 0 };
}
