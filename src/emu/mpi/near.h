/* SPDX-License-Identifier: MIT */
#ifndef NEAR_H
#define NEAR_H

/* near: memory of a process that the others of its machine read where it is. A copy of what a step gives to another process takes as long as
 * merging it. */

#include <stddef.h>
#include <stdint.h>

struct near;

/* Makes the block of this process, and finds those of the others. All processes call it; the blocks before are gone. Returns the block,
 * of that size, zeroed; NULL: no other process reads it. near_end() is due in both cases. */
void *near_share(struct near **near, size_t size);
void near_end(struct near *n);

/* The place of bytes of this process for the one of that rank; 0: it does not read them. Accepts NULL. */
uint64_t near_place(const struct near *n, unsigned rank, const void *bytes);

/* The bytes at a place that the process of that rank has told. They are only to be read. */
void *near_find(const struct near *n, unsigned rank, uint64_t place);

#endif
