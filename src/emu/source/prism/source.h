/* SPDX-License-Identifier: MIT */
#ifndef SOURCE_PRISM_SOURCE_H
#define SOURCE_PRISM_SOURCE_H

/* source: finds Prism streams, and their settings: descriptions, and keys of the command line
 * (doc/format/prism.md).
 *
 * All functions return 0, or <0 (reported), unless said otherwise. */

#include "prism/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct diag;
struct prismheap;

enum {
	PRISM_SETTINGS = 16,
	PRISM_HINT_MAX = 300,
};

enum prism_clock {
	PRISM_CLOCK_EVENT,
	PRISM_CLOCK_INSTR,
	PRISM_CLOCK_TIMESTAMPS,
};

/* A key of descriptions, on the command line. */
struct prism_setting {
	const char *key; /* up to '=', or as a whole; '-' stands for '_' */
	const char *value;
};

/* Keys that win over descriptions. All strings are borrowed. */
struct prism_keys {
	const char *prefix; /* of options for keys, in hints: "--prism-"; NULL: there are none */
	const char *help;   /* the option that lists them */
	struct prism_setting set[PRISM_SETTINGS];
	size_t nset;
};

/* A stream as its description has it, or the defaults. */
struct prism_source {
	const char *events;     /* path */
	const char *name;       /* of it, in messages */
	const char *json;       /* path of the description; NULL: none */
	const char *timestamps; /* path; NULL: none */
	const char *names;      /* path of the table of names; NULL: each event has its name */
	struct prismheap *heap; /* that table, if there is one */
	const char *ipc;        /* directory of live buffers, which are read in place of a file; NULL: none */
	unsigned number;        /* of their producer */
	uint64_t dev;           /* identity of the file, in a directory */
	uint64_t ino;
	struct prism_settings settings;
	uint8_t name_size; /* bytes of a number of the table, if there is one */
	uint64_t buffer_size;
	int process;
	uint32_t first_thread; /* 0: none */
	enum prism_clock clock;
	bool clock_set; /* on the command line */
	uint64_t start; /* ns */
	uint64_t tick_ns;
	uint64_t lost; /* events that its writer could not write */
	bool live;     /* no plain file: it cannot be read twice */
};

struct prism_sources {
	struct diag *diag;
	struct arena *arena; /* all is there */
	const struct prism_keys *keys;
	const char *dir;           /* that holds the streams, or, when they are named, the first of them */
	struct prism_source *list; /* by the names of their events, or as they are named */
	uint32_t n;
	struct prismheap *heaps;      /* tables of names of all streams */
	uint64_t counts[PRISM_CODES]; /* number of issues found, by code */
};

/* The modes of a clock, as descriptions have them. */
extern const char *const prism_clock_words[3];

/* The word of one stream more, and that of those before it (NULL: there is none), as one. */
static inline const char *
prism_common(const char *before, const char *word)
{
	return !before || before == word ? word : "mixed";
}

/* ---- Files. ---- */

/* Whether the directory holds streams: 1 yes, 0 no. */
int prismfiles_probe(const char *dir);

/* Finds the streams of p->dir, or, if that is NULL, those of n > 0 paths. */
int prismfiles_find(struct prism_sources *p, const char *const *paths, size_t n);

/* Frees what is not in the arena. */
void prismfiles_finish(struct prism_sources *p);

/* Whether it is the name of events, compressed or not. */
bool prismfiles_is_events(const char *name);

/* Whether it is the name of a description. */
bool prismfiles_is_json(const char *name);

/* The directory in ipc:DIR; NULL: it is another name. */
const char *prismfiles_ipc(const char *path);

/* Makes s, of the defaults, the live buffers of a directory. Each time that it is named is a producer more: those before
 * are the n at `before`, of `stride` bytes each. */
int prismfiles_take_ipc(struct prism_sources *p, const char *path, struct prism_source *s, const struct prism_source *before, size_t n, size_t stride);

/* Name of a file in messages: below the directory, which may be NULL. */
const char *prismfiles_name(const char *dir, const char *path);

/* ---- Descriptions. ---- */

/* Sets the defaults: a stream without a description. */
void prismdesc_default(struct prism_source *s);

/* Reads a description. `wanted`: it must be one; else 1 is returned when it is not. */
int prismdesc_read(struct prism_sources *p, const char *path, bool wanted, struct prism_source *s);

/* A key as a text: of the command line (where: NULL), or of a file. */
int prismdesc_set(struct prism_sources *p, const struct prism_setting *o, const char *where, struct prism_source *s);

/* Checks keys that depend on each other, when all are set, and finds the table of names. */
int prismdesc_check(struct prism_sources *p, struct prism_source *s);

/* Whether the file is a description. Says nothing. */
bool prismdesc_is(const char *path);

/* ---- Hints. ---- */

/* Writes a guess at the cause of a code to a buffer of PRISM_HINT_MAX bytes; NULL: none. */
const char *prismhint_get(const struct prism_keys *keys, int code, char *buf);

#endif
