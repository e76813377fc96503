/* SPDX-License-Identifier: MIT */
#ifndef TOOL_DECL_READ_H
#define TOOL_DECL_READ_H

/* read: objects of a JSON file become structs, as tables of their keys say. What is wrong is told with the
 * line, the path of the item and what was expected there. */

#include "arena.h"
#include "diag.h"
#include "json.h"
#include "ovniscope/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that is being read. */
struct decl_in {
	struct diag *diag;
	struct arena *arena; /* of the structs */
	const char *file;
	struct json_text json;
	const struct model *model; /* what has been read of it: KEY_CHAN looks for channels */
};

/* Kinds of values, with the type of the member. */
enum key_kind {
	KEY_IGNORED,
	KEY_TEXT,    /* const char *: a line of UTF-8 */
	KEY_TEXTS,   /* const char **, and their number in `count`: a list of texts, not empty */
	KEY_LETTER,  /* char */
	KEY_PALETTE, /* const char *: "value:r,g,b value:r,g,b ..." */
	KEY_BOOL,    /* bool */
	KEY_INT,     /* int: a whole number from min to max */
	KEY_VALUE,   /* int64_t: likewise */
	KEY_WORD,    /* an enum: which of the words */
	KEY_FLAGS,   /* unsigned: a list of words, 1 << their number; `none` if it is empty */
	KEY_CHAN,    /* int: the name of a channel */
	KEY_LABELS,  /* const struct label *, and their number in `count`: an object of texts by number */
	KEY_OBJECT,  /* a struct */
	KEY_NEW,     /* const pointer to a struct */
	KEY_ROWS,    /* const pointer to structs, and their number in `count`: a list of objects */
};

struct decl_shape;

struct decl_key {
	const char *name;
	enum key_kind kind;
	bool needed;
	size_t at;    /* of the member */
	size_t count; /* of the member that counts */
	const char *const *words;
	size_t nwords;
	int64_t min, max;
	unsigned none;
	const struct decl_shape *of;
};

/* An object. Its members are taken in the order of the table. */
struct decl_shape {
	const struct decl_key *keys;
	size_t nkeys; /* at most 64 */
	size_t size;
	const void *blank; /* the struct where no key is given; NULL: zeros */
	/* Looks at the i-th row, which has been read; may change it. NULL: nothing to do. Returns 0, or <0
	 * (reported). */
	int (*check)(const struct decl_in *in, const cJSON *item, void *rows, size_t i);
};

/* Reads an object to the i-th row. Returns 0, or <0 (reported). */
int decl_read(const struct decl_in *in, const cJSON *item, const struct decl_shape *shape, void *rows, size_t i);

/* Say what is wrong with an item; decl_bad() as ERR_MODEL. Return <0. */
int decl_refuse(const struct decl_in *in, enum error code, const cJSON *item, const char *text);
int decl_bad(const struct decl_in *in, const cJSON *item, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Says that an item is none of the words, behind `what`; `words` is called for each number until it returns NULL. */
typedef const char *decl_words(const void *of, size_t i);
int decl_bad_word(const struct decl_in *in, const cJSON *item, const char *what, decl_words *words, const void *of);

#endif
