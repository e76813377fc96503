/* SPDX-License-Identifier: MIT */
/* lackey: what `valgrind --tool=lackey --trace-mem=yes` prints. Addresses are hexadecimal, sizes decimal:
 *
 *   I  0023C790,2     an instruction of 2 bytes
 *    L BE80199C,4     a load
 *    S BE801950,4     a store
 *    M 0025747C,1     a load and a store of the same bytes
 *   SB 0023C790       a superblock is entered (--trace-superblocks=yes)
 *   ==4711== text     a message of Valgrind; also between -- and **
 *
 * Nothing tells of threads or of time. */
#include "import.h"
#include "scan.h"

static const char no_line[] = "this is no line of lackey";

static bool
is_message(const char *p, const char *end)
{
	return end - p >= 4 && p[0] == p[1] && (p[0] == '=' || p[0] == '-' || p[0] == '*') && p[2] >= '0' && p[2] <= '9';
}

static const char *
take(struct import *im, const char *p, const char *end)
{
	uint64_t addr;
	uint64_t size = 0;
	if (end - p < 4)
		return p == end ? NULL : no_line;
	unsigned head = (unsigned)(uint8_t)p[0] << 16 | (unsigned)(uint8_t)p[1] << 8 | (uint8_t)p[2];
	const char *s = p + 3;
	bool block = head == ('S' << 16 | 'B' << 8 | ' ');
	if (!scan_hex(&s, &addr) || (!block && (*s++ != ',' || !scan_dec(&s, &size))) || s != end)
		return is_message(p, end) ? NULL : no_line;
	struct import_stream *stream = import_thread(im, 1, 1, 1);
	if (!stream)
		return import_no_room;
	if (size > IMPORT_SIZE_MAX || (!size && !block))
		return "no access has this size";
	switch (head) {
	case 'I' << 16 | ' ' << 8 | ' ': import_instruction(im, stream, addr); return NULL;
	case ' ' << 16 | 'L' << 8 | ' ': import_access(im, stream, PRISM_LOAD, addr, size); return NULL;
	case ' ' << 16 | 'S' << 8 | ' ': import_access(im, stream, PRISM_STORE, addr, size); return NULL;
	case ' ' << 16 | 'M' << 8 | ' ':
		import_access(im, stream, PRISM_LOAD, addr, size);
		import_access(im, stream, PRISM_STORE, addr, size);
		return NULL;
	case 'S' << 16 | 'B' << 8 | ' ': import_address(im, stream, PRISM_CXT << 5 | PRISM_BB, addr); return NULL;
	default: return no_line;
	}
}

static bool
is(const char *p, const char *end)
{
	uint64_t number;
	if (is_message(p, end) && scan_hex(&(const char *){ p + 2 }, &number))
		return memmem(p, (size_t)(end - p), "== Lackey, ", 11);
	bool insn = end - p >= 6 && p[0] == 'I' && p[1] == ' ';
	bool data = end - p >= 6 && p[0] == ' ' && (p[1] == 'L' || p[1] == 'S' || p[1] == 'M');
	if ((!insn && !data) || p[2] != ' ')
		return false;
	p += 3;
	return scan_hex(&p, &number) && *p++ == ',' && scan_dec(&p, &number) && p == end;
}

const struct import_format import_lackey = {
	.name = "lackey",
	.hint = "valgrind --log-file=FILE keeps what the program prints out of it",
	.mem = 0xe0,
	.take = take,
	.is = is,
};
