/* SPDX-License-Identifier: MIT */
#ifndef NUMBER_H
#define NUMBER_H

/* number: numbers as people write them. */

#include <stdbool.h>
#include <stdint.h>

/* Reads a number, or one of bytes: 4096, 64K, 64M or 64MiB, 1G, 2T. Returns whether it is one that fits. */
bool number_parse(const char *text, uint64_t *to);

#endif
