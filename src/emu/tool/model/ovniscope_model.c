/* SPDX-License-Identifier: MIT */
/* ovniscope-model: what who writes a model needs beside a compiler. */
#include "tool.h"

#include "kit/outdir.h"
#include "registry.h"

static const struct conv_command *const commands[] = {
	&mcommand_new,
	&mcommand_trace,
	&mcommand_text,
	&mcommand_header,
	&mcommand_check,
	&mcommand_free,
	&mcommand_doc,
};

static struct mtool tool;

static const struct conv_option options[] = {
	{ MTOOL_WITH_MODEL, { PLUGIN_OPTION(&tool.plugins) } },
	{ MTOOL_WITH_FORCE, { 'f', "force", NULL, "write into a folder that is not empty, too", CLI_FLAG, &tool.force } },
	{ MTOOL_WITH_MAN, { 0, "man", NULL, "for man(1), in place of Markdown", CLI_FLAG, &tool.man } },
	{ MTOOL_WITH_JSON, { 0, "json", NULL, "a model without code", CLI_FLAG, &tool.json } },
};

int
mtool_ready(struct mtool *t)
{
	struct diag *d = &t->conv.diag;
	if (registry_add(&t->plugins.set, d) < 0)
		return -1;
	int opt = plugins_load(&t->plugins, &t->conv.cli, d);
	if (opt != CLI_END)
		return cli_status(opt) == 2 ? 2 : -1;
	return catalog_init(&t->catalog, &t->arena, d, &t->plugins.set);
}

int
mtool_folder(struct mtool *t, const char *dir)
{
	struct diag *d = &t->conv.diag;
	int rc = outdir_make(d, dir);
	int empty = rc < 0 || t->force ? 1 : outdir_is_empty(d, dir);
	if (empty == 0)
		return conv_fail(&t->conv, "write", "the folder '%s' is not empty\nhint: --force writes into it all the same; files of other names stay", dir);
	return empty < 0 ? empty : rc;
}

int
mtool_pick(struct conv *c, int argc, char **argv, const struct owned_model **model)
{
	struct mtool *t = mtool_of(c);
	if (argc != 1)
		return conv_usage(c, "the file of a model, or its name, is needed");
	const char *arg = argv[0];
	const struct model_set *set = &t->plugins.set;
	bool file = plugin_is_file(arg);
	if (file && cli_list_add(&t->conv.cli, "--model", &t->plugins.files, arg) < 0)
		return 2;
	int rc = mtool_ready(t);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < set->n; i++)
		if (strcmp(file ? set->items[i].owner : set->items[i].model->name, arg) == 0)
			return *model = &set->items[i], 0;
	if (file)
		return conv_error(&t->conv, "model", "%s is another name of a file of --model or " PLUGIN_FOLDERS, arg);
	return conv_usage(&t->conv, "there is no model '%s': ovnievents --help lists them", arg);
}

static void
finish(struct conv *c, bool good)
{
	struct mtool *t = mtool_of(c);
	(void)good;
	plugins_close(&t->plugins);
	arena_finish(&t->arena);
}

static const struct conv_family family = {
	.program = "ovniscope-model",
	.about = "Help to write, check and test models of ovniemu.",
	.commands = commands,
	.ncommands = sizeof(commands) / sizeof(commands[0]),
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.finish = finish,
};

int
main(int argc, char **argv)
{
	return conv_main(&family, &tool.conv, argc, argv);
}
