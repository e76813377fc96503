/* SPDX-License-Identifier: MIT */
/* The writer of µScope files: the input drives its calls, wrong ones too. What it writes is
 * read back in strict mode, verified, and compared with a model that is an array. The
 * first bytes choose the options, each call takes some of the rest. */
#include "fuzz.h"

#include "phrase.h"

#include <string.h>

enum {
	DENSE_SLOTS = 5,
	SPARSE_SLOTS = 11,
	MAX_FRAMES = 4096,
	PHRASES = 64,
	MAX_LINES = 255,
};

struct input {
	const uint8_t *p;
	size_t n;
};

static uint64_t
take(struct input *in, unsigned bytes)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < bytes && in->n > 0; i++, in->p++, in->n--)
		v |= (uint64_t)*in->p << 8 * i;
	return v;
}

/* What the trace should say. */
static struct {
	bool in_cycle; /* and it was not refused */
	uint64_t last;
	uint64_t least; /* time of the next cycle */
	uint32_t dense[DENSE_SLOTS];
	bool valid[SPARSE_SLOTS];
	int16_t sparse[SPARSE_SLOTS];
	uint8_t prop;
	uint64_t events;
	uint64_t operations;
	uint32_t frames;
	bool drop_empty;
	bool only_changes;
	uint64_t flushed; /* what there was then */
	bool prefix;      /* which breaks a rule, in each segment */
} model;

/* Phrases of the dense storage, which the application has. */
static struct {
	uscope_phrase_t phrase;
	unsigned slots[USCOPE_PHRASE_PLACES];
	size_t n; /* 0: it is none */
	uint32_t value;
} phrases[PHRASES];

static uscope_schema_t *
make_schema(void)
{
	uscope_schema_t *s = uscope_schema_new();
	if (uscope_schema_add_clock(s, "clk", 7) != 0 || uscope_schema_add_scope(s, "/", -1, NULL, 0) != 0 ||
		uscope_schema_add_storage(s, "dense", 0, DENSE_SLOTS, 0) != 0 ||
		uscope_schema_add_field(s, 0, "f", USCOPE_U32, -1) != 0 ||
		uscope_schema_add_property(s, 0, "p", USCOPE_BOOL, -1) != 0 ||
		uscope_schema_add_storage(s, "sparse", 0, SPARSE_SLOTS, USCOPE_SPARSE) != 1 ||
		uscope_schema_add_field(s, 1, "entity_id", USCOPE_I16, -1) != 0 ||
		uscope_schema_add_storage(s, "counter", 0, 1, 0) != 2 ||
		uscope_schema_add_field(s, 2, "f", USCOPE_U64, -1) != 0 || uscope_schema_add_event(s, "ev", 0) != 0 ||
		uscope_schema_add_event_field(s, 0, "f", USCOPE_U16, -1) != 0)
		abort();
	return s;
}

static uscope_writer_t *
open_one(struct input *in, const char *path)
{
	uint64_t how = take(in, 2);
	const uscope_writer_options_t o = {
		.frames = (enum uscope_frames)(how % 3),
		.compression = (enum uscope_compression)(how / 3 % 3),
		.interval_ps = how & 0x10 ? 1 + take(in, 2) : 0,
		.origin_ps = how & 0x20 ? take(in, 1) : 0,
		.min_raw = how & 0x40 ? take(in, 1) : 0,
		.max_raw = how & 0x80 ? 1 + take(in, 1) : 0,
		.drop_empty = how & 0x100,
		.only_changes = (how & 0x4100) == 0x4000, /* else frames could not be counted */
		.background = how & 0x200,
		.no_summary = how & 0x400,
		.summary_base = how & 0x800 ? 1 + (uint32_t)take(in, 1) : 0,
		.summary_fan_out = how & 0x1000 ? 2 + (uint32_t)take(in, 1) : 0,
		.lz4_size_prefix = how & 0x2000,
		.summary_budget = 1, /* few buckets: they are made and checked for each input */
	};
	uscope_schema_t *s = make_schema();
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &o, NULL);
	uscope_schema_free(s);
	if (!w)
		abort();
	memset(&model, 0, sizeof(model));
	memset(phrases, 0, sizeof(phrases));
	model.least = o.origin_ps;
	model.drop_empty = o.drop_empty;
	model.only_changes = o.only_changes;
	model.prefix = o.lz4_size_prefix && o.compression == USCOPE_LZ4;
	return w;
}

/* A cycle begins at that time, unless it is refused. */
static void
note_begin(uint64_t time)
{
	model.in_cycle = time >= model.least;
	if (!model.in_cycle)
		return;
	model.last = model.least = time;
	model.frames++;
}

static void
begin(uscope_writer_t *w, struct input *in, bool *open)
{
	uint64_t time = model.last + take(in, 1 + (take(in, 1) & 3));
	if (*open || model.frames == MAX_FRAMES)
		return;
	uscope_begin_cycle(w, time);
	*open = true;
	note_begin(time);
}

static void
sparse_op(uscope_writer_t *w, struct input *in, unsigned kind)
{
	uint16_t slot = (uint16_t)(take(in, 1) % (SPARSE_SLOTS + 1));
	uint64_t v = kind == 2 ? 0 : take(in, 2);
	bool good = model.in_cycle && slot < SPARSE_SLOTS;
	if (kind == 2)
		uscope_slot_clear(w, 1, slot);
	else if (kind == 1)
		uscope_slot_add(w, 1, slot, 0, v);
	else
		uscope_slot_set(w, 1, slot, 0, v);
	if (!good)
		return;
	model.operations++;
	model.valid[slot] = kind != 2;
	model.sparse[slot] = (int16_t)(kind == 2 ? 0 : (kind == 1 ? (uint16_t)model.sparse[slot] + v : v));
}

static void
note_dense(unsigned slot, uint64_t v)
{
	if (!model.in_cycle || slot >= DENSE_SLOTS)
		return;
	model.operations++;
	model.dense[slot] = (uint32_t)v;
}

static void
dense_op(uscope_writer_t *w, struct input *in)
{
	uint16_t slot = (uint16_t)(take(in, 1) % (DENSE_SLOTS + 1));
	uint64_t v = take(in, 1 + (take(in, 1) & 7));
	uscope_slot_set(w, 0, slot, 0, v);
	note_dense(slot, v);
}

static void
make_phrase(uscope_writer_t *w, struct input *in)
{
	unsigned which = (unsigned)take(in, 1) % PHRASES;
	unsigned how = (unsigned)take(in, 1);
	uint64_t v = take(in, 1 + (how >> 6));
	unsigned slots[] = { how % (DENSE_SLOTS + 1), how / 8 % (DENSE_SLOTS + 1) };
	size_t n = 1 + (how >> 5 & 1);
	const uscope_place_t places[] = { { .slot = (uint16_t)slots[0] }, { .slot = (uint16_t)slots[1] } };
	bool fits = slots[0] < DENSE_SLOTS && (n == 1 || slots[1] < DENSE_SLOTS);
	if (uscope_phrase_init(w, &phrases[which].phrase, v, places, n) != fits)
		abort();
	phrases[which].n = fits ? n : 0;
	phrases[which].value = (uint32_t)v;
	memcpy(phrases[which].slots, slots, sizeof(slots));
}

static void
note_phrase(unsigned which)
{
	for (size_t i = 0; i < phrases[which].n; i++)
		note_dense(phrases[which].slots[i], phrases[which].value);
}

/* Some cycles of them in one call. */
static void
cycles(uscope_writer_t *w, struct input *in, bool open)
{
	uscope_line_t lines[MAX_LINES];
	unsigned numbers[MAX_LINES];
	uint64_t time = model.last;
	size_t n = 0;
	for (size_t left = take(in, 1); left > 0 && in->n > 0; left--) {
		unsigned how = (unsigned)take(in, 1);
		unsigned which = how % PHRASES;
		if (phrases[which].n == 0)
			continue;
		bool goes_on = n > 0 && how & 0x80;
		time += goes_on || how & 0x40 ? 0 : take(in, 1);
		numbers[n] = which;
		lines[n++] = (uscope_line_t){ goes_on ? USCOPE_GOES_ON : time, &phrases[which].phrase };
	}
	if (open || model.frames + n > MAX_FRAMES)
		return;
	uscope_cycles(w, lines, n);
	for (size_t i = 0; i < n; i++) {
		if (lines[i].time != USCOPE_GOES_ON)
			note_begin(lines[i].time);
		note_phrase(numbers[i]);
	}
	model.in_cycle = false;
}

/* Only what has frames is cut. */
static void
flush(uscope_writer_t *w)
{
	uint64_t now = model.operations + model.events + (model.drop_empty ? 0 : model.frames);
	if (uscope_writer_flush(w) != 0 || now == model.flushed)
		return;
	model.flushed = now;
	model.least = model.last + 1;
}

static void
call(uscope_writer_t *w, struct input *in, bool *open)
{
	unsigned what = (unsigned)take(in, 1);
	switch (what % 15) {
	case 0:
	case 1: begin(w, in, open); break;
	case 2:
		uscope_end_cycle(w);
		model.in_cycle = *open = false;
		break;
	case 3:
	case 4: dense_op(w, in); break;
	case 5:
	case 6:
	case 7: sparse_op(w, in, what % 15 - 5); break;
	case 8:
		what = (unsigned)take(in, 1);
		uscope_prop_set(w, 0, 0, what);
		model.prop = model.in_cycle ? what != 0 : model.prop;
		model.operations += model.in_cycle;
		break;
	case 9:
		uscope_event_bytes(w, 0, in->p, in->n >= 2 ? 2 : 0);
		model.events += model.in_cycle && in->n >= 2;
		break;
	case 10: flush(w); break;
	case 11: cycles(w, in, *open); break;
	case 12: make_phrase(w, in); break;
	case 13:
		what = (unsigned)take(in, 1) % PHRASES;
		if (phrases[what].n) {
			uscope_phrase(w, &phrases[what].phrase);
			note_phrase(what);
		}
		break;
	default:
		uscope_slot_add(w, 2, 0, 0, take(in, 1));
		model.operations += model.in_cycle;
		(void)uscope_string_insert(w, what & 0x80 ? "one" : "two");
	}
}

/* ---- Reading back. ---- */

static void
require(bool condition)
{
	if (!condition)
		abort();
}

static void
check_state(const uscope_state_t *s)
{
	require(s);
	for (unsigned i = 0; i < DENSE_SLOTS; i++)
		require(uscope_slot_field(s, 0, (uint16_t)i, 0) == model.dense[i]);
	for (unsigned i = 0; i < SPARSE_SLOTS; i++) {
		require(uscope_slot_valid(s, 1, (uint16_t)i) == model.valid[i]);
		require((int64_t)uscope_slot_field(s, 1, (uint16_t)i, 0) == (model.valid[i] ? model.sparse[i] : 0));
	}
	require(uscope_state_prop(s, 0, 0) == model.prop);
}

static void
check_file(const char *path, uint32_t segments)
{
	bool broken = model.prefix && segments;
	uscope_error_t error;
	uscope_reader_t *r = uscope_reader_open_ex(path, &(uscope_reader_options_t){ .mode = USCOPE_STRICT }, &error);
	if (broken) {
		require(!r && error.status == USCOPE_E_STRICT);
		r = uscope_reader_open(path);
	}
	require(r && uscope_is_complete(r) && uscope_num_segments(r) == segments);
	require(uscope_verify(r, NULL, NULL) == (broken ? (int)segments : 0));
	require(uscope_header(r)->total_time_ps == model.last);
	if (segments) {
		uscope_state_t *s = uscope_state_at(r, UINT64_MAX);
		check_state(s);
		uscope_state_free(s);
	}
	uint64_t operations = 0;
	uint64_t events = 0;
	uscope_item_t item;
	uscope_item_iter_t *it = uscope_items_in_range(r, 0, UINT64_MAX);
	require(it);
	while (uscope_item_next(it, &item)) {
		operations += item.kind == USCOPE_ITEM_OP;
		events += item.kind == USCOPE_ITEM_EVENT;
		require(item.kind == USCOPE_ITEM_FRAME || !item.bad);
	}
	require(uscope_item_iter_status(it) == 0 && operations == model.operations && events == model.events);
	uscope_item_iter_free(it);
	uscope_reader_close(r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	char path[300];
	(void)snprintf(path, sizeof(path), "%s", kit_path("fuzz.uscp"));
	uscope_writer_t *w = open_one(&in, path);
	bool open = false;
	while (in.n > 0)
		call(w, &in, &open);
	int status = uscope_writer_finish(w);
	require(status == 0 || status == USCOPE_E_STATE || status == USCOPE_E_RANGE || status == USCOPE_E_ARG);
	uscope_writer_stats_t stats;
	uscope_writer_stats(w, &stats);
	if (model.only_changes && stats.operations < model.operations)
		model.operations = stats.operations; /* the model does not know which were left out */
	require(stats.operations == model.operations && stats.events == model.events);
	uscope_writer_close(w);
	check_file(path, (uint32_t)stats.segments);
	return 0;
}
