/* SPDX-License-Identifier: MIT */
/* laplace: what ovniscope-laplace costs for references, as a ratio to "plain": one pass that
 * reads the same input and writes as many bytes to the same place.
 *
 *   laplace PROGRAM [records]
 *
 * Each figure is the best of some runs, in CPU time of the whole process, and is printed
 * with its limit in millions of records a second. Exit status 1 when one is passed by far. */
#include "../xorshift.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How far below a limit is a failure, and not the noise of a shared machine. */
#define TOLERANCE 1.6

enum {
	RUNS = 3,
	PAGES = 1 << 20, /* of a space; those from KERNEL on are the kernel's */
	KERNEL = 0xc0000,
	SPACES = 4, /* with KERNEL pages: 3.1 million in all */
	TOUCHES = 3000000,
	BUFFER = 64 * 1024,
};

static void
fail(const char *what)
{
	perror(what);
	exit(1);
}

static void
write_ref(FILE *f, char kind, uint64_t ts, uint8_t length, uint32_t space, uint32_t addr)
{
	uint8_t b[18] = { (uint8_t)kind };
	b[9] = length;
	for (int k = 0; k < 8; k++)
		b[1 + k] = (uint8_t)(ts >> 8 * k);
	for (int k = 0; k < 4; k++) {
		b[10 + k] = (uint8_t)(space >> 8 * k);
		b[14 + k] = (uint8_t)(addr >> 8 * k);
	}
	if (fwrite(b, sizeof(b), 1, f) != 1)
		fail("write");
}

/* References as a program makes them: a few pages, short steps of the clock. */
static void
write_refs(const char *path, long records)
{
	FILE *f = fopen(path, "wb");
	uint64_t state = XORSHIFT_SEED;
	uint64_t ts = UINT64_C(1) << 40;
	if (!f)
		fail(path);
	for (long i = 0; i < records; i++) {
		(void)xorshift(&state);
		ts += state % 5;
		uint32_t space = 0x9f8e7 + (uint32_t)(i / 100000 % 16);
		uint32_t addr = 0x8048000 + (uint32_t)(state >> 32 & 0xffffff);
		write_ref(f, "iirw"[state >> 8 & 3], ts, (uint8_t)(1 << (state >> 12 & 3)), space, addr);
	}
	if (fclose(f) != 0)
		fail(path);
}

/* Each reference is the first to its page, and pages come in no order. */
static void
write_touches(const char *path, long records)
{
	FILE *f = fopen(path, "wb");
	if (!f)
		fail(path);
	for (uint32_t i = 0; records > 0; i++) {
		uint32_t page = i / SPACES % PAGES;
		/* Each step maps all pages to all pages. */
		for (int k = 0; k < 3; k++)
			page = ((page ^ page >> 9) * 0x9e3b5) % PAGES;
		if (page >= KERNEL)
			continue;
		write_ref(f, 'r', i, 4, i % SPACES + 1, page << 12);
		records--;
	}
	if (fclose(f) != 0)
		fail(path);
}

/* Reads all, and writes `out` bytes. */
static void
plain(const char *path, uint64_t out)
{
	static char buffer[BUFFER];
	int in = open(path, O_RDONLY);
	int to = open("/dev/null", O_WRONLY);
	struct stat st;
	if (in < 0 || to < 0 || fstat(in, &st) != 0)
		fail(path);
	double share = (double)out / (double)st.st_size;
	uint64_t done = 0, written = 0;
	ssize_t n;
	while ((n = read(in, buffer, sizeof(buffer))) > 0) {
		done += (uint64_t)n;
		while (written < (uint64_t)((double)done * share)) {
			memset(buffer, (int)written, sizeof(buffer));
			if (write(to, buffer, sizeof(buffer)) < 0)
				fail("write");
			written += sizeof(buffer);
		}
	}
	(void)close(in);
	(void)close(to);
}

/* CPU seconds of a command or of the plain pass; best of RUNS. */
static double
measure(char *const *command, const char *path, uint64_t out)
{
	double best = 1e9;
	for (int i = 0; i < RUNS; i++) {
		struct rusage r;
		int status;
		pid_t pid = fork();
		if (pid < 0)
			fail("fork");
		if (pid == 0) {
			if (!command) {
				plain(path, out);
				_exit(0);
			}
			(void)execv(command[0], command);
			_exit(127);
		}
		if (wait4(pid, &status, 0, &r) != pid)
			fail("wait4");
		if (status != 0) {
			(void)fprintf(stderr, "%s %s ended with status %d\n", command ? command[0] : "", command ? command[1] : "", status);
			exit(1);
		}
		double cpu = (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + 1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
		best = cpu < best ? cpu : best;
	}
	return best;
}

static uint64_t
size_of(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		fail(path);
	return (uint64_t)st.st_size;
}

/* Whether it is not far below the limit; 0: there is none. */
static bool
show(const char *name, char *const *command, const char *path, uint64_t out, long records, double limit)
{
	double cost = measure(command, path, out);
	double base = measure(NULL, path, out);
	double rate = (double)records / cost * 1e-6;
	(void)printf("%-16s %6.2f million records/s, %5.2fx plain", name, rate, cost / base);
	(void)printf(limit > 0 ? " (limit %.0f)\n" : "\n", limit);
	return rate * TOLERANCE >= limit;
}

int
main(int argc, char **argv)
{
	if (argc < 2) {
		(void)fprintf(stderr, "usage: laplace PROGRAM [records]\n");
		return 2;
	}
	long records = argc > 2 ? strtol(argv[2], NULL, 10) : 10000000;
	const char *base = getenv("TMPDIR");
	if (!base || !*base)
		base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	char where[200];
	(void)snprintf(where, sizeof(where), "%s/ovniscope-bench-XXXXXX", base);
	if (!mkdtemp(where))
		fail(where);
	char binary[250], text[250];
	(void)snprintf(binary, sizeof(binary), "%s/refs.lrb", where);
	(void)snprintf(text, sizeof(text), "%s/refs.lrt", where);
	write_refs(binary, records);
	char *to_file[] = { argv[1], "text", "-q", binary, text, NULL };
	(void)measure(to_file, NULL, 0);

	char *to_text[] = { argv[1], "text", "-q", binary, "/dev/null", NULL };
	char *to_binary[] = { argv[1], "binary", "-q", text, "/dev/null", NULL };
	char *merge[] = { argv[1], "merge", "-q", binary, "-o", "/dev/null", NULL };
	char *basic[] = { argv[1], "basic", "-q", binary, "-o", "/dev/null", NULL };
	char *stat_of[] = { argv[1], "stat", "-q", binary, "-o", "/dev/null", NULL };
	bool good = show("binary to text", to_text, binary, size_of(text), records, 40);
	good = show("text to binary", to_binary, text, size_of(binary), records, 20) && good;
	(void)show("merge", merge, binary, size_of(text), records, 0);
	(void)show("basic", basic, binary, (uint64_t)records * 5, records, 0);
	(void)show("stat", stat_of, binary, 0, records, 0);
	/* At most 1 us a touch. */
	write_touches(binary, TOUCHES);
	good = show("first touches", stat_of, binary, 0, TOUCHES, 1) && good;
	(void)unlink(binary);
	(void)unlink(text);
	(void)rmdir(where);
	return good ? 0 : 1;
}
