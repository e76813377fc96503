/* SPDX-License-Identifier: MIT */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

/* arguments: a shared object of the user and what it is given, in one option: "./tool.so lines=64 title='my run'".
 *
 * Words have blanks between them. The first is the file, each other one KEY=VALUE, or KEY alone, the value of which is "". Quotes
 * and backslashes are those of a shell: '...' is taken as it is, in "..." and outside of quotes a backslash makes the next
 * character a plain one. Nothing else is special: a value may have commas and '='. A file whose name has blanks or quotes needs none when
 * nothing is behind it: text that is the name of a file as a whole is that.
 *
 * The object tells which keys it knows by asking for them; an argument that it does not ask for is an error. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ARGUMENTS_MAX = 64,
	ARGUMENTS_WHY = 512,
};

struct argument {
	const char *key;
	const char *value; /* "": there is none */
	bool known;
};

struct arguments {
	const char *file;
	struct argument list[ARGUMENTS_MAX];
	size_t n;
	char *bytes;     /* of the words */
	char known[256]; /* keys that were asked for, with ", " between them; */
	bool all;        /* all of them were */
};

/* Reads the words. Returns 0, or -1 with the reason in `why`, of ARGUMENTS_WHY bytes; arguments_finish() is due in any case. */
int arguments_read(struct arguments *a, const char *text, char *why);

/* Frees. Accepts a zeroed one. */
void arguments_finish(struct arguments *a);

/* Asks for a key. Returns its value, which lives as long as the arguments, or NULL: it is not given. */
const char *arguments_get(struct arguments *a, const char *key);

/* The key of argument i, which is known from now on, as all others are; NULL: there is none. */
const char *arguments_key(struct arguments *a, size_t i);

/* Asks for a key whose value is a number, 64 or 64K, from min to max. *to stays when it is not given. Returns 0, or -1 with the
 * reason in `why`. */
int arguments_number(struct arguments *a, const char *key, uint64_t min, uint64_t max, uint64_t *to, char *why);

/* Asks for a key whose value is one of words, behind the last of which is a NULL. *to, its place, stays when it is not given. Returns
 * 0, or -1 with the reason in `why`. */
int arguments_word(struct arguments *a, const char *key, const char *const *words, int *to, char *why);

/* All that is known was asked for. Returns 0, or -1 with the first argument that is not known in `why`. */
int arguments_check(const struct arguments *a, char *why);

#endif
