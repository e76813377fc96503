/* SPDX-License-Identifier: MIT */
#ifndef TOOL_LOOK_FILTER_H
#define TOOL_LOOK_FILTER_H

/* filter: which events of a trace are wanted, by the options that several tools share.
 *
 * An option may be given several times, and with several values split by commas: one of
 * them has to suit. Of the options, all have to. */

#include "kit/cli.h"
#include "kit/plugin.h"
#include "trace.h"
#include "when.h"

enum {
	FILTER_FROM = 400,
	FILTER_TO,
};

/* Rows of the table of options. */
#define FILTER_OPTIONS                                                                          \
	{ FILTER_FROM, "from", "TIME", "events from this time on: 1.5s, 200ms, or a clock" },   \
		{ FILTER_TO, "to", "TIME", "events up to this time" },                          \
		{ 's', "stream", "GLOB", "of these streams, as loom.*/proc.1/*" },              \
		{ 't', "thread", "TID", "of these threads" },                                   \
		{ 'p', "process", "PID", "of these processes" },                                \
		{ 'l', "loom", "GLOB", "of these looms, as node1.*" },                          \
		{ 'm', "model", "NAME", "of these models, by name or letter; FILE: load one" }, \
	{                                                                                       \
		'e', "event", "MCV", "events such as VSh, V?[ or VT; ? is any character"        \
	}

/* Explains their arguments below the options in --help. */
#define FILTER_FOOTER                                                                 \
	"A time with a unit (ns us ms s min h) or a + counts from the first event.\n" \
	"Lists are split by commas. Status: 0 good, 1 damage or failure, 2 wrong usage.\n"

/* A value of an option that may be given many times; only the members of its type are used. */
struct filter_value {
	struct filter_value *next;
	const char *glob;
	int64_t number;
	uint8_t mcv[3];
	bool any[3];
};

struct filter {
	struct plugins *plugins; /* all models; takes those of files */
	struct arena arena;
	struct when from;
	struct when to;
	bool has_from;
	bool has_to;
	int64_t first; /* the clocks of the range, both included, by filter_range() */
	int64_t last;
	bool models[256]; /* by letter */
	bool has_models;
	struct filter_value *values[128]; /* by the letter of the option */
};

/* Takes an option of FILTER_OPTIONS. Returns 0; CLI_USAGE or CLI_FAILED (reported). */
int filter_option(struct filter *f, const struct cli *cli, int id, const char *arg);

/* Loads the models, when all options are known and `opt`, which the last of them returned, is CLI_END; finds
 * those of the names. Returns opt, CLI_USAGE or CLI_FAILED (reported). */
int filter_models(struct filter *f, const struct cli *cli, int opt, struct diag *d);

/* Sets the range, once the clock of the first event is known. `shown_relative`: plain numbers
 * are counted from it too, as that is what is printed. */
void filter_range(struct filter *f, int64_t origin, bool shown_relative);

/* Whether any event of the stream may be wanted. */
bool filter_takes_stream(const struct filter *f, const struct stream *s);

bool filter_takes_name(const struct filter *f, const uint8_t mcv[3]);

/* Whether the event, of a stream that is wanted, is. */
static inline bool
filter_takes(const struct filter *f, const struct event *ev)
{
	if (ev->clock < f->first || ev->clock > f->last)
		return false;
	return (!f->has_models && !f->values['e']) || filter_takes_name(f, ev->mcv);
}

/* Whether every event of a stream that is wanted is. */
static inline bool
filter_takes_all(const struct filter *f)
{
	return f->first == INT64_MIN && f->last == INT64_MAX && !f->has_models && !f->values['e'];
}

/* Says that a filter took nothing, if there is one. n: the events that were taken. */
void filter_report(const struct filter *f, struct diag *d, uint64_t n);

/* Frees. */
void filter_finish(struct filter *f);

#endif
