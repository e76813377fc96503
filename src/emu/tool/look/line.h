/* SPDX-License-Identifier: MIT */
#ifndef TOOL_LOOK_LINE_H
#define TOOL_LOOK_LINE_H

/* line: an event as one line of text, CSV or JSON.
 *
 * Texts that are the same on many lines are made once: those of a stream, and those of an event
 * without arguments. */

#include "catalog.h"
#include "trace.h"
#include "wbuf.h"

enum dump_format {
	DUMP_TEXT, /* clock  MCV  stream  text */
	DUMP_CSV,  /* RFC 4180 with a header */
	DUMP_JSON, /* an object a line */
};

struct dump_options {
	enum dump_format format;
	const struct model_set *models;
	bool text;  /* what the event means */
	bool hex;   /* its payload, ":00:ff" */
	bool delta; /* the time since the line before */
};

struct dump_words {
	const char *p;
	size_t n;
};

/* The text of an event without its clock and stream; p is NULL when it depends on the event. */
struct dump_kind {
	struct dump_words head; /* its name */
	struct dump_words tail; /* its meaning, and the end of the line */
};

struct dump {
	struct wbuf out;
	struct dump_options options;
	enum text_form form;
	struct diag *diag;
	struct catalog catalog;
	struct dump_kind *kinds;    /* as those of the catalog */
	struct dump_words *streams; /* by rank */
	int64_t last;               /* what was printed in the line before */
	uint64_t nlines;

	/* Events that no model declares, and damaged payloads: reported at the end. */
	uint64_t nunknown;
	struct place unknown; /* the first */
	uint8_t unknown_mcv[3];
	uint64_t nbad; /* payloads that are not as declared */
};

/* Prepares to write to fd, which is closed by dump_finish(). Memory comes from the arena of
 * the trace. Returns 0, or <0 (reported); dump_finish() is due in both cases. */
int dump_init(struct dump *d, struct trace *t, const struct dump_options *o, int fd);

/* Prints a line. `clock` is what it shows; the event has its own for messages. A payload that
 * is not as declared is reported, the first few times. */
void dump_event(struct dump *d, const struct stream *s, const struct event *ev, int64_t clock);

/* Writes what is left and says what was noticed. Returns 0, or <0 (reported) if not all
 * could be written. Accepts a zeroed struct. */
int dump_finish(struct dump *d);

#endif
