/* SPDX-License-Identifier: MIT */
/* put: writes events. */
#include "bits.h"

static ssize_t
put_byte(uint8_t *p, size_t cap, unsigned byte)
{
	if (cap < 1)
		return 0;
	p[0] = (uint8_t)byte;
	return 1;
}

static ssize_t
put_mem(uint8_t *p, const struct prism_mem *m, uint32_t shown, size_t n)
{
	uint32_t has = shown & m->has;
	if (shown & PRISM_HAS_ADDR)
		prism_store(p + 1, has & PRISM_HAS_ADDR ? m->addr : 0, PRISM_ADDRESS);
	if (shown & PRISM_HAS_ID)
		p[n - 1] = has & PRISM_HAS_ID ? m->id : 0;
	return (ssize_t)n;
}

/* Returns the bytes, 0, or -code, when nothing was written. */
static ssize_t
put_comp(uint8_t *p, size_t cap, const struct prism_state *st, const struct prism_comp *c, uint32_t shown, size_t n)
{
	uint32_t has = shown & c->has;
	unsigned op = has & PRISM_HAS_OP ? c->op : 0;
	unsigned arity = has & PRISM_HAS_ARITY ? c->arity : 1;
	unsigned nids = has & PRISM_HAS_ARGS ? c->nids : 0;
	if (arity < 1 || arity > 4 || (st->layout == PRISM_PACKED && op > 63))
		return -PRISM_E_VALUE;
	size_t whole = n + (shown & PRISM_HAS_ARGS ? arity : 0);
	if (cap < whole)
		return 0;
	if (st->layout == PRISM_PACKED) {
		p[1] = (uint8_t)(op << 2 | (arity - 1));
	} else {
		if (shown & PRISM_HAS_OP)
			p[1] = (uint8_t)op;
		if (shown & PRISM_HAS_ARITY)
			p[n - 1] = (uint8_t)((arity - 1) << 6);
	}
	for (unsigned i = 0; n < whole; i++)
		p[n++] = i < nids ? c->ids[i] : 0;
	return (ssize_t)whole;
}

static ssize_t
put_mem_or_comp(uint8_t *p, size_t cap, const struct prism_state *st, const struct prism_event *ev)
{
	/* For has, type and bytes, which both kinds share. */
	const struct prism_mem *m = &ev->mem;
	uint32_t shown = st->seen[ev->kind].has;
	uint32_t has = shown & m->has;
	size_t n = st->seen[ev->kind].size;
	unsigned type = has & (PRISM_HAS_TYPE | PRISM_HAS_FORMAT) ? m->type : 0;
	unsigned bytes = has & PRISM_HAS_SIZE ? m->bytes : 1;
	if (type >= 3)
		return ev->kind == PRISM_MEM ? -PRISM_PB07 : -PRISM_PB08;
	if (bytes == 0 || bytes > 128 || (bytes & (bytes - 1)))
		return -PRISM_E_VALUE;
	uint8_t first = (uint8_t)((unsigned)ev->kind << 5 | type << 3 | (unsigned)__builtin_ctz(bytes));
	ssize_t size = (ssize_t)n;
	if (n > 1 && ev->kind == PRISM_COMP)
		size = put_comp(p, cap, st, &ev->comp, shown, n);
	else if (cap < n)
		return 0;
	else if (n > 1)
		size = put_mem(p, m, shown, n);
	if (size > 0)
		p[0] = first;
	return size;
}

static ssize_t
put_sync(uint8_t *p, size_t cap, const struct prism_state *st, const struct prism_sync *s)
{
	uint8_t detail = st->detail[PRISM_SYNC];
	unsigned type = s->has & PRISM_HAS_TYPE ? s->type : PRISM_SYNC_UNDEFINED;
	if (!(detail & PRISM_DETAIL_TYPE))
		return put_byte(p, cap, PRISM_SYNC << 5);
	if (type == PRISM_SYNC_UNDEFINED || type >= PRISM_SYNCS)
		return -PRISM_PB11;
	unsigned words = detail & PRISM_DETAIL_METADATA ? prism_sync_words(type) : 0;
	unsigned nargs = s->has & PRISM_HAS_ARGS ? s->nargs : 0;
	for (unsigned i = 0; i < words && i < nargs; i++)
		if (st->word_size == 4 && s->arg[i] > UINT32_MAX)
			return -PRISM_E_VALUE;
	size_t n = 1 + (size_t)words * st->word_size;
	if (cap < n)
		return 0;
	p[0] = (uint8_t)(PRISM_SYNC << 5 | type);
	for (unsigned i = 0; i < words; i++)
		prism_store(p + 1 + (size_t)i * st->word_size, i < nargs ? s->arg[i] : 0, st->word_size);
	return (ssize_t)n;
}

/* Writes a context with a number of n bytes. */
static ssize_t
put_number(uint8_t *p, size_t cap, unsigned type, uint64_t number, size_t n)
{
	if (cap < 1 + n)
		return 0;
	p[0] = (uint8_t)(PRISM_CXT << 5 | type);
	prism_store(p + 1, number, n);
	return 1 + (ssize_t)n;
}

static ssize_t
put_cxt(uint8_t *p, size_t cap, const struct prism_state *st, const struct prism_cxt *c)
{
	uint8_t detail = st->detail[PRISM_CXT];
	unsigned type = c->has & PRISM_HAS_TYPE ? c->type : PRISM_CXT_UNDEFINED;
	const char *name = "?";
	size_t len = 1;
	if (!(detail & PRISM_DETAIL_TYPE))
		return put_byte(p, cap, PRISM_CXT << 5);
	if (type == PRISM_CXT_UNDEFINED || type >= PRISM_CXTS)
		return -PRISM_PB12;
	if (!(detail & PRISM_DETAIL_METADATA))
		return put_byte(p, cap, PRISM_CXT << 5 | type);
	if (!prism_cxt_is_named(type))
		return put_number(p, cap, type, c->has & PRISM_HAS_ID ? c->id : 0, PRISM_ADDRESS);
	if (st->name_size) {
		if (!(c->has & PRISM_HAS_NUMBER) || (st->name_size == 4 && c->id > UINT32_MAX))
			return -PRISM_E_VALUE;
		return put_number(p, cap, type, c->id, st->name_size);
	}
	if ((c->has & PRISM_HAS_NAME) && c->name && c->name_len) {
		name = c->name;
		len = c->name_len < PRISM_NAME_MAX ? c->name_len : PRISM_NAME_MAX;
	}
	if (cap < 2 + len)
		return 0;
	p[0] = (uint8_t)(PRISM_CXT << 5 | type);
	p[1] = (uint8_t)(len - 1);
	memcpy(p + 2, name, len);
	return (ssize_t)(2 + len);
}

static ssize_t
put_cfg(uint8_t *p, size_t cap, struct prism_state *st, const struct prism_cfg *c)
{
	if (c->target >= PRISM_KINDS)
		return -PRISM_PB04;
	if (c->target != PRISM_CF && (c->after & ~prism_detail_bits(c->target)))
		return -PRISM_PB06;
	if (cap < 2)
		return 0;
	p[0] = (uint8_t)(PRISM_CFG << 5 | c->target << 2);
	p[1] = c->after;
	prism_set_detail(st, c->target, c->after);
	return 2;
}

ssize_t
prism_encode(void *buf, size_t cap, struct prism_state *st, const struct prism_event *ev)
{
	uint8_t *p = buf;
	switch (ev->kind) {
	case PRISM_MEM:
	case PRISM_COMP: return put_mem_or_comp(p, cap, st, ev);
	case PRISM_SYNC: return put_sync(p, cap, st, &ev->sync);
	case PRISM_CXT: return put_cxt(p, cap, st, &ev->cxt);
	case PRISM_CF:
		if (!st->control_flow)
			return -PRISM_PB03;
		if (ev->cf.type > 0x1f)
			return -PRISM_E_VALUE;
		return put_byte(p, cap, PRISM_CF << 5 | ev->cf.type);
	case PRISM_CFG: return put_cfg(p, cap, st, &ev->cfg);
	case PRISM_END: return put_byte(p, cap, PRISM_END << 5);
	default: return -PRISM_E_VALUE;
	}
}
