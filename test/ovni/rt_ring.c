/* SPDX-License-Identifier: MIT */
/* OVNI_RING: the last events of a thread are there, however it ends, in order and without a gap, with what was open
 * before them. */
#include <pthread.h>
#include "killed.h"

enum {
	KILLS = 100,
	SIZE = 64 * 1024,
	EVENT = WIRE_EVENT_HEADER + 8,
};

/* The stream of a thread as readers take it, of a ring file or of a stream that was written. */
static uint8_t *
ring_stream(const char *base, int tid, size_t *size)
{
	const struct tail *all[RING_CHUNKS], *order[RING_CHUNKS];
	size_t ring_size;
	uint8_t *stream = kit_file(base, KIT_PID, tid, "stream.obs", size);
	uint8_t *ring = kit_file(base, KIT_PID, tid, RING_NAME, &ring_size);
	CHECK(stream != NULL && *size >= WIRE_STREAM_HEADER);
	if (ring == NULL || *size > WIRE_STREAM_HEADER) {
		free(ring);
		return stream;
	}
	size_t stride = ring_size / RING_CHUNKS;
	for (size_t i = 0; i < RING_CHUNKS; i++)
		all[i] = (const struct tail *)(void *)(ring + i * stride);
	CHECK(all[0]->capacity + TAIL_HEADER == stride);
	unsigned n = ring_order(all, RING_CHUNKS, order);
	stream = realloc(stream, *size + ring_size);
	CHECK(n > 0 && stream != NULL);
	for (unsigned i = 0; i < n; i++) {
		size_t from = i > 0 || order[0]->offset == WIRE_STREAM_HEADER ? order[i]->snapshot : 0;
		memcpy(stream + *size, order[i]->events + from, order[i]->used - from);
		*size += order[i]->used - from;
	}
	free(ring);
	return stream;
}

static bool
has_file(int tid, const char *name)
{
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "ovni/loom." KIT_LOOM "/proc.%d/thread.%d/%s", KIT_PID, tid, name);
	return access(path, F_OK) == 0;
}

static void
emit_numbers(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		kit_emit_number(i);
}

/* The numbers of the thread are consecutive. Returns how many there are, and the last. */
static size_t
numbers(int tid, uint64_t *last)
{
	size_t size;
	uint8_t *got = ring_stream("ovni", tid, &size);
	size_t n = kit_numbers(got, size, last);
	free(got);
	return n;
}

/* All that OVNI_RING promises, and not much more. */
static void
has_last(int tid, uint64_t emitted, size_t bytes)
{
	uint64_t last;
	size_t n = numbers(tid, &last);
	if (last != emitted - 1 || n * EVENT < bytes || n * EVENT > 2 * bytes)
		(void)fprintf(stderr, "thread %d: %zu events up to %llu of %llu\n", tid, n, (unsigned long long)last, (unsigned long long)emitted);
	CHECK(last == emitted - 1 && n * EVENT >= bytes && n * EVENT <= 2 * bytes);
}

static void
ring(const char *size, const char *buffer)
{
	CHECK(setenv("OVNI_RING", size, 1) == 0 && setenv("OVNI_BUFFER", buffer, 1) == 0);
}

/* ---- Threads that end ---- */

static void
freed_here(void)
{
	kit_begin(1);
	emit_numbers(100000);
	ovni_flush();
	kit_emit_number(100000);
	CHECK(has_file(1, RING_NAME) == (strcmp(getenv("OVNI_BUFFER"), "shared") == 0) && !has_file(1, TAIL_NAME));
	kit_end();
}

static void
freed(void)
{
	static const char *const kinds[] = { "shared", "private" };
	for (size_t i = 0; i < 2; i++) {
		ring("64k", kinds[i]);
		CHECK(kit_child(freed_here) == 0);
		has_last(1, 100001, SIZE);
		CHECK(!has_file(1, RING_NAME) && kit_says(1, "\"finished\": 1") && kit_says(1, "\"size\": 65536") &&
			kit_says(1, "\"dropped\":") && kit_says(1, "\"since\":"));
	}
}

/* What fits is the same as without a ring. */
static void
fits_here(void)
{
	kit_begin(1);
	for (uint64_t i = 0; i < 50000; i++)
		kit_emit("OB.", i);
	kit_end();
}

static void
fits(void)
{
	size_t size[2];
	uint8_t *got[2];
	for (int i = 0; i < 2; i++) {
		CHECK(i ? setenv("OVNI_RING", "1M", 1) == 0 : unsetenv("OVNI_RING") == 0);
		CHECK(kit_child(fits_here) == 0);
		got[i] = kit_file("ovni", KIT_PID, 1, "stream.obs", &size[i]);
		CHECK(got[i] != NULL && kit_says(1, "since") == false);
	}
	CHECK(size[0] == size[1] && memcmp(got[0], got[1], size[0]) == 0);
	free(got[0]);
	free(got[1]);
}

static void
exits_here(void)
{
	kit_begin(1);
	emit_numbers(20000);
	exit(3);
}

static void
aborts_here(void)
{
	kit_begin(1);
	emit_numbers(20000);
	abort();
}

static void
crashes_here(void)
{
	CHECK(signal(SIGSEGV, SIG_DFL) != SIG_ERR); /* sanitizers catch it */
	kit_begin(1);
	emit_numbers(20000);
	(void)raise(SIGSEGV);
}

static void
ends(void)
{
	static void (*const ways[])(void) = { exits_here, aborts_here, crashes_here };
	static const int status[] = { 0, SIGABRT, SIGSEGV };
	for (size_t i = 0; i < 6; i++) {
		ring("100k", i / 3 ? "private" : "shared");
		int got = kit_child(ways[i % 3]);
		CHECK(i % 3 == 0 ? WIFEXITED(got) && WEXITSTATUS(got) == 3 : WIFSIGNALED(got) && WTERMSIG(got) == status[i % 3]);
		has_last(1, 20000, 100 * 1024);
		CHECK(has_file(1, RING_NAME) == (i % 3 > 0) && !kit_says(1, "finished"));
	}
}

static void
elsewhere_here(void)
{
	kit_begin(1);
	emit_numbers(20000);
	has_last(1, 20000, SIZE); /* through the links */
	kit_end();
}

static void
elsewhere(void)
{
	ring("64k", "shared");
	CHECK(setenv("OVNI_TMPDIR", "tmp", 1) == 0);
	elsewhere_here();
	has_last(1, 20000, SIZE);
	CHECK(access("tmp", F_OK) < 0 && !has_file(1, RING_NAME));
}

/* ---- SIGKILL ---- */

static void
has_newest(int tid, uint64_t emitted)
{
	uint64_t last;
	size_t have = numbers(tid, &last);
	if (last != emitted - 1 && last != emitted)
		(void)fprintf(stderr, "thread %d: up to %llu, %llu were emitted\n", tid, (unsigned long long)last, (unsigned long long)emitted);
	CHECK(last == emitted - 1 || last == emitted);
	CHECK(have * EVENT >= SIZE || have == last + 1);
}

static void
killed(void)
{
	ring("64k", "shared");
	killed_often(KILLS, 5, kit_emit_number, has_newest);
}

/* ---- Jumbos ---- */

static void
jumbos(void)
{
	static const uint8_t data[SIZE];
	ring("64k", "shared");
	kit_begin(1);
	for (uint32_t n = 0; n < sizeof(data); n += 100) {
		struct ovni_ev ev = { .header = { 0, 'O', 'B', '.', 1 } };
		ovni_ev_jumbo_emit(&ev, data, n);
	}
	size_t size, named;
	uint8_t *got = ring_stream("ovni", 1, &size);
	CHECK(kit_count(got, size, "OB.", &named) == named && size >= SIZE);
	free(got);
	ovni_thread_free();
	CHECK(kit_says(1, "\"size\": 5") && !kit_says(1, "finished\": 0"));
	ovni_proc_fini();
}

/* ---- Snapshots ---- */

/* What was open is there again, at the begin. */
static void
snapshots(void)
{
	size_t size;
	ring("64k", "shared");
	kit_begin(1);
	struct {
		int32_t cpu, creator;
		uint64_t tag;
	} arg = { 7, 5, 0 };
	struct ovni_ev ev = { .header = { 0, 'O', 'H', 'x', 3 } };
	ovni_payload_add(&ev, (const uint8_t *)&arg, sizeof(arg));
	ovni_ev_emit(&ev);
	kit_emit("VAr", 4);
	kit_emit("VMa", 5);
	kit_emit("VMA", 6);
	kit_emit("OHp", 7);
	for (int i = 0; i < 20000; i++)
		kit_emit("OB.", 8);
	kit_end();
	uint8_t *got = kit_file("ovni", KIT_PID, 1, "stream.obs", &size);
	CHECK(got != NULL && size > SIZE);
	const uint8_t *p = got + WIRE_STREAM_HEADER;
	CHECK(memcmp(p + 1, "OHx", 3) == 0 && wire_u64(p + 4) == 8 && wire_i32(p + 12) == 7 && wire_i32(p + 16) == 5 && wire_u64(p + 20) == 3);
	CHECK(memcmp(p + 29, "VAr", 3) == 0 && wire_u64(p + 32) == 8 && memcmp(p + 41, "OHp", 3) == 0 && memcmp(p + 53, "OB.", 3) == 0);
	CHECK(kit_says(1, "\"snapshot\": 52") && kit_says(1, "\"shared\": 0") && kit_says(1, "\"since\": 8"));
	free(got);
}

/* ---- Values ---- */

static const char *value;

static void
wrong_here(void)
{
	CHECK(setenv("OVNI_RING", value, 1) == 0);
	kit_begin(1);
	CHECK(!has_file(1, RING_NAME) && has_file(1, TAIL_NAME));
	kit_end();
}

static void
right_here(void)
{
	CHECK(setenv("OVNI_RING", value, 1) == 0);
	kit_begin(1);
	CHECK(has_file(1, RING_NAME) && !has_file(1, TAIL_NAME));
	kit_end();
}

int
main(void)
{
	static const char *const wrong[] = { "x", "0", "1", "63k", "64", "-1", "64kk", "64k ", "2g", "1025m", " 64k", "99999999999999999999", "0x10000" };
	static const char *const right[] = { "64k", "65536", "1m", "1M", "1G", "200000" };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		value = wrong[i];
		RUNS_SAYING(wrong_here, "WARN: OVNI_RING=");
	}
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		value = right[i];
		RUNS(right_here);
	}
	RUNS(freed);
	RUNS(fits);
	RUNS(ends);
	RUNS(elsewhere);
	RUNS(killed);
	RUNS_SAYING(jumbos, "ERROR: ovni_thread_free: thread 1 lost 5");
	RUNS(snapshots);
	return 0;
}
