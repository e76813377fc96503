/* SPDX-License-Identifier: MIT */
#include "jsonout.h"

#include <stdio.h>

enum {
	PRINTED_MAX = 256,
};

static void
put_comma(struct wbuf *w)
{
	char last = w->used ? w->data[w->used - 1] : '\n';
	if (!strchr("{[,: \n", last))
		wbuf_put(w, ",", 1);
}

void
json_key(struct wbuf *w, const char *key)
{
	size_t used = w->used;
	put_comma(w);
	if (w->spaced && w->used != used)
		wbuf_put(w, " ", 1);
	if (!key)
		return;
	wbuf_put(w, "\"", 1);
	put_form(w, TEXT_JSON, key, strlen(key));
	wbuf_put(w, "\": ", w->spaced ? 3 : 2);
}

void
json_words(struct wbuf *w, const char *words, uint64_t v)
{
	char key[PRINTED_MAX];
	(void)snprintf(key, sizeof(key), "%s", words);
	for (char *p = key; *p; p++)
		*p = *p == ' ' ? '_' : *p;
	json_u64(w, key, v);
}

void
json_open(struct wbuf *w, const char *key, char bracket)
{
	json_key(w, key);
	wbuf_put(w, &bracket, 1);
}

void
json_close(struct wbuf *w, char bracket)
{
	wbuf_put(w, &bracket, 1);
}

void
json_end(struct wbuf *w)
{
	wbuf_put(w, "}\n", 2);
}

void
json_newline(struct wbuf *w)
{
	put_comma(w);
	wbuf_put(w, "\n", 1);
}

void
json_u64(struct wbuf *w, const char *key, uint64_t v)
{
	json_key(w, key);
	put_u64(w, v);
}

void
json_i64(struct wbuf *w, const char *key, int64_t v)
{
	json_key(w, key);
	put_i64(w, v);
}

void
json_bool(struct wbuf *w, const char *key, bool v)
{
	json_key(w, key);
	put_str(w, v ? "true" : "false");
}

void
json_form(struct wbuf *w, const char *key, enum text_form form, const char *text, size_t n)
{
	json_key(w, key);
	wbuf_put(w, "\"", 1);
	put_form(w, form, text, n);
	wbuf_put(w, "\"", 1);
}

void
json_text(struct wbuf *w, const char *key, const char *text, size_t n)
{
	json_form(w, key, TEXT_JSON, text, n);
}

void
json_str(struct wbuf *w, const char *key, const char *text)
{
	json_key(w, key);
	if (!text)
		put_str(w, "null");
	else
		json_text(w, NULL, text, strlen(text));
}

void
json_printf(struct wbuf *w, const char *key, const char *fmt, ...)
{
	char text[PRINTED_MAX];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_str(w, key, text);
}
