/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include "wire.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void
bench_fail(const char *what)
{
	perror(what);
	exit(1);
}

size_t
bench_put(uint8_t *p, const char *mcv, int64_t clock, const void *payload, unsigned size)
{
	p[0] = (uint8_t)(size ? size - 1 : 0);
	memcpy(p + 1, mcv, 3);
	memcpy(p + 4, &clock, 8);
	if (size)
		memcpy(p + WIRE_EVENT_HEADER, payload, size);
	return WIRE_EVENT_HEADER + size;
}

size_t
bench_put_pair(uint8_t *p, const char *mcv, int64_t clock, uint32_t a, uint32_t b)
{
	uint32_t payload[2] = { a, b };
	return bench_put(p, mcv, clock, payload, sizeof(payload));
}

size_t
bench_put_type(uint8_t *p, int64_t clock, uint32_t id, const char *label)
{
	uint32_t size = (uint32_t)(sizeof(id) + strlen(label) + 1);
	(void)bench_put(p, "VYc", clock, &size, sizeof(size));
	p[0] |= WIRE_JUMBO;
	memcpy(p + WIRE_JUMBO_HEADER, &id, sizeof(id));
	memcpy(p + WIRE_JUMBO_HEADER + sizeof(id), label, size - sizeof(id));
	return WIRE_JUMBO_HEADER + size;
}

const char *
bench_place(void)
{
	const char *dir = getenv("TMPDIR");
	struct statvfs v;
	if (dir)
		return dir;
	if (statvfs("/dev/shm", &v) == 0 && (double)v.f_bavail * (double)v.f_frsize > 4e9)
		return "/dev/shm";
	return "/tmp";
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void
bench_remove(const char *dir)
{
	(void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static double
seconds(clockid_t clock)
{
	struct timespec t;
	if (clock_gettime(clock, &t) != 0)
		bench_fail("clock_gettime");
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct cost
bench_wait(pid_t pid)
{
	int status;
	struct rusage ru;
	double begin = seconds(CLOCK_MONOTONIC);
	if (wait4(pid, &status, 0, &ru) < 0)
		bench_fail("wait4");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		(void)fprintf(stderr, "the measured process failed\n");
		exit(1);
	}
	return (struct cost){
		.wall = seconds(CLOCK_MONOTONIC) - begin,
		.cpu = (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) + (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6,
		.rss = ru.ru_maxrss,
	};
}

/* ---- Speed of the machine. ---- */

enum {
	STEPS = 400000,
	TRIES = 10,
	CELLS = 1 << 14,
};

/* ns of a step where limits were set. */
#define STEP_NS 7.0

double
bench_slowness(void)
{
	static volatile uint32_t cells[CELLS];
	double best = 1e9;
	for (int i = 0; i < TRIES; i++) {
		uint64_t x = 88172645463325252U;
		double begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
		for (int k = 0; k < STEPS; k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			if (x & 1)
				cells[x >> 8 & (CELLS - 1)]++;
			else
				x += cells[x >> 24 & (CELLS - 1)];
		}
		double ns = (seconds(CLOCK_PROCESS_CPUTIME_ID) - begin) * 1e9 / STEPS;
		best = ns < best ? ns : best;
	}
	return best > STEP_NS ? best / STEP_NS : 1;
}

/* ---- Plain. ---- */

static uint64_t sum;
static uint8_t block[64 * 1024];

static int
read_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	if (type != FTW_F)
		return 0;
	int fd = open(path, O_RDONLY);
	ssize_t n;
	while ((n = read(fd, block, sizeof(block))) > 0)
		for (ssize_t i = 0; i + 8 <= n; i += 8)
			sum += wire_u64(block + i);
	(void)close(fd);
	return n < 0 || fd < 0;
}

static void
write_one(const char *path, off_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	while (size > 0) {
		size_t n = size < (off_t)sizeof(block) ? (size_t)size : sizeof(block);
		if (write(fd, block, n) != (ssize_t)n)
			_exit(1);
		size -= (off_t)n;
	}
	(void)close(fd);
}

struct cost
bench_plain(const char *input, const char *out, const off_t *sizes, int n)
{
	pid_t pid = fork();
	if (pid == 0) {
		if (nftw(input, read_one, 16, FTW_PHYS) != 0)
			_exit(1);
		memset(block, (int)('0' + sum % 10), sizeof(block));
		for (int i = 0; i < n; i++) {
			char path[512];
			(void)snprintf(path, sizeof(path), "%s.%d", out, i);
			write_one(path, sizes[i]);
		}
		_exit(0);
	}
	return bench_wait(pid);
}

struct cost
bench_run(const char *emu, const char *trace, const char *out, const char *outputs, const char *option)
{
	pid_t pid = fork();
	if (pid == 0) {
		(void)execl(emu, emu, "-q", "-o", out, "-f", outputs, trace, option, (char *)NULL);
		_exit(127);
	}
	return bench_wait(pid);
}
