/* SPDX-License-Identifier: MIT */
/* Trouble with files: the program goes on, the trace says what it lacks. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/time.h>
#include "kit.h"

#define THREAD "ovni/loom." KIT_LOOM "/proc.100/thread.1"

static void
emit_n(size_t n)
{
	for (size_t i = 0; i < n; i++)
		kit_emit("OB.", ovni_clock_now());
}

/* Lines of stderr so far, which the kit keeps in ./err. */
static size_t
lines(void)
{
	size_t size, n = 0;
	uint8_t *err = kit_read("err", &size);
	CHECK(err != NULL);
	for (size_t i = 0; i < size; i++)
		n += err[i] == '\n';
	free(err);
	return n;
}

static void
all_lost(void)
{
	CHECK(lines() == 1); /* the reason, once */
	emit_n(200000);
	ovni_mark_set(1, 1);
	struct ovni_ev ev = { 0 };
	ovni_ev_jumbo_emit(&ev, (const uint8_t *)"data", 4);
	ovni_flush();
	ovni_attr_set_double("a", 1);
	ovni_attr_flush();
	ovni_thread_require("nosv", "1.0.0");
	ovni_add_cpu(0, 0);
	CHECK(ovni_thread_isready() == 1);
	CHECK(lines() == 1);
	kit_end();
	CHECK(lines() == 1);
}

static void
trace_is_a_file(void)
{
	FILE *f = fopen("ovni", "w");
	CHECK(f != NULL && fclose(f) == 0);
	kit_begin(1);
	all_lost();
}

static void
name_too_long(void)
{
	char loom[512];
	memset(loom, 'x', 511);
	loom[511] = '\0';
	ovni_proc_init(1, loom, 1);
	ovni_thread_init(1);
	all_lost();
}

static void
path_too_long(void)
{
	static char dir[8192];
	for (size_t i = 0; i < sizeof(dir) - 1; i++)
		dir[i] = i % 100 ? 'x' : '/';
	CHECK(setenv("OVNI_TRACEDIR", dir, 1) == 0);
	kit_begin(1);
	all_lost();
}

static void
no_thread_directory(void)
{
	ovni_proc_init(1, KIT_LOOM, KIT_PID);
	FILE *f = fopen(THREAD, "w");
	CHECK(f != NULL && fclose(f) == 0);
	ovni_thread_init(1);
	all_lost();
}

static void
no_stream(void)
{
	ovni_proc_init(1, KIT_LOOM, KIT_PID);
	CHECK(mkdir(THREAD, 0755) == 0 && symlink("/dev/full", THREAD "/stream.obs") == 0);
	ovni_thread_init(1);
	all_lost();
	CHECK(access(THREAD "/stream.json", F_OK) != 0);
}

static void
no_metadata(void)
{
	ovni_proc_init(1, KIT_LOOM, KIT_PID);
	CHECK(mkdir(THREAD, 0755) == 0 && symlink("/dev/full", THREAD "/.part.stream.json") == 0);
	ovni_thread_init(1);
	all_lost();
}

/* The limit of file sizes is met, with a signal that would end the program, in the middle of an event: what is there is whole events, the rest
 * is counted to the last, and nobody takes the stream for complete. */
static void
fills_up(void)
{
	const size_t emitted = 400000, limit = 3000001;
	const struct rlimit full = { limit, RLIM_INFINITY };
	size_t size, named;
	char want[64];

	CHECK(setenv("OVNI_BUFFER", "private", 1) == 0);
	CHECK(setrlimit(RLIMIT_FSIZE, &full) == 0);
	kit_begin(1);
	emit_n(emitted);
	CHECK(lines() == 1);
	kit_end();
	CHECK(lines() == 1);

	uint8_t *got = kit_file("ovni", KIT_PID, 1, "stream.obs", &size);
	CHECK(got != NULL && size > limit - 12 && size <= limit);
	size_t kept = kit_count(got, size, "OB.", &named);
	CHECK(kept == named + 2 && named < emitted);
	free(got);
	/* The two of the flush that worked count for neither side. */
	(void)snprintf(want, sizeof(want), "\"lost\": %zu", emitted - named);
	CHECK(kit_says(1, want));
	CHECK(!kit_says(1, "finished"));
	uint8_t *err = kit_read("err", &size);
	CHECK(err != NULL && strstr((char *)err, THREAD "/stream.obs: File too large") != NULL);
	free(err);
}

/* The last write fails, and an attribute that claims the opposite does not help. */
static void
fills_up_at_the_end(void)
{
	const struct rlimit full = { 4096, RLIM_INFINITY };

	CHECK(setenv("OVNI_BUFFER", "private", 1) == 0);
	kit_begin(1);
	ovni_attr_set_double("ovni.finished", 1);
	emit_n(1000);
	CHECK(setrlimit(RLIMIT_FSIZE, &full) == 0);
	kit_end();
	CHECK(lines() == 1 && !kit_says(1, "finished") && kit_says(1, "\"lost\": 660"));
	CHECK(kit_says(1, "\"write\": 660") && kit_says(1, "\"lost_since\": "));
}

/* A buffer that is a file keeps what the stream has no room for: only what comes later is lost. */
static void
tail_keeps(void)
{
	const size_t emitted = 400000;
	const struct rlimit full = { 3000001, RLIM_INFINITY };
	size_t size, named;
	char want[64];

	CHECK(setrlimit(RLIMIT_FSIZE, &full) == 0);
	kit_begin(1);
	emit_n(emitted);
	CHECK(lines() == 1);
	kit_end();
	CHECK(lines() == 1 && !kit_says(1, "finished"));
	uint8_t *got = kit_stream("ovni", KIT_PID, 1, &size);
	size_t kept = kit_count(got, size, "OB.", &named);
	CHECK(size > 4000000 && kept == named + 2);
	(void)snprintf(want, sizeof(want), "\"lost\": %zu", emitted - named);
	CHECK(kit_says(1, want));
	free(got);
}

static const char *disk_size, *buffer, *ring_size;
static int nothers;

static void *
emit_in_thread(void *arg)
{
	ovni_thread_init(*(const int *)arg);
	emit_n(60000);
	ovni_thread_free();
	return NULL;
}

static void
tell_kernel(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
}

/* A disk without room for all: each is told once, and whatever of the trace is touched, no signal ends the program. */
static void
small_disk(void)
{
	char options[32], users[32], groups[32];
	int tids[] = { 2, 3, 4 };
	pthread_t threads[3];

	(void)snprintf(options, sizeof(options), "size=%s", disk_size);
	CHECK(mkdir("ovni", 0755) == 0);
	(void)snprintf(users, sizeof(users), "0 %u 1", getuid());
	(void)snprintf(groups, sizeof(groups), "0 %u 1", getgid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return; /* not allowed */
	tell_kernel("/proc/self/uid_map", users);
	tell_kernel("/proc/self/setgroups", "deny");
	tell_kernel("/proc/self/gid_map", groups);
	if (mount("none", "ovni", "tmpfs", 0, options) < 0)
		return; /* not allowed */
	CHECK(setenv("OVNI_BUFFER", buffer, 1) == 0 && setenv("OVNI_RING", ring_size, 1) == 0);
	kit_begin(1);
	for (int i = 0; i < nothers; i++)
		CHECK(pthread_create(&threads[i], NULL, emit_in_thread, &tids[i]) == 0);
	for (int i = 0; i < 100 * nothers; i++)
		ovni_add_cpu(i, i);
	emit_n(nothers ? 60000 : 1000);
	for (int i = 0; i < nothers; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	kit_end();
	size_t size;
	char *err = (char *)kit_read("err", &size);
	char *first = strstr(err, "ERROR");
	CHECK(first == NULL || strstr(first + 1, "ERROR") == NULL);
	free(err);
}

static void
small_disks(void)
{
	static const char *const sizes[] = { "16k", "28k", "32k", "36k", "40k", "64k", "100k", "300k" };
	for (int i = 0; i < 64; i++) {
		char err[4096];
		disk_size = sizes[i / 8];
		nothers = i / 4 % 2 * 3;
		buffer = i / 2 % 2 ? "private" : "shared";
		ring_size = i % 2 ? "64k" : "";
		int status = kit_spawn(small_disk, err, sizeof(err));
		if (status != 0)
			(void)fprintf(stderr, "disk of %s, %s, ring '%s', %d others: status %d\n%s", disk_size, buffer, ring_size, nothers, status, err);
		CHECK(status == 0);
	}
}

/* Metadata that could not be written now may be at the end: only then is it needed. */
static void
metadata_recovers(void)
{
	kit_begin(1);
	emit_n(3);
	CHECK(symlink("/dev/full", THREAD "/.part.stream.json") == 0);
	ovni_attr_flush();
	CHECK(lines() == 1);
	CHECK(!kit_says(1, "finished")); /* the old one is still there */
	kit_end();
	CHECK(lines() == 1 && kit_says(1, "\"finished\": 1"));
}

static volatile sig_atomic_t ticks;

static void
tick(int sig)
{
	(void)sig;
	ticks++;
}

/* A slow pipe and a fast timer: writes are cut short, and fail with EINTR. */
static void
interrupted(void)
{
	const size_t n = 400000;

	ovni_proc_init(1, KIT_LOOM, KIT_PID);
	CHECK(mkdir(THREAD, 0755) == 0 && mkfifo(THREAD "/stream.obs", 0600) == 0);
	pid_t reader = fork();
	CHECK(reader >= 0);
	if (reader == 0) {
		int fd = open(THREAD "/stream.obs", O_RDONLY);
		size_t size = 0, room = 12 * n + 1000, named;
		uint8_t *got = malloc(room);
		CHECK(fd >= 0 && got != NULL);
		for (ssize_t k; (k = read(fd, got + size, room - size)) != 0;) {
			CHECK(k > 0);
			size += (size_t)k;
			(void)usleep(2000);
		}
		CHECK(kit_count(got, size, "OB.", &named) == n + 4 && named == n);
		_exit(0);
	}
	struct sigaction sa = { .sa_handler = tick }; /* no SA_RESTART */
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };
	CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
	ovni_thread_init(1);
	CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
	emit_n(n);
	kit_end();
	CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
	CHECK(ticks > 10);
	int status;
	CHECK(waitpid(reader, &status, 0) == reader && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(kit_says(1, "\"finished\": 1"));
}

/* Run the same names again: nothing of the first run shows, at any time. */
static void
run(size_t n, bool second)
{
	size_t size, named;

	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		kit_begin(1);
		if (second)
			CHECK(!kit_says(1, "finished") && !kit_says(1, "first"));
		else
			ovni_attr_set_str("only", "first");
		emit_n(n);
		kit_end();
		exit(0);
	}
	int status;
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	uint8_t *got = kit_file("ovni", KIT_PID, 1, "stream.obs", &size);
	CHECK(got != NULL && kit_count(got, size, "OB.", &named) == n && named == n);
	free(got);
}

static void
run_again(void)
{
	run(1000, false);
	CHECK(kit_says(1, "first"));
	run(5, true);
	CHECK(!kit_says(1, "first"));
	run(0, true);
}

/* A run that fails where an earlier one worked leaves no metadata of the earlier one next
 * to data that are gone. */
static void
fails_over_old(void)
{
	run(10, false);
	CHECK(unlink(THREAD "/stream.obs") == 0 && symlink("/dev/full", THREAD "/stream.obs") == 0);
	kit_begin(1);
	CHECK(access(THREAD "/stream.json", F_OK) != 0);
	all_lost();
	CHECK(access(THREAD "/stream.json", F_OK) != 0);
}

int
main(void)
{
	RUNS_SAYING(trace_is_a_file, "ERROR: ovni_proc_init: ");
	RUNS_SAYING(name_too_long, "File name too long");
	RUNS_SAYING(path_too_long, "File name too long");
	RUNS_SAYING(no_thread_directory, "ERROR: ovni_thread_init: ");
	RUNS_SAYING(no_stream, "No space left on device");
	RUNS_SAYING(no_metadata, "No space left on device");
	RUNS_SAYING(fills_up, "ERROR: ovni_ev_emit: ");
	RUNS_SAYING(fills_up_at_the_end, "ERROR: ovni_thread_free: ");
	RUNS_SAYING(tail_keeps, "ERROR: ovni_ev_emit: ");
	small_disks();
	RUNS_SAYING(metadata_recovers, "ERROR: ovni_attr_flush: ");
	RUNS(interrupted);
	RUNS(run_again);
	RUNS_SAYING(fails_over_old, "No space left on device");
	return 0;
}
