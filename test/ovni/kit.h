/* SPDX-License-Identifier: MIT */
#ifndef KIT_H
#define KIT_H

/* kit: run pieces of a test in processes of their own, and look at what they left.
 *
 * A process can be initialised once, so every case is a child with a fresh directory,
 * which is the current one: traces are in ./ovni. */

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../check.h"
#include "ovni.h"
#include "tail.h"
#include "wire.h"

#define KIT_LOOM "node.1"
#define KIT_PID 100

static int
kit_remove(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

/* Run fn in a child, its stderr in the file ./err of its directory. Returns the status
 * of waitpid(), and what it printed in err (at most room - 1 bytes). */
static inline int
kit_spawn(void (*fn)(void), char *err, size_t room)
{
	const char *base = getenv("TMPDIR");
	char dir[256], log[300];
	int status;

	(void)snprintf(dir, sizeof(dir), "%s/ovni-test-XXXXXX", base && *base ? base : "/tmp");
	CHECK(mkdtemp(dir) != NULL);
	(void)snprintf(log, sizeof(log), "%s/err", dir);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		struct rlimit no_core = { 0, 0 };
		(void)setrlimit(RLIMIT_CORE, &no_core);
		CHECK(unsetenv("OVNI_TRACEDIR") == 0 && unsetenv("OVNI_TMPDIR") == 0 &&
			unsetenv("OVNI_BUFFER") == 0 && unsetenv("OVNI_RING") == 0 && unsetenv("OVNI_DUMP_SIGNAL") == 0 && unsetenv("OVNI_CLOCK") == 0);
		CHECK(chdir(dir) == 0);
		int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
		CHECK(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0 && close(fd) == 0);
		fn();
		exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	int fd = open(log, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, err, room - 1);
	err[n < 0 ? 0 : n] = '\0';
	if (fd >= 0)
		(void)close(fd);
	(void)nftw(dir, kit_remove, 16, FTW_DEPTH | FTW_PHYS);
	return status;
}

/* fn must return, and print nothing but what says `says` (NULL: nothing at all). */
static inline void
kit_runs(const char *name, void (*fn)(void), const char *says)
{
	char err[16384];
	int status = kit_spawn(fn, err, sizeof(err));
	bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
		(says ? strstr(err, says) != NULL : err[0] == '\0');
	if (!ok)
		(void)fprintf(stderr, "%s: status %d, wanted \"%s\", stderr:\n%s", name, status, says ? says : "", err);
	CHECK(ok);
}

/* fn must abort with one line, FATAL: <func>: and more. */
static inline void
kit_dies(const char *name, void (*fn)(void), const char *func)
{
	char err[16384], want[128];
	int status = kit_spawn(fn, err, sizeof(err));
	(void)snprintf(want, sizeof(want), "FATAL: %s: ", func);
	const char *end = strchr(err, '\n');
	bool ok = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
		strncmp(err, want, strlen(want)) == 0 && end != NULL && end[1] == '\0';
	if (!ok)
		(void)fprintf(stderr, "%s: status %d, wanted \"%s\", stderr:\n%s", name, status, want, err);
	CHECK(ok);
}

#define RUNS(fn) kit_runs(#fn, fn, NULL)
#define RUNS_SAYING(fn, text) kit_runs(#fn, fn, text)
#define DIES(fn, func) kit_dies(#fn, fn, func)

/* Runs fn in a child, which ends by itself. Returns its status. */
static inline int
kit_child(void (*fn)(void))
{
	int status;
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		fn();
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

static inline void
kit_begin(pid_t tid)
{
	ovni_proc_init(1, KIT_LOOM, KIT_PID);
	ovni_thread_init(tid);
}

static inline void
kit_end(void)
{
	ovni_thread_free();
	ovni_proc_fini();
}

static inline void
kit_emit(const char *mcv, uint64_t clock)
{
	struct ovni_ev ev = { 0 };
	ovni_ev_set_mcv(&ev, mcv);
	ovni_ev_set_clock(&ev, clock);
	ovni_ev_emit(&ev);
}

/* A whole file with a terminator behind it; NULL if it does not exist. Free it. */
static inline uint8_t *
kit_read(const char *path, size_t *size)
{
	FILE *f = fopen(path, "re");
	if (f == NULL)
		return NULL;
	CHECK(fseek(f, 0, SEEK_END) == 0);
	long n = ftell(f);
	CHECK(n >= 0 && fseek(f, 0, SEEK_SET) == 0);
	uint8_t *data = malloc((size_t)n + 1);
	CHECK(data != NULL && fread(data, 1, (size_t)n, f) == (size_t)n);
	data[n] = '\0';
	CHECK(fclose(f) == 0);
	*size = (size_t)n;
	return data;
}

/* The same for a file of a thread below the trace or temporary directory base. */
static inline uint8_t *
kit_file(const char *base, int pid, int tid, const char *name, size_t *size)
{
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%s/loom." KIT_LOOM "/proc.%d/thread.%d/%s", base, pid, tid, name);
	return kit_read(path, size);
}

/* A stream that must be whole and in order. Counts the events, and those named mcv. */
static inline size_t
kit_count(const uint8_t *data, size_t size, const char *mcv, size_t *named)
{
	size_t n = 0, at = WIRE_STREAM_HEADER;
	uint64_t last = 0;

	*named = 0;
	CHECK(size >= at && memcmp(data, "ovni\1\0\0\0", at) == 0);
	while (at < size) {
		uint64_t len = wire_event_size(data + at, size - at);
		CHECK(len > 0 && len <= size - at);
		uint64_t clock = wire_u64(data + at + 4);
		CHECK(clock >= last);
		last = clock;
		if (memcmp(data + at + 1, mcv, 3) == 0)
			(*named)++;
		at += len;
		n++;
	}
	return n;
}

/* The stream of a thread as readers take it: that of the file, and what its tail has beyond it. */
static inline uint8_t *
kit_stream(const char *base, int pid, int tid, size_t *size)
{
	size_t tail_size;
	uint8_t *data = kit_file(base, pid, tid, "stream.obs", size);
	uint8_t *more = kit_file(base, pid, tid, TAIL_NAME, &tail_size);
	CHECK(data != NULL);
	if (more == NULL)
		return data;
	const struct tail *t = (const struct tail *)(void *)more;
	CHECK(tail_size >= TAIL_HEADER && memcmp(t->magic, TAIL_MAGIC, sizeof(t->magic)) == 0 && t->version == TAIL_VERSION);
	CHECK(t->used <= tail_size - TAIL_HEADER && t->used <= t->capacity && t->offset <= *size);
	if (t->offset + t->used > *size) {
		*size = t->offset + t->used;
		data = realloc(data, *size);
		CHECK(data != NULL);
		memcpy(data + t->offset, t->events, t->used);
	}
	free(more);
	return data;
}

/* Whether the metadata of a thread has that text in it. */
static inline bool
kit_says(int tid, const char *text)
{
	size_t size;
	uint8_t *json = kit_file("ovni", KIT_PID, tid, "stream.json", &size);
	CHECK(json != NULL);
	bool found = strstr((const char *)json, text) != NULL;
	free(json);
	return found;
}

/* Emits an event whose payload is its number. */
static inline void
kit_emit_number(uint64_t n)
{
	struct ovni_ev ev = { .header = { 0, 'O', 'B', '.', ovni_clock_now() } };
	ovni_payload_add(&ev, (const uint8_t *)&n, sizeof(n));
	ovni_ev_emit(&ev);
}

/* Checks that the numbers in a stream are consecutive. Returns how many there are, and the last one. */
static inline size_t
kit_numbers(const uint8_t *stream, size_t size, uint64_t *last)
{
	size_t n = 0, named;
	uint64_t next = 0;
	(void)kit_count(stream, size, "OB.", &named); /* the stream is whole */
	for (size_t at = WIRE_STREAM_HEADER; at < size; at += (size_t)wire_event_size(stream + at, size - at)) {
		if (memcmp(stream + at + 1, "OB.", 3) != 0 || stream[at] & WIRE_JUMBO)
			continue;
		uint64_t k = wire_u64(stream + at + WIRE_EVENT_HEADER);
		CHECK(n == 0 || k == next);
		next = k + 1;
		n++;
	}
	*last = next - 1;
	return n;
}

#endif
