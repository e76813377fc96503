/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_HOOKS_H
#define LAPLACE_HOOKS_H

/* laplace_hooks: what a user does to the records of Laplace traces before they are merged, written, counted or emulated.
 *
 * A tool is a shared object that exports a struct laplace_hooks named laplace_tool:
 *
 *   cc -shared -fPIC -o mytool.so mytool.c
 *   ovniscope-laplace merge --laplace-hooks "./mytool.so key=value" refs.lrb kernel.lkt
 *   ovniemu --laplace-hooks ./mytool.so --laplace refs.lrb
 *
 * Its functions are called for every record of every file, in the order of its file, and before the files are merged: of two
 * files, records come in the order of time but for one that is read ahead of each. Filters change records or drop them; what
 * they let pass is what functions that look at it, the tools behind, and the program get. Lines that no strict reader takes do not come. Calls
 * are never made at the same time. doc/laplace.md has a tutorial.
 *
 * A tool calls functions of the program through the struct laplace_run that it is given, and links nothing. */

#include "laplace_record.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program. New members come behind the last one. */
struct laplace_run {
	/* Whether ovniemu reads ahead, to find the tasks: it reads files with events of the kernel twice or three times, each from begin()
	 * to finish(). Only tools with filters are called then, for some of the files. A filter must let the same pass each time. */
	bool ahead;

	/* Tells why the run fails, at the record if there is one. Returns <0, and the run stops when the function of the tool returns,
	 * whatever it returns. */
	int (*fail)(struct laplace_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

	/* In begin: the arguments of the tool, "./mytool.so low=1000 'title=my run' quick", as prism_hooks.h has them. A key that no
	 * tool asks for is an error.
	 *
	 * The value of a key, which lives as long as the run; "": it has none, NULL: the key is not there. */
	const char *(*argument)(struct laplace_run *r, const char *key);
	/* A number, or one of bytes such as 64K, from min to max; or one of some words, behind the last of which is a NULL: its
	 * place. *to stays when the key is not there. Return 0, or <0 as fail(). */
	int (*number)(struct laplace_run *r, const char *key, uint64_t min, uint64_t max, uint64_t *to);
	int (*word)(struct laplace_run *r, const char *key, const char *const *words, int *to);
};

enum {
	/* A tool with another version is refused. New members come behind the last one: a tool that was built without them has
	 * NULL in this one. */
	LAPLACE_HOOKS_VERSION = 1,

	/* What filters return; a negative number stops the run. */
	LAPLACE_KEEP = 0,
	LAPLACE_DROP = 1,
};

#define LAPLACE_HOOKS_HEAD .version = LAPLACE_HOOKS_VERSION, .size = sizeof(struct laplace_hooks)

/* NULL: not wanted. begin and finish return 0, those that look at records 0 to go on or 1 to be left alone from now on; a negative
 * number stops the run.
 *
 * ref: a reference, of type LAP_REF with space and addr, or, in a basic or per-process merge, of type LAP_PAGE with page.
 * event: an event of the kernel; also one whose tag is in no catalogue, which has its whole line as name.
 *
 * A filter may change all members but these: type, event, tag and code. When it changes a time, it is not below
 * that of the record which the file gave before; kinds are letters r w i R W I, references and ranges not
 * empty, and they do not wrap; a name has 1 to LAP_NAME_MAX bytes of a line, and lives until the next call. What
 * breaks this stops the run, with the name of the tool, the file and the place. */
struct laplace_hooks {
	uint32_t version; /* LAPLACE_HOOKS_HEAD is this member, */
	uint32_t size;    /* and this one: bytes of the struct */
	const char *name; /* in messages; NULL: that of the file */
	int (*begin)(struct laplace_run *r);
	int (*filter_ref)(struct laplace_run *r, const struct lap_place *at, struct lap_record *ref);
	int (*filter_event)(struct laplace_run *r, const struct lap_place *at, struct lap_event *ev);
	int (*ref)(struct laplace_run *r, const struct lap_place *at, const struct lap_record *ref);
	int (*event)(struct laplace_run *r, const struct lap_place *at, const struct lap_event *ev);
	int (*finish)(struct laplace_run *r); /* also when the run failed; not for who was left alone or stopped it */
};

#ifdef __cplusplus
/* A constant of C++ is not exported unless it is declared. In C it needs not be one. */
extern const struct laplace_hooks laplace_tool;
}
#endif

#endif
