/* SPDX-License-Identifier: MIT */
#include "ref.h"

/* clang-format off */
#define TWO(a, b) { a, b, 0, 2 }
#define ROW(a) \
	TWO(a, '0'), TWO(a, '1'), TWO(a, '2'), TWO(a, '3'), TWO(a, '4'), TWO(a, '5'), TWO(a, '6'), TWO(a, '7'), \
	TWO(a, '8'), TWO(a, '9'), TWO(a, 'a'), TWO(a, 'b'), TWO(a, 'c'), TWO(a, 'd'), TWO(a, 'e'), TWO(a, 'f')
const uint8_t lapref_lengths[256][4] = {
	{ '0', 0, 0, 1 }, { '1', 0, 0, 1 }, { '2', 0, 0, 1 }, { '3', 0, 0, 1 }, { '4', 0, 0, 1 }, { '5', 0, 0, 1 }, { '6', 0, 0, 1 }, { '7', 0, 0, 1 },
	{ '8', 0, 0, 1 }, { '9', 0, 0, 1 }, { 'a', 0, 0, 1 }, { 'b', 0, 0, 1 }, { 'c', 0, 0, 1 }, { 'd', 0, 0, 1 }, { 'e', 0, 0, 1 }, { 'f', 0, 0, 1 },
	ROW('1'), ROW('2'), ROW('3'), ROW('4'), ROW('5'), ROW('6'), ROW('7'), ROW('8'), ROW('9'),
	ROW('a'), ROW('b'), ROW('c'), ROW('d'), ROW('e'), ROW('f'),
};

#define NONE 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
#define LETTERS 255, 10, 11, 12, 13, 14, 15, 255, 255, 255, 255, 255, 255, 255, 255, 255
const uint8_t lapref_hex[256] = {
	NONE, NONE, NONE, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 255, 255, 255, 255, 255, 255,
	LETTERS, NONE, LETTERS, NONE,
	NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
};
/* clang-format on */

char *
lapref_put_page(char *p, const struct lap_record *rec)
{
	p = lapref_put_head(p, rec);
	p = hex_put64(p, rec->addr >> LAP_PAGE_SHIFT);
	*p++ = ' ';
	p = hex_put64(p, rec->page);
	*p++ = '\n';
	return p;
}

char *
lapref_put_basic(char *p, const struct lap_record *rec)
{
	*p++ = (char)(rec->kind & ~0x20);
	*p++ = ' ';
	p = hex_put64(p, rec->page);
	*p++ = '\n';
	return p;
}

/* ---- Lines in any form. ---- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

size_t
lapref_field(struct lap_cursor *c, const char **field)
{
	const char *p = c->p;
	while (p < c->end && !is_blank(*p))
		p++;
	size_t n = (size_t)(p - c->p);
	*field = c->p;
	while (p < c->end && is_blank(*p))
		p++;
	c->p = p;
	return n;
}

int
lapref_number(const char *field, size_t n, unsigned digits, uint64_t *v)
{
	uint64_t x = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned d = lapref_hex[(uint8_t)field[i]];
		if (d > 15)
			return LAP_LT02;
		x = x << 4 | d;
	}
	*v = x;
	return n == 0 ? LAP_LT02 : n > digits ? LAP_LT03
					      : 0;
}

int
lapref_take(struct lap_cursor *c, unsigned digits, uint64_t *v)
{
	const char *field;
	size_t n = lapref_field(c, &field);
	return n ? lapref_number(field, n, digits, v) : LAP_LT01;
}

int
lapref_first(struct lap_cursor *c, uint8_t *tag)
{
	const char *field;
	while (c->end > c->p && is_blank(c->end[-1]))
		c->end--;
	size_t n = lapref_field(c, &field);
	if (n == 0)
		return LAP_LT02;
	*tag = (uint8_t)field[0];
	return n > 1 ? LAP_LT04 : 0;
}

int
lapref_parse(const char *line, size_t n, unsigned digits, struct lap_record *rec, uint64_t *last)
{
	struct lap_cursor c = { line, line + n };
	const unsigned widths[] = { 16, 2, 8, digits };
	uint64_t v[4] = { 0 };
	int rc = lapref_first(&c, &rec->kind);
	if (rc)
		return rc;
	if (!lap_kinds[rec->kind])
		return LAP_LR02;
	/* Report a wrong number of fields before wrong fields. */
	struct lap_cursor count = c;
	const char *field;
	size_t nfields = 0;
	while (lapref_field(&count, &field))
		nfields++;
	if (nfields != 4)
		return LAP_LT01;
	for (size_t i = 0; i < 4; i++)
		if ((rc = lapref_take(&c, widths[i], &v[i])) != 0)
			return rc;
	rec->ts = v[0];
	rec->length = (uint8_t)v[1];
	rec->space = (uint32_t)v[2];
	*last = v[3];
	return 0;
}
