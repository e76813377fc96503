/* SPDX-License-Identifier: MIT */
#include "window.h"

/* No writer makes a larger event: the limit of the library is 2 MiB. */
#define EVENT_MAX (UINT64_C(1) << 30)

int
window_fill(struct stream *s, uint64_t *size)
{
	struct reader *r = &s->in;
	for (;;) {
		uint64_t have = (uint64_t)(r->end - r->p);
		*size = wire_event_size(r->p, have);
		if (*size && *size <= have)
			return 1;
		uint64_t want = *size ? *size : (have < WIRE_EVENT_HEADER ? WIRE_EVENT_HEADER : WIRE_JUMBO_HEADER);
		/* A length is compared with the file before anything is done about it. */
		if (*size > reader_left(r) || *size > EVENT_MAX)
			return WINDOW_CUT;
		int rc = reader_fill(r, want);
		if (rc < 0)
			return rc;
		if (rc == 0)
			return r->end == r->p && !r->torn ? 0 : WINDOW_CUT;
	}
}
