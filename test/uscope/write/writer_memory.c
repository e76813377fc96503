/* SPDX-License-Identifier: MIT */
/* writer_memory: what a writer takes while it writes many segments of values that do not
 * compress: less than 4 times what a segment has, its checkpoint and its deltas, and the
 * state. Each kind in a process of its own. */
#include "kit.h"
#include "uscope.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MAX_RAW = 16 << 20,
	FIELDS = 64,
	SEGMENTS = 3,
	SLACK = 4 << 20, /* what else a process takes */
};

static uscope_schema_t *
make_schema(uint16_t slots)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 1000) == 0 && uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "a", 0, slots, 0) == 0);
	for (int i = 0; i < FIELDS; i++)
		CHECK(uscope_schema_add_field(s, 0, "v", USCOPE_U64, -1) == i);
	CHECK(uscope_schema_add_event(s, "e", 0) == 0);
	CHECK(uscope_schema_add_event_field(s, 0, "v", USCOPE_U64, -1) == 0);
	return s;
}

static void
write_file(const uscope_writer_options_t *o, uint16_t slots)
{
	uscope_schema_t *s = make_schema(slots);
	uscope_writer_t *w = uscope_writer_open_ex(kit_path("memory.uscp"), NULL, s, o, NULL);
	CHECK(w);
	uscope_schema_free(s);
	uscope_writer_stats_t stats = { 0 };
	uint64_t seed = 1;
	for (uint64_t t = 0; stats.raw_bytes < (uint64_t)SEGMENTS * MAX_RAW; t++) {
		uscope_begin_cycle(w, t);
		for (int i = 0; i < 100; i++) {
			uint64_t v = kit_random(&seed);
			uscope_slot_set(w, 0, (uint16_t)(v % slots), (uint16_t)(v / slots % FIELDS), v);
		}
		uscope_event(w, 0, &seed);
		uscope_end_cycle(w);
		if (t % 1000 == 0)
			uscope_writer_stats(w, &stats);
	}
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_close(w);
}

/* Bytes of memory at most; slots 0: of a process that writes nothing. */
static uint64_t
peak(const uscope_writer_options_t *o, uint16_t slots)
{
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		if (slots)
			write_file(o, slots);
		_exit(0);
	}
	int status;
	struct rusage usage;
	CHECK(wait4(pid, &status, 0, &usage) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return (uint64_t)usage.ru_maxrss * 1024;
}

int
main(void)
{
	(void)kit_dir(); /* which is ours, not that of the first child */
	static const char *const names[] = { "lz4", "zstd", "raw" };
	uint64_t idle = peak(NULL, 0);
	for (unsigned i = 0; i < 12; i++) {
		const uscope_writer_options_t o = {
			.compression = (enum uscope_compression)(i % 3),
			.background = i & 1,
			.frames = i < 6 ? USCOPE_INTERLEAVED : USCOPE_WIDE,
			.max_raw = MAX_RAW,
			.no_summary = true,
		};
		uint16_t slots = i % 4 < 2 ? 1 : 4096;
		uint64_t state = (uint64_t)slots * FIELDS * 8;
		uint64_t most = 4 * (MAX_RAW + state) + state + SLACK;
		uint64_t bytes = peak(&o, slots) - idle;
		(void)printf("%s, background %d, frames %d, %u slots: %.1f of at most %.1f MiB\n", names[i % 3], o.background,
			o.frames, slots, (double)bytes / (1 << 20), (double)most / (1 << 20));
#ifndef __SANITIZE_ADDRESS__
		CHECK(bytes < most);
#endif
	}
	return 0;
}
