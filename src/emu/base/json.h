/* SPDX-License-Identifier: MIT */
#ifndef BASE_JSON_H
#define BASE_JSON_H

/* json: metadata files through cJSON, in the dialect of doc/format/trace.md, "JSON":
 * one object, comments allowed, duplicate keys and a byte order mark refused. */

#include "diag.h"

#include <cjson/cJSON.h>

enum {
	JSON_FILE_MAX = 256 * 1024 * 1024, /* a metadata file above this is not one of ours */
};

/* Reads the file. The tree is the caller's, to be freed with cJSON_Delete().
 * Returns 0, or <0 (reported). */
int json_load(struct diag *d, const char *path, cJSON **root);

/* The member of an object, or of an object inside: keys in turn, NULL at the end.
 * NULL when it is missing or the way to it is not made of objects. */
const cJSON *json_find(const cJSON *obj, ...) __attribute__((sentinel));

/* A number as an integer, truncated towards zero. Returns 0, or -1 when it is not a
 * number or does not fit in an int. */
int json_int(const cJSON *item, int *out);

#endif
