/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_PROBE_H
#define LAPLACE_PROBE_H

/* probe: finds the format of a file by its name or its first bytes. */

#include "laplace.h"

enum {
	LAPPROBE_HEAD = 2 * (LAP_LINE_MAX + 1), /* bytes that are enough */
};

/* By suffix: .lrb .lrt .lkt .lmt .lbm; LAP_AUTO: another one. */
enum lap_format lapprobe_name(const char *name);

/* By content: text if the first two lines (or all, if there are fewer) are records; else
 * binary if the size (0: not known) is a multiple of LAP_RECORD_SIZE and the first byte a
 * kind of reference. `head` has the first n bytes of the file, LAPPROBE_HEAD if it is that
 * long. Returns LAP_MIXED (all text is read so), LAP_BINARY, or LAP_AUTO: neither. */
enum lap_format lapprobe_bytes(const uint8_t *head, size_t n, uint64_t size, enum lap_dialect dialect);

#endif
