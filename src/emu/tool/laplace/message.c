/* SPDX-License-Identifier: MIT */
/* message: what ovniscope-laplace says on stderr. */
#include "tool.h"

#include <stdlib.h>

/* Others are named as errors are. */
static bool
has_code(int code)
{
	return abs(code) < LAP_CODES;
}

int
ltool_code(struct ltool *t, int code)
{
	if (t->conv.reported)
		return -1;
	if (has_code(code))
		return conv_error(&t->conv, "laplace", "%s: %s", lap_code_name(code), lap_code_text(code));
	return conv_error(&t->conv, lap_code_name(code), "%s", lap_code_text(code));
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
	conv_tell(&t->conv,
		&(struct conv_issue){
			.error = has_code(issue->code) ? "laplace" : lap_code_name(issue->code),
			.code = has_code(issue->code) ? lap_code_name(issue->code) : NULL,
			.text = issue->text,
			.file = issue->file,
			.line = issue->line,
			.offset = issue->offset,
			.nth = issue->code < LAP_CODES ? t->log.counts[issue->code] : 1,
			.fatal = fatal,
			.hint = hint(issue->code),
			.lenient = issue->code < LAP_LJ01 ? lap_code_lenient(issue->code) : NULL,
		});
}

void
ltool_so_far(const struct conv *c, uint64_t *bytes, uint64_t *records)
{
	const struct ltool *t = (const struct ltool *)c;
	for (size_t i = 0; i < t->nreaders; i++) {
		*bytes += lapsource_offset(&t->readers[i].source);
		*records += t->readers[i].records;
	}
}

void
ltool_finish(struct conv *c, bool good)
{
	struct ltool *t = ltool_of(c);
	for (size_t i = 0; i < t->nreaders; i++)
		lapread_close(&t->readers[i]);
	free(t->readers);
	free(t->in_fds);
	for (int code = 1; good && code < LAP_CODES; code++)
		if (!t->conv.quiet || !lap_is_warning(code))
			conv_count(&t->conv, lap_code_name(code), t->log.counts[code], lap_code_text(code), lap_code_lenient(code));
}
