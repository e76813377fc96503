/* SPDX-License-Identifier: MIT */
/* twin: the format as it is described, a field at a time, from the highest bit down, and
 * the codec against it. */
#include "prismkit.h"

#include <string.h>

struct cursor {
	const uint8_t *p;
	size_t len, bit;
	bool lacks; /* bits that are not there yet */
	uint32_t issues;
	bool lenient;
	int error;
};

static uint64_t
bits(struct cursor *c, unsigned n)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < n; i++, c->bit++) {
		if (c->bit / 8 >= c->len) {
			c->lacks = true;
			return 0;
		}
		v = v << 1 | (c->p[c->bit / 8] >> (7 - c->bit % 8) & 1);
	}
	return v;
}

static uint64_t
bytes(struct cursor *c, unsigned n)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < n; i++)
		v += bits(c, 8) << 8 * i;
	return v;
}

static void
warn(struct cursor *c, int code)
{
	c->issues |= 1U << code;
}

static void
fail(struct cursor *c, int code)
{
	c->issues |= 1U << code;
	if (!c->lenient && !c->lacks && !c->error)
		c->error = -code;
}

/* A part of a byte that is there also when the field is off. */
static unsigned
field(struct cursor *c, bool on, unsigned n)
{
	unsigned v = (unsigned)bits(c, n);
	if (v && !on)
		warn(c, PRISM_PB17);
	return on ? v : 0;
}

static void
twin_mem(struct cursor *c, uint8_t d, struct prism_mem *m)
{
	unsigned type = field(c, d & 0x80, 2);
	unsigned size = field(c, d & 0x40, 3);
	if (type == 3)
		fail(c, PRISM_PB07);
	m->type = type == 3 ? 0 : (uint8_t)type;
	m->bytes = (uint16_t)(d & 0x40 ? 1U << size : 0U);
	m->addr = d & 0x20 ? bytes(c, 7) : 0;
	if (m->addr >> 55)
		m->addr += UINT64_C(0xff) << 56;
	m->id = d & 0x10 ? (uint8_t)bytes(c, 1) : 0;
	m->has = (d & 0x80 ? PRISM_HAS_TYPE : 0U) | (d & 0x40 ? PRISM_HAS_SIZE : 0U) | (d & 0x20 ? PRISM_HAS_ADDR : 0U) |
		(d & 0x10 ? PRISM_HAS_ID : 0U);
}

static void
twin_comp(struct cursor *c, uint8_t d, enum prism_layout layout, struct prism_comp *m)
{
	unsigned format = field(c, d & 0x80, 2);
	unsigned size = field(c, d & 0x40, 3);
	unsigned op = 0, arity = 0;
	if (format == 3)
		fail(c, PRISM_PB08);
	if (layout == PRISM_WIDE) {
		if (d & 0x20)
			op = (unsigned)bits(c, 8);
		if (d & 0x10) {
			arity = (unsigned)bits(c, 2);
			if (bits(c, 6))
				warn(c, PRISM_PB10);
		}
	} else if (d & 0x30) {
		op = field(c, d & 0x20, 6);
		arity = field(c, d & 0x10, 2);
	}
	if (op > 6)
		warn(c, PRISM_PB09);
	m->format = format == 3 ? 0 : (uint8_t)format;
	m->bytes = (uint16_t)(d & 0x40 ? 1U << size : 0U);
	m->op = (uint8_t)op;
	m->arity = d & 0x10 ? (uint8_t)(arity + 1) : 0;
	m->has = (d & 0x80 ? PRISM_HAS_FORMAT : 0U) | (d & 0x40 ? PRISM_HAS_SIZE : 0U) | (d & 0x20 ? PRISM_HAS_OP : 0U) |
		(d & 0x10 ? PRISM_HAS_ARITY : 0U);
	if (d & 0x10 && d & 0x08) {
		m->has |= PRISM_HAS_ARGS;
		m->nids = m->arity;
		for (unsigned i = 0; i < m->nids; i++)
			m->ids[i] = (uint8_t)bytes(c, 1);
	}
}

static void
twin_sync(struct cursor *c, uint8_t d, unsigned word_size, struct prism_sync *s)
{
	unsigned type = field(c, d & 0x80, 5);
	if (!(d & 0x80))
		return;
	if (type == 0 || type > 12)
		fail(c, PRISM_PB11);
	s->has = PRISM_HAS_TYPE;
	s->type = (uint8_t)type;
	if (!(d & 0x40))
		return;
	s->has |= PRISM_HAS_ARGS;
	s->nargs = type == 8 ? 2 : 1;
	for (unsigned i = 0; i < s->nargs; i++)
		s->arg[i] = bytes(c, word_size);
}

/* Whether a character of UTF-8 of `more` + 1 bytes begins at p. */
static bool
is_char(const uint8_t *p, size_t n, unsigned more)
{
	static const uint32_t least[] = { 1, 0x80, 0x800, 0x10000 };
	uint32_t v = more ? p[0] & (0x3fU >> more) : p[0];
	if (n <= more)
		return false;
	for (unsigned i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return false;
		v = v << 6 | (p[i] & 0x3fU);
	}
	return v >= least[more] && v <= 0x10ffff && (v < 0xd800 || v > 0xdfff);
}

static bool
is_text(const uint8_t *p, size_t n)
{
	while (n) {
		unsigned more = p[0] < 0x80 ? 0 : (p[0] & 0xe0) == 0xc0 ? 1
			: (p[0] & 0xf0) == 0xe0                         ? 2
			: (p[0] & 0xf8) == 0xf0                         ? 3
									: 4;
		if (more == 4 || !is_char(p, n, more))
			return false;
		p += more + 1;
		n -= more + 1;
	}
	return true;
}

static void
twin_cxt(struct cursor *c, uint8_t d, unsigned name_size, struct prism_cxt *x)
{
	unsigned type = field(c, d & 0x80, 5);
	if (!(d & 0x80))
		return;
	if (type == 0 || type > 9) {
		c->error = -PRISM_PB12;
		return;
	}
	x->has = PRISM_HAS_TYPE;
	x->type = (uint8_t)type;
	if (!(d & 0x40))
		return;
	if (type == 1 || type == 2 || type == 5) {
		x->has |= PRISM_HAS_ID;
		x->id = bytes(c, 7);
		return;
	}
	if (name_size) {
		x->has |= PRISM_HAS_NUMBER;
		x->id = bytes(c, name_size);
		return;
	}
	x->has |= PRISM_HAS_NAME;
	x->name_len = (uint32_t)bytes(c, 1) + 1;
	x->name = (const char *)c->p + c->bit / 8;
	for (unsigned i = 0; i < x->name_len; i++)
		(void)bytes(c, 1);
	if (!c->lacks && !is_text((const uint8_t *)x->name, x->name_len))
		warn(c, PRISM_PB13);
}

static void
twin_cfg(struct cursor *c, struct prismkit_twin *t, struct prism_cfg *g)
{
	static const uint8_t known[PRISM_KINDS] = { 0xf0, 0xf8, 0xc0, 0xc0, 0xff };
	unsigned target = (unsigned)bits(c, 3);
	if (bits(c, 2))
		warn(c, PRISM_PB05);
	if (target > 4)
		fail(c, PRISM_PB04);
	uint8_t d = (uint8_t)bits(c, 8);
	g->target = target > 4 ? PRISM_KINDS : (uint8_t)target;
	if (target > 4 || c->lacks)
		return;
	if (d & ~known[target])
		warn(c, PRISM_PB06);
	g->before = t->detail[target];
	g->after = t->detail[target] = d & known[target];
}

void
prismkit_twin_begin(struct prismkit_twin *t, const struct prism_settings *settings)
{
	static const uint8_t usual[PRISM_KINDS] = { 0, 0, 0xc0, 0xc0, 0 };
	static const uint8_t known[PRISM_KINDS] = { 0xf0, 0xf8, 0xc0, 0xc0, 0xff };
	t->settings = *settings;
	for (unsigned i = 0; i < PRISM_KINDS; i++)
		t->detail[i] = settings->has_detail ? settings->detail[i] & known[i] : usual[i];
}

ssize_t
prismkit_twin_decode(struct prismkit_twin *t, const uint8_t *p, size_t len, struct prism_event *ev)
{
	struct cursor c = { .p = p, .len = len, .lenient = t->settings.lenient };
	memset(ev, 0, sizeof(*ev));
	ev->kind = (uint8_t)bits(&c, 3);
	if (c.lacks)
		return 0;
	switch (ev->kind) {
	case 0: twin_mem(&c, t->detail[0], &ev->mem); break;
	case 1: twin_comp(&c, t->detail[1], t->settings.layout, &ev->comp); break;
	case 2: twin_sync(&c, t->detail[2], t->settings.word_size ? t->settings.word_size : 8, &ev->sync); break;
	case 3: twin_cxt(&c, t->detail[3], t->settings.name_size, &ev->cxt); break;
	case 4:
		ev->cf.type = (uint8_t)bits(&c, 5);
		if (!t->settings.control_flow)
			return -PRISM_PB03;
		break;
	case 5: twin_cfg(&c, t, &ev->cfg); break;
	case 6: (void)field(&c, false, 5); break;
	default: return -PRISM_PB02;
	}
	ev->issues = c.issues;
	return c.error ? c.error : c.lacks ? 0
					   : (ssize_t)(c.bit / 8);
}

/* ---- Any bytes. ---- */

void
prismkit_differ(const char *what, const uint8_t *p, size_t n, const struct prism_event *a, const struct prism_event *b)
{
	char hex[3 * PRISM_EVENT_MAX], one[PRISMKIT_LINE], two[PRISMKIT_LINE];
	prismkit_unhex(hex, p, n < PRISM_EVENT_MAX ? n : PRISM_EVENT_MAX);
	prismkit_text(one, a);
	prismkit_text(two, b);
	(void)fprintf(stderr, "%s: %s\n  %s\n  %s\n", what, hex, one, two);
	exit(1);
}

/* A part of an event gives nothing, and changes nothing, or it is the error that the whole
 * gives. */
static void
take_part(const uint8_t *p, size_t some, const struct prism_state *before, ssize_t size)
{
	struct prism_state st = *before;
	struct prism_event ev;
	ssize_t part = prism_decode(p, some, &st, &ev);
	if (part == 0)
		CHECK(some == 0 || size == 0 || size > (ssize_t)some);
	else
		CHECK(part == size);
	CHECK(part > 0 || prismkit_same_state(&st, before));
}

void
prismkit_take(const uint8_t *p, size_t n, const struct prism_settings *settings)
{
	const uint32_t written = 1U << PRISM_PB09 | 1U << PRISM_PB13;
	struct prism_state st, copier;
	struct prismkit_twin twin;
	size_t at = 0;
	ssize_t size;
	bool plain = true;
	prism_begin(&st, settings);
	prism_begin(&copier, settings);
	prismkit_twin_begin(&twin, settings);
	do {
		struct prism_event ev, other;
		struct prism_state before = st;
		size = prism_decode(p + at, n - at, &st, &ev);
		ssize_t want = prismkit_twin_decode(&twin, p + at, n - at, &other);
		if (size != want)
			(void)fprintf(stderr, "%zd bytes, twin %zd\n", size, want);
		if (size != want || (size > 0 && !prismkit_same(&ev, &other)))
			prismkit_differ("any bytes", p + at, n - at, &ev, &other);
		take_part(p + at, 0, &before, size);
		take_part(p + at, at < n ? 1 : 0, &before, size);
		take_part(p + at, size > 0 ? (size_t)size - 1 : n - at, &before, size);
		CHECK(size > 0 || prismkit_same_state(&before, &st));
		CHECK(size != 0 || n - at < PRISM_EVENT_MAX);
		/* What has no issue, or is only no text or no operation we know, is written as it was. */
		plain = plain && size > 0 && (ev.issues & ~written) == 0;
		if (plain) {
			uint8_t copy[PRISM_EVENT_MAX];
			CHECK(prism_encode(copy, sizeof(copy), &copier, &ev) == size);
			CHECK(memcmp(copy, p + at, (size_t)size) == 0);
		}
		at += size > 0 ? (size_t)size : 0;
	} while (size > 0);
}
