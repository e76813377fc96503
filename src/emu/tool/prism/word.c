/* SPDX-License-Identifier: MIT */
#include "word.h"

bool
ptword_fail(struct ptcursor *c, const char *at, const char *problem)
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

struct ptword
ptword_next(struct ptcursor *c)
{
	skip(c);
	struct ptword w = { .p = c->p };
	while (c->p < c->end && !is_blank(*c->p) && *c->p != '#' && *c->p != '"')
		c->p++;
	w.n = (size_t)(c->p - w.p);
	return w;
}

bool
ptword_at_end(struct ptcursor *c)
{
	skip(c);
	return c->p == c->end;
}

bool
ptword_equals(struct ptword w, const char *text)
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

int
ptword_digit(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	ch |= 0x20;
	return ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : 99;
}

bool
ptword_number(struct ptcursor *c, struct ptword w, uint64_t max, uint64_t *to)
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
		int d = ptword_digit(w.p[i]);
		good = d < base && !__builtin_mul_overflow(v, (uint64_t)base, &v) && !__builtin_add_overflow(v, (uint64_t)d, &v);
	}
	if (!good)
		return ptword_fail(c, w.p, "a number is expected, decimal or with 0x");
	if (v > max)
		return ptword_fail(c, w.p, "the number is too large");
	*to = v;
	return true;
}

bool
ptword_type(struct ptcursor *c, struct ptword w, const char *(*name)(unsigned), unsigned n, unsigned many, uint8_t *to)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < n; i++)
		if (is_name(w, name(i))) {
			*to = (uint8_t)i;
			return true;
		}
	if (w.n == 0 || *w.p < '0' || *w.p > '9')
		return ptword_fail(c, w.p, "this type is not known");
	if (!ptword_number(c, w, many - 1, &v))
		return false;
	*to = (uint8_t)v;
	return true;
}

bool
ptword_key(struct ptword *w, const char *key)
{
	size_t n = strlen(key);
	if (w->n <= n || memcmp(w->p, key, n) != 0 || w->p[n] != '=')
		return false;
	w->p += n + 1;
	w->n -= n + 1;
	return true;
}
