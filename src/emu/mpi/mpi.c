/* SPDX-License-Identifier: MIT */
/* mpi: the processes that MPI has started as a team. An error of MPI ends all of them, which is what it does by default. */
#include "kit/join.h"

#include "arena.h"
#include "near.h"
#include "team.h"

#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	TAG_WORD,
	TAG_STOP,
	TAG_LABELS,
	TAG_BOXES,
	LOOK_NS = 1000000, /* for messages that may come soon, before the process sleeps, */
	NAP_PART = 8,      /* for that part of the time that it has waited, */
	NAP_MAX = 2000000, /* or so long */
	FILES_MAX = 8192,
	SOCKETS_MAX = 64, /* those of MPI are among the first files */
};

/* Memory that grows. */
struct room {
	void *data;
	size_t size;
};

/* What is sent before boxes, of each. */
struct label {
	uint64_t size;
	uint64_t place; /* in memory that the other process reads; 0: the bytes follow */
};

struct mpi_team {
	struct team team;
	struct near *near;
	struct room *boxes;    /* that were taken, by process */
	struct room labels;    /* of boxes, those that are taken first */
	struct room sizes;     /* of those whose bytes follow, */
	struct room places;    /* and where they are */
	MPI_Request *requests; /* one for each of the others, or for each set of numbers */
	MPI_Request *given;    /* two for each of the others, */
	int ngiven;            /* of which so many may be under way */
};

enum {
	WORDS = sizeof(struct label) / sizeof(uint64_t),
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

/* With the highest bit inverted, signed numbers have the order of those without a sign: MPICH 4.0 compares the latter as signed. */
static void
invert(const struct team_numbers *set)
{
	for (size_t i = 0; i < set->n && set->op == TEAM_LEAST; i++)
		set->v[i] ^= UINT64_C(1) << 63;
}

static void
reduce(struct team *t, const struct team_numbers *sets, size_t nsets)
{
	(void)t;
	MPI_Request *requests = all.requests;
	for (size_t i = 0; i < nsets; i++) {
		const struct team_numbers *x = &sets[i];
		MPI_Op how = x->op == TEAM_LEAST ? MPI_MIN : x->op == TEAM_SUM ? MPI_SUM
									       : MPI_BOR;
		invert(x);
		(void)MPI_Iallreduce(MPI_IN_PLACE, x->v, (int)x->n, x->op == TEAM_LEAST ? MPI_INT64_T : MPI_UINT64_T, how, MPI_COMM_WORLD, &requests[i]);
	}
	await((int)nsets, requests);
	(void)MPI_Waitall((int)nsets, requests, MPI_STATUSES_IGNORE);
	for (size_t i = 0; i < nsets; i++)
		invert(&sets[i]);
}

static __attribute__((noreturn)) void
end_all(struct team *t, int status)
{
	(void)t;
	(void)MPI_Abort(MPI_COMM_WORLD, status);
	_Exit(status);
}

/* Makes room for some bytes. */
static void *
make_room(struct room *room, size_t size)
{
	if (size > room->size || !room->data) {
		block_free(room->data);
		room->size = (size + 1) * 2;
		room->data = block_alloc(room->size);
	}
	if (room->data)
		return room->data;
	(void)fprintf(stderr, "%s: error[memory]: rank %u cannot take %zu bytes of other ranks\n", join_name, all.team.rank, size);
	end_all(&all.team, 1);
}

/* Begins to send n boxes, and before them their labels. They are sent from where they are: one alone can be taken out of there by a process of
 * the same machine. */
static void
give_boxes(struct mpi_team *m, unsigned rank, const struct team_box *boxes, size_t n, struct label *labels)
{
	MPI_Aint *places = make_room(&m->places, n * sizeof(*places));
	int *sizes = make_room(&m->sizes, n * sizeof(*sizes));
	const void *one = NULL;
	size_t size = 0;
	int follow = 0;
	for (size_t k = 0; k < n; k++) {
		const struct team_box *box = &boxes[k];
		labels[k] = (struct label){ box->size, box->size ? near_place(m->near, rank, box->data) : 0 };
		if (!box->size || labels[k].place)
			continue;
		one = box->data;
		size += box->size;
		sizes[follow] = (int)box->size;
		(void)MPI_Get_address(box->data, &places[follow++]);
	}
	if (size > INT_MAX) {
		(void)fprintf(stderr, "%s: error[memory]: rank %u cannot send %zu bytes to rank %u\n", join_name, m->team.rank, size, rank);
		end_all(&m->team, 1);
	}
	(void)MPI_Isend(labels, (int)(n * WORDS), MPI_UINT64_T, (int)rank, TAG_LABELS, MPI_COMM_WORLD, &m->given[m->ngiven++]);
	if (follow == 1) {
		(void)MPI_Isend(one, (int)size, MPI_BYTE, (int)rank, TAG_BOXES, MPI_COMM_WORLD, &m->given[m->ngiven++]);
	} else if (follow) {
		MPI_Datatype type;
		(void)MPI_Type_create_hindexed(follow, sizes, places, MPI_BYTE, &type);
		(void)MPI_Type_commit(&type);
		(void)MPI_Isend(MPI_BOTTOM, 1, type, (int)rank, TAG_BOXES, MPI_COMM_WORLD, &m->given[m->ngiven++]);
		(void)MPI_Type_free(&type);
	}
}

/* Begins to take n boxes with known labels. */
static void
take_boxes(struct mpi_team *m, unsigned rank, struct team_box *boxes, size_t n, const struct label *labels, MPI_Request *request)
{
	size_t size = 0;
	for (size_t k = 0; k < n; k++)
		size += labels[k].place ? 0 : labels[k].size;
	uint8_t *next = make_room(&m->boxes[rank], size);
	*request = MPI_REQUEST_NULL;
	if (size)
		(void)MPI_Irecv(next, (int)size, MPI_BYTE, (int)rank, TAG_BOXES, MPI_COMM_WORLD, request);
	for (size_t k = 0; k < n; k++) {
		const struct label *l = &labels[k];
		boxes[k] = (struct team_box){ l->place ? near_find(m->near, rank, l->place) : next, l->size };
		next += l->place ? 0 : l->size;
	}
}

/* How many boxes come before those of a process. */
static size_t
count_before(const size_t *n, unsigned rank)
{
	size_t sum = 0;
	for (unsigned r = 0; r < rank; r++)
		sum += n[r];
	return sum;
}

static void *
share(struct team *t, size_t size)
{
	(void)t;
	return near_share(&all.near, size);
}

static void
swap(struct team *t, const size_t *n, const struct team_box *give, struct team_box *take)
{
	struct mpi_team *m = &all;
	size_t own = n[t->rank], ntake = count_before(n, t->n);
	struct label *labels = make_room(&m->labels, (ntake + own * t->n) * sizeof(*labels));
	for (unsigned i = 1; i < t->n; i++) {
		unsigned r = (t->rank + t->n - i) % t->n;
		(void)MPI_Irecv(labels + count_before(n, r), (int)(n[r] * WORDS), MPI_UINT64_T, (int)r, TAG_LABELS, MPI_COMM_WORLD, &m->requests[i - 1]);
	}
	for (unsigned i = 1; i < t->n; i++) {
		unsigned r = (t->rank + i) % t->n; /* not all to the same at once */
		give_boxes(m, r, give + own * r, own, labels + ntake + own * r);
	}
	memset(take + count_before(n, t->rank), 0, own * sizeof(*take));
	for (unsigned i = 1; i < t->n; i++) {
		unsigned r = (t->rank + t->n - i) % t->n;
		size_t first = count_before(n, r);
		await(1, &m->requests[i - 1]);
		(void)MPI_Wait(&m->requests[i - 1], MPI_STATUS_IGNORE);
		take_boxes(m, r, take + first, n[r], labels + first, &m->requests[i - 1]);
	}
	await((int)t->n - 1, m->requests);
	(void)MPI_Waitall((int)t->n - 1, m->requests, MPI_STATUSES_IGNORE);
}

static void
settle(struct team *t)
{
	(void)t;
	struct mpi_team *m = &all;
	await(m->ngiven, m->given);
	(void)MPI_Waitall(m->ngiven, m->given, MPI_STATUSES_IGNORE);
	m->ngiven = 0;
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
hear(struct team *t)
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

/* On one node Open MPI needs no network. To find out that there is none takes some of its parts 0.2 s, and what devices there are takes hwloc
 * 0.01 s. What the user has set stays. */
static void
leave_out_networks(void)
{
	const char *number = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
	if (!number || !here || strcmp(number, here) != 0)
		return;
	(void)setenv("OMPI_MCA_pml", "ob1", 0);
	(void)setenv("OMPI_MCA_btl", "^ofi,openib", 0);
	(void)setenv("OMPI_MCA_osc", "^ucx", 0);
	(void)setenv("HWLOC_COMPONENTS", "-pci,-linuxio,-opencl,-gl", 0);
}

/* Room for as many files as there may be. When a process has threads, as those of MPI, the kernel takes 10 ms each time that its table of files has
 * to grow. */
static void
make_room_for_files(void)
{
	struct rlimit limit;
	int last = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < FILES_MAX ? (int)limit.rlim_cur - 1 : FILES_MAX;
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, last);
	if (fd >= 0)
		(void)close(fd);
}

/* The sockets by which Open MPI reaches mpirun wait for answers before they send more, which takes 40 ms in MPI_Finalize(): they need not. */
static void
hurry_sockets(void)
{
	for (int fd = STDERR_FILENO + 1; fd < SOCKETS_MAX; fd++)
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
}

struct team *
join_team(int *argc, char ***argv, volatile sig_atomic_t *stop)
{
	struct mpi_team *m = &all;
	int rank, n, level;
	leave_out_networks();
	make_room_for_files();
	(void)prctl(PR_SET_TIMERSLACK, 1000UL); /* else each nap is 50 us longer */
	(void)MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
	hurry_sockets();
	(void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	(void)MPI_Comm_size(MPI_COMM_WORLD, &n);
	m->team = (struct team){ .rank = (unsigned)rank, .n = (unsigned)n, .stop = stop, .reduce = reduce, .share = share, .swap = swap, .settle = settle, .say = say, .listen = hear, .abort = end_all };
	if (level < MPI_THREAD_FUNNELED) {
		(void)fprintf(stderr, "%s: error[usage]: this MPI does not let processes have threads (MPI_THREAD_FUNNELED)\n", join_name);
		end_all(&m->team, 2);
	}
	if (n == 1)
		return NULL;
	m->boxes = block_alloc(m->team.n * sizeof(*m->boxes));
	m->requests = block_alloc((m->team.n + TEAM_SETS) * sizeof(MPI_Request));
	m->given = block_alloc(2 * m->team.n * sizeof(MPI_Request));
	if (m->boxes && m->requests && m->given)
		return &m->team;
	(void)fprintf(stderr, "%s: error[memory]: out of memory\n", join_name);
	end_all(&m->team, 1);
}

void
join_end(void)
{
	struct mpi_team *m = &all;
	hear(&m->team);
	(void)MPI_Finalize();
	for (unsigned r = 0; m->boxes && r < m->team.n; r++)
		block_free(m->boxes[r].data);
	near_end(m->near);
	block_free(m->boxes);
	block_free(m->labels.data);
	block_free(m->sizes.data);
	block_free(m->places.data);
	block_free(m->requests);
	block_free(m->given);
}
