/* SPDX-License-Identifier: MIT */
/* ovni_dump(): what all threads have at a moment, while they go on. */
#include <pthread.h>
#include "kit.h"

enum {
	THREADS = 4,
	DUMPS = 20,
	SIZE = 64 * 1024,
	EVENT = WIRE_EVENT_HEADER + 8,
};

static atomic_bool stop;
static _Atomic uint64_t emitted[THREADS];

/* The numbers in the stream of a thread are consecutive. Returns how many there are, and the last. */
static size_t
numbers(const char *base, int tid, uint64_t *last)
{
	size_t size;
	uint8_t *got = kit_file(base, KIT_PID, tid, "stream.obs", &size);
	CHECK(got != NULL);
	size_t n = kit_numbers(got, size, last);
	free(got);
	return n;
}

static bool
says(const char *base, int tid, const char *text)
{
	size_t size;
	uint8_t *json = kit_file(base, KIT_PID, tid, "stream.json", &size);
	CHECK(json != NULL);
	bool found = strstr((const char *)json, text) != NULL;
	free(json);
	return found;
}

static void *
emits(void *arg)
{
	int n = (int)(intptr_t)arg;
	ovni_thread_init(n + 1);
	for (uint64_t i = 0; !atomic_load(&stop); i++) {
		kit_emit_number(i);
		atomic_store(&emitted[n], i + 1);
	}
	ovni_thread_free();
	return NULL;
}

/* Each dump has at least what was there when it began, without a gap. */
static void
while_others_emit(const char *buffer)
{
	pthread_t t[THREADS];
	CHECK(setenv("OVNI_RING", "64k", 1) == 0 && setenv("OVNI_BUFFER", buffer, 1) == 0);
	ovni_proc_init(1, KIT_LOOM, KIT_PID);
	for (intptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&t[i], NULL, emits, (void *)i) == 0);
	for (int i = 0; i < THREADS; i++)
		while (atomic_load(&emitted[i]) < 3 * SIZE / EVENT)
			(void)usleep(100);
	size_t all = 0;
	for (int d = 1; d <= DUMPS; d++) {
		uint64_t before[THREADS], last;
		char base[32];
		for (int i = 0; i < THREADS; i++)
			before[i] = atomic_load(&emitted[i]);
		CHECK(ovni_dump() == d);
		(void)snprintf(base, sizeof(base), "ovni.dump-%d", d);
		for (int i = 0; i < THREADS; i++) {
			size_t n = numbers(base, i + 1, &last);
			all += n;
			CHECK(n > 0 && last + 1 >= before[i] && last <= atomic_load(&emitted[i]));
			CHECK(says(base, i + 1, "\"ended\": \"dump\"") && !says(base, i + 1, "finished") && says(base, i + 1, "\"since\""));
		}
	}
	/* Of what a thread overwrites while it is copied, there is little. */
	CHECK(all > (size_t)DUMPS * THREADS * SIZE / EVENT / 4);
	atomic_store(&stop, true);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	ovni_proc_fini();
	CHECK(access("ovni.dump-1.part", F_OK) < 0 && says("ovni", 1, "\"finished\": 1") && !says("ovni", 1, "\"ended\""));
}

static void
shared(void)
{
	while_others_emit("shared");
}

static void private(void)
{
	while_others_emit("private");
}

static void
without_ring(void)
{
	kit_begin(1);
	CHECK(ovni_dump() == -1 && access("ovni.dump-1", F_OK) < 0);
	kit_end();
}

static void
too_early(void)
{
	CHECK(setenv("OVNI_RING", "64k", 1) == 0);
	CHECK(ovni_dump() == -1);
}

static void
no_thread(void)
{
	CHECK(setenv("OVNI_RING", "64k", 1) == 0);
	ovni_proc_init(1, KIT_LOOM, KIT_PID);
	CHECK(ovni_dump() == -1 && access("ovni.dump-1", F_OK) < 0 && access("ovni.dump-1.part", F_OK) < 0);
	ovni_thread_init(1);
	kit_emit_number(0);
	CHECK(ovni_dump() == 1);
	uint64_t last;
	CHECK(numbers("ovni.dump-1", 1, &last) == 1 && last == 0 && !says("ovni.dump-1", 1, "since"));
	kit_end();
}

/* The dump is beside the trace, wherever the streams are; one of an earlier run is replaced. */
static void
elsewhere(void)
{
	uint64_t last;
	CHECK(setenv("OVNI_RING", "64k", 1) == 0 && setenv("OVNI_TMPDIR", "tmp", 1) == 0 && setenv("OVNI_TRACEDIR", "a/trace//", 1) == 0);
	for (uint64_t run = 1; run <= 2; run++) {
		pid_t pid = fork();
		if (pid == 0) {
			kit_begin((pid_t)run);
			for (uint64_t i = 0; i < run; i++)
				kit_emit_number(i);
			CHECK(ovni_dump() == 1);
			kit_end();
			_exit(0);
		}
		int status;
		CHECK(waitpid(pid, &status, 0) == pid && status == 0);
		CHECK(numbers("a/trace.dump-1", (int)run, &last) == run);
	}
	CHECK(access("a/trace.dump-1/loom." KIT_LOOM "/proc.100/thread.1", F_OK) < 0 && access("tmp", F_OK) < 0);
}

static void
no_room(void)
{
	CHECK(setenv("OVNI_RING", "64k", 1) == 0);
	kit_begin(1);
	kit_emit_number(0);
	int fd = open("ovni.dump-1.part", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0 && close(fd) == 0 && ovni_dump() == -1);
	CHECK(unlink("ovni.dump-1.part") == 0 && ovni_dump() == 1);
	kit_end();
}

/* ---- The signal ---- */

static void
wait_for(const char *path)
{
	for (int tries = 0; access(path, F_OK) < 0; tries++) {
		CHECK(tries < 100000);
		(void)usleep(100);
	}
}

static void
signal_here(void)
{
	char path[128];
	CHECK(setenv("OVNI_RING", "64k", 1) == 0);
	kit_begin(1);
	kit_emit_number(0);
	for (int i = 1; i <= 2; i++) {
		(void)snprintf(path, sizeof(path), "ovni.dump-%d/loom." KIT_LOOM "/proc.100/thread.1/stream.json", i);
		CHECK(kill(getpid(), SIGUSR1) == 0);
		wait_for(path);
	}
#ifndef __SANITIZE_THREAD__ /* which knows no threads behind a fork */
	/* The child of a fork has no thread for it until it begins anew. */
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		ovni_proc_init(1, KIT_LOOM, KIT_PID + 1);
		ovni_thread_init(2);
		kit_emit_number(0);
		CHECK(kill(getpid(), SIGUSR1) == 0);
		wait_for("ovni.dump-1/loom." KIT_LOOM "/proc.101/thread.2/stream.json");
		_exit(0);
	}
	int status;
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
#endif
	kit_end();
}

static void
by_signal(void)
{
	CHECK(setenv("OVNI_DUMP_SIGNAL", "USR1", 1) == 0);
	signal_here();
}

static void
by_long_name(void)
{
	CHECK(setenv("OVNI_DUMP_SIGNAL", "SIGUSR1", 1) == 0);
	signal_here();
}

static void
by_number(void)
{
	char text[16];
	(void)snprintf(text, sizeof(text), "%d", SIGUSR1);
	CHECK(setenv("OVNI_DUMP_SIGNAL", text, 1) == 0);
	signal_here();
}

static const char *name;

static void
refused(void)
{
	CHECK(setenv("OVNI_DUMP_SIGNAL", name, 1) == 0 && setenv("OVNI_RING", "64k", 1) == 0);
	kit_begin(1);
	kit_end();
}

static void
useless(void)
{
	CHECK(setenv("OVNI_DUMP_SIGNAL", "USR1", 1) == 0);
	kit_begin(1);
	kit_end();
}

static volatile sig_atomic_t handled;

static void
handle(int sig)
{
	handled = sig;
}

static void
own_handler(void)
{
	CHECK(signal(SIGUSR1, handle) != SIG_ERR && setenv("OVNI_DUMP_SIGNAL", "USR1", 1) == 0 && setenv("OVNI_RING", "64k", 1) == 0);
	kit_begin(1);
	CHECK(raise(SIGUSR1) == 0 && handled == SIGUSR1);
	kit_end();
}

int
main(void)
{
	static const char *const names[] = { "x", "SIG", "0", "-1", "1000", "USR", "usr1", "KILL" };
	RUNS(shared);
	RUNS(private);
	RUNS_SAYING(without_ring, "ERROR: ovni_dump: there is nothing to dump without OVNI_RING");
	RUNS_SAYING(too_early, "ERROR: ovni_dump: the process is not initialised");
	RUNS_SAYING(no_thread, "ERROR: ovni_dump: no thread is traced");
	RUNS(elsewhere);
	RUNS_SAYING(no_room, "ERROR: ovni_dump: cannot create");
	RUNS(by_signal);
	RUNS(by_long_name);
	RUNS(by_number);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		name = names[i];
		RUNS_SAYING(refused, "WARN: OVNI_DUMP_SIGNAL=");
	}
	name = "9";
	RUNS_SAYING(refused, "cannot be caught");
	RUNS_SAYING(useless, "does nothing without OVNI_RING");
	RUNS_SAYING(own_handler, "the program has a handler for it, which stays");
	return 0;
}
