/* SPDX-License-Identifier: MIT */
/* ptparse: lines of text to events. */
#include "ptline.h"

struct cursor {
	struct ptline *line;
	const char *begin;
	const char *p;
	const char *end;
};

struct word {
	const char *p;
	size_t n;
};

static bool
fail(struct cursor *c, const char *at, const char *problem)
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
skip(struct cursor *c)
{
	while (c->p < c->end && is_blank(*c->p))
		c->p++;
	if (c->p < c->end && *c->p == '#')
		c->p = c->end;
}

/* The next word, empty at the end. */
static struct word
next_word(struct cursor *c)
{
	skip(c);
	struct word w = { .p = c->p };
	while (c->p < c->end && !is_blank(*c->p) && *c->p != '#' && *c->p != '"')
		c->p++;
	w.n = (size_t)(c->p - w.p);
	return w;
}

static bool
at_end(struct cursor *c)
{
	skip(c);
	return c->p == c->end;
}

static bool
equals(struct word w, const char *text)
{
	return strlen(text) == w.n && memcmp(w.p, text, w.n) == 0;
}

/* Whether the word is a name of the library, in which it has '-' for ' '. */
static bool
is_name(struct word w, const char *name)
{
	if (strlen(name) != w.n)
		return false;
	for (size_t i = 0; i < w.n; i++)
		if (w.p[i] != (name[i] == ' ' ? '-' : name[i]))
			return false;
	return true;
}

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
number(struct cursor *c, struct word w, uint64_t max, uint64_t *to)
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

/* One of the names, below n, or a number below `many`. */
static bool
type_of(struct cursor *c, struct word w, const char *(*name)(unsigned), unsigned n, unsigned many, uint8_t *to)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < n; i++)
		if (is_name(w, name(i))) {
			*to = (uint8_t)i;
			return true;
		}
	if (w.n == 0 || *w.p < '0' || *w.p > '9')
		return fail(c, w.p, "this type is not known");
	if (!number(c, w, many - 1, &v))
		return false;
	*to = (uint8_t)v;
	return true;
}

/* Takes "key=" away from the word. */
static bool
is_key(struct word *w, const char *key)
{
	size_t n = strlen(key);
	if (w->n <= n || memcmp(w->p, key, n) != 0 || w->p[n] != '=')
		return false;
	w->p += n + 1;
	w->n -= n + 1;
	return true;
}

static bool
parse_size(struct cursor *c, struct word w, uint16_t *to)
{
	uint64_t v = 0;
	if (!number(c, w, 128, &v))
		return false;
	if (v == 0 || (v & (v - 1)))
		return fail(c, w.p, "a size is a power of two up to 128");
	*to = (uint16_t)v;
	return true;
}

/* ---- Kinds of events. ---- */

/* Notes a field, which must come once. */
static bool
note(struct cursor *c, const char *at, uint32_t *has, uint32_t field)
{
	if (*has & field)
		return fail(c, at, "this field is there twice");
	*has |= field;
	return true;
}

static bool
parse_mem(struct cursor *c, struct prism_mem *m)
{
	struct word w;
	uint64_t v = 0;
	while ((w = next_word(c)).n) {
		const char *at = w.p;
		bool good;
		if (is_key(&w, "size")) {
			good = note(c, at, &m->has, PRISM_HAS_SIZE) && parse_size(c, w, &m->bytes);
		} else if (is_key(&w, "addr")) {
			good = note(c, at, &m->has, PRISM_HAS_ADDR) && number(c, w, UINT64_MAX, &v);
			m->addr = prism_address(v);
			/* The highest bits are those of the sign. */
			if (good && v != m->addr && v >> 56)
				good = fail(c, w.p, "an address has 56 bits");
		} else if (is_key(&w, "id")) {
			good = note(c, at, &m->has, PRISM_HAS_ID) && number(c, w, UINT8_MAX, &v);
			m->id = (uint8_t)v;
		} else {
			good = note(c, at, &m->has, PRISM_HAS_TYPE) && type_of(c, w, prism_mem_name, 3, 3, &m->type);
		}
		if (!good)
			return false;
	}
	return true;
}

static bool
parse_ids(struct cursor *c, struct word w, struct prism_comp *e)
{
	const char *p = w.p;
	const char *end = w.p + w.n;
	for (;;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		struct word one = { p, (size_t)((comma ? comma : end) - p) };
		uint64_t v = 0;
		if (e->nids == 4)
			return fail(c, p, "there are at most 4 ids");
		if (!number(c, one, UINT8_MAX, &v))
			return false;
		e->ids[e->nids++] = (uint8_t)v;
		if (!comma)
			return true;
		p = comma + 1;
	}
}

static bool
parse_comp(struct cursor *c, struct prism_comp *e)
{
	struct word w;
	uint64_t v = 0;
	while ((w = next_word(c)).n) {
		const char *at = w.p;
		bool good;
		if (is_key(&w, "size")) {
			good = note(c, at, &e->has, PRISM_HAS_SIZE) && parse_size(c, w, &e->bytes);
		} else if (is_key(&w, "op")) {
			good = note(c, at, &e->has, PRISM_HAS_OP) && type_of(c, w, prism_op_name, PRISM_OPS, 256, &e->op);
		} else if (is_key(&w, "arity")) {
			good = note(c, at, &e->has, PRISM_HAS_ARITY) && number(c, w, 4, &v);
			e->arity = (uint8_t)v;
			if (good && v == 0)
				good = fail(c, w.p, "an arity is 1 to 4");
		} else if (is_key(&w, "ids")) {
			good = note(c, at, &e->has, PRISM_HAS_ARGS) && parse_ids(c, w, e);
		} else {
			good = note(c, at, &e->has, PRISM_HAS_FORMAT) && type_of(c, w, prism_format_name, 3, 3, &e->format);
		}
		if (!good)
			return false;
	}
	if ((e->has & PRISM_HAS_ARGS) && !(e->has & PRISM_HAS_ARITY)) {
		e->has |= PRISM_HAS_ARITY;
		e->arity = e->nids;
	}
	if ((e->has & PRISM_HAS_ARGS) && e->nids != e->arity)
		return fail(c, c->end, "there must be as many ids as the arity says");
	return true;
}

static bool
parse_sync(struct cursor *c, struct prism_sync *s)
{
	struct word w = next_word(c);
	if (!w.n)
		return true;
	s->has = PRISM_HAS_TYPE;
	if (!type_of(c, w, prism_sync_name, PRISM_SYNCS, 32, &s->type))
		return false;
	while ((w = next_word(c)).n) {
		if (s->nargs == prism_sync_words(s->type))
			return fail(c, w.p, "there are more words than this synchronization has");
		if (!number(c, w, UINT64_MAX, &s->arg[s->nargs++]))
			return false;
		s->has |= PRISM_HAS_ARGS;
	}
	if (s->nargs && s->nargs != prism_sync_words(s->type))
		return fail(c, c->end, "this synchronization has two words");
	return true;
}

/* The text of a name, up to the quote at its end. */
static bool
parse_name(struct cursor *c)
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
parse_cxt(struct cursor *c, struct prism_cxt *e)
{
	struct word w = next_word(c);
	if (!w.n)
		return true;
	e->has = PRISM_HAS_TYPE;
	if (!type_of(c, w, prism_cxt_name, PRISM_CXTS, 32, &e->type))
		return false;
	if (at_end(c))
		return true;
	if (!prism_cxt_is_named(e->type)) {
		e->has |= PRISM_HAS_ID;
		return number(c, next_word(c), (UINT64_C(1) << 56) - 1, &e->id);
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
parse_config(struct cursor *c, struct prism_cfg *e)
{
	struct word w = next_word(c);
	uint64_t v = 0;
	while (e->target < PRISM_KINDS && !equals(w, ptline_kinds[e->target]))
		e->target++;
	if (e->target == PRISM_KINDS)
		return fail(c, w.p, "mem, comp, sync, cxt or cf is expected");
	if (!number(c, next_word(c), UINT8_MAX, &v))
		return false;
	e->after = (uint8_t)v;
	return true;
}

static bool
parse_bytes(struct cursor *c)
{
	struct ptline *l = c->line;
	struct word w;
	while ((w = next_word(c)).n) {
		if (w.n != 2 || digit(w.p[0]) > 15 || digit(w.p[1]) > 15)
			return fail(c, w.p, "a byte is two hexadecimal digits");
		if (l->nbytes == PTLINE_BYTES_MAX)
			return fail(c, w.p, "there are too many bytes in a line");
		l->bytes[l->nbytes++] = (uint8_t)(digit(w.p[0]) << 4 | digit(w.p[1]));
	}
	return true;
}

static bool
parse_stream(struct cursor *c)
{
	struct ptline *l = c->line;
	struct word w;
	while ((w = next_word(c)).n) {
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
parse_event(struct cursor *c, struct word kind)
{
	struct prism_event *ev = &c->line->ev;
	uint64_t v = 0;
	c->line->type = PTLINE_EVENT;
	if (equals(kind, "mem"))
		return ev->kind = PRISM_MEM, parse_mem(c, &ev->mem);
	if (equals(kind, "comp"))
		return ev->kind = PRISM_COMP, parse_comp(c, &ev->comp);
	if (equals(kind, "sync"))
		return ev->kind = PRISM_SYNC, parse_sync(c, &ev->sync);
	if (equals(kind, "cxt"))
		return ev->kind = PRISM_CXT, parse_cxt(c, &ev->cxt);
	if (equals(kind, "config"))
		return ev->kind = PRISM_CFG, parse_config(c, &ev->cfg);
	if (equals(kind, "cf")) {
		ev->kind = PRISM_CF;
		bool good = number(c, next_word(c), 31, &v);
		ev->cf.type = (uint8_t)v;
		return good;
	}
	ev->kind = PRISM_END;
	return equals(kind, "end") || fail(c, kind.p, "mem, comp, sync, cxt, cf, config, end, bytes or stream is expected");
}

bool
ptline_parse(struct ptline *line, const char *text, size_t n)
{
	struct cursor c = { .line = line, .begin = text, .p = text, .end = text + n };
	line->type = PTLINE_EMPTY;
	line->nbytes = 0;
	line->nsets = 0;
	line->problem = NULL;
	line->column = 0;
	memset(&line->ev, 0, sizeof(line->ev));
	if (at_end(&c))
		return true;
	struct word kind = next_word(&c);
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
