/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include <stdlib.h>

static bool
is_before(const struct lapmerge_key *a, const struct lapmerge_key *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->rank < b->rank);
}

static void
sift_down(struct lapmerge *m, size_t i)
{
	struct lapmerge_key key = m->heap[i];
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= m->n)
			break;
		if (child + 1 < m->n && is_before(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!is_before(&m->heap[child], &key))
			break;
		m->heap[i] = m->heap[child];
		i = child;
	}
	m->heap[i] = key;
}

/* What was not told to be a kernel trace is taken for one by its first record. */
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
	m->heap = calloc(nreaders ? nreaders : 1, sizeof(*m->heap));
	if (!m->next || !m->heap || nreaders > UINT32_MAX / 2)
		return -LAP_E_MEMORY;
	for (size_t i = 0; i < nreaders; i++) {
		int rc = lapread_next(&readers[i], &m->next[i]);
		if (rc < 0)
			return rc;
		if (rc == 0)
			continue;
		size_t rank = is_kernel(&readers[i], &m->next[i]) ? i : nreaders + i;
		m->heap[m->n++] = (struct lapmerge_key){ m->next[i].ts, (uint32_t)rank, (uint32_t)i };
	}
	for (size_t i = m->n / 2; i-- > 0;)
		sift_down(m, i);
	return 0;
}

/* The one that was given makes room for the next one of its file. */
static void
replace(struct lapmerge *m)
{
	uint32_t i = m->heap[0].reader;
	int rc = lapread_next(&m->readers[i], &m->next[i]);
	m->taken = false;
	m->failed = rc < 0 ? rc : 0;
	if (rc <= 0)
		m->heap[0] = m->heap[--m->n];
	else
		m->heap[0].ts = m->next[i].ts;
	if (m->n)
		sift_down(m, 0);
}

int
lapmerge_peek(struct lapmerge *m, const struct lap_record **rec, const struct lapread **of)
{
	if (m->taken)
		replace(m);
	if (m->failed || m->n == 0)
		return m->failed;
	uint32_t i = m->heap[0].reader;
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
	free(m->heap);
	*m = (struct lapmerge){ 0 };
}
