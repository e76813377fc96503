/* SPDX-License-Identifier: MIT */
/* damage: every prefix of files and every change of one byte of them, read in all ways.
 * Each byte gets three of five values, others than its neighbours; with USCOPE_ALL_BYTES in the environment, all
 * 255. With TEST_SHARE=n each n-th of all that is.
 *
 *   usage: damage FILE... */
#include "check.h"
#include "exercise.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file in memory, with the path that a reader opens. */
struct memory {
	int fd;
	char path[32];
};

static struct memory
memory(void)
{
	struct memory m = { .fd = memfd_create("uscope", MFD_CLOEXEC) };
	CHECK(m.fd >= 0);
	(void)snprintf(m.path, sizeof(m.path), "/proc/self/fd/%d", m.fd);
	return m;
}

static uint8_t *
load(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	CHECK(f);
	CHECK(fseek(f, 0, SEEK_END) == 0);
	*n = (size_t)ftell(f);
	rewind(f);
	uint8_t *p = malloc(*n + 1);
	CHECK(p && fread(p, 1, *n, f) == *n);
	CHECK(fclose(f) == 0);
	return p;
}

static void
put(const struct memory *m, const uint8_t *p, size_t n, size_t at)
{
	CHECK(pwrite(m->fd, p, n, (off_t)at) == (ssize_t)n);
}

static size_t
changes(const struct memory *m, const struct memory *scratch, const uint8_t *p, size_t n)
{
	bool all = getenv("USCOPE_ALL_BYTES") != NULL;
	size_t count = 0, share = (size_t)check_share();
	for (size_t at = 0; at < n; at++) {
		const uint8_t few[] = { 0, 0xff, p[at] ^ 1, p[at] ^ 0x80, (uint8_t)(p[at] + 1) };
		unsigned values = all ? 256 : 3;
		for (unsigned k = 0; k < values; k++) {
			uint8_t v = all ? (uint8_t)k : few[(at * 3 + k) % sizeof(few)];
			if (v == p[at] || (at + k) % share != 0)
				continue;
			put(m, &v, 1, at);
			exercise_file(m->path, scratch->path);
			count++;
		}
		put(m, p + at, 1, at);
	}
	return count;
}

static size_t
prefixes(const struct memory *m, const struct memory *scratch, size_t n)
{
	size_t count = 0, share = (size_t)check_share();
	for (size_t at = n; at-- > 0;) {
		if (at % share != 0)
			continue;
		CHECK(ftruncate(m->fd, (off_t)at) == 0);
		exercise_file(m->path, scratch->path);
		count++;
	}
	return count;
}

int
main(int argc, char **argv)
{
	struct memory m = memory(), scratch = memory();
	for (int i = 1; i < argc; i++) {
		size_t n;
		uint8_t *p = load(argv[i], &n);
		CHECK(ftruncate(m.fd, 0) == 0);
		put(&m, p, n, 0);
		exercise_file(m.path, scratch.path);
		size_t count = changes(&m, &scratch, p, n);
		count += prefixes(&m, &scratch, n);
		const char *name = strrchr(argv[i], '/');
		(void)printf("%s: %zu bytes, %zu files\n", name ? name + 1 : argv[i], n, count);
		free(p);
	}
	CHECK(close(m.fd) == 0 && close(scratch.fd) == 0);
	return 0;
}
