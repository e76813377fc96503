/* SPDX-License-Identifier: MIT */
#ifndef ANALYSES_SPANS_H
#define ANALYSES_SPANS_H

/* spans: which lines of memory, of a power of two of bytes, an access touches, as keys of a table: processes have lines of
 * their own. */

#include "kit.h"

/* Of an address the format has 56 bits; those above are a copy of the last. */
enum {
	SPANS_ADDRESS = 56,
};

/* Streams with the number of their process, which stays. */
struct spans {
	struct kit_processes processes;
	uint32_t *process; /* by stream, from 1 */
	size_t cap;
	unsigned shift; /* bytes of a line: 1 << shift */
};

/* The number of the process of a stream, from 0; <0: there are more than keys have room for, or memory is exhausted
 * (reported). */
int64_t spans_find_process(struct spans *s, struct kit *k, const struct prism_at *at);

static inline int64_t
spans_process(struct spans *s, struct kit *k, const struct prism_at *at)
{
	if (at->stream < s->cap && s->process[at->stream])
		return s->process[at->stream] - INT64_C(1);
	return spans_find_process(s, k, at);
}

/* The first key of an access in a process; *n: how many there are, one behind the other. An access ends at the last address,
 * and one without a size is of one byte. */
static inline uint64_t
spans_keys(const struct spans *s, uint32_t process, const struct prism_mem *ev, uint32_t *n)
{
	uint64_t first = ev->addr & (UINT64_MAX >> (64 - SPANS_ADDRESS));
	uint64_t last = first + (ev->bytes ? ev->bytes - 1U : 0);
	last = last >> SPANS_ADDRESS ? UINT64_MAX >> (64 - SPANS_ADDRESS) : last;
	*n = (uint32_t)((last >> s->shift) - (first >> s->shift)) + 1;
	return (uint64_t)process << (SPANS_ADDRESS - s->shift) | first >> s->shift;
}

void spans_finish(struct spans *s);

#endif
