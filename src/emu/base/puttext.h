/* SPDX-License-Identifier: MIT */
#ifndef PUTTEXT_H
#define PUTTEXT_H

/* puttext: texts of a trace, which may hold any bytes, NUL too, in the forms that tools print:
 * none drives a terminal, and none breaks the form it is printed in. */

#include "arena.h"
#include "wbuf.h"

/* A control character is one that a terminal acts on or shows in another place. */
enum text_form {
	TEXT_PLAIN,     /* a line of text: of a control character, and of what is no UTF-8, each byte is \xNN */
	TEXT_WORD,      /* the same between quotes, where quote and backslash get a backslash */
	TEXT_CSV,       /* the same between quotes, where a quote is doubled */
	TEXT_CELL,      /* likewise, but control characters stay, and what is no UTF-8 becomes U+FFFD */
	TEXT_SHOWN,     /* text to read: \n, \t, \r, \xNN or \u{NNNN}; a backslash is doubled */
	TEXT_QUOTED,    /* the same between quotes, where a quote gets a backslash */
	TEXT_JSON,      /* between the quotes of a JSON string; what is no UTF-8 becomes U+FFFD */
	TEXT_JSON_BYTES /* the same, but what is no UTF-8 is the text \xNN, so that nothing is lost */
};

/* Without the quotes. */
void put_form(struct wbuf *w, enum text_form form, const char *text, size_t n);
/* A character of an event name: not even a blank is printed as it is. */
void put_letter(struct wbuf *w, enum text_form form, uint8_t c);

/* As it is. */
void put_str(struct wbuf *w, const char *text);
void put_u64(struct wbuf *w, uint64_t v);
void put_i64(struct wbuf *w, int64_t v);

static inline void
put_text(struct wbuf *w, const char *text, size_t n)
{
	put_form(w, TEXT_SHOWN, text, n);
}

/* With quotes. */
void put_quoted(struct wbuf *w, const char *text, size_t n);
/* A field of CSV (RFC 4180), between quotes when it has to be. */
void put_csv(struct wbuf *w, const char *text, size_t n);

/* The text itself, or a copy in the arena with \xNN for each byte that is no UTF-8. NULL: no memory. */
const char *puttext_utf8(struct arena *a, const char *text);

#endif
