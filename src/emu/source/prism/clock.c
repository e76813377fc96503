/* SPDX-License-Identifier: MIT */
#include "clock.h"

int
prismclock_open(struct prismclock *c, enum prism_clock mode, uint64_t start, uint64_t tick_ns, struct reader_pool *pool,
	const char *stamps, const char *name)
{
	*c = (struct prismclock){ .mode = mode, .stamps.fd = -1 };
	if (mode == PRISM_CLOCK_TIMESTAMPS)
		return reader_open(&c->stamps, pool, stamps, name);
	c->known = true;
	c->now = c->next = start;
	c->tick_ns = tick_ns;
	return 0;
}

/* Looks at the next timestamp. 1, 0 there is none, <0. */
static int
peek(struct prismclock *c, uint64_t *ns)
{
	struct reader *r = &c->stamps;
	int rc = r->end - r->p >= 8 ? 1 : reader_fill(r, 8);
	*ns = 0;
	for (unsigned i = 0; rc > 0 && i < 8; i++)
		*ns |= (uint64_t)r->p[i] << 8 * i;
	return rc;
}

static int
take_stamp(struct prismclock *c, bool is_end)
{
	uint64_t ns;
	if (is_end && c->known)
		return PRISM_OK;
	int rc = peek(c, &ns);
	if (rc < 0)
		return rc;
	if (rc == 0)
		return is_end ? PRISM_OK : PRISM_PT01;
	if (!is_end)
		c->stamps.p += 8; /* an End has none */
	if (ns < c->now) {
		c->back = c->now - ns;
		return PRISM_PT02;
	}
	c->known = true;
	c->now = ns;
	return ns >= INT64_MAX ? PRISM_E_VALUE : PRISM_OK; /* the last instant ends no interval */
}

int
prismclock_step(struct prismclock *c, const struct prism_event *ev)
{
	if (c->mode == PRISM_CLOCK_TIMESTAMPS)
		return take_stamp(c, ev->kind == PRISM_END);
	if (ev->kind == PRISM_END)
		return PRISM_OK;
	/* An instruction is at the time that begins with it. */
	if (c->mode == PRISM_CLOCK_INSTR && ev->kind == PRISM_CXT && ev->cxt.type == PRISM_INSN)
		c->next += c->tick_ns;
	c->now = c->next;
	return c->now >= INT64_MAX ? PRISM_E_VALUE : PRISM_OK;
}

int
prismclock_left(struct prismclock *c)
{
	uint64_t last = 0;
	int rc = c->mode == PRISM_CLOCK_TIMESTAMPS;
	for (uint64_t ns; rc > 0 && (rc = peek(c, &ns)) > 0; last = ns)
		c->stamps.p += 8;
	return rc == 0 ? last != 0 || c->stamps.p < c->stamps.end : rc;
}

void
prismclock_close(struct prismclock *c)
{
	reader_close(&c->stamps);
}
