/* SPDX-License-Identifier: MIT */
/* issue: reports events that no correct program has. */
#include "parts.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bytes that are not UTF-8, or would break a line, become \xNN; so does the first byte of a
 * blank name, which would be no label. */
const char *
prismissue_text(char *text, const struct prism_name *name)
{
	const char *p = name->text;
	const char *end = p + name->len;
	size_t blanks = 0;
	while (blanks < name->len && name->text[blanks] == ' ')
		blanks++;
	const char *plain = blanks == name->len ? p + 1 : p;
	char *to = text;
	while (p < end) {
		uint32_t c;
		size_t n = p < plain ? 0 : utf8_next(p, (size_t)(end - p), &c);
		if (n && !utf8_is_control(c)) {
			memcpy(to, p, n);
			to += n;
			p += n;
			continue;
		}
		for (size_t i = n ? n : 1; i; i--)
			to += snprintf(to, 5, "\\x%02x", (unsigned)(uint8_t)*p++);
	}
	*to = 0;
	return text;
}

/* Reports an exit with the context that is left and the one on top. */
static int
tell_exit(struct prismmodel *d, int code)
{
	char want[PRISMISSUE_TEXT];
	char have[PRISMISSUE_TEXT];
	const struct prism_step *step = &d->step;
	if (!step->name)
		return prism_issue(d->p, d->stream, PRISM_PM01, "exit, but nothing was entered");
	(void)prismissue_text(want, step->name);
	if (code == PRISM_PM01)
		return prism_issue(d->p, d->stream, PRISM_PM01, "exit of \"%s\", but nothing was entered", want);
	return prism_issue(d->p, d->stream, PRISM_PM02, "exit of \"%s\", but \"%s\" is on top", want, prismissue_text(have, step->top));
}

static int
tell_unlock(struct prismmodel *d, const struct prism_sync *s)
{
	const char *kind = s->type == PRISM_SPIN_UNLOCK ? "spin lock" : "mutex";
	if (s->nargs)
		return prism_issue(d->p, d->stream, PRISM_PM03, "unlock of the %s %#" PRIx64 ", which it does not hold", kind, s->arg[0]);
	return prism_issue(d->p, d->stream, PRISM_PM03, "unlock, but it holds none");
}

static int
tell(struct prismmodel *d, const struct prism_event *pe, int code)
{
	const struct prism_step *step = &d->step;
	uint64_t id;
	switch (code) {
	case PRISM_PM01:
	case PRISM_PM02: return tell_exit(d, code);
	case PRISM_PM03: return tell_unlock(d, &pe->sync);
	case PRISM_PM04:
		return prism_issue(d->p, d->stream, PRISM_PM04, "thread %" PRIu32 " runs in %s already", step->thread->id, d->p->sources.list[step->from->number].name);
	case PRISM_PM05:
		(void)prismthreads_how(pe, true, &id);
		return prism_issue(d->p, d->stream, PRISM_PM05, "no thread can have the id %" PRIu64, id);
	default: return prism_issue(d->p, d->stream, PRISM_PM06, "%d contexts of this kind are entered already", PRISM_DEPTH_MAX);
	}
}

/* Highest code first: an impossible id (PM05) is found before the CPU of its thread (PM04). */
int
prismissue_tell(struct prismmodel *d, const struct prism_event *pe)
{
	int rc = 0;
	d->codes |= d->step.issues;
	for (int code = PRISM_PM06; code >= PRISM_PM01 && rc == 0; code--)
		if (d->step.issues & 1U << code)
			rc = tell(d, pe, code);
	return rc;
}
