/* SPDX-License-Identifier: MIT */
/* The subcommands that write one file record by record: text and binary, which change the form of
 * references, merge and basic, which make one file of several. */
#include "tool.h"

#include "laplace/kernel.h"
#include "laplace/ref.h"

static int
put_line(void *self, const struct lap_record *rec, const struct lap_place *at)
{
	(void)at;
	struct ltool *t = self;
	struct wbuf *out = &t->conv.out;
	if (rec->type == LAP_REF) {
		wbuf_commit(out, lapref_put_line(wbuf_reserve(out, LAPREF_ROOM), rec));
		return 0;
	}
	if (rec->type != LAP_EVENT)
		return conv_error(&t->conv, "format", "a basic or per-process merge has no addresses any more");
	char line[LAPKERNEL_ROOM];
	int n = ltool_put_event(t, rec->event, line);
	if (n > 0)
		wbuf_put(out, line, (size_t)n);
	return n;
}

static int
put_binary(void *self, const struct lap_record *rec, const struct lap_place *at)
{
	(void)at;
	struct ltool *t = self;
	char *to = wbuf_reserve(&t->conv.out, LAP_RECORD_SIZE);
	lapref_encode((uint8_t *)to, t->endian, rec);
	wbuf_commit(&t->conv.out, to + LAP_RECORD_SIZE);
	return 0;
}

static int
put_basic(void *self, const struct lap_record *rec, const struct lap_place *at)
{
	struct ltool *t = self;
	struct lap_step step;
	int rc = ltool_step(t, rec, at, &step);
	for (int i = 0; rc > 0 && rec->type == LAP_REF && i < step.ntouches; i++) {
		struct lap_record page = { .kind = rec->kind, .page = step.touch[i].page };
		wbuf_commit(&t->conv.out, lapref_put_basic(wbuf_reserve(&t->conv.out, LAPREF_ROOM), &page));
	}
	return rc;
}

/* From IN to OUT, which default to the standard input and output. */
static int
run_form(struct conv *c, int argc, char **argv)
{
	struct ltool *t = ltool_of(c);
	bool to_text = c->command == &lcommand_text;
	const char *in;
	t->format = to_text ? LAP_BINARY : LAP_TEXT;
	int rc = conv_in_and_out(c, argc, argv, &in, &c->out_path);
	if (rc == 0)
		rc = ltool_open(t, argc > 0, argv, conv_open_output);
	return rc ? rc : ltool_each(t, to_text ? put_line : put_binary, t);
}

static int
run_merge(struct conv *c, int argc, char **argv)
{
	struct ltool *t = ltool_of(c);
	int rc = ltool_open(t, argc, argv, conv_open_output);
	return rc ? rc : ltool_each(t, c->command == &lcommand_basic ? put_basic : put_line, t);
}

const struct conv_command lcommand_text = {
	.name = "text",
	.synopsis = "[options] [INFILE [OUTFILE]]",
	.brief = "binary references to text",
	.about = "Print binary references as text, a line each.",
	.with = CONV_WITH_OUTPUT,
	.max_args = 2,
	.run = run_form,
};

const struct conv_command lcommand_binary = {
	.name = "binary",
	.synopsis = "[options] [INFILE [OUTFILE]]",
	.brief = "references in text to binary",
	.about = "Write references in text as binary records of 18 bytes.",
	.with = CONV_WITH_OUTPUT,
	.max_args = 2,
	.run = run_form,
};

const struct conv_command lcommand_merge = {
	.name = "merge",
	.synopsis = "[options] [-o OUT] [FILE...]",
	.brief = "references and kernel events to one text, by time",
	.about = "Interleave references and kernel events in the order of their timestamps.",
	.with = CONV_WITH_OUTPUT | LTOOL_WITH_FORMAT | LTOOL_WITH_KERNEL,
	.max_args = -1,
	.run = run_merge,
};

const struct conv_command lcommand_basic = {
	.name = "basic",
	.synopsis = "[options] [-o OUT] [FILE...]",
	.brief = "kind and canonical page of each reference",
	.about = "Write kind and canonical page of each reference, without times and tasks.",
	.with = CONV_WITH_OUTPUT | LTOOL_WITH_FORMAT | LTOOL_WITH_MACHINE | LTOOL_WITH_KERNEL,
	.max_args = -1,
	.run = run_merge,
};
