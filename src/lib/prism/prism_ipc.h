/* SPDX-License-Identifier: MIT */
#ifndef PRISM_IPC_H
#define PRISM_IPC_H

/* prism_ipc: writes a stream into buffers of shared memory, which another process reads while it is written: ovniemu(1)
 * with --prism ipc:DIR, or whatever reads those of the public Prism.
 *
 * A directory holds, for producer N, the file prism-shmem-N with 8 buffers of 2^19 bytes, and two FIFOs of buffer
 * numbers: prism-full-N from the writer, prism-empty-N back to it. The reader makes them all. A buffer ends with an End
 * event, and the number ffffffff is the end of the stream.
 *
 * A writer is used by one thread at a time; different ones are independent. A reader that dies is an error that is
 * returned, never a signal. */

#include "prism.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

enum {
	PRISM_IPC_BUFFERS = 8,
	PRISM_IPC_SIZE = 1 << 19, /* bytes of one */
};

/* The library's own, from prism_ipc_open() on. */
struct prism_ipc {
	int full;       /* FIFOs */
	int empty;      /* <0: the writer is closed */
	int timeout_ms; /* of a wait; <0: as long as the reader lives */
	int failed;     /* -errno, from then on; 0: none */
	uint8_t *buffers;
	uint32_t current;
	bool mine;     /* the current buffer may be written to */
	uint8_t given; /* buffers that the reader has, by bit */
	size_t used;   /* bytes of the current buffer */
};

/* Connects to the reader of a producer's number, 0 and up, in a directory, and waits for it. Returns 0, or -errno:
 * -ETIMEDOUT when none came in time. */
int prism_ipc_open(struct prism_ipc *w, const char *dir, unsigned number, int timeout_ms);

/* Writes an event as prism_encode() does, to which st belongs. It is seen by the reader when its buffer is full, or with
 * an End event, which only hands over the buffer. Returns 0, a code above 0 of prism_encode(), and nothing was
 * written, or -errno: -EPIPE the reader has gone, -ETIMEDOUT it gave no buffer back in time, -EPROTO it gave one back
 * that it had not. From then on all calls return that. */
int prism_ipc_put(struct prism_ipc *w, struct prism_state *st, const struct prism_event *ev);

/* Hands over what was written, ends the stream, waits until the reader has seen that, and closes the writer, which also
 * one that failed needs. Returns 0, or -errno: it did not see all. */
int prism_ipc_close(struct prism_ipc *w);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
