/* SPDX-License-Identifier: MIT */
#ifndef TOOL_PRISM_WORD_H
#define TOOL_PRISM_WORD_H

/* word: the words of a line of text, and what they stand for. The first problem is noted in
 * the line, with its place. */

#include "line.h"

struct ptcursor {
	struct ptline *line;
	const char *begin;
	const char *p;
	const char *end;
};

struct ptword {
	const char *p;
	size_t n;
};

/* Notes a problem. Returns false. */
bool ptword_fail(struct ptcursor *c, const char *at, const char *problem);

/* The next word, empty at the end; it ends at a blank, a quote or a comment. */
struct ptword ptword_next(struct ptcursor *c);

/* Whether nothing but blanks and a comment is left; else c->p is behind the blanks. */
bool ptword_at_end(struct ptcursor *c);

bool ptword_equals(struct ptword w, const char *text);

/* A hexadecimal digit; above 15: it is none. */
int ptword_digit(char ch);

/* A number up to max. false: it is none (noted), here and below. */
bool ptword_number(struct ptcursor *c, struct ptword w, uint64_t max, uint64_t *to);

/* One of n names of the library, or a number below `many`. */
bool ptword_type(struct ptcursor *c, struct ptword w, const char *(*name)(unsigned), unsigned n, unsigned many, uint8_t *to);

/* Takes "key=" away from the word, if it begins so. */
bool ptword_key(struct ptword *w, const char *key);

#endif
