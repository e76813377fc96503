/* SPDX-License-Identifier: MIT */
#include "survey.h"

#include "timeline/file.h"

enum {
	TRACKS_MAX = 1 << 20,
	PROGRESS_ITEMS = 1 << 16,
};
#define NOT_SEEN UINT32_MAX

struct survey {
	struct overview *overview;
	struct source *src;
	const uscope_schema_t *schema;
	uint32_t **first; /* by storage and field: the track of slot 0, or NOT_SEEN */
	uint32_t ntracks;
	uint64_t end;
};

static bool
is_labelled(const struct tlchannel *ch)
{
	for (const struct tllabel *l = ch->first; l; l = l->next)
		if (l->value != TL_BAD && l->value != TL_TOO_MANY)
			return true;
	return false;
}

/* Whether the values of a field are states. */
static bool
is_state(const struct tlfile *timeline, const uscope_storage_t *st, uint16_t storage, uint16_t field)
{
	uint8_t type = st->fields[field].type;
	if (!timeline)
		return !(st->flags & USCOPE_SPARSE) && (type == USCOPE_ENUM || type == USCOPE_STRING_REF || type == USCOPE_BOOL);
	const struct tlchannel *ch = tlfile_channel(timeline, storage, field);
	return ch && (ch->kind == TL_ENUM || ch->kind == TL_TEXT || ch->class == TL_BREAKDOWN || is_labelled(ch));
}

/* Numbers the tracks. Returns false if there are too many, or no memory. */
static bool
number_tracks(struct survey *s, const struct tlfile *timeline)
{
	uint64_t n = 0;
	s->first = arena_new(&s->src->arena, uint32_t *, s->schema->num_storages);
	for (uint32_t i = 0; s->first && i < s->schema->num_storages; i++) {
		const uscope_storage_t *st = &s->schema->storages[i];
		s->first[i] = arena_new(&s->src->arena, uint32_t, st->num_fields);
		if (!s->first[i])
			return false;
		for (uint16_t k = 0; k < st->num_fields; k++) {
			bool seen = n <= TRACKS_MAX && is_state(timeline, st, (uint16_t)i, k);
			s->first[i][k] = seen ? (uint32_t)n : NOT_SEEN;
			n += seen ? st->num_slots : 0;
		}
	}
	s->ntracks = (uint32_t)n;
	return s->first && n <= TRACKS_MAX;
}

static void
show(struct survey *s, uint16_t storage, uint16_t slot, uint16_t field, uint64_t raw, uint64_t time)
{
	struct overview_track *t = overview_add(s->overview, s->first[storage][field] + slot, storage, slot, field);
	if (t)
		overview_show(s->overview, t, raw, time);
}

/* Shows what the file begins with. Returns false if that is damaged (reported). */
static bool
show_first(struct survey *s, struct tool *t, uint64_t begin)
{
	uscope_state_t *state = uscope_segment_checkpoint(s->src->reader, 0);
	if (!state)
		(void)utool_failed(t, s->src);
	for (uint32_t i = 0; state && i < s->schema->num_storages; i++)
		for (uint16_t k = 0; k < s->schema->storages[i].num_fields; k++)
			for (uint32_t slot = 0; s->first[i][k] != NOT_SEEN && slot < s->schema->storages[i].num_slots; slot++) {
				uint64_t raw = uscope_slot_field_raw(state, (uint16_t)i, (uint16_t)slot, k);
				if (raw)
					show(s, (uint16_t)i, (uint16_t)slot, k, raw, begin);
			}
	uscope_state_free(state);
	return state;
}

static void
take_op(struct survey *s, const uscope_item_t *op)
{
	bool sets = op->action == USCOPE_SLOT_SET || op->action == USCOPE_SLOT_ADD;
	if (op->bad || !sets || s->first[op->storage][op->field] == NOT_SEEN)
		return;
	unsigned bits = 8u * s->schema->storages[op->storage].fields[op->field].size;
	uint64_t raw = op->value;
	if (op->action == USCOPE_SLOT_ADD) {
		const struct overview_track *t = s->overview->tracks[s->first[op->storage][op->field] + op->slot];
		raw += t ? t->shown : 0;
	}
	show(s, op->storage, op->slot, op->field, raw & UINT64_MAX >> (64 - bits), op->time_ps);
}

/* Returns 0, or <0 (reported). */
static int
take_items(struct survey *s, struct tool *t)
{
	uscope_reader_t *r = s->src->reader;
	uscope_item_iter_t *it = uscope_items_in_range(r, 0, UINT64_MAX);
	uscope_item_t item;
	uint64_t n = 0;
	while (it && uscope_item_next(it, &item)) {
		if (item.kind == USCOPE_ITEM_OP)
			take_op(s, &item);
		s->end = item.time_ps > s->end ? item.time_ps : s->end;
		if (++n % PROGRESS_ITEMS)
			continue;
		utool_progress(t, item.segment, uscope_num_segments(r));
		if (utool_stop(t))
			break;
	}
	int rc = !it || uscope_item_iter_status(it) < 0 ? utool_failed(t, s->src) : 0;
	uscope_item_iter_free(it);
	return rc;
}

/* Buckets that are as many as there may be, as the end is known. */
static unsigned
find_shift(uint64_t length)
{
	unsigned shift = 0;
	while (length >> shift >= OVERVIEW_BUCKETS)
		shift++;
	return shift;
}

int
survey_file(struct overview *o, struct tool *t, struct source *src, size_t most, const uint8_t **bytes, size_t *n)
{
	struct survey s = { .overview = o, .src = src, .schema = src->schema, .end = uscope_header(src->reader)->total_time_ps };
	struct tlfile timeline = { 0 };
	const char *lacks;
	uscope_segment_t first;
	uscope_segment_t last;
	uint32_t nsegments = uscope_num_segments(src->reader);
	*bytes = NULL;
	if (!nsegments)
		return STATUS_GOOD;
	if (uscope_segment_info(src->reader, 0, &first) < 0 || uscope_segment_info(src->reader, nsegments - 1, &last) < 0) {
		(void)utool_failed(t, src);
		return STATUS_BAD;
	}
	bool ours = tlfile_is_timeline(src->reader, &lacks);
	bool good = !ours || tlfile_open(&timeline, t, src);
	int rc = good ? STATUS_GOOD : STATUS_BAD;
	good = good && number_tracks(&s, ours ? &timeline : NULL);
	good = good && overview_init(o, s.ntracks, first.time_start_ps, find_shift(last.time_end_ps - first.time_start_ps));
	tlfile_finish(&timeline);
	if (!good)
		return rc;
	if (!show_first(&s, t, first.time_start_ps) || take_items(&s, t) < 0)
		return STATUS_BAD;
	*bytes = overview_bytes(o, s.end, 1, most, n);
	return STATUS_GOOD;
}
