/* SPDX-License-Identifier: MIT */
/* message: what the tool says on stderr. */
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

void
utool_end_progress(struct tool *t)
{
	if (t->progress_shown && t->to_terminal)
		(void)fprintf(stderr, "\r\033[K");
	t->progress_shown = false;
}

/* A message is one write, so that it does not mix with those of others. */
static void __attribute__((format(printf, 3, 0)))
say(struct tool *t, const char *kind, const char *fmt, va_list ap)
{
	char text[2000];
	int n = snprintf(text, sizeof(text), "%s: %s: ", t->program, kind);
	(void)vsnprintf(text + n, sizeof(text) - (size_t)n - 1, fmt, ap);
	utool_end_progress(t);
	(void)fprintf(stderr, "%s\n", text);
}

void
utool_error(struct tool *t, const char *name, const char *fmt, ...)
{
	char kind[64];
	(void)snprintf(kind, sizeof(kind), "error[%s]", name);
	va_list ap;
	va_start(ap, fmt);
	say(t, kind, fmt, ap);
	va_end(ap);
}

void
utool_warn(struct tool *t, const char *fmt, ...)
{
	if (t->quiet)
		return;
	va_list ap;
	va_start(ap, fmt);
	say(t, "warning", fmt, ap);
	va_end(ap);
}

int
utool_no_memory(struct tool *t)
{
	utool_error(t, "E_NOMEM", "out of memory");
	return STATUS_BAD;
}

/* What the user can do, after "hint: ". NULL: nothing comes to mind. */
static const char *
hint_of(const struct tool *t, const uscope_error_t *e)
{
	bool recovering = t->mode == USCOPE_RECOVER || strcmp(t->command->name, "recover") == 0;
	switch (e->status) {
	case USCOPE_E_MAGIC:
		return "a µScope file begins with the letters uSCP";
	case USCOPE_E_VERSION:
	case USCOPE_E_FLAGS:
		return "a newer uscope may be able to read it";
	case USCOPE_E_TRUNCATED:
		return "if the file is being written, try again when its writer has got further";
	case USCOPE_E_STRICT:
		return "without --mode=strict it is read all the same";
	case USCOPE_E_NODATA:
		return "`uscope info` tells when the trace begins and ends";
	case USCOPE_E_LIMIT:
		return "the file asks for more memory than is granted; it is probably damaged";
	case USCOPE_E_SECTION:
	case USCOPE_E_SEGMENT:
	case USCOPE_E_CHECKPOINT:
	case USCOPE_E_COMPRESS:
	case USCOPE_E_FRAME:
		if (recovering)
			return NULL;
		if (e->segment >= 0)
			return "only this segment is affected; `uscope recover` keeps the others";
		if (!(t->command->with & WITH_MODE))
			return "`uscope recover` keeps the segments that are whole";
		return "try --recover, or `uscope recover`, which keeps the segments that are whole";
	default:
		return NULL;
	}
}

int
utool_fail(struct tool *t, struct source *s, const uscope_error_t *e)
{
	int err = errno;
	char text[600];
	int n = snprintf(text, sizeof(text), "%s", *e->reason ? e->reason : uscope_status_text(e->status));
	if (e->status == USCOPE_E_IO && err && !strstr(text, strerror(err)))
		n += snprintf(text + n, sizeof(text) - (size_t)n, ": %s", strerror(err));
	n += snprintf(text + n, sizeof(text) - (size_t)n, "\n  in %.250s", s->path);
	if (e->segment >= 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", segment %" PRId64, e->segment);
	if (e->offset || e->segment >= 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", offset 0x%" PRIx64 "%s", e->offset,
			e->raw_offset ? " of its decompressed deltas" : "");
	const char *hint = hint_of(t, e);
	if (hint)
		(void)snprintf(text + n, sizeof(text) - (size_t)n, "\n  hint: %s", hint);
	utool_error(t, uscope_status_name(e->status), "%s", text);
	s->reported = true;
	return STATUS_BAD;
}

int
utool_failed(struct tool *t, struct source *s)
{
	return utool_fail(t, s, uscope_reader_error(s->reader));
}

static double
now(void)
{
	struct timespec ts;
	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void
utool_progress(struct tool *t, double done, double total)
{
	if (!t->show_progress || t->quiet || total <= 0)
		return;
	/* Lines of output on the same terminal are progress enough. */
	if (t->out_to_terminal && (t->out.written || t->out.used)) {
		utool_end_progress(t);
		return;
	}
	double at = now();
	if (t->progress_begin == 0)
		t->progress_begin = t->progress_last = at;
	if (at - t->progress_last < (t->to_terminal ? 0.2 : 1.0) && done < total)
		return;
	/* On a terminal short work shows nothing; a log gets the last line as well. */
	if (done >= total && t->to_terminal)
		return;
	t->progress_last = at;
	double took = at - t->progress_begin;
	double part = done / total;
	(void)fprintf(stderr, "%s%s: %5.1f %% done, %.0f s left%s", t->to_terminal ? "\r" : "", t->program, part * 100,
		part > 0 ? took / part - took : 0, t->to_terminal ? "\033[K" : "\n");
	(void)fflush(stderr);
	t->progress_shown = true;
}
