/* SPDX-License-Identifier: MIT */
/* Random blocks, whole and damaged, through our decoder in pieces of random size, against
 * liblz4 at once.
 *
 *   usage: lz4s [SEED] */
#include "lz4s.h"

#include "kit.h"

#include <lz4.h>
#include <lz4hc.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum {
	MAX = 300 * 1000,
	SECONDS = 3,
	HISTORY = LZ4S_HISTORY,
};

static uint64_t seed;

static uint64_t
below(uint64_t n)
{
	return kit_below(&seed, n);
}

/* Bytes with repeats near and far, runs, and noise. */
static size_t
make(uint8_t *p)
{
	size_t size = below(4) ? below(2000) : below(MAX);
	for (size_t n = 0; n < size;) {
		size_t k = 1 + (below(8) ? below(40) : below(4000));
		k = k < size - n ? k : size - n;
		uint64_t kind = below(3);
		if (kind == 0 && n) {
			size_t back = 1 + below(n < 70000 ? n : 70000);
			for (size_t i = 0; i < k; i++)
				p[n + i] = p[n + i - back];
		} else {
			uint8_t v = (uint8_t)below(256);
			for (size_t i = 0; i < k; i++)
				p[n + i] = kind == 1 ? v : (uint8_t)below(256);
		}
		n += k;
	}
	return size;
}

/* Decodes as blob.c does: a window that moves, input in pieces. */
static bool
pieces(const uint8_t *in, size_t n, uint8_t *out, size_t size)
{
	static uint8_t window[8 * HISTORY];
	struct lz4s s;
	size_t kept = 0, done = 0, given = 0;
	lz4s_init(&s, size);
	for (;;) {
		size_t room = 1 + below(5000);
		room = room < size - done ? room : size - done;
		size_t piece = below(4) ? below(100) : below(n + 1);
		piece = piece < n - given ? piece : n - given;
		const uint8_t *p = in + given;
		uint8_t *q = window + kept;
		if (!lz4s_run(&s, &p, p + piece, &q, q + room))
			return false;
		size_t got = (size_t)(q - window) - kept;
		memcpy(out + done, window + kept, got);
		done += got;
		given = (size_t)(p - in);
		kept += got;
		CHECK(done == s.done && done <= size);
		if (kept > sizeof(window) - 5000) {
			memmove(window, window + kept - HISTORY, HISTORY);
			kept = HISTORY;
		}
		if (given == n && (done == size || got == 0))
			return lz4s_complete(&s);
		/* All output is there and the input goes on: it must come to an error. */
		if (done == size && piece && got == 0 && p == in + given - piece)
			return false;
	}
}

static bool
count_only(const uint8_t *in, size_t n, size_t size)
{
	struct lz4s s;
	lz4s_init(&s, size);
	const uint8_t *p = in;
	return lz4s_run(&s, &p, in + n, NULL, NULL) && p == in + n && lz4s_complete(&s);
}

int
main(int argc, char **argv)
{
	static uint8_t plain[MAX], packed[MAX + MAX / 200 + 64], ours[MAX], theirs[MAX];
	seed = kit_seed(argc, argv);
	time_t end = time(NULL) + SECONDS;
	unsigned long blocks = 0, damaged = 0, accepted = 0;
	while (time(NULL) < end) {
		size_t size = make(plain);
		int n = below(2) ? LZ4_compress_default((const char *)plain, (char *)packed, (int)size, sizeof(packed))
				 : LZ4_compress_HC((const char *)plain, (char *)packed, (int)size, sizeof(packed), (int)below(10));
		CHECK(n > 0);
		CHECK(pieces(packed, (size_t)n, ours, size) && memcmp(ours, plain, size) == 0);
		CHECK(count_only(packed, (size_t)n, size));
		CHECK(!count_only(packed, (size_t)n, size + 1) && !pieces(packed, (size_t)n - 1, ours, size));
		CHECK(!size || !count_only(packed, (size_t)n, size - 1));
		blocks++;
		for (int k = 0; k < 20; k++) {
			uint8_t *at = &packed[below((uint64_t)n)], was = *at;
			*at = (uint8_t)below(256);
			size_t cut = below(4) ? (size_t)n : below((uint64_t)n + 1);
			memset(theirs, 0, size);
			bool good = LZ4_decompress_safe((const char *)packed, (char *)theirs, (int)cut, (int)size) == (int)size;
			bool we = pieces(packed, cut, ours, size);
			CHECK(we == count_only(packed, cut, size));
			/* liblz4 takes an offset of 0 as zeros; and it knows no match near the end. */
			if (good && we)
				CHECK(memcmp(ours, theirs, size) == 0);
			damaged++;
			accepted += we;
			*at = was;
		}
	}
	(void)printf("%lu blocks, %lu damaged, of which %lu are blocks too\n", blocks, damaged, accepted);
	return 0;
}
