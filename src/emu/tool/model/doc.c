/* SPDX-License-Identifier: MIT */
/* The subcommand doc: the reference of a model. */
#include "look/reference.h"
#include "puttext.h"
#include "tool.h"

static int
run(struct conv *c, int argc, char **argv)
{
	struct mtool *t = mtool_of(c);
	const struct owned_model *o;
	int rc = mtool_pick(c, argc, argv, &o);
	if (rc == 0)
		rc = conv_open_output(c, c->out_path);
	if (rc != 0)
		return rc;
	const struct reference r = { .w = &c->out, .man = t->man };
	const char *name = o->model->name;
	if (t->man)
		wbuf_printf(r.w, ".TH \"%s\" 7 \"\" \"%s %s\"\n.SH NAME\n%s \\- events and views of the model\n.SH DESCRIPTION\n", name, name, o->model->version, name);
	else
		wbuf_printf(r.w, "# Events and views of %s\n", name);
	reference_put_words(&r);
	return reference_put_model(&r, &c->diag, o->model);
}

const struct conv_command mcommand_doc = {
	.name = "doc",
	.synopsis = "[options] FILE|MODEL",
	.brief = "print the reference of a model",
	.about = "Print what a model declares, events and views, in Markdown or for man(1).",
	.with = MTOOL_WITH_MODEL | MTOOL_WITH_MAN | CONV_WITH_OUTPUT,
	.max_args = 1,
	.run = run,
};
