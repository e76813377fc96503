/* SPDX-License-Identifier: MIT */
#include "room.h"
#include "writer.h"

enum {
	WORD = 64,
};

/* A bit for each byte that the segment has room for. */
static bool
reserve_ops(uscope_writer_t *w)
{
	struct latest *l = &w->latest;
	size_t need = w->segment->raw_cap / WORD + 1;
	if (need <= l->nops)
		return true;
	need = (need + WORD - 1) / WORD * WORD;
	uint64_t *ops = calloc(need + need / WORD, sizeof(*ops));
	if (!ops)
		return false;
	uint64_t *busy = ops + need;
	if (l->nops) {
		memcpy(ops, l->ops, l->nops * sizeof(*ops));
		memcpy(busy, l->busy, l->nops / WORD * sizeof(*busy));
	}
	free(l->ops);
	l->ops = ops;
	l->busy = busy;
	l->nops = need;
	return true;
}

bool
latest_reserve(uscope_writer_t *w, size_t n)
{
	struct latest *l = &w->latest;
	return room_for(&l->phrases, &l->cap, l->n + n, sizeof(uscope_phrase_t *)) && reserve_ops(w);
}

void
latest_finish(struct latest *l)
{
	free(l->phrases);
	free(l->ops);
	*l = (struct latest){ .n = 0 };
}

static inline void
note(struct latest *l, size_t at)
{
	l->ops[at / WORD] |= UINT64_C(1) << at % WORD;
	l->busy[at / WORD / WORD] |= UINT64_C(1) << at / WORD % WORD;
}

/* Whether they set the same places. */
static bool
same_places(const uscope_phrase_t *p, const uint8_t *ops)
{
	size_t item = p->bytes / (p->sets ? p->sets : 1u);
	size_t value = item == OP_WIDE_SIZE ? sizeof(uint64_t) : sizeof(uint16_t);
	for (size_t i = 0; i < p->sets; i++)
		if (memcmp(p->ops + i * item, ops + i * item, item - value) != 0)
			return false;
	return true;
}

void
latest_leave(uscope_writer_t *w, const uscope_phrase_t *p)
{
	struct latest *l = &w->latest;
	bool changed = p->at & LATEST_CHANGED;
	if ((p->at & ~LATEST_CHANGED) < l->since || w->segment->frames == 0 || p->bytes > sizeof(p->ops) || p->sets > USCOPE_PHRASE_PLACES)
		return;
	uint64_t at = (p->at & ~LATEST_CHANGED) - w->position;
	uint64_t used = (uint64_t)(w->p - w->segment->raw);
	if (at > used || at + p->bytes > used || (at + p->bytes) / WORD >= l->nops)
		return;
	const uint8_t *ops = w->segment->raw + at;
	if (changed ? !same_places(p, ops) : memcmp(ops, p->ops, p->bytes) != 0) /* it is none of this writer */
		return;
	note(l, at);
	if (p->sets > 1)
		note(l, at + p->bytes / 2);
}

bool
latest_record(uscope_writer_t *w)
{
	if (!reserve_ops(w)) {
		(void)writer_fail(w, USCOPE_E_NOMEM, "out of memory for the state");
		return false;
	}
	const uint8_t *raw = w->segment->raw;
	for (const uint8_t *p = w->record + sizeof(uint16_t); p < w->p;) {
		if (p[0] == TAG_EVENT) {
			p += EVENT_HEADER_SIZE + (size_t)load32(p + 4);
			continue;
		}
		if (p[1] != USCOPE_PROP_SET)
			note(&w->latest, (size_t)(p - raw));
		p += p[0] == TAG_WIDE ? OP_WIDE_SIZE : ITEM_COMPACT_SIZE;
	}
	return true;
}

static inline void
apply(uscope_writer_t *w, struct op op)
{
	(void)state_op(w->state, op.action, op.storage, op.slot, op.field, op.value);
}

static void
settle_word(uscope_writer_t *w, size_t i)
{
	uint64_t *word = &w->latest.ops[i];
	for (; *word; *word &= *word - 1) {
		const uint8_t *p = w->segment->raw + i * WORD + (size_t)__builtin_ctzll(*word);
		if (p[0] == TAG_WIDE)
			apply(w, op_load(p, true, true));
		else
			apply(w, op_load(p, false, true));
	}
}

void
latest_settle(uscope_writer_t *w)
{
	struct latest *l = &w->latest;
	for (size_t i = 0; i < l->n; i++)
		latest_leave(w, l->phrases[i]);
	for (size_t i = 0; i < l->nops / WORD; i++) {
		for (uint64_t words = l->busy[i]; words; words &= words - 1)
			settle_word(w, i * WORD + (size_t)__builtin_ctzll(words));
		l->busy[i] = 0;
	}
	l->n = 0;
}
