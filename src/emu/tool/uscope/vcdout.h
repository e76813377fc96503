/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_VCDOUT_H
#define TOOL_USCOPE_VCDOUT_H

/* vcdout: the lines of a value change dump (IEEE 1364). A variable is known by its number, from 0. */

#include "pathlist.h"
#include "wbuf.h"

#include "kit/conv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	VCDOUT_VARIABLES_MAX = 4 << 20, /* more than any viewer opens */
};

struct vcdout {
	struct wbuf *w;
	uint64_t time_ps;
	bool timed; /* a time was printed */
};

/* ---- The header. ---- */

/* Says that there are too many variables. Returns the status. */
int vcdout_too_many(struct conv *c, uint64_t variables, const char *path);
void vcdout_begin(struct vcdout *v);
/* A name as one word: what is no letter or digit becomes an underscore. Returns its length. */
size_t vcdout_make_word(char word[PATH_CUT], const char *name);
void vcdout_word(struct vcdout *v, const char *name);
void vcdout_open(struct vcdout *v, const char *module);
void vcdout_close(struct vcdout *v);
/* Begins a variable; its name and " $end\n" follow. type: "wire", "integer", "string" or "event". */
void vcdout_var(struct vcdout *v, const char *type, unsigned bits, uint64_t number);

/* ---- Changes. ---- */

/* The time of those that follow; it does not go back. */
void vcdout_time(struct vcdout *v, uint64_t time_ps);
void vcdout_bits(struct vcdout *v, unsigned bits, uint64_t value, uint64_t number);
/* The value of a string variable: what would end it is written as \xNN, which GTKWave reads. */
void vcdout_text(struct vcdout *v, const char *text, size_t n, uint64_t number);
/* Ends a change whose value was printed otherwise. */
void vcdout_number(struct vcdout *v, uint64_t number);

#endif
