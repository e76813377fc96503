/* SPDX-License-Identifier: MIT */
/* times: the section in which ovniemu has counted how long each row was in each state. */
#include "timeline.h"

#include "uscope/extra.h"

struct bytes {
	const uint8_t *p;
	const uint8_t *end;
	bool bad;
};

/* A LEB128 number. */
static uint64_t
get(struct bytes *b)
{
	uint64_t v = 0;
	for (unsigned shift = 0; b->p < b->end && shift < 64; shift += 7) {
		uint8_t byte = *b->p++;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	b->bad = true;
	return 0;
}

/* One row of a channel; ch NULL: one that the file does not have. `counted` gets the sum. */
static void
read_row(struct bytes *b, struct timeline *t, const struct tlchannel *ch, uint64_t tick, uint64_t *counted, tltimes_fn fn, void *user)
{
	uint64_t row = get(b);
	uint64_t n = get(b);
	uint64_t sum = 0;
	for (; n && !b->bad; n--) {
		uint64_t raw = get(b);
		uint64_t ps;
		b->bad |= __builtin_mul_overflow(get(b), tick, &ps) || __builtin_add_overflow(sum, ps, &sum);
		bool known = ch && row < t->file.classes[ch->class].nrows;
		if (fn && !b->bad && known && tlpick_has(&t->pick, &t->file, ch, (uint32_t)row))
			fn(user, ch, (uint32_t)row, raw, ps);
	}
	b->bad |= sum > t->file.end_ps;
	if (fn && ch && ch->class == TL_PROC && row < t->file.classes[TL_PROC].nrows)
		counted[tlfile_cell(&t->file, ch, (uint32_t)row) - t->file.classes[TL_PROC].first_cell] = sum;
}

enum {
	NOT_THERE,
	COUNTED,
	TOO_MANY, /* states */
};

/* Reads all channels. fn NULL: only checks them, and fills `there` by channel. `counted`: by cell of processes. false:
 * damaged. */
static bool
read_channels(struct bytes b, struct timeline *t, uint64_t tick, uint8_t *there, uint64_t *counted, tltimes_fn fn, void *user)
{
	while (b.p < b.end && !b.bad) {
		uint64_t storage = get(&b);
		uint64_t field = get(&b);
		uint64_t rows = get(&b);
		const struct tlchannel *ch = storage > UINT16_MAX || field > UINT16_MAX ? NULL : tlfile_channel(&t->file, (uint16_t)storage, (uint16_t)field);
		if (ch && !fn) {
			b.bad |= there[ch - t->file.channels] != NOT_THERE;
			there[ch - t->file.channels] = rows ? COUNTED : TOO_MANY;
		}
		for (; rows > 1 && !b.bad; rows--)
			read_row(&b, t, ch, tick, counted, fn, user);
	}
	return !b.bad;
}

/* The time of 0, where it is a value: what is left of the trace, as the section does not have it. */
static void
add_zeros(struct timeline *t, const uint8_t *there, const uint64_t *counted, tltimes_fn fn, void *user)
{
	const struct tlfile *f = &t->file;
	const struct tlclass *c = &f->classes[TL_PROC];
	for (uint32_t i = 0; i < c->nchannels; i++) {
		const struct tlchannel *ch = c->channels[i];
		for (uint32_t row = 0; row < c->nrows && there[ch - f->channels] == COUNTED; row++) {
			uint64_t sum = counted[tlfile_cell(f, ch, row) - c->first_cell];
			if (sum < f->end_ps && tlfile_has_zero(f, ch, row) && tlpick_has(&t->pick, f, ch, row))
				fn(user, ch, row, 0, f->end_ps - sum);
		}
	}
}

bool
tltimes_read(struct timeline *t, tltimes_fn fn, void *user)
{
	struct tlfile *f = &t->file;
	uscope_reader_t *r = f->src->reader;
	if (t->all || t->tool->from > 0 || t->tool->to < f->end_ps || !uscope_is_complete(r))
		return false;
	size_t n;
	const uint8_t *p = uscope_section_bytes(r, USCOPE_SECTION_STATE_TIMES, &n);
	uint8_t *there = p ? arena_new(&f->arena, uint8_t, f->nchannels) : NULL;
	uint64_t *counted = there ? arena_new(&f->arena, uint64_t, (size_t)f->classes[TL_PROC].nrows * f->classes[TL_PROC].nchannels) : NULL;
	if (!counted)
		return false;
	struct bytes b = { p, p + n, false };
	uint64_t end = get(&b);
	uint64_t tick = get(&b);
	if (b.bad || end != f->end_ps || !read_channels(b, t, tick, there, NULL, NULL, NULL))
		return false;
	bool some = t->pick.by_channel || t->pick.patterns->nrows > 0;
	for (uint32_t i = 0; i < f->nchannels; i++)
		if (t->pick.channels[i] && (there[i] == NOT_THERE || (there[i] == TOO_MANY && some)))
			return false;
	for (uint32_t i = 0; i < f->nchannels; i++)
		if (t->pick.channels[i] && there[i] == TOO_MANY)
			fn(user, &f->channels[i], 0, 0, 0);
	if (!read_channels(b, t, tick, there, counted, fn, user))
		return false;
	add_zeros(t, there, counted, fn, user);
	return true;
}
