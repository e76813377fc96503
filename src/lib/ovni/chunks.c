/* SPDX-License-Identifier: MIT */
#include "chunks.h"

#include <errno.h>
#include "rt.h"

unsigned
chunks_order(const uint8_t *map, size_t stride, const struct tail *chunks[RING_CHUNKS])
{
	const struct tail *all[RING_CHUNKS];

	for (unsigned i = 0; i < RING_CHUNKS; i++)
		all[i] = (const struct tail *)(const void *)(map + i * stride);
	return ring_order(all, RING_CHUNKS, chunks);
}

static int
write_chunks(const uint8_t *map, size_t stride, int fd)
{
	static const struct ovni_stream_header header = { { 'o', 'v', 'n', 'i' }, OVNI_STREAM_VERSION };
	const struct tail *c[RING_CHUNKS];
	unsigned n = chunks_order(map, stride, c);
	size_t done;

	int rc = rt_write(fd, &header, sizeof(header), &done);
	for (unsigned i = 0; i < n && rc == 0; i++) {
		/* Only the first needs to say what was open. */
		size_t from = i > 0 || c[0]->offset == WIRE_STREAM_HEADER ? c[i]->snapshot : 0;
		rc = rt_write(fd, c[i]->events + from, c[i]->used - from, &done);
	}
	return rc;
}

int
chunks_write(const uint8_t *map, size_t stride, const char *path)
{
	int fd = rt_open(path);
	if (fd < 0)
		return -1;
	int rc = write_chunks(map, stride, fd);
	int err = errno;
	if (rt_close(fd) < 0 && rc == 0)
		return -1;
	errno = err;
	return rc;
}

/* What is copied may be overwritten meanwhile: who copies looks whether it was, and drops it then. */
__attribute__((no_sanitize_thread)) static void
copy_torn(struct tail *to, const struct tail *from, size_t size)
{
	uint64_t *words = (uint64_t *)(void *)to;
	for (size_t i = 0; i < (size + sizeof(*words) - 1) / sizeof(*words); i++)
		words[i] = ((const volatile uint64_t *)(const void *)from)[i];
}

/* Copies a chunk as it is now, unless it is newer than `newest`. */
static void
copy_chunk(struct tail *to, struct tail *from, uint64_t newest)
{
	uint64_t offset = atomic_load_explicit(&from->offset, memory_order_acquire);
	uint64_t used = atomic_load_explicit(&from->used, memory_order_acquire);

	to->offset = UINT64_MAX;
	if (offset > newest)
		return;
	copy_torn(to, from, TAIL_HEADER + used);
	atomic_thread_fence(memory_order_acquire);
	bool same = atomic_load_explicit(&from->offset, memory_order_relaxed) == offset;
	to->offset = same ? offset : UINT64_MAX;
	to->used = used;
}

static struct tail *
chunk(uint8_t *map, size_t stride, unsigned i)
{
	return (struct tail *)(void *)(map + i * stride);
}

bool
chunks_copy(uint8_t *copy, uint8_t *map, size_t stride)
{
	const struct tail *chunks[RING_CHUNKS];
	uint64_t newest = 0;
	unsigned at = 0, had = 0;

	for (unsigned i = 0; i < RING_CHUNKS; i++) {
		uint64_t offset = atomic_load_explicit(&chunk(map, stride, i)->offset, memory_order_acquire);
		had += offset != 0; /* it is used */
		if (offset != UINT64_MAX && offset > newest) {
			newest = offset;
			at = i;
		}
	}
	/* The oldest first, as it is the next to be overwritten. */
	for (unsigned i = 1; i <= RING_CHUNKS; i++) {
		unsigned k = (at + i) % RING_CHUNKS;
		copy_chunk(chunk(copy, stride, k), chunk(map, stride, k), newest);
	}
	unsigned n = chunks_order(copy, stride, chunks);
	return n > 0 && n + 1 >= had && chunks[n - 1]->offset == newest;
}
