/* SPDX-License-Identifier: MIT */
#ifndef WALK_H
#define WALK_H

/* walk: all items of a file between two times, segment by segment, going on behind those
 * that are damaged. */

#include "tool.h"

struct walk {
	struct tool *tool;
	struct source *src;
	uscope_item_iter_t *it;
	uint64_t from;
	uint64_t to;
	uint32_t first;
	uint32_t next;   /* segment to open */
	uint32_t end;    /* number of segments */
	uint32_t errors; /* damaged segments, reported */
	uint32_t count;  /* items, for the progress */
	bool stop;       /* at the first damage */
	bool due;        /* the segment is not told of yet: it ends where the range begins */
	bool jumped;     /* segments are missing before the present item; set it to false */
	bool done;
	void (*damage)(void *user, const uscope_error_t *e); /* told of it as well; may be NULL */
	void (*segment)(void *user, uint32_t segment);       /* a segment of the range; likewise */
	void *user;
};

/* The state before the first time wanted, which is the begin of the trace at least. NULL: reported. */
uscope_state_t *walk_state(struct source *s, uint64_t *time_ps);

/* Times included on both sides. Fill what is below `count` afterwards, if at all. */
void walk_begin(struct walk *w, struct tool *t, struct source *s, uint64_t from, uint64_t to);
/* false: the end. The item is valid until the next call. */
bool walk_next(struct walk *w, uscope_item_t *item);
/* STATUS_GOOD, or STATUS_BAD when something was damaged. */
int walk_end(struct walk *w);

#endif
