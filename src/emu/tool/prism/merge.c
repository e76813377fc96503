/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include <stdlib.h>

static bool
before(const struct ptinput *a, const struct ptinput *b)
{
	return a->clock != b->clock ? a->clock < b->clock : a < b;
}

static void
sink(struct ptmerge *m, size_t i)
{
	struct ptinput *x = m->heap[i];
	for (;;) {
		size_t k = 2 * i + 1;
		if (k + 1 < m->n && before(m->heap[k + 1], m->heap[k]))
			k++;
		if (k >= m->n || !before(m->heap[k], x))
			break;
		m->heap[i] = m->heap[k];
		i = k;
	}
	m->heap[i] = x;
}

int
ptmerge_open(struct ptmerge *m, struct ptool *t)
{
	m->heap = calloc(t->ninputs, sizeof(struct ptinput *));
	if (!m->heap)
		return conv_no_memory(&t->conv);
	for (size_t i = 0; i < t->ninputs; i++) {
		int rc = ptinput_next(&t->inputs[i]);
		if (rc < 0)
			return rc;
		if (rc > 0)
			m->heap[m->n++] = &t->inputs[i];
	}
	for (size_t i = m->n / 2; i-- > 0;)
		sink(m, i);
	return 0;
}

void
ptmerge_finish(struct ptmerge *m)
{
	free(m->heap);
}

int
ptmerge_next(struct ptmerge *m, struct ptinput **in, struct ptinput **ended)
{
	*in = NULL;
	*ended = NULL;
	if (m->started && m->n) {
		int rc = ptinput_next(m->heap[0]);
		if (rc < 0)
			return rc;
		if (rc == 0) {
			*ended = m->heap[0];
			m->heap[0] = m->heap[--m->n];
			m->started = false; /* the one that is first now was not given yet */
		}
		if (m->n)
			sink(m, 0);
		if (rc == 0)
			return 1;
	}
	m->started = true;
	if (m->n == 0)
		return 0;
	*in = m->heap[0];
	return 1;
}
