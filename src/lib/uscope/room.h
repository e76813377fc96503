/* SPDX-License-Identifier: MIT */
#ifndef ROOM_H
#define ROOM_H

/* room: arrays that grow. */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Room for n items of a size in *items, which has it for *cap of them, and may move. false: out of memory,
 * and all is as it was. */
static inline bool
room_for(void *items, size_t *cap, size_t n, size_t size)
{
	void *p;
	if (n <= *cap)
		return true;
	size_t more = n + n / 2 + 64;
	memcpy(&p, items, sizeof(p));
	p = more > SIZE_MAX / size ? NULL : realloc(p, more * size);
	if (!p)
		return false;
	memcpy(items, &p, sizeof(p));
	*cap = more;
	return true;
}

#endif
