/* SPDX-License-Identifier: MIT */
#ifndef INPUT_PRISM_PARTS_H
#define INPUT_PRISM_PARTS_H

/* parts: what the files of the stream format of Prism share: which streams there are
 * (prismfiles.c), what is said of them (prismdesc.c), their threads (prismrows.c), their
 * bytes (prismbytes.c), their events (prismstream.c), and what is said of them (prismtell.c).
 *
 * All functions return 0, or <0 (reported), unless said otherwise. */

#include "stream.h"

/* ---- Descriptions. ---- */

/* What a stream is without a description. */
void prismdesc_default(struct prism_source *s);

/* Reads a description. `wanted`: it must be one; else 1 is returned when it is not. */
int prismdesc_read(struct prism *p, const char *path, bool wanted, struct prism_source *s);

/* A key as a text: of the command line (where: NULL), or of a file. */
int prismdesc_set(struct prism *p, const struct prism_setting *o, const char *where, struct prism_source *s);

/* What only all keys together tell. */
int prismdesc_check(struct prism *p, struct prism_source *s);

/* Whether the file is a description. Says nothing. */
bool prismdesc_is(const char *path);

/* ---- Files. ---- */

/* Whether the directory holds streams: 1 yes, 0 no. */
int prismfiles_probe(const char *dir);

/* Finds the streams of t->dir, or of the options: p->streams[] with their sources. */
int prismfiles_find(struct prism *p);

/* Name of a file in messages: below the directory of the trace. */
const char *prismfiles_name(const struct trace *t, const char *path);

/* ---- Bytes. ---- */

/* Opens stream n, at its start. */
int prismbytes_open(struct prism *p, uint32_t n);

/* How an event was read. */
struct prism_got {
	int rc;               /* of prismread_next() */
	enum prism_code code; /* at the end: why, unless it is as it should be */
	uint32_t issues;      /* 1 << code of what the reader passes, also at the end */
};

static inline void
prismbytes_try(struct prism_stream *s, struct reader *r, struct prism_got *got)
{
	size_t used;
	got->rc = prismread_next(&s->in, r->p, (size_t)(r->end - r->p), r->eof, &used, &s->rec.ev);
	r->p += used;
}

/* The same as prismbytes_next(), behind the first try. */
int prismbytes_go_on(struct prism *p, uint32_t n, struct prism_got *got);

/* The next event, in p->streams[n].ev and .in. Returns 1, 0 at the end, <0. */
static inline int
prismbytes_next(struct prism *p, uint32_t n, struct prism_got *got)
{
	struct prism_stream *s = &p->streams[n];
	got->code = PRISM_OK;
	got->issues = 0;
	prismbytes_try(s, &p->trace->streams[n + 1].in, got);
	if (__builtin_expect(got->rc > 0 && !s->source.live && !s->rec.ev.issues, 1))
		return 1;
	return prismbytes_go_on(p, n, got);
}

void prismbytes_close(struct prism *p, uint32_t n);

/* ---- Messages; prism_issue() is another. ---- */

enum {
	PRISM_HINT_MAX = 300,
};

/* What may be behind a code, in a buffer of that size; NULL: nobody knows. */
const char *prismtell_hint(const struct prism_options *o, int code, char *buf, size_t size);

/* The codes of a set, 1 << code each. */
int prismtell_issues(struct prism *p, uint32_t n, uint32_t issues);

/* The compressed file of a stream ends inside a frame. */
int prismtell_torn(struct prism *p, uint32_t n);

/* PRISM_E_VALUE of prismclock_take(). Returns <0. */
int prismtell_late(struct prism *p, uint32_t n);

/* ---- Threads. ---- */

/* Looks ahead for the threads (t->threads) and for the number of events, or reserves rows. */
int prismrows_find(struct prism *p);

/* The outputs need a row, whoever came: that of events before the first swap. */
int prismrows_need_one(struct prism *p);

#endif
