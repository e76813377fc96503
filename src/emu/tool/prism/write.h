/* SPDX-License-Identifier: MIT */
#ifndef TOOL_PRISM_WRITE_H
#define TOOL_PRISM_WRITE_H

/* write: events as the bytes of a stream, in buffers if it has those. A buffer that the
 * next event does not fit into, with an End behind it, ends there. */

#include "number.h"
#include "tool.h"

struct ptwrite {
	struct conv *conv;
	struct prism_state state;
	uint64_t buffer_size; /* 0: none */
	uint64_t left;        /* of the buffer */
	bool closed;          /* the last event was an End */
	struct ptnames names; /* written to PTOOL_NAMES, if the stream has numbers */
};

void ptwrite_begin(struct ptwrite *w, struct conv *c, const struct prism_settings *settings, uint64_t buffer_size);

/* Writes an event. A name gets its number, where the stream has numbers and the event has none. Returns 0, -PRISM_E_MEMORY,
 * or -code of prism_encode(), PB15: behind the End of a stream without buffers, PB16:
 * it is longer than a buffer. */
int ptwrite_event(struct ptwrite *w, const struct prism_event *ev);

/* Bytes as they are. */
void ptwrite_bytes(struct ptwrite *w, const uint8_t *bytes, size_t n);

void ptwrite_finish(struct ptwrite *w);

#endif
