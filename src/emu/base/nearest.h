/* SPDX-License-Identifier: MIT */
#ifndef NEAREST_H
#define NEAREST_H

/* nearest: of the words that are known, the one that was probably meant. */

#include <stddef.h>

/* A zeroed one has seen no word. */
struct nearest {
	const char *word; /* NULL: none is near */
	unsigned distance;
};

/* Compares what was typed, n bytes, with a known word, which must live as long. */
void nearest_try(struct nearest *best, const char *typed, size_t n, const char *word);

#endif
