/* SPDX-License-Identifier: MIT */
/* cut: the end of a stream, with a snapshot of what was open before it, as a ring writes it.
 *
 * usage: cut STREAM OFFSET TO [CPU CLOCK]     another thread has moved it to that CPU
 *
 * Prints the clock at which it begins, and the bytes of the snapshot and of the part that is shared. */
#include "../check.h"
#include "opens.h"

#include <inttypes.h>

enum {
	ROOM = 4 * 1024 * 1024, /* for all of the tests' traces */
};

int
main(int argc, char **argv)
{
	static uint8_t in[ROOM], snapshot[ROOM];
	struct opens o;
	size_t shared, size, at, n;

	CHECK(argc == 4 || argc == 6);
	FILE *f = fopen(argv[1], "re");
	CHECK(f != NULL && (size = fread(in, 1, sizeof(in), f)) < sizeof(in) && fclose(f) == 0);
	CHECK(opens_init(&o, ROOM) == 0);
	size_t cut = strtoul(argv[2], NULL, 10);
	for (at = WIRE_STREAM_HEADER; at < cut; at += n) {
		n = (size_t)wire_event_size(in + at, size - at);
		CHECK(n > 0 && n <= size - at);
		opens_take(&o, in + at, n);
	}
	CHECK(at == cut && at < size);
	if (argc == 6)
		opens_was_moved(&o, (int32_t)strtol(argv[4], NULL, 10), strtoull(argv[5], NULL, 10));
	uint64_t clock = wire_u64(in + at + 4);
	size_t bytes = opens_write(&o, snapshot, clock, &shared);
	f = fopen(argv[3], "we");
	CHECK(f != NULL && fwrite(in, 1, WIRE_STREAM_HEADER, f) == WIRE_STREAM_HEADER && fwrite(snapshot, 1, bytes, f) == bytes &&
		fwrite(in + at, 1, size - at, f) == size - at && fclose(f) == 0);
	(void)printf("%" PRIu64 " %zu %zu\n", clock, bytes, shared);
	opens_finish(&o);
	return 0;
}
