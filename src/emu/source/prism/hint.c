/* SPDX-License-Identifier: MIT */
/* hint: guesses the user's mistake behind an error, and names the keys to set. */
#include "source.h"

#include <stdio.h>
#include <string.h>

enum {
	HINT_KEYS = 4,
};

static const struct {
	const char *text;
	const char *keys[HINT_KEYS];
} hints[PRISM_CODES] = {
#define OTHER_STREAM                                                     \
	{                                                                \
		"is it the right layout, word size and initial config?", \
		{                                                        \
			"compute_layout", "word_size", "initial_config"  \
		}                                                        \
	}
	[PRISM_PB01] = { "the file was cut, or its level of detail or layout is another", { "initial_config", "compute_layout" } },
	[PRISM_PB02] = OTHER_STREAM,
	[PRISM_PB03] = { "if such events have one byte, it must be said", { "control_flow" } },
	[PRISM_PB04] = OTHER_STREAM,
	[PRISM_PB07] = { "is a size half of the bytes, or is it another layout, word size or initial config?",
		{ "half_sizes", "compute_layout", "word_size", "initial_config" } },
	[PRISM_PB08] = OTHER_STREAM,
	[PRISM_PB11] = OTHER_STREAM,
	[PRISM_PB12] = OTHER_STREAM,
	[PRISM_PB15] = { "if the file is a row of buffers, their size must be told", { "buffer_size" } },
	[PRISM_PB16] = { "is the size of the buffers right?", { "buffer_size" } },
	[PRISM_PT01] = { "are they those of this stream? a config event has one too, and an End has none", { "timestamps" } },
	[PRISM_PT02] = { "are they those of this stream, in nanoseconds, eight bytes each, the lowest first?", { "timestamps" } },
	[PRISM_PN01] = { "is it the table of this stream, whole, and are numbers of that size?", { "names", "name_size" } },
#undef OTHER_STREAM
};

const char *
prismhint_get(const struct prism_keys *keys, int code, char *buf)
{
	const size_t size = PRISM_HINT_MAX;
	const char *text = code > 0 && code < PRISM_CODES ? hints[code].text : NULL;
	if (!text)
		return NULL;
	size_t n = (size_t)snprintf(buf, size, "%s%s see %s", text, text[strlen(text) - 1] == '?' ? "" : ":", keys->prefix ? "" : "the description, ");
	const char *const *key = hints[code].keys;
	for (int i = 0; i < HINT_KEYS && key[i] && n < size; i++) {
		size_t from = n;
		n += (size_t)snprintf(buf + n, size - n, "%s%s%s", i ? ", " : "", keys->prefix ? keys->prefix : "", key[i]);
		for (char *k = buf + from; keys->prefix && *k; k++)
			*k = *k == '_' ? '-' : *k;
	}
	return buf;
}
