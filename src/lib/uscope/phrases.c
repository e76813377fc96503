/* SPDX-License-Identifier: MIT */
/* phrases: SETs that were made ready. Where a frame of them simply goes on in its segment,
 * their bytes are copied; where such bytes are near already, the compressor is told instead
 * of having to find out. Anything else is done call by call. */
#include "writer.h"

enum {
	FRAME_HEADER = 2, /* number of items */
	LINE_MAX = LEB_MAX + FRAME_HEADER + USCOPE_PHRASE_PLACES * OP_WIDE_SIZE,
	SLACK = 32, /* is written behind */
	LINES_MAX = MAX_ITEMS / USCOPE_PHRASE_PLACES,
};

/* ---- Made ready. ---- */

static void
put_op(uint8_t *p, uscope_place_t s, uint64_t value, bool wide)
{
	uint64_t place = (uint64_t)s.slot << 16 | (uint64_t)s.field << 32;
	if (wide) {
		store64(p, TAG_WIDE | USCOPE_SLOT_SET << 8 | (uint64_t)s.storage << 16 | place << 16);
		store64(p + 8, value);
	} else {
		p[0] = TAG_COMPACT;
		store64(p + 1, USCOPE_SLOT_SET | (uint64_t)s.storage << 8 | place | value << 48);
	}
}

/* The cell that a place is, or NULL: it is none for a phrase. What the summary counts by
 * itself are sparse storages. */
static inline const struct state_field *
find_cell(const uscope_writer_t *w, uscope_place_t s, uint64_t *cell)
{
	if (s.storage >= w->nstorages)
		return NULL;
	const struct state_storage *st = &w->storages[s.storage];
	if (st->valid || s.slot >= st->num_slots || s.field >= st->num_fields)
		return NULL;
	const struct state_field *f = &st->fields[s.field];
	*cell = (uint64_t)(st->slots - w->state->values) + (uint64_t)s.slot * st->slot_size + f->offset;
	return *cell > UINT32_MAX ? NULL : f;
}

bool
uscope_phrase_init(const uscope_writer_t *w, uscope_phrase_t *p, uint64_t value, const uscope_place_t *places, size_t n)
{
	if (!w || n - 1 >= USCOPE_PHRASE_PLACES)
		return false;
	uscope_place_t a = places[0];
	uscope_place_t b = places[n - 1];
	uint64_t cells[2] = { 0, 0 };
	const struct state_field *f = find_cell(w, a, &cells[0]);
	const struct state_field *g = find_cell(w, b, &cells[1]);
	if (!f || !g || f->size != g->size || value & (f->cut | g->cut))
		return false;
	bool wide = (value > UINT16_MAX) | ((a.storage | b.storage) > UINT8_MAX);
	size_t item = wide ? OP_WIDE_SIZE : ITEM_COMPACT_SIZE;
	*p = (uscope_phrase_t){
		.bytes = (uint8_t)(n * item),
		.size = f->size & 15u,
		.two = n > 1,
		.wide = wide,
		.one = ((f->cut | g->cut) & ~UINT64_C(1)) == ~UINT64_C(1),
		.cells = { (uint32_t)cells[0], (uint32_t)cells[1] },
	};
	put_op(p->ops, a, value, wide);
	if (n > 1)
		put_op(p->ops + item, b, value, wide);
	return true;
}

bool
uscope_phrase_change(uscope_phrase_t *p, uint64_t value)
{
	if ((value > UINT16_MAX) != p->wide || value > (p->one ? 1 : UINT64_MAX >> (64 - 8 * p->size)))
		return false;
	p->at = 0;
	for (size_t i = 0; i <= p->two; i++) {
		if (p->wide)
			store64(p->ops + i * OP_WIDE_SIZE + 8, value);
		else
			store16(p->ops + i * ITEM_COMPACT_SIZE + 7, (uint16_t)value);
	}
	return true;
}

/* Where its value is. */
static inline uint64_t
value_of(const uscope_phrase_t *h)
{
	return h->wide ? load64(h->ops + 8) : load16(h->ops + 7);
}

/* ---- Written. ---- */

void
uscope_phrase(uscope_writer_t *w, uscope_phrase_t *p)
{
	for (unsigned i = 0; i <= p->two; i++) {
		const uint8_t *op = p->ops + (p->wide ? i * OP_WIDE_SIZE + 2 : i * ITEM_COMPACT_SIZE + 2);
		uint16_t storage = p->wide ? load16(op) : *op;
		op += p->wide ? 2 : 1;
		uscope_slot_set(w, storage, load16(op), load16(op + 2), value_of(p));
	}
}

static inline void
set_cells(uint8_t *state, const uscope_phrase_t *h)
{
	uint8_t *a = state + h->cells[0];
	uint8_t *b = state + h->cells[1];
	uint64_t value = value_of(h);
	switch (h->size) {
	case 1:
		*a = *b = (uint8_t)value;
		break;
	case 2:
		store16(a, (uint16_t)value);
		store16(b, (uint16_t)value);
		break;
	case 4:
		store32(a, (uint32_t)value);
		store32(b, (uint32_t)value);
		break;
	default:
		store64(a, value);
		store64(b, value);
	}
}

/* What is in front of the items, up to 8 bytes of it. */
struct head {
	uint64_t bytes;
	unsigned n;
};

/* How many bytes before the items that were at `q` are like the head. */
static inline unsigned
equal_head(struct head h, const uint8_t *q)
{
	uint64_t d = load64(q - LZ4_BEFORE) ^ h.bytes << (64 - 8 * h.n);
	unsigned n = d ? (unsigned)__builtin_clzll(d) >> 3 : LZ4_BEFORE;
	return n < h.n ? n : h.n;
}

/* [begin, end) are phrases that were `far` before. If that is not near, others with the same
 * places may be. */
static inline void
put_run(struct lz4frames *z, struct lz4block *k, const uint8_t *begin, const uint8_t *end, uint64_t far)
{
	if (likely(far < LZ4_FAR))
		lz4block_match(k, begin, far, (size_t)(end - begin), true);
	else
		lz4frames_sets(z, k, begin, end);
}

/* The same for all items of a frame. Its head is not loaded: the processor would wait, as
 * it was stored in parts a moment ago. */
static inline void
put_whole(struct lz4frames *z, struct lz4block *k, struct head h, const uint8_t *begin, const uint8_t *end, uint64_t far)
{
	if (likely(far < LZ4_FAR && k->next + h.n == begin)) {
		unsigned same = equal_head(h, begin - far);
		lz4block_match_behind(k, h.bytes, h.n - same, far, (size_t)(end - begin) + same);
	} else {
		put_run(z, k, begin, end, far);
	}
}

/* The segment as cycles are appended. */
struct tail {
	uint8_t *p;
	uint8_t *state;
	uint64_t position; /* of address 0 */
	struct lz4frames *z;
	struct lz4block k;
};

static unsigned
count_sets(const uscope_line_t *line, const uscope_line_t *end)
{
	unsigned n = 0;
	do
		n += 1u + line->phrase->two;
	while (++line < end && line->time_ps == USCOPE_GOES_ON);
	return n;
}

/* Of a frame, `time` after the last; the number of items comes later. */
static inline struct head
put_time(struct tail *t, uint64_t time)
{
	struct head h = { 0, 0 };
	if (likely(time >> 28 == 0)) {
		h.bytes = short_leb((uint32_t)time, &h.n);
		store32(t->p, (uint32_t)h.bytes);
		t->p += h.n;
	} else {
		t->p = store_leb(t->p, time);
	}
	return h;
}

static inline struct head
put_number(uint8_t *p, struct head h, unsigned n)
{
	store16(p, (uint16_t)n);
	return (struct head){ h.bytes | (uint64_t)n << 8 * h.n, h.n + FRAME_HEADER };
}

/* The items of a frame, of the lines up to the first that begins another, and their number.
 * Returns that line. What is packed must not change any more: the number is written before. */
static inline __attribute__((always_inline)) const uscope_line_t *
put_items(struct tail *t, struct head head, const uscope_line_t *line, const uscope_line_t *end, unsigned *nsets, bool packs)
{
	uint8_t *number = t->p;
	uint8_t *p = number + FRAME_HEADER;
	uint64_t at = t->position + (uintptr_t)p;
	const uint8_t *begin = p; /* of what is as it was `run` before */
	uint64_t run = at - line->phrase->at;
	const uscope_line_t *first = line;
	unsigned n = 0;
	for (;;) {
		uscope_phrase_t *h = line->phrase;
		memcpy(p, h->ops, sizeof(h->ops));
		set_cells(t->state, h);
		h->at = at & (UINT64_MAX >> 16);
		n += 1u + h->two;
		p += h->bytes;
		at += h->bytes;
		if (++line == end || line->time_ps != USCOPE_GOES_ON)
			break;
		uint64_t far = at - line->phrase->at;
		if (packs && unlikely(far != run)) {
			if (begin == number + FRAME_HEADER)
				store16(number, (uint16_t)count_sets(first, end));
			put_run(t->z, &t->k, begin, p, run);
			begin = p;
			run = far;
		}
	}
	head = put_number(number, head, n);
	if (packs && likely(begin == number + FRAME_HEADER))
		put_whole(t->z, &t->k, head, begin, p, run);
	else if (packs)
		put_run(t->z, &t->k, begin, p, run);
	t->p = p;
	*nsets = n;
	return line;
}

/* How many lines there is room for, of whole cycles. */
static size_t
lines_for(const struct segment *g, size_t used, const uscope_line_t *lines, size_t n)
{
	size_t room = g->raw_cap - used;
	size_t most = room > SLACK ? (room - SLACK) / LINE_MAX : 0;
	if (most > LINES_MAX)
		most = LINES_MAX;
	if (most >= n)
		return n;
	while (most > 0 && lines[most].time_ps == USCOPE_GOES_ON)
		most--;
	return most;
}

/* Appends the cycles that simply go on in their segment. Returns their lines. */
static inline __attribute__((always_inline)) size_t
append(uscope_writer_t *w, struct lz4frames *z, const uscope_line_t *lines, size_t n, bool packs)
{
	struct segment *g = w->segment;
	size_t used = (size_t)(w->p - g->raw);
	const uint8_t *full = g->raw + (w->options.max_raw < g->raw_cap ? w->options.max_raw : g->raw_cap);
	struct tail t = { .p = w->p, .state = w->state->values, .position = w->position - (uintptr_t)g->raw, .z = z };
	if (packs)
		t.k = lz4frames_block(z, g->raw, g->raw + g->raw_cap);
	uint64_t grid = w->next_grid;
	uint64_t base = w->base_time;
	uint64_t min = w->min_time;
	uint64_t operations = 0;
	uint32_t frames = 0;
	const uscope_line_t *line = lines;
	const uscope_line_t *end = lines + lines_for(g, used, lines, n);
	while (line < end) {
		uint64_t time = line->time_ps;
		if (unlikely(time < min || time >= grid || t.p >= full))
			break;
		unsigned nsets;
		struct head head = put_time(&t, time - base);
		line = put_items(&t, head, line, end, &nsets, packs);
		base = min = time;
		operations += nsets;
		frames++;
	}
	if (packs)
		lz4frames_keep(z, &t.k, (size_t)(t.p - g->raw));
	if (frames == 0)
		return 0;
	w->p = t.p;
	w->stats.operations += operations;
	w->stats.frames += frames;
	g->frames += frames;
	g->active += frames;
	w->time = w->min_time = w->base_time = w->last_frame = base;
	return (size_t)(line - lines);
}

/* Looks at what other frames came before. NULL: it is not packed so. */
static struct lz4frames *
open_block(uscope_writer_t *w)
{
	struct segment *g = w->segment;
	struct lz4frames *z = g->lz4;
	size_t used = (size_t)(w->p - g->raw);
	if (!z || !lz4frames_reserve(z, g->raw_cap))
		return NULL;
	if (z->walked != used)
		lz4frames_walk(z, g->raw, used);
	return z;
}

static size_t
append_some(uscope_writer_t *w, const uscope_line_t *lines, size_t n)
{
	if (w->mode != MODE_IDLE || w->v01 || w->segment->frames == 0 || w->p - w->segment->raw < LZ4_BEFORE)
		return 0;
	struct lz4frames *z = open_block(w);
	return z ? append(w, z, lines, n, true) : append(w, NULL, lines, n, false);
}

void
uscope_cycles(uscope_writer_t *w, const uscope_line_t *lines, size_t n)
{
	if (!w || n == 0)
		return;
	for (const uscope_line_t *end = lines + n; lines < end;) {
		size_t done = append_some(w, lines, (size_t)(end - lines));
		lines += done;
		if (done)
			continue;
		uscope_begin_cycle(w, lines->time_ps);
		do
			uscope_phrase(w, lines++->phrase);
		while (lines < end && lines->time_ps == USCOPE_GOES_ON);
		uscope_end_cycle(w);
	}
}
