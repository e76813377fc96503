/* SPDX-License-Identifier: MIT */
/* round: random events and random bytes against the reader of prismkit, at the end of a
 * page that cannot be touched. Writing what was read gives the same bytes. */
#include "kit.h"
#include "prismkit.h"

#include <string.h>

/* ---- Events that were written are read as they were, as far as they are shown. ---- */

static void
round_trip(uint64_t *seed)
{
	struct prism_settings settings = prismkit_settings(seed);
	struct prism_state writer, reader, copier;
	struct prismkit_twin twin;
	prism_begin(&writer, &settings);
	prism_begin(&reader, &settings);
	prism_begin(&copier, &settings);
	settings.word_size = reader.word_size;
	prismkit_twin_begin(&twin, &settings);
	for (int i = 0; i < 200; i++) {
		struct prism_event ev, shown, back, other;
		uint8_t copy[PRISM_EVENT_MAX];
		uint8_t *p = prismkit_guard() - PRISM_EVENT_MAX;
		prismkit_random(seed, &writer, &ev);
		prismkit_shown(&writer, &ev, &shown);
		/* As much room as it takes, and no byte more. */
		ssize_t n = prism_encode(p, PRISM_EVENT_MAX, &writer, &ev);
		CHECK(n > 0 && n <= PRISM_EVENT_MAX);
		p = memmove(prismkit_guard() - n, p, (size_t)n);
		CHECK(prism_decode(p, (size_t)n, &reader, &back) == n);
		if (!prismkit_same(&shown, &back))
			prismkit_differ("written, read", p, (size_t)n, &shown, &back);
		CHECK(prismkit_twin_decode(&twin, p, (size_t)n, &other) == n);
		if (!prismkit_same(&back, &other))
			prismkit_differ("read, twin", p, (size_t)n, &back, &other);
		CHECK(prism_encode(copy, sizeof(copy), &copier, &back) == n && memcmp(copy, p, (size_t)n) == 0);
		CHECK(prismkit_same_state(&reader, &writer) && prismkit_same_state(&copier, &writer));
	}
}

/* ---- Any bytes. ---- */

/* Bytes that are events more often than chance would have it. */
static size_t
any_bytes(uint64_t *seed, uint8_t *out)
{
	size_t n = kit_below(seed, 5) ? kit_below(seed, 64) : kit_below(seed, 1024);
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)(kit_random(seed) >> kit_below(seed, 8));
	if (kit_below(seed, 2))
		for (size_t i = 0; i < n; i += 1 + kit_below(seed, 16))
			out[i] = (uint8_t)(kit_below(seed, 7) << 5 | (kit_below(seed, 2) ? kit_below(seed, 10) : 0));
	return n;
}

static void
take_any(uint64_t *seed)
{
	struct prism_settings settings = prismkit_settings(seed);
	uint8_t bytes[1024];
	size_t n = any_bytes(seed, bytes);
	prismkit_take(memcpy(prismkit_guard() - n, bytes, n), n, &settings);
}

int
main(int argc, char **argv)
{
	uint64_t seed = kit_seed(argc, argv);
	double until = kit_now() + 3.0 / check_share();
	for (int i = 0; i < 500 / check_share() || (i < 20000 && kit_now() < until); i++) {
		round_trip(&seed);
		for (int k = 0; k < 20; k++)
			take_any(&seed);
	}
	return 0;
}
