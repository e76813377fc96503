/* SPDX-License-Identifier: MIT */
/* cycles: many cycles of phrases at once. While their frames stay in one segment, the bytes of the
 * phrases are copied, and the compressor is told where the same bytes stand already instead of
 * searching for them; the state is brought up to date later (latest.h). Cycles for which that does not
 * hold are written call by call. */
#include "writer.h"

enum {
	FRAME_HEADER = 2, /* number of items */
	LINE_MAX = LEB_MAX + FRAME_HEADER + USCOPE_PHRASE_PLACES * OP_WIDE_SIZE,
	SLACK = 32,  /* is written behind */
	AHEAD = 256, /* bytes between what is written and what is loaded into the cache: a segment may be larger than that */
	LINES_MAX = MAX_ITEMS / USCOPE_PHRASE_PLACES,
	/* Items that one more phrase may follow in one short match. */
	ITEMS_MAX = LZ4_SEQUENCE_MAX - FRAME_HEADER - USCOPE_PHRASE_PLACES * OP_WIDE_SIZE,
};

int
uscope_set_tick(uscope_writer_t *w, uint64_t ps)
{
	if (!w || ps == 0)
		return USCOPE_E_ARG;
	w->tick = ps;
	uint64_t time = 0;
	for (uint32_t i = 0; i < LEBS_MAX && time < UINT64_C(1) << 21; i++, time += ps) {
		unsigned n;
		uint32_t leb = short_leb((uint32_t)time, &n);
		w->lebs[i] = leb | (uint32_t)n << LEB_BYTES_SHIFT;
		w->nlebs = i + 1;
	}
	return USCOPE_OK;
}

/* The end of the segment, while cycles are appended to it. */
struct tail {
	uint8_t *p;
	struct lz4frames *z; /* NULL: the segment is not packed by lz4frames */
	struct lz4block k;
	struct latest *latest;
	uint64_t position;    /* of a byte: this plus its address */
	const uint8_t *begin; /* of the frame with its time; NULL: that is a long one */
	uint64_t sets;
	uint32_t frames;
};

/* Bytes [begin, end) equal those `far` bytes earlier. Beyond the window of LZ4, search for other
 * operations on the same places instead. */
static inline void
put_run(struct tail *t, const uint8_t *begin, const uint8_t *end, uint64_t far)
{
	if (unlikely(far >= LZ4_FAR)) {
		lz4frames_sets(t->z, &t->k, begin, end);
		return;
	}
	/* Behind a number that differs, its highest bytes are often equal: take them too. */
	size_t before = begin > t->k.next ? lz4block_equal_before(&t->k, begin, begin - far) : 0;
	lz4block_match(&t->k, begin - before, far, (size_t)(end - begin) + before, true);
}

/* All items of a frame up to `end` equal those `far` bytes earlier: one match, which includes their
 * number if that is equal too. The block has all bytes before the time of the frame. */
static inline void
put_whole(struct tail *t, const uint8_t *number, const uint8_t *end, uint64_t far)
{
	/* No branch, as it could not be predicted. */
	size_t time = (size_t)(number - t->begin);
	unsigned n = load16(number);
	unsigned other = load16(number - far) == n ? 0 : FRAME_HEADER;
	uint64_t literals = (load32(t->begin) & ~(UINT64_MAX << 8 * time)) | (uint64_t)n << 8 * time;
	lz4block_match_behind(&t->k, literals, time + other, far, (size_t)(end - number) - other);
}

/* Whether a line is of the same frame as the one before it. open: there is a line at `end`, and it begins a frame. */
static inline bool
goes_on(const uscope_line_t *line, const uscope_line_t *end, bool open)
{
	return (open || line < end) && line->time == USCOPE_GOES_ON;
}

/* Counts the SETs from a line up to the end of its frame. */
static inline unsigned
count_sets(const uscope_line_t *line, const uscope_line_t *end, bool open)
{
	unsigned n = 0;
	do
		n += line->phrase->sets;
	while (goes_on(++line, end, open));
	return n;
}

/* Copies a phrase to p. Returns the distance from where it was written last. */
static inline uint64_t
put_phrase(uint8_t *p, uscope_phrase_t *h, uint64_t position)
{
	memcpy(p, h->ops, sizeof(h->ops));
	uint64_t at = position + (uintptr_t)p;
	uint64_t far = at - h->at;
	h->at = at;
	return far;
}

/* Lists a phrase that was written LZ4_FAR or more before, if it is new in the segment. Segments are
 * more than LZ4_FAR apart, so phrases written nearer are listed already. Returns a distance that no
 * other phrase has, which ends the run of equal bytes. */
static uint64_t
list_far(const struct tail *t, uscope_phrase_t *h, uint64_t far)
{
	if (((h->at - far) & ~LATEST_CHANGED) < t->latest->since)
		latest_add(t->latest, h);
	return UINT64_MAX;
}

/* Packs the items from `begin` to `end`, which equal those `run` bytes earlier. */
static inline void
pack_items(struct tail *t, const uint8_t *number, const uint8_t *begin, const uint8_t *end, uint64_t run)
{
	if (begin == number + FRAME_HEADER && t->begin == t->k.next && run < LZ4_FAR)
		put_whole(t, number, end, run);
	else
		put_run(t, begin, end, run);
}

/* Writes the items of a frame from `line` on, and packs them. `run`: those before, up to t->p, equal those as many bytes
 * earlier and are to be packed too; 0: there are none. Packed bytes must not change any more, so the number of items is
 * written already. Returns the first line of the next frame. */
static __attribute__((noinline)) const uscope_line_t *
put_items(struct tail *t, const uint8_t *number, uint64_t run, const uscope_line_t *line, const uscope_line_t *end)
{
	const uint64_t position = t->position;
	const uint8_t *begin = number + FRAME_HEADER; /* of the bytes that equal those `run` bytes earlier */
	uint8_t *p = t->p;
	do {
		uscope_phrase_t *h = line->phrase;
		uint64_t far = put_phrase(p, h, position);
		if (unlikely(far != run)) {
			if (far >= LZ4_FAR)
				far = list_far(t, h, far);
			if (run)
				pack_items(t, number, begin, p, run);
			begin = p;
			run = far;
		}
		p += h->bytes;
	} while (goes_on(++line, end, false));
	pack_items(t, number, begin, p, run);
	t->p = p;
	return line;
}

/* Writes the items of a frame in a segment that lz4frames does not pack. Returns as put_items(). */
static const uscope_line_t *
copy_items(struct tail *t, uint8_t *number, const uscope_line_t *line, const uscope_line_t *end)
{
	unsigned n = 0;
	t->p = number + FRAME_HEADER;
	do {
		uscope_phrase_t *h = line->phrase;
		uint64_t far = put_phrase(t->p, h, t->position);
		if (far >= LZ4_FAR)
			(void)list_far(t, h, far);
		n += h->sets;
		t->p += h->bytes;
	} while (goes_on(++line, end, false));
	store16(number, (uint16_t)n);
	t->sets += n;
	t->frames++;
	return line;
}

/* Packs the items of a frame, which are one run. Not inlined, as it takes registers that far phrases do without. */
static __attribute__((noinline)) void
pack_run(struct tail *t, const uint8_t *number, uint64_t run)
{
	pack_items(t, number, number + FRAME_HEADER, t->p, run);
}

/* Writes and packs the phrase of a frame that has no other. */
static inline void
put_one(struct tail *t, uint8_t *number, uscope_phrase_t *h)
{
	uint8_t *items = number + FRAME_HEADER;
	unsigned sets = h->sets;
	store16(number, (uint16_t)sets);
	t->sets += sets;
	t->p = items + h->bytes;
	uint64_t far = put_phrase(items, h, t->position);
	if (far < LZ4_FAR) {
		pack_run(t, number, far);
		return;
	}
	(void)list_far(t, h, far);
	lz4frames_sets(t->z, &t->k, items, t->p);
}

/* Writes and packs the items of a frame of which nothing is written but its time. Returns as put_items(). */
static __attribute__((noinline)) const uscope_line_t *
put_all(struct tail *t, uint8_t *number, const uscope_line_t *line, const uscope_line_t *end)
{
	t->p = number + FRAME_HEADER;
	t->frames++;
	if (goes_on(line + 1, end, false)) {
		unsigned n = count_sets(line, end, false);
		store16(number, (uint16_t)n);
		t->sets += n;
		return put_items(t, number, 0, line, end);
	}
	put_one(t, number, line->phrase);
	return line + 1;
}

/* Appends a frame that begins with a line, `time` after the frame before. Returns the first line of the next one. */
static const uscope_line_t *
put_frame(struct tail *t, uint64_t time, const uscope_line_t *line, const uscope_line_t *end)
{
	uint8_t *begin = t->p;
	uint8_t *number = store_leb(begin, time);
	t->begin = number - begin <= SHORT_LEB_MAX ? begin : NULL;
	return t->z ? put_all(t, number, line, end) : copy_items(t, number, line, end);
}

/* The line that begins the cycle before `end`. */
static const uscope_line_t *
cycle_before(const uscope_line_t *lines, const uscope_line_t *end)
{
	do
		end--;
	while (end > lines && end->time == USCOPE_GOES_ON);
	return end;
}

/* The end of the lines that have room in the segment, cut between cycles. */
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
	while (most > 0 && lines[most].time == USCOPE_GOES_ON)
		most--;
	return lines + most;
}

/* The next line to append, and the time it counts from. */
struct cursor {
	const uscope_line_t *line;
	uint64_t base; /* time of the cycle before it, ticks */
};

/* Packs the first items of a frame, up to `end`, as put_whole(), but a short match: the time stands at out + 1 already.
 * Writes n, the number of all items. Returns the end of the block. */
static inline __attribute__((always_inline)) uint8_t *
put_sequence(struct tail *t, uint8_t *out, uint8_t *number, size_t time, const uint8_t *end, uint64_t far, uint64_t n)
{
	store16(number, (uint16_t)n);
	store16(out + 1 + time, (uint16_t)n);
	t->sets += n;
	t->frames++;
	t->k.last = out;
	size_t other = load16(number - far) == (uint16_t)n ? 0 : FRAME_HEADER;
	return lz4block_sequence(out, time + other, far, (size_t)(end - number) - other);
}

/* Appends packed cycles, nearly all of them: up to one at the line `end` or before, whose time needs a closer look. */
static inline void
append_packed(const uscope_writer_t *w, struct tail *t, struct cursor *at, const uscope_line_t *end, uint64_t limit)
{
	/* The compiler cannot keep these in registers when they are members. */
	uint8_t *p = t->p;
	uint8_t *out = t->k.out;
	uint64_t near = t->k.next == p ? LZ4_FAR : 0; /* 0: the block lacks bytes */
	uint64_t base = at->base;
	const uscope_line_t *line = at->line;
	const uint64_t position = t->position;
	const uint64_t nlebs = w->nlebs;
	const uint64_t stop = limit < end->time ? limit : end->time;
	for (uint64_t now; (now = line->time) < stop; base = now) {
		__builtin_prefetch(p + AHEAD, 1);
		uint64_t time = now - base;
		uint32_t leb = 0;
		size_t size = 0;
		if (likely(time < nlebs)) {
			leb = w->lebs[time];
			size = leb >> LEB_BYTES_SHIFT;
		} else if (now > base && time * w->tick >> SHORT_LEB_BITS == 0) {
			unsigned bytes;
			leb = short_leb((uint32_t)(time * w->tick), &bytes);
			size = bytes;
		} else {
			break;
		}
		uint8_t *number = p + size;
		uint8_t *items = number + FRAME_HEADER;
		uscope_phrase_t *h = line->phrase;
		const uint64_t run = position + (uintptr_t)items - h->at;
		store32(p, leb);
		if (unlikely(run >= near)) {
			t->begin = p;
			t->k.next = near ? p : t->k.next;
			t->k.out = out;
			line = put_all(t, number, line, end);
			p = t->p;
			out = t->k.out;
			near = t->k.next == p ? LZ4_FAR : 0;
			continue;
		}
		store32(out + 1, leb); /* for put_sequence() */
		(void)put_phrase(items, h, position);
		uint64_t n = h->sets;
		p = items + h->bytes;
		bool whole = true;
		while ((++line)->time == USCOPE_GOES_ON) {
			h = line->phrase;
			if (unlikely(position + (uintptr_t)p - h->at != run || p - items > ITEMS_MAX)) {
				whole = false;
				break;
			}
			(void)put_phrase(p, h, position);
			n += h->sets;
			p += h->bytes;
		}
		if (likely(whole)) {
			out = put_sequence(t, out, number, size, p, run, n);
			continue;
		}
		n += count_sets(line, end, true);
		bool differs = p - items <= ITEMS_MAX;
		t->begin = t->k.next = number - size;
		if (differs) {
			out = put_sequence(t, out, number, size, p, run, n);
			t->k.next = p;
		} else {
			store16(number, (uint16_t)n);
			t->sets += n;
			t->frames++;
		}
		t->p = p;
		t->k.out = out;
		line = put_items(t, number, differs ? 0 : run, line, end);
		p = t->p;
		out = t->k.out;
		near = t->k.next == p ? LZ4_FAR : 0;
	}
	t->p = p;
	t->k.out = out;
	t->k.next = near ? p : t->k.next;
	*at = (struct cursor){ line, base };
}

/* Appends the next cycle. false: it goes back in time, or to another segment. */
static bool
append_frame(const uscope_writer_t *w, struct tail *t, struct cursor *at, const uscope_line_t *end, uint64_t limit)
{
	uint64_t now = at->line->time;
	if (now >= limit || now < at->base)
		return false;
	at->line = put_frame(t, (now - at->base) * w->tick, at->line, end);
	at->base = now;
	return true;
}

/* Appends the cycles that stay in the segment. Returns the number of their lines. */
static size_t
append(uscope_writer_t *w, struct lz4frames *z, const uscope_line_t *lines, size_t n)
{
	struct segment *g = w->segment;
	const uscope_line_t *end = end_of_room(w, lines, n);
	const uint64_t tick = w->tick;
	/* Leaves room, so that the difference of two times never wraps around. */
	const uint64_t most = UINT64_MAX - LEBS_MAX;
	const uint64_t grid = (w->next_grid - 1) / tick + 1;
	const uint64_t limit = grid < most ? grid : most;
	if (end == lines || lines->time >= limit || lines->time * tick < w->min_time)
		return 0;
	struct tail t = { .p = w->p, .z = z, .latest = &w->latest, .position = w->position - (uintptr_t)g->raw };
	if (z)
		t.k = lz4frames_block(z, g->raw, g->raw + g->raw_cap);
	/* The time before the first cycle, from which it counts, may lie between two ticks. */
	struct cursor at = { put_frame(&t, lines->time * tick - w->base_time, lines, end), lines->time };
	const uscope_line_t *last = z ? cycle_before(lines, end) : lines;
	do
		if (at.line < last)
			append_packed(w, &t, &at, last, limit);
	while (at.line < end && append_frame(w, &t, &at, end, limit));
	if (z)
		lz4frames_keep(z, &t.k, (size_t)(t.p - g->raw));
	w->p = t.p;
	w->stats.operations += t.sets;
	w->stats.frames += t.frames;
	g->frames += t.frames;
	w->time = w->min_time = w->base_time = w->last_frame = at.base * tick;
	return (size_t)(at.line - lines);
}

/* Lets the compressor look at the frames before. NULL: it is not lz4frames that packs the segment. */
static struct lz4frames *
open_block(uscope_writer_t *w)
{
	struct segment *g = w->segment;
	struct lz4frames *z = g->lz4;
	size_t used = (size_t)(w->p - g->raw);
	if (!z || !lz4frames_reserve(z, g->raw_cap))
		return NULL;
	if (z->walked != used)
		lz4frames_walk(z, g->raw, used, used);
	return z;
}

static size_t
append_some(uscope_writer_t *w, const uscope_line_t *lines, size_t n)
{
	if (w->mode != MODE_IDLE || w->v01 || w->segment->frames == 0 || w->p - w->segment->raw < LZ4_BEFORE)
		return 0;
	return latest_reserve(w, n) ? append(w, open_block(w), lines, n) : 0;
}

/* Ticks in ps; saturates, so that a time too late for a cycle is refused as one. */
static uint64_t
ps_of(const uscope_writer_t *w, uint64_t ticks)
{
	return ticks > UINT64_MAX / w->tick ? UINT64_MAX : ticks * w->tick;
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
		uscope_begin_cycle(w, ps_of(w, lines->time));
		do
			uscope_phrase(w, lines++->phrase);
		while (lines < end && lines->time == USCOPE_GOES_ON);
		uscope_end_cycle(w);
	}
}
