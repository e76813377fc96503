/* SPDX-License-Identifier: MIT */
#include "phrasekit.h"

#include <inttypes.h>
#include <lz4.h>
#include <string.h>

uint64_t phrasekit_seed;
struct phrasekit_packed phrasekit_packed;

enum {
	LITTLE = 64 * 1024, /* what liblz4 packs */
	STATES = 4,         /* that are compared */
};

#define SAME(cond)                                                                                                \
	do {                                                                                                      \
		if (!(cond)) {                                                                                    \
			(void)fprintf(stderr, "seed %" PRIu64 ": %s and %s\n", phrasekit_seed, a->path, b->path); \
			CHECK(cond);                                                                              \
		}                                                                                                 \
	} while (0)

uscope_schema_t *
phrasekit_schema(bool many)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 7) == 0 && uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_enum(s, "e") == 0);
	CHECK(uscope_schema_add_storage(s, "dense", 0, DENSE_SLOTS, 0) == DENSE);
	for (int i = 0; i < DENSE_FIELDS; i++)
		CHECK(uscope_schema_add_field(s, DENSE, "f", (uint8_t)(USCOPE_U8 + i), 0) == i);
	CHECK(uscope_schema_add_property(s, DENSE, "p", USCOPE_U16, -1) == 0);
	CHECK(uscope_schema_add_storage(s, "sparse", 0, SPARSE_SLOTS, USCOPE_SPARSE) == SPARSE);
	CHECK(uscope_schema_add_field(s, SPARSE, "f", USCOPE_BOOL, -1) == 0);
	CHECK(uscope_schema_add_field(s, SPARSE, "entity_id", USCOPE_U32, -1) == 1);
	CHECK(uscope_schema_add_field(s, SPARSE, "g", USCOPE_I16, -1) == 2);
	CHECK(uscope_schema_add_storage(s, "counter", 0, 1, 0) == COUNTER);
	CHECK(uscope_schema_add_field(s, COUNTER, "f", USCOPE_U64, -1) == 0);
	CHECK(uscope_schema_add_storage(s, "no slots", 0, 0, 0) == NO_SLOTS);
	CHECK(uscope_schema_add_field(s, NO_SLOTS, "f", USCOPE_U8, -1) == 0);
	CHECK(uscope_schema_add_storage(s, "no fields", 0, 3, 0) == NO_FIELDS);
	for (int i = FIRST_OF_MANY; many && i < MANY; i++) {
		CHECK(uscope_schema_add_storage(s, "s", 0, 2, i % 2 ? USCOPE_SPARSE : 0) == i);
		CHECK(uscope_schema_add_field(s, i, "f", USCOPE_U16, -1) == 0);
	}
	CHECK(uscope_schema_add_event(s, "ev", 0) == 0 && uscope_schema_add_event_field(s, 0, "f", USCOPE_U16, -1) == 0);
	return s;
}

struct phrasekit_file
phrasekit_finish(uscope_writer_t *w, const char *path)
{
	struct phrasekit_file f = {
		.compression = w->options.compression,
		.prefix = w->options.lz4_size_prefix && w->options.compression == USCOPE_LZ4,
		.packed = w->segment->lz4,
		.status = uscope_writer_finish(w),
		.error = *uscope_writer_error_info(w),
	};
	f.fatal = w->fatal;
	(void)snprintf(f.path, sizeof(f.path), "%s", path);
	uscope_writer_stats(w, &f.stats);
	return f;
}

/* ---- What readers see. ---- */

static bool
same_item(const uscope_item_t *a, const uscope_item_t *b)
{
	if (a->kind != b->kind || a->time_ps != b->time_ps || a->bad || b->bad)
		return false;
	if (a->kind == USCOPE_ITEM_OP)
		return a->action == b->action && a->storage == b->storage && a->slot == b->slot && a->field == b->field && a->value == b->value;
	if (a->kind == USCOPE_ITEM_EVENT)
		return a->event_type == b->event_type && a->payload_size == b->payload_size &&
			memcmp(a->payload, b->payload, a->payload_size) == 0;
	return true;
}

static void
compare_items(const struct phrasekit_file *a, const struct phrasekit_file *b, uscope_reader_t *ra, uscope_reader_t *rb)
{
	uscope_item_iter_t *ia = uscope_items_in_range(ra, 0, UINT64_MAX);
	uscope_item_iter_t *ib = uscope_items_in_range(rb, 0, UINT64_MAX);
	CHECK(ia && ib);
	for (;;) {
		uscope_item_t x;
		uscope_item_t y;
		bool more = uscope_item_next(ia, &x);
		/* What has failed has a part of it. */
		bool both = uscope_item_next(ib, &y) == more;
		SAME(both || (more ? b->fatal : a->fatal));
		if (!both || !more)
			break;
		SAME(same_item(&x, &y));
	}
	SAME(uscope_item_iter_status(ia) == 0 && uscope_item_iter_status(ib) == 0);
	uscope_item_iter_free(ia);
	uscope_item_iter_free(ib);
}

static bool
same_state(const uscope_schema_t *s, const uscope_state_t *a, const uscope_state_t *b)
{
	for (uint32_t i = 0; i < s->num_storages; i++) {
		uint16_t storage = (uint16_t)i;
		for (uint16_t slot = 0; slot < s->storages[i].num_slots; slot++) {
			if (uscope_slot_valid(a, storage, slot) != uscope_slot_valid(b, storage, slot))
				return false;
			for (uint16_t k = 0; k < s->storages[i].num_fields; k++)
				if (uscope_slot_field_raw(a, storage, slot, k) != uscope_slot_field_raw(b, storage, slot, k))
					return false;
		}
	}
	return true;
}

static void
compare_states(const struct phrasekit_file *a, const struct phrasekit_file *b, uscope_reader_t *ra, uscope_reader_t *rb)
{
	uint64_t end = uscope_header(ra)->total_time_ps;
	SAME(end == uscope_header(rb)->total_time_ps);
	uint64_t some = phrasekit_seed * 2 + 1;
	for (int i = 0; i < STATES; i++) {
		uint64_t time = i == 0 ? UINT64_MAX : kit_below(&some, end + 1);
		uscope_state_t *x = uscope_state_at(ra, time);
		uscope_state_t *y = uscope_state_at(rb, time);
		SAME(!x == !y);
		SAME(!x || same_state(uscope_schema(ra), x, y));
		uscope_state_free(x);
		uscope_state_free(y);
	}
}

void
phrasekit_blocks(const struct phrasekit_file *f)
{
	if (f->compression != USCOPE_LZ4)
		return;
	char *bytes = kit_read(f->path, NULL);
	uscope_reader_t *r = uscope_reader_open(f->path);
	CHECK(r);
	for (uint32_t i = 0; i < uscope_num_segments(r); i++) {
		uscope_segment_t g;
		CHECK(uscope_segment_info(r, i, &g) == 0);
		const char *p = bytes + g.offset + SEGMENT_HEADER_SIZE + g.checkpoint_size;
		uint32_t n = g.compressed_size;
		if (f->prefix) {
			CHECK(load32((const uint8_t *)p) == g.raw_size);
			p += 4;
			n -= 4;
		}
		char *raw = malloc(g.raw_size + 1);
		CHECK(raw && LZ4_decompress_safe(p, raw, (int)n, (int)g.raw_size) == (int)g.raw_size);
		free(raw);
		if (!f->packed || g.raw_size <= LITTLE)
			continue;
		phrasekit_packed.blocks++;
		phrasekit_packed.raw += g.raw_size;
		phrasekit_packed.size += n;
	}
	uscope_reader_close(r);
	free(bytes);
}

/* Where all operations are compact even the bytes are the same, but not if what packs them
 * was told something. */
static bool
same_bytes(const struct phrasekit_file *a, const struct phrasekit_file *b)
{
	if (!a->exact || a->packed)
		return true;
	size_t na;
	size_t nb;
	char *pa = kit_read(a->path, &na);
	char *pb = kit_read(b->path, &nb);
	bool same = na == nb && memcmp(pa, pb, na) == 0;
	free(pa);
	free(pb);
	return same;
}

static void
compare_words(const struct phrasekit_file *a, const struct phrasekit_file *b)
{
	SAME(a->status == b->status && a->fatal == b->fatal && a->error.status == b->error.status &&
		strcmp(a->error.reason, b->error.reason) == 0);
	SAME(a->stats.operations == b->stats.operations && a->stats.events == b->stats.events && a->stats.frames == b->stats.frames &&
		a->stats.truncated == b->stats.truncated && a->stats.misuses == b->stats.misuses);
	SAME(!a->exact || (a->stats.raw_bytes == b->stats.raw_bytes && a->stats.segments == b->stats.segments));
}

void
phrasekit_compare(const struct phrasekit_file *a, const struct phrasekit_file *b)
{
	bool whole = !a->fatal && !b->fatal;
	/* Less bytes may fit where more did not. */
	if (whole || a->exact)
		compare_words(a, b);
	SAME(same_bytes(a, b));
	uscope_reader_t *ra = uscope_reader_open(a->path);
	uscope_reader_t *rb = uscope_reader_open(b->path);
	SAME(ra && rb && uscope_is_complete(ra) == !a->fatal && uscope_is_complete(rb) == !b->fatal);
	compare_items(a, b, ra, rb);
	if (whole)
		compare_states(a, b, ra, rb);
	int found = uscope_verify(rb, NULL, NULL);
	SAME(!whole || !b->verifies || found == (b->prefix ? (int)b->stats.segments : 0));
	SAME(!whole || b->verifies || found == uscope_verify(ra, NULL, NULL));
	uscope_reader_close(ra);
	uscope_reader_close(rb);
	phrasekit_blocks(b);
}
