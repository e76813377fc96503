/* SPDX-License-Identifier: MIT */
#ifndef STATUS_H
#define STATUS_H

/* status: errors with their place. */

#include "uscope.h"

/* Fills *error and returns status. segment: -1 outside of segments. */
int status_set(uscope_error_t *error, int status, int64_t segment, uint64_t offset,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
