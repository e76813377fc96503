/* SPDX-License-Identifier: MIT */
/* slices: the fast path of perfetto: a state that begins a slice, ends one, or both. Most have names of small values, or digits. */
#include "perfetto.h"

enum {
	BEGINS = 1,
	ENDS = 2,
	END_EVENT = 4,   /* bytes of the event of an end, */
	BEGIN_EVENT = 6, /* and of a begin whose name has a small number */
	SIZE_SHIFT = 8,  /* of the size of a packet in its head, */
	TIME_SHIFT = 24, /* and of its time */
	TIME_BITS = 35,  /* of times that fit in a head */
};

/* The head of a packet is its size and its time, as bytes. It counts itself in its size; what is behind is to be added. */
#define HEAD ((TRACE_PACKET << 3 | WIRE_BYTES) | 1 << SIZE_SHIFT | (PACKET_TIMESTAMP << 3 | WIRE_VARINT) << 16)
#define HEAD_AT_ONCE (HEAD + (1 << SIZE_SHIFT)) /* at the time of the packet before */

/* Puts together a head with a time of n bytes. */
static inline uint64_t
join_head(uint64_t time, size_t n)
{
	return HEAD + (n << SIZE_SHIFT) + (time << TIME_SHIFT);
}

static __attribute__((noinline)) uint64_t
make_rare_head(uint64_t time)
{
	if (time >> TIME_BITS)
		return 0;
	char bytes[sizeof(uint64_t) + PACK_VARINT] = { 0 };
	size_t n = (size_t)(put_varint(bytes, time) - bytes);
	uint64_t word;
	memcpy(&word, bytes, sizeof(word));
	return join_head(word, n);
}

/* Makes a head; 0: the time is too long. Most have two bytes. */
static inline uint64_t
make_head(uint64_t time)
{
	if (__builtin_expect(time - (1 << 7) >= (1 << 14) - (1 << 7), 0))
		return make_rare_head(time);
	return join_head((time & 0x7f) + (time & 0x3f80) * 2 + 0x80, 2);
}

static inline char *
put_word(char *to, uint64_t bytes, size_t n)
{
	memcpy(to, &bytes, sizeof(bytes));
	return to + n;
}

/* The field that ends all packets of a track: a copy, as for the compiler bytes that are written may be those of a track. */
struct tail {
	uint64_t bytes;
	size_t n;
};

static inline struct tail
tail_of(const struct pf_track *t)
{
	return (struct tail){ t->sequence, t->nsequence };
}

/* Puts a head in front of an event of so many bytes. */
static inline char *
put_head(char *to, struct tail tail, uint64_t head, size_t event)
{
	return put_word(to, head + ((event + tail.n) << SIZE_SHIFT), 2 + (uint8_t)(head >> SIZE_SHIFT));
}

/* Puts the packet of an end. */
static inline char *
put_end(char *to, struct tail tail, uint64_t head)
{
	const uint32_t event = (PACKET_TRACK_EVENT << 3 | WIRE_BYTES) | (END_EVENT - 2) << 8 | (EVENT_TYPE << 3 | WIRE_VARINT) << 16 | TYPE_END << 24;
	to = put_head(to, tail, head, END_EVENT);
	memcpy(to, &event, sizeof(event));
	return put_word(to + END_EVENT, tail.bytes, tail.n);
}

/* Puts the packet of a begin. */
static inline char *
put_begin(char *to, struct tail tail, uint64_t head, const struct pf_event *e)
{
	to = put_head(to, tail, head, e->n);
	memcpy(to, e, sizeof(*e));
	return put_word(to + e->n, tail.bytes, tail.n);
}

/* Puts the packets of a state: what it does is one of both bits, or both. */
static inline char *
put_state(char *to, struct tail tail, unsigned does, uint64_t head, const struct pf_event *e)
{
	if (does == ENDS)
		return put_end(to, tail, head);
	if (does == BEGINS)
		return put_begin(to, tail, head, e);
	return put_begin(put_end(to, tail, head), tail, HEAD_AT_ONCE, e);
}

/* Finds the event of a begin with a value that is not small; NULL: it is to be named first. */
static __attribute__((noinline)) const struct pf_event *
find_large(struct perfetto *p, uint32_t track, int64_t value)
{
	if (!pf_is_number(&p->tracks[track], value)) {
		const struct pf_named *n = pf_named_at(p, track, value);
		return n->value == value && n->track == track ? &n->event : NULL;
	}
	/* Numbers of tasks differ in the lowest bits, or in those above the number of the thread. */
	struct pf_named *d = &p->digits[(uint64_t)(value ^ value >> 8) % PF_DIGITS];
	if (d->value != value) {
		d->value = value;
		pf_make_event(&d->event, 0, value);
	}
	return &d->event;
}

/* What a state does: bits, or more than both in a case that is rare. Sets how many slices are then open. */
static inline unsigned
find_effect(const struct pf_track *t, const struct record *r, uint32_t *open)
{
	unsigned begins = r->value != 0;
	unsigned does = t->open * ENDS + begins;
	*open = begins;
	if (__builtin_expect(does > (BEGINS | ENDS), 0) && t->type == PF_NESTED) {
		bool alone = r->kind == RECORD_STATE && pf_depth(t) <= 1;
		if (alone)
			does = pf_depth(t) * ENDS + begins;
		else if (r->kind == RECORD_ENTER || (r->kind == RECORD_LEAVE && pf_depth(t)))
			does = r->kind == RECORD_ENTER ? BEGINS : ENDS;
		*open = t->open + (does & BEGINS) - does / ENDS;
	}
	return does;
}

/* Does what pf_show() does for a name that is new, and other cases that are rare. Returns the end of the packets. */
static __attribute__((noinline)) char *
show_rare(struct perfetto *p, char *to, const struct record *r, uint32_t row, uint32_t track, unsigned does)
{
	pack_commit(&p->pack, to);
	if (does == BEGINS || does == (BEGINS | ENDS)) /* a name comes before the end of the last slice */
		(void)pf_find_name(p, track, row, r->col, r->value);
	pf_show(p, row * (uint32_t)p->emu->plan->ncols + r->col, row, r);
	return pack_reserve(&p->pack, PF_RECORD_ROOM);
}

/* Does what pf_show() does. A head was made for a packet at time `since`, and is taken if it fits. Returns the end of the packets; there
 * is PF_RECORD_ROOM. */
static inline __attribute__((always_inline)) char *
show_quickly(struct perfetto *p, char *to, const struct record *r, uint32_t row, uint32_t track, int64_t *since, uint64_t *head)
{
	struct pf_track *t = &p->tracks[track];
	const uint64_t value = (uint64_t)r->value;
	uint32_t open;
	unsigned does = find_effect(t, r, &open);
	const struct pf_event *e = NULL;
	if (does != ENDS) {
		if (__builtin_expect(does > (BEGINS | ENDS), 0))
			return show_rare(p, to, r, row, track, does);
		if (value >= PF_SMALL)
			e = find_large(p, track, r->value);
		else if (t->known[value / 64] >> value % 64 & 1)
			e = &p->small[value];
		if (__builtin_expect(!e, 0))
			return show_rare(p, to, r, row, track, does);
	}
	if (t->last != *since) {
		*head = make_head((uint64_t)(r->time - t->last));
		if (__builtin_expect(*head == 0, 0))
			return show_rare(p, to, r, row, track, 0);
		*since = t->last;
	}
	t->last = r->time;
	t->open = open;
	return put_state(to, tail_of(t), does, *head, e);
}

const struct record *
pf_write_states(struct perfetto *p, const struct record *r, const struct record *end)
{
	uint32_t ncols = (uint32_t)p->emu->plan->ncols;
	const uint32_t *track_of = p->track_of;
	char *to = p->pack.next;
	const char *last = p->pack.end - PF_RECORD_ROOM;
	for (; r < end && record_is_state(r->kind); r++) {
		if (__builtin_expect(to > last, 0)) {
			pack_commit(&p->pack, to);
			to = pack_reserve(&p->pack, PF_RECORD_ROOM);
		}
		int64_t since = -1;
		uint64_t head = 0;
		to = show_quickly(p, to, r, r->row, track_of[r->chan], &since, &head);
		if (r->cpu)
			to = show_quickly(p, to, r, r->cpu, track_of[r->cpu * ncols + r->col], &since, &head);
	}
	pack_commit(&p->pack, to);
	return r;
}
