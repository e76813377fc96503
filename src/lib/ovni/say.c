/* SPDX-License-Identifier: MIT */
/* say: one line on stderr. */
#include <errno.h>
#include <stdarg.h>
#include "rt.h"

enum {
	LINE_MAX_BYTES = PATH_MAX + 512, /* a path and a sentence */
};

/* The line leaves in one piece, so that lines of two threads do not mix. */
static __attribute__((format(printf, 3, 0))) void
say(const char *level, const char *func, const char *fmt, va_list ap)
{
	int err = errno;
	char line[LINE_MAX_BYTES];
	size_t n = 0, room = sizeof(line) - 1;

	int rc = func ? snprintf(line, room, "%s: %s: ", level, func)
		      : snprintf(line, room, "%s: ", level);
	if (rc > 0)
		n = (size_t)rc < room ? (size_t)rc : room - 1;
	rc = vsnprintf(line + n, room - n, fmt, ap);
	if (rc > 0)
		n += (size_t)rc < room - n ? (size_t)rc : room - n - 1;
	if (n > 0 && line[n - 1] == ':') {
		char buf[128];
		rc = snprintf(line + n, room - n, " %s", strerror_r(err, buf, sizeof(buf)));
		if (rc > 0)
			n += (size_t)rc < room - n ? (size_t)rc : room - n - 1;
	}
	line[n] = '\n';
	line[n + 1] = '\0';
	(void)fputs(line, stderr);
}

void
rt_die(const char *func, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("FATAL", func, fmt, ap);
	va_end(ap);
	abort();
}

void
rt_error(const char *func, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("ERROR", func, fmt, ap);
	va_end(ap);
}

void
rt_warn(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("WARN", NULL, fmt, ap);
	va_end(ap);
}

void
rt_nomem(const char *func)
{
	rt_die(func, "out of memory");
}
