/* SPDX-License-Identifier: MIT */
#include "wrapalloc.h"

#include <stdatomic.h>
#include <stddef.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static atomic_long at, count;
static atomic_bool behind, failed;

void
wrapalloc_arm(long n, bool all)
{
	at = n;
	behind = all;
	count = 0;
	failed = false;
}

bool
wrapalloc_failed(void)
{
	return failed;
}

long
wrapalloc_count(void)
{
	return count;
}

bool
wrapalloc_fails(void)
{
	long n = atomic_fetch_add(&count, 1) + 1;
	long first = at;
	if (first == 0 || (behind ? n < first : n != first))
		return false;
	failed = true;
	return true;
}

void *
__wrap_malloc(size_t n)
{
	return wrapalloc_fails() ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return wrapalloc_fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t n)
{
	return wrapalloc_fails() ? NULL : __real_realloc(p, n);
}
