/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHUNK = 64 * 1024, /* a page-friendly size that few traces fill twice */
};

struct arena_chunk {
	struct arena_chunk *older;
	alignas(max_align_t) char data[];
};

void
arena_finish(struct arena *a)
{
	struct arena_chunk *c = a->chunks;
	while (c) {
		struct arena_chunk *older = c->older;
		free(c);
		c = older;
	}
	*a = (struct arena){ 0 };
}

/* A chunk of its own for what would waste most of a shared one. */
static void *
alloc_large(struct arena *a, size_t bytes)
{
	struct arena_chunk *c = calloc(1, sizeof(*c) + bytes);
	if (!c)
		return NULL;
	a->total += sizeof(*c) + bytes;
	if (a->chunks) { /* keep bumping in the current one */
		c->older = a->chunks->older;
		a->chunks->older = c;
	} else {
		a->chunks = c;
	}
	return c->data;
}

void *
arena_alloc(struct arena *a, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		return NULL;
	const size_t align = alignof(max_align_t);
	bytes = (bytes + align - 1) & ~(align - 1);
	if (bytes > a->left || !a->next) {
		if (bytes > CHUNK / 4)
			return alloc_large(a, bytes);
		struct arena_chunk *c = calloc(1, sizeof(*c) + CHUNK);
		if (!c)
			return NULL;
		a->total += sizeof(*c) + CHUNK;
		c->older = a->chunks;
		a->chunks = c;
		a->next = c->data;
		a->left = CHUNK;
	}
	void *p = a->next;
	a->next += bytes;
	a->left -= bytes;
	return p;
}

char *
arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_new(a, char, n + 1);
	if (p && n)
		memcpy(p, s, n);
	return p;
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *p = n < 0 ? NULL : arena_new(a, char, (size_t)n + 1);
	if (p)
		(void)vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

void *
arena_grow(struct arena *a, void *items, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return items;
	size_t more = *cap ? *cap * 2 : 8;
	void *p = arena_alloc(a, more, size);
	if (!p)
		return NULL;
	if (n)
		memcpy(p, items, n * size);
	*cap = more;
	return p;
}

void *
block_alloc(size_t size)
{
	return calloc(1, size);
}

void *
block_resize(void *p, size_t size)
{
	return realloc(p, size);
}

void
block_free(void *p)
{
	free(p);
}
