/* SPDX-License-Identifier: MIT */
/* say: what the tools say on stderr. */
#include "conv.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	SHOWN = 5, /* how many issues of a kind are told one by one */
};

int
conv_fail(struct conv *c, const char *error, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	diag_say(&c->diag, error, NULL, fmt, ap);
	va_end(ap);
	c->reported = c->reported || error;
	return -1;
}

/* Names come from outside: none may begin a line of a message. */
static void __attribute__((format(printf, 3, 0)))
say(struct conv *c, const char *error, const char *fmt, va_list ap)
{
	char text[4000];
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	for (char *p = text; (p = strchr(p, '\n'));)
		*p = '?';
	(void)conv_fail(c, error, "%s", text);
}

int
conv_error(struct conv *c, const char *error, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(c, error, fmt, ap);
	va_end(ap);
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

void
conv_tell(struct conv *c, const struct conv_issue *issue)
{
	if (!issue->fatal && (c->quiet || issue->nth > SHOWN))
		return;
	char file[1000];
	char line[40] = "";
	(void)snprintf(file, sizeof(file), "%s", issue->file ? issue->file : "?");
	for (char *p = file; (p = strchr(p, '\n'));)
		*p = '?';
	if (issue->line)
		(void)snprintf(line, sizeof(line), ", line %" PRIu64, issue->line);
	const char *hint = issue->fatal ? issue->hint : NULL;
	const char *lenient = issue->fatal && issue->lenient && *issue->lenient ? issue->lenient : NULL;
	(void)conv_fail(c, issue->fatal ? issue->error : NULL, "%s%s%s\nat %s%s, byte %" PRIu64 " (+0x%" PRIx64 ")%s%s%s%s%s",
		issue->code ? issue->code : "", issue->code ? ": " : "", issue->text, file, line, issue->offset, issue->offset,
		!issue->fatal && issue->nth == SHOWN ? "\nmore of these are only counted" : "",
		hint ? "\nhint: " : "", hint ? hint : "", lenient ? "\nhint: with --lenient: " : "", lenient ? lenient : "");
}

void
conv_count(const struct conv *c, const char *name, uint64_t n, const char *text, const char *lenient)
{
	if (n == 0)
		return;
	(void)fprintf(stderr, "%s: %s: %" PRIu64 " time%s: %s (%s)\n", c->program, name, n, n == 1 ? "" : "s", text, lenient);
}

void
conv_show_progress(struct conv *c)
{
	c->unseen = 0;
	if (!progress_due(&c->progress))
		return;
	uint64_t bytes = 0;
	uint64_t records = 0;
	c->family->so_far(c, &bytes, &records);
	char part[40] = "";
	if (c->total)
		(void)snprintf(part, sizeof(part), "%.0f%%, ", 100.0 * (double)bytes / (double)c->total);
	diag_progress(&c->diag, "%s%" PRIu64 " MiB, %" PRIu64 " %s", part, bytes >> 20, records, c->family->records);
}
