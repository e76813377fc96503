/* SPDX-License-Identifier: MIT */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>

struct words {
	const char *name, *text;
};

/* By status, times -1. */
static const struct words statuses[] = {
	[0] = { "OK", "no error" },
#define USCOPE_X(name, value, text) [-(value)] = { #name, text },
	USCOPE_STATUS_LIST(USCOPE_X)
#undef USCOPE_X
};

static const struct words diags[USCOPE_NUM_DIAGS] = {
#define USCOPE_X(name, text) [USCOPE_##name] = { #name, text },
	USCOPE_DIAG_LIST(USCOPE_X)
#undef USCOPE_X
};

static const struct words *
words_of(int status)
{
	static const struct words none = { "unknown", "not a status of this library" };
	int n = sizeof(statuses) / sizeof(statuses[0]);
	return status <= -n ? &none : &statuses[status < 0 ? -status : 0];
}

const char *
uscope_status_name(int status)
{
	return words_of(status)->name;
}

const char *
uscope_status_text(int status)
{
	return words_of(status)->text;
}

const char *
uscope_diag_name(enum uscope_diag id)
{
	return (unsigned)id < USCOPE_NUM_DIAGS ? diags[id].name : "unknown";
}

const char *
uscope_diag_text(enum uscope_diag id)
{
	return (unsigned)id < USCOPE_NUM_DIAGS ? diags[id].text : "not a diagnostic of this library";
}

int
status_set(uscope_error_t *error, int status, int64_t segment, uint64_t offset, const char *fmt, ...)
{
	*error = (uscope_error_t){ .status = status, .segment = segment, .offset = offset };
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(error->reason, sizeof(error->reason), fmt, ap);
	va_end(ap);
	return status;
}
