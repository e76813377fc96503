/* SPDX-License-Identifier: MIT */
#ifndef SOURCE_PRISM_IPC_H
#define SOURCE_PRISM_IPC_H

/* ipc: reads live buffers (lib/prism/prism_ipc.h), of which it makes the files. Each buffer is copied as soon as it is
 * handed over, and given back: the producer may write to it, or make the file shorter, at any time. */

#include <stdbool.h>
#include <stdint.h>

struct diag;
struct reader;

struct prismipc {
	bool open;
	const char *dir; /* borrowed */
	unsigned number; /* of the producer */
	struct diag *diag;
	int shmem;
	int empty;        /* FIFO; <0: the stream has ended */
	uint8_t bytes[4]; /* of a number of a buffer */
	unsigned have;
};

/* Makes the files. Returns the FIFO of full buffers, or <0 (reported). */
int prismipc_open(struct prismipc *q, struct diag *d, const char *dir, unsigned number);

/* Appends a buffer to a reader of that FIFO, which has room for it, if one is there. lenient: a lie is passed as the end
 * of the stream. Returns 0, -EPROTO for a lie (reported), or another -errno. */
int prismipc_read(struct prismipc *q, struct reader *r, bool lenient);

/* Removes the files. */
void prismipc_close(struct prismipc *q);

#endif
