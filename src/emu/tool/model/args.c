/* SPDX-License-Identifier: MIT */
/* args: the words of a directive. */
#include "directive.h"

#include <stdio.h>

const char *
args_take(struct args *a, const char *what)
{
	if (a->n == 0) {
		(void)text_error(a->x, "%s is missing", what);
		return NULL;
	}
	a->n--;
	return *a->items++;
}

bool
args_take_if(struct args *a, const char *word)
{
	if (a->n == 0 || strcmp(*a->items, word) != 0)
		return false;
	a->n--;
	a->items++;
	return true;
}

int
args_take_int(struct args *a, const char *what, int *to)
{
	const char *word = args_take(a, what);
	return word ? text_int(a->x, what, word, to) : -1;
}

char *
text_copy(struct text *x, const char *text, size_t n)
{
	char *s = arena_strndup(&x->tool->arena, text, n);
	if (!s)
		(void)diag_no_memory(&x->tool->conv.diag);
	return s;
}

void *
text_checked(struct text *x, void *p)
{
	if (!p)
		(void)diag_no_memory(&x->tool->conv.diag);
	return p;
}

bool
text_is_inside(const char *path)
{
	if (*path == '/' || !*path)
		return false;
	for (const char *p = path; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (strncmp(p, "..", 2) == 0 && (!p[2] || p[2] == '/'))
			return false;
	}
	return true;
}

int
args_take_cpus(struct args *a, struct text_cpus *cpus)
{
	for (; a->n; a->n--, a->items++) {
		struct text_cpu cpu;
		char junk;
		if (sscanf(*a->items, "%d:%d%c", &cpu.index, &cpu.phyid, &junk) != 2)
			return 0;
		if (!TEXT_GROW(a->x, cpus->items, cpus->n, cpus->cap))
			return -1;
		cpus->items[cpus->n++] = cpu;
	}
	return 0;
}
