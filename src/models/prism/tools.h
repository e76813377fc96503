/* SPDX-License-Identifier: MIT */
#ifndef MODELS_PRISM_TOOLS_H
#define MODELS_PRISM_TOOLS_H

/* tools: runs the shared objects of users that analyse a Prism trace (prism_hooks.h): loading and
 * unloading (tools.c), calls for events and the fields they need (give.c), and the functions they call
 * (user.c). */

#include "base/arguments.h"
#include "input/prism/stream.h"
#include "ovniscope/model.h"
#include "prism/prism_hooks.h"
#include "prism/read.h"

enum {
	PRISMRUN_HOOKS = 64, /* of all tools: a bit each in prism_run.lacks */
	PRISMRUN_CHANNELS = PRISM_USER_LAST - PRISM_USER_FIRST + 1,
	PRISMRUN_KINDS = PRISM_END + 1,
	PRISMRUN_NEEDS = PRISM_CXT + 1,  /* kinds that a tool can need something of */
	PRISMRUN_FIRST = PRISM_COMP + 1, /* kinds that most events are of */
};

/* One struct prism_hooks: that of an object, or one that it has added. */
struct prism_hook {
	struct prism_hooks h;
	void *u;
	const char *name;
	const char *file;
	struct arguments *arguments; /* of the file */
	bool began;
	bool gone;                        /* it was dropped, or stopped the run */
	uint64_t skipped[PRISMRUN_NEEDS]; /* events not given to it, as they lack fields */
};

/* A hook that wants a kind of event; lists have the order of the hooks. */
struct prism_entry {
	union {
		int (*mem)(void *u, const struct prism_at *at, const struct prism_mem *ev);
		int (*comp)(void *u, const struct prism_at *at, const struct prism_comp *ev);
		int (*sync)(void *u, const struct prism_at *at, const struct prism_sync *ev);
		int (*cxt)(void *u, const struct prism_at *at, const struct prism_cxt *ev);
		int (*cf)(void *u, const struct prism_at *at, const struct prism_cf *ev);
		int (*cfg)(void *u, const struct prism_at *at, const struct prism_cfg *ev);
		int (*buffer_end)(void *u, const struct prism_at *at);
	};
	void *u;
	uint32_t hook;
	bool more; /* not the last of its list */
};

struct prism_list {
	uint32_t n;
	struct prism_entry entries[PRISMRUN_HOOKS];
};

struct prism_channel {
	struct chan_decl decl;
	int chan; /* of the model */
	enum prism_user_mode mode;
	enum prism_user_track track;
};

/* Decides which functions a tool may call. */
enum prismrun_phase {
	PRISMRUN_BEGIN,
	PRISMRUN_EVENT,
	PRISMRUN_FINISH,
};

struct prism_run {
	struct emu *emu;
	struct prism *prism;
	const struct prism_machine *machine;
	struct prism_list lists[PRISMRUN_KINDS];
	uint64_t *lacks;                  /* by stream and kind: hooks that need fields the events lack */
	const struct prism_entry **first; /* by stream and kind: the hook called directly; NULL: none */
	/* The current call. */
	enum prismrun_phase phase;
	int failed; /* <0: a call of the tool has failed, which is reported */
	uint32_t hook;
	uint32_t row; /* NO_INDEX: the stream has no thread yet */
	const struct event *ev;
	const struct prism_at *at;

	struct prism_hook hooks[PRISMRUN_HOOKS];
	uint32_t nhooks;
	struct prism_channel *channels[PRISMRUN_CHANNELS];
	uint32_t nchannels;
	void *objects[PRISM_TOOLS];
	size_t nobjects;
	struct arguments arguments[PRISM_TOOLS]; /* by option */
};

/* ---- For the model. ---- */

/* In create(): loads the tools of the options, lets each begin, and adds their channels. NULL when there is
 * none, or after an error (reported). */
struct prism_run *prismtools_open(struct emu *emu, struct prism *p, const struct prism_machine *machine);

/* Whether a tool has channels. Accepts NULL. */
static inline bool
prismtools_has_channels(const struct prism_run *run)
{
	return run && run->nchannels;
}

/* The current event of a stream (none that the format has made up, RW. and RD.), behind the
 * update of the model. at: of its stream, with the thread; row: of that, NO_INDEX for a config or
 * End event before the stream has one; name: of a context, as the machine has it, or NULL. */
void prismtools_event(struct prism_run *run, const struct event *ev, struct prism_at *at, uint32_t row, const struct prism_name *name);

/* As prismtools_event(), for events known to be of memory or of compute. */
void prismtools_mem(struct prism_run *run, const struct event *ev, struct prism_at *at, uint32_t row);
void prismtools_comp(struct prism_run *run, const struct event *ev, struct prism_at *at, uint32_t row);

/* In finish(), also when the run failed: lets each tool finish and unloads it. Accepts NULL. */
void prismtools_close(struct prism_run *run);

/* ---- For the parts. ---- */

/* Notes the hooks that a file has, or those that a tool of it adds. Returns 0, or <0 (reported). */
int prismrun_add(struct prism_run *run, const struct prism_hooks *h, void *u, struct arguments *file);

/* Puts a hook on the lists of what it wants. */
void prismgive_enlist(struct prism_run *run, uint32_t hook);

/* Handles the return value of a function of the current hook: 0 goes on, 1 drops the hook
 * (returns 0), others end the run (<0, reported). */
int prismgive_returned(struct prism_run *run, const char *function, int rc);

/* Checks that a hook needs only fields that events can have. Returns 0, or <0 (reported). */
int prismgive_check(struct prism_run *run, const struct prism_hook *k);

/* Finds the hooks that need fields which events lack. Returns 0, or <0 (reported). */
int prismgive_begin(struct prism_run *run);

/* Reports an error of the current hook, at the event if there is one. Returns <0. */
int prismrun_error(struct prism_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
