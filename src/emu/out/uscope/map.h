/* SPDX-License-Identifier: MIT */
#ifndef OUT_USCOPE_MAP_H
#define OUT_USCOPE_MAP_H

/* map: how rows and columns of the emulator stand in a µScope file.
 *
 * A class of rows is a scope; each of its models is a dense storage with a slot for every
 * row and a field for every channel. What the numbers mean is in the file as well: the
 * tables rows, channels and labels. Defined in doc/format/timeline.md. */

#include "out.h"

#include "uscope/uscope.h"

/* Classes of rows in the file: those of the emulator, and the breakdowns. */
enum {
	USCP_BREAKDOWN = ROW_CLASSES,
	USCP_CLASSES,
	USCP_BOTH = USCP_CLASSES, /* in the table of labels only: threads and CPUs */
};

enum uscp_kind {
	USCP_NONE, /* the rows do not have the column */
	USCP_ENUM, /* values up to 253, with their labels in the schema */
	USCP_U32,
	USCP_I64,
	USCP_TEXT, /* index of a text, in place of its hash */
};

/* Error states in an enum, and as texts. */
enum {
	USCP_ENUM_MAX = 253,
	USCP_ENUM_BAD = 254,
	USCP_ENUM_TOO_MANY = 255,
	USCP_TEXT_EMPTY = 0,
	USCP_TEXT_BAD = 1,
	USCP_TEXT_TOO_MANY = 2,
};

struct uscp_col {
	uint16_t storage;
	uint16_t field;
	uint16_t channel; /* slot in the table of channels */
	uint8_t kind;     /* enum uscp_kind */
	uint64_t most;    /* larger values are converted */
};

struct uscp_class {
	const char *name;
	uint16_t scope;
	uint16_t rows;     /* table of rows */
	uint16_t punctual; /* event */
	uint32_t first_row;
	uint32_t nrows;        /* 0: not in the file */
	struct uscp_col *cols; /* by column; of the breakdowns, by number */
};

struct uscp_map {
	schema_t *schema;
	struct uscp_class classes[USCP_CLASSES];
	uint16_t channels; /* tables */
	uint16_t labels;
	uint16_t raw_event;
	uint32_t nchannels;
	uint32_t nlabels;    /* slots of the table */
	uint64_t state_size; /* bytes of a checkpoint, about */
};

/* Fields of the tables, in order. */
enum {
	ROWS_LABEL,
	ROWS_LOOM,
	ROWS_PROC, /* of a thread */
	ROWS_PID,
	ROWS_TID,
	ROWS_APP,
	ROWS_RANK,
	ROWS_PHYID = ROWS_PROC, /* of a CPU */
	ROWS_VIRTUAL,
};

enum {
	CHANNELS_TYPE,
	CHANNELS_STORAGE,
	CHANNELS_FIELD,
	CHANNELS_MODE,
	CHANNELS_NAME,
};

enum {
	LABELS_CLASS,
	LABELS_TYPE,
	LABELS_VALUE,
	LABELS_TEXT,
};

/* Builds the schema for what the emulator has enabled. `nlabels`: slots of the table of
 * labels. Memory comes from the arena; the schema is freed with uscope_schema_free(), in
 * both cases. Returns 0, or a status of µScope with the reason (not reported). */
int uscpmap_build(struct uscp_map *m, struct arena *a, const struct emu *emu, uint16_t nlabels, const char **reason);

#endif
