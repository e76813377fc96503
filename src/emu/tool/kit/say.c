/* SPDX-License-Identifier: MIT */
/* say: what the tools say on stderr. */
#include "conv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum {
	SHOWN = 5, /* how many issues of a kind are told one by one */
};

void
conv_clear_progress(struct conv *c)
{
	if (c->progress_shown && c->to_terminal)
		(void)fputs("\r\033[K", stderr);
	c->progress_shown = false;
}

/* Names come from outside: no byte of them may drive the terminal. */
static void
put_clean(const char *s)
{
	for (; *s; s++)
		(void)fputc((unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s, stderr);
}

/* What a message begins with; error: its name, NULL: it is a warning. */
static void
put_kind(const struct conv *c, const char *error)
{
	if (error)
		(void)fprintf(stderr, "%s: error[%s]: ", c->program, error);
	else
		(void)fprintf(stderr, "%s: warning: ", c->program);
}

/* A message on a line of its own. */
static void __attribute__((format(printf, 3, 0)))
say(struct conv *c, const char *error, const char *fmt, va_list ap)
{
	char text[5000];
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	conv_clear_progress(c);
	put_kind(c, error);
	put_clean(text);
	(void)fputc('\n', stderr);
}

int
conv_usage(struct conv *c, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	(void)cli_vusage(c->cli, fmt, ap);
	va_end(ap);
	return 2;
}

int
conv_error(struct conv *c, const char *error, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(c, error, fmt, ap);
	va_end(ap);
	c->reported = true;
	return -1;
}

int
conv_no_memory(struct conv *c)
{
	return c->reported ? -1 : conv_error(c, "memory", "out of memory");
}

void
conv_warn(struct conv *c, const char *fmt, ...)
{
	va_list ap;
	if (c->quiet)
		return;
	va_start(ap, fmt);
	say(c, NULL, fmt, ap);
	va_end(ap);
}

static void
put_place(const struct conv_issue *issue)
{
	(void)fputs("  at ", stderr);
	put_clean(issue->file ? issue->file : "?");
	if (issue->line)
		(void)fprintf(stderr, ", line %" PRIu64, issue->line);
	(void)fprintf(stderr, ", byte %" PRIu64 " (+0x%" PRIx64 ")\n", issue->offset, issue->offset);
}

void
conv_tell(struct conv *c, const struct conv_issue *issue)
{
	if (!issue->fatal && (c->quiet || issue->nth > SHOWN))
		return;
	conv_clear_progress(c);
	put_kind(c, issue->fatal ? issue->error : NULL);
	(void)fprintf(stderr, "%s%s%s\n", issue->code ? issue->code : "", issue->code ? ": " : "", issue->text);
	put_place(issue);
	if (!issue->fatal && issue->nth == SHOWN)
		(void)fprintf(stderr, "  more of these are only counted\n");
	if (!issue->fatal)
		return;
	c->reported = true;
	if (issue->hint)
		(void)fprintf(stderr, "  hint: %s\n", issue->hint);
	if (issue->lenient && *issue->lenient)
		(void)fprintf(stderr, "  hint: with --lenient: %s\n", issue->lenient);
}

void
conv_count(const struct conv *c, const char *name, uint64_t n, const char *text, const char *lenient)
{
	if (n == 0)
		return;
	(void)fprintf(stderr, "%s: %s: %" PRIu64 " time%s: %s (%s)\n", c->program, name, n, n == 1 ? "" : "s", text, lenient);
}

/* ---- Progress. ---- */

static double
now(void)
{
	struct timespec ts = { 0 };
	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

void
conv_show_progress(struct conv *c)
{
	c->unseen = 0;
	if (!c->progress)
		return;
	double at = now();
	if (at - c->progress_last < (c->to_terminal ? 0.2 : 1.0) && c->progress_last > 0)
		return;
	c->progress_last = at;
	uint64_t bytes = 0;
	uint64_t records = 0;
	c->family->so_far(c, &bytes, &records);
	char part[40] = "";
	if (c->total)
		(void)snprintf(part, sizeof(part), "%.0f%%, ", 100.0 * (double)bytes / (double)c->total);
	(void)fprintf(stderr, "%s%s: %s%" PRIu64 " MiB, %" PRIu64 " %s%s", c->to_terminal ? "\r" : "", c->program,
		part, bytes >> 20, records, c->family->records, c->to_terminal ? "\033[K" : "\n");
	(void)fflush(stderr);
	c->progress_shown = true;
}
