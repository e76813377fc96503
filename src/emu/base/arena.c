/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* of Linux 5.14: a C library may be older, and a kernel that is does without it */
#endif

enum {
	CHUNK_MIN = 64 * 1024,       /* few traces fill it twice */
	CHUNKS_SMALL = 256 * 1024,   /* bytes in all, until they are so many that chunks are as large as */
	HUGE_PAGE = 2 * 1024 * 1024, /* a huge page: from here on the system is asked for them */
	PAGE = 4096,
	TABLE_MIN = 16 * 1024, /* tables from here on have a chunk of their own */
};

struct arena_chunk {
	struct arena_chunk *older;
	struct arena_chunk *newer;
	size_t mapped; /* bytes with the page in front, if it is not from malloc */
	alignas(max_align_t) char data[];
};

static void
free_chunk(struct arena_chunk *c)
{
	if (c->mapped)
		(void)munmap(c->data - PAGE, c->mapped);
	else
		free(c);
}

void
arena_finish(struct arena *a)
{
	struct arena_chunk *c = a->chunks;
	while (c) {
		struct arena_chunk *older = c->older;
		free_chunk(c);
		c = older;
	}
	*a = (struct arena){ 0 };
}

/* A chunk of zeroed pages from the system, aligned for huge ones: tables of tasks are touched all
 * over, and then a fault comes for each 2 MiB and not for each 4 KiB. What is in front of its data is in a page of its own, so that the first
 * huge page is zeroed by who uses it; the rest behind the last whole one has small ones, so that a few bytes there do not take 2 MiB. */
static struct arena_chunk *
map_huge(size_t bytes)
{
	size_t all = PAGE + ((bytes + PAGE - 1) & ~(size_t)(PAGE - 1));
	char *p = mmap(NULL, all + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	size_t before = (HUGE_PAGE - ((uintptr_t)p + PAGE) % HUGE_PAGE) % HUGE_PAGE;
	if (before)
		(void)munmap(p, before);
	(void)munmap(p + before + all, HUGE_PAGE - before);
	char *data = p + before + PAGE;
	(void)madvise(data, all - PAGE, MADV_HUGEPAGE);
	struct arena_chunk *c = (struct arena_chunk *)(data - offsetof(struct arena_chunk, data));
	c->mapped = all;
	return c;
}

/* A chunk with room for that many bytes, zeroed. */
static struct arena_chunk *
new_chunk(struct arena *a, size_t bytes, bool huge)
{
	size_t all = sizeof(struct arena_chunk) + bytes;
	struct arena_chunk *c = huge && all >= HUGE_PAGE ? map_huge(bytes) : calloc(1, all);
	if (c)
		a->total += c->mapped ? c->mapped : all;
	return c;
}

/* Has all pages of a chunk at once that will be written soon. Of a page that is read before it is written the kernel maps one of zeros first, and
 * all CPUs have to forget that. */
static void
touch_chunk(struct arena_chunk *c, size_t bytes)
{
	char *begin = c->data - (uintptr_t)c->data % PAGE;
	size_t n = (size_t)(c->data + bytes - begin);
	(void)madvise(begin, (n + PAGE - 1) & ~(size_t)(PAGE - 1), MADV_POPULATE_WRITE);
}

/* Adds a chunk behind another one, or as the newest. */
static void
link_chunk(struct arena *a, struct arena_chunk *c, struct arena_chunk *newer)
{
	struct arena_chunk **at = newer ? &newer->older : &a->chunks;
	c->newer = newer;
	c->older = *at;
	if (c->older)
		c->older->newer = c;
	*at = c;
}

/* A chunk of its own for what would waste most of a shared one. */
static void *
alloc_large(struct arena *a, size_t bytes, bool huge)
{
	struct arena_chunk *c = new_chunk(a, bytes, huge);
	if (c)
		link_chunk(a, c, a->chunks); /* keep bumping in the current one */
	return c ? c->data : NULL;
}

static const size_t align_mask = alignof(max_align_t) - 1;

void *
arena_alloc(struct arena *a, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + align_mask) & ~align_mask;
	if (bytes > a->left || !a->next) {
		size_t chunk = a->shared / 4 < CHUNK_MIN ? CHUNK_MIN : a->shared / 4 & ~align_mask;
		chunk = a->shared < CHUNKS_SMALL ? chunk : HUGE_PAGE;
		chunk -= sizeof(struct arena_chunk); /* with it, a whole number of pages */
		if (bytes > chunk / 4)
			return alloc_large(a, bytes, true);
		struct arena_chunk *c = new_chunk(a, chunk, true);
		if (!c)
			return NULL;
		touch_chunk(c, chunk);
		a->shared += chunk;
		link_chunk(a, c, NULL);
		a->next = c->data;
		a->left = chunk;
	}
	void *p = a->next;
	a->next += bytes;
	a->left -= bytes;
	return p;
}

void *
arena_alloc_sparse(struct arena *a, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		return NULL;
	return alloc_large(a, bytes, false);
}

void *
arena_alloc_table(struct arena *a, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		return NULL;
	if (bytes < TABLE_MIN)
		return arena_alloc(a, n, size);
	char *table = alloc_large(a, bytes, true);
	if (table)
		touch_chunk((struct arena_chunk *)(table - offsetof(struct arena_chunk, data)), bytes);
	return table;
}

void
arena_free_table(struct arena *a, void *table, size_t n, size_t size)
{
	if (n * size < TABLE_MIN)
		return;
	struct arena_chunk *c = (struct arena_chunk *)((char *)table - offsetof(struct arena_chunk, data));
	a->total -= c->mapped ? c->mapped : sizeof(*c) + n * size;
	*(c->newer ? &c->newer->older : &a->chunks) = c->older;
	if (c->older)
		c->older->newer = c->newer;
	free_chunk(c);
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
arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	char *p = n < 0 ? NULL : arena_new(a, char, (size_t)n + 1);
	if (p)
		(void)vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}

bool
arena_grow(struct arena *a, void *items, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return true;
	size_t more = *cap ? *cap * 2 : 8;
	const void *old;
	void *p = arena_alloc(a, more, size);
	if (!p)
		return false;
	/* A copy, as the type of the pointer is not known. */
	memcpy(&old, items, sizeof(old));
	if (n)
		memcpy(p, old, n * size);
	memcpy(items, &p, sizeof(p));
	*cap = more;
	return true;
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
