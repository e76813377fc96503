/* SPDX-License-Identifier: MIT */
#include "nearest.h"

#include <string.h>

enum {
	WORD_MAX = 40, /* letters of a word that may be mistyped */
};

/* How many letters must be added, removed or changed to make one word of the other; both are short. */
static unsigned
distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned row[WORD_MAX + 1];
	for (unsigned k = 0; k <= nb; k++)
		row[k] = k;
	for (unsigned i = 1; i <= na; i++) {
		unsigned before = row[0];
		row[0] = i;
		for (size_t k = 1; k <= nb; k++) {
			unsigned change = before + (a[i - 1] != b[k - 1]);
			unsigned other = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
			before = row[k];
			row[k] = change < other ? change : other;
		}
	}
	return row[nb];
}

void
nearest_try(struct nearest *best, const char *typed, size_t n, const char *word)
{
	size_t k = strlen(word);
	if (n > WORD_MAX || k > WORD_MAX)
		return;
	unsigned d = distance(typed, n, word, k);
	if (d > 1 + n / 4 || (best->word && d >= best->distance))
		return;
	*best = (struct nearest){ word, d };
}
