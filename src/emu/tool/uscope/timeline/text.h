/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_TIMELINE_TEXT_H
#define TOOL_USCOPE_TIMELINE_TEXT_H

/* text: rows, channels and states of a timeline as text and as JSON. */

#include "scan.h"

/* Columns that a text takes on a terminal, about. */
size_t tltext_width(const char *text);
/* Widens a column so that the text fits. */
void tltext_widen(size_t *width, const char *text);
/* The text and blanks up to a width, but none behind the last column: `last`. */
void tltext_pad(struct wbuf *w, const char *text, size_t width, bool last);
/* A time, with the blanks before it. */
void tltext_time(struct wbuf *w, uint64_t ps, size_t width, char mark);

/* "class":"cpu","row":1,"name":"CPU 0.0" */
void tltext_json_row(struct wbuf *w, const struct tlfile *f, enum tl_class class, uint32_t row);
/* "channel":"state","type":4 */
void tltext_json_channel(struct wbuf *w, const struct tlchannel *ch);
/* "value":1,"label":"Running"; both may be null. raw: NULL if the value alone is known. */
void tltext_json_state(struct wbuf *w, const struct tlfile *f, const struct tlchannel *ch, const uint64_t *raw, int64_t value);

/* A span as a line, in one form or the other, as --json says. The widths are those of the
 * names of rows and channels. */
void tltext_span(const struct tlfile *f, const struct tlspan *s, size_t row_width, size_t channel_width);

#endif
