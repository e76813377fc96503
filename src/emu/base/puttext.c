/* SPDX-License-Identifier: MIT */
#include "puttext.h"

#include "fmt.h"
#include "utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

enum unshown {
	HEX,         /* each byte as \xNN */
	HEX_IN_JSON, /* the same, as a text of JSON */
	REPLACED,    /* U+FFFD */
	KEPT,        /* as it is */
	NAMED,       /* \n \t \r, else \xNN or \u{NNNN} */
	NAMED_IN_JSON /* \n \t, else \uNNNN */,
	NUMBERED, /* \uNNNN */
};

static const struct {
	char special[3];      /* characters that have another in front */
	char before;          /* that one */
	enum unshown bad;     /* no UTF-8 */
	enum unshown control; /* what a terminal would act on, or would show in another place */
} forms[] = {
	[TEXT_PLAIN] = { "", 0, HEX, HEX },
	[TEXT_WORD] = { "\"\\", '\\', HEX, HEX },
	[TEXT_CSV] = { "\"\"", '"', HEX, HEX },
	[TEXT_CELL] = { "\"\"", '"', REPLACED, KEPT },
	[TEXT_SHOWN] = { "\\\\", '\\', HEX, NAMED },
	[TEXT_QUOTED] = { "\"\\", '\\', HEX, NAMED },
	[TEXT_JSON] = { "\"\\", '\\', REPLACED, NAMED_IN_JSON },
	[TEXT_JSON_BYTES] = { "\"\\", '\\', HEX_IN_JSON, NUMBERED },
};

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

/* A character of n bytes, or a byte that is none. */
static void
put_unshown(struct wbuf *w, enum unshown how, const char *p, size_t n, uint32_t c)
{
	switch (how) {
	case HEX:
	case HEX_IN_JSON:
		for (size_t i = 0; i < n; i++)
			wbuf_printf(w, how == HEX ? "\\x%02x" : "\\\\x%02x", (unsigned)(uint8_t)p[i]);
		break;
	case REPLACED: put_str(w, REPLACEMENT); break;
	case KEPT: wbuf_put(w, p, n); break;
	case NUMBERED: wbuf_printf(w, "\\u%04x", c); break;
	default:
		if (c == '\n' || c == '\t')
			put_str(w, c == '\n' ? "\\n" : "\\t");
		else if (how == NAMED_IN_JSON)
			wbuf_printf(w, "\\u%04x", c);
		else if (c == '\r')
			put_str(w, "\\r");
		else
			wbuf_printf(w, c < 0x80 ? "\\x%02x" : "\\u{%x}", c);
		break;
	}
}

void
put_form(struct wbuf *w, enum text_form form, const char *text, size_t n)
{
	const char *special = forms[form].special;
	for (;;) {
		size_t k = 0;
		while (k < n && (uint8_t)text[k] >= 0x20 && (uint8_t)text[k] < 0x7f && text[k] != special[0] && text[k] != special[1])
			k++;
		wbuf_put(w, text, k);
		text += k;
		n -= k;
		if (!n)
			return;
		uint32_t c = 0;
		k = utf8_next(text, n, &c);
		if (k == 0) {
			put_unshown(w, forms[form].bad, text, 1, 0);
			k = 1;
		} else if (utf8_is_control(c)) {
			put_unshown(w, forms[form].control, text, k, c);
		} else {
			if (c == (uint8_t)special[0] || c == (uint8_t)special[1])
				wbuf_put(w, &forms[form].before, 1);
			wbuf_put(w, text, k);
		}
		text += k;
		n -= k;
	}
}

void
put_letter(struct wbuf *w, enum text_form form, uint8_t c)
{
	if (c > 0x20 && c < 0x7f)
		put_form(w, form, (const char *)&c, 1);
	else
		put_unshown(w, forms[form].bad, (const char *)&c, 1, c);
}

void
put_quoted(struct wbuf *w, const char *text, size_t n)
{
	wbuf_put(w, "\"", 1);
	put_form(w, TEXT_QUOTED, text, n);
	wbuf_put(w, "\"", 1);
}

void
put_csv(struct wbuf *w, const char *text, size_t n)
{
	bool quote = false;
	for (size_t i = 0; i < n && !quote; i++)
		quote = text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n';
	wbuf_put(w, "\"", quote);
	put_form(w, TEXT_CELL, text, n);
	wbuf_put(w, "\"", quote);
}

enum {
	ESCAPE = 4, /* bytes of \xNN */
};

const char *
puttext_utf8(struct arena *a, const char *text)
{
	const char *end = text + strlen(text);
	const char *p = text;
	size_t n;
	uint32_t c;
	while ((n = utf8_next(p, (size_t)(end - p), &c)))
		p += n;
	if (p == end)
		return text;
	char *copy = arena_new(a, char, ESCAPE *strlen(text) + 1);
	char *to = copy;
	for (p = text; copy && p < end;) {
		n = utf8_next(p, (size_t)(end - p), &c);
		memcpy(to, p, n);
		to += n;
		p += n;
		if (n == 0)
			to += snprintf(to, ESCAPE + 1, "\\x%02x", (unsigned)(uint8_t)*p++);
	}
	return copy;
}
