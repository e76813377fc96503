/* SPDX-License-Identifier: MIT */
/* The subcommands text and binary: references from one form to the other. */
#include "ltool.h"

#include "lapref.h"

/* IN and OUT, which default to the standard input and output. */
static int
open_files(struct ltool *t, int argc, char **argv, enum lap_format format)
{
	if (argc > 1 && t->out_path)
		return ltool_usage(t, "the output is named twice: %s and %s", t->out_path, argv[1]);
	int rc = ltool_open_inputs(t, argc > 0, argv, format);
	return rc != 0 ? rc : ltool_open_output(t, argc > 1 ? argv[1] : t->out_path);
}

static int
run_text(struct ltool *t, int argc, char **argv)
{
	struct lap_record rec;
	int rc = open_files(t, argc, argv, LAP_BINARY);
	if (rc != 0)
		return rc;
	while ((rc = lapread_next(t->readers, &rec)) > 0) {
		wbuf_commit(&t->out, lapref_put_line(wbuf_reserve(&t->out, LAPREF_ROOM), &rec));
		if (ltool_stop(t))
			break;
	}
	return rc < 0 ? rc : 0;
}

static int
run_binary(struct ltool *t, int argc, char **argv)
{
	struct lap_record rec;
	int rc = open_files(t, argc, argv, LAP_TEXT);
	if (rc != 0)
		return rc;
	while ((rc = lapread_next(t->readers, &rec)) > 0) {
		char *to = wbuf_reserve(&t->out, LAP_RECORD_SIZE);
		lapref_encode((uint8_t *)to, t->endian, &rec);
		wbuf_commit(&t->out, to + LAP_RECORD_SIZE);
		if (ltool_stop(t))
			break;
	}
	return rc < 0 ? rc : 0;
}

const struct lcommand lcommand_text = {
	.name = "text",
	.synopsis = "[options] [INFILE [OUTFILE]]",
	.brief = "binary references to text",
	.about = "Print binary references as text, a line each.",
	.with = LTOOL_WITH_OUTPUT,
	.max_args = 2,
	.run = run_text,
};

const struct lcommand lcommand_binary = {
	.name = "binary",
	.synopsis = "[options] [INFILE [OUTFILE]]",
	.brief = "references in text to binary",
	.about = "Write references in text as binary records of 18 bytes.",
	.with = LTOOL_WITH_OUTPUT,
	.max_args = 2,
	.run = run_binary,
};
