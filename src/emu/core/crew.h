/* SPDX-License-Identifier: MIT */
#ifndef CREW_H
#define CREW_H

/* crew: the threads of a run, and the jobs that they do.
 *
 * A job is added as soon as it can be done, and any thread does it. The thread that emulates belongs to the crew:
 * where it must wait for others it does jobs itself (crew_wait()). So all threads have work however it is
 * shared between jobs, and a crew of one needs no other thread.
 *
 * One lock guards the jobs, and what they tell each other. It is held for moments only. */

#include "stats.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	CREW_MAX = 1024, /* threads */
};

struct job {
	void (*run)(struct job *t);  /* does the work, without the lock */
	void (*done)(struct job *t); /* with the lock, behind run: adds the jobs that can be done now, the same too */
	uint64_t age;                /* the oldest, with the lowest number, go first */
	unsigned member;             /* that did it last, from 1: what it needs may be in its cache */
	struct stage *stage;         /* what it is counted for, if there are stats */
	struct job *next;            /* of the crew's list */
};

typedef bool crew_ready_fn(void *arg);

struct crew {
	struct job *jobs; /* that can be done, the oldest first */
	unsigned njobs;
	pthread_mutex_t lock;
	pthread_cond_t work;     /* jobs for the others */
	pthread_cond_t progress; /* jobs, or what is awaited, for the thread that emulates */
	struct stats *stats;     /* NULL: nobody asks */
	struct stage *own;       /* what the thread that emulates does, for them, */
	crew_ready_fn *ready;    /* what it waits for, */
	void *arg;
	bool sleeps;    /* with no job to do; */
	bool waits;     /* for them: it has not come */
	uint64_t since; /* stats_cpu() when it went on with what is its own */
	unsigned nidle; /* of the others */
	bool ended;
	pthread_t threads[CREW_MAX];
	unsigned nthreads; /* others, */
	unsigned nmembers; /* and how many there are with the one that emulates */
};

void crew_init(struct crew *c);

/* Starts n threads, or as many as there can be. */
void crew_start(struct crew *c, unsigned n);

void crew_lock(struct crew *c);
/* Wakes those who can do what was added. */
void crew_unlock(struct crew *c);

/* Wakes nobody: what was added is done when a thread looks for work the next time. */
void crew_unlock_quietly(struct crew *c);

/* Adds a job that can be done, and is in the list no more. With the lock. */
void crew_add(struct crew *c, struct job *t);

/* Does jobs until ready(arg), which is asked with the lock. On the thread that emulates, with the lock, which is
 * released meanwhile. `room`: it waits for room, else for input. */
void crew_wait(struct crew *c, crew_ready_fn *ready, void *arg, bool room);

/* Counts from now on what the thread that emulates does for another stage. */
void crew_turn_to(struct crew *c, struct stage *own);

/* Ends the threads. No job may be left. */
void crew_finish(struct crew *c);

#endif
