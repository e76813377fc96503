/* SPDX-License-Identifier: MIT */
/* words: the words and numbers of a line. */
#include "text.h"

#include <stdlib.h>

int
text_error(struct text *x, const char *fmt, ...)
{
	const struct place at = { .file = x->file, .line = x->line };
	va_list ap;
	va_start(ap, fmt);
	diag_say(&x->tool->conv.diag, "text", &at, fmt, ap);
	va_end(ap);
	x->tool->conv.reported = true;
	return -1;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Copies the word in front, without its quotes. Returns what is behind it; NULL: a quote is not closed. */
static const char *
take_word(const char *p, char **to)
{
	while (*p && !is_blank(*p) && *p != '#') {
		const char *end = NULL;
		if (*p == '"' || *p == '\'') {
			end = strchr(p + 1, *p);
			if (!end)
				return NULL;
			p++;
		}
		do
			*(*to)++ = *p++;
		while (end && p <= end);
		if (end)
			(*to)--;
	}
	*(*to)++ = 0;
	return p;
}

int
words_split(struct text *x, struct words *w, const char *line)
{
	struct diag *d = &x->tool->conv.diag;
	size_t size = strlen(line) + 2;
	w->n = 0;
	if (size > w->cap) {
		char *buf = block_resize(w->buf, size * 2);
		if (!buf)
			return diag_no_memory(d);
		w->buf = buf;
		w->cap = size * 2;
	}
	char *to = w->buf;
	for (const char *p = line;;) {
		while (is_blank(*p))
			p++;
		if (!*p || *p == '#')
			return 0;
		if (w->n == w->cap_items) {
			size_t cap = w->cap_items ? w->cap_items * 2 : 16;
			char **items = block_resize(w->items, cap * sizeof(*items));
			if (!items)
				return diag_no_memory(d);
			w->items = items;
			w->cap_items = cap;
		}
		w->items[w->n++] = to;
		p = take_word(p, &to);
		if (!p)
			return text_error(x, "a quote is not closed");
	}
}

void
words_free(struct words *w)
{
	block_free(w->buf);
	block_free(w->items);
}

bool
text_number(const char *word, bool *negative, uint64_t *value)
{
	*negative = *word == '-';
	const char *p = word + (*word == '-' || *word == '+');
	bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
	p += hex ? 2 : 0;
	const char *digits = hex ? "0123456789abcdef" : "0123456789";
	uint64_t v = 0;
	if (!*p)
		return false;
	for (; *p; p++) {
		if (*p == '_')
			continue;
		const char *at = strchr(digits, *p >= 'A' && *p <= 'F' ? *p + ('a' - 'A') : *p);
		if (!at || __builtin_mul_overflow(v, (uint64_t)(hex ? 16 : 10), &v) || __builtin_add_overflow(v, (uint64_t)(at - digits), &v))
			return false;
	}
	*value = v;
	return true;
}

int
text_int(struct text *x, const char *what, const char *word, int *to)
{
	bool negative;
	uint64_t v;
	if (!text_number(word, &negative, &v) || v > INT32_MAX)
		return text_error(x, "%s is a whole number below 2^31, not '%s'", what, word);
	*to = negative ? -(int)v : (int)v;
	return 0;
}
