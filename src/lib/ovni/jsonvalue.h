/* SPDX-License-Identifier: MIT */
#ifndef RT_JSONVALUE_H
#define RT_JSONVALUE_H

/* jsonvalue: the metadata of a thread as a tree of values (RFC 8259).
 *
 * The library has its own, as a program may have any JSON library, of any version, under any of
 * their names. Objects keep the order in which members were added; no name is there twice.
 * Not thread-safe. */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum json_kind {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

enum {
	JSON_DEPTH_MAX = 1000, /* arrays and objects in one another */
};

struct json {
	enum json_kind kind;
	double number;
	char *text;                /* JSON_STRING: UTF-8 */
	char *name;                /* of a member of an object: UTF-8 */
	struct json *next;         /* member or element behind it */
	struct json *first, *last; /* members or elements */
	struct json **slots;       /* many members: a hash table of them by name */
	size_t nslots, nmembers;
};

/* Make a value. NULL: no memory, or `text` was NULL. Freed with rt_json_free(). */
struct json *rt_json_new(enum json_kind kind);
struct json *rt_json_number(double number);
struct json *rt_json_text(const char *text);

/* Frees a value and what is in it. NULL is fine. */
void rt_json_free(struct json *v);

/* Parses the value that a text begins with; what is behind it is not looked at. Returns NULL
 * with errno EINVAL (no JSON; a name twice in an object; a number that no double holds; a NUL or
 * bytes that are no UTF-8 in a string; nested deeper than JSON_DEPTH_MAX) or ENOMEM. */
struct json *rt_json_parse(const char *text);

/* Returns the member of that name (len bytes); NULL: none, or v is no object. */
struct json *rt_json_member(const struct json *v, const char *name, size_t len);

/* Adds v, which the array or object then owns. A member of that name is replaced, in its place.
 * Returns false without memory; v is freed then. v may be NULL: no memory. */
bool rt_json_push(struct json *array, struct json *v);
bool rt_json_put(struct json *object, const char *name, size_t len, struct json *v);

/* Removes the member of that name. Returns it, for the caller to free; NULL: none. */
struct json *rt_json_take(struct json *object, const char *name);

/* Prints v to f. indent < 0 is one line without blanks. Numbers come back as the same double.
 * Errors are those of f. */
void rt_json_print(FILE *f, const struct json *v, int indent);

#endif
