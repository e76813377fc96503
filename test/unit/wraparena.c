/* SPDX-License-Identifier: MIT */
/* wraparena: see wrapalloc.h. */
#include "arena.h"
#include "wrapalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_arena_alloc(struct arena *a, size_t n, size_t size);
void *__wrap_arena_alloc(struct arena *a, size_t n, size_t size);
void *__real_arena_alloc_table(struct arena *a, size_t n, size_t size);
void *__wrap_arena_alloc_table(struct arena *a, size_t n, size_t size);
char *__real_arena_strndup(struct arena *a, const char *s, size_t n);
char *__wrap_arena_strndup(struct arena *a, const char *s, size_t n);
bool __real_arena_grow(struct arena *a, void *items, size_t n, size_t *cap, size_t size);
bool __wrap_arena_grow(struct arena *a, void *items, size_t n, size_t *cap, size_t size);
char *__wrap_arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void *
__wrap_arena_alloc(struct arena *a, size_t n, size_t size)
{
	return wrapalloc_fails() ? NULL : __real_arena_alloc(a, n, size);
}

void *
__wrap_arena_alloc_table(struct arena *a, size_t n, size_t size)
{
	return wrapalloc_fails() ? NULL : __real_arena_alloc_table(a, n, size);
}

char *
__wrap_arena_strndup(struct arena *a, const char *s, size_t n)
{
	return wrapalloc_fails() ? NULL : __real_arena_strndup(a, s, n);
}

bool
__wrap_arena_grow(struct arena *a, void *items, size_t n, size_t *cap, size_t size)
{
	return !(n >= *cap && wrapalloc_fails()) && __real_arena_grow(a, items, n, cap, size);
}

char *
__wrap_arena_printf(struct arena *a, const char *fmt, ...)
{
	if (wrapalloc_fails())
		return NULL;
	char *text;
	va_list ap;
	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return NULL;
	char *p = __real_arena_strndup(a, text, (size_t)n);
	free(text);
	return p;
}
