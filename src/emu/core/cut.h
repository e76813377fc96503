/* SPDX-License-Identifier: MIT */
#ifndef CUT_H
#define CUT_H

/* cut: the window of time that the outputs show.
 *
 * Events before it are emulated and their records dropped; at its begin every row gets a record of what it shows, and behind
 * its end nothing is read. Times that are printed count from its begin, unless the user wants those of the trace. */

#include <stdbool.h>
#include <stdint.h>

struct diag;
struct emu;
struct trace_options;

/* A time as users give it. */
enum cut_unit {
	CUT_OPEN,    /* not given: the window reaches as far as the trace */
	CUT_CLOCK,   /* a clock in ns */
	CUT_SINCE,   /* ns since the first event */
	CUT_PERCENT, /* of the time of the trace */
	CUT_END,     /* ns before the last event */
};

struct cut_time {
	enum cut_unit unit;
	int64_t ns;
	double percent;
};

/* Options of the user. */
struct cut_options {
	struct cut_time from;
	struct cut_time to;
	bool keep_time; /* print times since the first event, not since the begin of the window */
};

/* The window, in ns since the first event; both ends belong to it. */
struct cut_window {
	int64_t from;
	int64_t to;   /* INT64_MAX: the end of the trace */
	int64_t zero; /* time that is printed as 0 */
};

/* Parses "1.5s", "+20ms", a clock in ns, "25%", "end" or "end-1s". Returns true, or false and, in *why, a static text. */
bool cut_parse(const char *text, struct cut_time *t, const char **why);

/* Whether a time can only be told when the clock of the last event is known: all streams are read before, once. */
bool cut_needs_end(const struct cut_options *o);

/* Finds that clock; 0 if there is no event. Of a damaged trace it is that of the last event that can be read. Returns 0, or <0 (reported). */
int cut_find_end(struct diag *d, const char *dir, const struct trace_options *to, int64_t *end);

/* Finds the window of the plan, when the clock of the first event is known; `end` is that of the last one, if it was needed.
 * Returns 0, or <0 (reported). */
int cut_find_window(struct emu *emu, int64_t end);

/* Whether only a part of the time is shown. */
bool cut_is_asked(const struct emu *emu);

/* Before the first lines are printed, of which a window that begins later has none. */
void cut_connect(struct emu *emu);

/* Emulates the events up to the end of the window, as emu_run(); returns 1 when some are left behind it. */
int cut_run(struct emu *emu);

/* What cut_run() does, for who emulates many events at a time: parts (slices.c). */

/* The next event is of that time: begins the window if it is in it. Returns whether it is not behind its end. */
bool cut_enter(struct emu *emu, int64_t time);
/* The bound of events that come next, as far as all are before the window, or in it. */
int64_t cut_bound(const struct emu *emu, int64_t bound);
/* No event is left: the window begins now, if it has not. */
void cut_end(struct emu *emu);

/* The end of what is shown, as it is printed. */
int64_t cut_duration(const struct emu *emu);

#endif
