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

static const char *
take(struct import *im, const char *p, const char *end)
{
	(void)end;
	if ((uint8_t)p[BRANCH] > 1 || (uint8_t)p[TAKEN] > 1)
		return "this is no record of ChampSim: what tells of branches is neither 0 nor 1";
	struct import_stream *s = import_thread(im, 1, 1, 1);
	if (!s)
		return import_no_room;
	import_instruction(im, s, word_at(p));
	for (unsigned at = LOADS; at < RECORD; at += 8)
		if (word_at(p + at))
			import_touch(im, s, PRISM_LOAD, word_at(p + at));
	for (unsigned at = STORES; at < LOADS; at += 8)
		if (word_at(p + at))
			import_touch(im, s, PRISM_STORE, word_at(p + at));
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
