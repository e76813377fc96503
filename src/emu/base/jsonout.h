/* SPDX-License-Identifier: MIT */
#ifndef JSONOUT_H
#define JSONOUT_H

/* jsonout: JSON as output. Each function writes one value, with its key inside an object and
 * with NULL for a key inside an array:
 *
 *   json_open(w, NULL, '{');
 *   json_str(w, "kind", "row");
 *   json_open(w, "values", '[');
 *   json_u64(w, NULL, 7);
 *   json_close(w, ']');
 *   json_end(w);                     {"kind":"row","values":[7]} and a line break
 *
 * It puts the commas: one in front of each value, but at the beginning of an object, an array
 * or a line, as the last byte in the buffer tells. Behind json_key() a value may be written by
 * other means. */

#include "puttext.h"

void json_key(struct wbuf *w, const char *key);
/* A number whose key is a name in words: its blanks become underscores. */
void json_words(struct wbuf *w, const char *words, uint64_t v);

/* Begins or ends an object or an array. */
void json_open(struct wbuf *w, const char *key, char bracket);
void json_close(struct wbuf *w, char bracket);
/* Ends an object that is a line of its own. */
void json_end(struct wbuf *w);
/* Begins a new line, behind a comma if a value follows another. */
void json_newline(struct wbuf *w);

void json_u64(struct wbuf *w, const char *key, uint64_t v);
void json_i64(struct wbuf *w, const char *key, int64_t v);
void json_bool(struct wbuf *w, const char *key, bool v);
/* Text of TEXT_JSON, or of another form. NULL: null. */
void json_str(struct wbuf *w, const char *key, const char *text);
void json_text(struct wbuf *w, const char *key, const char *text, size_t n);
void json_form(struct wbuf *w, const char *key, enum text_form form, const char *text, size_t n);
/* A string of up to 255 bytes. */
void json_printf(struct wbuf *w, const char *key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
