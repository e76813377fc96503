/* SPDX-License-Identifier: MIT */
#ifndef SOURCE_PRISM_FILE_H
#define SOURCE_PRISM_FILE_H

/* file: reads the events of a stream from its file, plain or compressed, or from a pipe.
 * Errors are found here and reported by the caller. */

#include "clock.h"
#include "heap.h"
#include "ipc.h"
#include "prism/read.h"
#include "source.h"

struct prism_file {
	struct reader *bytes; /* borrowed */
	struct prismread in;
	struct prism_record rec; /* the current event; the caller sets its place and its time */
	struct prismclock time;
	/* Live: brings more bytes, or the end. 0, or <0 (reported). NULL: a plain file. */
	int (*fill)(struct prism_file *f);
	struct prismheap *heap;    /* table of names; NULL: events have theirs */
	bool plain;                /* neither of both */
	struct prismipc ipc;       /* live buffers, if that is open */
	char name[PRISM_NAME_MAX]; /* of the event: live, as the bytes of the stream may move, or one that the table has not */
};

/* How an event was read. */
struct prism_got {
	int rc;               /* of prismread_next() */
	enum prism_code code; /* at the end: why, unless it is as it should be */
	uint32_t issues;      /* 1 << code of what the reader passes, also at the end */
};

/* Opens a stream at its start, and its timestamps, whose name in messages is `stamps`. fill: NULL, or r is live
 * and open. Returns 0, or <0 (reported). */
int prismfile_open(struct prism_file *f, struct reader *r, struct reader_pool *pool, const struct prism_source *s, const char *stamps,
	int (*fill)(struct prism_file *f));

/* Closes the timestamps, and a plain file. */
void prismfile_close(struct prism_file *f);

/* Makes a reader of an open descriptor. Returns 0, or <0 (reported). */
int prismfile_live(struct reader *r, struct reader_pool *pool, int fd, const char *path, const char *name);

/* Makes a reader of the live buffers of a source. Returns 0, or <0 (reported). */
int prismfile_buffers(struct prism_file *f, struct reader *r, struct reader_pool *pool, const struct prism_source *s);

/* Reads what is there into the buffer of a live reader: something is, or the end, or this blocks, unless they are live
 * buffers. Returns 0, -EPROTO (reported), or another -errno. */
int prismfile_read(struct prism_file *f);

static inline void
prismfile_try(struct prism_file *f, struct prism_got *got)
{
	struct reader *r = f->bytes;
	size_t used;
	got->rc = prismread_next(&f->in, r->p, (size_t)(r->end - r->p), r->eof, &used, &f->rec.ev);
	r->p += used;
}

/* Makes more bytes available behind f->bytes->end, or finds that there are none. Returns <0: error (reported). */
int prismfile_more(struct prism_file *f);

/* Replaces the number of a context, if the event has one, by its name. A lenient reader has the number as name where the table has
 * none, in PRISM_NAME_MAX bytes at `own`. Returns 1, 0: a strict reader stops here (PN01), <0 (reported). */
int prismfile_name(const struct prism_file *f, struct prism_event *ev, char *own);

/* Continues prismfile_next() behind the first try. */
int prismfile_go_on(struct prism_file *f, struct prism_got *got);

/* The next event, in f->rec.ev. Returns 1, 0 at the end, <0 (reported). */
static inline int
prismfile_next(struct prism_file *f, struct prism_got *got)
{
	got->code = PRISM_OK;
	got->issues = 0;
	prismfile_try(f, got);
	if (__builtin_expect(got->rc > 0 && f->plain && !f->rec.ev.issues, 1))
		return 1;
	return prismfile_go_on(f, got);
}

#endif
