/* SPDX-License-Identifier: MIT */
#ifndef TOOL_MODEL_TOOL_H
#define TOOL_MODEL_TOOL_H

/* tool: what the subcommands of ovniscope-model share beside conv.h. */

#include "kit/conv.h"
#include "kit/plugin.h"
#include "look/catalog.h"

enum {
	MTOOL_WITH_MODEL = CONV_OWN << 0, /* --model */
	MTOOL_WITH_FORCE = CONV_OWN << 1,
	MTOOL_WITH_JSON = CONV_OWN << 2,
	MTOOL_WITH_MAN = CONV_OWN << 3,
};

extern const struct conv_command mcommand_trace;
extern const struct conv_command mcommand_text;
extern const struct conv_command mcommand_header;
extern const struct conv_command mcommand_free;
extern const struct conv_command mcommand_check;
extern const struct conv_command mcommand_new;
extern const struct conv_command mcommand_doc;

struct mtool {
	struct conv conv;
	struct arena arena;
	struct plugins plugins;
	struct catalog catalog; /* after mtool_ready() */
	bool force;             /* write into a folder that is not empty */
	bool man;               /* a reference for man(1) */
	bool json;              /* a new model is without code */
};

/* The tool of which c is the front. */
static inline struct mtool *
mtool_of(struct conv *c)
{
	return (struct mtool *)c;
}

/* Loads the models of --model, and makes the catalog of all. Returns 0, <0 (reported), or the status 2. */
int mtool_ready(struct mtool *t);

/* Makes a folder to write to, which must be empty without --force. Returns 0, or <0 (reported). */
int mtool_folder(struct mtool *t, const char *dir);

/* Does what mtool_ready() does, and finds the model that the only argument names, or loads it if that is a file. Returns as
 * mtool_ready(). */
int mtool_pick(struct conv *c, int argc, char **argv, const struct owned_model **model);

#endif
