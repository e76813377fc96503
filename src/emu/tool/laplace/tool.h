/* SPDX-License-Identifier: MIT */
#ifndef TOOL_LAPLACE_TOOL_H
#define TOOL_LAPLACE_TOOL_H

/* tool: what the subcommands of ovniscope-laplace share beside conv.h. */

#include "kit/conv.h"
#include "source/laplace/hooks.h"
#include "laplace/machine.h"
#include "laplace/merge.h"
#include "unpack.h"

enum {
	LTOOL_WITH_MACHINE = CONV_OWN << 0, /* options of lapmachine */
	LTOOL_WITH_FORMAT = CONV_OWN << 1,  /* --format */
	LTOOL_WITH_WINDOW = CONV_OWN << 2,
	LTOOL_WITH_KERNEL = CONV_OWN << 3, /* --dialect */
	LTOOL_WITH_USCOPE = CONV_OWN << 4, /* --freq, --name, --refs */
	LTOOL_WITH_JSON = CONV_OWN << 5,
};

extern const struct conv_command lcommand_text;
extern const struct conv_command lcommand_binary;
extern const struct conv_command lcommand_merge;
extern const struct conv_command lcommand_split;
extern const struct conv_command lcommand_basic;
extern const struct conv_command lcommand_stat;
extern const struct conv_command lcommand_uscope;

/* An input; conv.h closes its descriptor. */
struct ltool_input {
	struct ltool *tool;
	struct unpack bytes;
	struct lapread_options options;
};

struct ltool {
	struct conv conv;
	struct lap_log log;
	struct laphooks hooks;
	const struct lap_filter *filter; /* of the hooks; NULL: none is wanted */
	struct cli_list hook_list;       /* of --laplace-hooks */
	struct lapread *readers;
	struct ltool_input *inputs; /* of the readers */
	size_t nreaders;
	struct lapmerge merge;
	struct lapmachine machine; /* of commands with LTOOL_WITH_MACHINE */

	int endian;  /* enum lap_endian */
	int dialect; /* enum lap_dialect */
	int format;  /* enum lap_format */
	int offset_in_pages;
	int no_refs;        /* no event for each reference */
	int refuse_unknown; /* an unknown tag is an error */
	bool json;
	bool csv;
	uint32_t kernel_base;
	uint64_t window;  /* cycles */
	uint64_t freq;    /* cycles in a second */
	const char *name; /* of the machine */
	const char *cpus; /* of --cpus, NULL: there is one */
	uint32_t ncpus;
};

/* The tool of which c is the front. */
static inline struct ltool *
ltool_of(struct conv *c)
{
	return (struct ltool *)c;
}

/* Opens the inputs, the output and the machine.
 *   paths         "-", or none, is the standard input
 *   open_output   of conv.h, called with the path of -o; NULL: the command does it
 * ltool_finish() closes all. Returns 0, <0 (reported), or the status 2 of conv_usage(). */
int ltool_open(struct ltool *t, int n, char **paths, int (*open_output)(struct conv *c, const char *path));

/* lapmachine_step(), but that failures are reported. */
int ltool_step(struct ltool *t, const struct lap_record *rec, const struct lap_place *at, struct lap_step *step);

/* Writes an event as a line of at most LAPKERNEL_ROOM bytes. Returns its length, or <0 (reported). */
int ltool_put_event(struct ltool *t, const struct lap_event *ev, char *to);

/* Reports a code of the library, unless its log was told. Returns -1. */
int ltool_code(struct ltool *t, int code);

/* To be called behind the last record: lets tools of users finish. Returns 0, or <0 (reported). */
int ltool_end(struct ltool *t);

/* Calls take() with each record of the inputs, in order, until it returns <0 or the run is to
 * stop. Returns 0, or <0 (reported, or told at the end of the run). Inline, so that take() is too. */
static inline int
ltool_each(struct ltool *t, int (*take)(void *self, const struct lap_record *rec, const struct lap_place *at), void *self)
{
	const struct lap_record *rec;
	const struct lapread *of;
	int rc = lapmerge_open(&t->merge, t->readers, t->nreaders);
	while (rc >= 0 && (rc = lapmerge_next(&t->merge, &rec, &of)) > 0) {
		rc = take(self, rec, &of->at);
		if (rc >= 0 && conv_stop(&t->conv))
			rc = -1;
		if (rc < 0)
			return rc;
	}
	return rc < 0 ? ltool_code(t, rc) : ltool_end(t);
}

/* For the family, and for its log. */
void ltool_tell(void *self, const struct lap_issue *issue, bool fatal);
void ltool_so_far(const struct conv *c, uint64_t *bytes, uint64_t *records);
void ltool_finish(struct conv *c, bool good);

#endif
