/* SPDX-License-Identifier: MIT */
#ifndef TOOL_SORT_PACK_H
#define TOOL_SORT_PACK_H

/* pack: streaming compression to one frame of zstd or LZ4; the other side of codec. */

#include "wbuf.h"

#include <stdbool.h>
#include <stddef.h>

struct sortpack;

/* Whether the name of a file says that it is compressed. */
bool sortpack_wanted(const char *path);

/* An encoder for that file name. NULL when memory is exhausted. */
struct sortpack *sortpack_open(const char *path);

/* A failure is kept in the wbuf, as that of a write. */
void sortpack_put(struct sortpack *p, const void *bytes, size_t n, struct wbuf *to);
void sortpack_end(struct sortpack *p, struct wbuf *to);

/* Accepts NULL. */
void sortpack_close(struct sortpack *p);

#endif
