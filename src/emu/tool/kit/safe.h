/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_SAFE_H
#define TOOL_KIT_SAFE_H

/* safe: text of a trace, which may be any bytes, so that it neither drives a terminal nor
 * breaks the form it is printed in.
 *
 * What can be seen is printed as it is; a byte that is no UTF-8 becomes \xNN, and so does
 * what a terminal would act on, but for JSON, which has its own way to write that. */

#include "wbuf.h"

enum safe_style {
	SAFE_TEXT, /* one line of text; a backslash stays as it is */
	SAFE_CSV,  /* inside the quotes of a field: a quote is doubled */
	SAFE_JSON, /* inside the quotes of a string */
};

void safe_put(struct wbuf *w, enum safe_style style, const char *text, size_t n);

/* A character of an event name: not even a blank is printed as it is. */
void safe_put_letter(struct wbuf *w, enum safe_style style, uint8_t c);

/* An integer in decimal. */
void safe_put_u64(struct wbuf *w, uint64_t v);
void safe_put_i64(struct wbuf *w, int64_t v);

static inline void
safe_put_str(struct wbuf *w, enum safe_style style, const char *text)
{
	safe_put(w, style, text, strlen(text));
}

#endif
