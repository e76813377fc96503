/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_PLUGIN_H
#define TOOL_KIT_PLUGIN_H

/* plugin: models from files of the user, for all tools that know models: those of --model, and those in
 * the folders of OVNISCOPE_MODELS. A file is a shared object that exports a struct model named
 * ovniscope_model, or a declaration in JSON: see decl/decl.h. In a folder, files that do not look like one of the two are left
 * alone; -v tells. */

#include "arena.h"
#include "kit/cli.h"
#include "modelset.h"

#define PLUGIN_FOLDERS "OVNISCOPE_MODELS"

/* A zeroed one is empty. */
struct plugins {
	struct model_set set;
	struct cli_list files; /* of --model */
	struct arena arena;
	struct plugin_object *objects; /* the last one first */
};

/* Row of the table of options. */
#define PLUGIN_OPTION(p) 0, "model", "FILE", "also know the model in FILE (.so or .json); repeatable", CLI_LIST, &(p)->files

/* Whether the argument of an option that also takes names of models is a file: it has a '/', or ends as
 * files do that hold models. */
bool plugin_is_file(const char *arg);

/* Whether the file of a model is a declaration in JSON. */
bool plugin_is_json(const char *file);

/* When the options are known: adds the models of all files to the set, those of folders first. One that
 * cannot be added is an error. Returns CLI_END; CLI_USAGE or CLI_FAILED (reported). plugins_close() is due in
 * all cases. */
int plugins_load(struct plugins *p, const struct cli *cli, struct diag *d);

/* Unloads them: no model may be in use. */
void plugins_close(struct plugins *p);

#endif
