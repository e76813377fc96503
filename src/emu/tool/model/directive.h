/* SPDX-License-Identifier: MIT */
#ifndef TOOL_MODEL_DIRECTIVE_H
#define TOOL_MODEL_DIRECTIVE_H

/* directive: lines of a text that are no events, word by word. */

#include "text.h"

/* Arguments of a directive: the words behind it. */
struct args {
	struct text *x;
	char **items;
	size_t n;
	const char *line;
};

/* The next one. NULL: there is none (reported). */
const char *args_take(struct args *a, const char *what);
/* Takes it if it is that word. */
bool args_take_if(struct args *a, const char *word);
/* As a number. Returns 0, or <0 (reported). */
int args_take_int(struct args *a, const char *what, int *to);
/* All that are "INDEX:NUMBER". Returns 0, or <0 (reported). */
int args_take_cpus(struct args *a, struct text_cpus *cpus);

/* A copy of n bytes in the arena. NULL: no memory (reported). */
char *text_copy(struct text *x, const char *text, size_t n);
/* The pointer; NULL is reported as no memory. */
void *text_checked(struct text *x, void *p);
/* Whether a path stays in its folder. */
bool text_is_inside(const char *path);

#define TEXT_NEW(x, T) \
	((T *)text_checked((x), arena_new(&(x)->tool->arena, T, 1)))

/* Makes room for one more. false: no memory (reported). */
#define TEXT_GROW(x, items, n, cap)                                                \
	(arena_grow(&(x)->tool->arena, &(items), (n), &(cap), sizeof(*(items))) || \
		diag_no_memory(&(x)->tool->conv.diag) == 0)

/* Puts an item behind the last one of a list. */
#define TEXT_APPEND(first, last, item)         \
	do {                                   \
		if (first)                     \
			(last)->next = (item); \
		else                           \
			(first) = (item);      \
		(last) = (item);               \
	} while (0)

/* The directives of a thread. Return 0, or <0 (reported). */
int text_do_thread(struct args *a);
int text_do_mark(struct args *a);

#endif
