/* SPDX-License-Identifier: MIT */
/* twoproc: two processes that share one loom, as two MPI ranks of a node would.
 *
 * Each is a program of its own for the trace (applications 1 and 2, ranks 0 and 1 of 2)
 * and brings a part of the CPUs of the loom; the reader puts the parts together. The
 * second process is made before the first call of libovni: each initialises itself. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* gettid() */
#endif

#include <ovni.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	NPROCS = 2,
	NTHREADS = 3, /* a process */
	NSTEPS = 4,
	STEP = 5, /* mark type, the same in both */
};

static const char loom[] = "node.loom";
static int rank;

static void
emit(const char *mcv)
{
	struct ovni_ev ev = { 0 };
	ovni_ev_set_mcv(&ev, mcv);
	ovni_ev_set_clock(&ev, ovni_clock_now());
	ovni_ev_emit(&ev);
}

static void
emit_execute(int32_t cpu)
{
	int32_t creator = -1;
	uint64_t tag = 0;
	struct ovni_ev ev = { 0 };
	ovni_ev_set_mcv(&ev, "OHx");
	ovni_ev_set_clock(&ev, ovni_clock_now());
	ovni_payload_add(&ev, (uint8_t *)&cpu, sizeof(cpu));
	ovni_payload_add(&ev, (uint8_t *)&creator, sizeof(creator));
	ovni_payload_add(&ev, (uint8_t *)&tag, sizeof(tag));
	ovni_ev_emit(&ev);
}

static void
rest(long ms)
{
	(void)nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static void *
work(void *arg)
{
	int index = *(int *)arg;
	int first = rank * NTHREADS; /* CPUs of this process begin here */

	ovni_thread_init(gettid());
	if (index == 0) {
		ovni_proc_set_rank(rank, NPROCS);
		for (int i = 0; i < NTHREADS; i++)
			ovni_add_cpu(first + i, first + i);
	}
	ovni_mark_type(STEP, 0, "Step");
	ovni_mark_label(STEP, 1, "first");
	ovni_mark_label(STEP, NSTEPS, "last");

	emit_execute(first + index);
	for (int step = 1; step <= NSTEPS; step++) {
		ovni_mark_set(STEP, step);
		rest(1 + index);
		emit("OHp");
		rest(1 + rank);
		emit("OHr");
	}
	emit("OHe");
	ovni_thread_free();
	return NULL;
}

static int
run(void)
{
	pthread_t thread[NTHREADS];
	int index[NTHREADS];

	ovni_version_check();
	ovni_proc_init(rank + 1, loom, getpid());
	for (int i = 0; i < NTHREADS; i++) {
		index[i] = i;
		if (pthread_create(&thread[i], NULL, work, &index[i]) != 0)
			return 1;
	}
	for (int i = 0; i < NTHREADS; i++)
		(void)pthread_join(thread[i], NULL);
	ovni_proc_fini();
	return 0;
}

int
main(void)
{
	int status = 0;

	pid_t child = fork();
	if (child < 0) {
		perror("twoproc: cannot fork");
		return 1;
	}
	rank = child == 0;
	int rc = run();
	if (child != 0 && (waitpid(child, &status, 0) != child || status != 0))
		rc = 1;
	return rc;
}
