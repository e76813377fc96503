/* SPDX-License-Identifier: MIT */
#ifndef LANE_H
#define LANE_H

/* lane: a sink that takes chunks in order, as a job: the next chunk. */

#include "crew.h"
#include "sink.h"

struct flow;

struct lane {
	struct job job; /* its age is the number of the next chunk */
	struct flow *flow;
	const struct sink_ops *ops;
	void *self;
	bool busy; /* its job was added */
	int rc;    /* of write */
};

void lane_init(struct lane *l, struct flow *f, const struct sink_ops *ops, void *self);

/* A chunk was given. With the lock of the crew. */
void lane_go_on(struct lane *l);

#endif
