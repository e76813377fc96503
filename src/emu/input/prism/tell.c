/* SPDX-License-Identifier: MIT */
/* tell: messages about streams that break a rule. */
#include "parts.h"

#include <stdio.h>

enum {
	TOLD = 5, /* issues of a kind that are told one by one */
};

struct place
prismtell_place(const struct prism_stream *s)
{
	return (struct place){ .file = s->source->name, .has_offset = true, .offset = s->file.rec.offset };
}

/* Whether a code does not stop the run. PB01 of live input does not: its writer died, but
 * what it wrote is good. */
static bool
passes(const struct prism *p, uint32_t n, enum prism_code code)
{
	return p->options->lenient || prism_code_warns((int)code) || (code == PRISM_PB01 && p->streams[n].source->live);
}

int
prism_issue(struct prism *p, uint32_t stream, enum prism_code code, const char *fmt, ...)
{
	const struct prism_stream *s = &p->streams[stream];
	char text[400];
	uint64_t n = ++p->sources.counts[code];
	bool good = passes(p, stream, code);
	if (good && n > TOLD)
		return 0;
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	struct place at = prismtell_place(s);
	if (s->mcv[0]) { /* it was read */
		at.has_clock = true;
		at.clock = (int64_t)s->file.rec.clock_ns;
		at.mcv = s->mcv;
	}
	const char *name = prism_code_name((int)code);
	const char *lenient = prism_code_lenient((int)code);
	if (!good) {
		char buf[PRISM_HINT_MAX];
		const char *hint = prismhint_get(&p->options->keys, (int)code, buf);
		/* A tool without options cannot be lenient. */
		bool can_pass = p->options->keys.prefix != NULL;
		return diag_error(p->trace->diag, ERR_PRISM, &at, "%s: %s%s%s%s%s", name, text, hint ? "\nhint: " : "", hint ? hint : "",
			can_pass ? "\nhint: with --lenient: " : "", can_pass ? lenient : "");
	}
	diag_warn(p->trace->diag, &at, "%s: %s: %s%s", name, text, lenient, n == TOLD ? "\nmore of these are only counted" : "");
	return 0;
}

int
prismtell_issues(struct prism *p, uint32_t n, uint32_t issues)
{
	int rc = 0;
	for (int code = 1; code < PRISM_CODES && rc == 0; code++)
		if (issues & 1U << code)
			rc = prism_issue(p, n, (enum prism_code)code, "%s", prism_code_text(code));
	return rc;
}
