/* SPDX-License-Identifier: MIT */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>

const char *
uscope_status_name(int status)
{
	switch (status) {
#define USCOPE_X(name, value, text) \
	case value: return #name;
		USCOPE_STATUS_LIST(USCOPE_X)
#undef USCOPE_X
	default: return status >= 0 ? "OK" : "unknown";
	}
}

const char *
uscope_status_text(int status)
{
	switch (status) {
#define USCOPE_X(name, value, text) \
	case value: return text;
		USCOPE_STATUS_LIST(USCOPE_X)
#undef USCOPE_X
	default: return status >= 0 ? "no error" : "not a status of this library";
	}
}

static const char *const diag_names[USCOPE_NUM_DIAGS] = {
#define USCOPE_X(name, text) [USCOPE_##name] = #name,
	USCOPE_DIAG_LIST(USCOPE_X)
#undef USCOPE_X
};

static const char *const diag_texts[USCOPE_NUM_DIAGS] = {
#define USCOPE_X(name, text) [USCOPE_##name] = (text),
	USCOPE_DIAG_LIST(USCOPE_X)
#undef USCOPE_X
};

const char *
uscope_diag_name(enum uscope_diag id)
{
	return (unsigned)id < USCOPE_NUM_DIAGS ? diag_names[id] : "unknown";
}

const char *
uscope_diag_text(enum uscope_diag id)
{
	return (unsigned)id < USCOPE_NUM_DIAGS ? diag_texts[id] : "not a diagnostic of this library";
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
