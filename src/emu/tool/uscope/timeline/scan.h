/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_TIMELINE_SCAN_H
#define TOOL_USCOPE_TIMELINE_SCAN_H

/* scan: the states of the rows of a timeline, each with begin and end. */

#include "pick.h"
#include "uscope/walk.h"

struct tlspan {
	const struct tlchannel *channel;
	uint32_t row; /* from 0 */
	uint64_t begin_ps;
	uint64_t end_ps;
	uint64_t raw; /* of the field; see by_value */
	int64_t value;
	bool by_value;  /* punctual: the value alone is known, and it shows for an instant */
	bool cut_begin; /* it may have begun before the range */
	bool cut_end;   /* it goes on behind the range, or behind what is there */
	bool unknown;   /* the number of a text is not known */
};

struct tlcell {
	uint64_t raw;
	uint64_t since;
	bool cut;
};

struct tlscan {
	struct tlfile *file;
	const struct tlpick *pick;
	struct walk walk;
	uint64_t from;
	uint64_t to;
	bool all; /* values of 0, and what shows for no time, too */
	struct tlcell *cells;
	void (*span)(void *user, const struct tlspan *s); /* in the order of their ends */
	void *user;
	bool begun;
};

/* Times included. Fill all, span and user behind it. false: reported. tlscan_finish() is
 * due in both cases. */
bool tlscan_begin(struct tlscan *s, struct tlfile *f, const struct tlpick *pick, uint64_t from, uint64_t to);
/* Reads the segments that are there and were not read before. */
void tlscan_run(struct tlscan *s);
/* Ends the states that last to the end. */
void tlscan_close(struct tlscan *s);
/* The exit status. */
int tlscan_finish(struct tlscan *s);

#endif
