/* SPDX-License-Identifier: MIT */
#ifndef TOOL_PRISM_TOOL_H
#define TOOL_PRISM_TOOL_H

/* tool: what the subcommands of ovniscope-prism share beside conv.h. */

#include "arena.h"
#include "kit/conv.h"
#include "reader.h"
#include "source/prism/source.h"

enum {
	PTOOL_WITH_INPUT = CONV_OWN << 0, /* what a stream is: layout and so on */
	PTOOL_WITH_JSON = CONV_OWN << 1,
	PTOOL_WITH_BYTES = CONV_OWN << 2,    /* --bytes */
	PTOOL_WITH_RECODE = CONV_OWN << 3,   /* what the output is to be, where it differs */
	PTOOL_WITH_DESCRIBE = CONV_OWN << 4, /* --describe */
	PTOOL_WITH_CLOCK = CONV_OWN << 5,
	PTOOL_WITH_USCOPE = CONV_OWN << 6,
	PTOOL_WITH_IMPORT = CONV_OWN << 7,
};

extern const struct conv_command pcommand_dump;
extern const struct conv_command pcommand_encode;
extern const struct conv_command pcommand_stat;
extern const struct conv_command pcommand_recode;
extern const struct conv_command pcommand_uscope;
extern const struct conv_command pcommand_import;

enum {
	PTOOL_BUFFER_MAX = 1 << 30,
};

/* Outputs of conv.beside. */
enum {
	PTOOL_TIMES,
	PTOOL_NAMES,
};

struct ptinput;

struct ptool {
	struct conv conv;
	struct ptinput *inputs; /* they move while they are opened */
	size_t ninputs;
	uint64_t counts[PRISM_CODES];

	struct diag diag; /* of what reads files and descriptions */
	struct arena arena;
	struct reader_pool readers;
	struct prism_sources sources;
	struct prism_keys keys;

	int json; /* bool, of a choice */
	bool bytes;
	const char *describe;
	const char *to_timestamps; /* of recode; NULL: none are written */
	const char *to_names;      /* table of names; "none": there is none, NULL: as the input */
	int to_name_size;          /* 0: 4 bytes, 1: 8; <0: as the input, or 4 */
	int to_layout;             /* of recode; <0: as the input */
	int to_word_size;          /* 0: 4 bytes, 1: 8; <0: as the input */
	uint64_t to_buffer_size;   /* UINT64_MAX: as the input */
	uint8_t mask[PRISM_KINDS]; /* of the level of detail */
	const char *name;          /* of what is traced */
	uint64_t window;           /* ns, of totals without accesses */
	int no_accesses;           /* bool: no event of the file for memory and compute */
	int from;                  /* format of import; <0: as its content tells */
	uint64_t read, made;       /* by import, so far: bytes and events */
};

/* The tool of which c is the front. */
static inline struct ptool *
ptool_of(struct conv *c)
{
	return (struct ptool *)c;
}

/* "mem=f0,comp=f8": levels of detail by kind; those not named stay. NULL: good, else what is
 * wrong. */
const char *ptool_parse_detail(const char *text, uint8_t detail[PRISM_KINDS]);

/* A key of the description of all inputs; both texts are borrowed, and the key ends at '='.
 * false: there are too many (reported). */
bool ptool_set(struct ptool *t, const char *key, const char *value);

/* Before the two below, and those of source.h. */
void ptool_ready(struct ptool *t);

/* For what those return: wrong usage is the status 2. */
static inline int
ptool_status(int rc)
{
	return rc == -ERR_USAGE ? 2 : rc;
}

/* Puts the options into the settings of a stream. 0, <0 (reported), or 2. */
int ptool_apply(struct ptool *t, struct prism_source *s);

/* The settings of a stream: those of its description, which is at path if that ends with
 * .json, else the defaults, and those of the options. s->events: the file of its events.
 * 0, <0 (reported), or 2. */
int ptool_source(struct ptool *t, const char *path, struct prism_source *s);

/* Tells and counts a code at a place of a file. Returns 0: go on, <0: stop (reported). */
int ptool_issue(struct ptool *t, const char *file, uint64_t offset, int code);

/* Whether there is a table of names to write: --to-names. */
bool ptool_writes_names(const struct ptool *t);

/* Makes a stream that is written one with names by number, or without, as the options say. */
void ptool_set_names(const struct ptool *t, struct prism_source *s);

/* Whether --describe, --to-names and --to-timestamps can be done beside an output, before that is opened.
 * 0, <0 (reported), or 2. */
int ptool_check_outputs(struct ptool *t, const char *out);

/* Writes the description of a stream whose files are `events`, `stamps` and `names`, NULL: none, as seen from it. */
void ptool_put_description(struct wbuf *w, const struct prism_source *s, const char *events, const char *stamps, const char *names);

/* Writes the description of a stream with --describe. 0, or <0 (reported). */
int ptool_describe(struct ptool *t, const char *events, const struct prism_source *s);

#endif
