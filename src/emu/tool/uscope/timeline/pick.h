/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_TIMELINE_PICK_H
#define TOOL_USCOPE_TIMELINE_PICK_H

/* pick: the rows and channels that --row and --channel choose. Patterns may have * ? [ ].
 *
 * A row is named by its label, its number (from 1) or both behind its class: "TH 1.*",
 * "3", "cpu/3", "cpu/vCPU*". A channel is named by its name ("subsystem",
 * "nosv.subsystem"), its label in the PCF, its PRV type ("13"), or one of these behind the
 * class ("cpu/state"). */

#include "file.h"

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

#endif
