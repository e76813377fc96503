/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_OUTDIR_H
#define TOOL_KIT_OUTDIR_H

/* outdir: the directory of -o. */

#include "diag.h"

/* Makes it, with the directories that it is in, unless it is there. NULL: nothing to do. Returns 0, or <0 (reported). */
int outdir_make(struct diag *d, const char *dir);

/* Whether it has no entries; <0 (reported): it cannot be read. */
int outdir_is_empty(struct diag *d, const char *dir);

#endif
