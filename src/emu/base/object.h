/* SPDX-License-Identifier: MIT */
#ifndef OBJECT_H
#define OBJECT_H

/* object: shared objects that users write. Each exports one struct, whose first members are two
 * uint32_t: its version and its size in bytes. Such a struct grows at its end only, so what was built
 * with an older header is shorter, and zeros stand for what it does not know. */

#include "diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Folders of an environment variable, with ':' between them, in which names without '/' and '.' are looked for first. */
#define OBJECT_FOLDERS "OVNISCOPE_TOOLS"

/* What an object exports. */
struct object_kind {
	enum error code;    /* of objects that are refused */
	const char *symbol; /* its name, */
	const char *type;   /* and type, with "struct" */
	const char *header; /* that declares the type */
	const char *page;   /* of the documents */
	const char *folder; /* of those that are installed with ovniscope, beside its libraries; NULL: none are */
	uint32_t version;
	uint32_t size;
};

struct object {
	void *handle; /* of dlopen() */
	const void *data;
	uint64_t size; /* bytes of the data; UINT64_MAX: not known */
};

/* Loads a file. A name without '/' is of the current folder; of a kind that is installed, one without a '.' too is that of an
 * installed one. Returns 0, or <0 (reported); dlclose() of the
 * handle is due when there is one, also after a failure. */
int object_open(struct object *o, const struct object_kind *k, struct diag *d, const char *file);

/* Copies the struct, which is in an object of so many bytes, to k->size bytes. A longer one is refused,
 * unless what is behind is zero. Returns 0, or <0 (reported). */
int object_copy(void *to, const void *from, uint64_t size, const struct object_kind *k, struct diag *d, const char *file);

/* Whether the bytes [from, to) behind p are zero. */
bool object_is_zero(const void *p, size_t from, size_t to);

#endif
