/* SPDX-License-Identifier: MIT */
#ifndef RANGE_H
#define RANGE_H

/* range: which bytes of a file an HTTP request wants (RFC 9110, section 14). */

#include <stdint.h>

enum range_kind {
	RANGE_ALL,  /* none was asked for, or in a form that a server may pass over: several, another unit, no range */
	RANGE_PART, /* first and n are set */
	RANGE_NONE, /* the file has no such bytes */
};

/* text: the header "Range", NULL if there is none; size: bytes that the file has now. */
enum range_kind range_parse(const char *text, uint64_t size, uint64_t *first, uint64_t *n);

#endif
