/* SPDX-License-Identifier: MIT */
/* tell: what is said of a stream that breaks a rule. */
#include "parts.h"

#include <stdio.h>
#include <string.h>

enum {
	TOLD = 5, /* issues of a kind that are told one by one */
};

/* ---- Hints: what the user may have got wrong, and the keys that tell. ---- */

enum {
	HINT_KEYS = 3,
};

static const struct {
	const char *text;
	const char *keys[HINT_KEYS];
} hints[PRISM_CODES] = {
#define OTHER_STREAM                                                     \
	{                                                                \
		"is it the right layout, word size and initial config?", \
		{                                                        \
			"compute_layout", "word_size", "initial_config"  \
		}                                                        \
	}
	[PRISM_PB01] = { "the file was cut, or its level of detail or layout is another", { "initial_config", "compute_layout" } },
	[PRISM_PB02] = OTHER_STREAM,
	[PRISM_PB03] = { "if such events have one byte, it must be said", { "control_flow" } },
	[PRISM_PB04] = OTHER_STREAM,
	[PRISM_PB07] = OTHER_STREAM,
	[PRISM_PB08] = OTHER_STREAM,
	[PRISM_PB11] = OTHER_STREAM,
	[PRISM_PB12] = OTHER_STREAM,
	[PRISM_PB15] = { "if the file is a row of buffers, their size must be told", { "buffer_size" } },
	[PRISM_PB16] = { "is the size of the buffers right?", { "buffer_size" } },
	[PRISM_PT01] = { "are they those of this stream? a config event has one too, and an End has none", { "timestamps" } },
	[PRISM_PT02] = { "are they those of this stream, in nanoseconds, eight bytes each, the lowest first?", { "timestamps" } },
#undef OTHER_STREAM
};

const char *
prismtell_hint(const struct prism_options *o, int code, char *buf, size_t size)
{
	const char *text = code > 0 && code < PRISM_CODES ? hints[code].text : NULL;
	if (!text)
		return NULL;
	size_t n = (size_t)snprintf(buf, size, "%s%s see %s", text, text[strlen(text) - 1] == '?' ? "" : ":", o->prefix ? "" : "the description, ");
	const char *const *keys = hints[code].keys;
	for (int i = 0; i < HINT_KEYS && keys[i] && n < size; i++) {
		size_t from = n;
		n += (size_t)snprintf(buf + n, size - n, "%s%s%s", i ? ", " : "", o->prefix ? o->prefix : "", keys[i]);
		for (char *k = buf + from; o->prefix && *k; k++)
			*k = *k == '_' ? '-' : *k;
	}
	return buf;
}

/* ---- Messages. ---- */

static struct place
place_of(const struct prism_stream *s)
{
	return (struct place){ .file = s->source.name, .has_offset = true, .offset = s->rec.offset };
}

/* A writer that dies is no fault of what it wrote before. */
static bool
passes(const struct prism *p, uint32_t n, enum prism_code code)
{
	return p->options->lenient || prism_code_warns((int)code) || (code == PRISM_PB01 && p->streams[n].source.live);
}

int
prism_issue(struct prism *p, uint32_t stream, enum prism_code code, const char *fmt, ...)
{
	const struct prism_stream *s = &p->streams[stream];
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	struct place at = place_of(s);
	if (s->mcv[0]) { /* it was read */
		at.has_clock = true;
		at.clock = (int64_t)s->rec.clock_ns;
		at.mcv = s->mcv;
	}
	const char *name = prism_code_name((int)code);
	const char *lenient = prism_code_lenient((int)code);
	uint64_t n = ++p->counts[code];
	if (!passes(p, stream, code)) {
		char buf[PRISM_HINT_MAX];
		const char *hint = prismtell_hint(p->options, (int)code, buf, sizeof(buf));
		/* Who has no options cannot be lenient. */
		bool can_pass = p->options->prefix != NULL;
		return diag_error(p->trace->diag, ERR_PRISM, &at, "%s: %s%s%s%s%s", name, text, hint ? "\nhint: " : "", hint ? hint : "",
			can_pass ? "\nhint: with --lenient: " : "", can_pass ? lenient : "");
	}
	if (n <= TOLD)
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

int
prismtell_torn(struct prism *p, uint32_t n)
{
	static const char *const text = "the compressed file ends inside a frame";
	struct place at = place_of(&p->streams[n]);
	if (!p->options->lenient)
		return diag_error(p->trace->diag, ERR_STREAM_TRUNCATED, &at, "%s", text);
	diag_warn(p->trace->diag, &at, "%s", text);
	return 0;
}

int
prismtell_late(struct prism *p, uint32_t n)
{
	struct place at = place_of(&p->streams[n]);
	return diag_error(p->trace->diag, ERR_PRISM, &at, "the time does not fit in 63 bits of nanoseconds");
}
