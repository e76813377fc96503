/* SPDX-License-Identifier: MIT */
#include "scan.h"

const uint8_t scan_digits[256] = {
	['0'] = 1,
	['1'] = 2,
	['2'] = 3,
	['3'] = 4,
	['4'] = 5,
	['5'] = 6,
	['6'] = 7,
	['7'] = 8,
	['8'] = 9,
	['9'] = 10,
	['a'] = 11,
	['b'] = 12,
	['c'] = 13,
	['d'] = 14,
	['e'] = 15,
	['f'] = 16,
	['A'] = 11,
	['B'] = 12,
	['C'] = 13,
	['D'] = 14,
	['E'] = 15,
	['F'] = 16,
};

bool
scan_time(const char **p, uint64_t unit, uint64_t *ns)
{
	uint64_t whole;
	if (!scan_dec(p, &whole) || whole > (UINT64_C(1) << 62) / unit - 1)
		return false;
	*ns = whole * unit;
	if (**p != '.')
		return true;
	++*p;
	if (**p < '0' || **p > '9')
		return false;
	for (; **p >= '0' && **p <= '9'; ++*p) {
		unit /= 10;
		*ns += (uint64_t)(**p - '0') * unit;
	}
	return true;
}
