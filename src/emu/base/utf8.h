/* SPDX-License-Identifier: MIT */
#ifndef UTF8_H
#define UTF8_H

/* utf8: texts from outside, which may hold any bytes, character by character. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at p, of which n are left; the character in *c. 0: it is no UTF-8
 * (long forms, surrogates and what is above U+10FFFF are none), or n is 0. */
size_t utf8_next(const char *p, size_t n, uint32_t *c);

/* What a terminal would act on, or would show in another place. */
bool utf8_is_control(uint32_t c);

#endif
