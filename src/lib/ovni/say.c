/* SPDX-License-Identifier: MIT */
/* say: one line on stderr. */
#include <errno.h>
#include <stdarg.h>
#include "rt.h"

enum {
	TEXT_MAX = PATH_MAX + 256, /* a path and a sentence */
	REASON_MAX = 128,          /* kept apart: a path too long must not push it out */
};

/* Bytes that a printf into room bytes has left there. */
static size_t
fits(int rc, size_t room)
{
	if (rc < 0)
		return 0;
	return (size_t)rc < room ? (size_t)rc : room - 1;
}

/* strerror_r() returns the text in glibc, and 0 with the text in buf elsewhere (POSIX, musl). */
static inline const char *
gnu_text(const char *rc, const char *buf)
{
	(void)buf;
	return rc;
}

static inline const char *
posix_text(int rc, const char *buf)
{
	return rc == 0 ? buf : "unknown error";
}

#define ERROR_TEXT(err, buf, size)                  \
	_Generic(strerror_r(err, buf, size), char * \
		 : gnu_text, int                    \
		 : posix_text)(strerror_r(err, buf, size), buf)

/* The line leaves in one piece, so that lines of two threads do not mix. */
static __attribute__((format(printf, 3, 0))) void
say(const char *level, const char *func, const char *fmt, va_list ap)
{
	int err = errno;
	char line[TEXT_MAX + REASON_MAX];
	size_t n = 0;

	int rc = func ? snprintf(line, TEXT_MAX, "%s: %s: ", level, func)
		      : snprintf(line, TEXT_MAX, "%s: ", level);
	n = fits(rc, TEXT_MAX);
	rc = vsnprintf(line + n, TEXT_MAX - n, fmt, ap);
	n += fits(rc, TEXT_MAX - n);
	if (fmt[strlen(fmt) - 1] == ':') {
		char buf[REASON_MAX];
		const size_t room = REASON_MAX - 2;
		rc = snprintf(line + n, room, "%s%s", line[n - 1] == ':' ? " " : "...: ",
			ERROR_TEXT(err, buf, sizeof(buf)));
		n += fits(rc, room);
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

static atomic_bool told[256]; /* by errno */

void
rt_disk_error(const char *func, const char *fmt, ...)
{
	va_list ap;
	if (errno < (int)sizeof(told) && atomic_exchange(&told[errno], true))
		return;
	va_start(ap, fmt);
	say("ERROR", func, fmt, ap);
	va_end(ap);
}

void
rt_disk_forget(void)
{
	for (size_t i = 0; i < sizeof(told); i++)
		atomic_store(&told[i], false);
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
