/* SPDX-License-Identifier: MIT */
/* jsonin: a text as a tree of values, by descent. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "jsonvalue.h"
#include "utf8.h"

struct reader {
	const char *p;
	int depth;
	int error; /* 0, EINVAL or ENOMEM */
};

static struct json *read_value(struct reader *r);

static void *
fail(struct reader *r, int error)
{
	if (!r->error)
		r->error = error;
	return NULL;
}

static void
skip_blanks(struct reader *r)
{
	r->p += strspn(r->p, " \t\r\n");
}

/* Passes c, and blanks behind it, if it is next. */
static bool
passes(struct reader *r, char c)
{
	if (*r->p != c)
		return false;
	r->p++;
	skip_blanks(r);
	return true;
}

/* Reads 4 hexadecimal digits. Returns UINT32_MAX if they are none. */
static uint32_t
read_hex4(const char *p)
{
	uint32_t v = 0;
	for (int i = 0; i < 4; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *d = p[i] ? strchr(digits, p[i] | 0x20) : NULL;
		if (!d)
			return UINT32_MAX;
		v = v << 4 | (uint32_t)(d - digits);
	}
	return v;
}

/* Reads the character of "\uXXXX", or of two of them, behind the "\u". Returns 0 if it is none. */
static uint32_t
read_escaped(struct reader *r)
{
	uint32_t c = read_hex4(r->p);
	if (c == UINT32_MAX)
		return 0;
	r->p += 4;
	if (c < 0xd800 || c > 0xdfff)
		return c;
	uint32_t low = c < 0xdc00 && r->p[0] == '\\' && r->p[1] == 'u' ? read_hex4(r->p + 2) : 0;
	if (low < 0xdc00 || low > 0xdfff)
		return 0;
	r->p += 6;
	return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

static char *
put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	int more = c < 0x800 ? 1 : c < 0x10000 ? 2
					       : 3;
	*to++ = (char)((0xf00u >> (more + 1) & 0xffu) | c >> 6 * more);
	while (more-- > 0)
		*to++ = (char)(0x80 | (c >> 6 * more & 0x3f));
	return to;
}

/* Reads one character of a string, escaped or not. Returns where the next one goes; NULL: it is
 * none. */
static char *
read_char(struct reader *r, char *to)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	if (*r->p != '\\') {
		*to = *r->p++;
		return to + 1;
	}
	char c = r->p[1];
	const char *l = c ? strchr(letters, c) : NULL;
	r->p += c ? 2 : 1;
	if (l) {
		*to = meant[l - letters];
		return to + 1;
	}
	uint32_t u = c == 'u' ? read_escaped(r) : 0;
	return u ? put_utf8(to, u) : NULL;
}

/* Reads a string, and blanks behind it. Returns its text, to be freed; NULL: it is none. */
static char *
read_string(struct reader *r)
{
	if (*r->p != '"')
		return fail(r, EINVAL);
	const char *end = ++r->p;
	while (*end && *end != '"')
		end += end[0] == '\\' && end[1] ? 2 : 1;
	size_t len = (size_t)(end - r->p); /* at most: no escape is shorter than its meaning */
	char *text = malloc(len + 1), *to = text;
	if (!text)
		return fail(r, ENOMEM);
	while (to && *r->p && *r->p != '"')
		to = read_char(r, to);
	if (!to || *r->p != '"') {
		free(text);
		return fail(r, EINVAL);
	}
	*to = '\0';
	(void)passes(r, '"');
	if (!utf8_is_text(text)) {
		free(text);
		return fail(r, EINVAL);
	}
	return text;
}

/* Passes digits. Returns how many. */
static size_t
pass_digits(struct reader *r)
{
	size_t n = strspn(r->p, "0123456789");
	r->p += n;
	return n;
}

/* Converts the text of a number, whose point is what the program's locale has. Returns false without memory. */
static bool
convert(const char *text, size_t len, double *number)
{
	const char *point = localeconv()->decimal_point;
	char *copy = malloc(len + strlen(point) + 1), *to = copy;
	if (!copy)
		return false;
	for (size_t i = 0; i < len; i++)
		if (text[i] == '.')
			to = stpcpy(to, point);
		else
			*to++ = text[i];
	*to = '\0';
	*number = strtod(copy, NULL);
	free(copy);
	return true;
}

static struct json *
read_number(struct reader *r)
{
	const char *begin = r->p;
	r->p += *r->p == '-';
	bool zero = *r->p == '0';
	size_t n = pass_digits(r);
	bool good = n > 0 && !(zero && n > 1);
	if (*r->p == '.') {
		r->p++;
		good &= pass_digits(r) > 0;
	}
	if (*r->p == 'e' || *r->p == 'E') {
		r->p++;
		r->p += *r->p == '+' || *r->p == '-';
		good &= pass_digits(r) > 0;
	}
	double number;
	if (!good)
		return fail(r, EINVAL);
	if (!convert(begin, (size_t)(r->p - begin), &number))
		return fail(r, ENOMEM);
	if (!isfinite(number))
		return fail(r, EINVAL);
	skip_blanks(r);
	struct json *v = rt_json_number(number);
	return v ? v : fail(r, ENOMEM);
}

/* Reads a member or an element into v. Returns false after an error. */
static bool
read_item(struct reader *r, struct json *v)
{
	if (v->kind == JSON_ARRAY) {
		struct json *m = read_value(r);
		return m && rt_json_push(v, m);
	}
	char *name = read_string(r);
	struct json *m = name && passes(r, ':') ? read_value(r) : fail(r, EINVAL);
	if (m && rt_json_member(v, name, strlen(name))) {
		rt_json_free(m);
		m = fail(r, EINVAL);
	}
	bool good = m && (rt_json_put(v, name, strlen(name), m) || fail(r, ENOMEM));
	free(name);
	return good;
}

/* Reads what follows the bracket of an array or object. */
static struct json *
read_items(struct reader *r, enum json_kind kind, char end)
{
	struct json *v = rt_json_new(kind);
	if (!v)
		return fail(r, ENOMEM);
	bool good = ++r->depth <= JSON_DEPTH_MAX;
	if (good && !passes(r, end)) {
		do
			good = read_item(r, v);
		while (good && passes(r, ','));
		good = good && passes(r, end);
	}
	r->depth--;
	if (good)
		return v;
	rt_json_free(v);
	return fail(r, EINVAL);
}

static struct json *
read_text(struct reader *r)
{
	char *text = read_string(r);
	struct json *v = text ? rt_json_new(JSON_STRING) : NULL;
	if (v)
		v->text = text;
	else
		free(text);
	return v ? v : fail(r, ENOMEM);
}

static struct json *
read_value(struct reader *r)
{
	static const struct {
		const char *name;
		enum json_kind kind;
	} words[] = { { "null", JSON_NULL }, { "false", JSON_FALSE }, { "true", JSON_TRUE } };
	if (passes(r, '{'))
		return read_items(r, JSON_OBJECT, '}');
	if (passes(r, '['))
		return read_items(r, JSON_ARRAY, ']');
	if (*r->p == '"')
		return read_text(r);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t len = strlen(words[i].name);
		if (strncmp(r->p, words[i].name, len) == 0) {
			r->p += len;
			skip_blanks(r);
			struct json *v = rt_json_new(words[i].kind);
			return v ? v : fail(r, ENOMEM);
		}
	}
	return read_number(r);
}

struct json *
rt_json_parse(const char *text)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of byte order, which some editors write */
	struct reader r = { .p = text };
	if (strncmp(text, mark, strlen(mark)) == 0)
		r.p += strlen(mark);
	skip_blanks(&r);
	struct json *v = read_value(&r);
	if (!v)
		errno = r.error;
	return v;
}
