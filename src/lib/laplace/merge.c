/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include <stdlib.h>

/* A mixed file counts as a kernel trace if its first record is an event. */
static bool
is_kernel(const struct lapread *r, const struct lap_record *first)
{
	return r->options.format == LAP_KERNEL || (r->options.format == LAP_MIXED && first->type == LAP_EVENT);
}

int
lapmerge_open(struct lapmerge *m, struct lapread *readers, size_t nreaders)
{
	*m = (struct lapmerge){ .readers = readers, .nreaders = nreaders };
	m->next = calloc(nreaders ? nreaders : 1, sizeof(*m->next));
	m->order.heap = calloc(nreaders ? nreaders : 1, sizeof(*m->order.heap));
	if (!m->next || !m->order.heap || nreaders > UINT32_MAX / 2)
		return -LAP_E_MEMORY;
	for (size_t i = 0; i < nreaders; i++) {
		int rc = lapread_next(&readers[i], &m->next[i]);
		if (rc < 0)
			return rc;
		if (rc == 0)
			continue;
		size_t rank = is_kernel(&readers[i], &m->next[i]) ? i : nreaders + i;
		kway_push(&m->order, (struct kway_key){ m->next[i].ts, (uint32_t)rank, (uint32_t)i });
	}
	return 0;
}

/* Replaces the record given last by the next one of its file. */
static void
replace(struct lapmerge *m)
{
	uint32_t i = m->order.heap[0].item;
	int rc = lapread_next(&m->readers[i], &m->next[i]);
	m->taken = false;
	m->failed = rc < 0 ? rc : 0;
	if (rc <= 0)
		kway_pop(&m->order);
	else
		kway_replace(&m->order, m->next[i].ts);
}

int
lapmerge_peek(struct lapmerge *m, const struct lap_record **rec, const struct lapread **of)
{
	if (m->taken)
		replace(m);
	if (m->failed || m->order.n == 0)
		return m->failed;
	uint32_t i = m->order.heap[0].item;
	*rec = &m->next[i];
	if (of)
		*of = &m->readers[i];
	return 1;
}

int
lapmerge_next(struct lapmerge *m, const struct lap_record **rec, const struct lapread **of)
{
	int rc = lapmerge_peek(m, rec, of);
	m->taken = rc > 0;
	return rc;
}

void
lapmerge_close(struct lapmerge *m)
{
	free(m->next);
	free(m->order.heap);
	*m = (struct lapmerge){ 0 };
}
