/* SPDX-License-Identifier: MIT */
/* phrases: SETs that were made ready. Where a frame of them simply goes on in its segment,
 * their bytes are copied; where such bytes are near already, the compressor is told instead
 * of having to find out; the state sees them later (latest.h). Anything else is done call by
 * call. */
#include "writer.h"

enum {
	FRAME_HEADER = 2, /* number of items */
	LINE_MAX = LEB_MAX + FRAME_HEADER + USCOPE_PHRASE_PLACES * OP_WIDE_SIZE,
	SLACK = 32, /* is written behind */
	LINES_MAX = MAX_ITEMS / USCOPE_PHRASE_PLACES,
	COMPACT_VALUE = 7, /* where it is in an operation */
	WIDE_VALUE = 8,
};

/* ---- Made ready. ---- */

static void
put_op(uint8_t *p, uscope_place_t s, uint64_t value, bool wide)
{
	uint64_t place = (uint64_t)s.slot << 16 | (uint64_t)s.field << 32;
	if (wide) {
		store64(p, TAG_WIDE | USCOPE_SLOT_SET << 8 | (uint64_t)s.storage << 16 | place << 16);
		store64(p + WIDE_VALUE, value);
	} else {
		p[0] = TAG_COMPACT;
		store64(p + 1, USCOPE_SLOT_SET | (uint64_t)s.storage << 8 | place | value << 48);
	}
}

static inline bool
is_wide(const uscope_phrase_t *p)
{
	return p->ops[0] == TAG_WIDE;
}

static uscope_place_t
place_of(const uscope_phrase_t *p, unsigned i)
{
	const uint8_t *op = p->ops + (is_wide(p) ? i * OP_WIDE_SIZE + 2 : i * ITEM_COMPACT_SIZE + 2);
	uint16_t storage = is_wide(p) ? load16(op) : *op;
	op += is_wide(p) ? 2 : 1;
	return (uscope_place_t){ storage, load16(op), load16(op + 2) };
}

/* Whether a phrase can set it: what the summary counts by itself are sparse storages. */
static inline bool
takes(const uscope_writer_t *w, uscope_place_t s, uint64_t value)
{
	if (s.storage >= w->nstorages)
		return false;
	const struct state_storage *st = &w->storages[s.storage];
	return !st->valid && s.slot < st->num_slots && s.field < st->num_fields && (value & st->fields[s.field].cut) == 0;
}

bool
uscope_phrase_init(uscope_writer_t *w, uscope_phrase_t *p, uint64_t value, const uscope_place_t *places, size_t n)
{
	if (!w || n - 1 >= USCOPE_PHRASE_PLACES)
		return false;
	bool wide = value > UINT16_MAX;
	for (size_t i = 0; i < n; i++) {
		if (!takes(w, places[i], value))
			return false;
		wide |= places[i].storage > UINT8_MAX;
	}
	latest_leave(w, p);
	size_t item = wide ? OP_WIDE_SIZE : ITEM_COMPACT_SIZE;
	*p = (uscope_phrase_t){ .bytes = (uint8_t)(n * item), .sets = (uint8_t)n };
	unsigned length = p->bytes + FRAME_HEADER - LZ4_MATCH_MIN;
	p->match[0] = (uint8_t)(length < LZ4_LENGTH_MASK ? length : LZ4_LENGTH_MASK);
	p->match[1] = (uint8_t)(length - p->match[0]);
	p->match[2] = length >= LZ4_LENGTH_MASK;
	for (size_t i = 0; i < n; i++)
		put_op(p->ops + i * item, places[i], value, wide);
	return true;
}

bool
uscope_phrase_change(uscope_writer_t *w, uscope_phrase_t *p, uint64_t value)
{
	bool wide = is_wide(p);
	if ((value > UINT16_MAX) != wide)
		return false;
	for (unsigned i = 0; i < p->sets; i++)
		if (!takes(w, place_of(p, i), value))
			return false;
	latest_leave(w, p);
	p->at = 0;
	for (unsigned i = 0; i < p->sets; i++) {
		if (wide)
			store64(p->ops + i * OP_WIDE_SIZE + WIDE_VALUE, value);
		else
			store16(p->ops + i * ITEM_COMPACT_SIZE + COMPACT_VALUE, (uint16_t)value);
	}
	return true;
}

/* ---- Written. ---- */

void
uscope_phrase(uscope_writer_t *w, uscope_phrase_t *p)
{
	for (unsigned i = 0; i < p->sets; i++) {
		uscope_place_t s = place_of(p, i);
		uscope_slot_set(w, s.storage, s.slot, s.field, is_wide(p) ? load64(p->ops + WIDE_VALUE) : load16(p->ops + COMPACT_VALUE));
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

/* The segment as cycles are appended. */
struct tail {
	uint8_t *p;
	struct lz4frames *z; /* NULL: it is not packed so */
	struct lz4block k;
	struct latest *latest;
	uint64_t position; /* of address 0 */
	uint64_t sets;
};

/* [begin, end) are phrases that were `far` before. If that is not near, others with the same
 * places may be. */
static inline void
put_run(struct tail *t, const uint8_t *begin, const uint8_t *end, uint64_t far)
{
	if (!t->z)
		return;
	if (likely(far < LZ4_FAR))
		lz4block_match(&t->k, begin, far, (size_t)(end - begin), true);
	else
		lz4frames_sets(t->z, &t->k, begin, end);
}

/* The same for all items of a frame. Its head is not loaded: the processor would wait, as
 * it was stored in parts a moment ago. */
static inline void
put_whole(struct tail *t, struct head h, const uint8_t *begin, const uint8_t *end, uint64_t far)
{
	if (likely(far < LZ4_FAR && t->k.next + h.n == begin)) {
		unsigned same = equal_head(h, begin - far);
		lz4block_match_behind(&t->k, h.bytes, h.n - same, far, (size_t)(end - begin) + same);
	} else {
		put_run(t, begin, end, far);
	}
}

/* The same for a phrase that is a frame. false, and nothing is done: it was not a frame by itself
 * there. */
static inline bool
put_again(struct tail *t, struct head time, const uint8_t *number, const uscope_phrase_t *h, uint64_t far)
{
	struct lz4block *k = &t->k;
	if (unlikely(far >= LZ4_FAR || k->next + time.n != number || load16(number - far) != h->sets))
		return false;
	uint8_t *out = k->out;
	unsigned token = time.n << 4 | h->match[0];
	unsigned more = h->match[1];
	size_t nmore = h->match[2];
	k->last = out;
	k->next = t->p;
	k->out = out + time.n + 3 + nmore;
	*out = (uint8_t)token;
	store32(out + 1, (uint32_t)time.bytes);
	out += time.n;
	store16(out + 1, (uint16_t)far);
	out[3] = (uint8_t)more;
	return true;
}

static unsigned
count_sets(const uscope_line_t *line, const uscope_line_t *end)
{
	unsigned n = 0;
	do
		n += line->phrase->sets;
	while (++line < end && line->time_ps == USCOPE_GOES_ON);
	return n;
}

/* Of a frame, `time` after the last. Returns what is behind. */
static inline uint8_t *
put_time(uint8_t *p, struct head *h, uint64_t time)
{
	*h = (struct head){ 0, 0 };
	if (unlikely(time >> 28))
		return store_leb(p, time);
	h->bytes = short_leb((uint32_t)time, &h->n);
	store32(p, (uint32_t)h->bytes);
	return p + h->n;
}

static inline struct head
put_number(uint8_t *p, struct head h, unsigned n)
{
	store16(p, (uint16_t)n);
	return (struct head){ h.bytes | (uint64_t)n << 8 * h.n, h.n + FRAME_HEADER };
}

/* A phrase at p. Returns how far before it was written last. Positions of segments are LZ4_FAR
 * apart, so that one that is near was written in this segment, and is listed. */
static inline uint64_t
put_phrase(struct tail *t, uint8_t *p, uscope_phrase_t *h)
{
	memcpy(p, h->ops, sizeof(h->ops));
	uint64_t at = t->position + (uintptr_t)p;
	uint64_t far = at - h->at;
	h->at = at;
	if (unlikely(far >= LZ4_FAR) && at - far < t->latest->since)
		latest_add(t->latest, h);
	return far;
}

/* The items of a frame, of lines up to the first that begins another. What is packed must not
 * change any more: their number is written first. Returns that line. */
static __attribute__((noinline)) const uscope_line_t *
put_items(struct tail *t, struct head head, const uscope_line_t *line, const uscope_line_t *end)
{
	uint8_t *number = t->p;
	uint8_t *p = number + FRAME_HEADER;
	const uint8_t *begin = p; /* of what is as it was `run` before */
	const uscope_line_t *first = line;
	uscope_phrase_t *h = line->phrase;
	uint64_t run = put_phrase(t, p, h);
	unsigned n = h->sets;
	p += h->bytes;
	while (++line < end && line->time_ps == USCOPE_GOES_ON) {
		h = line->phrase;
		uint64_t far = put_phrase(t, p, h);
		if (unlikely(far != run)) {
			if (begin == number + FRAME_HEADER)
				store16(number, (uint16_t)count_sets(first, end));
			put_run(t, begin, p, run);
			begin = p;
			run = far;
		}
		n += h->sets;
		p += h->bytes;
	}
	head = put_number(number, head, n);
	if (t->z && likely(begin == number + FRAME_HEADER))
		put_whole(t, head, begin, p, run);
	else
		put_run(t, begin, p, run);
	t->sets += n;
	t->p = p;
	return line;
}

/* The line that begins the cycle before `end`. */
static const uscope_line_t *
cycle_before(const uscope_line_t *lines, const uscope_line_t *end)
{
	do
		end--;
	while (end > lines && end->time_ps == USCOPE_GOES_ON);
	return end;
}

/* The end of those for which there is room, of whole cycles. */
static const uscope_line_t *
end_of_room(const uscope_writer_t *w, const uscope_line_t *lines, size_t n)
{
	const struct segment *g = w->segment;
	size_t used = (size_t)(w->p - g->raw);
	size_t cap = g->raw_cap - SLACK < w->options.max_raw ? g->raw_cap - SLACK : w->options.max_raw;
	size_t most = cap > used ? (cap - used) / LINE_MAX : 0;
	if (most > LINES_MAX)
		most = LINES_MAX;
	if (most >= n)
		return lines + n;
	while (most > 0 && lines[most].time_ps == USCOPE_GOES_ON)
		most--;
	return lines + most;
}

/* Appends the cycles that simply go on in their segment. Returns their lines. */
static size_t
append(uscope_writer_t *w, struct lz4frames *z, const uscope_line_t *lines, size_t n)
{
	struct segment *g = w->segment;
	const uscope_line_t *end = end_of_room(w, lines, n);
	if (end == lines || lines->time_ps < w->min_time)
		return 0;
	const uscope_line_t *last = cycle_before(lines, end);
	struct tail t = { .z = z, .latest = &w->latest, .position = w->position - (uintptr_t)g->raw };
	if (z)
		t.k = lz4frames_block(z, g->raw, g->raw + g->raw_cap);
	t.p = w->p;
	uint64_t left = w->next_grid - w->base_time;
	uint32_t frames = 0;
	const uscope_line_t *line = lines;
	for (uint64_t base = w->base_time; line < end; frames++) {
		uint64_t time = line->time_ps - base;
		if (unlikely(time >= left))
			break;
		left -= time;
		base += time;
		struct head head;
		uint8_t *p = put_time(t.p, &head, time);
		uscope_phrase_t *h = line->phrase;
		if (line == last || line[1].time_ps == USCOPE_GOES_ON) {
			t.p = p;
			line = put_items(&t, head, line, end);
			continue;
		}
		t.p = p + FRAME_HEADER + h->bytes;
		t.sets += h->sets;
		store16(p, h->sets);
		uint64_t far = put_phrase(&t, p + FRAME_HEADER, h);
		if (z && !put_again(&t, head, p, h, far))
			put_run(&t, p + FRAME_HEADER, t.p, far);
		line++;
	}
	if (z)
		lz4frames_keep(z, &t.k, (size_t)(t.p - g->raw));
	if (frames == 0)
		return 0;
	w->p = t.p;
	w->stats.operations += t.sets;
	w->stats.frames += frames;
	g->frames += frames;
	g->active += frames;
	w->time = w->min_time = w->base_time = w->last_frame = w->next_grid - left;
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
	return latest_reserve(w, n) ? append(w, open_block(w), lines, n) : 0;
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
