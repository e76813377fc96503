/* SPDX-License-Identifier: MIT */
/* Tables of clock offsets. */
#include "fuzz.h"

#include "input/ovni/parts.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stream streams[3] = {
		{ .meta = { .loom = "node1.1" } },
		{ .meta = { .loom = "node2" } },
		{ .meta = { .loom = NULL } },
	};
	struct trace t = { .diag = &fuzz_diag, .dir = kit_dir(), .streams = streams, .nstreams = 3 };
	fuzz_file("clock-offsets.txt", data, size);
	unsigned before = fuzz_diag.errors;
	fuzz_quiet();
	int rc = clkoff_apply(&t);
	fuzz_loud();
	arena_finish(&t.arena);
	if (rc > 0 || rc <= -ERR_COUNT || (rc < 0) != (fuzz_diag.errors > before))
		abort();
	return 0;
}
