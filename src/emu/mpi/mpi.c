/* SPDX-License-Identifier: MIT */
/* mpi: the processes that MPI has started as a team. An error of MPI ends all of them, which is what it does by default. */
#include "kit/join.h"

#include "arena.h"
#include "team.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
	TAG_WORD,
	TAG_STOP,
	TAG_BOX,
	WAIT_NS = 2000000, /* between two looks for a word */
	LOOKS = 1000,      /* for messages that may come soon, before others get the CPU, */
	NAP_NS = 50000,    /* and between two of those behind them */
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

/* Waits until messages are there. MPI_Wait() by itself would take all of a CPU, which other threads and processes may need. */
static void
await(int n, const MPI_Request *requests)
{
	unsigned looks = 0;
	for (int i = 0, there = 0; i < n; i += there) {
		(void)MPI_Request_get_status(requests[i], &there, MPI_STATUS_IGNORE);
		if (!there && looks++ > LOOKS)
			(void)nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
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
	for (int there = 0; !there;) {
		int sig = (int)*t->stop;
		if (sig && !told)
			(void)MPI_Send(&sig, 1, MPI_INT, 0, TAG_STOP, MPI_COMM_WORLD);
		told = told || sig;
		(void)MPI_Iprobe(0, TAG_WORD, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
		if (!there)
			(void)nanosleep(&(struct timespec){ .tv_nsec = WAIT_NS }, NULL);
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

struct team *
join_team(int *argc, char ***argv, volatile sig_atomic_t *stop)
{
	struct mpi_team *m = &all;
	int rank, n, level;
	(void)MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
	(void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	(void)MPI_Comm_size(MPI_COMM_WORLD, &n);
	m->team = (struct team){ .rank = (unsigned)rank, .n = (unsigned)n, .stop = stop, .reduce = reduce, .swap = swap, .say = say, .listen = listen, .abort = end_all };
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
