/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_H
#define PIPELINE_H

/* pipeline: instructions on their way through a processor, as a Kanata log. Fed with the
 * frames of one scope in the order of the file; the rules are in doc/format/uscope.md,
 * "Konata". */

#include "show.h"

struct pipeline;

/* NULL: out of memory, or the file has no such scope (reported); *status is the exit
 * status then. path: of the scope wanted, NULL: the first that fits. */
struct pipeline *pipeline_new(struct tool *t, struct source *s, const char *path, int *status);
void pipeline_free(struct pipeline *p);

/* The entities of the first checkpoint. */
void pipeline_begin(struct pipeline *p, const uscope_state_t *state);
/* An item of the present frame, or the begin of the next. */
void pipeline_item(struct pipeline *p, const uscope_item_t *item);
/* The end of the last frame. */
void pipeline_end(struct pipeline *p);

#endif
