/* SPDX-License-Identifier: MIT */
/* Names of Prism traces: each once, in the order of first appearance, at a place for ever;
 * against a list that is searched from its start. */
#include "kit.h"
#include "prism/names.h"

#include <string.h>

enum {
	NAMES = 3000,
	LEN_MAX = 256,
	ROUNDS = 30000,
};

struct listed {
	char text[LEN_MAX];
	uint32_t len;
	struct prism_name *name;
};

static struct listed list[NAMES];
static uint32_t nlist;

static uint32_t
find(const char *p, uint32_t n)
{
	for (uint32_t i = 0; i < nlist; i++)
		if (list[i].len == n && memcmp(list[i].text, p, n) == 0)
			return i + 1;
	return 0;
}

/* Any bytes, of which many names have most in common: NUL, prefixes, one other byte. */
static uint32_t
make(uint64_t *seed, char *p)
{
	uint32_t n = 1 + (uint32_t)kit_below(seed, kit_below(seed, 4) ? 12 : LEN_MAX);
	memset(p, kit_below(seed, 2) ? 'a' : 0, n);
	for (uint64_t i = kit_below(seed, 3); i; i--)
		p[kit_below(seed, n)] = (char)kit_random(seed);
	return n;
}

static void
test_random(uint64_t *seed)
{
	struct prismtable names = { 0 };
	for (int i = 0; i < ROUNDS; i++) {
		char text[LEN_MAX];
		uint32_t n = make(seed, text);
		uint32_t id = find(text, n);
		if (!id && nlist == NAMES)
			continue;
		struct prism_name *s = prismnames_get(&names, text, n);
		CHECK(s != NULL);
		if (!id) {
			struct listed *l = &list[nlist++];
			memcpy(l->text, text, n);
			l->len = n;
			l->name = s;
			id = nlist;
		}
		CHECK(s == list[id - 1].name);
		CHECK(s->id == id);
	}
	CHECK(nlist > NAMES / 2);
	for (uint32_t i = 0; i < nlist; i++) {
		const struct listed *l = &list[i];
		CHECK(l->name->len == l->len && memcmp(l->name->text, l->text, l->len) == 0 && l->name->text[l->len] == 0);
		for (int k = 0; k < PRISM_STACKS; k++)
			CHECK(l->name->user[k] == 0);
	}
	prismtable_finish(&names);
}

/* Names that differ in their length only, or in one byte at each place. */
static void
test_near(void)
{
	struct prismtable names = { 0 };
	char text[LEN_MAX] = { 0 };
	uint32_t id = 0;
	for (uint32_t n = 1; n <= LEN_MAX; n++)
		CHECK(prismnames_get(&names, text, n)->id == ++id);
	for (uint32_t i = 0; i < LEN_MAX; i++) {
		text[i] = 1;
		CHECK(prismnames_get(&names, text, LEN_MAX)->id == ++id);
		text[i] = 0;
	}
	CHECK(prismnames_get(&names, text, 7)->id == 7);
	prismtable_finish(&names);
}

int
main(int argc, char **argv)
{
	uint64_t seed = kit_seed(argc, argv);
	test_random(&seed);
	test_near();
	return 0;
}
