/* SPDX-License-Identifier: MIT */
#ifndef FRAMEIN_H
#define FRAMEIN_H

/* framein: the frames of one segment, as items or straight into a state. Defined in
 * doc/format/uscope.md, "Frames". */

#include "blob.h"

struct framein {
	const uscope_schema_t *schema;
	struct blob blob;
	uscope_segment_t segment;
	uint64_t time;   /* of the frame in work */
	uint32_t index;  /* of the segment */
	uint32_t frames; /* begun */
	uint32_t ops;    /* left in the frame; with interleaved frames, items */
	uint32_t events; /* left in the frame, behind the operations */
	uint8_t format;  /* of the operations of the frame */
	bool interleaved;
	bool compact; /* allowed in frames that are not interleaved */
};

/* part: see blob_open(). */
int framein_open(struct framein *f, struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, bool part);
void framein_close(struct framein *f);

/* The next item: the begin of each frame, then what it holds. 1 item, 0 end of segment, <0. */
int framein_next(struct framein *f, uscope_item_t *item);
/* Leaves the rest of the frame out. */
int framein_skip_frame(struct framein *f);

/* From a fresh f: applies all frames up to and at `until` to state (NULL: none). With diag
 * the rest is decoded as well, and what is wrong is counted; without, it stops there. */
int framein_replay(struct framein *f, struct uscope_state *state, uint64_t until, uint64_t *diag);

#endif
