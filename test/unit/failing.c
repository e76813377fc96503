/* SPDX-License-Identifier: MIT */
/* failing: linked to a tool with --wrap, allocation number FAILING_AT of it fails, and with
 * FAILING_ALL those behind it too. At the end it writes how many there were to the file
 * FAILING_COUNT. Requests to arenas count as allocations. */
#include "arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__real_arena_alloc(struct arena *a, size_t n, size_t size);
void *__wrap_arena_alloc(struct arena *a, size_t n, size_t size);
char *__real_arena_strndup(struct arena *a, const char *s, size_t n);
char *__wrap_arena_strndup(struct arena *a, const char *s, size_t n);
void *__real_arena_grow(struct arena *a, void *items, size_t n, size_t *cap, size_t size);
void *__wrap_arena_grow(struct arena *a, void *items, size_t n, size_t *cap, size_t size);
char *__wrap_arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static long count;
static long at;
static int all;

__attribute__((constructor)) static void
begin(void)
{
	const char *text = getenv("FAILING_AT");
	at = text ? atol(text) : 0;
	all = getenv("FAILING_ALL") != NULL;
}

__attribute__((destructor)) static void
end(void)
{
	const char *path = getenv("FAILING_COUNT");
	FILE *f = path ? fopen(path, "w") : NULL;
	if (f) {
		(void)fprintf(f, "%ld\n", count);
		(void)fclose(f);
	}
}

static int
fails(void)
{
	count++;
	return at && (all ? count >= at : count == at);
}

void *
__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

void *
__wrap_arena_alloc(struct arena *a, size_t n, size_t size)
{
	return fails() ? NULL : __real_arena_alloc(a, n, size);
}

char *
__wrap_arena_strndup(struct arena *a, const char *s, size_t n)
{
	return fails() ? NULL : __real_arena_strndup(a, s, n);
}

void *
__wrap_arena_grow(struct arena *a, void *items, size_t n, size_t *cap, size_t size)
{
	return n >= *cap && fails() ? NULL : __real_arena_grow(a, items, n, cap, size);
}

char *
__wrap_arena_printf(struct arena *a, const char *fmt, ...)
{
	char text[8192];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return fails() ? NULL : __real_arena_strndup(a, text, (size_t)n);
}
