/* SPDX-License-Identifier: MIT */
#ifndef PRISM_IPC_NAMES_H
#define PRISM_IPC_NAMES_H

/* ipc: what the two ends of live buffers share. */

#define PRISM_IPC_SHMEM "prism-shmem" /* names of files; behind each is - and the number of the producer */
#define PRISM_IPC_FULL "prism-full"
#define PRISM_IPC_EMPTY "prism-empty"

#define PRISM_IPC_END UINT32_MAX /* in place of the number of a buffer */

#endif
