/* SPDX-License-Identifier: MIT */
/* µScope files: all that a reader can be asked, in each mode, and recovery. An input that
 * begins with 'z' is an LZ4 block instead, after 2 bytes of size: our decoder, in pieces,
 * against liblz4. */
#include "exercise.h"
#include "fuzz.h"
#include "lz4s.h"

#include <lz4.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory {
	int fd;
	char path[32];
};

static void
fill(struct memory *m, const uint8_t *data, size_t size)
{
	if (!m->path[0]) {
		m->fd = memfd_create("fuzz", MFD_CLOEXEC);
		(void)snprintf(m->path, sizeof(m->path), "/proc/self/fd/%d", m->fd);
	}
	if (m->fd < 0 || ftruncate(m->fd, 0) != 0 || (size && pwrite(m->fd, data, size, 0) != (ssize_t)size))
		abort();
}

static void
block(const uint8_t *data, size_t size)
{
	static uint8_t ours[65536], theirs[65536];
	if (size < 3)
		return;
	size_t want = data[0] | (size_t)data[1] << 8;
	const uint8_t *p = data + 2, *end = data + size;
	size_t piece = 1 + *data % 32;
	struct lz4s s;
	lz4s_init(&s, want);
	uint8_t *q = ours;
	bool good = true;
	while (good && p < end) {
		const uint8_t *here = p, *before = q;
		good = lz4s_run(&s, &p, piece < (size_t)(end - p) ? p + piece : end, &q, ours + want);
		if (p == here && q == before)
			break;
	}
	good = good && p == end && lz4s_complete(&s);
	if (good && (size_t)(q - ours) != want)
		abort();
	if (LZ4_decompress_safe((const char *)data + 2, (char *)theirs, (int)(size - 2), (int)want) == (int)want && good &&
		memcmp(ours, theirs, want) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct memory file, scratch;
	if (size && *data == 'z') {
		block(data + 1, size - 1);
		return 0;
	}
	fill(&file, data, size);
	fill(&scratch, data, 0);
	exercise_file(file.path, scratch.path);
	return 0;
}
