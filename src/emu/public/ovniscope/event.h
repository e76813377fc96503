/* SPDX-License-Identifier: MIT */
#ifndef OVNISCOPE_EVENT_H
#define OVNISCOPE_EVENT_H

/* event: what a hook of a model gets. Installed with ovniscope/model.h, which includes it. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* New members come behind the last one. */
struct event {
	int64_t clock; /* ns, offset of the stream applied */
	/* Borrowed, until the next event of the same stream. Streams of the runtime have a payload;
	 * a format with describe() gives the event as the library of that format has it. */
	union {
		const uint8_t *payload;
		const void *record;
	};
	uint32_t size;   /* bytes of payload; a jumbo one begins with its 4-byte count */
	uint32_t length; /* bytes in the stream, header and payload */
	uint32_t stream; /* rank */
	uint8_t mcv[3];  /* model, category, value */
	bool jumbo;
};

/* Arguments of an event, by offset in the payload: 0 for the first, 4 in a jumbo event. A hook may
 * read all that the signature declares, of which the payload has been checked. */
#define OVNISCOPE_ARG(name, T)                                            \
	static inline T event_##name(const struct event *ev, uint32_t at) \
	{                                                                 \
		T v;                                                      \
		memcpy(&v, ev->payload + at, sizeof(v));                  \
		return v;                                                 \
	}
OVNISCOPE_ARG(u32, uint32_t)
OVNISCOPE_ARG(i32, int32_t)
OVNISCOPE_ARG(u64, uint64_t)
OVNISCOPE_ARG(i64, int64_t)
#undef OVNISCOPE_ARG

#ifdef __cplusplus
}
#endif

#endif
