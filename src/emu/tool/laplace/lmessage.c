/* SPDX-License-Identifier: MIT */
/* lmessage: what ovniscope-laplace says on stderr. */
#include "ltool.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
	SHOWN = 5, /* how many issues of a kind are told one by one */
};

void
ltool_clear_progress(struct ltool *t)
{
	if (t->progress_shown && t->to_terminal)
		(void)fputs("\r\033[K", stderr);
	t->progress_shown = false;
}

int
ltool_usage(struct ltool *t, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)fprintf(stderr, "%s: error[usage]: %s\n  usage: %s %s\n  hint: %s --help lists the options\n",
		t->program, text, t->program, t->command->synopsis, t->program);
	return 2;
}

int
ltool_error(struct ltool *t, const char *name, const char *fmt, ...)
{
	char text[5000];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	ltool_clear_progress(t);
	(void)fprintf(stderr, "%s: error[%s]: %s\n", t->program, name, text);
	t->reported = true;
	return -1;
}

int
ltool_code(struct ltool *t, int code)
{
	return t->reported ? -1 : ltool_error(t, lap_code_name(code), "%s", lap_code_text(code));
}

/* Names come from outside: no byte of them may drive the terminal. */
static void
put_name(const char *s)
{
	for (; *s; s++)
		(void)fputc((unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s, stderr);
}

static void
put_place(const struct lap_issue *issue)
{
	(void)fputs("  at ", stderr);
	put_name(issue->file ? issue->file : "?");
	if (issue->line)
		(void)fprintf(stderr, ", line %" PRIu64, issue->line);
	(void)fprintf(stderr, ", byte %" PRIu64 " (+0x%" PRIx64 ")\n", issue->offset, issue->offset);
}

static const char *
hint(int code)
{
	switch (code) {
	case LAP_LR01: return "the file was cut, or is not binary";
	case LAP_LR02: return "is it text, or of the other byte order? see --format and --endian";
	case LAP_LR05: return "is it of the other byte order? see --endian";
	case LAP_LT01: return "is it of another dialect? see --dialect";
	case LAP_LK01: return "is it of another format? see --format";
	case LAP_E_FORMAT: return "--format says what it is";
	default: return NULL;
	}
}

void
ltool_tell(void *self, const struct lap_issue *issue, bool fatal)
{
	struct ltool *t = self;
	uint64_t n = issue->code < LAP_CODES ? t->log.counts[issue->code] : 1;
	if (!fatal && (t->quiet || n > SHOWN))
		return;
	ltool_clear_progress(t);
	(void)fprintf(stderr, "%s: %s[%s]: %s\n", t->program, fatal ? "error" : "warning", lap_code_name(issue->code), issue->text);
	put_place(issue);
	if (!fatal && n == SHOWN)
		(void)fprintf(stderr, "  more of these are only counted\n");
	if (!fatal)
		return;
	t->reported = true;
	if (hint(issue->code))
		(void)fprintf(stderr, "  hint: %s\n", hint(issue->code));
	if (issue->code < LAP_LJ01 && *lap_code_lenient(issue->code))
		(void)fprintf(stderr, "  hint: with --lenient: %s\n", lap_code_lenient(issue->code));
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
ltool_show_progress(struct ltool *t)
{
	t->unseen = 0;
	if (!t->progress)
		return;
	double at = now();
	if (at - t->progress_last < (t->to_terminal ? 0.2 : 1.0) && t->progress_last > 0)
		return;
	t->progress_last = at;
	uint64_t bytes = 0;
	uint64_t records = 0;
	for (size_t i = 0; i < t->nreaders; i++) {
		bytes += lapsource_offset(&t->readers[i].source);
		records += t->readers[i].records;
	}
	char part[40] = "";
	if (t->total)
		(void)snprintf(part, sizeof(part), "%.0f%%, ", 100.0 * (double)bytes / (double)t->total);
	(void)fprintf(stderr, "%s%s: %s%" PRIu64 " MiB, %" PRIu64 " records%s", t->to_terminal ? "\r" : "", t->program,
		part, bytes >> 20, records, t->to_terminal ? "\033[K" : "\n");
	(void)fflush(stderr);
	t->progress_shown = true;
}
