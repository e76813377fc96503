/* SPDX-License-Identifier: MIT */
#ifndef PARCEL_H
#define PARCEL_H

/* parcel: bytes for another process of the same program, which takes out what was put in, in the same order. */

#include "arena.h"

#include <string.h>

struct parcel {
	uint8_t *data;
	size_t used, size;
	bool failed; /* no memory; it is empty then */
};

/* Room for n bytes; NULL without memory. */
static inline void *
parcel_room(struct parcel *p, size_t n)
{
	if (p->used + n > p->size) {
		size_t size = (p->used + n) * 2;
		uint8_t *data = p->failed ? NULL : block_resize(p->data, size);
		if (!data) {
			p->failed = true;
			p->used = 0;
			return NULL;
		}
		p->data = data;
		p->size = size;
	}
	p->used += n;
	return p->data + p->used - n;
}

static inline void
parcel_put(struct parcel *p, const void *bytes, size_t n)
{
	void *to = n ? parcel_room(p, n) : NULL;
	if (to)
		memcpy(to, bytes, n);
}

static inline void
parcel_put_number(struct parcel *p, uint64_t n)
{
	parcel_put(p, &n, sizeof(n));
}

/* A text, or NULL. */
static inline void
parcel_put_text(struct parcel *p, const char *text)
{
	size_t n = text ? strlen(text) + 1 : 0;
	parcel_put_number(p, n);
	parcel_put(p, text, n);
}

/* Takes n bytes out; what is not there is zero. */
static inline void
parcel_get(struct parcel *p, void *to, size_t n)
{
	bool there = p->size - p->used >= n;
	if (there)
		memcpy(to, p->data + p->used, n);
	else
		memset(to, 0, n);
	p->used += there ? n : p->size - p->used;
}

static inline uint64_t
parcel_get_number(struct parcel *p)
{
	uint64_t n;
	parcel_get(p, &n, sizeof(n));
	return n;
}

/* Borrowed from the parcel. */
static inline const char *
parcel_get_text(struct parcel *p)
{
	size_t n = (size_t)parcel_get_number(p);
	if (n == 0 || p->size - p->used < n)
		return NULL;
	p->used += n;
	return (const char *)p->data + p->used - n;
}

#endif
