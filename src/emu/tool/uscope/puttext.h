/* SPDX-License-Identifier: MIT */
#ifndef PUTTEXT_H
#define PUTTEXT_H

/* puttext: texts of a file, which may hold any bytes, in the forms that the tool prints.
 * All take the length, as texts may hold NULs. */

#include "wbuf.h"

void put_str(struct wbuf *w, const char *text);
void put_u64(struct wbuf *w, uint64_t v);
void put_i64(struct wbuf *w, int64_t v);

/* For a terminal: control characters, those that change the direction of the text, and
 * bytes that are no UTF-8 are shown as \n, \t, \xNN or \u{NNNN}; a backslash is doubled. */
void put_text(struct wbuf *w, const char *text, size_t n);
/* The same between quotes; those inside get a backslash. */
void put_quoted(struct wbuf *w, const char *text, size_t n);
/* A JSON string; a byte that is no UTF-8 becomes U+FFFD. */
void put_json(struct wbuf *w, const char *text, size_t n);
/* The same without its quotes. */
void put_json_inside(struct wbuf *w, const char *text, size_t n);
/* A field of CSV (RFC 4180), between quotes when it has to be; U+FFFD likewise. */
void put_csv(struct wbuf *w, const char *text, size_t n);

void put_json_str(struct wbuf *w, const char *text);

#endif
