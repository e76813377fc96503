/* SPDX-License-Identifier: MIT */
#ifndef FIND_H
#define FIND_H

/* find: which files of a directory tree belong to a runtime trace. */

#include "trace.h"

struct found {
	struct stream_file *json; /* stream.json: metadata version 3 */
	size_t njson;
	size_t json_cap;
	struct stream_file *old; /* thread.N, thread.N.obs[.zst|.lz4]: versions 1 and 2 */
	size_t nold;
	size_t old_cap;
	struct stream_file *obs; /* stream.obs[.zst|.lz4], only if metadata may be missing */
	size_t nobs;
	size_t obs_cap;
};

/* Walks the trace directory, following links, each file once. The lists are in the
 * arena and in path order. Returns 0, or <0 (reported). */
int find_streams(struct trace *t, struct found *f);

#endif
