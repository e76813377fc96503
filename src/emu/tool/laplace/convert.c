/* SPDX-License-Identifier: MIT */
/* The subcommands that write one file record by record: text and binary, which change the form of
 * references, merge and basic, which make one file of several. */
#include "tool.h"

#include "laplace/kernel.h"
#include "laplace/ref.h"

static inline void
put_text(struct ltool *t, const struct lap_record *rec)
{
	wbuf_commit(&t->conv.out, lapref_put_line(wbuf_reserve(&t->conv.out, LAPREF_ROOM), rec));
}

static inline void
put_binary(struct ltool *t, const struct lap_record *rec)
{
	char *to = wbuf_reserve(&t->conv.out, LAP_RECORD_SIZE);
	lapref_encode((uint8_t *)to, (enum lap_endian)t->endian, rec);
	wbuf_commit(&t->conv.out, to + LAP_RECORD_SIZE);
}

static int
put_line(void *self, const struct lap_record *rec, const struct lap_place *at)
{
	(void)at;
	struct ltool *t = self;
	char line[LAPKERNEL_ROOM];
	int n = 0;
	if (rec->type == LAP_REF)
		put_text(t, rec);
	else if (rec->type != LAP_EVENT)
		n = conv_error(&t->conv, "format", "a basic or per-process merge has no addresses any more");
	else if ((n = ltool_put_event(t, rec->event, line)) > 0)
		wbuf_put(&t->conv.out, line, (size_t)n);
	return n;
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

/* Changes the form of all records of the only input: put() is inlined. */
static inline int
change_form(struct ltool *t, void (*put)(struct ltool *t, const struct lap_record *rec))
{
	struct lap_record rec;
	int rc;
	while ((rc = lapread_next(t->readers, &rec)) > 0) {
		put(t, &rec);
		if (conv_stop(&t->conv))
			return -1;
	}
	return rc < 0 ? rc : ltool_end(t);
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
	if (rc)
		return rc;
	return to_text ? change_form(t, put_text) : change_form(t, put_binary);
}

static int
run_merge(struct conv *c, int argc, char **argv)
{
	struct ltool *t = ltool_of(c);
	int rc = ltool_open(t, argc, argv, conv_open_output);
	if (rc)
		return rc;
	return c->command == &lcommand_basic ? ltool_each(t, put_basic, t) : ltool_each(t, put_line, t);
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
