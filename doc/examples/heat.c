/* SPDX-License-Identifier: MIT */
/* heat: diffusion in a square plate, one band of rows a thread, traced with libovni.
 *
 *   usage: heat [threads [iterations]]          default: 4 threads, 50 iterations
 *
 * Each thread sweeps over its band, waits for its neighbours at a barrier, and adds its
 * residual to a sum. While it waits it gives its CPU away, so it is paused: what the
 * timeline shows of it in between is the imbalance. The first band is made heavier on
 * purpose. Look at the trace with: ovniemu ovni */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* gettid() */
#endif

#include <ovni.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

enum {
	SIZE = 256, /* cells a side, border included */
	MAX_THREADS = 64,
	HEAVY = 3, /* sweeps of the first band for one of the others */

	/* Mark types, and the values of the first. */
	PHASE = 0,
	SWEEP = 1,
	WAIT = 2,
	REDUCE = 3,
	ITERATION = 1,
};

struct worker {
	int index;
	pthread_t thread;
	double residual;
};

static struct worker workers[MAX_THREADS];
static int nthreads = 4, niterations = 50;
static double plate[2][SIZE][SIZE];

/* A barrier whose waiters sleep, written out to put the events where they belong. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int here, round_number;

static void
emit(const char *mcv)
{
	struct ovni_ev ev = { 0 };
	ovni_ev_set_mcv(&ev, mcv);
	ovni_ev_set_clock(&ev, ovni_clock_now());
	ovni_ev_emit(&ev);
}

/* Execution begins: on which CPU, made by whom (-1: nobody that is traced). */
static void
emit_execute(int32_t cpu, int32_t creator, uint64_t tag)
{
	struct ovni_ev ev = { 0 };
	ovni_ev_set_mcv(&ev, "OHx");
	ovni_ev_set_clock(&ev, ovni_clock_now());
	ovni_payload_add(&ev, (uint8_t *)&cpu, sizeof(cpu));
	ovni_payload_add(&ev, (uint8_t *)&creator, sizeof(creator));
	ovni_payload_add(&ev, (uint8_t *)&tag, sizeof(tag));
	ovni_ev_emit(&ev);
}

static void
barrier(void)
{
	ovni_mark_push(PHASE, WAIT);
	(void)pthread_mutex_lock(&lock);
	int mine = round_number;
	if (++here == nthreads) {
		here = 0;
		round_number++;
		(void)pthread_cond_broadcast(&all_here);
	} else {
		emit("OHp");
		while (mine == round_number)
			(void)pthread_cond_wait(&all_here, &lock);
		emit("OHr");
	}
	(void)pthread_mutex_unlock(&lock);
	ovni_mark_pop(PHASE, WAIT);
}

/* New values of rows [from, to). Returns the sum of the squared changes. */
static double
sweep(int from, int to, double old[SIZE][SIZE], double new[SIZE][SIZE])
{
	double sum = 0;

	for (int i = from; i < to; i++) {
		for (int j = 1; j < SIZE - 1; j++) {
			double v = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);
			double d = v - old[i][j];
			new[i][j] = v;
			sum += d * d;
		}
	}
	return sum;
}

static void
iterate(struct worker *w, int k)
{
	int rows = SIZE - 2;
	int from = 1 + rows * w->index / nthreads;
	int to = 1 + rows * (w->index + 1) / nthreads;

	ovni_mark_set(ITERATION, k + 1); /* 0 is no value */

	ovni_mark_push(PHASE, SWEEP);
	for (int n = w->index == 0 ? HEAVY : 1; n > 0; n--)
		w->residual = sweep(from, to, plate[k % 2], plate[(k + 1) % 2]);
	ovni_mark_pop(PHASE, SWEEP);

	barrier();
	ovni_mark_push(PHASE, REDUCE);
	double sum = 0;
	for (int i = 0; i < nthreads; i++)
		sum += workers[i].residual;
	ovni_mark_pop(PHASE, REDUCE);
	barrier(); /* nobody overwrites a residual that somebody still reads */

	if (w->index == 0 && k == niterations - 1)
		(void)printf("residual after %d iterations: %g\n", niterations, sum);
}

static void *
work(void *arg)
{
	struct worker *w = arg;

	ovni_thread_init(gettid());
	/* Each brings its own CPU; one thread could as well bring them all. */
	ovni_add_cpu(w->index, w->index);

	/* Every thread may define the marks, if all use the same words. */
	ovni_mark_type(PHASE, OVNI_MARK_STACK, "Heat: phase");
	ovni_mark_label(PHASE, SWEEP, "Sweep");
	ovni_mark_label(PHASE, WAIT, "Wait for the others");
	ovni_mark_label(PHASE, REDUCE, "Reduce");
	ovni_mark_type(ITERATION, 0, "Heat: iteration");

	emit_execute(w->index, w->index == 0 ? -1 : (int32_t)getpid(), (uint64_t)w->index);
	for (int k = 0; k < niterations; k++)
		iterate(w, k);
	emit("OHe");

	/* Freeing would write the rest; a flush here shows in the timeline what it takes. */
	ovni_flush();
	ovni_thread_free();
	return NULL;
}

/* Returns whether text is a number from 1 to max. */
static bool
number(const char *text, int max, int *out)
{
	char *end;
	long v = strtol(text, &end, 10);
	*out = (int)v;
	return end != text && *end == '\0' && v >= 1 && v <= max;
}

int
main(int argc, char **argv)
{
	char host[HOST_NAME_MAX + 1], loom[OVNI_MAX_HOSTNAME];

	if (argc > 3 || (argc > 1 && !number(argv[1], MAX_THREADS, &nthreads)) ||
		(argc > 2 && !number(argv[2], 1000000, &niterations))) {
		(void)fprintf(stderr, "usage: heat [threads (up to %d) [iterations]]\n", MAX_THREADS);
		return 2;
	}
	for (int j = 0; j < SIZE; j++) /* one edge is hot */
		plate[0][0][j] = plate[1][0][j] = 100;

	if (gethostname(host, sizeof(host)) != 0)
		strcpy(host, "node");
	host[strcspn(host, ".")] = '\0';
	(void)snprintf(loom, sizeof(loom), "%s.%d", host, (int)getpid());

	ovni_version_check();
	ovni_proc_init(1, loom, getpid());
	/* The first thread of the process works as well, so that it has a stream too. */
	for (int i = 0; i < nthreads; i++) {
		workers[i].index = i;
		if (i > 0 && pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
			perror("heat: cannot create a thread");
			return 1;
		}
	}
	(void)work(&workers[0]);
	for (int i = 1; i < nthreads; i++)
		(void)pthread_join(workers[i].thread, NULL);
	ovni_proc_fini();
	return 0;
}
