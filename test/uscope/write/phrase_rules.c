/* SPDX-License-Identifier: MIT */
/* Phrases: which are refused, what happens at wrong times, and how blocks of what was
 * packed as it was written are. */
#include "phrasekit.h"

#include <stdio.h>
#include <string.h>

enum {
	HEAD = 3,     /* bytes of a frame before its items */
	LARGE = 4000, /* bytes of an event */
};

static uscope_writer_t *
open_one(const char *path, const uscope_writer_options_t *o)
{
	uscope_schema_t *s = phrasekit_schema(true);
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, o, NULL);
	uscope_schema_free(s);
	CHECK(w);
	return w;
}

static uscope_phrase_t
phrase(uscope_writer_t *w, uint64_t value, uscope_place_t place)
{
	uscope_phrase_t p = { .at = 0 };
	CHECK(uscope_phrase_init(w, &p, value, &place, 1));
	return p;
}

/* Finishes, closes, and all is well with it. */
static struct phrasekit_file
done(uscope_writer_t *w, const char *path)
{
	struct phrasekit_file f = phrasekit_finish(w, path);
	f.verifies = true;
	uscope_writer_close(w);
	phrasekit_compare(&f, &f);
	return f;
}

/* ---- What is refused. ---- */

static void
test_init(void)
{
	enum { ANY = USCOPE_PHRASE_PLACES + 2 };
	const char *path = kit_path("init.uscp");
	uscope_writer_t *w = open_one(path, &(uscope_writer_options_t){ .compression = USCOPE_RAW });
	static const struct {
		uscope_place_t places[ANY];
		size_t n;
		uint64_t value;
		bool good;
	} all[] = {
		{ { { DENSE, 0, 0 } }, 0, 0, false },
		{ { { DENSE, 0, 0 } }, 1, 0, true },
		{ { { DENSE, 0, 0 }, { DENSE, 1, 0 } }, 2, 0, true },
		{ { { DENSE, 0, 0 }, { DENSE, 1, 0 }, { DENSE, 2, 0 } }, 3, 0, false },
		{ { { DENSE, 0, 0 } }, SIZE_MAX, 0, false },
		{ { { DENSE, 0, 0 }, { DENSE, 0, 0 } }, 2, 0, true },
		/* Where. */
		{ { { DENSE, DENSE_SLOTS - 1, DENSE_FIELDS - 1 } }, 1, 0, true },
		{ { { DENSE, DENSE_SLOTS, 0 } }, 1, 0, false },
		{ { { DENSE, 0, DENSE_FIELDS } }, 1, 0, false },
		{ { { DENSE, 0, 0 }, { DENSE, DENSE_SLOTS, 0 } }, 2, 0, false },
		{ { { DENSE, 0, 0 }, { DENSE, 0, DENSE_FIELDS } }, 2, 0, false },
		{ { { NO_SLOTS, 0, 0 } }, 1, 0, false },
		{ { { NO_FIELDS, 0, 0 } }, 1, 0, false },
		{ { { MANY, 0, 0 } }, 1, 0, false },
		{ { { UINT16_MAX, 0, 0 } }, 1, 0, false },
		{ { { DENSE, 0, 0 }, { MANY, 0, 0 } }, 2, 0, false },
		{ { { SPARSE, 0, 0 } }, 1, 0, false },
		{ { { DENSE, 0, 0 }, { SPARSE, 0, 0 } }, 2, 0, false },
		{ { { SPARSE, 0, 0 }, { DENSE, 0, 0 } }, 2, 0, false },
		{ { { MANY - 2, 1, 0 } }, 1, UINT16_MAX, true },
		{ { { MANY - 1, 1, 0 } }, 1, 0, false }, /* sparse */
		/* Values: U8, U16, U32, U64, I8, ..., BOOL, STRING_REF, ENUM. */
		{ { { DENSE, 0, 0 } }, 1, UINT8_MAX, true },
		{ { { DENSE, 0, 0 } }, 1, UINT8_MAX + 1, false },
		{ { { DENSE, 0, 1 } }, 1, UINT16_MAX, true },
		{ { { DENSE, 0, 1 } }, 1, UINT16_MAX + 1, false },
		{ { { DENSE, 0, 2 } }, 1, UINT32_MAX, true },
		{ { { DENSE, 0, 2 } }, 1, UINT64_C(1) << 32, false },
		{ { { DENSE, 0, 3 } }, 1, UINT64_MAX, true },
		{ { { DENSE, 0, 4 } }, 1, UINT8_MAX, true },
		{ { { DENSE, 0, 4 } }, 1, UINT64_MAX, false }, /* it is not as it is stored */
		{ { { DENSE, 0, 5 } }, 1, UINT16_MAX + 1, false },
		{ { { DENSE, 0, 6 } }, 1, UINT64_C(1) << 32, false },
		{ { { DENSE, 0, 7 } }, 1, UINT64_MAX, true },
		{ { { DENSE, 0, 8 } }, 1, 1, true },
		{ { { DENSE, 0, 8 } }, 1, 2, false },
		{ { { DENSE, 0, 9 } }, 1, UINT32_MAX, true },
		{ { { DENSE, 0, 10 } }, 1, UINT8_MAX, true },
		{ { { DENSE, 0, 10 } }, 1, UINT8_MAX + 1, false },
		/* Two. */
		{ { { DENSE, 0, 0 }, { DENSE, 0, 8 } }, 2, 1, true },
		{ { { DENSE, 0, 0 }, { DENSE, 0, 8 } }, 2, 2, false },
		{ { { DENSE, 0, 8 }, { DENSE, 0, 0 } }, 2, 2, false },
		{ { { DENSE, 0, 0 }, { DENSE, 0, 1 } }, 2, UINT8_MAX, true }, /* fields of different sizes */
		{ { { DENSE, 0, 0 }, { DENSE, 0, 1 } }, 2, UINT8_MAX + 1, false },
		{ { { DENSE, 0, 3 }, { COUNTER, 0, 0 } }, 2, UINT64_MAX, true },
		{ { { DENSE, 0, 2 }, { COUNTER, 0, 0 } }, 2, UINT32_MAX, true },
		{ { { DENSE, 0, 2 }, { COUNTER, 0, 0 } }, 2, UINT64_C(1) << 32, false },
		{ { { DENSE, 0, 1 }, { MANY - 2, 0, 0 } }, 2, 1, true },
	};
	uscope_begin_cycle(w, 0);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		uscope_phrase_t p = { .at = 0 };
		CHECK(!uscope_phrase_init(NULL, &p, all[i].value, all[i].places, all[i].n));
		if (uscope_phrase_init(w, &p, all[i].value, all[i].places, all[i].n) != all[i].good) {
			(void)fprintf(stderr, "phrase %zu\n", i);
			exit(1);
		}
	}
	uscope_end_cycle(w);
	/* Memory that was not zero, with an early place, or one of another writer. */
	for (uint64_t at = UINT64_MAX; at > 0; at >>= 1) {
		uscope_phrase_t p = { .at = at, .bytes = UINT8_MAX, .sets = UINT8_MAX };
		CHECK(uscope_phrase_init(w, &p, 1, all[1].places, 1));
	}
	CHECK(done(w, path).stats.operations == 0);
}

/* A phrase with another value is the one that is made ready with it, or stays what it is. */
static void
test_change(void)
{
	static const uint64_t values[] = { 0, 1, 2, UINT8_MAX, UINT8_MAX + 1, UINT16_MAX, UINT16_MAX + 1, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX };
	enum { N = sizeof(values) / sizeof(values[0]) };
	const char *path = kit_path("change.uscp");
	uscope_writer_t *w = open_one(path, &(uscope_writer_options_t){ .compression = USCOPE_RAW });
	unsigned changed = 0;
	for (unsigned i = 0; i < N * N * (DENSE_FIELDS + 1) * 2; i++) {
		uint64_t from = values[i % N];
		uint64_t to = values[i / N % N];
		uint16_t field = (uint16_t)(i / N / N % (DENSE_FIELDS + 1));
		uscope_place_t places[] = { { DENSE, 0, field }, { DENSE, 1, field } };
		if (field == DENSE_FIELDS) /* operations are wide, whatever the value is */
			places[0] = places[1] = (uscope_place_t){ MANY - 2, 1, 0 };
		uscope_phrase_t was = { .at = 0 };
		uscope_phrase_t want = { .at = 0 };
		size_t n = 1 + i / N / N / (DENSE_FIELDS + 1);
		if (!uscope_phrase_init(w, &was, from, places, n))
			continue;
		bool wide = was.ops[0] == TAG_WIDE;
		bool good = uscope_phrase_init(w, &want, to, places, n) && want.ops[0] == was.ops[0] && wide == (to > UINT16_MAX);
		was.at = 12345;
		uscope_phrase_t p = was;
		CHECK(uscope_phrase_change(w, &p, to) == good);
		CHECK(memcmp(p.ops, good ? want.ops : was.ops, was.bytes) == 0 && p.at == (good ? 0 : was.at));
		CHECK(p.bytes == was.bytes && p.sets == was.sets && p.bits == was.bits);
		changed += good;
	}
	CHECK(changed > N * DENSE_FIELDS);
	(void)done(w, path);
}

/* A phrase becomes another in a cycle for which the deltas had to grow. */
static void
test_grown(void)
{
	const char *path = kit_path("grown.uscp");
	uscope_writer_t *w = open_one(path, &(uscope_writer_options_t){ .no_summary = true });
	uscope_phrase_t p = phrase(w, 7, (uscope_place_t){ DENSE, 0, 0 });
	uscope_begin_cycle(w, 1);
	uscope_slot_set(w, DENSE, 1, 1, 3);
	uscope_end_cycle(w);
	uscope_cycles(w, &(uscope_line_t){ 10, &p }, 1);
	size_t had = w->segment->raw_cap;
	uscope_begin_cycle(w, 20);
	while ((size_t)(w->p - w->segment->raw) < had + 1000)
		uscope_slot_set(w, DENSE, 1, 1, 4);
	CHECK(uscope_phrase_change(w, &p, 9));
	uscope_end_cycle(w);
	CHECK(uscope_writer_flush(w) == 0);
	uscope_cycles(w, &(uscope_line_t){ 30, &p }, 1);
	(void)done(w, path);
}

/* The summary counts SETs of sparse storages only, which are not fit anyway. */
static void
test_counted(void)
{
	for (int kind = 0; kind < 3; kind++) {
		uscope_schema_t *s = uscope_schema_new();
		CHECK(uscope_schema_add_clock(s, "clk", 7) == 0 && uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
		for (int i = 0; i < 2; i++)
			CHECK(uscope_schema_add_storage(s, "a", 0, 2, i ? USCOPE_SPARSE : 0) == i && uscope_schema_add_field(s, i, "entity_id", USCOPE_U32, -1) == 0);
		const uscope_writer_options_t o = { .no_summary = kind == 1, .no_auto_summary = kind == 2 };
		uscope_writer_t *w = uscope_writer_open_ex(kit_path("counted.uscp"), NULL, s, &o, NULL);
		uscope_schema_free(s);
		CHECK(w);
		const uscope_place_t places[] = { { 0, 1, 0 }, { 1, 1, 0 } };
		uscope_phrase_t p = { .at = 0 };
		CHECK(uscope_phrase_init(w, &p, 1, places, 1));
		CHECK(!uscope_phrase_init(w, &p, 1, places + 1, 1));
		CHECK(!uscope_phrase_init(w, &p, 1, places, 2));
		uscope_writer_close(w);
	}
}

/* ---- At wrong times. ---- */

static uint64_t
misuses(const uscope_writer_t *w)
{
	uscope_writer_stats_t s;
	uscope_writer_stats(w, &s);
	return s.misuses;
}

static void
test_wrong(enum uscope_compression compression)
{
	const char *path = kit_path("wrong.uscp");
	uscope_writer_t *w = open_one(path, &(uscope_writer_options_t){ .compression = compression });
	uscope_phrase_t a = phrase(w, 1, (uscope_place_t){ DENSE, 0, 0 });
	uscope_phrase_t b = phrase(w, 2, (uscope_place_t){ DENSE, 1, 0 });
	const uscope_line_t at_10[] = { { 10, &a }, { USCOPE_GOES_ON, &b }, { 20, &b } };
	uscope_cycles(NULL, at_10, 3);
	uscope_cycles(NULL, NULL, 0);
	uscope_phrase(NULL, &a);
	uscope_cycles(w, NULL, 0);
	uscope_cycles(w, at_10, 0);
	CHECK(misuses(w) == 0 && !w->has_cycles);
	/* It begins no cycle: 1 for begin, and 1 for the SET. */
	uscope_cycles(w, &(uscope_line_t){ USCOPE_GOES_ON, &a }, 1);
	CHECK(misuses(w) == 2 && uscope_writer_error(w) == USCOPE_E_RANGE);
	uscope_cycles(w, (const uscope_line_t[]){ { USCOPE_GOES_ON, &a }, { USCOPE_GOES_ON, &b }, { 5, &a } }, 3);
	CHECK(misuses(w) == 5);
	uscope_phrase(w, &a); /* not inside of a cycle */
	CHECK(misuses(w) == 6);
	uscope_cycles(w, at_10, 3);
	CHECK(misuses(w) == 6);
	/* Once more: 10 is before 20, and 20 is not. */
	uscope_cycles(w, at_10, 3);
	CHECK(misuses(w) == 9);
	uscope_cycles(w, (const uscope_line_t[]){ { 30, &a }, { 29, &b }, { 30, &b }, { USCOPE_GOES_ON, &a }, { UINT64_MAX - 1, &a } }, 4);
	CHECK(misuses(w) == 11);
	CHECK(uscope_writer_flush(w) == 0);
	uscope_cycles(w, (const uscope_line_t[]){ { 30, &a }, { 31, &b }, { 31, &a } }, 3);
	CHECK(misuses(w) == 13);
	/* Inside of a cycle, which ends with it: begin; then end. */
	uscope_begin_cycle(w, 40);
	uscope_phrase(w, &a);
	uscope_cycles(w, (const uscope_line_t[]){ { 41, &b }, { 42, &a } }, 2);
	CHECK(misuses(w) == 15);
	uscope_end_cycle(w);
	CHECK(misuses(w) == 16);
	uscope_cycles(w, &(uscope_line_t){ UINT64_MAX - 1, &b }, 1);
	uscope_cycles(w, &(uscope_line_t){ UINT64_MAX - 1, &a }, 1);
	CHECK(misuses(w) == 16 && uscope_writer_finish(w) == USCOPE_E_RANGE);
	uscope_cycles(w, at_10, 3);
	CHECK(misuses(w) == 16 + 4 + 3);
	uscope_writer_stats_t s;
	uscope_writer_stats(w, &s);
	/* 5; 10 and 20; 20; 30, 30; 31, 31; 40, 42; the last two. */
	CHECK(s.frames == 1 + 2 + 1 + 2 + 2 + 2 + 2 && s.operations == 1 + 3 + 1 + 3 + 2 + 2 + 2);
	(void)done(w, path);
}

/* ---- Packed as it is written. ---- */

/* Nothing is looked at that is before the first byte. */
static void
test_begin(void)
{
	const char *path = kit_path("begin.uscp");
	uscope_writer_t *w = open_one(path, &(uscope_writer_options_t){ .no_summary = true });
	uscope_phrase_t a = phrase(w, 1, (uscope_place_t){ DENSE, 0, 0 });
	uscope_phrase_t b = phrase(w, 2, (uscope_place_t){ DENSE, 1, 0 });
	uscope_begin_cycle(w, 0); /* 3 bytes */
	uscope_end_cycle(w);
	for (uint64_t time = 1; time < 4000; time += 4)
		uscope_cycles(w, (const uscope_line_t[]){ { time, &a }, { time + 1, &b }, { time + 2, &b }, { time + 3, &a } }, 4);
	(void)done(w, path);
}

/* Cycles of a phrase, another that gets all values of 16 bits one after the other, and the first
 * again. What is before it there, the number of operations of the cycle, may be like the value, and
 * is not before it is final. */
static struct phrasekit_file
write_number(const char *path, uint64_t step, bool phrases)
{
	const uscope_place_t other = { DENSE, 1, 2 };
	uscope_writer_t *w = open_one(path, &(uscope_writer_options_t){ .no_summary = true });
	uscope_phrase_t a = phrase(w, 7, (uscope_place_t){ DENSE, 0, 2 });
	uscope_phrase_t b = phrase(w, 0, other);
	uint64_t time = 1;
	for (uint64_t value = 0; value <= UINT16_MAX; value++, time += step) {
		if (phrases) {
			CHECK(uscope_phrase_change(w, &b, value));
			uscope_cycles(w, (const uscope_line_t[]){ { time, &a }, { time + 1, &a }, { USCOPE_GOES_ON, &b }, { USCOPE_GOES_ON, &a }, { time + 2, &a } }, 5);
			continue;
		}
		for (uint64_t i = 0; i < 3; i++) {
			uscope_begin_cycle(w, time + i);
			uscope_phrase(w, &a);
			if (i == 1) {
				uscope_slot_set(w, other.storage, other.slot, other.field, value);
				uscope_phrase(w, &a);
			}
			uscope_end_cycle(w);
		}
	}
	struct phrasekit_file f = phrasekit_finish(w, path);
	f.verifies = true;
	uscope_writer_close(w);
	return f;
}

static void
test_number(void)
{
	char calls[300];
	(void)snprintf(calls, sizeof(calls), "%s", kit_path("calls.uscp"));
	static const uint64_t steps[] = { 3, 300, 30000, UINT64_C(1) << 22 };
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct phrasekit_file a = write_number(calls, steps[i], false);
		struct phrasekit_file b = write_number(kit_path("phrases.uscp"), steps[i], true);
		phrasekit_compare(&a, &b);
	}
}

/* The block is as far as the deltas, and frames of phrases are not looked at again. */
static void
check_walked(const uscope_writer_t *w)
{
	const struct lz4frames *z = w->segment->lz4;
	CHECK(z->walked == (size_t)(w->p - w->segment->raw) && z->next <= z->walked);
}

/* An event of n bytes. */
static void
add_event(uscope_schema_t *s, size_t n)
{
	int id = uscope_schema_add_event(s, "e", 0);
	for (size_t i = 0; i < n / 8 + n % 8; i++)
		CHECK(uscope_schema_add_event_field(s, id, "f", i < n / 8 ? USCOPE_U64 : USCOPE_U8, -1) == (int)i);
}

/* A cycle of large events, n of them, and one of the rest, that repeats nothing. */
static void
put_noise(uscope_writer_t *w, uint64_t time, size_t n, uint64_t *random)
{
	uscope_begin_cycle(w, time);
	for (size_t i = 0; i <= n; i++) {
		uint64_t noise[LARGE / 8];
		for (size_t k = 0; k < LARGE / 8; k++)
			noise[k] = kit_random(random);
		uscope_event(w, i < n ? 0 : 1, noise);
	}
	uscope_end_cycle(w);
}

/* A phrase, noise, and the phrase again, as the first of its cycle or not, which is the last of
 * the call or not. The size of the block. */
static uint32_t
write_far(size_t distance, bool first, bool wide, bool last)
{
	const char *path = kit_path("far.uscp");
	size_t item = wide ? OP_WIDE_SIZE : ITEM_COMPACT_SIZE;
	/* The noise has all but the phrase, its head, and others in between. */
	size_t others = first ? 3 * HEAD + 2 * ITEM_COMPACT_SIZE : HEAD + ITEM_COMPACT_SIZE;
	size_t noise = distance - item - HEAD - others;
	size_t large = (noise - EVENT_HEADER_SIZE) / (LARGE + EVENT_HEADER_SIZE);
	uscope_schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 1) == 0 && uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "a", 0, 2, 0) == 0 && uscope_schema_add_field(s, 0, "v", USCOPE_U64, -1) == 0);
	add_event(s, LARGE);
	add_event(s, noise - EVENT_HEADER_SIZE - large * (LARGE + EVENT_HEADER_SIZE));
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &(uscope_writer_options_t){ .no_summary = true }, NULL);
	uscope_schema_free(s);
	CHECK(w);
	uscope_phrase_t a = phrase(w, wide ? UINT64_C(0x123456789abcdef) : 7001, (uscope_place_t){ 0, 0, 0 });
	uscope_phrase_t b = phrase(w, 9, (uscope_place_t){ 0, 1, 0 });
	uint64_t random = 1;
	put_noise(w, 0, 1, &random);
	size_t at = (size_t)(w->p - w->segment->raw) + HEAD;
	uscope_cycles(w, &(uscope_line_t){ 1, &a }, 1);
	check_walked(w);
	put_noise(w, 2, large, &random);
	CHECK((size_t)(w->p - w->segment->raw) == at + distance - others);
	/* The first of a cycle that is right behind a match, or the second of one. */
	if (first)
		uscope_cycles(w, (const uscope_line_t[]){ { 3, &b }, { 4, &b }, { 5, &a }, { 6, &b } }, last ? 3 : 4);
	else
		uscope_cycles(w, (const uscope_line_t[]){ { 5, &b }, { USCOPE_GOES_ON, &a }, { 6, &b } }, last ? 2 : 3);
	check_walked(w);
	put_noise(w, 7, 1, &random);
	struct phrasekit_file f = done(w, path);
	CHECK(f.stats.segments == 1 && f.stats.misuses == 0);
	return (uint32_t)f.stats.compressed_bytes;
}

/* As far as a match can be, and farther. */
static void
test_distance(void)
{
	for (int kind = 0; kind < 8; kind++) {
		uint32_t sizes[20];
		for (size_t i = 0; i < 20; i++)
			sizes[i] = write_far(65526 + i, kind & 1, kind & 2, kind & 4);
		/* There are 3 times as many bytes of noise more. */
		for (size_t i = 0; i < 19; i++)
			CHECK(i == 9 ? sizes[i] + 8 < sizes[i + 1] : sizes[i] + 3 == sizes[i + 1] || i == 18);
	}
}

/* Threads with their CPUs, that go through some states again and again; with counters each
 * value is new. */
static uint64_t
write_states(enum uscope_compression compression, bool phrases, size_t number, uint32_t segments)
{
	enum { BATCH = 100,
		LINES = 60000 };
	const char *path = kit_path("states.uscp");
	uscope_writer_t *w = open_one(path, &(uscope_writer_options_t){ .compression = compression, .no_summary = true });
	uscope_phrase_t *all = calloc(number, sizeof(*all));
	CHECK(all);
	for (size_t i = 0; i < number; i++) {
		const uscope_place_t places[] = { { DENSE, (uint16_t)(i % 4), 1 }, { DENSE, 4, 1 } };
		CHECK(uscope_phrase_init(w, &all[i], i / 4, places, 1 + i % 2));
	}
	uint64_t random = 1;
	uint64_t time = 0;
	size_t at = 0;
	for (size_t i = 0; i < LINES; i += BATCH) {
		uscope_line_t lines[BATCH];
		for (size_t k = 0; k < BATCH; k++) {
			time += kit_below(&random, 20000);
			at = (at + (kit_below(&random, 20) ? 1 : kit_below(&random, number))) % number;
			lines[k] = (uscope_line_t){ k % 3 == 1 ? USCOPE_GOES_ON : time, &all[at] };
		}
		if (phrases)
			uscope_cycles(w, lines, BATCH);
		for (size_t k = 0; k < BATCH && !phrases; k++) {
			if (k % 3 != 1)
				uscope_begin_cycle(w, lines[k].time);
			uscope_phrase(w, lines[k].phrase);
			if (k % 3 != 0 || k == BATCH - 1)
				uscope_end_cycle(w);
		}
		if (phrases && w->segment->lz4)
			check_walked(w);
		if (segments > 1 && i == LINES / 2) {
			CHECK(uscope_writer_flush(w) == 0);
			time++;
		}
	}
	struct phrasekit_file f = done(w, path);
	free(all);
	CHECK(f.stats.segments == segments && f.stats.misuses == 0);
	return f.stats.compressed_bytes;
}

/* What they are there for. */
static void
test_small(void)
{
	static const struct {
		size_t number;
		uint64_t part; /* of the bytes */
	} all[] = { { 40, 3 }, { 2000, 2 }, { 40000, 1 } };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		uint64_t raw = write_states(USCOPE_RAW, true, all[i].number, 1);
		uint64_t calls = write_states(USCOPE_LZ4, false, all[i].number, 1);
		uint64_t packed = write_states(USCOPE_LZ4, true, all[i].number, 1);
		(void)printf("%zu phrases: %llu bytes, %llu call by call, %llu\n", all[i].number, (unsigned long long)raw,
			(unsigned long long)calls, (unsigned long long)packed);
		CHECK(packed < raw / all[i].part && packed < calls + calls / 10);
		/* A segment knows nothing of the one before. */
		for (int k = 0; k < 2; k++)
			CHECK(write_states(USCOPE_LZ4, k, all[i].number, 2) < calls + calls / 5);
	}
}

/* The state lacks what phrases set until the segment ends: a SET of the value from before them is a change. */
static void
test_only_changes(void)
{
	const char *path = kit_path("changes.uscp");
	uscope_writer_t *w = open_one(path, &(uscope_writer_options_t){ .only_changes = true });
	uscope_phrase_t five = phrase(w, 5, (uscope_place_t){ DENSE, 0, 0 });
	const uscope_line_t lines[] = { { 1, &five }, { 2, &five } };
	static const uint64_t values[] = { 7, 7, 9 };
	for (uint64_t t = 0; t < 2; t++) {
		uscope_begin_cycle(w, t * 10);
		for (int i = 0; i < 3; i++)
			uscope_slot_set(w, DENSE, 0, 0, values[i]); /* the second is none */
		uscope_slot_set(w, DENSE, 0, 0, 7);
		uscope_end_cycle(w);
		if (t == 0)
			uscope_cycles(w, lines, 2);
	}
	struct phrasekit_file f = done(w, path);
	CHECK(f.stats.operations == 3 + 2 + 4);
	uscope_reader_t *r = uscope_reader_open(path);
	uscope_state_t *s = uscope_state_at(r, 10);
	CHECK(s && uscope_slot_field(s, DENSE, 0, 0) == 7);
	uscope_state_free(s);
	uscope_reader_close(r);
}

int
main(void)
{
	test_init();
	test_only_changes();
	test_change();
	test_grown();
	test_counted();
	test_wrong(USCOPE_RAW);
	test_wrong(USCOPE_LZ4);
	test_begin();
	test_number();
	test_distance();
	test_small();
	return 0;
}
