/* SPDX-License-Identifier: MIT */
/* text: names of codes and numbers, and the check for UTF-8. */
#include "bits.h"
#include "names.h"
#include "utf8.h"

static const struct {
	const char *name;
	const char *text;
	const char *lenient;
} codes[] = {
	[PRISM_OK] = { "OK", "nothing is wrong", "" },
#define PRISM_X(name, text, lenient) [PRISM_##name] = { #name, text, lenient },
	PRISM_CODE_LIST(PRISM_X)
#undef PRISM_X
		[PRISM_E_VALUE] = { "value", "no event can hold this value", "" },
	[PRISM_E_MEMORY] = { "memory", "memory is exhausted", "" },
};

static int
code_index(int code)
{
	if (code < 0 && code >= -PRISM_E_MEMORY)
		code = -code;
	return code >= 0 && code <= PRISM_E_MEMORY ? code : PRISM_OK;
}

const char *
prism_code_name(int code)
{
	return codes[code_index(code)].name;
}

const char *
prism_code_text(int code)
{
	return codes[code_index(code)].text;
}

const char *
prism_code_lenient(int code)
{
	return codes[code_index(code)].lenient;
}

bool
prism_code_warns(int code)
{
	const uint32_t warnings = 1U << PRISM_PB05 | 1U << PRISM_PB06 | 1U << PRISM_PB09 | 1U << PRISM_PB10 |
		1U << PRISM_PB13 | 1U << PRISM_PB14 | 1U << PRISM_PB17 | 1U << PRISM_PM02 | 1U << PRISM_PM03 | 1U << PRISM_PM06;
	return warnings >> code_index(code) & 1;
}

/* Defines the function that names values from 0 on. */
#define NAMES(function, ...)                                                          \
	const char *function(unsigned value)                                          \
	{                                                                             \
		static const char *const names[] = { __VA_ARGS__ };                   \
		return value < sizeof(names) / sizeof(names[0]) ? names[value] : "?"; \
	}

/* In the order of the enums of prism.h. */
NAMES(prism_kind_name, "memory", "compute", "sync", "context", "control flow", "config", "end")
NAMES(prism_mem_name, "undefined", "load", "store", "invalid")
NAMES(prism_format_name, "undefined", "integer", "floating point", "invalid")
NAMES(prism_op_name, "undefined", "add", "sub", "mult", "div", "shift", "mov")
NAMES(prism_sync_name, "undefined", "create", "join", "barrier", "sync", "swap", "lock", "unlock", "condition wait",
	"condition signal", "condition broadcast", "spin lock", "spin unlock")
NAMES(prism_cxt_name, "undefined", "instruction", "basic block", "function enter", "function exit", "thread", "net enter",
	"net exit", "operator enter", "operator exit")

const char *const prism_kind_words[PRISM_KINDS] = { "mem", "comp", "sync", "cxt", "cf" };
const char *const prism_layout_words[2] = { [PRISM_WIDE] = "wide", [PRISM_PACKED] = "packed" };

unsigned
prism_sync_words(unsigned type)
{
	return type == PRISM_COND_WAIT ? 2 : 1;
}

bool
prism_is_text(const uint8_t *p, size_t n)
{
	uint32_t c;
	for (size_t i = 0, len; i < n; i += len) {
		len = p[i] >= 0x80 ? utf8_next((const char *)p + i, n - i, &c) : p[i] != 0;
		if (len == 0)
			return false;
	}
	return true;
}
