/* SPDX-License-Identifier: MIT */
#ifndef ARENA_H
#define ARENA_H

/* arena: memory that is freed as a whole.
 *
 * Allocation bumps a pointer in a chunk; a chunk is obtained with malloc. All memory
 * is zeroed. Nothing but tables is freed before arena_finish(). A zeroed struct arena is empty
 * and ready. One thread at a time. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* newest first */
	char *next;                 /* first free byte of the newest chunk */
	size_t left;                /* free bytes there */
	size_t total;               /* bytes obtained from malloc, */
	size_t shared;              /* and those of chunks that are for many things */
};

/* Frees all. Accepts a zeroed arena and leaves one. */
void arena_finish(struct arena *a);

/* n items of `size` bytes, aligned for any type, zeroed.
 * NULL when memory is exhausted or n * size overflows. n = 0 gives a valid pointer. */
void *arena_alloc(struct arena *a, size_t n, size_t size);

#define arena_new(a, T, n) ((T *)arena_alloc((a), (n), sizeof(T)))

/* As arena_alloc(), for what is large and may never be used but for a part: it takes no memory before it is touched, page by page. */
void *arena_alloc_sparse(struct arena *a, size_t n, size_t size);

/* As arena_alloc(), for a table that moves when it grows: the old one can be freed, by its arena, and with the same numbers.
 * What is small stays in the arena. */
void *arena_alloc_table(struct arena *a, size_t n, size_t size);
void arena_free_table(struct arena *a, void *table, size_t n, size_t size);

/* Copies n bytes and adds a NUL. NULL when memory is exhausted. */
char *arena_strndup(struct arena *a, const char *s, size_t n);

/* printf into the arena. NULL when memory is exhausted. */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* Makes room for one more item in an array of n. `items` is the address of the pointer to it, which
 * moves to a copy of twice the size when n == *cap (the old one stays in the arena: at most as much
 * again is lost). false when memory is exhausted; the array is then untouched. */
bool arena_grow(struct arena *a, void *items, size_t n, size_t *cap, size_t size);

/* Plain blocks for what must be freed before the arena is: stream buffers, chunks of
 * the output queue. Zeroed; NULL when exhausted. */
void *block_alloc(size_t size);
/* Like realloc: the old block stays valid when NULL is returned. */
void *block_resize(void *p, size_t size);
void block_free(void *p);

#endif
