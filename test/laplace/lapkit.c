/* SPDX-License-Identifier: MIT */
#include "lapkit.h"

#include <string.h>

ptrdiff_t
lapkit_read(void *self, void *buf, size_t n)
{
	struct lapkit_bytes *b = self;
	if (n > b->n)
		n = b->n;
	if (b->step && n > b->step)
		n = b->step;
	if (n == 0)
		return -b->fail;
	memcpy(buf, b->p, n);
	b->p += n;
	b->n -= n;
	return (ptrdiff_t)n;
}

static void
keep(void *self, const struct lap_issue *issue, bool fatal)
{
	struct lapkit_log *l = self;
	if (l->n < LAPKIT_ISSUES) {
		l->issues[l->n] = *issue;
		l->fatal[l->n] = fatal;
	}
	l->n++;
}

void
lapkit_log_init(struct lapkit_log *l, bool lenient)
{
	memset(l, 0, sizeof(*l));
	l->log.lenient = lenient;
	l->log.tell = keep;
	l->log.self = l;
}

int
lapkit_read_all(struct lapkit_bytes bytes, const struct lapread_options *options, struct lapkit_log *l,
	struct lap_record *rec, size_t max)
{
	struct lapread r;
	struct lap_record one;
	int n = 0;
	int rc = lapread_open(&r, &l->log, &(struct lap_input){ .read = lapkit_read, .self = &bytes }, options);
	while (rc >= 0 && (rc = lapread_next(&r, &one)) > 0) {
		if (rec && (size_t)n < max)
			rec[n] = one;
		n++;
	}
	lapread_close(&r);
	return rc < 0 ? rc : n;
}
