/* SPDX-License-Identifier: MIT */
/* The child of a fork is another process: it leaves the stream of its parent alone, and
 * may have its own. */
#include <dirent.h>
#include <pthread.h>
#include "kit.h"

/* Streams this process has open, and whether an exec would inherit one. */
static int
open_streams(bool *inherited)
{
	int n = 0;

	*inherited = false;
	DIR *d = opendir("/proc/self/fd");
	CHECK(d != NULL);
	for (const struct dirent *e; (e = readdir(d)) != NULL;) {
		char path[300], target[4096];
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%s", e->d_name);
		ssize_t len = readlink(path, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		if (strstr(target, "stream.obs") == NULL)
			continue;
		n++;
		if ((fcntl(atoi(e->d_name), F_GETFD) & FD_CLOEXEC) == 0)
			*inherited = true;
	}
	CHECK(closedir(d) == 0);
	return n;
}

static void
reap(pid_t pid)
{
	int status;
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void
check_stream(int pid, int tid, size_t events)
{
	size_t size, named;
	uint8_t *got = kit_file("ovni", pid, tid, "stream.obs", &size);
	CHECK(got != NULL && kit_count(got, size, "OB.", &named) == events && named == events);
	free(got);
	got = kit_file("ovni", pid, tid, "stream.json", &size);
	CHECK(got != NULL && strstr((char *)got, "\"finished\": 1") != NULL);
	free(got);
}

static void
emit_n(int n)
{
	for (int i = 0; i < n; i++)
		kit_emit("OB.", ovni_clock_now());
}

static void
both_write(void)
{
	bool inherited;

	kit_begin(1);
	ovni_attr_set_double("mine", 1);
	emit_n(10);
	CHECK(open_streams(&inherited) == 1 && !inherited);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		CHECK(ovni_thread_isready() == 0);
		CHECK(open_streams(&inherited) == 0);
		ovni_proc_init(1, KIT_LOOM, 200);
		ovni_thread_init(1);
		CHECK(!ovni_attr_has("mine"));
		emit_n(7);
		kit_end();
		exit(0);
	}
	emit_n(5);
	reap(pid);
	emit_n(1);
	kit_end();
	check_stream(KIT_PID, 1, 16);
	check_stream(200, 1, 7);
}

static void
child_ignores(void)
{
	kit_begin(1);
	emit_n(3);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		exit(0);
	reap(pid);
	kit_end();
	check_stream(KIT_PID, 1, 3);
}

static void
child_emits(void)
{
	kit_begin(1);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		emit_n(1); /* not ready */
	int status;
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	kit_end();
	check_stream(KIT_PID, 1, 0);
}

/* What has ended in the parent may begin in the child, and a grandchild too. */
static void
after_the_end(void)
{
	kit_begin(1);
	kit_end();
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		ovni_proc_init(1, KIT_LOOM, 200);
		ovni_thread_init(2);
		emit_n(2);
		pid_t next = fork();
		CHECK(next >= 0);
		if (next == 0) {
			ovni_proc_init(2, KIT_LOOM, 300);
			ovni_thread_init(3);
			emit_n(4);
			kit_end();
			exit(0);
		}
		reap(next);
		kit_end();
		exit(0);
	}
	reap(pid);
	check_stream(200, 2, 2);
	check_stream(300, 3, 4);
}

static pthread_barrier_t barrier;

static void *
bystander(void *arg)
{
	ovni_thread_init(*(int *)arg);
	emit_n(20);
	(void)pthread_barrier_wait(&barrier);
	(void)pthread_barrier_wait(&barrier);
	emit_n(20);
	ovni_thread_free();
	return NULL;
}

/* Streams of threads that do not exist in the child are let go of as well. */
static void
other_threads(void)
{
	pthread_t t[3];
	int tids[3] = { 11, 12, 13 };
	bool inherited;

	CHECK(pthread_barrier_init(&barrier, NULL, 4) == 0);
	kit_begin(1);
	for (int i = 0; i < 3; i++)
		CHECK(pthread_create(&t[i], NULL, bystander, &tids[i]) == 0);
	(void)pthread_barrier_wait(&barrier);
	CHECK(open_streams(&inherited) == 4 && !inherited);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		CHECK(open_streams(&inherited) == 0);
		ovni_proc_init(1, KIT_LOOM, 200);
		ovni_thread_init(12); /* not taken: that one belongs to the parent */
		emit_n(1);
		kit_end();
		_exit(0);
	}
	reap(pid);
	(void)pthread_barrier_wait(&barrier);
	for (int i = 0; i < 3; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	kit_end();
	check_stream(200, 12, 1);
	for (int i = 0; i < 3; i++)
		check_stream(KIT_PID, tids[i], 40);
}

int
main(void)
{
	RUNS(both_write);
	RUNS(child_ignores);
	RUNS_SAYING(child_emits, "FATAL: ovni_ev_emit: ");
	RUNS(after_the_end);
	RUNS(other_threads);
	return 0;
}
