/* SPDX-License-Identifier: MIT */
#ifndef ANALYSES_TRACES_H
#define ANALYSES_TRACES_H

/* traces: the files that the simulator SynchroTrace reads: events of threads as text, in sigil.events.out-N.gz, N from 1.
 *
 *   @ 3,0,2,1 $ 0x1000 0x1007 * 0x2000 0x200f    integer and floating-point operations, reads, writes; what was written ($), read (*)
 *   # 1 17 0x1000 0x1007                         bytes read that event 17 of thread 1 wrote last; several in a line
 *   ^ 6^0x7f10&0x7f38                            a call of pthreads, with its object, and the mutex of a condition
 *   ! 4096                                       so many instructions have passed; this is no event
 *
 * Addresses are the first and the last byte. Events of a thread have numbers, from 0, in their order. */

#include "gzip.h"
#include "kit.h"

enum {
	TRACE_RANGES = 256,
	TRACE_EDGES = 512,
	TRACE_ACCESS = 128, /* bytes of the largest access */
	TRACE_INSNS = 4096, /* that a line stands for */
};

struct trace_range {
	uint64_t from, to;
};

struct trace_edge {
	uint64_t from, to;
	uint32_t thread, event;
};

enum trace_side {
	TRACE_WRITTEN,
	TRACE_READ,
	TRACE_SIDES,
};

/* Counts of a thread. */
struct trace_counts {
	uint64_t compute, communication, sync; /* events */
	uint64_t iops, flops, reads, writes, insns;
	uint64_t communicated; /* bytes */
};

/* The file of a thread, and its events that are not complete yet. */
struct trace {
	uint32_t number;
	uint32_t events; /* complete ones: the number of the next */
	bool computes;   /* there is a compute event */
	uint64_t iops, flops, count[TRACE_SIDES];
	size_t n[TRACE_SIDES];
	struct trace_range ranges[TRACE_SIDES][TRACE_RANGES];
	size_t nedges; /* of an event of communication */
	struct trace_edge edges[TRACE_EDGES];
	struct textbuf text;
	struct trace_counts total;
	bool full; /* there are more events than numbers */
};

struct traces {
	struct kit *kit;
	int dir;
	const char *path;
	struct trace **list;
	size_t n, cap;
	struct gzip gzip;
};

/* Makes the directory if it is not there. Returns 0, or <0 (reported). */
int traces_begin(struct traces *s, struct kit *k, const char *dir);

/* Adds the file of the next thread, which must not be there. NULL: reported. */
struct trace *traces_add(struct traces *s);

/* Makes an event of what is not complete yet. */
void trace_end_compute(struct trace *t);
void trace_end_communication(struct trace *t);

/* An event of pthreads, which ends the others. */
void trace_sync(struct trace *t, unsigned type, const uint64_t *args, unsigned n);

/* An instruction. */
void trace_insn(struct trace *t);

/* Writes the text of a thread if there is enough of it, or in any case. Returns 0, or <0 (reported). */
int traces_write(struct traces *s, struct trace *t, bool all);

/* Makes a file of text that is no trace. Returns 0, or <0 (reported). */
int traces_write_text(const struct traces *s, const char *name, const struct textbuf *text);

/* Frees all. Accepts one that has no directory (dir < 0). */
void traces_finish(struct traces *s);

/* Text of a trace. */
void trace_put(struct textbuf *b, const char *text);
void trace_put_u64(struct textbuf *b, uint64_t v);
void trace_put_hex(struct textbuf *b, uint64_t v);

#endif
