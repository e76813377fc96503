/* SPDX-License-Identifier: MIT */
/* ovnisync: measures the distance between the clocks of the nodes, over MPI. */
#include "arena.h"
#include "kit/cli.h"
#include "diag.h"
#include "sync/table.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	HOST_SIZE = 256,
	WARM_UP = 20, /* rounds at most that do not count */
	SAMPLES_MAX = 100000,
	RUNS_MAX = 1000000000,
};

#define SECOND INT64_C(1000000000)
#define PAUSE_MAX INT64_C(86400)

/* The options of rank 0, which all ranks follow. */
struct plan {
	int64_t samples;
	int64_t runs;
	int64_t pause; /* ns */
};

struct sync {
	struct diag *diag;
	struct plan plan;
	bool verbose;
	struct synctable table;
	int rank;
	int size;
	char *hosts; /* HOST_SIZE each */
	struct sync_node *nodes;
	size_t nnodes;
};

static int64_t
now(void)
{
	struct timespec ts;
	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static void
sleep_ns(int64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND) };
	while (nanosleep(&ts, &ts) != 0 && errno == EINTR)
		;
}

/* ---- The measurement. ---- */

/* The name that looms have before their first dot. */
static void
own_host(char host[HOST_SIZE])
{
	memset(host, 0, HOST_SIZE);
	if (gethostname(host, HOST_SIZE - 1) != 0 || !*host)
		(void)snprintf(host, HOST_SIZE, "unknown");
	host[strcspn(host, ".")] = 0;
}

/* Whether a rank before that one has the same host. */
static bool
is_known(const char *hosts, int rank)
{
	const char *host = hosts + (size_t)rank * HOST_SIZE;
	for (int r = 0; r < rank; r++)
		if (strcmp(hosts + (size_t)r * HOST_SIZE, host) == 0)
			return true;
	return false;
}

static int
find_nodes(struct sync *s)
{
	s->nodes = block_alloc((size_t)s->size * sizeof(*s->nodes));
	if (!s->hosts || !s->nodes)
		return diag_no_memory(s->diag);
	for (int r = 0; r < s->size; r++) {
		const char *host = s->hosts + (size_t)r * HOST_SIZE;
		if (is_known(s->hosts, r))
			continue;
		struct sync_node *n = &s->nodes[s->nnodes++];
		*n = (struct sync_node){ .rank = r, .host = host };
		n->samples = block_alloc((size_t)s->plan.samples * sizeof(*n->samples));
		if (!n->samples)
			return diag_no_memory(s->diag);
	}
	if ((int)s->nnodes < s->size)
		diag_info(s->diag, "%d ranks on %zu hosts: the first one of each is measured", s->size, s->nnodes);
	return 0;
}

static void
ping(struct sync_node *n, struct sync_sample *x)
{
	int64_t there[2] = { 0, 0 };
	x->sent = now();
	(void)MPI_Send(there, 1, MPI_INT64_T, n->rank, 0, MPI_COMM_WORLD);
	(void)MPI_Recv(there, 2, MPI_INT64_T, n->rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	x->back = now();
	x->got = there[0];
	x->answered = there[1];
}

static void
pong(void)
{
	int64_t here[2];
	(void)MPI_Recv(here, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	here[0] = now();
	here[1] = now();
	(void)MPI_Send(here, 2, MPI_INT64_T, 0, 0, MPI_COMM_WORLD);
}

static void
print_samples(const struct sync_node *n, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		const struct sync_sample *x = &n->samples[i];
		int64_t trip = sync_trip(x);
		(void)printf("rank=%d  sample=%" PRId64 "  delta=%" PRId64 ".000000  ref=%" PRId64 ".000000  cur=%" PRId64 ".000000  trip=%" PRId64 "\n",
			n->rank, i, sync_delta(x), x->got + sync_delta(x), x->got, trip);
	}
}

static int64_t
warm_up(const struct plan *p)
{
	return p->samples < WARM_UP ? p->samples : WARM_UP;
}

/* In rank 0. The nodes take turns, so that their samples are of the same time: returns the
 * clock in its middle. */
static int64_t
measure(struct sync *s)
{
	int64_t begin = now();
	for (int64_t i = -warm_up(&s->plan); i < s->plan.samples; i++) {
		if (i == 0)
			begin = now();
		for (size_t k = 1; k < s->nnodes; k++)
			ping(&s->nodes[k], &s->nodes[k].samples[i < 0 ? 0 : i]);
	}
	int64_t middle = begin + (now() - begin) / 2;
	for (size_t k = 0; k < s->nnodes; k++) {
		struct sync_node *n = &s->nodes[k];
		if (s->verbose)
			print_samples(n, s->plan.samples);
		n->offset = sync_estimate(n->samples, (size_t)s->plan.samples);
		if (k)
			diag_info(s->diag, "%s: offset %" PRId64 " ns, off by %" PRId64 " ns at most", n->host, n->offset.median, n->offset.error);
	}
	return middle;
}

/* In the other ranks. */
static void
answer(const struct plan *p)
{
	for (int64_t i = -warm_up(p); i < p->samples; i++)
		pong();
}

/* ---- All of it. ---- */

static int
prepare(struct sync *s)
{
	char host[HOST_SIZE];
	own_host(host);
	s->hosts = s->rank == 0 ? block_alloc((size_t)s->size * HOST_SIZE) : NULL;
	int rc = s->rank == 0 && !s->hosts ? diag_no_memory(s->diag) : 0;
	if (s->rank == 0 && rc == 0)
		rc = synctable_open(&s->table, s->diag, s->plan.runs > 1);
	/* Rank 0 tells the others when it cannot go on, so that none waits. */
	int64_t go[4] = { rc == 0, s->plan.samples, s->plan.runs, s->plan.pause };
	(void)MPI_Bcast(go, 4, MPI_INT64_T, 0, MPI_COMM_WORLD);
	s->plan = (struct plan){ .samples = go[1], .runs = go[2], .pause = go[3] };
	if (!go[0])
		return rc;
	(void)MPI_Gather(host, HOST_SIZE, MPI_CHAR, s->hosts, HOST_SIZE, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (s->rank == 0)
		rc = find_nodes(s);

	/* The first rank of each host but that of rank 0 is measured: it learns of it. */
	int *measured = s->rank == 0 && rc == 0 ? block_alloc((size_t)s->size * sizeof(*measured)) : NULL;
	for (size_t k = 1; measured && k < s->nnodes; k++)
		measured[s->nodes[k].rank] = 1;
	int64_t ready = s->rank != 0 || measured;
	(void)MPI_Bcast(&ready, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
	int mine = 0;
	if (ready)
		(void)MPI_Scatter(measured, 1, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
	block_free(measured);
	if (s->rank == 0 && !ready)
		return rc < 0 ? rc : diag_no_memory(s->diag);
	return s->rank == 0 || mine;
}

static int
run(struct sync *s)
{
	int rc = prepare(s);
	for (int64_t i = 0; rc > 0 && i < s->plan.runs; i++) {
		if (i)
			sleep_ns(s->plan.pause);
		if (s->rank)
			answer(&s->plan);
		else
			synctable_put(&s->table, s->nodes, s->nnodes, measure(s));
	}
	if (s->rank)
		return 0;
	int closed = synctable_close(&s->table, rc > 0);
	rc = rc > 0 && closed < 0 ? closed : rc;
	if (rc > 0 && (fflush(stdout) != 0 || ferror(stdout)))
		rc = diag_error(s->diag, ERR_WRITE, NULL, "cannot write the standard output: %s", strerror(errno));
	if (rc > 0)
		diag_info(s->diag, "offsets of %zu hosts are in %s", s->nnodes, s->table.path);
	for (size_t k = 0; k < s->nnodes; k++)
		block_free(s->nodes[k].samples);
	block_free(s->nodes);
	block_free(s->hosts);
	return rc < 0 ? 1 : 0;
}

static bool
parse_seconds(const char *text, int64_t *ns)
{
	char *end;
	double v = strtod(text, &end);
	if (end == text || *end || !(v >= 0 && v <= (double)PAUSE_MAX))
		return false;
	*ns = (int64_t)(v * 1e9);
	return true;
}

int
main(int argc, char **argv)
{
	struct diag d = { .program = "ovnisync", .level = DIAG_NORMAL };
	struct sync s = { .diag = &d, .plan = { .pause = 5 * SECOND } };
	uint64_t samples = 100;
	uint64_t runs = 1;
	const struct cli_option options[] = {
		{ 'o', "output", "FILE", "write there (default: clock-offsets.txt of the trace)", CLI_TEXT, &s.table.path },
		{ 'n', "samples", "N", "messages to each node in a measurement (default: 100)", CLI_NUMBER, &samples, SAMPLES_MAX, 1 },
		{ 'd', "drift", "N", "measure N times, and write a table of the drift", CLI_NUMBER, &runs, RUNS_MAX, 1 },
		{ 'w', "wait", "S", "seconds between these measurements (default: 5)" },
		{ 'v', "verbose", NULL, "print each message on the standard output", CLI_FLAG, &s.verbose },
		{ CLI_QUIET(&d) },
	};
	const struct cli cli = {
		.program = d.program,
		.synopsis = "[options]",
		.about = "Measure the offsets between the clocks of nodes, and write the table that\n"
			 "ovniemu -c reads. Run it with one process on each node: mpirun -N 1 ovnisync",
		.footer = "The trace is that of OVNI_TRACEDIR, or ovni.\n"
			  "Status: 0 good, 1 failed, 2 wrong usage. Manual: man ovnisync\n",
		.options = options,
		.noptions = sizeof(options) / sizeof(options[0]),
	};
	int opt;
	while ((opt = cli_next(&cli, argc, argv)) == 'w')
		if (!parse_seconds(optarg, &s.plan.pause))
			return cli_status(cli_usage(&cli, "-w needs seconds, from 0 to %" PRId64 ", not '%s'", PAUSE_MAX, optarg));
	if (opt == CLI_END && optind < argc)
		opt = cli_usage(&cli, "there is nothing to do with '%s'", argv[optind]);
	if (opt != CLI_END)
		return cli_status(opt);
	s.plan.samples = (int64_t)samples;
	s.plan.runs = (int64_t)runs;

	char path[PATH_MAX];
	if (!s.table.path) {
		const char *dir = getenv("OVNI_TRACEDIR");
		(void)snprintf(path, sizeof(path), "%s/clock-offsets.txt", dir && *dir ? dir : "ovni");
		s.table.path = path;
	}
	if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
		(void)diag_error(&d, ERR_READ, NULL, "cannot initialise MPI");
		return 1;
	}
	(void)MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
	(void)MPI_Comm_size(MPI_COMM_WORLD, &s.size);
	int status = run(&s);
	(void)MPI_Finalize();
	return status;
}
