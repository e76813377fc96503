/* SPDX-License-Identifier: MIT */
/* prism_count: a tool that does next to nothing, to measure what calling it costs. */
#include <prism_hooks.h>

#include <inttypes.h>
#include <stdio.h>

static uint64_t nmem, ncomp;

static int
on_mem(void *u, const struct prism_at *at, const struct prism_mem *ev)
{
	(void)u;
	(void)at;
	nmem += ev->type == PRISM_LOAD;
	return 0;
}

static int
on_comp(void *u, const struct prism_at *at, const struct prism_comp *ev)
{
	(void)u;
	(void)at;
	ncomp += ev->format == PRISM_INTEGER;
	return 0;
}

static int
finish(void *u)
{
	(void)u;
	(void)printf("%" PRIu64 " loads, %" PRIu64 " integer operations\n", nmem, ncomp);
	return 0;
}

const struct prism_hooks prism_tool = { PRISM_HOOKS_HEAD, .name = "count", .mem = on_mem, .comp = on_comp, .finish = finish };
