/* SPDX-License-Identifier: MIT */
#ifndef UTF8TEXT_H
#define UTF8TEXT_H

/* utf8text: texts of a trace, which may hold any bytes, as UTF-8. */

#include "arena.h"

/* The text itself, or a copy in the arena with \xNN for each byte that is no UTF-8. NULL
 * when memory is exhausted. */
const char *utf8text_make(struct arena *a, const char *text);

#endif
