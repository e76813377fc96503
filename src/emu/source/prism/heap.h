/* SPDX-License-Identifier: MIT */
#ifndef SOURCE_PRISM_HEAP_H
#define SOURCE_PRISM_HEAP_H

/* heap: names by their numbers, from the table that streams name (doc/format/prism.md, "Names by number"). Each name is
 * read when it is asked for first, as the table of live streams grows. No descriptor stays open. */

#include "idmap.h"

#include <stdbool.h>
#include <stdint.h>

struct diag;

/* The table of a file. */
struct prismheap {
	struct prismheap *next;
	const char *path; /* borrowed */
	struct diag *diag;
	struct arena arena; /* of what is read, as streams are read by another thread than the one that opens them */
	struct idmap names; /* number -> struct prismheap_name */
};

struct prismheap_name {
	const char *text;
	uint32_t len; /* 1 to 256 bytes */
	bool is_text;
};

/* The table of a path, which those of a list share. NULL: no memory (reported). */
struct prismheap *prismheap_get(struct prismheap **list, struct arena *a, struct diag *d, const char *path);

/* The name of a number, valid until the table is finished. Returns 1, 0 there is none, or <0 (reported). */
int prismheap_find(struct prismheap *h, uint64_t number, const struct prismheap_name **name);

/* Frees all of a list. */
void prismheap_finish(struct prismheap **list);

#endif
