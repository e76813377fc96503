/* SPDX-License-Identifier: MIT */
/* fault: calls that an application should not have made, and the failures that end a trace. */
#include "status.h"
#include "writer.h"

#include <stdarg.h>
#include <stdio.h>

int
writer_misuse(uscope_writer_t *w, int status, const char *fmt, ...)
{
	w->stats.misuses++;
	if (w->error.status)
		return status;
	w->error = (uscope_error_t){ .status = status, .segment = -1 };
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(w->error.reason, sizeof(w->error.reason), fmt, ap);
	va_end(ap);
	return status;
}

int
writer_fail(uscope_writer_t *w, int status, const char *reason)
{
	if (!w->fatal) /* more than any misuse */
		(void)status_set(&w->error, status, -1, 0, "%s", reason);
	w->fatal = true;
	writer_mode(w, MODE_DONE);
	return status;
}

bool
writer_enter(uscope_writer_t *w, const char *what)
{
	switch (w->mode) {
	case MODE_CYCLE:
	case MODE_BEGUN:
		return true;
	case MODE_REFUSED:
	case MODE_SHUT:
		w->stats.misuses++;
		return false;
	default:
		if (!w->fatal)
			(void)writer_misuse(w, USCOPE_E_STATE, "%s outside of a cycle", what);
		return false;
	}
}
