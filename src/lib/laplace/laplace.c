/* SPDX-License-Identifier: MIT */
#include "laplace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

const uint8_t lap_kinds[256] = {
	['r'] = 1,
	['w'] = 2,
	['i'] = 3,
	['R'] = 4,
	['W'] = 5,
	['I'] = 6,
};

void
lap_huge(void *p, size_t size)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = ((uintptr_t)p + page - 1) / page * page;
	uintptr_t end = ((uintptr_t)p + size) / page * page;
	if (end > begin)
		(void)madvise((char *)p + (begin - (uintptr_t)p), end - begin, MADV_HUGEPAGE);
}

void *
lap_grow(void *items, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return items;
	size_t more = *cap ? *cap * 2 : 32;
	items = realloc(items, more * size);
	*cap = items ? more : *cap;
	return items;
}

const struct lap_code_info *
lap_code(int code)
{
	static const struct lap_code_info codes[] = {
		[LAP_OK] = { "OK", "nothing is wrong", "", false },
#define LAP_X(name, text, lenient, warning) [LAP_##name] = { #name, text, lenient, warning },
		LAP_CODE_LIST(LAP_X)
#undef LAP_X
			[LAP_E_IO] = { "read", "the input cannot be read", "", false },
		[LAP_E_MEMORY] = { "memory", "out of memory", "", false },
		[LAP_E_FORMAT] = { "format", "not a format of Laplace", "", false },
		[LAP_E_FILTER] = { "hooks", "a tool stops the run", "", false },
	};
	code = abs(code);
	return &codes[code <= LAP_E_FORMAT ? code : LAP_OK];
}

static void __attribute__((format(printf, 5, 0)))
tell(struct lap_log *log, const struct lap_place *at, int code, bool fatal, const char *fmt, va_list ap)
{
	struct lap_issue issue = { .code = code, .file = at->file, .offset = at->offset, .line = at->line };
	if (!log->tell)
		return;
	if (fatal || !log->texts || log->counts[code] <= log->texts)
		(void)vsnprintf(issue.text, sizeof(issue.text), fmt, ap);
	for (char *p = issue.text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	log->tell(log->self, &issue, fatal);
}

int
lap_raise(struct lap_log *log, const struct lap_place *at, int code, const char *fmt, ...)
{
	bool counted = code > LAP_OK && code < LAP_CODES;
	bool fatal = !counted || (!log->lenient && !lap_code(code)->warning) || code == LAP_LJ01;
	va_list ap;
	if (counted)
		log->counts[code]++;
	log->last = code;
	va_start(ap, fmt);
	tell(log, at, code, fatal, fmt, ap);
	va_end(ap);
	return fatal ? -code : 0;
}

void
lap_note(struct lap_log *log, const struct lap_place *at, int code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	tell(log, at, code, false, fmt, ap);
	va_end(ap);
}
