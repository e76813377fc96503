/* SPDX-License-Identifier: MIT */
#ifndef TEXTSET_H
#define TEXTSET_H

/* textset: distinct texts in the order they were added, each followed by its NUL, as the
 * string pool of a schema and the string table have them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct textset {
	char *data;
	size_t size; /* of data, bytes */
	size_t data_cap;
	struct textset_entry {
		uint32_t offset; /* in data */
		uint32_t length; /* without the NUL */
	} * entries;
	uint32_t n;
	size_t entries_cap;
	struct textset_slot {
		uint32_t hash;
		uint32_t index; /* plus 1; 0: free */
	} * slots;
	uint32_t nslots; /* a power of two, or 0 */
};

/* Index of the text, added if it is new; E_LIMIT when the data would pass max_size bytes,
 * E_NOMEM: nothing is changed then. */
int64_t textset_add(struct textset *t, const char *text, size_t max_size);

/* Accepts a zeroed object. */
void textset_finish(struct textset *t);

#endif
