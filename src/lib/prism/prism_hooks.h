/* SPDX-License-Identifier: MIT */
#ifndef PRISM_HOOKS_H
#define PRISM_HOOKS_H

/* prism_hooks: analyses of Prism streams that a user writes and ovniemu calls.
 *
 * A tool is a shared object that exports a struct prism_hooks named prism_tool:
 *
 *   cc -shared -fPIC $(pkg-config --cflags prism) -o mytool.so mytool.c
 *   ovniemu --prism-hooks ./mytool.so TRACEDIR
 *
 * Its functions are called for every event, in the order of time, behind the update of the
 * thread (a swap has the new one) and before the timelines are written, always on the same
 * thread of ovniemu. Pointers in events are good during the call, names as long as the run.
 * doc/prism.md has a tutorial.
 *
 * ovniemu exports the functions declared here, and of prism.h those that name things
 * (prism_kind_name() to prism_cxt_name()). A tool that wants to decode or encode links
 * libprism. */

#include "prism.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct prism_run; /* the emulator */

/* What a thread has entered and not left. */
struct prism_entered {
	const char *name;  /* any bytes, and a NUL behind them, as long as the run; NULL: none, or not known */
	uint32_t name_len; /* bytes */
	uint32_t name_id;  /* that of events; 0: no name */
	uint64_t depth;    /* entered and not left, this one with it; 0: none */
};

/* What groups an event: what its thread is in behind it. An enter is in what it enters, an exit in what it returns to, a swap in
 * what its thread was in when it ran last. A name is not known when the level of detail does not show it, and above a depth of
 * PRISM_DEPTH_MAX (512).
 *
 * Block and instruction are those which the thread has told of last: to enter or leave a function does not change them. */
struct prism_inside {
	struct prism_entered function, op, net; /* op: operator */
	uint64_t block;                         /* basic block, and */
	uint64_t insn;                          /* instruction: ids of context events */
	bool has_block, has_insn;               /* there is one; else they are 0 */
};

/* Where an event is. */
struct prism_at {
	uint32_t stream;               /* 0, 1 ...: also its CPU */
	uint32_t process;              /* of the stream: threads of two processes may have one id */
	uint32_t thread;               /* id; 0: there is none yet, before the first swap */
	uint64_t seq;                  /* events of the stream before it, Config and End included */
	uint64_t offset;               /* bytes, in the file */
	uint64_t clock_ns;             /* as the stream says: the timelines begin with 0 */
	const struct prism_inside *in; /* never NULL; one for each thread, at the same place for the whole run */
};

/* Fields that events must show: masks of PRISM_HAS_*. When the level of detail lacks some, the run
 * stops at the first event of that kind; with --prism-needs=skip the tool does not see it.
 * Only for kinds whose function is not NULL. */
struct prism_needs {
	uint32_t mem, comp, sync, cxt;
};

/* A tool with another version is refused. New members come behind the last one, of all structs: a tool that was built
 * without them has NULL in this one, and does not look at those that it is given. */
enum {
	PRISM_HOOKS_VERSION = 1,
};

#define PRISM_HOOKS_HEAD .version = PRISM_HOOKS_VERSION, .size = sizeof(struct prism_hooks)

/* All functions return 0 to go on, 1 to be left alone from now on, or a negative number to
 * stop the run. NULL: not wanted.
 *
 * u is NULL in the functions of prism_tool, and what prism_hooks_add() was given in those
 * of other hooks. A run that is stopped fails; its timelines end in front of the event.
 *
 * In a lenient run, what is no memory type, operation format or synchronization comes as
 * undefined (0), so that types are always below PRISM_MEM_INVALID, PRISM_OP_INVALID,
 * PRISM_SYNCS and PRISM_CXTS. An operation may have any number. */
struct prism_hooks {
	uint32_t version; /* PRISM_HOOKS_HEAD is this member, */
	uint32_t size;    /* and this one: bytes of the struct */
	const char *name; /* in messages; NULL: that of the file */
	struct prism_needs needs;
	int (*begin)(void *u, struct prism_run *r); /* the only one that may add channels and hooks */
	int (*mem)(void *u, const struct prism_at *at, const struct prism_mem *ev);
	int (*comp)(void *u, const struct prism_at *at, const struct prism_comp *ev);
	int (*sync)(void *u, const struct prism_at *at, const struct prism_sync *ev);
	int (*cxt)(void *u, const struct prism_at *at, const struct prism_cxt *ev);
	int (*cf)(void *u, const struct prism_at *at, const struct prism_cf *ev);
	int (*cfg)(void *u, const struct prism_at *at, const struct prism_cfg *ev);
	int (*buffer_end)(void *u, const struct prism_at *at);
	int (*finish)(void *u); /* also when the run failed; not for who was dropped, stopped it, or has wrong arguments */
};

#ifdef __cplusplus
/* A constant of C++ is not exported unless it is declared. In C it needs not be one. */
extern const struct prism_hooks prism_tool;
#endif

/* The functions below return <0 when they fail. What failed is reported, and the run stops
 * when the hook returns, whatever it returns. */

/* In begin: more hooks, called behind those that are there; h is copied, u is theirs. Their
 * begin is called behind the one that adds them. Returns 0. */
int prism_hooks_add(struct prism_run *r, const struct prism_hooks *h, void *u);

/* Anywhere: tells why the run fails, at the event if there is one. Returns <0. */
int prism_fail(struct prism_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* In begin: the arguments of the tool, --prism-hooks "./mytool.so lines=64 title='my run' quick". Words have blanks between them,
 * with quotes and backslashes as in a shell; commas are nothing special. Where a file has the whole text as its name, it is taken,
 * without arguments. A key may be there once. A tool knows the keys that it, or hooks that it adds, ask for: another one is an
 * error. */

/* The value of a key, which lives as long as the run; "": it has none, NULL: the key is not there. */
const char *prism_argument(struct prism_run *r, const char *key);

/* A number, or one of bytes such as 64K, from min to max; or one of some words, behind the last of which is a NULL: its place. *to
 * stays when the key is not there. Return 0. */
int prism_argument_number(struct prism_run *r, const char *key, uint64_t min, uint64_t max, uint64_t *to);
int prism_argument_word(struct prism_run *r, const char *key, const char *const *words, int *to);

/* The key of argument i, from 0; NULL: there is none. All keys are known then. */
const char *prism_argument_key(struct prism_run *r, uint32_t i);

/* Timelines of a tool's own. */
enum {
	PRISM_USER_FIRST = 480, /* types in the PRV files */
	PRISM_USER_LAST = 498,
	PRISM_USER_NAME_MAX = 48, /* bytes */
};

/* How a channel changes. */
enum prism_user_mode {
	PRISM_USER_SET,      /* a value, until it is set or cleared */
	PRISM_USER_STACK,    /* values; the one on top shows */
	PRISM_USER_PUNCTUAL, /* a value for an instant */
};

/* Which rows show it, and when. */
enum prism_user_track {
	PRISM_USER_RUNNING, /* that of the thread and that of its CPU, while it runs */
	PRISM_USER_ALWAYS,  /* that of the thread always, that of its CPU while it runs */
	PRISM_USER_STREAM,  /* that of the CPU: a value of the stream, not of threads. No stack */
};

/* In begin: a channel. The name is of letters, digits, '.', '_' and '-', and no other
 * channel has it. Returns its type in the PRV files, PRISM_USER_FIRST or above, which is its
 * number in the calls below. */
int prism_user_channel(struct prism_run *r, const char *name, enum prism_user_mode mode, enum prism_user_track track);

/* In the functions of events: change the channel of the thread (or stream) of the event. Any
 * value but INT64_MIN; 0 shows as nothing. Without a thread (at->thread is 0) nothing
 * happens. A value that is there already is no news.
 *
 * set and clear are for PRISM_USER_SET, push and pop for PRISM_USER_STACK: pop names the
 * value that must be on top, and an event may push or pop a channel once. punctual is for
 * PRISM_USER_PUNCTUAL. Return 0. */
int prism_user_set(struct prism_run *r, int type, int64_t value);
int prism_user_clear(struct prism_run *r, int type);
int prism_user_push(struct prism_run *r, int type, int64_t value);
int prism_user_pop(struct prism_run *r, int type, int64_t value);
int prism_user_punctual(struct prism_run *r, int type, int64_t value);

/* Anywhere: what a value of a channel is called. The text is copied. Another text for the
 * same value is an error, the same one is no news. Returns 0. */
int prism_user_label(struct prism_run *r, int type, int64_t value, const char *text);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
