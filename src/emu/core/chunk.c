/* SPDX-License-Identifier: MIT */
#include "chunk.h"

bool
chunk_looks_back(const struct record *r)
{
	return r->kind == RECORD_PUNCTUAL || r->kind == RECORD_LATE;
}

size_t
chunk_find_apart(const struct chunk *c, size_t n)
{
	const struct record *r = c->records;
	size_t nodd = c->batch.nodd;
	int64_t last = n ? r[n - 1].time : 0; /* a record that follows may have this time, and look back */
	int64_t odd = last;                   /* the first time of one that does, or may */
	for (size_t i = n; i-- > 1;) {
		for (; nodd && c->odd[nodd - 1] >= i; nodd--)
			if (chunk_looks_back(&r[c->odd[nodd - 1]]))
				odd = r[c->odd[nodd - 1]].time;
		int64_t before = r[i - 1].time;
		if (r[i].time > before && odd > before + 1)
			return i;
	}
	return 0;
}
