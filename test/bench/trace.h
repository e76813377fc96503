/* SPDX-License-Identifier: MIT */
#ifndef TRACE_H
#define TRACE_H

/* trace: writes a trace of libovni of any size, the same each time. */

#include <stdbool.h>

struct trace {
	int looms;
	int threads; /* of all looms, and at least one each */
	int cpus;    /* likewise; where a CPU has several threads, they run in turns */
	long events; /* of all threads, about */
	bool nosv;   /* the lives of tasks of nOS-V; else marks, and threads that pause */
};

/* Writes it to a new directory. Returns the number of its events. A failure ends the program with a message. */
long trace_write(const char *dir, const struct trace *t);

#endif
