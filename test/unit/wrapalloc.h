/* SPDX-License-Identifier: MIT */
#ifndef WRAPALLOC_H
#define WRAPALLOC_H

/* wrapalloc: allocations that fail when they are told to, for programs linked with --wrap
 * (wrapalloc_dep; with wraparena_dep each request to an arena is an allocation, too: arenas take
 * memory in large chunks, which a small trace does not fill). Only what is linked statically can be
 * wrapped. Any thread may allocate. */

#include <stdbool.h>

/* From now on allocation n fails, from 1, and with `all` those behind it, too. 0: none does. */
void wrapalloc_arm(long n, bool all);

/* Since then: whether one has failed, and how many there were. */
bool wrapalloc_failed(void);
long wrapalloc_count(void);

/* Of what wraps: counts an allocation. true: it fails. */
bool wrapalloc_fails(void);

#endif
