/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_HEX_H
#define LAPLACE_HEX_H

/* hex: hexadecimal numbers, eight digits at once in one register.
 *
 * In a word of digits the first one, which is the most significant, is the lowest byte,
 * as a little-endian load has it. */

#include "little.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline uint64_t
hex_load(const void *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void
hex_store(void *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* The eight digits of v, in lower case. */
static inline uint64_t
hex_digits(uint32_t v)
{
	/* Nibbles to bytes; byte 0 is the lowest nibble, so turned round at the end. */
	uint64_t x = v;
	x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
	x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	/* 10..15 have bit 4 set once 6 is added. */
	uint64_t letters = ((x + UINT64_C(0x0606060606060606)) >> 4) & UINT64_C(0x0101010101010101);
	x += UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10);
	return __builtin_bswap64(x);
}

/* Digits of v without zeros in front; 0 has one. */
static inline unsigned
hex_width(uint64_t v)
{
	return (unsigned)(67 - __builtin_clzll(v | 1)) / 4;
}

/* The sixteen digits of v to two words. */
static inline void
hex_put_pair(char *first, char *second, uint64_t v)
{
#ifdef __SSE2__
	__m128i x = _mm_cvtsi64_si128((long long)__builtin_bswap64(v));
	__m128i low = _mm_set1_epi8(0x0f);
	x = _mm_unpacklo_epi8(_mm_and_si128(_mm_srli_epi16(x, 4), low), _mm_and_si128(x, low));
	__m128i letters = _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8(9)), _mm_set1_epi8('a' - '0' - 10));
	x = _mm_add_epi8(_mm_add_epi8(x, _mm_set1_epi8('0')), letters);
	_mm_storel_epi64((__m128i *)(void *)first, x);
	_mm_storel_epi64((__m128i *)(void *)second, _mm_unpackhi_epi64(x, x));
#else
	hex_store(first, hex_digits((uint32_t)(v >> 32)));
	hex_store(second, hex_digits((uint32_t)v));
#endif
}

/* Writes v without zeros in front. Returns the byte after the last; 16 bytes behind p may
 * change. */
static inline char *
hex_put64(char *p, uint64_t v)
{
	unsigned n = hex_width(v);
	hex_put_pair(p, p + 8, v << (64 - 4 * n));
	return p + n;
}

/* Writes two numbers with a character between them. */
static inline char *
hex_put_two(char *p, uint32_t a, char between, uint32_t b)
{
	unsigned na = hex_width(a);
	unsigned nb = hex_width(b);
	char *second = p + na + 1;
	uint64_t left = (uint64_t)a << (64 - 4 * na);
	/* The first word overlaps the second, which is written after it. */
	hex_put_pair(p, second, left | (uint64_t)b << (32 - 4 * nb));
	second[-1] = between;
	return second + nb;
}

/* Counts the digits at the begin of the eight bytes. */
static inline unsigned
hex_count(uint64_t x)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t low = x & ones * 0x7f;
	uint64_t lower = low | ones * 0x20;
	/* Bit 7 of each byte: at least '0', above '9', at least 'a', above 'f'. */
	uint64_t digit = (low + ones * (0x80 - '0')) & ~(low + ones * (0x7f - '9'));
	uint64_t letter = (lower + ones * (0x80 - 'a')) & ~(lower + ones * (0x7f - 'f'));
	uint64_t other = ~((digit | letter) & ~x) & ones * 0x80;
	return other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

/* The number that the first n digits make, n from 1 to 8. */
static inline uint32_t
hex_value(uint64_t x, unsigned n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	x <<= 64 - 8 * n; /* bytes of 0 are digits of 0 */
	x = (x & ones * 0x0f) + (x >> 6 & ones) * 9;
	x = (x << 4 | x >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x << 8 | x >> 16) & UINT64_C(0x0000ffff0000ffff);
	return (uint32_t)(x << 16 | x >> 32);
}

#endif
