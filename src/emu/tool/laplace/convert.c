/* SPDX-License-Identifier: MIT */
/* The subcommands text and binary: references from one form to the other. */
#include "tool.h"

#include "laplace/ref.h"

/* IN and OUT, which default to the standard input and output. */
static int
open_files(struct ltool *t, int argc, char **argv, enum lap_format format)
{
	const char *in;
	const char *out;
	int rc = conv_in_and_out(&t->conv, argc, argv, &in, &out);
	if (rc == 0)
		rc = ltool_open_inputs(t, argc > 0, argv, format);
	return rc != 0 ? rc : conv_open_output(&t->conv, out);
}

static int
run_text(struct conv *c, int argc, char **argv)
{
	struct ltool *t = ltool_of(c);
	struct lap_record rec;
	int rc = open_files(t, argc, argv, LAP_BINARY);
	if (rc != 0)
		return rc;
	while ((rc = lapread_next(t->readers, &rec)) > 0) {
		wbuf_commit(&t->conv.out, lapref_put_line(wbuf_reserve(&t->conv.out, LAPREF_ROOM), &rec));
		if (conv_stop(&t->conv))
			break;
	}
	return rc < 0 ? rc : 0;
}

static int
run_binary(struct conv *c, int argc, char **argv)
{
	struct ltool *t = ltool_of(c);
	struct lap_record rec;
	int rc = open_files(t, argc, argv, LAP_TEXT);
	if (rc != 0)
		return rc;
	while ((rc = lapread_next(t->readers, &rec)) > 0) {
		char *to = wbuf_reserve(&t->conv.out, LAP_RECORD_SIZE);
		lapref_encode((uint8_t *)to, t->endian, &rec);
		wbuf_commit(&t->conv.out, to + LAP_RECORD_SIZE);
		if (conv_stop(&t->conv))
			break;
	}
	return rc < 0 ? rc : 0;
}

const struct conv_command lcommand_text = {
	.name = "text",
	.synopsis = "[options] [INFILE [OUTFILE]]",
	.brief = "binary references to text",
	.about = "Print binary references as text, a line each.",
	.with = CONV_WITH_OUTPUT,
	.max_args = 2,
	.run = run_text,
};

const struct conv_command lcommand_binary = {
	.name = "binary",
	.synopsis = "[options] [INFILE [OUTFILE]]",
	.brief = "references in text to binary",
	.about = "Write references in text as binary records of 18 bytes.",
	.with = CONV_WITH_OUTPUT,
	.max_args = 2,
	.run = run_binary,
};
