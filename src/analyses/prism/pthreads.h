/* SPDX-License-Identifier: MIT */
#ifndef ANALYSES_PTHREADS_H
#define ANALYSES_PTHREADS_H

/* pthreads: which call of pthread_create() made which thread, and who waits at barriers, as SynchroTrace has it in sigil.pthread.out.
 *
 * A stream does not tell who a new thread is: it is taken for that of the oldest create whose thread was not seen yet, or, when there is
 * none, of the next create. The first thread is made by nobody. */

#include "idmap.h"
#include "textbuf.h"

struct pthreads {
	struct arena arena;
	struct idmap newest;  /* by object: the number of its last create, from 1 */
	struct idmap keys;    /* that are taken */
	struct idmap waiting; /* by barrier: an idmap by thread */
	struct pthreads_create {
		uint64_t key;    /* object, or the next number that is free: no two are alike */
		uint32_t thread; /* number of its file; 0: it was not seen yet */
	} * creates;
	size_t ncreates, creates_cap;
	size_t nmade;      /* creates whose thread is known */
	uint32_t nthreads; /* numbered from 1 */
	uint32_t nknown;   /* threads of which it is known who made them, and the first: those with the least numbers */
	struct pthreads_waiter {
		uint64_t barrier;
		uint32_t thread;
	} * waiters;
	size_t nwaiters, waiters_cap;
};

/* The next thread: its number is one more than that of the thread before. */
void pthreads_add_thread(struct pthreads *p, uint32_t thread);

/* A create of an object, which becomes its key. Returns 0, or -1 when memory is exhausted. */
int pthreads_add_create(struct pthreads *p, uint64_t *object);

/* Makes the object of a join the key of its last create. Returns whether there was one. */
bool pthreads_find(const struct pthreads *p, uint64_t *object);

/* A thread waits at a barrier. Returns 0, or -1 when memory is exhausted. */
int pthreads_add_waiter(struct pthreads *p, uint64_t barrier, uint32_t thread);

/* Whether there is a create whose thread was not seen. */
bool pthreads_lacks_thread(const struct pthreads *p);

/* Threads that nobody made, but the first. */
uint32_t pthreads_orphans(const struct pthreads *p);

/* The text of the file. */
void pthreads_put(struct pthreads *p, struct textbuf *text);

void pthreads_finish(struct pthreads *p);

#endif
