/* SPDX-License-Identifier: MIT */
/* uscope_cycle_sets() is begin_cycle, a slot_set for each, and end_cycle: random calls,
 * wrong ones too, give the same bytes, errors and figures either way.
 *
 *   usage: cyclesets [SEED] */
#include "kit.h"
#include "writer.h"

#include <inttypes.h>
#include <string.h>

enum {
	CASES = 600,
	MANY = 300,          /* storages: more than compact operations have */
	MANY_SETS = 70000,   /* in a cycle: more than a frame has */
	SMALL_LIMIT = 70000, /* bytes of a segment; what is there from the beginning is less */
	DENSE = 0,           /* storages */
	SPARSE = 1,
	COUNTER = 2,
	FIRST_OF_MANY = 5,
};

static uint64_t seed;
static uint64_t state;
static uscope_set_t *sets;

static uint64_t
below(uint64_t n)
{
	return kit_below(&state, n);
}

static schema_t *
make_schema(bool many)
{
	schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 7) == 0 && uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_enum(s, "e") == 0);
	CHECK(uscope_schema_add_storage(s, "dense", 0, 5, 0) == DENSE);
	for (int i = 0; i <= USCOPE_ENUM - USCOPE_U8; i++)
		CHECK(uscope_schema_add_field(s, DENSE, "f", (uint8_t)(USCOPE_U8 + i), 0) == i);
	CHECK(uscope_schema_add_storage(s, "sparse", 0, 11, USCOPE_SPARSE) == SPARSE);
	CHECK(uscope_schema_add_field(s, SPARSE, "f", USCOPE_BOOL, -1) == 0);
	CHECK(uscope_schema_add_field(s, SPARSE, "entity_id", USCOPE_U32, -1) == 1);
	CHECK(uscope_schema_add_field(s, SPARSE, "g", USCOPE_I16, -1) == 2);
	CHECK(uscope_schema_add_storage(s, "counter", 0, 1, 0) == COUNTER);
	CHECK(uscope_schema_add_field(s, COUNTER, "f", USCOPE_U64, -1) == 0);
	CHECK(uscope_schema_add_storage(s, "no slots", 0, 0, 0) == COUNTER + 1);
	CHECK(uscope_schema_add_field(s, COUNTER + 1, "f", USCOPE_U8, -1) == 0);
	CHECK(uscope_schema_add_storage(s, "no fields", 0, 3, 0) == COUNTER + 2);
	for (int i = FIRST_OF_MANY; many && i < MANY; i++) {
		CHECK(uscope_schema_add_storage(s, "s", 0, 2, USCOPE_SPARSE) == i);
		CHECK(uscope_schema_add_field(s, i, "f", USCOPE_U16, -1) == 0);
	}
	CHECK(uscope_schema_add_event(s, "ev", 0) == 0 && uscope_schema_add_event_field(s, 0, "f", USCOPE_U16, -1) == 0);
	return s;
}

/* ---- Calls. ---- */

/* What kinds of cycles a case has. */
struct kinds {
	bool many;
	bool wild;  /* values of any size */
	bool wrong; /* some sets */
	bool still; /* all at nearly one time */
	uint64_t step;
};

static uint64_t
some_value(const struct kinds *k)
{
	if (!k->wild || below(4))
		return below(2);
	return below(2) ? UINT64_MAX - below(300) : below(UINT64_C(1) << (1 + below(53)));
}

static void
make_sets(const struct kinds *k, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool wrong = k->wrong && below(30) == 0;
		uint16_t storage = (uint16_t)below(COUNTER + 1);
		if (k->many && below(8) == 0)
			storage = (uint16_t)(FIRST_OF_MANY + below(MANY - FIRST_OF_MANY));
		static const uint8_t slots[] = { 5, 11, 1 };
		static const uint8_t fields[] = { 11, 3, 1 };
		uint16_t slot = (uint16_t)below(storage <= COUNTER ? slots[storage] : 2);
		uint16_t field = (uint16_t)below(storage <= COUNTER ? fields[storage] : 1);
		sets[i] = (uscope_set_t){ storage, slot, field, some_value(k) };
		if (!wrong)
			continue;
		/* The first that is none, and others. */
		switch (below(4)) {
		case 0: sets[i].slot = storage <= COUNTER ? slots[storage] : 2; break;
		case 1: sets[i].field = storage <= COUNTER ? fields[storage] : 1; break;
		case 2: sets[i].storage = k->many ? MANY : FIRST_OF_MANY; break;
		default: sets[i].storage = (uint16_t)below(400);
		}
	}
}

static size_t
some_number(void)
{
	return below(10) ? below(5) : below(300);
}

static void
put_cycle(uscope_writer_t *w, uint64_t time, size_t n, bool together)
{
	if (together) {
		uscope_cycle_sets(w, time, n ? sets : NULL, n);
		return;
	}
	uscope_begin_cycle(w, time);
	for (size_t i = 0; i < n; i++)
		uscope_slot_set(w, sets[i].storage, sets[i].slot, sets[i].field, sets[i].value);
	uscope_end_cycle(w);
}

/* A cycle of other things, in which one of SETs may be begun. */
static void
put_other(uscope_writer_t *w, uint64_t time, const struct kinds *k, bool together)
{
	uscope_begin_cycle(w, time);
	for (uint64_t n = below(4); n > 0; n--) {
		uscope_slot_add(w, COUNTER, 0, 0, below(100));
		uscope_slot_clear(w, SPARSE, (uint16_t)below(11));
		uscope_slot_set(w, DENSE, 0, 3, some_value(k));
		uscope_event_bytes(w, 0, "ab", 2);
	}
	if (k->wrong && below(8) == 0)
		put_cycle(w, time, 1, together);
	uscope_end_cycle(w);
}

/* What a segment begins with: other values. */
static void
checkpoint(uscope_writer_t *w, void *user)
{
	uint8_t slots[5 * 36]; /* of the dense storage */
	memset(slots, (int)below(2), sizeof(slots));
	uscope_checkpoint_storage(w, DENSE, NULL, slots, 5);
	if (*(bool *)user)
		uscope_cycle_sets(w, UINT64_MAX, sets, 0);
	else
		put_cycle(w, UINT64_MAX, 0, false);
}

static uint64_t
next_time(uint64_t time, const struct kinds *k)
{
	if (k->wrong && below(40) == 0)
		return time - below(10);
	if (k->wrong && below(300) == 0)
		return UINT64_MAX - below(3);
	if (below(50) == 0)
		return time + below(k->step * 50);
	return time + (below(3) && !k->still ? below(k->step) : 0);
}

/* ---- One file. ---- */

struct result {
	char *bytes;
	size_t n;
	int status;
	bool fatal;
	uscope_error_t error;
	uscope_writer_stats_t stats;
};

static uscope_writer_t *
open_one(const char *path, struct kinds *k)
{
	static const uint64_t intervals[] = { 0, 1, 500, 20000, UINT64_C(1) << 40, UINT64_MAX };
	static const uint64_t steps[] = { 2, 100, 100, 100, UINT64_C(1) << 20, UINT64_C(1) << 48 };
	static const uint64_t sizes[] = { 0, 1, 40, 1000, 100000 };
	bool small = below(6) == 0;
	*k = (struct kinds){
		.many = below(8) == 0,
		.wild = below(2),
		.wrong = below(3) == 0,
		.still = small || below(8) == 0,
		.step = steps[below(6)],
	};
	const uscope_writer_options_t o = {
		.frames = (enum uscope_frames)(below(6) ? 0 : below(3)),
		.compression = below(3) ? USCOPE_RAW : USCOPE_LZ4,
		.interval_ps = intervals[below(6)],
		.origin_ps = below(3) ? 0 : below(UINT64_C(1) << below(50)),
		.min_raw = sizes[below(4)],
		.max_raw = small ? SMALL_LIMIT : sizes[below(5)],
		.drop_empty = below(2),
		.background = below(8) == 0,
		.no_summary = k->step > 100 || below(2),
		.summary_base = 8,
	};
	schema_t *s = make_schema(k->many);
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &o, NULL);
	uscope_schema_free(s);
	CHECK(w);
	if (small)
		w->most = SMALL_LIMIT;
	return w;
}

static struct result
write_one(const char *path, uint64_t from, bool together)
{
	state = from;
	struct kinds k;
	uscope_writer_t *w = open_one(path, &k);
	size_t most = w->most;
	if (below(4) == 0)
		uscope_set_checkpoint_callback(w, checkpoint, &together);
	uint64_t time = w->options.origin_ps;
	for (uint64_t cycles = below(k.still ? 3000 : 200);
		cycles > 0; cycles--) {
		uint64_t at = next_time(time, &k);
		if (at > time && at < UINT64_MAX - 2)
			time = at;
		if (below(8)) {
			size_t n = some_number();
			make_sets(&k, n);
			put_cycle(w, at, n, together);
		} else {
			put_other(w, at, &k, together);
		}
		if (below(50) == 0 && uscope_writer_flush(w) == 0)
			time++;
		CHECK(w->segment->frames == 0 || (size_t)(w->p - w->segment->raw) <= most);
	}
	struct result r = { .status = uscope_writer_finish(w), .error = *uscope_writer_error_info(w), .fatal = w->fatal };
	uscope_writer_stats(w, &r.stats);
	put_cycle(w, time, 1, together);
	uscope_writer_stats_t after;
	uscope_writer_stats(w, &after);
	CHECK(after.misuses == r.stats.misuses + (w->fatal ? 0 : 3));
	uscope_writer_close(w);
	r.bytes = kit_read(path, &r.n);
	return r;
}

/* As many as a frame has, and one more, where there is room for them. */
static struct result
write_large(const char *path, bool together)
{
	schema_t *s = make_schema(false);
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &(uscope_writer_options_t){ .no_summary = true }, NULL);
	uscope_schema_free(s);
	CHECK(w);
	for (size_t i = 0; i < MANY_SETS; i++)
		sets[i] = (uscope_set_t){ DENSE, 0, 2, UINT32_MAX };
	for (uint64_t time = 0; time < 3; time++)
		put_cycle(w, time, MANY_SETS, together);
	for (size_t i = 0; i < MANY_SETS; i++)
		sets[i].value = i % 100;
	for (size_t n = MAX_ITEMS - 1; n <= MAX_ITEMS + 1; n++)
		put_cycle(w, n, n, together);
	struct result r = { .status = uscope_writer_finish(w), .error = *uscope_writer_error_info(w) };
	uscope_writer_stats(w, &r.stats);
	uscope_writer_close(w);
	r.bytes = kit_read(path, &r.n);
	return r;
}

static bool
equal(const struct result *a, const struct result *b)
{
	return a->status == b->status && a->fatal == b->fatal && a->error.status == b->error.status && strcmp(a->error.reason, b->error.reason) == 0 &&
		memcmp(&a->stats, &b->stats, sizeof(a->stats)) == 0 && a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

int
main(int argc, char **argv)
{
	uint64_t first = kit_seed(argc, argv);
	uint64_t failed = 0;
	sets = malloc(MANY_SETS * sizeof(*sets));
	CHECK(sets);
	struct result large[] = { write_large(kit_path("calls.uscp"), false), write_large(kit_path("sets.uscp"), true) };
	CHECK(equal(&large[0], &large[1]) && large[0].stats.frames == 3 * 2 + 4);
	free(large[0].bytes);
	free(large[1].bytes);
	for (uint64_t i = 0; i < (argc > 1 ? 1 : CASES); i++) {
		seed = first + i;
		uint64_t from = (seed + 1) * 0x9e3779b97f4a7c15;
		struct result calls = write_one(kit_path("calls.uscp"), from, false);
		struct result sum = write_one(kit_path("sets.uscp"), from, true);
		if (!equal(&calls, &sum)) {
			(void)fprintf(stderr, "seed %" PRIu64 ": %d and %d, %zu and %zu bytes\n", seed, calls.status, sum.status, calls.n, sum.n);
			return 1;
		}
		failed += calls.fatal;
		free(calls.bytes);
		free(sum.bytes);
	}
	(void)printf("seeds from %" PRIu64 ": all equal, %" PRIu64 " with too much in a segment\n", first, failed);
	free(sets);
	return 0;
}
