/* SPDX-License-Identifier: MIT */
#include "puttext.h"

#include "fmt.h"
#include "utf8.h"

#include <stdbool.h>

#define REPLACEMENT "\xef\xbf\xbd"

void
put_str(struct wbuf *w, const char *text)
{
	wbuf_put(w, text, strlen(text));
}

void
put_u64(struct wbuf *w, uint64_t v)
{
	wbuf_commit(w, fmt_u64(wbuf_reserve(w, FMT_MAX), v));
}

void
put_i64(struct wbuf *w, int64_t v)
{
	wbuf_commit(w, fmt_i64(wbuf_reserve(w, FMT_MAX), v));
}

static void
put_escaped(struct wbuf *w, uint32_t c)
{
	if (c == '\n' || c == '\t' || c == '\r')
		put_str(w, c == '\n' ? "\\n" : c == '\t' ? "\\t"
							 : "\\r");
	else
		wbuf_printf(w, c < 0x80 ? "\\x%02x" : "\\u{%x}", c);
}

static void
put_shown(struct wbuf *w, const char *text, size_t n, char quote)
{
	size_t k;
	for (const char *p = text; n; p += k, n -= k) {
		uint32_t c = 0;
		k = utf8_next(p, n, &c);
		if (k == 0) {
			wbuf_printf(w, "\\x%02x", (unsigned)(uint8_t)*p);
			k = 1;
		} else if (utf8_is_control(c)) {
			put_escaped(w, c);
		} else {
			if (*p == '\\' || (quote && *p == quote))
				wbuf_put(w, "\\", 1);
			wbuf_put(w, p, k);
		}
	}
}

void
put_text(struct wbuf *w, const char *text, size_t n)
{
	put_shown(w, text, n, 0);
}

void
put_quoted(struct wbuf *w, const char *text, size_t n)
{
	wbuf_put(w, "\"", 1);
	put_shown(w, text, n, '"');
	wbuf_put(w, "\"", 1);
}

/* Bytes from p on that are ASCII and need no escape. */
static size_t
plain_length(const char *p, size_t n)
{
	size_t i = 0;
	while (i < n && (uint8_t)p[i] >= 0x20 && (uint8_t)p[i] < 0x7f && p[i] != '"' && p[i] != '\\')
		i++;
	return i;
}

void
put_json_inside(struct wbuf *w, const char *text, size_t n)
{
	const char *p = text;
	while (n) {
		size_t k = plain_length(p, n);
		wbuf_put(w, p, k);
		p += k;
		n -= k;
		if (n == 0)
			break;
		uint32_t c = 0;
		k = utf8_next(p, n, &c);
		if (k == 0)
			put_str(w, REPLACEMENT);
		else if (*p == '"' || *p == '\\')
			wbuf_printf(w, "\\%c", *p);
		else if (*p == '\n')
			put_str(w, "\\n");
		else if (*p == '\t')
			put_str(w, "\\t");
		else if (utf8_is_control(c))
			wbuf_printf(w, "\\u%04x", c);
		else
			wbuf_put(w, p, k);
		k = k ? k : 1;
		p += k;
		n -= k;
	}
}

void
put_json(struct wbuf *w, const char *text, size_t n)
{
	wbuf_put(w, "\"", 1);
	put_json_inside(w, text, n);
	wbuf_put(w, "\"", 1);
}

void
put_json_str(struct wbuf *w, const char *text)
{
	put_json(w, text, strlen(text));
}

/* Valid UTF-8 without quotes is copied as it is. */
static size_t
csv_length(const char *p, size_t n)
{
	size_t i = 0;
	uint32_t c;
	while (i < n && p[i] != '"') {
		size_t k = utf8_next(p + i, n - i, &c);
		if (k == 0)
			break;
		i += k;
	}
	return i;
}

void
put_csv(struct wbuf *w, const char *text, size_t n)
{
	bool quote = false;
	for (size_t i = 0; i < n && !quote; i++)
		quote = text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n';
	if (quote)
		wbuf_put(w, "\"", 1);
	for (const char *p = text; n;) {
		size_t k = csv_length(p, n);
		wbuf_put(w, p, k);
		p += k;
		n -= k;
		if (n == 0)
			break;
		put_str(w, *p == '"' ? "\"\"" : REPLACEMENT);
		p++;
		n--;
	}
	if (quote)
		wbuf_put(w, "\"", 1);
}
