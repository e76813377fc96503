/* SPDX-License-Identifier: MIT */
#ifndef PARTS_H
#define PARTS_H

/* parts: a machine of several looms, emulated in parts, side by side.
 *
 * Nothing crosses looms while the run goes, and streams in the order of their ranks are those of one loom after the other. So a
 * part is some looms: a struct emu that shares the arrays of the machine, of which it touches only the rows of its looms, and
 * has a merge, a memory and counters of its own. Time goes in slices. All parts emulate the events of a slice, and keep their
 * records and what they have to say; merged by (time, part), these are in the order of (clock, rank) of the
 * whole machine, so that outputs and messages do not depend on the parts.
 *
 * When a slice is over, all parts are at the same time. In it some are ahead, and when one fails, the others may have changed
 * what the outputs show at their end. So after an error the run begins anew, as one part, which finds it again
 * (learned.whole). */

#include "diag.h"

struct emu;
struct emu_text;
struct part;
struct parts;

/* Whether a team can emulate it: several processes, with some of the looms each (team.h). */
bool parts_suit_team(const struct emu *emu);

/* Divides the machine, if that pays and can be done: then emu->parts is set. Due when the outputs have their first lines. Returns
 * 0, or <0 (reported). */
int parts_open(struct emu *emu);

/* Emulates all events, as emu_run(), of which it is a part. */
int parts_run(struct emu *emu);

/* Frees, when the outputs are complete. Accepts NULL. */
void parts_close(struct parts *m);

/* Pass on what a part has to say to all: a text of a value, 0 or <0 (reported); a warning that is one of the first few. */
int parts_hold_text(struct emu *emu, struct emu_text *text);
void parts_hold_few(struct emu *emu, unsigned most, const struct place *at, const char *text);

#endif
