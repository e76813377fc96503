/* SPDX-License-Identifier: MIT */
#ifndef EXPORTER_H
#define EXPORTER_H

/* exporter: a file in the form of another program. */

#include "show.h"

struct exporter {
	const char *name;
	/* NULL: reported, and the status of the tool is the exit status. labels: instead of numbers. */
	void *(*open)(struct tool *t, struct source *s, bool labels);
	/* The state that all begins with; again where segments are missing. Borrowed. */
	void (*state)(void *self, const uscope_state_t *state, uint64_t time_ps);
	/* Operations and events that are chosen, times do not go back. `state` is that after
	 * the operation, `before` whether its slot was valid and what the field held. */
	void (*op)(void *self, const uscope_state_t *state, const uscope_item_t *item, bool was_valid, uint64_t before);
	void (*event)(void *self, const uscope_item_t *item);
	void (*end)(void *self, uint64_t time_ps); /* may be NULL */
	void (*close)(void *self);                 /* likewise */
};

extern const struct exporter csv_exporter;
extern const struct exporter vcd_exporter;
extern const struct exporter timeline_vcd_exporter;

#endif
