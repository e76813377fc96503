/* SPDX-License-Identifier: MIT */
#ifndef PARAVER_H
#define PARAVER_H

/* paraver: writes the pieces of PCF and ROW files, and opens and closes files with their
 * errors reported. Needs no emulator. Bytes in doc/format/prv.md. */

#include "diag.h"
#include "wbuf.h"

#define PARAVER_GZIP ".gz" /* end of the name of a compressed trace; its names and rows are called as those of one that is not */

/* Return 0, or <0 (reported). */
int paraver_open(struct wbuf *w, struct diag *d, const char *path);
int paraver_close(struct wbuf *w, struct diag *d);

/* Makes a control byte a blank: it would end the line, or drive a terminal. */
static inline char
paraver_clean(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f ? ' ' : c;
}

/* Returns the colour 0xRRGGBB that a PCF gives to a value; -1 if it has none. */
int32_t paraver_color(int64_t value);

/* Writes a text of the trace inside a line: control bytes become blanks. */
void paraver_put_text(struct wbuf *w, const char *text);

/* Begins a PCF: options and colours. */
void paraver_put_head(struct wbuf *w);
void paraver_put_type(struct wbuf *w, int prv_type, const char *label);
/* Writes a value of the last type and its label. Returns false if Paraver cannot hold it: it
 * is left out. */
bool paraver_put_value(struct wbuf *w, int64_t value, const char *text, bool compat);

enum {
	PARAVER_ROWS_MAX = 65535, /* more in a file, and Paraver refuses it */
};

/* Begins a ROW with n rows, beside a trace that may be compressed. Warns if they are too many. */
void paraver_put_rows(struct wbuf *w, struct diag *d, uint32_t n, bool gzip);

#endif
