/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_JOIN_H
#define TOOL_KIT_JOIN_H

/* join: whether a tool runs as several processes. alone.c is for those that never do, mpi/mpi.c for those that MPI starts. */

#include <signal.h>

struct team;

/* The name of the tool that several processes run; NULL: this one is alone. */
extern const char *const join_name;

/* Meets the other processes. Signals set *stop. Returns NULL when there are no others. */
struct team *join_team(int *argc, char ***argv, volatile sig_atomic_t *stop);

/* Leaves them: due behind join_team(). */
void join_end(void);

#endif
