/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_SURVEY_H
#define TOOL_USCOPE_SURVEY_H

/* survey: the overview of a file for its page, out of all that happens in it. */

#include "overview.h"
#include "tool.h"

/* Reads the file and makes the bytes of its pyramid, at most so many; NULL: there is none, as the file has nothing to show in it, has
 * too many slots or is damaged. They are in o, which is due to be freed. Returns STATUS_GOOD, or STATUS_BAD: damage (reported). */
int survey_file(struct overview *o, struct tool *t, struct source *src, size_t most, const uint8_t **bytes, size_t *n);

#endif
