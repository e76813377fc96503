/* SPDX-License-Identifier: MIT */
#ifndef TOOL_PRISM_IMPORT_INTAKE_H
#define TOOL_PRISM_IMPORT_INTAKE_H

/* intake: the bytes of a file or pipe through a window of one size, decoded if they begin as a file of gzip, zstd or LZ4
 * does. */

#include "kit/conv.h"
#include "unpack.h"

enum {
	INTAKE_WINDOW = 256 * 1024, /* the longest line, with its end */
};

struct intake {
	/* What is there: who takes it moves p. */
	const char *p;
	const char *end;
	char *window;
	uint64_t base; /* offset of the window in the decoded bytes */
	bool eof;      /* nothing comes behind `end` */
	struct unpack bytes;
	struct conv *conv;
	const char *name; /* in messages */
};

/* Opens a file, or with "-" the standard input, and waits for its first bytes. Returns 0, or <0 (reported). */
int intake_open(struct intake *f, struct conv *c, const char *path);

/* Brings more behind `end`; waits for it. What is left is moved to the front. Returns 1, 0: there is nothing
 * more, or no room, or <0 (reported). */
int intake_more(struct intake *f);

/* Whether no more than what is there fits. */
static inline bool
intake_is_full(const struct intake *f)
{
	return f->end - f->p == INTAKE_WINDOW;
}

/* Offset of a place in the window, in the decoded bytes. */
static inline uint64_t
intake_offset(const struct intake *f, const char *p)
{
	return f->base + (uint64_t)(p - f->window);
}

/* Accepts a zeroed one. */
void intake_close(struct intake *f);

#endif
