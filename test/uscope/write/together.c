/* SPDX-License-Identifier: MIT */
#include "together.h"

#include "check.h"

#include <string.h>

enum {
	MAX_PHRASES = 1 << 16,
	MAX_LINES = 100000,
};

static struct known {
	struct set sets[USCOPE_PHRASE_PLACES];
	size_t n; /* 0: none yet */
	uscope_phrase_t phrase;
} known[MAX_PHRASES];

static uscope_line_t lines[MAX_LINES];
static size_t nlines;

void
together_put(uscope_writer_t *writer)
{
	uscope_cycles(writer, lines, nlines);
	nlines = 0;
}

static bool
is_known(const struct known *k, const struct set *s, size_t n)
{
	bool same = k->n == n;
	for (size_t i = 0; i < n && same; i++)
		same = memcmp(&k->sets[i].place, &s[i].place, sizeof(s[i].place)) == 0 && k->sets[i].value == s[i].value;
	return same;
}

/* Of the next n sets, the one that was there before if there was. NULL: it is refused. */
static uscope_phrase_t *
find_phrase(uscope_writer_t *writer, const struct set *s, size_t n)
{
	uint64_t hash = n;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ s[i].value ^ s[i].place.storage ^ (uint64_t)s[i].place.slot << 16 ^ (uint64_t)s[i].place.field << 32) * 0x9e3779b97f4a7c15;
	struct known *k;
	for (unsigned i = 0; (k = &known[(i + (hash >> 32)) % MAX_PHRASES])->n; i++) {
		if (is_known(k, s, n))
			return &k->phrase;
		if (i == MAX_PHRASES / 2) /* so full */
			return NULL;
	}
	uscope_place_t places[USCOPE_PHRASE_PLACES];
	for (size_t i = 0; i < n; i++) {
		k->sets[i] = s[i];
		places[i] = s[i].place;
	}
	if (!uscope_phrase_init(writer, &k->phrase, s->value, places, n))
		return NULL;
	k->n = n;
	return &k->phrase;
}

static bool
needs_wide(const struct set *s)
{
	return s->value > UINT16_MAX || s->place.storage > UINT8_MAX;
}

bool
together_add(uscope_writer_t *writer, uint64_t time, const struct set *sets, size_t nsets)
{
	if (nsets == 0 || nsets > MAX_LINES || time == USCOPE_GOES_ON)
		return false;
	for (size_t i = 1; i < nsets; i++)
		if (needs_wide(&sets[i]) != needs_wide(&sets[0]))
			return false;
	uscope_phrase_t **phrases = malloc(nsets * sizeof(uscope_phrase_t *));
	CHECK(phrases);
	size_t n = 0;
	bool good = true;
	for (size_t i = 0; i < nsets && good;) {
		bool two = i + 1 < nsets && sets[i].value == sets[i + 1].value;
		uscope_phrase_t *p = two ? find_phrase(writer, &sets[i], 2) : NULL;
		i += p ? 2 : 1;
		if (!p)
			p = find_phrase(writer, &sets[i - 1], 1);
		good = p != NULL;
		phrases[n++] = p;
	}
	if (nlines + n > MAX_LINES)
		together_put(writer);
	for (size_t i = 0; i < n && good; i++)
		lines[nlines++] = (uscope_line_t){ i ? USCOPE_GOES_ON : time, phrases[i] };
	free(phrases);
	return good;
}
