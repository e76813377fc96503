/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_PROBE_H
#define LAPLACE_PROBE_H

/* probe: finds the format of a file by its name or its first bytes. */

#include "laplace.h"

enum {
	LAPPROBE_HEAD = 2 * (LAP_LINE_MAX + 1), /* bytes that are enough */
};

/* By suffix: .lrb .lrt .lkt .lmt .lbm; LAP_AUTO: none of them. */
enum lap_format lapprobe_name(const char *name);

/* By content: text if the first two lines are, or all when there are fewer; else binary if
 * the size (0: not known) is a multiple of 18 and the first byte a kind of reference.
 *   head, n   first bytes of the file, as many as LAPPROBE_HEAD if it has them
 * Returns LAP_MIXED (which all text is read as), LAP_BINARY, or LAP_AUTO: neither. */
enum lap_format lapprobe_bytes(const uint8_t *head, size_t n, uint64_t size, enum lap_dialect dialect);

#endif
