/* SPDX-License-Identifier: MIT */
#ifndef INPUT_PRISM_PARTS_H
#define INPUT_PRISM_PARTS_H

/* parts: what the files of the stream format of Prism share: their threads (rows.c), what is
 * read while it is written (live.c), their events (stream.c), how long calls take (ahead.c), and messages (tell.c).
 *
 * All functions return 0, or <0 (reported), unless said otherwise. */

#include "source/prism/file.h"
#include "stream.h"
#include "trace.h"

enum prism_phase {
	PRISM_READING,
	PRISM_PRIMED, /* next() gives `first` */
	PRISM_ENDING, /* RD. was given */
	PRISM_ENDED,
};

/* One file. t->streams[n + 1] is the stream of prism->streams[n]: the first gives RW. */
struct prism_stream {
	struct prism *prism;
	const struct prism_source *source;
	/* The current event is what next() gave last. Of RD. only the clock is set. */
	struct prism_file file;
	int stopped_by; /* code that ended the stream (lenient), told with RD.; 0: none */
	enum prism_phase phase;
	uint64_t limit; /* of prism_more(): ns, */
	uint64_t tick_ns;
	struct event first;
	uint8_t mcv[3];
	struct prismahead *ahead; /* NULL: nothing is read ahead */
	uint8_t payload[4 + PRISM_NAME_MAX + 1];
};

/* ---- Bytes. ---- */

/* Opens stream n, at its start. */
int prismlive_open(struct prism *p, uint32_t n);
void prismlive_close(struct prism *p, uint32_t n);

/* ---- Calls. ---- */

/* Makes a stream, which is open and at its start, look ahead. */
int prismahead_open(struct prism *p, uint32_t n);
void prismahead_close(struct prism_stream *s);

/* Finds out whether the next event enters a function that is left too soon: s->file.rec.brief. */
int prismahead_look(struct prism_stream *s);

/* ---- Messages; prism_issue() is another. ---- */

/* The codes of a set, 1 << code each. */
int prismtell_issues(struct prism *p, uint32_t n, uint32_t issues);

/* The current event of a stream. */
struct place prismtell_place(const struct prism_stream *s);

/* ---- Threads. ---- */

/* Looks ahead for the threads (t->threads) and for the number of events, or reserves rows. */
int prismrows_find(struct prism *p);

/* Adds a row if there is none, as outputs need one: that of events before the first swap. */
int prismrows_need_one(struct prism *p);

#endif
