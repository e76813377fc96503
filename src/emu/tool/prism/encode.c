/* SPDX-License-Identifier: MIT */
/* The subcommand encode: a stream out of text. */
#include "line.h"
#include "write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	LINE_MAX_BYTES = 16384,
};

struct encoder {
	struct ptool *tool;
	const char *file;
	struct prism_source source;
	struct ptwrite writer;
	bool begun; /* settings are no longer taken */
	uint64_t line;
	uint64_t offset; /* of the line */
	uint64_t bad;
	struct ptline parsed;
	char text[LINE_MAX_BYTES];
};

/* Tells what is wrong with a line. Returns 0: the line is skipped, <0: stop. */
static int
bad_line(struct encoder *e, const char *error, const char *code, size_t column, const char *problem)
{
	struct conv *c = &e->tool->conv;
	e->bad++;
	conv_tell(c,
		&(struct conv_issue){
			.error = error,
			.code = code,
			.text = problem,
			.file = e->file,
			.line = e->line,
			.offset = e->offset + column,
			.nth = e->bad,
			.fatal = !c->lenient,
			.lenient = "the line is skipped, or what it cannot say is left out",
		});
	return c->lenient ? 0 : -1;
}

static int
bad_code(struct encoder *e, int code)
{
	if (code == PRISM_E_MEMORY)
		return conv_no_memory(&e->tool->conv);
	if (code == PRISM_E_VALUE)
		return bad_line(e, "value", NULL, 0, prism_code_text(code));
	return bad_line(e, "prism", prism_code_name(code), 0, prism_code_text(code));
}

/* ---- What the level of detail has, and the text has not, or the other way round. ---- */

static int
check_detail(struct encoder *e, const struct prism_event *ev)
{
	static const char *const fields[] = { "type", "size", "address", "id", "format", "operation", "arity", "ids or words", "name" };
	const uint32_t meta = PRISM_HAS_ID | PRISM_HAS_NAME;
	char text[80];
	if (ev->kind >= PRISM_CF)
		return 0;
	uint32_t has = ptline_has(ev);
	uint32_t shown = prism_detail_has(ev->kind, e->writer.state.detail[ev->kind]);
	/* A context has an id or a name. */
	if (ev->kind == PRISM_CXT && (shown & meta) && ev->cxt.type)
		shown = (shown & ~meta) | (prism_cxt_is_named(ev->cxt.type) ? PRISM_HAS_NAME : PRISM_HAS_ID);
	const struct ptfield *f = ptline_fields(ev->kind);
	while (f->has && !((has ^ shown) & f->has))
		f++;
	if (!f->has)
		return 0;
	const char *name = fields[__builtin_ctz(f->has)];
	bool many = f->has == PRISM_HAS_ARGS;
	if (has & f->has)
		(void)snprintf(text, sizeof(text), "the level of detail shows no %s", name);
	else
		(void)snprintf(text, sizeof(text), "%s%s %s missing, which the level of detail shows", many ? "" : "the ", name, many ? "are" : "is");
	return bad_line(e, "detail", NULL, 0, text);
}

/* ---- Lines. ---- */

static int
begin(struct encoder *e)
{
	if (e->begun)
		return 0;
	e->begun = true;
	struct ptool *t = e->tool;
	int rc = ptool_apply(t, &e->source);
	if (rc == 0 && e->source.names)
		rc = conv_usage(&t->conv, "--to-names=PATH writes the table of names of a stream");
	ptool_set_names(t, &e->source);
	if (rc == 0)
		ptwrite_begin(&e->writer, &t->conv, &e->source.settings, e->source.buffer_size);
	return rc;
}

static int
take_settings(struct encoder *e, const struct ptline *l)
{
	if (e->begun)
		return bad_line(e, "text", NULL, 0, "settings stand in front of all events");
	for (size_t i = 0; i < l->nsets; i++) {
		int rc = prismdesc_set(&e->tool->sources, &(struct prism_setting){ l->key[i], l->value[i] }, e->file, &e->source);
		if (rc < 0)
			return bad_line(e, "text", NULL, 0, "this is no setting of a stream");
	}
	return 0;
}

static int
take_line(struct encoder *e, const char *text, size_t n)
{
	struct ptline *l = &e->parsed;
	if (!ptline_parse(l, text, n))
		return bad_line(e, "text", NULL, l->column, l->problem);
	if (l->type == PTLINE_EMPTY)
		return 0;
	if (l->type == PTLINE_STREAM)
		return take_settings(e, l);
	int rc = begin(e);
	if (rc != 0)
		return rc;
	if (l->type == PTLINE_BYTES) {
		ptwrite_bytes(&e->writer, l->bytes, l->nbytes);
		return 0;
	}
	uint64_t before = e->bad;
	rc = check_detail(e, &l->ev);
	if (rc < 0)
		return rc;
	rc = ptwrite_event(&e->writer, &l->ev);
	/* A line is told once. */
	return rc < 0 && e->bad == before ? bad_code(e, -rc) : 0;
}

/* The next line, without its end; what does not fit is passed over, and *cut set. <0: the
 * end. */
static ssize_t
read_line(FILE *f, char *text, uint64_t *bytes, bool *cut)
{
	size_t n = 0;
	int ch;
	*bytes = 0;
	*cut = false;
	while ((ch = getc_unlocked(f)) != EOF) {
		++*bytes;
		if (ch == '\n')
			break;
		if (n < LINE_MAX_BYTES)
			text[n++] = (char)ch;
		else
			*cut = true;
	}
	return *bytes ? (ssize_t)n : -1;
}

static int
take_all(struct encoder *e, FILE *f)
{
	struct conv *c = &e->tool->conv;
	uint64_t bytes;
	ssize_t n;
	bool cut;
	int rc = 0;
	while (rc == 0 && (n = read_line(f, e->text, &bytes, &cut)) >= 0) {
		e->line++;
		rc = cut ? bad_line(e, "text", NULL, LINE_MAX_BYTES, "the line is too long") : take_line(e, e->text, (size_t)n);
		e->offset += bytes;
		if (conv_stop(c))
			break;
	}
	if (rc == 0 && ferror(f))
		rc = conv_interrupted() ? -1 : conv_error(c, "read", "cannot read %s: %s", e->file, strerror(errno));
	return rc != 0 ? rc : begin(e);
}

static int
encode(struct encoder *e, const char *in, const char *out)
{
	struct ptool *t = e->tool;
	struct conv *c = &t->conv;
	uint64_t size;
	int fd = conv_open_input(c, in, &size);
	if (fd < 0)
		return fd;
	int rc = ptool_check_outputs(t, out);
	if (rc == 0)
		rc = conv_open_output(c, out);
	if (rc == 0 && ptool_writes_names(t))
		rc = conv_open_beside(c, PTOOL_NAMES, t->to_names);
	if (rc != 0)
		return rc;
	fd = dup(fd);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	if (!f) {
		if (fd >= 0)
			(void)close(fd);
		return conv_error(c, "read", "cannot read %s: %s", e->file, strerror(errno));
	}
	rc = take_all(e, f);
	(void)fclose(f);
	if (rc == 0 && !e->writer.closed)
		rc = ptool_issue(t, e->file, e->offset, PRISM_PB14);
	if (rc == 0)
		rc = ptool_describe(t, out, &e->source);
	return rc;
}

static int
run_encode(struct conv *c, int argc, char **argv)
{
	struct ptool *t = ptool_of(c);
	const char *in;
	const char *out;
	int rc = conv_in_and_out(c, argc, argv, &in, &out);
	if (rc != 0)
		return rc;
	struct encoder *e = calloc(1, sizeof(*e));
	if (!e)
		return conv_no_memory(c);
	e->tool = t;
	e->file = conv_input_name(in);
	ptool_ready(t);
	prismdesc_default(&e->source);
	rc = encode(e, in, out);
	if (rc == 0 && e->bad)
		conv_count(c, "text", e->bad, "a line that cannot be written as it stands", "skipped, or written without what it cannot say");
	ptwrite_finish(&e->writer);
	free(e);
	return rc;
}

const struct conv_command pcommand_encode = {
	.name = "encode",
	.synopsis = "[options] [TEXTFILE [OUTFILE]]",
	.brief = "a stream out of such text",
	.about = "Write a stream out of text as `dump` prints it.",
	.with = CONV_WITH_OUTPUT | PTOOL_WITH_INPUT | PTOOL_WITH_DESCRIBE,
	.max_args = 2,
	.run = run_encode,
};
