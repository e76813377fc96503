/* SPDX-License-Identifier: MIT */
#ifndef OUT_USCOPE_USCP_H
#define OUT_USCOPE_USCP_H

/* uscp: the parts of the sink of ovni.uscp: how it is opened (uscpopen.c), how records are
 * written, event by event (uscp.c) and as phrases (uscpshown.c), and the texts and labels of
 * values (uscptext.c). */

#include "reduce.h"
#include "map.h"

enum {
	PS_PER_NS = 1000,
	USCP_LINES = 128, /* kept, so that the writer gets many at once */
	NONE = -1,
};

/* A time of the file. One that is too late for it stays so. */
static inline uint64_t
uscp_ps(int64_t ns)
{
	return (uint64_t)ns > UINT64_MAX / PS_PER_NS ? UINT64_MAX : (uint64_t)ns * PS_PER_NS;
}

/* What a CPU has been doing since a time. */
struct span {
	int counter; /* <0: none */
	int64_t since;
};

/* A record as it is written: what was shown will be shown again. */
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
	int64_t last_of;       /* the last one asked for, and its index; 0: none */
	const struct emu_text *last_text;
	uint32_t last_index;
	/* The table of labels. */
	uint32_t nlabels;
	struct idmap labelled; /* value and model that are in it */
	uint64_t nlabels_lost;
	const struct late_label **told; /* by column: the last one that is in it */

	uint32_t nknown[ROW_CLASSES]; /* rows whose names are in the file */
	struct reduction *reductions;
	size_t nreductions;
	struct span *busy; /* by CPU */
	struct span *over;
	int64_t time;                    /* of the cycle or the last one, ns */
	struct uscp_shown *shown;        /* by channel and value */
	size_t shown_mask;               /* of a channel: what is looked at */
	size_t shown_stride;             /* between channels */
	uscope_line_t lines[USCP_LINES]; /* of the cycle */
	size_t nlines;
	bool begun;   /* the cycle, in the file */
	uint8_t mark; /* of the records in lines that are not written yet */
	bool failed;  /* and reported */
};

/* Reports once that the file stays as it is; the other outputs go on. */
void uscp_give_up(struct uscp *u, const char *what, int status);

/* The same when the writer has failed. */
void uscp_check_writer(struct uscp *u);

/* The sink's open. */
int uscp_open(void *self, const struct emu *emu, const char *dir);
void uscp_finish(struct uscp *u);

/* The cycle at u->time, for what is no SET of a row: what the row has before is written.
 * May be called again. */
void uscp_begin_cycle(struct uscp *u);
/* Writes the cycle, also one that was not begun. */
void uscp_end_cycle(struct uscp *u);

/* ---- uscpshown.c ---- */

/* false: out of memory. */
bool uscp_open_shown(struct uscp *u);

/* A record of a row that is known, in the cycle. */
void uscp_show(struct uscp *u, const struct record *r);
/* A value of a breakdown, in the cycle. */
void uscp_show_own(struct uscp *u, const struct uscp_col *k, uint32_t row, int64_t value);
/* The cycles from r on, where one begins, up to the first with something else than states
 * of rows that are known: returns its first record. u->time is that of the last one. */
const struct record *uscp_show_cycles(struct uscp *u, const struct record *r, const struct record *end);

/* How many threads run in a CPU, for the overview. */
void uscp_count_running(struct uscp *u, const struct record *r);
void uscp_count_busy(struct uscp *u, struct span *s, bool now, int64_t time);

/* The names of rows up to `end`. Begins the cycle. */
void uscp_put_rows(struct uscp *u, enum row_class rows, uint32_t end);

/* The index of a text; that of the empty one when it cannot be had (reported). */
uint32_t uscp_put_text(struct uscp *u, const char *text);

/* A row of the table of labels. Begins the cycle. */
void uscp_put_label(struct uscp *u, unsigned class, int prv_type, int64_t value, uint32_t text);

/* Labels what the models have told since. */
void uscp_learn_texts(struct uscp *u);

/* In the end: labels of numbers that models have learnt; whether there are any. */
void uscp_put_late(struct uscp *u);
bool uscp_has_late(const struct uscp *u);

/* The index of the text that a value stands for; UINT32_MAX: nobody has told it. */
uint32_t uscp_text_of(struct uscp *u, int64_t value);
/* Whether that is in the file. */
bool uscp_knows_text(const struct uscp *u, int64_t value);

#endif
