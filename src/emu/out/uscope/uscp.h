/* SPDX-License-Identifier: MIT */
#ifndef OUT_USCOPE_USCP_H
#define OUT_USCOPE_USCP_H

/* uscp: the parts of the sink of ovni.uscp: the opening of the file (open.c), records, event
 * by event (uscp.c) and as phrases (shown.c), and the texts and labels of values (text.c). */

#include "reduce.h"
#include "map.h"

enum {
	PS_PER_NS = 1000,
	USCP_LINES = 128, /* buffered: the writer takes many at once for less */
	NONE = -1,
};

/* Converts to ps, the unit of the file; saturates. */
static inline uint64_t
uscp_ps(int64_t ns)
{
	return (uint64_t)ns > UINT64_MAX / PS_PER_NS ? UINT64_MAX : (uint64_t)ns * PS_PER_NS;
}

/* The current run of a CPU's counter in the overview. */
struct span {
	int counter; /* <0: none */
	int64_t since;
};

/* A record as it is written, kept to write equal ones again. */
struct uscp_shown {
	uint64_t place; /* see place_of() */
	int64_t value;
	uscope_phrase_t phrase; /* tag: the last lines that it was in, see uscp.mark */
};

struct uscp {
	const struct emu *emu;
	struct arena arena;
	struct uscp_map map;
	uscope_writer_t *w;
	const char *path;

	/* Texts: hash -> index, by what the models have told so far. */
	struct idmap texts;
	struct idmap by_index; /* and back */
	int64_t last_of;       /* last value looked up; 0: none */
	const struct emu_text *last_text;
	uint32_t last_index;
	/* The table of labels. */
	uint32_t nlabels;
	struct idmap labelled; /* pairs of value and model in the table */
	uint64_t nlabels_lost;
	const struct late_label **told; /* by column: last label in the table */

	uint32_t nknown[ROW_CLASSES]; /* rows whose names are in the file */
	struct reduction *reductions;
	size_t nreductions;
	struct span *busy; /* by CPU */
	struct span *over;
	int64_t time;                    /* of the current cycle or the last one, ns */
	int64_t flushed;                 /* time at the last flush, ns; -1: none */
	struct uscp_shown *shown;        /* hash table by channel and value */
	size_t shown_mask;               /* bits of a channel that select its entries */
	size_t shown_stride;             /* entries between those of two channels */
	uscope_line_t lines[USCP_LINES]; /* SETs of the cycle */
	size_t nlines;
	bool begun;   /* uscope_begin_cycle() was called for the cycle */
	uint8_t mark; /* phrase.tag of records in unwritten lines */
	bool failed;  /* and reported */
};

/* Reports once that the file stays as it is; the other outputs go on. */
void uscp_give_up(struct uscp *u, const char *what, int status);

/* Gives up when the writer has failed. */
void uscp_check_writer(struct uscp *u);

/* open() of the sink; uscp_finish() frees. */
int uscp_open(void *self, const struct emu *emu, const char *dir);
void uscp_finish(struct uscp *u);

/* Begins the cycle at u->time if it is not begun, and writes the buffered SETs: due before
 * anything else is written in the cycle. */
void uscp_begin_cycle(struct uscp *u);
/* Writes the rest of the cycle, or all of it, and ends it. */
void uscp_end_cycle(struct uscp *u);

/* ---- shown.c ---- */

/* false: out of memory. */
bool uscp_open_shown(struct uscp *u);

/* Adds a record to the cycle. Its row must be in the file. */
void uscp_show(struct uscp *u, const struct record *r);
/* Adds a value of a breakdown row to the cycle. */
void uscp_show_own(struct uscp *u, const struct uscp_col *k, uint32_t row, int64_t value);
/* Fast path: writes whole cycles from r on, up to the first that needs more than SETs of
 * rows in the file. Returns the first record of that cycle. u->time becomes the time of the
 * last one written. */
const struct record *uscp_show_cycles(struct uscp *u, const struct record *r, const struct record *end);

/* Count the time that a CPU is busy or oversubscribed, for the overview. */
void uscp_count_running(struct uscp *u, const struct record *r);
void uscp_count_busy(struct uscp *u, struct span *s, bool now, int64_t time);

/* Writes the names of rows up to `end`. Begins the cycle. */
void uscp_put_rows(struct uscp *u, enum row_class rows, uint32_t end);

/* Returns the index of a text, adding it if it is new; on failure (reported) that of the
 * empty text. */
uint32_t uscp_put_text(struct uscp *u, const char *text);

/* Adds a row to the table of labels. Begins the cycle. */
void uscp_put_label(struct uscp *u, unsigned class, int prv_type, int64_t value, uint32_t text);

/* Adds the texts that the models have told since the last call. */
void uscp_learn_texts(struct uscp *u);

/* At the end: write the labels that models learnt during the run; tell whether there are
 * any. */
void uscp_put_late(struct uscp *u);
bool uscp_has_late(const struct uscp *u);

/* Returns the index of the text of a value; UINT32_MAX: no model has told it. */
uint32_t uscp_text_of(struct uscp *u, int64_t value);
/* Whether the file has the text of the value. */
bool uscp_knows_text(const struct uscp *u, int64_t value);

#endif
