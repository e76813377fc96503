/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include "check.h"

#include <stdalign.h>
#include <stdbool.h>
#include <string.h>

static bool
is_zero(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

static void
blocks(void)
{
	struct arena a = { 0 };
	char *before = NULL;
	for (size_t n = 1; n < 3000; n += 7) {
		char *p = arena_alloc(&a, n, 3);
		CHECK(p);
		CHECK((uintptr_t)p % alignof(max_align_t) == 0);
		CHECK(is_zero(p, n * 3));
		memset(p, 0xff, n * 3); /* the next one must not overlap it */
		CHECK(!before || *before == (char)0xff);
		before = p;
	}
	CHECK(a.total > 1000000);
	arena_finish(&a);
	CHECK(!a.chunks && !a.next && a.left == 0 && a.total == 0);
	arena_finish(&a);
}

static void
overflow(void)
{
	struct arena a = { 0 };
	CHECK(!arena_alloc(&a, SIZE_MAX, 2));
	CHECK(!arena_alloc(&a, SIZE_MAX / 8 + 2, 8));
	CHECK(!arena_alloc(&a, 1, SIZE_MAX));
	CHECK(!arena_alloc(&a, SIZE_MAX / 2 + 1, 1));
	CHECK(a.total == 0);
	CHECK(arena_alloc(&a, 1, 1)); /* it still works */
	CHECK(arena_alloc(&a, 0, 8));
	CHECK(arena_alloc(&a, 8, 0));
	arena_finish(&a);
}

/* Nothing, from an arena without memory. */
static void
empty(void)
{
	struct arena a = { 0 };
	CHECK(arena_alloc(&a, 0, 8));
	CHECK(arena_alloc(&a, 0, 8));
	arena_finish(&a);
}

static void
large(void)
{
	struct arena a = { 0 };
	enum {
		MIB = 1 << 20,
	};
	char *first = arena_alloc(&a, MIB, 1); /* into an empty arena */
	CHECK(first && is_zero(first, MIB));
	memset(first, 1, MIB);
	char *small = arena_alloc(&a, 100, 1);
	size_t left = a.left;
	char *second = arena_alloc(&a, MIB, 3);
	CHECK(small && second && is_zero(second, 3 * MIB));
	CHECK((uintptr_t)second % alignof(max_align_t) == 0);
	memset(second, 2, 3 * MIB);
	CHECK(a.left == left); /* the shared chunk is kept */
	CHECK(first[MIB - 1] == 1 && is_zero(small, 100));
	arena_finish(&a);
}

static void
strings(void)
{
	struct arena a = { 0 };
	CHECK(strcmp(arena_strndup(&a, "abcdef", 3), "abc") == 0);
	CHECK(strcmp(arena_strndup(&a, "", 0), "") == 0);
	CHECK(strcmp(arena_strndup(&a, NULL, 0), "") == 0);
	CHECK(strcmp(arena_printf(&a, "%s.%d", "thread", 7), "thread.7") == 0);
	char *big = arena_printf(&a, "%0200000d", 5);
	CHECK(big && strlen(big) == 200000 && big[199999] == '5');
	arena_finish(&a);
}

static void
grow(void)
{
	struct arena a = { 0 };
	int *items = NULL;
	size_t cap = 0;
	for (int n = 0; n < 10000; n++) {
		CHECK(arena_grow(&a, &items, (size_t)n, &cap, sizeof(*items)));
		CHECK(items && cap > (size_t)n);
		items[n] = n * 3;
		if (n == 7 || n == 15 || n == 4095) { /* as large as it says */
			CHECK(cap == (size_t)n + 1);
			int *behind = arena_new(&a, int, 1);
			CHECK(behind && *behind == 0 && (behind > items + n || behind < items));
		}
	}
	for (int n = 0; n < 10000; n++)
		CHECK(items[n] == n * 3);
	size_t had = cap;
	const int *same = items;
	CHECK(arena_grow(&a, &items, 5, &cap, sizeof(*items)) && same == items && cap == had);
	size_t huge = SIZE_MAX / 4;
	CHECK(!arena_grow(&a, &items, huge, &huge, sizeof(*items)));
	CHECK(huge == SIZE_MAX / 4 && same == items); /* untouched */
	arena_finish(&a);
}

/* Tables of many sizes, each freed before the one that is twice as large is made, between other blocks. */
static void
tables(void)
{
	struct arena a = { 0 };
	CHECK(!arena_alloc_table(&a, SIZE_MAX, 2) && !arena_alloc_table(&a, SIZE_MAX / 2 + 1, 1));
	for (size_t n = 1; n <= 1 << 22; n *= 2) {
		char *table = arena_alloc_table(&a, n, 3);
		CHECK(table && (uintptr_t)table % alignof(max_align_t) == 0 && is_zero(table, 3 * n));
		char *other = arena_alloc_table(&a, 3, n);
		char *small = arena_strndup(&a, "small", 5);
		CHECK(other && is_zero(other, 3 * n) && small);
		memset(table, 1, 3 * n);
		memset(other, 2, 3 * n);
		size_t total = a.total;
		arena_free_table(&a, table, n, 3);
		CHECK(other[0] == 2 && other[3 * n - 1] == 2 && strcmp(small, "small") == 0);
		CHECK(a.total == total || total - a.total >= 3 * n);
		arena_free_table(&a, other, 3, n);
		CHECK(strcmp(small, "small") == 0);
	}
	CHECK(a.total < 1 << 20); /* no large one has stayed */
	arena_finish(&a);
	char *only = arena_alloc_table(&a, 1 << 20, 1);
	CHECK(only);
	arena_free_table(&a, only, 1 << 20, 1);
	CHECK(!a.chunks && a.total == 0);
	arena_finish(&a);
}

/* Most of it is never touched. */
static void
sparse(void)
{
	const size_t n = (size_t)1 << 28;
	struct arena a = { 0 };
	char *before = arena_alloc(&a, 100, 1);
	char *p = arena_alloc_sparse(&a, n / 8, 8);
	char *behind = arena_alloc(&a, 100, 1);
	CHECK(before && p && behind && (uintptr_t)p % alignof(max_align_t) == 0);
	CHECK(a.total >= n && a.total < n + ((size_t)1 << 20));
	CHECK(is_zero(p, 5000) && p[n / 2] == 0 && is_zero(p + n - 5000, 5000));
	memset(p, 1, 5000);
	p[n - 1] = 1;
	CHECK(is_zero(before, 100) && is_zero(behind, 100));
	CHECK(!arena_alloc_sparse(&a, SIZE_MAX, 2) && !arena_alloc_sparse(&a, SIZE_MAX / 2 + 1, 1));
	arena_finish(&a);
	CHECK(!a.chunks && a.total == 0 && a.shared == 0);
}

static void
plain_blocks(void)
{
	char *p = block_alloc(100);
	CHECK(p && is_zero(p, 100));
	p[99] = 3;
	p = block_resize(p, 200);
	CHECK(p && p[99] == 3);
	block_free(p);
	block_free(NULL);
}

int
main(void)
{
	blocks();
	overflow();
	large();
	strings();
	grow();
	tables();
	sparse();
	plain_blocks();
	empty();
	return 0;
}
