/* SPDX-License-Identifier: MIT */
#ifndef PHRASEKIT_H
#define PHRASEKIT_H

/* phrasekit: a schema for phrases, and whether files that were written in different ways
 * say the same. */

#include "kit.h"
#include "writer.h"

enum {
	MANY = 300, /* storages: more than compact operations have */
	DENSE = 0,  /* storages */
	SPARSE = 1,
	COUNTER = 2,
	NO_SLOTS = 3,
	NO_FIELDS = 4,
	FIRST_OF_MANY = 5,
	DENSE_SLOTS = 5,
	DENSE_FIELDS = 11, /* one of each type */
	DENSE_SIZE = 36,   /* bytes of a slot */
	SPARSE_SLOTS = 11,
};

uscope_schema_t *phrasekit_schema(bool many);

/* A file, and what its writer said at the end. */
struct phrasekit_file {
	char path[300];
	enum uscope_compression compression;
	bool prefix;
	bool exact;    /* no operation is wide because of another */
	bool verifies; /* nobody changed the state between segments */
	bool packed;   /* as it was written, if at all */
	bool fatal;
	int status;
	uscope_error_t error;
	uscope_writer_stats_t stats;
};

/* Finishes it, but does not close it. */
struct phrasekit_file phrasekit_finish(uscope_writer_t *w, const char *path);

/* Ends the test if they differ, or if something is wrong with one. */
void phrasekit_compare(const struct phrasekit_file *a, const struct phrasekit_file *b);
/* All LZ4 blocks of it, with liblz4. */
void phrasekit_blocks(const struct phrasekit_file *f);

extern uint64_t phrasekit_seed; /* is printed */
/* What of all files was packed as it was written. */
extern struct phrasekit_packed {
	unsigned blocks;
	uint64_t raw;
	uint64_t size;
} phrasekit_packed;

#endif
