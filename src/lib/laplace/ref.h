/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_REF_H
#define LAPLACE_REF_H

/* ref: one memory reference, as 18 bytes and as a line of text.
 *
 *   offset size
 *    0     1   kind, one of r w i R W I
 *    1     8   timestamp, cycles
 *    9     1   length, bytes touched
 *   10     4   address space
 *   14     4   address of the first byte
 *
 * in either byte order, and "kind timestamp length space address\n", in hexadecimal. Defined in
 * doc/format/laplace.md. */

#include "hex.h"
#include "laplace.h"

enum {
	LAPREF_ROOM = 64, /* bytes that must be writable where a line is put */
};

extern const uint8_t lapref_hex[256];        /* value of a digit, 255: none */
extern const uint8_t lapref_lengths[256][4]; /* a length as text, and the size of that text */

/* Bytes to record: kind, ts, length, space and addr are set. Nothing is checked. */
static inline void
lapref_decode(const uint8_t *p, enum lap_endian endian, struct lap_record *rec)
{
	bool swap = endian == LAP_BIG;
	uint64_t ts;
	uint32_t space, addr;
	memcpy(&ts, p + 1, sizeof(ts));
	memcpy(&space, p + 10, sizeof(space));
	memcpy(&addr, p + 14, sizeof(addr));
	rec->kind = p[0];
	rec->length = p[9];
	rec->ts = swap ? __builtin_bswap64(ts) : ts;
	rec->space = swap ? __builtin_bswap32(space) : space;
	rec->addr = swap ? __builtin_bswap32(addr) : addr;
}

/* Writes LAP_RECORD_SIZE bytes. */
static inline void
lapref_encode(uint8_t *p, enum lap_endian endian, const struct lap_record *rec)
{
	bool swap = endian == LAP_BIG;
	uint64_t ts = swap ? __builtin_bswap64(rec->ts) : rec->ts;
	uint32_t space = swap ? __builtin_bswap32(rec->space) : rec->space;
	uint32_t addr = swap ? __builtin_bswap32(rec->addr) : rec->addr;
	p[0] = rec->kind;
	memcpy(p + 1, &ts, sizeof(ts));
	p[9] = rec->length;
	memcpy(p + 10, &space, sizeof(space));
	memcpy(p + 14, &addr, sizeof(addr));
}

/* "kind ts length": the beginning of all lines with a timestamp. */
static inline char *
lapref_put_head(char *p, const struct lap_record *rec)
{
	p[0] = (char)rec->kind;
	p[1] = ' ';
	p = hex_put64(p + 2, rec->ts);
	*p++ = ' ';
	const uint8_t *length = lapref_lengths[rec->length];
	memcpy(p, length, 4);
	p += length[3];
	*p++ = ' ';
	return p;
}

/* Writes a line with its newline. Returns its end; LAPREF_ROOM bytes may change. */
static inline char *
lapref_put_line(char *p, const struct lap_record *rec)
{
	p = lapref_put_head(p, rec);
	p = hex_put_two(p, rec->space, ' ', rec->addr);
	*p++ = '\n';
	return p;
}

/* Writes a page of a per-process merge: "kind ts length vpage cpage\n". */
char *lapref_put_page(char *p, const struct lap_record *rec);

/* Writes a page of a basic merge: "kind cpage\n", with the kind in upper case. */
char *lapref_put_basic(char *p, const struct lap_record *rec);

/* Reads a line that is in writer's form or close to it: single blanks, digits of either
 * case. 64 bytes from p must be readable. Returns the bytes of the line with its newline,
 * 0: it is not of that kind, lapref_parse() says more. Of the values only the length is
 * checked to have digits; kind: lap_kinds[] of it is not 0. */
static inline unsigned
lapref_scan(const uint8_t *start, struct lap_record *rec)
{
	const uint8_t *p = start;
	rec->kind = *p++;
	if (*p++ != ' ')
		return 0;

	uint64_t x = hex_load(p);
	unsigned n = hex_count(x);
	if (n == 0)
		return 0;
	uint64_t ts = hex_value(x, n);
	p += n;
	if (n == 8) {
		x = hex_load(p);
		n = hex_count(x);
		if (n) {
			ts = ts << 4 * n | hex_value(x, n);
			p += n;
		}
	}
	if (*p++ != ' ')
		return 0;
	rec->ts = ts;

	unsigned hi = lapref_hex[p[0]];
	unsigned lo = lapref_hex[p[1]];
	if (hi > 15)
		return 0;
	if (lo > 15) {
		lo = hi;
		hi = 0;
		p += 1;
	} else {
		p += 2;
	}
	rec->length = (uint8_t)(hi << 4 | lo);
	if (*p++ != ' ')
		return 0;

	x = hex_load(p);
	n = hex_count(x);
	if (n == 0 || p[n] != ' ')
		return 0;
	rec->space = hex_value(x, n);
	p += n + 1;

	x = hex_load(p);
	n = hex_count(x);
	if (n == 0 || p[n] != '\n')
		return 0;
	rec->addr = hex_value(x, n);
	return (unsigned)(p + n + 1 - start);
}

/* Reads a line of n bytes without its end, in whatever form is allowed, with the fourth
 * and the fifth field up to 8 and `digits` (8 or 16) digits. The fifth goes to `last`.
 * Returns 0, or a code. */
int lapref_parse(const char *line, size_t n, unsigned digits, struct lap_record *rec, uint64_t *last);

/* ---- Lines of fields. ---- */

struct lap_cursor {
	const char *p;
	const char *end; /* in front of trailing blanks */
};

/* Takes the next field and the blanks behind it. Returns its length, 0: there is none. */
size_t lapref_field(struct lap_cursor *c, const char **field);
/* Converts a field to a number. Returns 0, LAP_LT02 or LAP_LT03. */
int lapref_number(const char *field, size_t n, unsigned digits, uint64_t *v);
/* Takes the next field as a number. Returns as that does, or LAP_LT01: there is none. */
int lapref_take(struct lap_cursor *c, unsigned digits, uint64_t *v);
/* Takes the first field, of one character. Returns 0, LAP_LT02 or LAP_LT04. */
int lapref_first(struct lap_cursor *c, uint8_t *tag);

#endif
