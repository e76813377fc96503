/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_BATCH_H
#define LAPLACE_BATCH_H

/* batch: a record, and the references behind it that only count, emulated together: first
 * references of the same CPU and file, each LAP_RECORD_SIZE bytes behind the one before,
 * then references of any CPU. Each has the space and the mode of the reference before it on
 * its CPU. */

#include "laplace.h"

struct lap_more {
	uint32_t addr;
	uint8_t kind; /* of lap_kinds[] */
	uint8_t length;
	uint16_t cpu; /* set behind the first `nsame` */
};

/* The last reference of a CPU. */
struct lap_last {
	const char *file;
	uint32_t space;
	bool kernel;
};

struct lap_batch {
	struct lap_record rec;
	struct lap_place at;
	int code; /* issue in front of the record (lenient), 0: none */
	struct lap_more *more;
	size_t nmore;
	size_t nsame;
	uint64_t *places;      /* file offsets of the references behind the first `nsame` */
	struct lap_last *last; /* by CPU; NULL: there is one CPU */
};

#endif
