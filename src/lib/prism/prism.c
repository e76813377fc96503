/* SPDX-License-Identifier: MIT */
#include "bits.h"

#include <string.h>

/* ---- Level of detail. ---- */

uint8_t
prism_detail_bits(unsigned kind)
{
	static const uint8_t bits[PRISM_KINDS] = { 0xf0, 0xf8, 0xc0, 0xc0, 0 };
	return kind < PRISM_KINDS ? bits[kind] : 0;
}

uint32_t
prism_detail_has(unsigned kind, unsigned detail)
{
	/* Fields by bit of a level of detail, highest first. */
	static const uint16_t fields[PRISM_KINDS][5] = {
		{ PRISM_HAS_TYPE, PRISM_HAS_SIZE, PRISM_HAS_ADDR, PRISM_HAS_ID, 0 },
		{ PRISM_HAS_FORMAT, PRISM_HAS_SIZE, PRISM_HAS_OP, PRISM_HAS_ARITY, PRISM_HAS_ARGS },
		{ PRISM_HAS_TYPE, PRISM_HAS_ARGS, 0, 0, 0 },
		{ PRISM_HAS_TYPE, PRISM_HAS_ID | PRISM_HAS_NAME, 0, 0, 0 },
		{ 0 },
	};
	uint32_t has = 0;
	if (kind >= PRISM_KINDS)
		return 0;
	for (unsigned i = 0; i < 5; i++)
		if (detail << i & 0x80)
			has |= fields[kind][i];
	if (kind == PRISM_COMP && !(has & PRISM_HAS_ARITY))
		has &= ~(uint32_t)PRISM_HAS_ARGS;
	if ((kind == PRISM_SYNC || kind == PRISM_CXT) && !(has & PRISM_HAS_TYPE))
		has = 0;
	return has;
}

void
prism_set_detail(struct prism_state *st, unsigned kind, uint8_t detail)
{
	uint32_t has = prism_detail_has(kind, detail);
	if (kind >= PRISM_KINDS)
		return;
	/* The byte of control flow is kept, though it has no effect. */
	uint8_t bits = kind == PRISM_CF ? 0xff : prism_detail_bits(kind);
	st->detail[kind] = detail & bits;
	if (kind > PRISM_COMP)
		return;
	unsigned op = has & PRISM_HAS_OP ? 1 : 0;
	unsigned arity = has & PRISM_HAS_ARITY ? 1 : 0;
	st->seen[kind].has = has;
	st->seen[kind].off = (uint8_t)((has & (PRISM_HAS_TYPE | PRISM_HAS_FORMAT) ? 0 : 0x18) | (has & PRISM_HAS_SIZE ? 0 : 0x07));
	if (kind == PRISM_MEM && st->half_sizes)
		st->seen[kind].off = 0x1f; /* prism_decode() has to look closer */
	if (kind == PRISM_MEM)
		st->seen[kind].size = (uint8_t)(1 + (has & PRISM_HAS_ADDR ? PRISM_ADDRESS : 0) + (has & PRISM_HAS_ID ? 1 : 0));
	else
		st->seen[kind].size = (uint8_t)(1 + (st->layout == PRISM_PACKED ? op | arity : op + arity));
}

void
prism_begin(struct prism_state *st, const struct prism_settings *settings)
{
	static const struct prism_settings usual = { 0 };
	static const uint8_t detail[PRISM_KINDS] = { 0, 0, 0xc0, 0xc0, 0 };
	if (!settings)
		settings = &usual;
	memset(st, 0, sizeof(*st));
	st->layout = settings->layout == PRISM_PACKED ? PRISM_PACKED : PRISM_WIDE;
	st->word_size = settings->word_size == 4 ? 4 : 8;
	st->control_flow = settings->control_flow;
	st->lenient = settings->lenient;
	st->half_sizes = settings->half_sizes;
	st->name_size = settings->name_size == 4 || settings->name_size == 8 ? settings->name_size : 0;
	for (unsigned kind = 0; kind < PRISM_KINDS; kind++)
		prism_set_detail(st, kind, settings->has_detail ? settings->detail[kind] : detail[kind]);
}

/* ---- Reading. ---- */

/* Notes a code. Returns 0 to go on, or -code. */
static int
raise_code(const struct prism_state *st, struct prism_event *ev, int code)
{
	ev->issues |= 1U << code;
	return st->lenient || prism_code_warns(code) ? 0 : -code;
}

/* Checks the first byte of a memory or compute event for bits of fields that are off, and
 * type or format 3. Those bits of it that count are left in *b. Returns 0, or -code. */
static int
check_first(const struct prism_state *st, struct prism_event *ev, unsigned *b)
{
	uint8_t off = st->seen[ev->kind].off;
	if (*b & off)
		(void)raise_code(st, ev, PRISM_PB17);
	*b &= ~(unsigned)off;
	if ((*b & 0x18) != 0x18)
		return 0;
	*b &= ~0x18U;
	return raise_code(st, ev, ev->kind == PRISM_MEM ? PRISM_PB07 : PRISM_PB08);
}

static ssize_t
get_comp(const uint8_t *p, size_t len, const struct prism_state *st, struct prism_event *ev)
{
	struct prism_comp *c = &ev->comp;
	size_t n = st->seen[PRISM_COMP].size;
	unsigned op = 0, arity = 0;
	if (st->layout == PRISM_PACKED) {
		unsigned off = (c->has & PRISM_HAS_OP ? 0U : 0xfcU) | (c->has & PRISM_HAS_ARITY ? 0U : 0x03U);
		if (p[1] & off)
			(void)raise_code(st, ev, PRISM_PB17);
		op = (p[1] & ~off) >> 2;
		arity = p[1] & 3;
	} else {
		if (c->has & PRISM_HAS_OP)
			op = p[1];
		if (c->has & PRISM_HAS_ARITY) {
			arity = p[n - 1] >> 6;
			if (p[n - 1] & 0x3f)
				(void)raise_code(st, ev, PRISM_PB10);
		}
	}
	if (op >= PRISM_OPS)
		(void)raise_code(st, ev, PRISM_PB09);
	c->op = (uint8_t)op;
	if (!(c->has & PRISM_HAS_ARITY))
		return (ssize_t)n;
	c->arity = (uint8_t)(arity + 1);
	if (c->has & PRISM_HAS_ARGS) {
		if (len - n < c->arity)
			return 0;
		c->nids = c->arity;
		/* Copy all four at once if there are as many bytes: their number is
		 * unpredictable. */
		if (len - n >= sizeof(c->ids))
			prism_store(c->ids, prism_load32(p + n) & UINT32_MAX >> (32 - 8 * c->nids), sizeof(c->ids));
		else
			memcpy(c->ids, p + n, c->nids);
		n += c->nids;
	}
	return (ssize_t)n;
}

/* Fills in the address and the id of a memory event of n bytes. */
static inline ssize_t
get_place(const uint8_t *p, size_t n, struct prism_event *ev)
{
	/* One load of 8 bytes: the first is that of the event, seven are the address. */
	if (ev->mem.has & PRISM_HAS_ADDR)
		ev->mem.addr = prism_address(prism_load64(p) >> 8);
	if (ev->mem.has & PRISM_HAS_ID)
		ev->mem.id = p[n - 1];
	return (ssize_t)n;
}

/* Reads a memory event whose size is half of its bytes. Sizes from 8 on reach into the type, where they make that of a
 * store 3. */
__attribute__((noinline, cold)) static ssize_t
get_half(const uint8_t *p, size_t len, const struct prism_state *st, struct prism_event *ev)
{
	uint32_t has = st->seen[PRISM_MEM].has;
	size_t n = st->seen[PRISM_MEM].size;
	unsigned off = (has & PRISM_HAS_TYPE ? 0U : 0x18U) | (has & PRISM_HAS_SIZE ? 0U : 0x07U);
	unsigned b = p[0] & 0x1f & ~off;
	unsigned half = (b & 7) + (b >= 0x18 ? 8 : 0);
	if (len < n)
		return 0;
	if (p[0] & off)
		(void)raise_code(st, ev, PRISM_PB17);
	ev->mem = (struct prism_mem){ .has = has, .type = (uint8_t)(b >= 0x18 ? PRISM_STORE : b >> 3) };
	if (has & PRISM_HAS_SIZE)
		ev->mem.bytes = (uint16_t)(half ? 2 * half : 1);
	return get_place(p, n, ev);
}

static ssize_t
get_mem_or_comp(const uint8_t *p, size_t len, const struct prism_state *st, struct prism_event *ev)
{
	uint32_t has = st->seen[ev->kind].has;
	size_t n = st->seen[ev->kind].size;
	unsigned b = p[0] & 0x1f;
	if ((b & st->seen[ev->kind].off) || b >= 0x18) {
		if (ev->kind == PRISM_MEM && st->half_sizes)
			return get_half(p, len, st, ev);
		int rc = check_first(st, ev, &b);
		if (rc < 0)
			return rc;
	}
	if (len < n)
		return 0;
	ev->mem = (struct prism_mem){
		.has = has,
		.type = (uint8_t)(b >> 3),
		.bytes = (uint16_t)((has & PRISM_HAS_SIZE ? 1U : 0U) << (b & 7)),
	};
	if (n == 1)
		return 1;
	if (ev->kind == PRISM_COMP)
		return get_comp(p, len, st, ev);
	return get_place(p, n, ev);
}

/* Reads an event of a kind whose type is off: one byte, no fields. */
static ssize_t
get_untyped(const uint8_t *p, const struct prism_state *st, struct prism_event *ev)
{
	if (p[0] & 0x1f)
		(void)raise_code(st, ev, PRISM_PB17);
	return 1;
}

static ssize_t
get_sync(const uint8_t *p, size_t len, const struct prism_state *st, struct prism_event *ev)
{
	struct prism_sync *s = &ev->sync;
	uint8_t detail = st->detail[PRISM_SYNC];
	unsigned type = p[0] & 0x1f;
	*s = (struct prism_sync){ 0 };
	if (!(detail & PRISM_DETAIL_TYPE))
		return get_untyped(p, st, ev);
	if (type == PRISM_SYNC_UNDEFINED || type >= PRISM_SYNCS) {
		int rc = raise_code(st, ev, PRISM_PB11);
		if (rc < 0)
			return rc;
	}
	s->has = PRISM_HAS_TYPE;
	s->type = (uint8_t)type;
	if (!(detail & PRISM_DETAIL_METADATA))
		return 1;
	unsigned words = prism_sync_words(type);
	size_t n = 1 + (size_t)words * st->word_size;
	if (len < n)
		return 0;
	s->has |= PRISM_HAS_ARGS;
	s->nargs = (uint8_t)words;
	for (unsigned i = 0; i < words; i++) {
		const uint8_t *word = p + 1 + (size_t)i * st->word_size;
		s->arg[i] = st->word_size == 8 ? prism_load64(word) : prism_load32(word);
	}
	return (ssize_t)n;
}

static ssize_t
get_cxt(const uint8_t *p, size_t len, const struct prism_state *st, struct prism_event *ev)
{
	struct prism_cxt *c = &ev->cxt;
	uint8_t detail = st->detail[PRISM_CXT];
	unsigned type = p[0] & 0x1f;
	*c = (struct prism_cxt){ 0 };
	if (!(detail & PRISM_DETAIL_TYPE))
		return get_untyped(p, st, ev);
	/* Its length is not known. */
	if (type == PRISM_CXT_UNDEFINED || type >= PRISM_CXTS)
		return -PRISM_PB12;
	c->has = PRISM_HAS_TYPE;
	c->type = (uint8_t)type;
	if (!(detail & PRISM_DETAIL_METADATA))
		return 1;
	if (!prism_cxt_is_named(type)) {
		if (len < 1 + PRISM_ADDRESS)
			return 0;
		c->has |= PRISM_HAS_ID;
		c->id = prism_load64(p) >> 8;
		return 1 + PRISM_ADDRESS;
	}
	if (st->name_size) {
		if (len < 1U + st->name_size)
			return 0;
		c->has |= PRISM_HAS_NUMBER;
		c->id = st->name_size == 8 ? prism_load64(p + 1) : prism_load32(p + 1);
		return 1 + st->name_size;
	}
	if (len < 2 || len - 2 < p[1] + 1U)
		return 0;
	c->has |= PRISM_HAS_NAME;
	c->name = (const char *)p + 2;
	c->name_len = p[1] + 1U;
	if (!prism_is_text(p + 2, c->name_len))
		(void)raise_code(st, ev, PRISM_PB13);
	return 2 + (ssize_t)c->name_len;
}

static ssize_t
get_cfg(const uint8_t *p, size_t len, struct prism_state *st, struct prism_event *ev)
{
	unsigned target = p[0] >> 2 & 7;
	bool known = target < PRISM_KINDS;
	if (!known) {
		int rc = raise_code(st, ev, PRISM_PB04);
		if (rc < 0)
			return rc;
	}
	if (len < 2)
		return 0;
	if (p[0] & 3)
		(void)raise_code(st, ev, PRISM_PB05);
	ev->cfg = (struct prism_cfg){ .target = PRISM_KINDS };
	if (!known)
		return 2;
	if (target != PRISM_CF && (p[1] & ~prism_detail_bits(target)))
		(void)raise_code(st, ev, PRISM_PB06);
	ev->cfg.target = (uint8_t)target;
	ev->cfg.before = st->detail[target];
	prism_set_detail(st, target, p[1]);
	ev->cfg.after = st->detail[target];
	return 2;
}

ssize_t
prism_decode(const void *buf, size_t len, struct prism_state *st, struct prism_event *ev)
{
	const uint8_t *p = buf;
	if (len == 0)
		return 0;
	ev->kind = p[0] >> 5;
	ev->issues = 0;
	switch (ev->kind) {
	case PRISM_MEM:
	case PRISM_COMP: return get_mem_or_comp(p, len, st, ev);
	case PRISM_SYNC: return get_sync(p, len, st, ev);
	case PRISM_CXT: return get_cxt(p, len, st, ev);
	case PRISM_CF:
		ev->cf.type = p[0] & 0x1f;
		return st->control_flow ? 1 : -PRISM_PB03;
	case PRISM_CFG: return get_cfg(p, len, st, ev);
	case PRISM_END:
		/* Its other bits belong to fields that are off. */
		return get_untyped(p, st, ev);
	default: return -PRISM_PB02;
	}
}
