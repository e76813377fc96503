/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_TIMELINE_TIMELINE_H
#define TOOL_USCOPE_TIMELINE_TIMELINE_H

/* timeline: the parts of `uscope timeline`, and what they share: the choice of rows and channels, the
 * states one by one, and how they are printed. */

#include "file.h"
#include "uscope/walk.h"

/* ---- The choice (pick.c). ---- */

/* The rows and channels that --row and --channel choose. Patterns may have * ? [ ].
 * A row is named by its label, its number (from 1) or both behind its class: "TH 1.*",
 * "3", "cpu/3", "cpu/vCPU*". A channel is named by its name ("subsystem",
 * "nosv.subsystem"), its label in the PCF, its PRV type ("13"), or one of these behind the
 * class ("cpu/state"). */

enum {
	TLPICK_MAX = 256, /* patterns of a kind */
};

struct tlpatterns {
	const char *rows[TLPICK_MAX]; /* borrowed */
	const char *channels[TLPICK_MAX];
	size_t nrows;
	size_t nchannels;
};

struct tlpick {
	bool *rows[TL_CLASSES];
	bool *channels;  /* by number in the file */
	bool by_channel; /* the user has chosen them */
	const struct tlpatterns *patterns;
	uint32_t nrows[TL_CLASSES]; /* that were looked at */
};

/* false: one of the patterns fits nothing, or no memory (reported; the status is in the
 * tool). In the arena of the file; the patterns are borrowed. */
bool tlpick_make(struct tlpick *p, struct tlfile *f, const struct tlpatterns *patterns);

/* Chooses among rows that were added to the file since. */
void tlpick_more(struct tlpick *p, const struct tlfile *f);

static inline bool
tlpick_has(const struct tlpick *p, const struct tlfile *f, const struct tlchannel *ch, uint32_t row)
{
	return p->channels[ch - f->channels] && p->rows[ch->class][row];
}

/* The opened file and the choice of the user, for all parts. */
struct timeline {
	struct tool *tool;
	struct tlfile file;
	struct tlpick pick;
	bool all;
	bool keep_time; /* --prv: times of a window are those of the whole */
	bool gzip;      /* and the timelines are compressed */
};

/* ---- The states of rows, each with begin and end (scan.c). ---- */

struct tlspan {
	const struct tlchannel *channel;
	uint32_t row; /* from 0 */
	uint64_t begin_ps;
	uint64_t end_ps;
	struct tlstate state; /* a punctual one shows for an instant */
	bool cut_begin;       /* it may have begun before the range */
	bool cut_end;         /* it goes on behind the range, or behind what is there */
};

struct tlcell {
	uint64_t raw;
	uint64_t since;
	bool cut;
};

struct tlscan {
	struct tlfile *file;
	const struct tlpick *pick;
	struct walk walk;
	bool all; /* values of 0, and what shows for no time, too */
	struct tlcell *cells;
	void (*span)(void *user, const struct tlspan *s); /* in the order of their ends */
	void *user;
	bool begun;
};

/* In the range of the tool. Fill span and user behind it. false: reported. tlscan_finish() is
 * due in both cases. */
bool tlscan_begin(struct tlscan *s, struct timeline *t);
/* Reads the segments that are there and were not read before. */
void tlscan_run(struct tlscan *s);
/* Ends the states that last to the end. */
void tlscan_close(struct tlscan *s);
/* The exit status. */
int tlscan_finish(struct tlscan *s);

/* ---- The times that the file has counted (times.c). ---- */

/* A state of a chosen row and channel, and its time in the whole trace. Time 0: the channel has more states than
 * the file tells; of such a one nothing else comes. */
typedef void (*tltimes_fn)(void *user, const struct tlchannel *ch, uint32_t row, uint64_t raw, uint64_t time_ps);
/* false: the file does not tell, or not of all that is chosen, and the states are to be added up. Nothing was
 * given then. */
bool tltimes_read(struct timeline *t, tltimes_fn fn, void *user);

/* ---- Rows, channels and states as text and as JSON (text.c). ---- */

/* Columns that a text takes on a terminal, about. */
size_t tltext_width(const char *text);
/* Widens a column so that the text fits. */
void tltext_widen(size_t *width, const char *text);
/* The text and blanks up to a width, but none behind the last column: `last`. */
void tltext_pad(struct wbuf *w, const char *text, size_t width, bool last);
/* A time, with the blanks before it. */
void tltext_time(struct wbuf *w, uint64_t ps, size_t width, char mark);

/* "class":"cpu","row":1,"name":"CPU 0.0" */
void tltext_json_row(struct wbuf *w, const struct tlfile *f, enum tl_class class, uint32_t row);
/* "channel":"state","type":4 */
void tltext_json_channel(struct wbuf *w, const struct tlchannel *ch);
/* "value":1,"label":"Running"; both may be null. */
void tltext_json_state(struct wbuf *w, const struct tlfile *f, const struct tlchannel *ch, const struct tlstate *state);

/* A span as a line, in one form or the other, as --json says. The widths are those of the
 * names of rows and channels. */
void tltext_span(const struct tlfile *f, const struct tlspan *s, size_t row_width, size_t channel_width);

/* ---- The parts, one for each option. They return the exit status. ---- */

/* The state of all rows at a time (at.c). */
int timeline_at(struct timeline *t, uint64_t time_ps);
/* Time in each state (profile.c). */
int timeline_profile(struct timeline *t);
/* The Paraver files of the range, in a directory (prv.c). */
int timeline_prv(struct timeline *t, const char *dir);
/* Trace, rows and channels of the file (info.c). */
int timeline_info(struct timeline *t);

#endif
