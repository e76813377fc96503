/* SPDX-License-Identifier: MIT */
/* laplace_range: keeps the references to a range of addresses, and counts what it has dropped.
 *
 *   cc -shared -fPIC -o laplace_range.so laplace_range.c
 *   ovniscope-laplace merge --laplace-hooks "./laplace_range.so from=0x8048000 to=0x8050000" refs.lrb kernel.lkt
 *
 * Arguments: from, to: addresses, the second behind the last one; space: of this address space only. Events of the kernel stay. */
#include "laplace_hooks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t from, to, space;
static uint64_t kept, dropped;

/* Takes an argument in decimal, or in hexadecimal with 0x. */
static int
take(struct laplace_run *r, const char *key, uint64_t most, uint64_t *value)
{
	char *end;
	const char *text = r->argument(r, key);
	if (!text)
		return 0;
	*value = strtoull(text, &end, 0);
	return *text < '0' || *text > '9' || *end || *value > most ? r->fail(r, "%s='%s' is no address", key, text) : 0;
}

static int
begin(struct laplace_run *r)
{
	/* ovniemu begins more than once. */
	from = 0;
	to = UINT64_C(1) << 32;
	space = UINT64_MAX;
	kept = 0;
	dropped = 0;
	int rc = take(r, "from", UINT32_MAX, &from);
	if (rc == 0)
		rc = take(r, "to", UINT64_C(1) << 32, &to);
	if (rc == 0)
		rc = take(r, "space", UINT32_MAX, &space);
	return rc == 0 && from >= to ? r->fail(r, "from is not below to") : rc;
}

static int
filter_ref(struct laplace_run *r, const struct lap_place *at, struct lap_record *ref)
{
	(void)r;
	(void)at;
	bool keep = ref->addr >= from && ref->addr < to && (space == UINT64_MAX || ref->space == space);
	kept += keep;
	dropped += !keep;
	return keep ? LAPLACE_KEEP : LAPLACE_DROP;
}

static int
finish(struct laplace_run *r)
{
	if (!r->ahead)
		(void)fprintf(stderr, "laplace_range: %" PRIu64 " references kept, %" PRIu64 " dropped\n", kept, dropped);
	return 0;
}

const struct laplace_hooks laplace_tool = {
	LAPLACE_HOOKS_HEAD,
	.name = "range",
	.begin = begin,
	.filter_ref = filter_ref,
	.finish = finish,
};
