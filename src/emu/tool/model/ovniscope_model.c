/* SPDX-License-Identifier: MIT */
/* ovniscope-model: what who writes a model needs beside a compiler. */
#include "tool.h"

#include "registry.h"

static const struct conv_command *const commands[] = {
	&mcommand_trace,
	&mcommand_text,
};

static struct mtool tool;

static const struct conv_option options[] = {
	{ MTOOL_WITH_MODEL, { PLUGIN_OPTION(&tool.plugins) } },
	{ MTOOL_WITH_FORCE, { 'f', "force", NULL, "write into a folder that is not empty, too", CLI_FLAG, &tool.force } },
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
