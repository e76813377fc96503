/* SPDX-License-Identifier: MIT */
#include "laplace.h"

#include <stdarg.h>
#include <stdio.h>

const uint8_t lap_kinds[256] = {
	['r'] = 1,
	['w'] = 2,
	['i'] = 3,
	['R'] = 4,
	['W'] = 5,
	['I'] = 6,
};

static const struct {
	const char *name;
	const char *text;
	const char *lenient;
} codes[] = {
	[LAP_OK] = { "OK", "nothing is wrong", "" },
#define LAP_X(name, text, lenient) [LAP_##name] = { #name, text, lenient },
	LAP_CODE_LIST(LAP_X)
#undef LAP_X
		[LAP_E_IO] = { "read", "the input cannot be read", "" },
	[LAP_E_MEMORY] = { "memory", "out of memory", "" },
	[LAP_E_FORMAT] = { "format", "not a format of Laplace", "" },
};

static int
code_index(int code)
{
	code = code < 0 ? -code : code;
	return code <= LAP_E_FORMAT ? code : LAP_OK;
}

const char *
lap_code_name(int code)
{
	return codes[code_index(code)].name;
}

const char *
lap_code_text(int code)
{
	return codes[code_index(code)].text;
}

const char *
lap_code_lenient(int code)
{
	return codes[code_index(code)].lenient;
}

bool
lap_is_warning(int code)
{
	switch (code < 0 ? -code : code) {
	case LAP_LT06:
	case LAP_LM01:
	case LAP_LM04:
	case LAP_LM05:
	case LAP_LM06:
		return true;
	default:
		return false;
	}
}

int
lap_raise(struct lap_log *log, const struct lap_place *at, int code, const char *fmt, ...)
{
	bool counted = code > LAP_OK && code < LAP_CODES;
	bool fatal = !counted || (!log->lenient && !lap_is_warning(code)) || code == LAP_LJ01;
	if (counted)
		log->counts[code]++;
	log->last = code;
	if (log->tell) {
		struct lap_issue issue;
		va_list ap;
		issue.code = code;
		issue.file = at->file;
		issue.offset = at->offset;
		issue.line = at->line;
		issue.text[0] = 0;
		va_start(ap, fmt);
		if (fatal || !log->texts || log->counts[code] <= log->texts)
			(void)vsnprintf(issue.text, sizeof(issue.text), fmt, ap);
		va_end(ap);
		for (char *p = issue.text; *p; p++)
			if ((unsigned char)*p < 0x20 || *p == 0x7f)
				*p = '?';
		log->tell(log->self, &issue, fatal);
	}
	return fatal ? -code : 0;
}
