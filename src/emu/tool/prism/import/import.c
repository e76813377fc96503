/* SPDX-License-Identifier: MIT */
/* The subcommand import: streams out of the traces of other tools. */
#include "import.h"

#include "kit/outdir.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* In the order in which content is compared with them: the first that knows a line has it. */
static const struct import_format *const formats[] = {
	&import_lackey,
	&import_drmemtrace,
	&import_champsim,
	&import_perf,
	&import_uftrace,
	&import_uftrace_chrome,
	NULL,
};

const char *const import_words[IMPORT_FORMATS] = { "lackey", "drmemtrace", "champsim", "perf", "uftrace", "uftrace-chrome" };

/* ---- Which format it is. ---- */

/* Of a line, or, with records, of what the file begins with. NULL: none is sure. */
static const struct import_format *
compare(const char *p, const char *end, bool records)
{
	for (size_t i = 0; formats[i]; i++)
		if ((formats[i]->record > 0) == records && formats[i]->is(p, end))
			return formats[i];
	return NULL;
}

/* Looks at all that the window can hold. Returns 0, or <0 (reported). */
static int
recognise(struct import *im)
{
	struct intake *in = &im->in;
	size_t looked = 0; /* lines in front of here were */
	int more = 1;
	while (more > 0 && !im->format) {
		im->format = compare(in->p, in->end, true); /* a pipe may bring a record in pieces */
		const char *p = in->p + looked;
		const char *eol;
		while (!im->format && p < in->end && (eol = memchr(p, '\n', (size_t)(in->end - p)))) {
			im->format = compare(p, eol > p && eol[-1] == '\r' ? eol - 1 : eol, false);
			p = eol + 1;
		}
		looked = (size_t)(p - in->p);
		more = im->format ? 0 : intake_more(in);
	}
	if (more < 0 || im->format)
		return more < 0 ? more : 0;
	if (in->p == in->end && in->eof)
		return conv_error(in->conv, "import", "%s is empty", in->name);
	return conv_fail(in->conv, "import", "the format of %s is not known\nhint: --from=FORMAT names it; see --help", in->name);
}

/* ---- Lines and records. ---- */

/* Tells what is wrong with the line or record at p. Returns 0: it is skipped, <0: stop. */
static int
refuse(struct import *im, const char *p, const char *problem)
{
	struct conv *c = &im->tool->conv;
	char text[160];
	bool lines = im->format->record == 0;
	if (im->failed || conv_interrupted())
		return -1;
	im->bad++;
	(void)snprintf(text, sizeof(text), lines ? "%s" : "%s (record %" PRIu64 ")", problem, im->at);
	conv_tell(c,
		&(struct conv_issue){
			.error = "import",
			.text = text,
			.file = im->in.name,
			.line = lines ? im->at : 0,
			.offset = intake_offset(&im->in, p),
			.nth = im->bad,
			.fatal = !c->lenient,
			.hint = im->format->hint,
			.lenient = "it is skipped",
		});
	return c->lenient ? 0 : -1;
}

static int
take(struct import *im, const char *p, const char *end)
{
	const char *problem = im->format->take(im, p, end);
	return __builtin_expect(problem != NULL, 0) ? refuse(im, p, problem) : 0;
}

/* Those that are there. Returns 0, or <0. */
static int
take_lines(struct import *im)
{
	struct intake *in = &im->in;
	const char *eol;
	int rc = 0;
	while (rc == 0 && (eol = memchr(in->p, '\n', (size_t)(in->end - in->p)))) {
		im->at++;
		rc = take(im, in->p, eol > in->p && eol[-1] == '\r' ? eol - 1 : eol);
		in->p = eol + 1;
	}
	return rc;
}

static int
take_records(struct import *im)
{
	struct intake *in = &im->in;
	size_t size = im->format->record;
	int rc = 0;
	for (; rc == 0 && (size_t)(in->end - in->p) >= size; in->p += size) {
		im->at++;
		rc = take(im, in->p, in->p + size);
	}
	return rc;
}

/* Passes over the rest of a line that the window cannot hold. Returns 0, or <0 (reported). */
static int
skip_line(struct import *im)
{
	struct intake *in = &im->in;
	const char *eol = NULL;
	im->at++;
	int rc = refuse(im, in->p, "the line is longer than 262144 bytes");
	while (rc == 0 && !eol) {
		in->p = in->end;
		int more = intake_more(in);
		if (more <= 0)
			return more;
		eol = memchr(in->p, '\n', (size_t)(in->end - in->p));
	}
	if (eol)
		in->p = eol + 1;
	return rc;
}

/* What the input ends with. Returns 0, or <0 (reported). */
static int
take_end(struct import *im)
{
	struct intake *in = &im->in;
	const char *problem = NULL;
	int rc = 0;
	if (in->p < in->end) {
		im->at++;
		problem = im->format->record ? "the file ends inside a record" : "the file ends inside a line";
	} else if (im->format->finish) {
		problem = im->format->finish(im);
	}
	if (problem)
		rc = refuse(im, in->p, problem);
	if (rc == 0 && in->bytes.torn && !in->conv->lenient)
		rc = conv_error(in->conv, "read", "%s ends inside a frame of its compression", in->name);
	else if (rc == 0 && in->bytes.torn)
		conv_warn(in->conv, "%s ends inside a frame of its compression", in->name);
	return rc;
}

static int
take_all(struct import *im)
{
	struct intake *in = &im->in;
	struct ptool *t = im->tool;
	int more = 1;
	int rc = 0;
	while (rc == 0 && more > 0) {
		rc = im->format->record ? take_records(im) : take_lines(im);
		t->read = in->bytes.nread;
		t->made = im->events;
		conv_show_progress(&t->conv);
		if (rc == 0 && !importstream_good(im))
			rc = -1; /* told when they are closed */
		if (!im->dir && rc == 0)
			(void)wbuf_flush(&t->conv.out);
		if (rc == 0 && intake_is_full(in))
			rc = skip_line(im); /* those behind it are there */
		else if (rc == 0)
			more = intake_more(in);
	}
	if (rc == 0)
		rc = more < 0 ? more : take_end(im);
	return rc;
}

/* ---- The run. ---- */

/* What was not as it should be, and what is there after an error. */
static void
report(struct import *im, int rc)
{
	struct conv *c = &im->tool->conv;
	const char *unit = im->format->record ? "record" : "line";
	if (im->wide)
		conv_warn(c, "%" PRIu64 " address%s more than 56 bits, the first in %s %" PRIu64 ": the upper ones are those of bit 55", im->wide,
			im->wide == 1 ? " has" : "es have", unit,
			im->wide_at);
	if (im->left)
		conv_warn(c, "%" PRIu64 " %s%s of which a stream cannot tell", im->left, unit, im->left == 1 ? " is left out," : "s are left out,");
	if (rc == 0 && !im->first)
		conv_warn(c, "%s has no event", im->in.name);
	if (rc != 0 && im->first && im->dir && !im->failed)
		conv_warn(c, "what came before is kept: %" PRIu64 " event%s of %" PRIu32 " stream%s in %s", im->events, im->events == 1 ? "" : "s",
			im->nstreams, im->nstreams == 1 ? "" : "s", im->dir);
	if (rc == 0 && im->bad)
		conv_count(c, "import", im->bad, "what is no line or record of the format", "skipped");
}

/* The directory is there, and empty. Returns 0, <0 (reported), or 2. */
static int
make_directory(struct import *im, const char *out)
{
	struct ptool *t = im->tool;
	if (strcmp(out, "-") == 0)
		return im->format->timed ? conv_usage(&t->conv, "%s has threads and times: -o must be a directory", im->format->name) : 0;
	im->dir = out;
	int rc = outdir_make(&t->conv.diag, out);
	int empty = rc < 0 ? 1 : outdir_is_empty(&t->conv.diag, out);
	if (rc < 0 || empty < 0) {
		t->conv.reported = true;
		return -1;
	}
	return empty ? 0 : conv_usage(&t->conv, "the directory %s is not empty", out);
}

static int
import(struct import *im, const char *in, const char *out)
{
	struct ptool *t = im->tool;
	int rc = intake_open(&im->in, &t->conv, in);
	if (rc == 0 && !im->format)
		rc = recognise(im);
	if (rc == 0)
		rc = make_directory(im, out);
	if (rc != 0)
		return rc;
	im->state = arena_alloc(&t->arena, 1, im->format->state);
	if (!im->state)
		return conv_no_memory(&t->conv);
	reader_pool_init(&t->readers, &t->diag, 1); /* descriptors for many threads */
	im->last = &im->first;
	rc = take_all(im);
	rc = importstream_close(im, rc);
	report(im, rc);
	return rc;
}

static int
run_import(struct conv *c, int argc, char **argv)
{
	struct ptool *t = ptool_of(c);
	struct import im = { .tool = t, .names.size = sizeof(struct import_name) };
	const char *in;
	const char *out;
	int rc = conv_in_and_out(c, argc, argv, &in, &out);
	if (rc != 0)
		return rc;
	if (!out)
		return conv_usage(c, "a directory for the streams is missing: -o DIR");
	if (t->from >= 0)
		im.format = formats[t->from];
	ptool_ready(t);
	rc = import(&im, in, out);
	intake_close(&im.in);
	return rc;
}

const struct conv_command pcommand_import = {
	.name = "import",
	.synopsis = "[options] [FILE] -o DIR",
	.brief = "streams out of traces of other tools",
	.about = "Write streams, one a thread, out of a trace of another tool. Its content tells\nwhich one that is, unless --from does.",
	.with = CONV_WITH_OUTPUT | PTOOL_WITH_IMPORT,
	.max_args = 2,
	.run = run_import,
};
