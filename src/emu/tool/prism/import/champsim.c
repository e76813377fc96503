/* SPDX-License-Identifier: MIT */
/* champsim: traces of ChampSim. A record is an instruction, little endian:
 *
 *   0   u64     its address
 *   8   u8      1: it is a branch
 *   9   u8      1: that is taken
 *   10  u8[2]   registers that are written
 *   12  u8[4]   registers that are read
 *   16  u64[2]  addresses that are written; 0: none
 *   32  u64[4]  addresses that are read
 *
 * Accesses have no size. A stream does not tell of the registers and of branches. */
#include "import.h"

enum {
	RECORD = 64,
	BRANCH = 8,
	TAKEN = 9,
	STORES = 16,
	LOADS = 32,
	LOOKED_AT = 2, /* records that tell the format */
};

static uint64_t
word_at(const char *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

/* An event without branches, which nobody can foresee: an address of 0 is written over by the next one. Returns the bits
 * of the address that are not in the event. */
static uint64_t
put(char *to, unsigned first, uint64_t addr)
{
	uint64_t bytes = first | addr << 8;
	memcpy(to, &bytes, sizeof(bytes));
	return addr ^ (uint64_t)((int64_t)bytes >> 8);
}

static void
count_wide(struct import *im, const char *p)
{
	for (unsigned at = 0; at < RECORD; at += at ? 8 : STORES)
		import_check(im, word_at(p + at));
}

static const char *
take(struct import *im, const char *p, const char *end)
{
	(void)end;
	if ((uint8_t)p[BRANCH] > 1 || (uint8_t)p[TAKEN] > 1)
		return "this is no record of ChampSim: what tells of branches is neither 0 nor 1";
	struct import_stream *s = import_thread(im, 1, 1, 1);
	if (!s)
		return import_no_room;
	char *begin = wbuf_reserve(s->bytes, RECORD);
	char *to = begin;
	uint64_t cut = put(to, PRISM_CXT << 5 | PRISM_INSN, word_at(p));
	to += 8;
	for (unsigned at = LOADS; at < RECORD; at += 8) {
		cut |= put(to, PRISM_MEM << 5 | PRISM_LOAD << 3, word_at(p + at));
		to += word_at(p + at) ? 8 : 0;
	}
	for (unsigned at = STORES; at < LOADS; at += 8) {
		cut |= put(to, PRISM_MEM << 5 | PRISM_STORE << 3, word_at(p + at));
		to += word_at(p + at) ? 8 : 0;
	}
	wbuf_commit(s->bytes, to);
	im->events += (uint64_t)(to - begin) / 8;
	if (__builtin_expect(cut != 0, 0))
		count_wide(im, p);
	return NULL;
}

/* Addresses of instructions have at least two bytes that are all their sign: no text has those. */
static bool
is(const char *p, const char *end)
{
	size_t n = (size_t)(end - p) / RECORD;
	n = n < LOOKED_AT ? n : LOOKED_AT;
	for (size_t i = 0; i < n; i++, p += RECORD) {
		uint64_t sign = word_at(p) >> 48;
		if (word_at(p) == 0 || (sign != 0 && sign != 0xffff) || (uint8_t)p[BRANCH] > 1 || (uint8_t)p[TAKEN] > 1)
			return false;
	}
	return n > 0;
}

const struct import_format import_champsim = {
	.name = "champsim",
	.record = RECORD,
	.mem = 0xa0,
	.take = take,
	.is = is,
};
