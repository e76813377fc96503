/* SPDX-License-Identifier: MIT */
#ifndef PRISM_HOOKS_H
#define PRISM_HOOKS_H

/* prism_hooks: analyses of Prism streams that a user writes and ovniemu calls.
 *
 * A tool is a shared object that exports a struct prism_hooks named prism_tool:
 *
 *   ovniemu --prism-hooks ./mytool.so TRACEDIR
 *
 * Its functions are called for every event, in the order of time, behind the update of the
 * thread (a swap has the new one) and before the timelines are written. doc/prism.md has a
 * tutorial. Pointers in events are good during the call, names as long as the run. */

#include <prism.h>

#ifdef __cplusplus
extern "C" {
#endif

struct prism_run; /* the emulator */

/* Where an event is. */
struct prism_at {
	uint32_t stream;   /* 0, 1 ...: also its CPU */
	uint32_t thread;   /* id */
	uint64_t seq;      /* events of the stream before it */
	uint64_t offset;   /* bytes, in the file */
	uint64_t clock_ns; /* as the stream says: the timelines begin with 0 */
};

/* What events must show: masks of PRISM_HAS_*. When the level of detail lacks some, the run
 * stops at the first event of that kind; with --prism-needs=skip the tool does not see it. */
struct prism_needs {
	uint32_t mem, comp, sync, cxt;
};

/* All functions return 0 to go on, 1 to be left alone from now on, or a negative number to
 * stop the run. NULL: not wanted. */
struct prism_hooks {
	const char *name; /* in messages */
	struct prism_needs needs;
	int (*begin)(void *u, struct prism_run *r);
	int (*mem)(void *u, const struct prism_at *at, const struct prism_mem *ev);
	int (*comp)(void *u, const struct prism_at *at, const struct prism_comp *ev);
	int (*sync)(void *u, const struct prism_at *at, const struct prism_sync *ev);
	int (*cxt)(void *u, const struct prism_at *at, const struct prism_cxt *ev);
	int (*cf)(void *u, const struct prism_at *at, const struct prism_cf *ev);
	int (*cfg)(void *u, const struct prism_at *at, const struct prism_cfg *ev);
	int (*buffer_end)(void *u, const struct prism_at *at);
	int (*finish)(void *u); /* also when the run failed; not for who was dropped or stopped it */
};

#ifdef __cplusplus
}
#endif

#endif
