/* SPDX-License-Identifier: MIT */
#ifndef TOOL_DECL_OBSERVE_H
#define TOOL_DECL_OBSERVE_H

/* observe: channels of a model without code that show something of other models: what a channel has, how often it
 * changed, how many events there were. */

#include "decl/read.h"

/* One of them, for a channel of the model. */
struct observer {
	int chan;
	const char *mirror; /* MODEL.CHANNEL; NULL: not that */
	const char *count;  /* likewise */
	const char **events;
	size_t nevents;
	const char *where; /* file, line and path, for messages */
};

/* An event that is counted: a slot of a hash table. */
struct counted {
	uint32_t name;      /* its three letters, the first one lowest; 0: the slot is empty */
	uint32_t observers; /* a bit for each that counts it */
};

/* A model with them. The core knows the first member only. */
struct declared {
	struct model model;
	struct observer *observers;
	size_t nobservers;
	struct counted *counted;
	struct counted *counted_end; /* the last slot */
	unsigned counted_shift;      /* of the hash: 32 less the bits of a slot */
};

extern const struct decl_shape decl_observers;

/* When all has been read: gives the model the hooks that it needs. Returns 0, or <0 (reported). */
int observe_prepare(const struct decl_in *in, struct declared *d);

#endif
