/* SPDX-License-Identifier: MIT */
#ifndef TOOL_LOOK_PHRASE_H
#define TOOL_LOOK_PHRASE_H

/* phrase: what an event means, in words, with its arguments in their places.
 *
 *   %{name}        the argument: integers in decimal, strings as they are
 *   %FORMAT{name}  the same as printf() does it, FORMAT being flags, width, precision,
 *                  length (ignored) and one of d i u x X o c s
 *   %%             a percent sign
 *
 * A text is compiled once and printed many times. */

#include "arena.h"
#include "puttext.h"
#include "sig.h"

struct phrase_piece {
	const char *text; /* in front of the argument; borrowed */
	uint32_t length;
	const struct sig_arg *arg; /* NULL: none */
	bool plain;                /* in its default form, or "%#x" */
	bool left;
	int width;
	int precision; /* -1: none */
	char conversion;
	char format[16]; /* of a number for printf(), with width and precision as arguments */
};

struct phrase {
	struct phrase_piece *pieces;
	size_t npieces;
};

/* The signature and the text must live as long as the phrase. Returns 0, or -1 and, in *why,
 * a static text (memory included). */
int phrase_compile(struct phrase *ph, struct arena *a, const char *text, const struct sig *sig, const char **why);

/* An argument that the payload does not have is printed as "?". */
void phrase_put(struct wbuf *w, enum text_form form, const struct phrase *ph, const uint8_t *payload, size_t size);

/* Whether the payload has the argument: for a string, with the NUL at its end. */
bool phrase_has(const struct sig_arg *arg, const uint8_t *payload, size_t size);

/* The argument in its default form; it must be there. */
void phrase_put_arg(struct wbuf *w, enum text_form form, const struct sig_arg *arg, const uint8_t *payload, size_t size);

#endif
