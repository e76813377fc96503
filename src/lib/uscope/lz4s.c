/* SPDX-License-Identifier: MIT */
#include "lz4s.h"

#include <string.h>

/* A sequence: token, literals, offset, match. The last one ends after its literals. */
enum {
	TOKEN,
	MORE_LITERALS, /* bytes of the length */
	LITERALS,
	OFFSET_LOW,
	OFFSET_HIGH,
	MORE_MATCH,
	MATCH,
};

enum {
	LENGTH_MASK = 15, /* that many or more */
	MATCH_MIN = 4,
	FAST_IN = 32,  /* a short sequence reads and writes less than these, with what it */
	FAST_OUT = 64, /* copies too much */
};

void
lz4s_init(struct lz4s *s, uint64_t size)
{
	*s = (struct lz4s){ .size = size };
}

bool
lz4s_complete(const struct lz4s *s)
{
	return s->stage == OFFSET_LOW && s->done == s->size;
}

/* n bytes of a match. It may repeat bytes that it has just written: then what can be
 * copied at once doubles with each turn. */
static void
copy_match(uint8_t *to, size_t offset, size_t n)
{
	const uint8_t *from = to - offset;
	for (; n > offset; offset *= 2) {
		memcpy(to, from, offset);
		to += offset;
		n -= offset;
	}
	memcpy(to, from, n);
}

/* The stage that follows when bytes of a length end. false: it passes the end. */
static bool
length_known(struct lz4s *s, uint8_t stage)
{
	if (s->left > s->size - s->done)
		return false;
	s->stage = stage;
	if (stage == LITERALS && s->left == 0)
		s->stage = OFFSET_LOW;
	return true;
}

/* Decodes whole sequences of short lengths, as most are, while there is plenty of input and room. Leaves
 * all others, and errors, to the steps. */
static void
run_fast(struct lz4s *s, const uint8_t **in, const uint8_t *in_end, uint8_t **out, const uint8_t *out_end)
{
	const uint8_t *p = *in;
	uint8_t *q = *out;
	uint64_t done = s->done;
	while (in_end - p >= FAST_IN && out_end - q >= FAST_OUT) {
		size_t literals = *p >> 4, match = *p & LENGTH_MASK;
		if (literals == LENGTH_MASK || match == LENGTH_MASK)
			break;
		match += MATCH_MIN;
		size_t offset = p[1 + literals] | (size_t)p[2 + literals] << 8;
		if (offset == 0 || offset > done + literals || literals + match > s->size - done)
			break;
		memcpy(q, p + 1, 16);
		p += 3 + literals;
		q += literals;
		if (offset >= 8) {
			memcpy(q, q - offset, 8);
			memcpy(q + 8, q + 8 - offset, 8);
			memcpy(q + 16, q + 16 - offset, 8);
		} else {
			copy_match(q, offset, match);
		}
		q += match;
		done += literals + match;
	}
	s->done = done;
	*in = p;
	*out = q;
}

bool
lz4s_run(struct lz4s *s, const uint8_t **in, const uint8_t *in_end, uint8_t **out, const uint8_t *out_end)
{
	const uint8_t *p = *in;
	uint8_t *q = out ? *out : NULL;
	bool good = true;
	while (good) {
		if (s->stage == LITERALS || s->stage == MATCH) {
			bool literals = s->stage == LITERALS;
			uint64_t n = s->left;
			if (literals && n > (uint64_t)(in_end - p))
				n = (uint64_t)(in_end - p);
			if (q && n > (uint64_t)(out_end - q))
				n = (uint64_t)(out_end - q);
			if (n == 0)
				break;
			if (q && literals)
				memcpy(q, p, (size_t)n);
			else if (q)
				copy_match(q, s->offset, (size_t)n);
			q += q ? n : 0;
			p += literals ? n : 0;
			s->left -= n;
			s->done += n;
			if (s->left == 0)
				s->stage = literals ? OFFSET_LOW : TOKEN;
			continue;
		}
		if (s->stage == TOKEN && q)
			run_fast(s, &p, in_end, &q, out_end);
		if (p == in_end)
			break;
		uint8_t byte = *p++;
		switch (s->stage) {
		case TOKEN:
			s->token = byte;
			s->left = byte >> 4;
			if (s->left == LENGTH_MASK)
				s->stage = MORE_LITERALS;
			else
				good = length_known(s, LITERALS);
			break;
		case OFFSET_LOW:
			s->offset = byte;
			s->stage = OFFSET_HIGH;
			break;
		case OFFSET_HIGH:
			s->offset |= (uint32_t)byte << 8;
			s->left = (s->token & LENGTH_MASK) + MATCH_MIN;
			if (s->offset == 0 || s->offset > s->done)
				good = false;
			else if ((s->token & LENGTH_MASK) == LENGTH_MASK)
				s->stage = MORE_MATCH;
			else
				good = length_known(s, MATCH);
			break;
		default: /* MORE_LITERALS, MORE_MATCH */
			s->left += byte;
			if (byte != 255)
				good = length_known(s, s->stage == MORE_LITERALS ? LITERALS : MATCH);
			else
				good = s->left <= s->size - s->done;
		}
	}
	*in = p;
	if (out)
		*out = q;
	return good;
}
