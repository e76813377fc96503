/* SPDX-License-Identifier: MIT */
#include "lane.h"

#include "flowing.h"

static void
run(struct job *job)
{
	struct lane *l = (struct lane *)job;
	const struct batch *b = &flow_chunk(l->flow, job->age)->batch;
	if (l->rc < 0)
		return;
	l->rc = l->ops->write(l->self, b);
	if (b->flush && l->rc == 0 && l->ops->flush)
		l->rc = l->ops->flush(l->self, b->next);
	if (l->rc < 0)
		flow_fail(l->flow);
}

void
lane_go_on(struct lane *l)
{
	if (l->busy || l->job.age == l->flow->given)
		return;
	l->busy = true;
	crew_add(&l->flow->crew, &l->job);
}

static void
done(struct job *job)
{
	struct lane *l = (struct lane *)job;
	flow_chunk(l->flow, job->age++)->nusers--;
	l->busy = false;
	lane_go_on(l);
}

void
lane_init(struct lane *l, struct flow *f, const struct sink_ops *ops, void *self)
{
	struct stage *stage = f->crew.stats && ops->write ? stats_add(f->crew.stats, ops->name ? ops->name : "a sink", 1) : NULL;
	*l = (struct lane){ .job = { .run = run, .done = done, .stage = stage }, .flow = f, .ops = ops, .self = self };
}
