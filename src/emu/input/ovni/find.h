/* SPDX-License-Identifier: MIT */
#ifndef FIND_H
#define FIND_H

/* find: which files of a directory tree belong to a runtime trace. */

#include "trace.h"

struct found_list {
	struct stream_file *files;
	size_t n;
	size_t cap;
};

struct found {
	struct found_list json; /* stream.json: metadata version 3 */
	struct found_list old;  /* thread.N, thread.N.obs[.zst|.lz4]: versions 1 and 2 */
	struct found_list obs;  /* stream.obs[.zst|.lz4], only if metadata may be missing */
};

/* Walks the trace directory, following links, each file once. The lists are in the
 * arena and in path order. Returns 0, or <0 (reported). */
int find_streams(struct trace *t, struct found *f);

#endif
