/* SPDX-License-Identifier: MIT */
#ifndef TOOL_MODEL_NAME_H
#define TOOL_MODEL_NAME_H

/* name: identifiers of C for what a model declares. */

#include "look/catalog.h"

enum {
	NAME_MAX_BYTES = 128,
};

/* Letters, digits and underscores only; what is none becomes an underscore. */
void name_plain(char *to, size_t size, const char *text);

/* A word as it is, unless C or C++ has a meaning for it. */
void name_arg(char *to, size_t size, const char *text);

/* Of an event, by its words: "sets the recursion level to %{level}" is set_recursion_level. */
void name_event(char *to, size_t size, const struct catalog_item *item);

/* Of its letters: "Ss", and "S_2a" for what is no letter nor digit. */
void name_letters(char *to, size_t size, const char *mcv);

#endif
