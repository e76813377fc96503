/* SPDX-License-Identifier: MIT */
/* mpi: the processes that MPI has started as a team. An error of MPI ends all of them, which is what it does by default. */
#include "kit/join.h"

#include "arena.h"
#include "team.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum {
	TAG_WORD,
	TAG_STOP,
	TAG_BOX,
	LOOK_NS = 100000,  /* for messages that may come soon, before the process sleeps, */
	NAP_PART = 8,      /* for that part of the time that it has waited, */
	NAP_MAX = 2000000, /* or so long */
};

struct mpi_team {
	struct team team;
	uint64_t *give, *take; /* sizes of boxes */
	void **boxes;          /* that were taken, */
	size_t *room;
	MPI_Request *requests; /* two for each of the others */
};

static struct mpi_team all;

const char *const join_name = "ovniemu-mpi";

static uint64_t
now(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Between two looks for a message: other threads and processes get the CPU, of which MPI_Wait() would take all. What comes is noticed late by
 * an eighth of the time that it was awaited. */
static void
pause_looking(uint64_t since)
{
	uint64_t waited = now() - since;
	uint64_t nap = waited / NAP_PART < NAP_MAX ? waited / NAP_PART : NAP_MAX;
	if (waited < LOOK_NS)
		(void)sched_yield();
	else
		(void)nanosleep(&(struct timespec){ .tv_nsec = (long)nap }, NULL);
}

/* Waits until messages are there. */
static void
await(int n, const MPI_Request *requests)
{
	uint64_t since = now();
	for (int i = 0, there = 0; i < n; i += there) {
		(void)MPI_Request_get_status(requests[i], &there, MPI_STATUS_IGNORE);
		if (!there)
			pause_looking(since);
	}
}

static void
reduce(struct team *t, enum team_op op, uint64_t *v, size_t n)
{
	(void)t;
	MPI_Op how = op == TEAM_LEAST ? MPI_MIN : op == TEAM_SUM ? MPI_SUM
								 : MPI_BOR;
	/* With the highest bit inverted, signed numbers have the order of these: MPICH 4.0 compares unsigned ones of 64 bits as signed. */
	bool least = op == TEAM_LEAST;
	for (size_t i = 0; i < n && least; i++)
		v[i] ^= UINT64_C(1) << 63;
	MPI_Request request;
	(void)MPI_Iallreduce(MPI_IN_PLACE, v, (int)n, least ? MPI_INT64_T : MPI_UINT64_T, how, MPI_COMM_WORLD, &request);
	await(1, &request);
	(void)MPI_Wait(&request, MPI_STATUS_IGNORE);
	for (size_t i = 0; i < n && least; i++)
		v[i] ^= UINT64_C(1) << 63;
}

static __attribute__((noreturn)) void
end_all(struct team *t, int status)
{
	(void)t;
	(void)MPI_Abort(MPI_COMM_WORLD, status);
	_Exit(status);
}

/* Memory for what another process gives. */
static void *
make_room(struct mpi_team *m, unsigned rank, size_t size)
{
	if (size > m->room[rank]) {
		block_free(m->boxes[rank]);
		m->boxes[rank] = block_alloc(size * 2);
		m->room[rank] = size * 2;
	}
	if (m->boxes[rank] && size <= INT_MAX)
		return m->boxes[rank];
	(void)fprintf(stderr, "%s: error[memory]: rank %u cannot take %zu bytes of rank %u\n", join_name, m->team.rank, size, rank);
	end_all(&m->team, 1);
}

static void
swap(struct team *t, const struct team_box *give, struct team_box *take)
{
	struct mpi_team *m = &all;
	int n = 0;
	for (unsigned r = 0; r < t->n; r++)
		m->give[r] = r == t->rank ? 0 : give[r].size;
	MPI_Request sizes;
	(void)MPI_Ialltoall(m->give, 1, MPI_UINT64_T, m->take, 1, MPI_UINT64_T, MPI_COMM_WORLD, &sizes);
	await(1, &sizes);
	(void)MPI_Wait(&sizes, MPI_STATUS_IGNORE);
	for (unsigned r = 0; r < t->n; r++) {
		take[r] = (struct team_box){ NULL, (size_t)m->take[r] };
		if (take[r].size) {
			take[r].data = make_room(m, r, take[r].size);
			(void)MPI_Irecv(take[r].data, (int)take[r].size, MPI_BYTE, (int)r, TAG_BOX, MPI_COMM_WORLD, &m->requests[n++]);
		}
	}
	for (unsigned i = 1; i < t->n; i++) {
		unsigned r = (t->rank + i) % t->n; /* not all to the same at once */
		if (m->give[r])
			(void)MPI_Isend(give[r].data, (int)give[r].size, MPI_BYTE, (int)r, TAG_BOX, MPI_COMM_WORLD, &m->requests[n++]);
	}
	await(n, m->requests);
	(void)MPI_Waitall(n, m->requests, MPI_STATUSES_IGNORE);
}

static int
say(struct team *t, int word)
{
	if (t->rank == 0) {
		for (unsigned r = 1; r < t->n; r++)
			(void)MPI_Send(&word, 1, MPI_INT, (int)r, TAG_WORD, MPI_COMM_WORLD);
		return word;
	}
	bool told = false;
	uint64_t since = now();
	for (int there = 0; !there;) {
		int sig = (int)*t->stop;
		if (sig && !told)
			(void)MPI_Send(&sig, 1, MPI_INT, 0, TAG_STOP, MPI_COMM_WORLD);
		told = told || sig;
		(void)MPI_Iprobe(0, TAG_WORD, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
		if (!there)
			pause_looking(since);
	}
	(void)MPI_Recv(&word, 1, MPI_INT, 0, TAG_WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return word;
}

static void
listen(struct team *t)
{
	for (int there = 1; t->rank == 0 && there;) {
		int sig;
		(void)MPI_Iprobe(MPI_ANY_SOURCE, TAG_STOP, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
		if (!there)
			break;
		(void)MPI_Recv(&sig, 1, MPI_INT, MPI_ANY_SOURCE, TAG_STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		*t->stop = *t->stop ? *t->stop : (sig_atomic_t)sig;
	}
}

/* On one node Open MPI needs no network. To find out that there is none takes some of its parts 0.2 s. What the user has set stays. */
static void
leave_out_networks(void)
{
	const char *number = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
	if (!number || !here || strcmp(number, here) != 0)
		return;
	(void)setenv("OMPI_MCA_pml", "ob1", 0);
	(void)setenv("OMPI_MCA_btl", "^ofi,openib", 0);
	(void)setenv("OMPI_MCA_osc", "^ucx", 0);
}

struct team *
join_team(int *argc, char ***argv, volatile sig_atomic_t *stop)
{
	struct mpi_team *m = &all;
	int rank, n, level;
	leave_out_networks();
	(void)prctl(PR_SET_TIMERSLACK, 1000UL); /* else each nap is 50 us longer */
	(void)MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
	(void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	(void)MPI_Comm_size(MPI_COMM_WORLD, &n);
	m->team = (struct team){ .rank = (unsigned)rank, .n = (unsigned)n, .stop = stop, .reduce = reduce, .swap = swap, .say = say, .listen = listen, .abort = end_all };
	if (level < MPI_THREAD_FUNNELED) {
		(void)fprintf(stderr, "%s: error[usage]: this MPI does not let processes have threads (MPI_THREAD_FUNNELED)\n", join_name);
		end_all(&m->team, 2);
	}
	if (n == 1)
		return NULL;
	m->give = block_alloc(m->team.n * sizeof(*m->give));
	m->take = block_alloc(m->team.n * sizeof(*m->take));
	m->boxes = block_alloc(m->team.n * sizeof(*m->boxes));
	m->room = block_alloc(m->team.n * sizeof(*m->room));
	m->requests = block_alloc(2 * m->team.n * sizeof(MPI_Request));
	if (m->give && m->take && m->boxes && m->room && m->requests)
		return &m->team;
	(void)fprintf(stderr, "%s: error[memory]: out of memory\n", join_name);
	end_all(&m->team, 1);
}

void
join_end(void)
{
	struct mpi_team *m = &all;
	listen(&m->team);
	(void)MPI_Finalize();
	for (unsigned r = 0; m->boxes && r < m->team.n; r++)
		block_free(m->boxes[r]);
	block_free(m->give);
	block_free(m->take);
	block_free(m->boxes);
	block_free(m->room);
	block_free(m->requests);
}
