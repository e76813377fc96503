/* SPDX-License-Identifier: MIT */
#ifndef PARAVER_H
#define PARAVER_H

/* paraver: what stands in PCF and ROW files, piece by piece, and how files are opened and
 * closed with their errors reported. Needs no emulator. Bytes in doc/format/prv.md. */

#include "diag.h"
#include "wbuf.h"

enum {
	PARAVER_BREAKDOWN_LABEL = 24, /* bytes, NUL included */
};

/* Return 0, or <0 (reported). */
int paraver_open(struct wbuf *w, struct diag *d, const char *path);
int paraver_close(struct wbuf *w, struct diag *d);

/* A control byte would end the line, or drive a terminal: those become blanks. */
static inline char
paraver_clean(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f ? ' ' : c;
}

/* A text from outside as part of one line: control bytes become blanks. */
void paraver_put_text(struct wbuf *w, const char *text);

/* ---- PCF. ---- */

/* Options and colours. */
void paraver_put_head(struct wbuf *w);
void paraver_put_type(struct wbuf *w, int prv_type, const char *label);
/* A value of the type above. false: Paraver cannot hold it, and it is left out. */
bool paraver_put_value(struct wbuf *w, int64_t value, const char *text, bool compat);

/* ---- ROW. ---- */

/* What is above the labels of n rows. */
void paraver_put_rows(struct wbuf *w, uint32_t n);
/* The label of row i of n, from 0, in a breakdown. Returns buf. */
const char *paraver_breakdown_label(char buf[PARAVER_BREAKDOWN_LABEL], uint32_t i, uint32_t n);

#endif
