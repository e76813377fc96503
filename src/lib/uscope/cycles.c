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

/* The time of a frame as LEB128: n bytes, up to 4; bytes above them are arbitrary. n is 0 for a
 * longer one. */
struct head {
	uint32_t bytes;
	unsigned n;
};

/* The end of the segment, while cycles are appended to it. */
struct tail {
	uint8_t *p;
	struct lz4frames *z; /* NULL: the segment is not packed by lz4frames */
	struct lz4block k;
	struct latest *latest;
	uint64_t position; /* of a byte: this plus its address */
	uint64_t sets;
	size_t goes_on; /* lines that began no frame */
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
put_whole(struct tail *t, struct head time, const uint8_t *number, const uint8_t *end, uint64_t far)
{
	/* No branch, as it could not be predicted. */
	unsigned n = load16(number);
	unsigned other = load16(number - far) == n ? 0 : FRAME_HEADER;
	uint64_t literals = (time.bytes & ~(UINT64_MAX << 8 * time.n)) | (uint64_t)n << 8 * time.n;
	lz4block_match_behind(&t->k, literals, time.n + other, far, (size_t)(end - number) - other);
}

static unsigned
count_sets(const uscope_line_t *line, const uscope_line_t *end)
{
	unsigned n = 0;
	do
		n += line->phrase->sets;
	while (++line < end && line->time == USCOPE_GOES_ON);
	return n;
}

/* Writes the time of a frame, as the distance from the last one. Returns the place behind it. */
static inline uint8_t *
put_time(uint8_t *p, struct head *h, uint64_t time)
{
	*h = (struct head){ 0, 0 };
	if (time >> 28)
		return store_leb(p, time);
	h->bytes = short_leb((uint32_t)time, &h->n);
	store32(p, h->bytes);
	return p + h->n;
}

/* Copies a phrase to p. Returns the distance from where it was written last. */
static inline uint64_t
put_phrase(const struct tail *t, uint8_t *p, uscope_phrase_t *h)
{
	memcpy(p, h->ops, sizeof(h->ops));
	uint64_t at = t->position + (uintptr_t)p;
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

/* Writes and packs the items of a frame. Packed bytes must not change any more, so the number of items
 * is written before the first match. Returns the first line of the next frame. */
static __attribute__((noinline)) const uscope_line_t *
put_items(struct tail *t, struct head time, const uscope_line_t *line, const uscope_line_t *end)
{
	const uscope_line_t *first = line;
	uint8_t *number = t->p;
	const uint8_t *items = number + FRAME_HEADER;
	bool clean = t->k.next + time.n == number; /* the block has everything before the frame */
	uint8_t *p = number + FRAME_HEADER;
	const uint8_t *begin = p; /* of the bytes that equal those `run` bytes earlier */
	uscope_phrase_t *h = line->phrase;
	uint64_t run = put_phrase(t, p, h);
	if (unlikely(run >= LZ4_FAR))
		run = list_far(t, h, run);
	unsigned n = h->sets;
	p += h->bytes;
	while (++line < end && line->time == USCOPE_GOES_ON) {
		h = line->phrase;
		uint64_t far = put_phrase(t, p, h);
		if (unlikely(far != run)) {
			if (far >= LZ4_FAR)
				far = list_far(t, h, far);
			if (begin == items)
				store16(number, (uint16_t)count_sets(first, end));
			if (begin == items && clean && run < LZ4_FAR)
				put_whole(t, time, number, p, run);
			else
				put_run(t, begin, p, run);
			begin = p;
			run = far;
		}
		n += h->sets;
		p += h->bytes;
	}
	store16(number, (uint16_t)n);
	if (begin == items && clean && run < LZ4_FAR)
		put_whole(t, time, number, p, run);
	else
		put_run(t, begin, p, run);
	t->sets += n;
	t->goes_on += (size_t)(line - first) - 1;
	t->p = p;
	return line;
}

/* Writes the items of a frame in a segment that lz4frames does not pack. Returns as put_items(). */
static const uscope_line_t *
copy_items(struct tail *t, const uscope_line_t *line, const uscope_line_t *end)
{
	const uscope_line_t *first = line;
	uint8_t *number = t->p;
	uint8_t *p = number + FRAME_HEADER;
	unsigned n = 0;
	do {
		uscope_phrase_t *h = line->phrase;
		uint64_t far = put_phrase(t, p, h);
		if (far >= LZ4_FAR)
			(void)list_far(t, h, far);
		n += h->sets;
		p += h->bytes;
	} while (++line < end && line->time == USCOPE_GOES_ON);
	store16(number, (uint16_t)n);
	t->sets += n;
	t->goes_on += (size_t)(line - first) - 1;
	t->p = p;
	return line;
}

static const uscope_line_t *
put_frame(struct tail *t, struct head time, const uscope_line_t *line, const uscope_line_t *end)
{
	return t->z ? put_items(t, time, line, end) : copy_items(t, line, end);
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

/* A frame of one phrase that cannot be one match: the phrase was last written far away, or the block
 * lacks bytes before the frame. */
static __attribute__((noinline)) void
put_other(struct tail *t, uscope_phrase_t *h, uint64_t far)
{
	if (far >= LZ4_FAR)
		far = list_far(t, h, far);
	put_run(t, t->p, t->p + h->bytes, far);
}

/* The next line to append, and the time it counts from. */
struct cursor {
	const uscope_line_t *line;
	uint64_t base; /* time of the cycle before it, ticks */
};

/* Appends cycles up to the line `end`, or to one that goes back in time or to another segment.
 * alone: it is packed, and there is a line at `end`. */
static inline void
append_frames(const uscope_writer_t *w, struct tail *t, struct cursor *at, const uscope_line_t *end, uint64_t limit, bool alone)
{
	/* The compiler cannot keep these in registers when they are members. */
	uint8_t *p = t->p;
	uint8_t *out = t->k.out;
	uint64_t base = at->base;
	const uscope_line_t *line = at->line;
	while (line < end && line->time < limit) {
		__builtin_prefetch(p + AHEAD, 1);
		uint64_t time = line->time - base;
		struct head head;
		const uint8_t *begin = p;
		if (likely(time < w->nlebs)) {
			head.bytes = w->lebs[time];
			head.n = head.bytes >> LEB_BYTES_SHIFT;
			store32(p, head.bytes);
			p += head.n;
		} else if (line->time > base) {
			p = put_time(p, &head, time * w->tick);
			begin = head.n ? begin : NULL;
		} else {
			break;
		}
		base = line->time;
		uscope_phrase_t *h = line->phrase;
		if (!alone || line[1].time == USCOPE_GOES_ON) {
			t->p = p;
			t->k.out = out;
			line = put_frame(t, head, line, end);
			p = t->p;
			out = t->k.out;
			continue;
		}
		/* A frame of one phrase. */
		line++;
		unsigned sets = h->sets;
		unsigned bytes = h->bytes;
		store16(p, (uint16_t)sets);
		uint64_t far = put_phrase(t, p + FRAME_HEADER, h);
		t->sets += sets;
		if (likely(far < LZ4_FAR && t->k.next == begin)) {
			/* One sequence, as put_whole(). */
			unsigned other = load16(p - far) == sets ? 0 : FRAME_HEADER;
			t->k.last = out;
			store32(out + 1, head.bytes);
			store16(out + 1 + head.n, (uint16_t)sets);
			out = lz4block_sequence(out, head.n + other, far, FRAME_HEADER - other + bytes);
			p += FRAME_HEADER + bytes;
			t->k.next = p;
		} else {
			t->p = p + FRAME_HEADER;
			t->k.out = out;
			put_other(t, h, far);
			out = t->k.out;
			p += FRAME_HEADER + bytes;
		}
	}
	t->p = p;
	t->k.out = out;
	*at = (struct cursor){ line, base };
}

/* Appends the first cycle: the time before it, from which it counts, may lie between two ticks. */
static void
append_first(const uscope_writer_t *w, struct tail *t, struct cursor *at, const uscope_line_t *end)
{
	struct head head;
	t->p = put_time(t->p, &head, at->line->time * w->tick - w->base_time);
	at->base = at->line->time;
	at->line = put_frame(t, head, at->line, end);
}

/* Appends the cycles that stay in the segment. Returns the number of their lines. */
static size_t
append(uscope_writer_t *w, struct lz4frames *z, const uscope_line_t *lines, size_t n)
{
	struct segment *g = w->segment;
	const uscope_line_t *end = end_of_room(w, lines, n);
	const uint64_t tick = w->tick;
	/* Leaves room, so that the difference of two times never wraps around. */
	const uint64_t last = UINT64_MAX - LEBS_MAX;
	const uint64_t grid = (w->next_grid - 1) / tick + 1;
	const uint64_t limit = grid < last ? grid : last;
	if (end == lines || lines->time >= limit || lines->time * tick < w->min_time)
		return 0;
	struct tail t = { .p = w->p, .z = z, .latest = &w->latest, .position = w->position - (uintptr_t)g->raw };
	struct cursor at = { .line = lines };
	if (z)
		t.k = lz4frames_block(z, g->raw, g->raw + g->raw_cap);
	append_first(w, &t, &at, end);
	if (z)
		append_frames(w, &t, &at, cycle_before(lines, end), limit, true);
	append_frames(w, &t, &at, end, limit, false);
	if (z)
		lz4frames_keep(z, &t.k, (size_t)(t.p - g->raw));
	w->p = t.p;
	size_t done = (size_t)(at.line - lines);
	uint32_t frames = (uint32_t)(done - t.goes_on);
	w->stats.operations += t.sets;
	w->stats.frames += frames;
	g->frames += frames;
	w->time = w->min_time = w->base_time = w->last_frame = at.base * tick;
	return done;
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
