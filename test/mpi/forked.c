/* SPDX-License-Identifier: MIT */
/* forked: a team of processes of this machine, in place of MPI. They begin faster than those of mpirun, do not use a CPU while they
 * wait, and can be watched by sanitizers. What they give each other is in memory that they share.
 *
 *   TEAM        how many there are
 *   TEAM_PIDS   a file to which their numbers are written, for who wants to send them signals
 *   TEAM_LIMIT  "RANK:SIZE": what that one writes ends at that size of a file */
#include "kit/join.h"

#include "team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	TEAM_MAX = 16,
	NUMBERS_MAX = 8192,
	BOXES_SIZE = 1 << 28, /* of a process, for all that it gives; only what is used takes memory */
	BLOCK_SIZE = 1 << 26, /* of a process, for boxes that are not copied */
	WAIT_NS = 1000000,
};

struct shared {
	pthread_barrier_t barrier;
	atomic_int nwords;
	int word;
	atomic_int stop;
	uint64_t numbers[TEAM_MAX][NUMBERS_MAX];
	size_t at[TEAM_MAX][TEAM_MAX]; /* where in `boxes` what one gives to another begins: boxes, then the bytes of those that are not in a block */
	uint8_t boxes[TEAM_MAX][BOXES_SIZE];
	uint8_t blocks[TEAM_MAX][BLOCK_SIZE];
};

static struct shared *shared;
static struct team team;
static pid_t others[TEAM_MAX];
static void *taken[TEAM_MAX];
static int heard; /* words */

const char *const join_name = "ovniemu";

static void
meet(void)
{
	(void)pthread_barrier_wait(&shared->barrier);
}

static void
reduce_set(const struct team *t, enum team_op op, uint64_t *v, size_t n)
{
	if (n > NUMBERS_MAX)
		abort();
	memcpy(shared->numbers[t->rank], v, n * sizeof(*v));
	meet();
	for (unsigned r = 0; r < t->n; r++)
		for (size_t i = 0; i < n; i++) {
			uint64_t x = shared->numbers[r][i];
			v[i] = r == 0 ? x : op == TEAM_LEAST ? (x < v[i] ? x : v[i])
				: op == TEAM_SUM             ? v[i] + x
							     : v[i] | x;
		}
	meet();
}

static void
reduce(struct team *t, const struct team_numbers *sets, size_t nsets)
{
	for (size_t i = 0; i < nsets; i++)
		reduce_set(t, sets[i].op, sets[i].v, sets[i].n);
}

static void
put_bytes(unsigned rank, size_t *at, const void *bytes, size_t n)
{
	if (*at + n > BOXES_SIZE)
		abort();
	if (n)
		memcpy(shared->boxes[rank] + *at, bytes, n);
	*at += n;
}

/* The block of a process is where the others see it, too. */
static void *
share(struct team *t, size_t size)
{
	meet(); /* nobody reads the one before */
	if (size > BLOCK_SIZE)
		return NULL;
	memset(shared->blocks[t->rank], 0, size);
	return shared->blocks[t->rank];
}

static bool
is_shared(unsigned rank, const struct team_box *box)
{
	return (uintptr_t)box->data - (uintptr_t)shared->blocks[rank] < BLOCK_SIZE;
}

/* Takes out what one gave: boxes that are in a copy, or in its block. */
static void
take_boxes(unsigned rank, const uint8_t *from, size_t n, struct team_box *take)
{
	size_t all = 0;
	if (n)
		memcpy(take, from, n * sizeof(*take));
	for (size_t k = 0; k < n; k++)
		all += is_shared(rank, &take[k]) ? 0 : take[k].size;
	free(taken[rank]);
	uint8_t *to = taken[rank] = malloc(all + 1);
	if (!to)
		abort();
	memcpy(to, from + n * sizeof(*take), all);
	for (size_t k = 0; k < n; k++) {
		if (is_shared(rank, &take[k]))
			continue;
		take[k].data = to;
		to += take[k].size;
	}
}

static void
swap(struct team *t, const size_t *n, const struct team_box *give, struct team_box *take)
{
	size_t at = 0;
	const size_t own = n[t->rank];
	for (unsigned r = 0; r < t->n; r++, give += own) {
		if (r == t->rank)
			continue;
		shared->at[t->rank][r] = at;
		put_bytes(t->rank, &at, give, own * sizeof(*give));
		for (size_t k = 0; k < own; k++)
			put_bytes(t->rank, &at, give[k].data, is_shared(t->rank, &give[k]) ? 0 : give[k].size);
	}
	meet();
	for (unsigned r = 0; r < t->n; take += n[r], r++)
		if (r != t->rank)
			take_boxes(r, shared->boxes[r] + shared->at[r][t->rank], n[r], take);
		else
			memset(take, 0, n[r] * sizeof(*take));
	meet();
}

/* They are copied at once. */
static void
settle(struct team *t)
{
	(void)t;
}

static int
say(struct team *t, int word)
{
	if (t->rank == 0) {
		shared->word = word;
		atomic_fetch_add(&shared->nwords, 1);
		meet();
		return word;
	}
	for (heard++; atomic_load(&shared->nwords) < heard; (void)nanosleep(&(struct timespec){ .tv_nsec = WAIT_NS }, NULL))
		if (*t->stop)
			atomic_store(&shared->stop, (int)*t->stop);
	word = shared->word;
	meet();
	return word;
}

static void
listen(struct team *t)
{
	if (!*t->stop)
		*t->stop = atomic_load(&shared->stop);
}

static __attribute__((noreturn)) void
end_all(struct team *t, int status)
{
	if (t->rank == 0)
		for (unsigned r = 1; r < t->n; r++)
			(void)kill(others[r], SIGKILL);
	_exit(status);
}

/* One of the others has ended: when nobody has told it to, all do, as with MPI. */
static void
on_end(int sig)
{
	(void)sig;
	int status;
	while (waitpid(-1, &status, WNOHANG) > 0)
		if (status)
			end_all(&team, 1);
}

struct team *
join_team(int *argc, char ***argv, volatile sig_atomic_t *stop)
{
	(void)argc;
	(void)argv;
	const char *n = getenv("TEAM");
	team = (struct team){ .n = n ? (unsigned)atoi(n) : 1, .stop = stop, .reduce = reduce, .share = share, .swap = swap, .settle = settle, .say = say, .listen = listen, .abort = end_all };
	if (team.n < 2 || team.n > TEAM_MAX)
		return NULL;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED)
		abort();
	pthread_barrierattr_t a;
	(void)pthread_barrierattr_init(&a);
	(void)pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	(void)pthread_barrier_init(&shared->barrier, &a, team.n);
	(void)signal(SIGCHLD, on_end);
	for (unsigned r = 1; r < team.n && team.rank == 0; r++) {
		others[r] = fork();
		if (others[r] < 0)
			abort();
		if (others[r] == 0) {
			(void)signal(SIGCHLD, SIG_DFL);
			(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
			team.rank = r;
		}
	}
	const char *pids = getenv("TEAM_PIDS");
	FILE *f = pids && team.rank == 0 ? fopen(pids, "w") : NULL;
	for (unsigned r = 0; f && r < team.n; r++)
		(void)fprintf(f, "%d\n", (int)(r ? others[r] : getpid()));
	if (f)
		(void)fclose(f);
	unsigned rank;
	unsigned long size;
	const char *limit = getenv("TEAM_LIMIT");
	if (limit && sscanf(limit, "%u:%lu", &rank, &size) == 2 && rank == team.rank)
		(void)setrlimit(RLIMIT_FSIZE, &(struct rlimit){ size, size });
	return &team;
}

void
join_end(void)
{
	for (unsigned r = 0; r < TEAM_MAX; r++)
		free(taken[r]);
	if (team.n < 2)
		return;
	(void)signal(SIGCHLD, SIG_DFL);
	meet();
	while (team.rank == 0 && wait(NULL) > 0)
		;
}
