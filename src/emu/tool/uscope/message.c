/* SPDX-License-Identifier: MIT */
/* message: what the tool says on stderr. */
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

int
utool_error(struct tool *t, const char *name, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	diag_say(&t->diag, name, NULL, fmt, ap);
	va_end(ap);
	return STATUS_BAD;
}

int
utool_no_memory(struct tool *t)
{
	return utool_error(t, "E_NOMEM", "out of memory");
}

/* Advice for an error, printed after "hint: ". NULL: there is none. */
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
	n += snprintf(text + n, sizeof(text) - (size_t)n, "\nin %.250s", s->path);
	if (e->segment >= 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", segment %" PRId64, e->segment);
	if (e->offset || e->segment >= 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", offset 0x%" PRIx64 "%s", e->offset,
			e->raw_offset ? " of its decompressed deltas" : "");
	const char *hint = hint_of(t, e);
	if (hint)
		(void)snprintf(text + n, sizeof(text) - (size_t)n, "\nhint: %s", hint);
	return utool_error(t, uscope_status_name(e->status), "%s", text);
}

int
utool_failed(struct tool *t, struct source *s)
{
	return utool_fail(t, s, uscope_reader_error(s->reader));
}

void
utool_progress(struct tool *t, double done, double total)
{
	if (!t->progress.wanted || t->quiet || total <= 0)
		return;
	/* Lines of output on the same terminal are progress enough. */
	if (t->out_to_terminal && (t->out.written || t->out.used)) {
		diag_end_progress(&t->diag);
		return;
	}
	/* A log gets the last line as well. */
	if (!progress_due(&t->progress) && (done < total || t->progress.terminal))
		return;
	double part = done / total;
	double took = progress_took(&t->progress);
	diag_progress(&t->diag, "%5.1f %% done, %.0f s left", part * 100, part > 0 ? took / part - took : 0);
}
