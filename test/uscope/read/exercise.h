/* SPDX-License-Identifier: MIT */
#ifndef EXERCISE_H
#define EXERCISE_H

/* exercise: everything that can be asked of a file, in each mode, with checks of what must
 * hold for any bytes. For the tests of damage and the fuzz target. */

#include "uscope.h"

/* Ends the process when something does not hold. scratch: where recovery may write. */
void exercise_file(const char *path, const char *scratch);

/* One open of it. */
void exercise_mode(const char *path, enum uscope_mode mode);

#endif
