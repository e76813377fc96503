/* SPDX-License-Identifier: MIT */
/* When the buffer goes to the file, and the two events that say so. */
#include "kit.h"

enum {
	HOLDS = 2097151, /* bytes of events that stay in the buffer */
};

static uint8_t data[2097152];

static size_t
file_size(void)
{
	struct stat st;
	CHECK(stat("ovni/loom." KIT_LOOM "/proc.100/thread.1/stream.obs", &st) == 0);
	return (size_t)st.st_size;
}

/* A jumbo event of `total` bytes in all. */
static void
jumbo(size_t total)
{
	struct ovni_ev ev = { 0 };
	ovni_ev_set_mcv(&ev, "VYc");
	ovni_ev_set_clock(&ev, ovni_clock_now());
	ovni_ev_jumbo_emit(&ev, data, (uint32_t)(total - 16));
}

static uint8_t *
stream(size_t *size)
{
	uint8_t *got = kit_file("ovni", KIT_PID, 1, "stream.obs", size);
	CHECK(got != NULL);
	return got;
}

static bool
is(const uint8_t *ev, const char *mcv)
{
	return memcmp(ev + 1, mcv, 3) == 0;
}

static void
free_keeps_all(void)
{
	size_t size, named;

	kit_begin(1);
	CHECK(file_size() == 8);
	kit_emit("OHx", 1);
	CHECK(file_size() == 8);
	kit_emit("OHe", 2);
	kit_end();
	uint8_t *got = stream(&size);
	CHECK(kit_count(got, size, "OF[", &named) == 2 && named == 0);
	free(got);
	CHECK(kit_says(1, "\"finished\": 1"));
}

static void
explicit_flush(void)
{
	size_t size, named;

	kit_begin(1);
	uint64_t t0 = ovni_clock_now();
	ovni_flush(); /* of nothing */
	CHECK(file_size() == 8);
	ovni_flush();
	CHECK(file_size() == 8 + 24);
	uint64_t t1 = ovni_clock_now();
	kit_emit("OHx", t1);
	ovni_flush();
	CHECK(file_size() == 8 + 24 + 36);
	kit_end();
	CHECK(file_size() == 8 + 24 + 36 + 24);

	uint8_t *got = stream(&size);
	CHECK(kit_count(got, size, "OF]", &named) == 7 && named == 3);
	CHECK(is(got + 8, "OF[") && is(got + 20, "OF]"));
	CHECK(wire_u64(got + 12) >= t0 && wire_u64(got + 24) <= t1);
	CHECK(is(got + 56, "OHx") && is(got + 68, "OF["));
	free(got);
}

/* After 24 bytes of a flush, 174760 events fit and the next one does not. */
static void
automatic_flush(void)
{
	const size_t fit = 174760, full = 24 + fit * 12;
	size_t size, named;

	kit_begin(1);
	ovni_flush();
	for (size_t i = 0; i < fit; i++)
		kit_emit("OB.", ovni_clock_now());
	CHECK(file_size() == 8);
	kit_emit("OHC", ovni_clock_now());
	CHECK(file_size() == 8 + full && full == 2097144);
	kit_end();

	uint8_t *got = stream(&size);
	CHECK(size == 8 + full + 36);
	const uint8_t *tail = got + 8 + full;
	CHECK(is(tail, "OHC") && is(tail + 12, "OF[") && is(tail + 24, "OF]"));
	CHECK(wire_u64(tail + 4) <= wire_u64(tail + 16) && wire_u64(tail + 16) < wire_u64(tail + 28));
	CHECK(kit_count(got, size, "OF[", &named) == fit + 5 && named == 2);
	free(got);
}

/* One byte below the limit stays, the limit itself flushes. */
static void
exact_limit(void)
{
	kit_begin(1);
	kit_emit("OB.", ovni_clock_now());
	jumbo(HOLDS - 12);
	CHECK(file_size() == 8);
	kit_emit("OB.", ovni_clock_now());
	CHECK(file_size() == 8 + HOLDS);
	kit_end();
	CHECK(file_size() == 8 + HOLDS + 36);
}

static void
exact_limit_plus_one(void)
{
	kit_begin(1);
	kit_emit("OB.", ovni_clock_now());
	jumbo(HOLDS + 1 - 12);
	CHECK(file_size() == 8 + 12);
	kit_end();
}

static size_t room;

/* A jumbo that leaves `room` bytes, put in a buffer that holds something. The pair fits
 * behind it whatever the room, or it would be written inside out. */
static void
no_nesting(void)
{
	size_t size, named, total = HOLDS - room;

	kit_begin(1);
	for (int i = 0; i < 4; i++)
		kit_emit("OB.", ovni_clock_now());
	jumbo(total);
	bool flushed = 48 + total > HOLDS;
	CHECK(file_size() == (flushed ? 8 + 48u : 8));
	kit_emit("OB.", ovni_clock_now()); /* another flush, if there is no room for it */
	kit_end();

	uint8_t *got = stream(&size);
	bool again = flushed && total + 24 + 12 > HOLDS;
	size_t flushes = flushed + (size_t)again + (!flushed && 48 + total + 12 > HOLDS);
	CHECK(kit_count(got, size, "OF[", &named) == 6 + 2 * flushes && named == flushes);
	if (flushed) {
		const uint8_t *pair = got + 8 + 48 + total;
		CHECK(is(got + 8 + 48, "VYc") && is(pair, "OF[") && is(pair + 12, "OF]"));
	}
	free(got);
}

/* The data of a jumbo arrive as they were, the largest too. */
static void
jumbo_data(void)
{
	size_t size;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 2654435761u >> 13);
	kit_begin(1);
	jumbo(16);
	jumbo(17);
	jumbo(HOLDS);
	kit_end();
	uint8_t *got = stream(&size);
	CHECK(size == 8 + 16 + 17 + HOLDS + 24);
	CHECK(wire_u32(got + 8 + 12) == 0 && wire_u32(got + 24 + 12) == 1 && got[40] == data[0]);
	CHECK(wire_u32(got + 41 + 12) == HOLDS - 16);
	CHECK(memcmp(got + 41 + 16, data, HOLDS - 16) == 0);
	free(got);
}

int
main(void)
{
	RUNS(free_keeps_all);
	RUNS(explicit_flush);
	RUNS(automatic_flush);
	RUNS(exact_limit);
	RUNS(exact_limit_plus_one);
	for (room = 0; room <= 62; room++)
		RUNS(no_nesting);
	RUNS(jumbo_data);
	return 0;
}
