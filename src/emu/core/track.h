/* SPDX-License-Identifier: MIT */
#ifndef TRACK_H
#define TRACK_H

/* track: what the rows show of the channels, and when they print it.
 *
 * A thread row shows a channel while the thread is in the state that the channel tracks.
 * A CPU row shows that of the one thread that is running (or active) in it. What it
 * shows otherwise is the difference between the two views, and is all in show_cpu():
 *
 *                     default view              --compat
 *   no thread         .idle, or nothing         .idle, or nothing
 *   one thread        what its row shows, or    its channel, whatever its row shows
 *                     666 if that is hidden
 *   several           777                       .idle, or nothing
 *
 * Rules in doc/rules.md, "Channels". */

#include "sink.h"

#include <stddef.h>
#include <stdint.h>

struct emu;

/* A punctual value, waiting for the emit phase. */
struct punctual {
	uint32_t row; /* a thread, or a CPU with a value of its own */
	uint32_t col;
	int64_t value;
};

/* Whether rows of that class have the column. */
bool track_has(const struct emu *emu, enum row_class rows, uint32_t col);

/* The emit phase: prints what the event changed, in the order documented in
 * doc/rules.md, and forgets it. */
void track_emit(struct emu *emu);

/* The same, for callers beside the main loop, so that the one above has one caller and becomes a part of it. */
void track_emit_rarely(struct emu *emu) __attribute__((noinline, cold));

/* Emit phase of an event that changed one channel (record_what()) of its thread by chan_*_alone(): nothing
 * is dirty. */
void track_emit_alone(struct emu *emu, uint32_t what);

/* Default view: every row begins with one value of each column at time 0; --compat: only those of rows.h. */
void track_first_lines(struct emu *emu);

/* Prints what all rows show now, at the current time, as first lines of what follows. In --compat, which has none, only what is not
 * nothing. */
void track_present_lines(struct emu *emu);

/* The row of a thread that came while the trace runs begins with one value of each column. */
void track_late_row(struct emu *emu, uint32_t row);

/* Whether any row of that class has printed the column. */
bool track_printed(const struct emu *emu, enum row_class rows, uint32_t col);

#endif
