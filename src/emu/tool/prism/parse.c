/* SPDX-License-Identifier: MIT */
/* parse: lines of text to events. */
#include "word.h"

static bool
parse_size(struct ptcursor *c, struct ptword w, uint16_t *to)
{
	uint64_t v = 0;
	if (!ptword_number(c, w, 128, &v))
		return false;
	if (v == 0 || (v & (v - 1)))
		return ptword_fail(c, w.p, "a size is a power of two up to 128");
	*to = (uint16_t)v;
	return true;
}

/* ---- Kinds of events. ---- */

/* Notes a field, which must come once. */
static bool
note(struct ptcursor *c, const char *at, uint32_t *has, uint32_t field)
{
	if (*has & field)
		return ptword_fail(c, at, "this field is there twice");
	*has |= field;
	return true;
}

/* The fields that memory and compute events share: a size, and a type without a key. */
static bool
parse_first(struct ptcursor *c, struct ptword w, uint32_t *has, uint32_t field, const char *(*name)(unsigned), uint8_t *type, uint16_t *bytes)
{
	const char *at = w.p;
	if (ptword_key(&w, "size"))
		return note(c, at, has, PRISM_HAS_SIZE) && parse_size(c, w, bytes);
	return note(c, at, has, field) && ptword_type(c, w, name, 3, 3, type);
}

static bool
parse_mem(struct ptcursor *c, struct prism_mem *m)
{
	struct ptword w;
	bool good = true;
	while (good && (w = ptword_next(c)).n) {
		const char *at = w.p;
		uint64_t v = 0;
		if (ptword_key(&w, "addr")) {
			good = note(c, at, &m->has, PRISM_HAS_ADDR) && ptword_number(c, w, UINT64_MAX, &v);
			m->addr = prism_address(v);
			/* The highest bits are those of the sign. */
			if (good && v != m->addr && v >> 56)
				good = ptword_fail(c, w.p, "an address has 56 bits");
		} else if (ptword_key(&w, "id")) {
			good = note(c, at, &m->has, PRISM_HAS_ID) && ptword_number(c, w, UINT8_MAX, &v);
			m->id = (uint8_t)v;
		} else {
			good = parse_first(c, w, &m->has, PRISM_HAS_TYPE, prism_mem_name, &m->type, &m->bytes);
		}
	}
	return good;
}

static bool
parse_ids(struct ptcursor *c, struct ptword w, struct prism_comp *e)
{
	const char *p = w.p;
	const char *end = w.p + w.n;
	for (;;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		struct ptword one = { p, (size_t)((comma ? comma : end) - p) };
		uint64_t v = 0;
		if (e->nids == 4)
			return ptword_fail(c, p, "there are at most 4 ids");
		if (!ptword_number(c, one, UINT8_MAX, &v))
			return false;
		e->ids[e->nids++] = (uint8_t)v;
		if (!comma)
			return true;
		p = comma + 1;
	}
}

static bool
parse_arity(struct ptcursor *c, struct ptword w, uint8_t *to)
{
	uint64_t v = 0;
	if (!ptword_number(c, w, 4, &v))
		return false;
	*to = (uint8_t)v;
	return v > 0 || ptword_fail(c, w.p, "an arity is 1 to 4");
}

static bool
parse_comp(struct ptcursor *c, struct prism_comp *e)
{
	struct ptword w;
	while ((w = ptword_next(c)).n) {
		const char *at = w.p;
		bool good;
		if (ptword_key(&w, "op"))
			good = note(c, at, &e->has, PRISM_HAS_OP) && ptword_type(c, w, prism_op_name, PRISM_OPS, 256, &e->op);
		else if (ptword_key(&w, "arity"))
			good = note(c, at, &e->has, PRISM_HAS_ARITY) && parse_arity(c, w, &e->arity);
		else if (ptword_key(&w, "ids"))
			good = note(c, at, &e->has, PRISM_HAS_ARGS) && parse_ids(c, w, e);
		else
			good = parse_first(c, w, &e->has, PRISM_HAS_FORMAT, prism_format_name, &e->format, &e->bytes);
		if (!good)
			return false;
	}
	if ((e->has & PRISM_HAS_ARGS) && !(e->has & PRISM_HAS_ARITY)) {
		e->has |= PRISM_HAS_ARITY;
		e->arity = e->nids;
	}
	if ((e->has & PRISM_HAS_ARGS) && e->nids != e->arity)
		return ptword_fail(c, c->end, "there must be as many ids as the arity says");
	return true;
}

static bool
parse_sync(struct ptcursor *c, struct prism_sync *s)
{
	struct ptword w = ptword_next(c);
	if (!w.n)
		return true;
	s->has = PRISM_HAS_TYPE;
	if (!ptword_type(c, w, prism_sync_name, PRISM_SYNCS, 32, &s->type))
		return false;
	while ((w = ptword_next(c)).n) {
		if (s->nargs == prism_sync_words(s->type))
			return ptword_fail(c, w.p, "there are more words than this synchronization has");
		if (!ptword_number(c, w, UINT64_MAX, &s->arg[s->nargs++]))
			return false;
		s->has |= PRISM_HAS_ARGS;
	}
	if (s->nargs && s->nargs != prism_sync_words(s->type))
		return ptword_fail(c, c->end, "this synchronization has two words");
	return true;
}

/* The text of a name, up to the quote at its end. */
static bool
parse_name(struct ptcursor *c)
{
	struct ptline *l = c->line;
	c->p++;
	while (c->p < c->end && *c->p != '"') {
		char ch = *c->p++;
		if (ch == '\\') {
			size_t left = (size_t)(c->end - c->p);
			if (left >= 3 && c->p[0] == 'x' && ptword_digit(c->p[1]) < 16 && ptword_digit(c->p[2]) < 16) {
				ch = (char)(ptword_digit(c->p[1]) << 4 | ptword_digit(c->p[2]));
				c->p += 3;
			} else if (left >= 1 && (*c->p == '"' || *c->p == '\\')) {
				ch = *c->p++;
			} else {
				return ptword_fail(c, c->p - 1, "behind a backslash there is \", \\ or xNN");
			}
		}
		if (l->nbytes == PRISM_NAME_MAX)
			return ptword_fail(c, c->p, "a name has at most 256 bytes");
		l->bytes[l->nbytes++] = (uint8_t)ch;
	}
	if (c->p == c->end)
		return ptword_fail(c, c->p, "a quote is missing");
	c->p++;
	return l->nbytes > 0 || ptword_fail(c, c->p, "no event can have an empty name");
}

static bool
parse_cxt(struct ptcursor *c, struct prism_cxt *e)
{
	struct ptword w = ptword_next(c);
	if (!w.n)
		return true;
	e->has = PRISM_HAS_TYPE;
	if (!ptword_type(c, w, prism_cxt_name, PRISM_CXTS, 32, &e->type))
		return false;
	if (ptword_at_end(c))
		return true;
	if (!prism_cxt_is_named(e->type)) {
		e->has |= PRISM_HAS_ID;
		return ptword_number(c, ptword_next(c), (UINT64_C(1) << 56) - 1, &e->id);
	}
	if (*c->p != '"')
		return ptword_fail(c, c->p, "a name in quotes is expected");
	if (!parse_name(c))
		return false;
	e->has |= PRISM_HAS_NAME;
	e->name = (const char *)c->line->bytes;
	e->name_len = (uint32_t)c->line->nbytes;
	return true;
}

static bool
parse_config(struct ptcursor *c, struct prism_cfg *e)
{
	struct ptword w = ptword_next(c);
	uint64_t v = 0;
	while (e->target < PRISM_KINDS && !ptword_equals(w, ptline_kinds[e->target]))
		e->target++;
	if (e->target == PRISM_KINDS)
		return ptword_fail(c, w.p, "mem, comp, sync, cxt or cf is expected");
	if (!ptword_number(c, ptword_next(c), UINT8_MAX, &v))
		return false;
	e->after = (uint8_t)v;
	return true;
}

static bool
parse_bytes(struct ptcursor *c)
{
	struct ptline *l = c->line;
	struct ptword w;
	while ((w = ptword_next(c)).n) {
		if (w.n != 2 || ptword_digit(w.p[0]) > 15 || ptword_digit(w.p[1]) > 15)
			return ptword_fail(c, w.p, "a byte is two hexadecimal digits");
		if (l->nbytes == PTLINE_BYTES_MAX)
			return ptword_fail(c, w.p, "there are too many bytes in a line");
		l->bytes[l->nbytes++] = (uint8_t)(ptword_digit(w.p[0]) << 4 | ptword_digit(w.p[1]));
	}
	return true;
}

static bool
parse_stream(struct ptcursor *c)
{
	struct ptline *l = c->line;
	struct ptword w;
	while ((w = ptword_next(c)).n) {
		const char *eq = memchr(w.p, '=', w.n);
		size_t n = eq ? (size_t)(eq - w.p) : 0;
		if (n == 0 || n >= sizeof(l->key[0]) || w.n - n - 1 >= sizeof(l->value[0]) || l->nsets == PTLINE_SETS_MAX)
			return ptword_fail(c, w.p, "a setting like compute_layout=packed is expected");
		memcpy(l->key[l->nsets], w.p, n);
		l->key[l->nsets][n] = 0;
		memcpy(l->value[l->nsets], eq + 1, w.n - n - 1);
		l->value[l->nsets++][w.n - n - 1] = 0;
	}
	return true;
}

static bool
parse_event(struct ptcursor *c, struct ptword kind)
{
	struct prism_event *ev = &c->line->ev;
	uint64_t v = 0;
	c->line->type = PTLINE_EVENT;
	if (ptword_equals(kind, "mem"))
		return ev->kind = PRISM_MEM, parse_mem(c, &ev->mem);
	if (ptword_equals(kind, "comp"))
		return ev->kind = PRISM_COMP, parse_comp(c, &ev->comp);
	if (ptword_equals(kind, "sync"))
		return ev->kind = PRISM_SYNC, parse_sync(c, &ev->sync);
	if (ptword_equals(kind, "cxt"))
		return ev->kind = PRISM_CXT, parse_cxt(c, &ev->cxt);
	if (ptword_equals(kind, "config"))
		return ev->kind = PRISM_CFG, parse_config(c, &ev->cfg);
	if (ptword_equals(kind, "cf")) {
		ev->kind = PRISM_CF;
		bool good = ptword_number(c, ptword_next(c), 31, &v);
		ev->cf.type = (uint8_t)v;
		return good;
	}
	ev->kind = PRISM_END;
	return ptword_equals(kind, "end") || ptword_fail(c, kind.p, "mem, comp, sync, cxt, cf, config, end, bytes or stream is expected");
}

bool
ptline_parse(struct ptline *line, const char *text, size_t n)
{
	struct ptcursor c = { .line = line, .begin = text, .p = text, .end = text + n };
	line->type = PTLINE_EMPTY;
	line->nbytes = 0;
	line->nsets = 0;
	line->problem = NULL;
	line->column = 0;
	memset(&line->ev, 0, sizeof(line->ev));
	if (ptword_at_end(&c))
		return true;
	struct ptword kind = ptword_next(&c);
	bool good;
	if (ptword_equals(kind, "bytes")) {
		line->type = PTLINE_BYTES;
		good = parse_bytes(&c);
	} else if (ptword_equals(kind, "stream")) {
		line->type = PTLINE_STREAM;
		good = parse_stream(&c);
	} else {
		good = parse_event(&c, kind);
	}
	if (good && !ptword_at_end(&c))
		good = ptword_fail(&c, c.p, "this is one word too many");
	return good;
}
