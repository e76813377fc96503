/* SPDX-License-Identifier: MIT */
#ifndef FMT_H
#define FMT_H

/* fmt: integers to decimal text, as fast as the output needs it. */

#include <stdint.h>

enum {
	FMT_MAX = 20, /* most bytes of one number: 2^64-1, or the sign and 2^63 */
};

/* Writes v in decimal at p, without terminator. Returns the byte after the last. */
char *fmt_u64(char *p, uint64_t v);
char *fmt_i64(char *p, int64_t v);

/* Writes v < 10^8 in exactly 8 digits. */
void fmt_8digits(char *p, uint32_t v);

/* Writes v in exactly 20 digits, zero padded. Returns p + 20. */
char *fmt_pad20(char *p, uint64_t v);

#endif
