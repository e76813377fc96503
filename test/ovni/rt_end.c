/* SPDX-License-Identifier: MIT */
/* Programs that end in every way: no event whose emit returned is lost, none is torn, and the
 * metadata says how it ended. */
#include <pthread.h>
#include <time.h>
#include "killed.h"

enum {
	KILLS = 500,
	BUFFER = 2 * 1024 * 1024,
};

static void
emit_n(size_t n)
{
	for (size_t i = 0; i < n; i++)
		kit_emit("OB.", ovni_clock_now());
}

static void
buffer(const char *kind)
{
	CHECK(setenv("OVNI_BUFFER", kind, 1) == 0);
}

/* The stream of a thread has that many events OB. */
static void
has(int tid, size_t events)
{
	size_t size, named;
	uint8_t *got = kit_stream("ovni", KIT_PID, tid, &size);
	(void)kit_count(got, size, "OB.", &named);
	if (named != events)
		(void)fprintf(stderr, "%zu events, wanted %zu\n", named, events);
	CHECK(named == events);
	free(got);
}

static bool
has_tail(int tid)
{
	size_t size;
	uint8_t *got = kit_file("ovni", KIT_PID, tid, TAIL_NAME, &size);
	free(got);
	return got != NULL;
}

/* ---- exit() ---- */

static pthread_barrier_t barrier;

static void *
waits_for_ever(void *arg)
{
	ovni_thread_init(2);
	emit_n(700);
	(void)pthread_barrier_wait(&barrier);
	for (;;)
		(void)pause();
	return arg;
}

static void
exits_here(void)
{
	pthread_t t;
	kit_begin(1);
	emit_n(5000);
	CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
	CHECK(pthread_create(&t, NULL, waits_for_ever, NULL) == 0);
	(void)pthread_barrier_wait(&barrier);
	exit(3);
}

static void
exits(void)
{
	static const char *const kinds[] = { "shared", "private" };
	for (size_t i = 0; i < 2; i++) {
		buffer(kinds[i]);
		int status = kit_child(exits_here);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
		for (int tid = 1; tid <= 2; tid++) {
			has(tid, tid == 1 ? 5000 : 700);
			CHECK(!has_tail(tid) && kit_says(tid, "\"ended\": \"exit\"") && !kit_says(tid, "finished"));
		}
	}
}

/* What Sonar does: the thread is never freed. */
static void
plain_mpi(void)
{
	kit_begin(1);
	ovni_add_cpu(0, 0);
	kit_emit("OHx", ovni_clock_now());
	emit_n(10);
	ovni_flush();
	ovni_proc_fini();
	exit(0);
}

static void
never_freed(void)
{
	CHECK(kit_child(plain_mpi) == 0);
	has(1, 10);
	CHECK(kit_says(1, "loom_cpus") && kit_says(1, "\"ended\": \"exit\"") && !has_tail(1));
}

/* An event of a destructor that runs after the library's is no mistake of anybody. */
static void
emits_late(void)
{
	kit_begin(1);
	emit_n(1);
}

/* ---- Threads ---- */

static pthread_key_t key;

static void
emit_in_destructor(void *arg)
{
	(void)arg;
	CHECK(ovni_thread_isready());
	emit_n(1);
}

static void *
ends_without_free(void *arg)
{
	ovni_thread_init(2);
	CHECK(pthread_setspecific(key, &key) == 0);
	emit_n(300);
	return arg;
}

static void
thread_ends(void)
{
	pthread_t t;
	kit_begin(1);
	CHECK(pthread_key_create(&key, emit_in_destructor) == 0);
	CHECK(pthread_create(&t, NULL, ends_without_free, NULL) == 0 && pthread_join(t, NULL) == 0);
	has(2, 301);
	CHECK(!has_tail(2) && kit_says(2, "\"ended\": \"thread\"") && !kit_says(2, "finished"));
	kit_end();
}

/* ---- abort() ---- */

static void
aborts_here(void)
{
	kit_begin(1);
	emit_n(5000);
	abort();
}

static void
misused_here(void)
{
	kit_begin(1);
	emit_n(5000);
	ovni_mark_set(0, 0);
}

static void
aborts(void)
{
	static void (*const ways[])(void) = { aborts_here, misused_here };
	for (size_t i = 0; i < 4; i++) {
		buffer(i / 2 ? "private" : "shared");
		int status = kit_child(ways[i % 2]);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
		has(1, 5000);
		CHECK(has_tail(1) == (i / 2 == 0) && !kit_says(1, "finished"));
	}
}

static void
caught(int sig)
{
	_exit(sig);
}

/* A program's own handler stays. */
static void
own_handler_here(void)
{
	CHECK(signal(SIGABRT, caught) != SIG_ERR);
	aborts_here();
}

static void
own_handler(void)
{
	int status = kit_child(own_handler_here);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == SIGABRT);
	has(1, 5000);
}

/* ---- SIGKILL ---- */

static void
emit_some(uint64_t i)
{
	static const uint8_t data[5000];
	struct ovni_ev jumbo = { 0 };
	if (i % 1000 != 999) {
		kit_emit("OB.", ovni_clock_now());
		return;
	}
	ovni_ev_set_mcv(&jumbo, "OB.");
	ovni_ev_set_clock(&jumbo, ovni_clock_now());
	ovni_ev_jumbo_emit(&jumbo, data, (uint32_t)(i % sizeof(data)));
}

static void
has_all(int tid, uint64_t emitted)
{
	size_t size, named;
	uint8_t *got = kit_stream("ovni", KIT_PID, tid, &size);
	(void)kit_count(got, size, "OB.", &named);
	if (named != emitted && named != emitted + 1)
		(void)fprintf(stderr, "thread %d: %zu events are there, %llu were emitted\n", tid, named, (unsigned long long)emitted);
	CHECK(named == emitted || named == emitted + 1);
	free(got);
}

static void
killed(void)
{
	killed_often(KILLS, 10, emit_some, has_all);
}

/* In a temporary directory: the trace directory leads to it. */
static void
killed_elsewhere_here(void)
{
	kit_begin(1);
	emit_n(5000);
	(void)raise(SIGKILL);
}

static void
killed_elsewhere(void)
{
	char cwd[PATH_MAX], target[PATH_MAX], want[2 * PATH_MAX];
	CHECK(setenv("OVNI_TMPDIR", "tmp", 1) == 0 && getcwd(cwd, sizeof(cwd)) != NULL);
	int status = kit_child(killed_elsewhere_here);
	CHECK(WIFSIGNALED(status));
	has(1, 5000);
	ssize_t n = readlink("ovni/loom." KIT_LOOM "/proc.100/thread.1/stream.obs", target, sizeof(target) - 1);
	CHECK(n > 0);
	target[n] = '\0';
	(void)snprintf(want, sizeof(want), "%s/tmp/loom." KIT_LOOM "/proc.100/thread.1/stream.obs", cwd);
	CHECK(strcmp(target, want) == 0);
}

/* ---- Signal handlers ---- */

static volatile sig_atomic_t handled;

static void
emit_in_handler(int sig)
{
	(void)sig;
	handled++;
	kit_emit("OB*", ovni_clock_now());
}

/* Clocks of a handler and its thread may be a little out of order, so they are the same here. */
static void
handlers(void)
{
	struct sigaction sa = { .sa_handler = emit_in_handler, .sa_flags = SA_RESTART };
	const struct timespec every = { 0, 20000 };
	struct itimerspec timer = { every, every };
	timer_t id;
	size_t size, named, n = 0;

	kit_begin(1);
	CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
	CHECK(timer_create(CLOCK_MONOTONIC, NULL, &id) == 0 && timer_settime(id, 0, &timer, NULL) == 0);
	for (; handled < 5000; n++)
		kit_emit("OB.", 1);
	CHECK(timer_delete(id) == 0);
	kit_end();
	int shown = handled;
	uint8_t *got = kit_file("ovni", KIT_PID, 1, "stream.obs", &size);
	CHECK(got != NULL);
	size_t stars = 0;
	named = 0;
	for (size_t at = WIRE_STREAM_HEADER; at < size;) {
		uint64_t len = wire_event_size(got + at, size - at);
		CHECK(len > 0 && len <= size - at && got[at + 1] == 'O');
		stars += got[at + 3] == '*';
		named += got[at + 3] == '.';
		at += len;
	}
	free(got);
	CHECK(named == n && stars > 0);
	if (stars < (size_t)shown) {
		char want[64];
		(void)snprintf(want, sizeof(want), "\"signal\": %zu", (size_t)shown - stars);
		CHECK(kit_says(1, want) && kit_says(1, "lost_since"));
	}
}

/* ---- Buffers ---- */

/* Files are the same whatever the buffer is, and one that nothing says about leaves no tail. */
static void
same_files_here(void)
{
	kit_begin(1);
	for (size_t i = 0; i < 400000; i++)
		kit_emit("OB.", i);
	CHECK(has_tail(1) == (strcmp(getenv("OVNI_BUFFER"), "shared") == 0));
	kit_end();
	CHECK(!has_tail(1));
}

static void
same_files(void)
{
	size_t size[2], same = 0;
	uint8_t *got[2];
	for (int i = 0; i < 2; i++) {
		buffer(i ? "private" : "shared");
		CHECK(kit_child(same_files_here) == 0);
		got[i] = kit_file("ovni", KIT_PID, 1, "stream.obs", &size[i]);
	}
	CHECK(size[0] == size[1] && size[0] == WIRE_STREAM_HEADER + 12 * (400000 + 4));
	/* All but the clocks of the flushes. */
	for (size_t at = WIRE_STREAM_HEADER; at < size[0]; at += 12)
		same += memcmp(got[0] + at, got[1] + at, got[0][at + 2] == 'F' ? 4 : 12) == 0;
	CHECK(same == 400004);
	free(got[0]);
	free(got[1]);
}

/* A jumbo that no buffer of before has room for, and one of nothing. */
static void
grows(void)
{
	static uint8_t data[BUFFER];
	size_t size, named;
	kit_begin(1);
	for (uint32_t n = 0; n < BUFFER - 16; n = n * 3 + 1) {
		struct ovni_ev ev = { 0 };
		ovni_ev_set_mcv(&ev, "OB.");
		ovni_ev_jumbo_emit(&ev, data, n);
		uint8_t *got = kit_stream("ovni", KIT_PID, 1, &size);
		CHECK(size > n);
		free(got);
	}
	uint8_t *got = kit_stream("ovni", KIT_PID, 1, &size);
	(void)named;
	free(got);
	kit_end();
}

int
main(void)
{
	RUNS_SAYING(exits, "");
	RUNS(never_freed);
	RUNS(emits_late);
	RUNS(thread_ends);
	RUNS_SAYING(aborts, "FATAL: ovni_mark_set: value is 0");
	RUNS(own_handler);
	RUNS(killed);
	RUNS(killed_elsewhere);
	RUNS_SAYING(handlers, "");
	RUNS(same_files);
	RUNS(grows);
	return 0;
}
