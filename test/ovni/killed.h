/* SPDX-License-Identifier: MIT */
#ifndef KILLED_H
#define KILLED_H

/* killed: programs that are killed at random moments while their threads emit, for tests of what is left. */

#include "kit.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	KILLED_THREADS = 8, /* tids 1 to 8 */
};

/* What the program does, and how the test looks at a thread of which so many emits had returned. */
struct killed {
	void (*emit)(uint64_t i);
	void (*look)(int tid, uint64_t emitted);
	_Atomic uint64_t *emitted; /* by thread, shared with the parent */
};

static struct killed killed_now;

static void *
killed_thread(void *arg)
{
	int n = (int)(intptr_t)arg;
	ovni_thread_init(n + 1);
	for (uint64_t i = 0;; i++) {
		killed_now.emit(i);
		atomic_store_explicit(&killed_now.emitted[n], i + 1, memory_order_release);
	}
	return arg;
}

static inline void
killed_once(unsigned us)
{
	_Atomic uint64_t *emitted = killed_now.emitted;
	int status;
	memset((void *)emitted, 0, KILLED_THREADS * sizeof(*emitted));
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		pthread_t t;
		ovni_proc_init(1, KIT_LOOM, KIT_PID);
		for (intptr_t i = 0; i < KILLED_THREADS; i++)
			CHECK(pthread_create(&t, NULL, killed_thread, (void *)i) == 0);
		for (;;)
			(void)pause();
	}
	for (int tries = 0; tries < 100000 && atomic_load(&emitted[0]) == 0; tries++)
		(void)usleep(100);
	(void)usleep(us);
	CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	for (int i = 0; i < KILLED_THREADS; i++)
		if (atomic_load(&emitted[i]) > 0)
			killed_now.look(i + 1, atomic_load(&emitted[i]));
	CHECK(system("rm -rf ovni") == 0);
}

/* Kills so many programs, a share of them unless TEST_SHARE says which. */
static inline void
killed_often(int kills, int share, void (*emit)(uint64_t i), void (*look)(int tid, uint64_t emitted))
{
	const char *wish = getenv("TEST_SHARE");
	size_t size = KILLED_THREADS * sizeof(*killed_now.emitted);
	unsigned seed = 1;
	killed_now = (struct killed){ emit, look, mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) };
	CHECK((void *)killed_now.emitted != MAP_FAILED);
	for (int i = 0; i < kills / (wish ? atoi(wish) : share); i++)
		killed_once((unsigned)rand_r(&seed) % 20000);
}

#endif
