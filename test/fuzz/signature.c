/* SPDX-License-Identifier: MIT */
/* Signatures of events. */
#include "fuzz.h"

#include "sig.h"

#include <string.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	CHECK(text);
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	struct sig s;
	const char *why = NULL;
	int rc = sig_parse(text, &s, &why);
	if (rc != 0 && (rc != -1 || !why || !*why))
		abort();
	if (rc == 0) {
		uint32_t at = s.jumbo ? 4 : 0;
		if (s.nargs > SIG_ARGS_MAX || memcmp(s.mcv, text, 3) != 0)
			abort();
		for (size_t i = 0; i < s.nargs; i++) {
			size_t n = strnlen(s.args[i].name, SIG_NAME_MAX);
			if (s.args[i].at != at || n == 0 || n == SIG_NAME_MAX)
				abort();
			at += s.args[i].size;
		}
		if (s.size != at)
			abort();
	}
	free(text);
	return 0;
}
