/* SPDX-License-Identifier: MIT */
#include "writer.h"

#include <stdlib.h>

enum {
	WORD = 64,
	FIRST_PHRASES = 1024,
};

/* ---- Memory. ---- */

/* A bit for each byte that the segment has room for. */
static bool
reserve_ops(uscope_writer_t *w)
{
	struct latest *l = &w->latest;
	size_t need = w->segment->raw_cap / WORD + 1;
	if (need <= l->nops)
		return true;
	uint64_t *ops = realloc(l->ops, need * sizeof(*ops));
	if (!ops)
		return false;
	memset(ops + l->nops, 0, (need - l->nops) * sizeof(*ops));
	l->ops = ops;
	l->nops = need;
	return true;
}

bool
latest_reserve(uscope_writer_t *w, size_t n)
{
	struct latest *l = &w->latest;
	if (n > l->cap - l->n) {
		size_t cap = (l->n + n) * 2;
		if (cap < FIRST_PHRASES)
			cap = FIRST_PHRASES;
		uscope_phrase_t **p = realloc(l->phrases, cap * sizeof(uscope_phrase_t *));
		if (!p)
			return false;
		l->phrases = p;
		l->cap = cap;
	}
	return reserve_ops(w);
}

void
latest_finish(struct latest *l)
{
	free(l->phrases);
	free(l->ops);
	*l = (struct latest){ .n = 0 };
}

/* ---- Operations. ---- */

static inline void
note(struct latest *l, size_t at)
{
	l->ops[at / WORD] |= UINT64_C(1) << at % WORD;
}

void
latest_leave(uscope_writer_t *w, const uscope_phrase_t *p)
{
	struct latest *l = &w->latest;
	if (p->at < l->since || w->segment->frames == 0 || p->bytes > sizeof(p->ops))
		return;
	uint64_t at = p->at - w->position;
	uint64_t used = (uint64_t)(w->p - w->segment->raw);
	if (at > used || at + p->bytes > used || (at + p->bytes) / WORD >= l->nops)
		return;
	if (memcmp(w->segment->raw + at, p->ops, p->bytes) != 0) /* it is none of this writer */
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
	for (const uint8_t *p = raw + w->record + sizeof(uint16_t); p < w->p;) {
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

static void
apply(uscope_writer_t *w, const uint8_t *op)
{
	if (op[0] == TAG_WIDE)
		(void)state_op(w->state, op[1], load16(op + 2), load16(op + 4), load16(op + 6), load64(op + 8));
	else
		(void)state_op(w->state, op[1], op[2], load16(op + 3), load16(op + 5), load16(op + 7));
}

void
latest_settle(uscope_writer_t *w)
{
	struct latest *l = &w->latest;
	for (size_t i = 0; i < l->n; i++)
		latest_leave(w, l->phrases[i]);
	const uint8_t *raw = w->segment->raw;
	size_t used = (size_t)(w->p - raw);
	for (size_t i = 0; i <= used / WORD && i < l->nops; i++) {
		for (uint64_t bits = l->ops[i]; bits; bits &= bits - 1)
			apply(w, raw + i * WORD + (size_t)__builtin_ctzll(bits));
		l->ops[i] = 0;
	}
	l->n = 0;
}
