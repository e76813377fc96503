/* SPDX-License-Identifier: MIT */
/* ring: the last events of a thread, in chunks that are used in turns (tail.h).
 *
 * When a chunk is full, its events are looked through for what they open and close, and the oldest chunk
 * begins anew with a snapshot of what is open (opens.h). Until a chunk is overwritten the ones behind
 * it need no other, so the ring is a trace at any moment. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "chunks.h"
#include "opens.h"
#include "rt.h"

enum {
	PAGE = 4096,
	SIZE_LEAST = 64 * 1024,
	SIZE_MOST = 1024 * 1024 * 1024,
	SNAPSHOT_MAX = 1024 * 1024,
	STEP_MAX = 1024 * 1024, /* what is reserved at a time */
	MOVES = 4096,           /* threads by number; of two that share a place the last one counts */
};

struct ring {
	size_t stride;    /* from a chunk to the next */
	size_t wanted;    /* bytes of events of the stream that each keeps */
	size_t room;      /* for a snapshot */
	size_t event_max; /* a larger one is lost */
	unsigned n, at;   /* chunks in use, and the current one */
	struct opens opens;
	_Atomic uint64_t dropped, missed;
	struct {
		size_t reserved; /* bytes behind its header that may be written */
		uint64_t nevents;
	} chunks[RING_CHUNKS];
	char crash[PATH_MAX]; /* where private memory is written */
};

static size_t wish; /* OVNI_RING, set before the process is ready */

/* Which thread was moved where by another one, as far as events were looked through. */
static struct {
	int32_t tid, cpu;
	uint64_t clock;
} moves[MOVES];
static pthread_mutex_t moves_lock = PTHREAD_MUTEX_INITIALIZER;

static void
note_move(int32_t tid, int32_t cpu, uint64_t clock)
{
	(void)pthread_mutex_lock(&moves_lock);
	size_t at = (uint32_t)tid % MOVES;
	if (moves[at].tid != tid || moves[at].clock < clock) {
		moves[at].tid = tid;
		moves[at].cpu = cpu;
		moves[at].clock = clock;
	}
	(void)pthread_mutex_unlock(&moves_lock);
}

static void
take_move(const struct rt_thread *t, struct opens *o)
{
	(void)pthread_mutex_lock(&moves_lock);
	size_t at = (uint32_t)t->tid % MOVES;
	if (moves[at].tid == (int32_t)t->tid)
		opens_was_moved(o, moves[at].cpu, moves[at].clock);
	(void)pthread_mutex_unlock(&moves_lock);
}

size_t
rt_ring_size(void)
{
	return wish;
}

void
rt_ring_configure(void)
{
	const char *text = rt_env("OVNI_RING");
	char *end;
	unsigned shift = 0;

	wish = 0;
	if (text == NULL)
		return;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'm' || *end == 'M')
		shift = 20;
	else if (*end == 'g' || *end == 'G')
		shift = 30;
	end += shift > 0;
	bool good = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
	if (good && n <= SIZE_MOST && n << shift >= SIZE_LEAST && n << shift <= SIZE_MOST)
		wish = (size_t)n << shift;
	else
		rt_warn("OVNI_RING=%s is not a size from 64k to 1g, all events are kept", text);
}

int
rt_ring_begin(struct rt_thread *t)
{
	struct ring *r = t->ring = calloc(1, sizeof(*r));
	if (r == NULL)
		return -1;
	/* One chunk is being overwritten. A quarter of each is for the snapshot, and a quarter for a large event at the end. */
	r->wanted = (wish / (RING_CHUNKS - 1) + PAGE - 1) / PAGE * PAGE;
	r->stride = 2 * r->wanted;
	r->room = r->stride / 4 < SNAPSHOT_MAX ? r->stride / 4 : SNAPSHOT_MAX;
	r->event_max = r->stride / 4 - TAIL_HEADER - 2 * OPEN_EVENT_MAX;
	r->n = RING_CHUNKS;
	t->map_size = RING_CHUNKS * r->stride;
	if (rt_path(r->crash, "%s/" RING_NAME, t->dir) < 0)
		r->crash[0] = '\0';
	if (opens_init(&r->opens, r->room) < 0)
		return -1;
	r->opens.move = note_move;
	return 0;
}

void
rt_ring_free(struct rt_thread *t)
{
	if (t->ring != NULL)
		opens_finish(&t->ring->opens);
	free(t->ring);
	t->ring = NULL;
}

static struct tail *
chunk(const struct rt_thread *t, unsigned i)
{
	return (struct tail *)(void *)((uint8_t *)t->map + i * t->ring->stride);
}

/* Sees to it that `size` bytes of a chunk can be written. Returns whether they can. */
static bool
reserve(struct rt_thread *t, unsigned i, size_t size)
{
	struct ring *r = t->ring;
	size_t have = r->chunks[i].reserved;

	if (size <= have)
		return true;
	size_t more = have + (have < STEP_MAX ? have : STEP_MAX);
	more = more > r->stride - TAIL_HEADER ? r->stride - TAIL_HEADER : more;
	size = size < more ? more : size;
	if (rt_buffer_reserve(t, i * r->stride, TAIL_HEADER + size) < 0)
		return false;
	r->chunks[i].reserved = size;
	return true;
}

/* The current chunk takes events up to what it should keep of the stream, as far as that is reserved. */
static void
set_limit(struct rt_thread *t)
{
	const struct ring *r = t->ring;
	size_t most = t->tail->snapshot + r->wanted + OPEN_EVENT_MAX;
	size_t have = r->chunks[r->at].reserved;
	t->limit = have < most ? have : most;
}

void
rt_ring_first(struct rt_thread *t)
{
	struct ring *r = t->ring;
	struct tail *c = t->tail;

	if (!t->shared)
		rt_watch_crashes();
	for (unsigned i = 0; i < RING_CHUNKS; i++)
		r->chunks[i].reserved = t->shared ? 0 : r->stride - TAIL_HEADER;
	r->chunks[0].reserved = t->shared ? t->limit : r->stride - TAIL_HEADER;
	c->version = TAIL_VERSION;
	c->capacity = r->stride - TAIL_HEADER;
	atomic_store(&c->offset, (uint64_t)WIRE_STREAM_HEADER);
	memcpy(c->magic, RING_MAGIC, sizeof(c->magic));
	set_limit(t);
}

/* Looks through the events of the current chunk. */
static void
scan(struct rt_thread *t)
{
	struct ring *r = t->ring;
	const struct tail *c = t->tail;
	size_t used = atomic_load_explicit(&c->used, memory_order_relaxed);
	uint64_t n = 0;

	for (size_t at = c->snapshot, size; at < used; at += size, n++) {
		size = (size_t)wire_event_size(c->events + at, used - at);
		opens_take(&r->opens, c->events + at, size);
	}
	r->chunks[r->at].nevents = n;
}

/* The chunk after the current one: the oldest, or one that was never used. Without room for that the ring stays as
 * long as it is. */
static unsigned
next_chunk(struct rt_thread *t)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	struct ring *r = t->ring;
	unsigned next = (r->at + 1) % r->n;

	if (reserve(t, next, r->room + PAGE))
		return next;
	r->n = next;
	if (!atomic_flag_test_and_set(&said))
		rt_warn("no room for all of OVNI_RING in %s: %u of %d parts are used:", t->dir, r->n, RING_CHUNKS);
	return 0;
}

/* Goes on in the next chunk. Its events begin at a clock. */
static void
rotate(struct rt_thread *t, uint64_t clock)
{
	struct ring *r = t->ring;
	const struct tail *old = t->tail;
	uint64_t offset = old->offset + ring_own(old), lost = 0;
	size_t shared;

	scan(t);
	take_move(t, &r->opens);
	r->missed = r->opens.missed;
	r->at = next_chunk(t);
	struct tail *c = chunk(t, r->at);
	r->dropped += r->chunks[r->at].nevents;
	r->chunks[r->at].nevents = 0;
	atomic_store(&c->offset, UINT64_MAX);
	atomic_thread_fence(memory_order_seq_cst);
	for (int i = 0; i < RT_LOSSES; i++)
		lost += atomic_load(&t->lost[i]);
	c->version = TAIL_VERSION;
	c->ended = TAIL_RUNNING;
	c->capacity = r->stride - TAIL_HEADER;
	c->lost = lost;
	c->lost_since = t->lost_since;
	c->used = 0;
	c->snapshot = (uint32_t)opens_write(&r->opens, c->events, clock, &shared);
	c->shared = (uint32_t)shared;
	c->used = c->snapshot;
	memcpy(c->magic, RING_MAGIC, sizeof(c->magic));
	atomic_store_explicit(&c->offset, offset, memory_order_release);
	t->tail = c;
	set_limit(t);
}

bool
rt_ring_make_room(struct rt_thread *t, size_t size, uint64_t clock)
{
	const struct ring *r = t->ring;

	if (size > r->event_max) {
		rt_lose(t, RT_LOST_SIZE);
		return false;
	}
	for (int tries = 0; tries < 2; tries++) {
		size_t used = t->tail->used;
		/* A large event may reach beyond what the chunk should keep. */
		bool full = used >= t->tail->snapshot + r->wanted;
		if (!full && reserve(t, r->at, used + size + 1)) {
			set_limit(t);
			return true;
		}
		rotate(t, clock);
	}
	rt_lose(t, RT_LOST_WRITE);
	return false;
}

static struct rt_window
window_of(const struct rt_thread *t, const uint8_t *map)
{
	const struct tail *c[RING_CHUNKS];
	struct rt_window w = { .size = wish, .dropped = t->ring->dropped, .missed = t->ring->missed };

	if (chunks_order(map, t->ring->stride, c) == 0 || c[0]->offset == WIRE_STREAM_HEADER)
		return w;
	w.snapshot = c[0]->snapshot;
	w.shared = c[0]->shared;
	if (c[0]->used >= WIRE_EVENT_HEADER)
		w.since = wire_u64(c[0]->events + 4);
	return w;
}

struct rt_window
rt_ring_window(const struct rt_thread *t)
{
	return window_of(t, t->map);
}

/* Writes the window in place of the stream, which has nothing so far. Returns 0, or -1. */
static int
write_stream(const struct rt_thread *t)
{
	char part[PATH_MAX], path[PATH_MAX];

	if (rt_path(part, "%s/.part.stream" OVNI_STREAM_EXT, t->dir) < 0 || rt_path(path, "%s/stream" OVNI_STREAM_EXT, t->dir) < 0)
		return -1;
	int rc = chunks_write(t->map, t->ring->stride, part);
	if (rc == 0)
		rc = rename(part, path);
	int err = errno;
	if (rc < 0)
		(void)unlink(part);
	errno = err;
	return rc;
}

int
rt_ring_dump(struct rt_thread *t, void *copy, const char *path, struct rt_window *w)
{
	/* Of a thread that is faster than that, the next chunk has to wait. */
	if (!chunks_copy(copy, t->map, t->ring->stride)) {
		(void)pthread_mutex_lock(&t->lock);
		(void)chunks_copy(copy, t->map, t->ring->stride);
		rt_leave(t);
	}
	*w = window_of(t, copy);
	return chunks_write(copy, t->ring->stride, path);
}

/* Counts the events of the window. */
static void
lose_all(struct rt_thread *t)
{
	const struct tail *c[RING_CHUNKS];
	unsigned n = chunks_order(t->map, t->ring->stride, c);

	for (unsigned i = 0; i < n; i++)
		for (uint64_t at = c[i]->snapshot, used = c[i]->used; at < used; at += wire_event_size(c[i]->events + at, used - at))
			rt_lose(t, RT_LOST_WRITE);
}

void
rt_ring_end(struct rt_thread *t, const char *func)
{
	if (t->limit == 0 || write_stream(t) == 0)
		return;
	rt_disk_error(func, "cannot write %s/stream" OVNI_STREAM_EXT "%s:", t->dir, t->shared ? ", its events are in " RING_NAME : "");
	t->limit = 0;
	if (!t->shared)
		lose_all(t);
}

void
rt_ring_crash(const struct rt_thread *t)
{
	int fd = t->ring->crash[0] == '\0' ? -1 : open(t->ring->crash, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return;
	for (unsigned i = 0; i < RING_CHUNKS; i++) {
		const struct tail *c = chunk(t, i);
		off_t at = (off_t)(i * t->ring->stride);
		size_t size = TAIL_HEADER + (ring_chunk_is_good(c) ? c->used : 0);
		if (pwrite(fd, c, size, at) < 0)
			break;
	}
	if (ftruncate(fd, (off_t)t->map_size) < 0)
		(void)unlink(t->ring->crash);
	(void)close(fd);
}
