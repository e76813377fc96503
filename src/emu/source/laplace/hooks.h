/* SPDX-License-Identifier: MIT */
#ifndef SOURCE_LAPLACE_HOOKS_H
#define SOURCE_LAPLACE_HOOKS_H

/* hooks: the tools of users (laplace/laplace_hooks.h) as one filter for the readers of Laplace files. */

#include "arguments.h"
#include "diag.h"
#include "laplace/laplace_hooks.h"
#include "laplace/read.h"

enum {
	LAPHOOKS_TOOLS = 16,
};

struct laphooks;

struct laphook {
	struct laplace_run run; /* first: tools have this one */
	struct laplace_hooks h;
	struct laphooks *of;
	struct arguments arguments;
	const char *name;
	void *handle;
	bool begins; /* is in begin() */
	bool on;     /* has begun, and was not left alone */
};

struct laphooks {
	struct lap_filter filter; /* for readers */
	struct laphook tools[LAPHOOKS_TOOLS];
	size_t n;
	struct diag *diag;
	const struct lap_place *at; /* of the record; NULL: there is none */
	bool failed;                /* an error was reported */
};

/* Loads tools: items are "FILE KEY=VALUE ..". Returns 0 or <0 (reported); laphooks_close() is called in any case. The struct stays where
 * it is until then. */
int laphooks_open(struct laphooks *hooks, struct diag *d, const char *const *items, size_t n);

/* Lets tools finish what they have begun, and frees. Accepts a zeroed one. */
void laphooks_close(struct laphooks *hooks);

/* Begins to read: ahead: for the tasks only, which concerns filters alone. Sets *filter for the readers, or NULL. Returns 0 or
 * <0 (reported). */
int laphooks_begin(struct laphooks *hooks, bool ahead, const struct lap_filter **filter);

/* Lets tools finish. Returns 0 or <0 (reported). */
int laphooks_finish(struct laphooks *hooks);

/* Refuses a list of tools that cannot be: 0, or <0 with the reason in `why`, of ARGUMENTS_WHY bytes. */
int laphooks_check(const char *item, char *why);

#endif
