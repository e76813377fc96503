/* SPDX-License-Identifier: MIT */
/* The subcommands merge and basic: several files to one. */
#include "tool.h"

#include "laplace/ref.h"

static int
merge_all(struct ltool *t, struct lapmerge *merge)
{
	const struct lap_record *rec;
	int rc;
	while ((rc = lapmerge_next(merge, &rec, NULL)) > 0) {
		rc = ltool_put_record(t, rec);
		if (rc < 0 || conv_stop(&t->conv))
			break;
	}
	return rc < 0 ? rc : 0;
}

static int
run_merge(struct conv *c, int argc, char **argv)
{
	struct ltool *t = ltool_of(c);
	struct lapmerge merge = { 0 };
	int rc = ltool_open_inputs(t, argc, argv, t->format);
	if (rc == 0)
		rc = conv_open_output(&t->conv, t->conv.out_path);
	if (rc == 0)
		rc = ltool_merge(t, &merge);
	if (rc == 0)
		rc = merge_all(t, &merge);
	lapmerge_close(&merge);
	return rc;
}

static int
basic_all(struct ltool *t, struct lapmerge *merge, struct lapmachine *machine)
{
	const struct lap_record *rec;
	const struct lapread *of;
	struct lap_step step;
	int rc;
	while ((rc = lapmerge_next(merge, &rec, &of)) > 0) {
		struct lap_place at = lapread_place(of);
		rc = lapmachine_step(machine, rec, &at, &step);
		if (rc < 0)
			return ltool_code(t, rc);
		for (int i = 0; rc > 0 && rec->type == LAP_REF && i < step.ntouches; i++) {
			struct lap_record page = { .kind = rec->kind, .page = step.touch[i].page };
			wbuf_commit(&t->conv.out, lapref_put_basic(wbuf_reserve(&t->conv.out, LAPREF_ROOM), &page));
		}
		if (conv_stop(&t->conv))
			break;
	}
	return rc < 0 ? rc : 0;
}

static int
run_basic(struct conv *c, int argc, char **argv)
{
	struct ltool *t = ltool_of(c);
	struct lapmerge merge = { 0 };
	struct lapmachine machine = { 0 };
	int rc = ltool_open_inputs(t, argc, argv, t->format);
	if (rc == 0)
		rc = conv_open_output(&t->conv, t->conv.out_path);
	if (rc == 0)
		rc = ltool_machine(t, &machine);
	if (rc == 0)
		rc = ltool_merge(t, &merge);
	if (rc == 0)
		rc = basic_all(t, &merge, &machine);
	lapmerge_close(&merge);
	lapmachine_finish(&machine);
	return rc;
}

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
	.run = run_basic,
};
