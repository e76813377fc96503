/* SPDX-License-Identifier: MIT */
/* A phrase is a slot_set for each of its places, and uscope_cycles() is begin_cycle, the
 * phrases, and end_cycle: random calls, wrong ones too, give files that say the same either
 * way. Where all operations are compact the bytes are the same, before they are packed.
 *
 *   usage: phrases [SEED] */
#include "phrasekit.h"

#include <inttypes.h>
#include <string.h>

enum {
	CASES = 300,
	LINES = 100000,
	MANY_SETS = 70000, /* in a cycle: more than a frame has */
	PHRASES = 500,
	SMALL_LIMIT = 70000, /* bytes of a segment; what is there from the beginning is less */
};

static uint64_t seed;
static uint64_t state; /* of what is written */
static uint64_t cuts;  /* of how it is, if as phrases */

static uint64_t
below(uint64_t n)
{
	return kit_below(&state, n);
}

/* ---- Phrases. ---- */

/* What kinds of cycles a case has. */
struct kinds {
	bool many;
	bool wild;     /* values of any size */
	bool wrong;    /* some calls */
	bool still;    /* all at nearly one time */
	bool callback; /* segments begin with another state */
	uint64_t step;
	uint64_t programs; /* how many cycles are different */
};

static struct entry {
	uscope_phrase_t phrase;
	size_t n;
	uint64_t value;
	uscope_place_t places[USCOPE_PHRASE_PLACES + 1];
	bool good;
} table[PHRASES];

static uint64_t
some_value(const struct kinds *k)
{
	if (!k->wild || below(4))
		return below(below(2) ? 2 : 128);
	return below(2) ? UINT64_MAX - below(300) : below(UINT64_C(1) << (1 + below(53)));
}

static uscope_place_t
some_place(const struct kinds *k)
{
	static const uint8_t slots[] = { DENSE_SLOTS, SPARSE_SLOTS, 1 };
	static const uint8_t fields[] = { DENSE_FIELDS, 3, 1 };
	uint16_t storage = (uint16_t)(below(6) ? DENSE : below(COUNTER + 1));
	if (k->many && below(8) == 0)
		storage = (uint16_t)(FIRST_OF_MANY + below(MANY - FIRST_OF_MANY));
	unsigned nslots = storage <= COUNTER ? slots[storage] : 2;
	unsigned nfields = storage <= COUNTER ? fields[storage] : 1;
	uscope_place_t s = { storage, (uint16_t)below(nslots), (uint16_t)below(nfields) };
	if (!k->wrong || below(30))
		return s;
	/* The first that is none, and others. */
	switch (below(4)) {
	case 0: s.slot = (uint16_t)nslots; break;
	case 1: s.field = (uint16_t)nfields; break;
	case 2: s.storage = k->many ? MANY : FIRST_OF_MANY; break;
	default: s.storage = (uint16_t)below(400);
	}
	return s;
}

static void
make_phrase(uscope_writer_t *w, const struct kinds *k, struct entry *e)
{
	e->value = some_value(k);
	e->n = 1 + below(2);
	if (k->wrong && below(20) == 0)
		e->n = below(2) * (USCOPE_PHRASE_PLACES + 1);
	for (size_t i = 0; i < e->n; i++)
		e->places[i] = some_place(k);
	if (e->n == 2 && below(3)) { /* a field of the same size */
		e->places[1].storage = e->places[0].storage;
		e->places[1].field = e->places[0].field;
		e->places[1].slot = e->places[0].storage == DENSE ? (uint16_t)below(DENSE_SLOTS) : e->places[0].slot;
	}
	e->good = uscope_phrase_init(w, &e->phrase, e->value, e->places, e->n);
}

/* ---- Cycles. ---- */

static uscope_line_t *lines;
static size_t nlines;
static size_t picked[MANY_SETS]; /* entries that a cycle has */
static bool together;
static uint64_t tick; /* of the lines */

static void
put_lines(uscope_writer_t *w)
{
	uscope_cycles(w, lines, nlines);
	nlines = 0;
}

static void
put_places(uscope_writer_t *w, const struct entry *e)
{
	for (size_t i = 0; i < e->n; i++)
		uscope_slot_set(w, e->places[i].storage, e->places[i].slot, e->places[i].field, e->value);
}

static void
put_calls(uscope_writer_t *w, uint64_t time, size_t n)
{
	uscope_begin_cycle(w, time);
	for (size_t i = 0; i < n; i++) {
		struct entry *e = &table[picked[i]];
		if (together && e->good)
			uscope_phrase(w, &e->phrase);
		else
			put_places(w, e);
	}
	uscope_end_cycle(w);
}

/* Whether it can be lines, and is. */
static bool
add_lines(uint64_t time, size_t n)
{
	bool good = n > 0 && nlines + n <= LINES && kit_below(&cuts, 20) != 0;
	for (size_t i = 0; i < n && good; i++)
		good = table[picked[i]].good;
	for (size_t i = 0; i < n && good; i++)
		lines[nlines++] = (uscope_line_t){ i ? USCOPE_GOES_ON : time / tick, &table[picked[i]].phrase };
	return good;
}

static void
put_cycle(uscope_writer_t *w, uint64_t time, size_t n)
{
	if (time == USCOPE_GOES_ON) /* which means that to the first line only */
		put_lines(w);
	if (together && add_lines(time, n)) {
		if (kit_below(&cuts, 1 + kit_below(&cuts, 40)) == 0)
			put_lines(w);
		return;
	}
	put_lines(w);
	put_calls(w, time, n);
}

/* Cycles are like others. */
static size_t
pick(const struct kinds *k, size_t most)
{
	uint64_t later = below(UINT64_MAX);
	state = (1 + below(k->programs)) * 0x9e3779b97f4a7c15;
	size_t n = below(10) ? below(6) : below(300);
	if (n > most)
		n = most;
	for (size_t i = 0; i < n; i++)
		picked[i] = below(PHRASES);
	state = later | 1;
	if (n && below(4) == 0)
		picked[below(n)] = below(PHRASES);
	return n;
}

/* A cycle of other things, in which some of phrases may be begun. */
static void
put_other(uscope_writer_t *w, uint64_t time, const struct kinds *k)
{
	put_lines(w);
	uscope_begin_cycle(w, time);
	bool sets = below(2); /* and nothing that needs the state */
	for (uint64_t n = below(4); n > 0; n--) {
		uscope_slot_set(w, DENSE, 0, 3, some_value(k));
		uscope_prop_set(w, DENSE, 0, below(UINT16_MAX));
		uscope_event_bytes(w, 0, "ab", 2);
		if (!sets) {
			uscope_slot_add(w, COUNTER, 0, 0, below(100));
			uscope_slot_clear(w, SPARSE, (uint16_t)below(SPARSE_SLOTS));
		}
	}
	if (k->wrong && below(8) == 0) {
		for (uint64_t n = below(3); n > 0; n--)
			put_cycle(w, time, pick(k, 5));
		put_lines(w);
	}
	uscope_end_cycle(w);
}

/* What a segment begins with: other values. */
static void
checkpoint(uscope_writer_t *w, void *user)
{
	unsigned *n = user;
	uint8_t slots[DENSE_SLOTS * DENSE_SIZE];
	memset(slots, (int)(++*n & 1), sizeof(slots));
	uscope_checkpoint_storage(w, DENSE, NULL, slots, DENSE_SLOTS);
	struct entry *e = &table[0];
	if (together && e->good) {
		uscope_cycles(w, &(uscope_line_t){ UINT64_MAX, &e->phrase }, 1);
		return;
	}
	uscope_begin_cycle(w, UINT64_MAX);
	put_places(w, e);
	uscope_end_cycle(w);
}

static uint64_t
next_time(uint64_t time, const struct kinds *k)
{
	if (k->wrong && below(40) == 0)
		time -= below(10 * tick);
	else if (k->wrong && below(300) == 0)
		time = UINT64_MAX - below(3 * tick);
	else if (below(50) == 0)
		time += below(k->step * 50);
	else if (below(3) && !k->still)
		time += below(k->step);
	return time - time % tick;
}

/* ---- One file. ---- */

static uscope_writer_t *
open_one(const char *path, struct kinds *k)
{
	static const uint64_t intervals[] = { 0, 1, 500, 20000, UINT64_C(1) << 40, UINT64_MAX };
	static const uint64_t steps[] = { 2, 100, 100, UINT64_C(1) << 20, UINT64_C(1) << 29, UINT64_C(1) << 48 };
	static const uint64_t sizes[] = { 0, 1, 40, 1000, 100000 };
	static const uint64_t programs[] = { 1, 20, 200, UINT64_MAX - 1 };
	static const uint64_t ticks[] = { 1, 1, 1, 3, 1000, 1000, UINT64_C(1) << 21, UINT64_C(1) << 40 };
	bool small = below(6) == 0;
	*k = (struct kinds){
		.many = below(8) == 0,
		.wild = below(2),
		.wrong = below(3) == 0,
		.still = small || below(8) == 0,
		.step = steps[below(6)],
		.programs = programs[below(4)],
	};
	k->callback = !k->many && !k->wild && below(4) == 0;
	const uscope_writer_options_t o = {
		.frames = (enum uscope_frames)(below(6) ? 0 : below(3)),
		.compression = below(3) ? USCOPE_LZ4 : (enum uscope_compression)below(3),
		.level = below(4) == 0,
		.interval_ps = intervals[below(6)],
		.origin_ps = below(3) ? 0 : below(UINT64_C(1) << below(50)),
		.min_raw = below(2) ? 0 : sizes[below(5)],
		.max_raw = small ? SMALL_LIMIT : sizes[below(5)],
		.drop_empty = below(2),
		.background = below(4) == 0,
		.lz4_size_prefix = below(4) == 0,
		.no_summary = k->step > 100 || below(2),
		.summary_base = 8,
	};
	tick = ticks[below(8)];
	uscope_schema_t *s = phrasekit_schema(k->many);
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &o, NULL);
	uscope_schema_free(s);
	CHECK(w && uscope_set_tick(w, tick) == 0);
	if (small)
		w->most = SMALL_LIMIT;
	static unsigned segments;
	segments = 0;
	if (k->callback)
		uscope_set_checkpoint_callback(w, checkpoint, &segments);
	return w;
}

/* Others in place of some phrases, or other values. */
static void
change_phrases(uscope_writer_t *w, const struct kinds *k)
{
	put_lines(w);
	for (uint64_t n = below(20); n > 0; n--) {
		struct entry *e = &table[below(PHRASES)];
		uint64_t value = some_value(k);
		if (below(3) == 0)
			make_phrase(w, k, e);
		else if (e->good && uscope_phrase_change(w, &e->phrase, value))
			e->value = value;
	}
}

/* Whatever comes after the end has no effect. */
static void
put_after(uscope_writer_t *w, const uscope_writer_stats_t *before)
{
	size_t n = 0;
	while (n < PHRASES - 1 && !table[n].good)
		n++;
	picked[0] = n;
	if (together && table[n].good)
		uscope_cycles(w, &(uscope_line_t){ 0, &table[n].phrase }, 1);
	else
		put_calls(w, 0, 1);
	uscope_writer_stats_t after;
	uscope_writer_stats(w, &after);
	CHECK(after.misuses == before->misuses + (w->fatal ? 0 : 2 + table[n].n));
}

static struct phrasekit_file
write_one(const char *path, uint64_t from, bool phrases)
{
	state = cuts = from;
	together = phrases;
	struct kinds k;
	memset(table, 0, sizeof(table));
	uscope_writer_t *w = open_one(path, &k);
	size_t most = w->most;
	for (size_t i = 0; i < PHRASES; i++)
		make_phrase(w, &k, &table[i]);
	uint64_t time = w->options.origin_ps;
	for (uint64_t cycles = below(k.still || below(3) == 0 ? 3000 : 200); cycles > 0; cycles--) {
		uint64_t at = next_time(time, &k);
		if (at > time && at < UINT64_MAX - 2)
			time = at;
		if (below(12))
			put_cycle(w, at, pick(&k, MANY_SETS));
		else if (below(3))
			put_other(w, at, &k);
		else
			change_phrases(w, &k);
		if (below(200) == 0) {
			put_lines(w);
			time += uscope_writer_flush(w) == 0;
		}
		CHECK(w->segment->frames == 0 || (size_t)(w->p - w->segment->raw) <= most);
	}
	put_lines(w);
	struct phrasekit_file f = phrasekit_finish(w, path);
	f.exact = !k.wild && !k.many;
	f.verifies = !k.callback;
	put_after(w, &f.stats);
	uscope_writer_close(w);
	return f;
}

/* As many as a frame has, and one more, where there is room for them. */
static struct phrasekit_file
write_large(const char *path, bool phrases)
{
	together = phrases;
	uscope_schema_t *s = phrasekit_schema(false);
	tick = 1;
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &(uscope_writer_options_t){ .no_summary = true }, NULL);
	uscope_schema_free(s);
	CHECK(w);
	for (size_t i = 0; i < 100; i++) {
		table[i] = (struct entry){ .places = { { DENSE, 0, 2 }, { DENSE, 1, 2 } }, .n = 1 + i % 2, .value = i < 50 ? UINT32_MAX - i : i };
		table[i].good = uscope_phrase_init(w, &table[i].phrase, table[i].value, table[i].places, table[i].n);
		CHECK(table[i].good);
	}
	uint64_t time = 0;
	static const size_t sizes[] = { MANY_SETS, MANY_SETS, 3, MAX_ITEMS - 1, MAX_ITEMS, MAX_ITEMS + 1, MAX_ITEMS / 2, MAX_ITEMS / 2 + 1, 7 };
	for (int only = 0; only < 3; only++) {
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			for (size_t i = 0; i < sizes[k]; i++)
				picked[i] = only == 0 ? i % 50 * 2 : i % 50 + (only == 1 ? 0 : 50);
			put_cycle(w, time++, sizes[k]);
		}
	}
	put_lines(w);
	struct phrasekit_file f = phrasekit_finish(w, path);
	f.verifies = true;
	uscope_writer_close(w);
	return f;
}

int
main(int argc, char **argv)
{
	uint64_t first = kit_seed(argc, argv);
	uint64_t failed = 0;
	lines = malloc(LINES * sizeof(*lines));
	CHECK(lines);
	cuts = 1;
	struct phrasekit_file calls = write_large(kit_path("calls.uscp"), false);
	struct phrasekit_file sum = write_large(kit_path("phrases.uscp"), true);
	phrasekit_compare(&calls, &sum);
	uint64_t cases = argc > 1 ? 1 : (uint64_t)(CASES / check_share());
	for (uint64_t i = 0; i < cases; i++) {
		seed = first + i;
		phrasekit_seed = seed;
		uint64_t from = (seed + 1) * 0x9e3779b97f4a7c15;
		calls = write_one(kit_path("calls.uscp"), from, false);
		sum = write_one(kit_path("phrases.uscp"), from, true);
		phrasekit_compare(&calls, &sum);
		failed += calls.fatal;
	}
	(void)printf("seeds from %" PRIu64 ": all equal, %" PRIu64 " with too much in a segment; %u blocks, %" PRIu64 " bytes of them %" PRIu64 "\n",
		first, failed, phrasekit_packed.blocks, phrasekit_packed.raw, phrasekit_packed.size);
	CHECK(argc > 1 || phrasekit_packed.blocks > cases / 20);
	free(lines);
	return 0;
}
