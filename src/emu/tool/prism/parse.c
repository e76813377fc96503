/* SPDX-License-Identifier: MIT */
/* parse: lines of text to events. */
#include "line.h"

struct ptcursor {
	struct ptline *line;
	const char *begin;
	const char *p;
	const char *end;
};

struct ptword {
	const char *p;
	size_t n;
};

/* ---- Words. ---- */

/* Notes the first problem, with its place. Returns false. */
static bool
fail(struct ptcursor *c, const char *at, const char *problem)
{
	if (!c->line->problem) {
		c->line->problem = problem;
		c->line->column = (size_t)(at - c->begin);
	}
	return false;
}

static bool
is_blank(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\r';
}

static void
skip(struct ptcursor *c)
{
	while (c->p < c->end && is_blank(*c->p))
		c->p++;
	if (c->p < c->end && *c->p == '#')
		c->p = c->end;
}

/* The next word, empty at the end; it ends at a blank, a quote or a comment. */
static struct ptword
next(struct ptcursor *c)
{
	skip(c);
	struct ptword w = { .p = c->p };
	while (c->p < c->end && !is_blank(*c->p) && *c->p != '#' && *c->p != '"')
		c->p++;
	w.n = (size_t)(c->p - w.p);
	return w;
}

/* Whether nothing but blanks and a comment is left; else c->p is behind the blanks. */
static bool
at_end(struct ptcursor *c)
{
	skip(c);
	return c->p == c->end;
}

static bool
equals(struct ptword w, const char *text)
{
	return strlen(text) == w.n && memcmp(w.p, text, w.n) == 0;
}

/* Whether the word is a name of the library, in which it has '-' for ' '. */
static bool
is_name(struct ptword w, const char *name)
{
	if (strlen(name) != w.n)
		return false;
	for (size_t i = 0; i < w.n; i++)
		if (w.p[i] != (name[i] == ' ' ? '-' : name[i]))
			return false;
	return true;
}

/* A hexadecimal digit; above 15: it is none. */
static int
digit(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	ch |= 0x20;
	return ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : 99;
}

/* A number up to max. */
static bool
parse_number(struct ptcursor *c, struct ptword w, uint64_t max, uint64_t *to)
{
	int base = 10;
	size_t i = 0;
	if (w.n > 2 && w.p[0] == '0' && w.p[1] == 'x') {
		base = 16;
		i = 2;
	}
	uint64_t v = 0;
	bool good = i < w.n;
	for (; i < w.n && good; i++) {
		int d = digit(w.p[i]);
		good = d < base && !__builtin_mul_overflow(v, (uint64_t)base, &v) && !__builtin_add_overflow(v, (uint64_t)d, &v);
	}
	if (!good)
		return fail(c, w.p, "a number is expected, decimal or with 0x");
	if (v > max)
		return fail(c, w.p, "the number is too large");
	*to = v;
	return true;
}

/* A name of a field's type, or its number. */
static bool
parse_type(struct ptcursor *c, struct ptword w, const struct ptfield *f, uint8_t *to)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < f->nnames; i++)
		if (is_name(w, f->name(i))) {
			*to = (uint8_t)i;
			return true;
		}
	if (w.n == 0 || *w.p < '0' || *w.p > '9')
		return fail(c, w.p, "this type is not known");
	bool good = parse_number(c, w, f->max, &v);
	*to = (uint8_t)v;
	return good;
}

/* Takes "key=" away from the word, if it begins so. */
static bool
take_key(struct ptword *w, const char *key)
{
	size_t n = strlen(key);
	if (w->n <= n || memcmp(w->p, key, n) != 0 || w->p[n] != '=')
		return false;
	w->p += n + 1;
	w->n -= n + 1;
	return true;
}

/* ---- Kinds of events. ---- */

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
			return fail(c, p, "there are at most 4 ids");
		if (!parse_number(c, one, UINT8_MAX, &v))
			return false;
		e->ids[e->nids++] = (uint8_t)v;
		if (!comma)
			return true;
		p = comma + 1;
	}
}

/* A number of an event, which must be one that the field can have. */
static bool
parse_value(struct ptcursor *c, struct ptword w, const struct ptfield *f, struct prism_event *ev)
{
	char *to = (char *)ev + f->at;
	uint64_t v = 0;
	if (f->form == PTFORM_WORD)
		return parse_type(c, w, f, (uint8_t *)to);
	if (f->form == PTFORM_IDS)
		return parse_ids(c, w, &ev->comp);
	if (!parse_number(c, w, f->max, &v))
		return false;
	if (f->has == PRISM_HAS_SIZE && (v == 0 || (v & (v - 1))))
		return fail(c, w.p, "a size is a power of two up to 128");
	if (f->has == PRISM_HAS_ARITY && v == 0)
		return fail(c, w.p, "an arity is 1 to 4");
	/* The highest bits are those of the sign. */
	if (f->has == PRISM_HAS_ADDR && v != prism_address(v) && v >> 56)
		return fail(c, w.p, "an address has 56 bits");
	if (f->has == PRISM_HAS_ADDR)
		ev->mem.addr = prism_address(v);
	else if (f->size == sizeof(uint16_t))
		memcpy(to, &(uint16_t){ (uint16_t)v }, sizeof(uint16_t));
	else
		*(uint8_t *)to = (uint8_t)v;
	return true;
}

/* The fields of memory and compute events, each at most once: a type without a key, others with one. */
static bool
parse_fields(struct ptcursor *c, struct prism_event *ev, uint32_t *has)
{
	struct ptword w;
	while ((w = next(c)).n) {
		const struct ptfield *type = ptline_fields(ev->kind);
		const struct ptfield *f = type + 1;
		const char *at = w.p;
		while (f->has && !take_key(&w, f->key))
			f++;
		f = f->has ? f : type;
		if (*has & f->has)
			return fail(c, at, "this field is there twice");
		*has |= f->has;
		if (!parse_value(c, w, f, ev))
			return false;
	}
	return true;
}

static bool
parse_comp(struct ptcursor *c, struct prism_event *ev)
{
	struct prism_comp *e = &ev->comp;
	if (!parse_fields(c, ev, &e->has))
		return false;
	if ((e->has & PRISM_HAS_ARGS) && !(e->has & PRISM_HAS_ARITY)) {
		e->has |= PRISM_HAS_ARITY;
		e->arity = e->nids;
	}
	if ((e->has & PRISM_HAS_ARGS) && e->nids != e->arity)
		return fail(c, c->end, "there must be as many ids as the arity says");
	return true;
}

static bool
parse_sync(struct ptcursor *c, struct prism_sync *s)
{
	struct ptword w = next(c);
	if (!w.n)
		return true;
	s->has = PRISM_HAS_TYPE;
	if (!parse_type(c, w, ptline_fields(PRISM_SYNC), &s->type))
		return false;
	while ((w = next(c)).n) {
		if (s->nargs == prism_sync_words(s->type))
			return fail(c, w.p, "there are more words than this synchronization has");
		if (!parse_number(c, w, UINT64_MAX, &s->arg[s->nargs++]))
			return false;
		s->has |= PRISM_HAS_ARGS;
	}
	if (s->nargs && s->nargs != prism_sync_words(s->type))
		return fail(c, c->end, "this synchronization has two words");
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
			if (left >= 3 && c->p[0] == 'x' && digit(c->p[1]) < 16 && digit(c->p[2]) < 16) {
				ch = (char)(digit(c->p[1]) << 4 | digit(c->p[2]));
				c->p += 3;
			} else if (left >= 1 && (*c->p == '"' || *c->p == '\\')) {
				ch = *c->p++;
			} else {
				return fail(c, c->p - 1, "behind a backslash there is \", \\ or xNN");
			}
		}
		if (l->nbytes == PRISM_NAME_MAX)
			return fail(c, c->p, "a name has at most 256 bytes");
		l->bytes[l->nbytes++] = (uint8_t)ch;
	}
	if (c->p == c->end)
		return fail(c, c->p, "a quote is missing");
	c->p++;
	return l->nbytes > 0 || fail(c, c->p, "no event can have an empty name");
}

static bool
parse_cxt(struct ptcursor *c, struct prism_cxt *e)
{
	struct ptword w = next(c);
	if (!w.n)
		return true;
	e->has = PRISM_HAS_TYPE;
	if (!parse_type(c, w, ptline_fields(PRISM_CXT), &e->type))
		return false;
	if (at_end(c))
		return true;
	if (!prism_cxt_is_named(e->type)) {
		e->has |= PRISM_HAS_ID;
		return parse_number(c, next(c), (UINT64_C(1) << 56) - 1, &e->id);
	}
	if (*c->p != '"')
		return fail(c, c->p, "a name in quotes is expected");
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
	struct ptword w = next(c);
	uint64_t v = 0;
	while (e->target < PRISM_KINDS && !equals(w, prism_kind_words[e->target]))
		e->target++;
	if (e->target == PRISM_KINDS)
		return fail(c, w.p, "mem, comp, sync, cxt or cf is expected");
	if (!parse_number(c, next(c), UINT8_MAX, &v))
		return false;
	e->after = (uint8_t)v;
	return true;
}

static bool
parse_bytes(struct ptcursor *c)
{
	struct ptline *l = c->line;
	struct ptword w;
	while ((w = next(c)).n) {
		if (w.n != 2 || digit(w.p[0]) > 15 || digit(w.p[1]) > 15)
			return fail(c, w.p, "a byte is two hexadecimal digits");
		if (l->nbytes == PTLINE_BYTES_MAX)
			return fail(c, w.p, "there are too many bytes in a line");
		l->bytes[l->nbytes++] = (uint8_t)(digit(w.p[0]) << 4 | digit(w.p[1]));
	}
	return true;
}

static bool
parse_stream(struct ptcursor *c)
{
	struct ptline *l = c->line;
	struct ptword w;
	while ((w = next(c)).n) {
		const char *eq = memchr(w.p, '=', w.n);
		size_t n = eq ? (size_t)(eq - w.p) : 0;
		if (n == 0 || n >= sizeof(l->key[0]) || w.n - n - 1 >= sizeof(l->value[0]) || l->nsets == PTLINE_SETS_MAX)
			return fail(c, w.p, "a setting like compute_layout=packed is expected");
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
	c->line->type = PTLINE_EVENT;
	while (ev->kind < PRISM_KINDS && !equals(kind, prism_kind_words[ev->kind]))
		ev->kind++;
	switch (ev->kind) {
	case PRISM_MEM: return parse_fields(c, ev, &ev->mem.has);
	case PRISM_COMP: return parse_comp(c, ev);
	case PRISM_SYNC: return parse_sync(c, &ev->sync);
	case PRISM_CXT: return parse_cxt(c, &ev->cxt);
	case PRISM_CF: return parse_value(c, next(c), ptline_fields(PRISM_CF), ev);
	default: break;
	}
	if (equals(kind, "config")) {
		ev->kind = PRISM_CFG;
		return parse_config(c, &ev->cfg);
	}
	ev->kind = PRISM_END;
	return equals(kind, "end") || fail(c, kind.p, "mem, comp, sync, cxt, cf, config, end, bytes or stream is expected");
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
	if (at_end(&c))
		return true;
	struct ptword kind = next(&c);
	bool good;
	if (equals(kind, "bytes")) {
		line->type = PTLINE_BYTES;
		good = parse_bytes(&c);
	} else if (equals(kind, "stream")) {
		line->type = PTLINE_STREAM;
		good = parse_stream(&c);
	} else {
		good = parse_event(&c, kind);
	}
	if (good && !at_end(&c))
		good = fail(&c, c.p, "this is one word too many");
	return good;
}
