/* SPDX-License-Identifier: MIT */
#ifndef BASE_JSON_H
#define BASE_JSON_H

/* json: metadata files through cJSON, in the dialect of doc/format/trace.md, "JSON":
 * one object, comments allowed, duplicate keys and a byte order mark refused. */

#include "arena.h"
#include "diag.h"

#include <stdarg.h>
#include <stddef.h>

#include <cjson/cJSON.h>

enum {
	JSON_FILE_MAX = 256 * 1024 * 1024, /* a metadata file above this is not one of ours */
};

/* Reads the file. The tree is the caller's, to be freed with cJSON_Delete().
 * Returns 0, or <0 (reported). */
int json_load(struct diag *d, const char *path, cJSON **root);

/* A file that is kept, so that what is wrong with an item can be told with its place. */
struct json_text {
	cJSON *root;
	char *text; /* comments are blank */
	size_t size;
	const char *end; /* behind the object */
};

/* Reads a file of at most so many bytes for `what`. Keys may be there twice. Returns 0, or <0 (reported); json_text_finish()
 * is due after 0. */
int json_text_load(struct diag *d, const char *path, size_t most, const char *what, struct json_text *t);
void json_text_finish(struct json_text *t);

/* The line of an item, from 1, and its path such as "events[3].op". */
size_t json_where(const struct json_text *t, const cJSON *item, char *path, size_t size);

/* The member of an object, or of an object inside: keys in turn, NULL at the end.
 * NULL when it is missing or the way to it is not made of objects. */
const cJSON *json_find(const cJSON *obj, ...) __attribute__((sentinel));
const cJSON *json_vfind(const cJSON *obj, va_list keys);

/* A number as an integer, truncated towards zero. Returns 0, or -1 when it is not a
 * number or does not fit in an int. */
int json_int(const cJSON *item, int *out);

/* ---- Values of keys, of a description of a trace or of the command line. ---- */

struct json_source {
	struct diag *diag;
	struct arena *arena;
	enum error error; /* of mistakes in a file, with the code, which is counted */
	const char *code;
	uint64_t *count;
	const char *file;   /* NULL: the command line */
	const char *help;   /* option that lists those of the command line */
	const char *digits; /* numbers may be texts of digits; where it must be told: when. NULL: they may not */
};

/* Says what is wrong with a key. Returns <0. */
int json_bad(const struct json_source *in, const char *key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A text as the index of one of the words; a whole number; the name of a file, which is
 * beside `json` unless that is NULL. 0, or <0 (reported). */
int json_word(const struct json_source *in, const cJSON *item, const char *const *words, size_t n, int *to);
int json_number(const struct json_source *in, const cJSON *item, uint64_t min, uint64_t max, uint64_t *to);
int json_file(const struct json_source *in, const cJSON *item, const char *json, const char **to);

#endif
