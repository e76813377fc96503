/* SPDX-License-Identifier: MIT */
#ifndef TOOL_LAPLACE_TOOL_H
#define TOOL_LAPLACE_TOOL_H

/* tool: what the subcommands of ovniscope-laplace share beside conv.h. */

#include "kit/conv.h"
#include "laplace/machine.h"
#include "laplace/merge.h"

enum {
	LTOOL_WITH_MACHINE = CONV_OWN << 0, /* options of lapmachine */
	LTOOL_WITH_FORMAT = CONV_OWN << 1,  /* --format */
	LTOOL_WITH_WINDOW = CONV_OWN << 2,
	LTOOL_WITH_KERNEL = CONV_OWN << 3, /* --dialect */
	LTOOL_WITH_USCOPE = CONV_OWN << 4, /* --freq, --name, --refs */
};

enum {
	LTOOL_CPUS = 4096,
};

extern const struct conv_command lcommand_text;
extern const struct conv_command lcommand_binary;
extern const struct conv_command lcommand_merge;
extern const struct conv_command lcommand_split;
extern const struct conv_command lcommand_basic;
extern const struct conv_command lcommand_stat;
extern const struct conv_command lcommand_uscope;

struct ltool {
	struct conv conv;
	struct lap_log log;
	struct lapread *readers;
	int *in_fds; /* of the readers; conv closes them */
	size_t nreaders;

	enum lap_endian endian;
	enum lap_dialect dialect;
	enum lap_format format;
	uint32_t kernel_base;
	bool offset_in_pages;
	uint64_t window;  /* cycles */
	uint64_t freq;    /* cycles in a second */
	const char *name; /* of the machine */
	bool no_refs;     /* no event for each reference */
	const char *cpus; /* of --cpus, NULL: there is one */
	uint32_t ncpus;
};

/* The tool of which c is the front. */
static inline struct ltool *
ltool_of(struct conv *c)
{
	return (struct ltool *)c;
}

/* Opens the inputs; "-", or no path, is the standard input. format: that of all, LAP_AUTO: by name and
 * content. Returns 0, <0 (reported), or the status 2 of conv_usage(). */
int ltool_open_inputs(struct ltool *t, int n, char **paths, enum lap_format format);

/* Writes a record as a line of the interleave. 0, or <0 (reported). */
int ltool_put_record(struct ltool *t, const struct lap_record *rec);
int ltool_put_event(struct ltool *t, const struct lap_event *ev, char *to);

/* Prepares a machine for the inputs. 0, or <0 (reported). */
int ltool_machine(struct ltool *t, struct lapmachine *m);

/* Begins a merge of the inputs. 0, or <0 (reported). */
int ltool_merge(struct ltool *t, struct lapmerge *m);

/* A code of the library that the log was not told of. Returns -1. */
int ltool_code(struct ltool *t, int code);
/* Called with log.tell. */
void ltool_tell(void *self, const struct lap_issue *issue, bool fatal);
/* The so_far() and finish() of the tools of the family. */
void ltool_so_far(const struct conv *c, uint64_t *bytes, uint64_t *records);
void ltool_finish(struct conv *c, bool good);

#endif
