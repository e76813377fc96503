/* SPDX-License-Identifier: MIT */
/* laplace_count: counts references by kind, and events of the kernel by tag.
 *
 *   cc -shared -fPIC -o laplace_count.so laplace_count.c
 *   ovniscope-laplace stat --laplace-hooks ./laplace_count.so refs.lrb kernel.lkt */
#include "laplace_hooks.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t refs[256], events[256];

static int
ref(struct laplace_run *r, const struct lap_place *at, const struct lap_record *rec)
{
	(void)r;
	(void)at;
	refs[rec->kind]++;
	return 0;
}

static int
event(struct laplace_run *r, const struct lap_place *at, const struct lap_event *ev)
{
	(void)r;
	(void)at;
	events[ev->tag]++;
	return 0;
}

static int
finish(struct laplace_run *r)
{
	(void)r;
	for (int i = 0; i < 256; i++)
		if (refs[i] + events[i])
			(void)fprintf(stderr, "%s %c %" PRIu64 "\n", refs[i] ? "references" : "events", i, refs[i] + events[i]);
	return 0;
}

const struct laplace_hooks laplace_tool = {
	LAPLACE_HOOKS_HEAD,
	.name = "count",
	.ref = ref,
	.event = event,
	.finish = finish,
};
