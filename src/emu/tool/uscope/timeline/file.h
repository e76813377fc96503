/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_TIMELINE_FILE_H
#define TOOL_USCOPE_TIMELINE_FILE_H

/* file: a µScope file as ovniemu writes it: rows of threads, CPUs, processes and breakdowns, their
 * channels, and what the values are called. What stands where is defined in
 * doc/format/timeline.md; everything that the tables say is checked here. */

#include "arena.h"
#include "idmap.h"
#include "uscope/tool.h"

enum tl_class {
	TL_THREAD,
	TL_CPU,
	TL_BREAKDOWN,
	TL_PROC,
	TL_CLASSES,
};

/* The encoding of a channel's value in its field. */
enum tl_kind {
	TL_ENUM, /* the same up to 253; its labels are in the schema */
	TL_U32,
	TL_I64,
	TL_TEXT, /* a text, whose hash is the value */
};

/* Error states, in the timeline and in the file. */
enum {
	TL_BAD = 666,
	TL_TOO_MANY = 777,
	TL_ENUM_BAD = 254,
	TL_ENUM_TOO_MANY = 255,
	TL_TEXT_BAD = 1,
	TL_TEXT_TOO_MANY = 2,
};

struct tllabel {
	int64_t value;
	uint32_t text; /* index */
	struct tllabel *next;
};

struct tlchannel {
	const char *name;         /* "state", "nosv.subsystem" */
	const char *label;        /* in the PCF; NULL: the file is not finished */
	const char *storage_name; /* the model */
	enum tl_class class;
	enum tl_kind kind;
	uint16_t type; /* PRV */
	uint16_t storage;
	uint16_t field;
	uint8_t enum_id;
	uint8_t size;   /* bytes */
	uint8_t levels; /* bits, by the level of rows: those for which 0 is a value, and not nothing */
	uint32_t place; /* among the channels of its class */
	/* Labels from the table, in its order. */
	struct tllabel *first;
	struct tllabel *last;
	struct idmap by_value;
	struct idmap by_text;
};

struct tlclass {
	const char *name;
	uint16_t scope;
	bool exists;
	int punctual; /* event, -1: none */
	int table;    /* of the rows, and the field of their labels; -1: none */
	int label_field;
	int level_field; /* -1: rows have no level */
	uint32_t nrows;
	uint32_t nslots;     /* above: rows of threads that have not come, in live input */
	const char **names;  /* of the rows, without blanks around; never NULL */
	const char **labels; /* as in the file */
	uint8_t *levels;     /* of the rows */
	uint32_t nchannels;
	struct tlchannel **channels; /* in order */
	size_t channels_cap;
	uint32_t first_cell; /* see tlfile_cell() */
};

struct tlfile {
	struct tool *tool;
	struct source *src;
	struct arena arena;  /* rows and channels */
	struct arena labels; /* what is read again when the file grows */
	struct tlclass classes[TL_CLASSES];
	struct tlchannel *channels;
	uint32_t nchannels;
	uint32_t ncells;
	uint32_t *first_field; /* by storage: where its fields begin in of_field[] */
	struct tlchannel **of_field;
	struct idmap by_type; /* class and PRV type */
	uint16_t labels_table;
	int labels_fields[4];
	bool compat;
	uint64_t end_ps; /* of what is there */
};

/* Takes a file that utool has opened. false: it is no timeline, or damaged (reported).
 * Free it in both cases. */
bool tlfile_open(struct tlfile *f, struct tool *t, struct source *src);
void tlfile_finish(struct tlfile *f);
/* Whether the file says that it is a timeline; `lacks` tells what is wrong if not. */
bool tlfile_is_timeline(const uscope_reader_t *r, const char **lacks);

/* Labels, rows and the end again, after the file has grown. false: reported. */
bool tlfile_learn(struct tlfile *f);

/* NULL: no channel stands there. */
struct tlchannel *tlfile_channel(const struct tlfile *f, uint16_t storage, uint16_t field);
/* The field of a channel after a SET or ADD. */
uint64_t tlchannel_apply(const struct tlchannel *ch, uint64_t raw, const uscope_item_t *item);
/* The number of the value of a channel in a row, among ncells. */
static inline uint32_t
tlfile_cell(const struct tlfile *f, const struct tlchannel *ch, uint32_t row)
{
	const struct tlclass *c = &f->classes[ch->class];
	return c->first_cell + row * c->nchannels + ch->place;
}

/* Whether 0 is a value of the channel in a row, and does not say that it shows nothing. */
static inline bool
tlfile_has_zero(const struct tlfile *f, const struct tlchannel *ch, uint32_t row)
{
	return ch->levels >> f->classes[ch->class].levels[row] & 1;
}

/* A punctual event out of its payload. NULL: it names a row or a channel that is not. */
struct tlchannel *tlfile_punctual(const struct tlfile *f, const uscope_item_t *item, uint32_t *row, int64_t *value);

/* ---- Values (label.c). ---- */

/* Reads the table of labels. false: reported. */
bool tllabel_read(struct tlfile *f, const uscope_state_t *state);

/* A state of a channel. */
struct tlstate {
	uint64_t raw;  /* of the field */
	int64_t value; /* of the PRV */
	bool by_value; /* punctual: the value alone is known */
	bool unknown;  /* it is a text whose number is not known */
};

/* The state that a field holds. */
struct tlstate tllabel_state(const struct tlfile *f, const struct tlchannel *ch, uint64_t raw);

/* The label of a state. NULL: it has none. Valid until the next call. */
const char *tllabel_of(const struct tlfile *f, const struct tlchannel *ch, const struct tlstate *state);

/* Text to show for a state: its label, the number if there is no label, "#3" for a text that is not
 * known. */
enum {
	TLLABEL_NUMBER = 24,
};
const char *tllabel_text(const struct tlfile *f, const struct tlchannel *ch, const struct tlstate *state, char buf[TLLABEL_NUMBER]);

#endif
