/* SPDX-License-Identifier: MIT */
#include "utf8text.h"

#include "utf8.h"

#include <stdio.h>
#include <string.h>

enum {
	ESCAPE = 4, /* bytes of \xNN */
};

const char *
utf8text_make(struct arena *a, const char *text)
{
	const char *end = text + strlen(text);
	const char *p = text;
	size_t n;
	uint32_t c;
	while ((n = utf8_next(p, (size_t)(end - p), &c)))
		p += n;
	if (p == end)
		return text;
	char *copy = arena_new(a, char, ESCAPE *strlen(text) + 1);
	char *to = copy;
	for (p = text; copy && p < end;) {
		n = utf8_next(p, (size_t)(end - p), &c);
		memcpy(to, p, n);
		to += n;
		p += n;
		if (n == 0)
			to += snprintf(to, ESCAPE + 1, "\\x%02x", (unsigned)(uint8_t)*p++);
	}
	return copy;
}
