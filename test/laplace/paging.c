/* SPDX-License-Identifier: MIT */
/* paging: maps of ranges, pages found last and windows of pages against arrays, and the rules of
 * canonical pages. */
#include "kit.h"
#include "laplace/count.h"
#include "lapkit.h"
#include "laplace/machine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Ranges: several maps that share nodes, beside plain arrays. ---- */

enum {
	MAPS = 4,
	PAGES = 1500,
};

static uint64_t width; /* of PAGES that are used */

struct plain {
	uint64_t value[PAGES]; /* base of owner and page; 0: nothing */
};

static struct lapmap *maps[MAPS];
static struct plain plains[MAPS];

static void
compare(int map)
{
	uint64_t total = 0;
	uint64_t next = width, gap = width; /* at or behind p */
	for (uint64_t p = width; p-- > 0;) {
		struct laprange r;
		uint64_t want = plains[map].value[p];
		CHECK((laprange_find(maps[map], p, &r) ? laprange_value(&r, p) << 8 | r.owner : 0) == want);
		total += want != 0;
		*(want ? &next : &gap) = p;
		CHECK(laprange_next(maps[map], p, &r) ? (r.first > p ? r.first : p) == next : next == width);
		CHECK(laprange_gap(maps[map], p) == gap);
	}
	CHECK(laprange_total(maps[map]) == total);
	struct laprange r, behind;
	/* Neighbours that continue each other are one range. */
	for (bool more = laprange_next(maps[map], 0, &r); more; r = behind) {
		more = laprange_next(maps[map], r.last + 1, &behind);
		CHECK(!more || behind.first > r.last + 1 || behind.owner != r.owner || behind.base != laprange_value(&r, behind.first));
	}
}

static void
one_step(struct laprange_pool *pool, uint64_t *seed)
{
	int a = (int)kit_below(seed, MAPS), b = (int)kit_below(seed, MAPS);
	uint64_t first = kit_below(seed, width), last = first;
	/* Most are short, so that there are many. */
	if (width < 100 || kit_below(seed, 40) == 0)
		last += kit_below(seed, width - first);
	uint32_t owner = (uint32_t)kit_below(seed, 3) + 1;
	uint64_t base = kit_below(seed, 4) ? first + 100 : kit_random(seed) >> 40;
	struct lapmap *part;
	uint64_t to = kit_below(seed, width);
	switch (kit_below(seed, 6)) {
	case 0:
	case 1:
		laprange_set(pool, &maps[a], first, last, owner, base);
		for (uint64_t p = first; p <= last; p++)
			plains[a].value[p] = (base + p - first) << 8 | owner;
		break;
	case 2:
		laprange_free(pool, laprange_cut(pool, &maps[a], first, last));
		memset(&plains[a].value[first], 0, (last - first + 1) * sizeof(uint64_t));
		break;
	case 3: /* a fork */
		if (a == b)
			break;
		laprange_free(pool, laprange_cut(pool, &maps[b], first, last));
		laprange_put(pool, &maps[b], laprange_copy(pool, &maps[a], first, last), 0);
		memcpy(&plains[b].value[first], &plains[a].value[first], (last - first + 1) * sizeof(uint64_t));
		break;
	case 4: /* all of another one */
		laprange_free(pool, maps[b]);
		maps[b] = NULL;
		laprange_put(pool, &maps[b], laprange_copy(pool, &maps[a], 0, UINT64_MAX), 0);
		plains[b] = plains[a];
		if (a == b) { /* it was given back first */
			memset(&plains[b], 0, sizeof(plains[b]));
		}
		break;
	default: /* a move */
		part = laprange_cut(pool, &maps[a], first, last);
		if (to + (last - first) >= width)
			to = width - 1 - (last - first);
		laprange_free(pool, laprange_cut(pool, &maps[a], to, to + (last - first)));
		laprange_put(pool, &maps[a], part, to - first);
		{
			struct plain old = plains[a];
			memset(&plains[a].value[first], 0, (last - first + 1) * sizeof(uint64_t));
			memcpy(&plains[a].value[to], &old.value[first], (last - first + 1) * sizeof(uint64_t));
		}
		break;
	}
	compare(a);
	compare(b);
}

static void
test_ranges(uint64_t *seed, uint64_t pages, int steps)
{
	struct laprange_pool pool;
	laprange_init(&pool);
	width = pages;
	memset(maps, 0, sizeof(maps));
	memset(plains, 0, sizeof(plains));
	for (int i = 0; i < steps; i++)
		one_step(&pool, seed);
	for (int i = 0; i < MAPS; i++)
		laprange_free(&pool, maps[i]);
	CHECK(pool.nodes == 0 && !pool.failed);
	laprange_finish(&pool);
}

/* In order they are one range; in any other the tree is not deep: this would not end. */
static void
test_many(void)
{
	struct laprange_pool pool;
	struct lapmap *map = NULL;
	laprange_init(&pool);
	for (uint64_t i = 0; i < 300000; i++)
		laprange_set(&pool, &map, i, i, 1, i + 5);
	CHECK(pool.nodes == 1 && laprange_total(map) == 300000);
	for (uint64_t i = 300000; i-- > 0;)
		laprange_set(&pool, &map, 2 * i, 2 * i, 1, 7);
	CHECK(laprange_total(map) == 300000 + 150000);
	laprange_finish(&pool);
}

/* The last pages that a file may have. */
static void
test_end(void)
{
	struct laprange_pool pool;
	struct lapmap *map = NULL;
	struct laprange r;
	laprange_init(&pool);
	for (uint64_t i = 0; i < 3; i++)
		laprange_set(&pool, &map, UINT64_MAX - i, UINT64_MAX - i, 1, 9 - i);
	CHECK(laprange_find(map, UINT64_MAX, &r) && r.first == UINT64_MAX - 2 && r.last == UINT64_MAX && laprange_value(&r, UINT64_MAX) == 9);
	laprange_free(&pool, laprange_cut(&pool, &map, UINT64_MAX - 1, UINT64_MAX));
	CHECK(laprange_total(map) == 1 && !laprange_find(map, UINT64_MAX, &r));
	laprange_finish(&pool);
}

/* ---- Canonical pages: what a small trace touches, as numbers. ---- */

/* Gives the numbers of the pages that the references touch, "1 2 1", and checks them. */
static void
check_pages(const char *what, const char *trace, const char *want)
{
	struct lapkit_log l;
	struct lapread r;
	struct lapmachine m;
	struct lap_record rec;
	struct lap_step step;
	char have[1000] = "";
	size_t n = 0;
	int rc;
	struct lapkit_bytes b = { .p = (const uint8_t *)trace, .n = strlen(trace) };
	lapkit_log_init(&l, false);
	CHECK(lapread_open(&r, &l.log, &(struct lap_input){ .read = lapkit_read, .self = &b },
		      &(struct lapread_options){ .file = what, .format = LAP_MIXED }) == 0);
	CHECK(lapmachine_init(&m, &l.log, &(struct lapmachine_options){ .kernel_base = 0xc0000000 }) == 0);
	while ((rc = lapread_next(&r, &rec)) > 0) {
		struct lap_place at = r.at;
		CHECK(lapmachine_step(&m, &rec, &at, &step) == 1);
		for (int i = 0; i < step.ntouches; i++)
			n += (size_t)snprintf(have + n, sizeof(have) - n, "%s%s%llu", n ? " " : "",
				step.touch[i].class ? "+" : "", (unsigned long long)step.touch[i].page);
	}
	if (strcmp(have, want) != 0)
		(void)fprintf(stderr, "%s: %s, not %s\n", what, have, want);
	CHECK(rc == 0 && strcmp(have, want) == 0);
	lapmachine_finish(&m);
	lapread_close(&r);
}

/* "+": the first touch. */
static void
test_identity(void)
{
	/* Task 1 in space a, task 2 in space b. */
#define TWO "F 0 1 0\nA 0 1 a\nF 0 2 0\nA 0 2 b\n"
	check_pages("anonymous pages are private",
		TWO "m 0 1 1000 1000\nm 0 2 1000 1000\nS 0 1\nr 1 4 a 1000\nr 1 4 b 1000\nr 1 4 a 1ffc\n", "+1 +2 1");
	check_pages("a fork shares what was touched",
		TWO "m 0 1 1000 3000\nS 0 1\nr 1 1 a 1000\nr 1 1 a 2000\nD 2 a b 1000 4000\n"
		    "r 3 1 b 1000\nr 3 1 b 2000\nr 3 1 b 3000\nr 3 1 a 3000\n",
		"+1 +2 1 2 +3 +4");
	check_pages("a part of the range only",
		TWO "m 0 1 1000 2000\nS 0 1\nr 1 1 a 1000\nr 1 1 a 2000\nD 2 a b 2000 3000\nr 3 1 b 1000\nr 3 1 b 2000\n",
		"+1 +2 +3 2");
	check_pages("a copy on write",
		TWO "m 0 1 1000 1000\nS 0 1\nr 1 1 a 1000\nD 2 a b 1000 2000\nC 3 2 1234\nw 4 1 b 1000\nw 4 1 a 1000\nC 5 1 1000\nw 6 1 a 1000\n",
		"+1 2 1 3");
	check_pages("a task without a space of its own has its parent's",
		"F 0 1 0\nA 0 1 a\nF 0 3 1\nm 0 3 1000 1000\nS 0 3\nr 1 1 a 1000\nC 2 3 1000\nr 3 1 a 1000\n", "+1 2");
	check_pages("files are the same everywhere",
		TWO "M 0 1 1000 2000 77 8 1 0 f\nM 0 2 5000 2000 77 8 1 1000 f\nM 0 2 9000 1000 77 8 2 0 f\nS 0 1\n"
		    "r 1 1 a 1000\nr 1 1 a 2000\nr 1 1 b 5000\nr 1 1 b 6000\nr 1 1 b 9000\n",
		"+1 +2 2 +3 +4");
	check_pages("a private copy of a file",
		TWO "M 0 1 1000 1000 77 8 1 0 f\nM 0 2 1000 1000 77 8 1 0 f\nS 0 1\nr 1 1 a 1000\nC 2 2 1000\nw 3 1 b 1000\nr 3 1 a 1000\n", "+1 2 1");
	check_pages("a delete and a shrink retire",
		TWO "M 0 1 1000 3000 77 8 1 0 f\nS 0 1\nr 1 1 a 1000\nr 1 1 a 2000\nr 1 1 a 3000\nt 2 77 8 1 1001\n"
		    "r 3 1 a 1000\nr 3 1 a 2000\nr 3 1 a 3000\n- 4 77 8 1\nr 5 1 a 1000\n",
		"+1 +2 +3 1 2 +4 +5");
	check_pages("reads and writes are uses of the file",
		TWO "M 0 1 1000 3000 77 8 1 0 f\nS 0 1\nr 1 1 a 2000\n< 2 1 77 8 1 fff 1002\n> 2 1 77 8 1 0 1\nr 3 1 a 1000\nr 3 1 a 2000\nr 3 1 a 3000\nr 4 1 b 0\n",
		"+1 2 1 3 +4");
	check_pages("segments",
		TWO "s 0 1 1000 2000 5\ns 0 2 8000 2000 5\nS 0 1\nr 1 1 a 2000\nr 1 1 b 9000\n/ 2 1 5\nr 3 1 b 9000\nr 3 1 a 2000\n", "+1 1 +2 2");
	check_pages("the kernel has its own", TWO "S 0 1\nr 1 1 a c0000000\nr 1 1 b c0000fff\nr 1 2 b c0000fff\n", "+1 1 1 +2");
	check_pages("unmapping forgets",
		TWO "m 0 1 1000 2000\nS 0 1\nr 1 1 a 1000\nr 1 1 a 2000\nU 2 1 1000 1000\nm 3 1 1000 1000\nr 4 1 a 1000\nr 4 1 a 2000\n",
		"+1 +2 +3 2");
	check_pages("a mapping over another",
		TWO "m 0 1 1000 2000\nS 0 1\nr 1 1 a 1000\nm 2 1 1000 1000\nr 3 1 a 1000\n", "+1 +2");
	check_pages("a move takes them along",
		TWO "m 0 1 1000 2000\nS 0 1\nr 1 1 a 1000\nr 1 1 a 2000\n@ 2 1 8000 3000 1000 2000\nr 3 1 a 8000\nr 3 1 a 9000\nr 3 1 a a000\nr 3 1 a 1000\n",
		"+1 +2 1 2 +3 +4");
	check_pages("a move onto itself",
		TWO "M 0 1 1000 3000 77 8 1 0 f\nS 0 1\nr 1 1 a 1000\nr 1 1 a 2000\nr 1 1 a 3000\n@ 2 1 2000 3000 1000 3000\nr 3 1 a 2000\nr 3 1 a 3000\nr 3 1 a 4000\n",
		"+1 +2 +3 1 2 3");
	check_pages("a file that grows by a move",
		TWO "M 0 1 1000 1000 77 8 1 0 f\nM 0 2 1000 2000 77 8 1 0 f\nS 0 1\nr 1 1 b 2000\n@ 2 1 1000 2000 1000 1000\nr 3 1 a 2000\n", "+1 1");
	check_pages("a space ends", TWO "m 0 1 1000 1000\nS 0 1\nr 1 1 a 1000\nu 2 a\nr 3 1 a 1000\n", "+1 +2");
	check_pages("a space again",
		TWO "m 0 1 1000 1000\nS 0 1\nr 1 1 a 1000\nA 2 1 a\nr 3 1 a 1000\n", "+1 +2");
	check_pages("a reference before the mapping",
		"S 0 1\nr 1 1 a 1000\nr 1 1 a 1000\nA 2 1 a\nr 3 1 a 1000\nm 4 1 1000 1000\nr 5 1 a 1000\n", "+1 1 1 +2");
	check_pages("a huge read takes no memory",
		TWO "M 0 1 1000 1000 77 8 1 0 f\n< 0 1 77 8 1 0 ffffffff\nS 0 1\nr 1 1 a 1000\nr 1 1 b 0\n", "1 +1048577");
}

/* Numbers that do not fit in what remembers those found last. */
static void
test_beyond(void)
{
	struct kit_bytes b = { 0 };
	char line[100];
	const char *head = "F 0 1 0\nA 0 1 a\nm 0 1 1000 9000\nS 0 1\nr 1 1 a 1000\n";
	const char *tail = "r 3 1 a 2000\nr 3 1 a 3000\nr 3 1 a 1000\nr 3 1 a 2000\nC 4 1 1000\nr 5 1 a 1000\nr 5 1 a 3000\n";
	kit_put(&b, head, strlen(head));
	for (unsigned i = 0; i < 2049; i++)
		kit_put(&b, line, (size_t)snprintf(line, sizeof(line), "< 2 1 77 8 1 %llx ffffffff\n", (unsigned long long)i << 32));
	kit_put(&b, tail, strlen(tail) + 1);
	/* 2049 times 2^20 pages, and one. */
	check_pages("numbers above 2^31", (const char *)b.p, "+1 +2148532226 +2148532227 1 2148532226 2148532228 2148532227");
	kit_done(&b);
}

/* ---- Many pages of several spaces, so that what was found last is found no more, or grows. ---- */

enum {
	SPACES = 5,
	MANY = 40000,
};

static void
test_many_pages(uint64_t *seed)
{
	struct lappages p;
	struct lap_space *spaces[SPACES];
	uint64_t *known = calloc(SPACES * MANY, sizeof(*known));
	uint64_t n = 0;
	CHECK(known && lappages_init(&p, 0xc0000000, false) == 0);
	for (uint32_t i = 0; i < SPACES; i++)
		spaces[i] = lappages_new_space(&p, i);
	for (int i = 0; i < 900000; i++) {
		uint64_t s = kit_below(seed, SPACES);
		/* Each has dense pages, sparse ones, and some that are looked at often. */
		uint64_t k = kit_below(seed, MANY) >> kit_below(seed, 3) * 4;
		uint32_t addr = (uint32_t)(s % 2 ? k : k * 17) * LAP_PAGE_SIZE + (uint32_t)kit_below(seed, LAP_PAGE_SIZE);
		uint64_t *want = &known[s * MANY + k];
		uint8_t class;
		lappages_prefetch(&p, spaces[s], addr);
		uint64_t peek = lappages_peek(&p, spaces[s], addr);
		CHECK(peek == 0 || peek == *want);
		uint64_t page = lappages_touch(&p, spaces[s], addr, &class);
		CHECK((class != 0) == (*want == 0) && p.outside);
		*want = *want ? *want : ++n;
		CHECK(page == *want && lappages_peek(&p, spaces[s], addr) == page);
		if (i % 100000 == 99999) { /* other maps */
			lappages_end_space(&p, spaces[s]);
			spaces[s] = lappages_new_space(&p, (uint32_t)s);
			memset(&known[s * MANY], 0, MANY * sizeof(*known));
		}
	}
	CHECK(n > 100000 && p.npages == n && !p.failed && p.found.n > LAPLINES_FIRST);
	lappages_finish(&p);
	free(known);
}

/* ---- Windows of pages. ---- */

static void
test_counts(uint64_t *seed, bool dense)
{
	struct lapcount c = { .dense = dense };
	static uint32_t windows[MANY];
	uint64_t footprint = 0, in_window = 0;
	uint32_t now = 1;
	memset(windows, 0, sizeof(windows));
	for (int i = 0; i < 400000; i++) {
		uint64_t k = kit_below(seed, MANY) >> kit_below(seed, 3) * 4;
		/* Some behind the end of the array, and very far away. */
		uint64_t page = k % 3 ? k + 1 : k % 2 ? k + LAPCOUNT_DENSE - 100
						      : UINT64_MAX - k * 1000;
		int want = windows[k] == now ? LAPCOUNT_OLD : windows[k] ? LAPCOUNT_IN_WINDOW
									 : LAPCOUNT_EVER;
		lapcount_prefetch(&c, page);
		CHECK(lapcount_touch(&c, page, now) == want);
		footprint += want == LAPCOUNT_EVER;
		in_window += want != LAPCOUNT_OLD;
		CHECK(c.footprint == footprint && c.n[LAPCOUNT_WORKING_SET] == in_window);
		windows[k] = now;
		now += kit_below(seed, 5000) == 0;
	}
	CHECK(now > 20 && footprint > MANY / 2);
	lapcount_finish(&c);
}

/* ---- Files that are read again and again. ---- */

static void
move_bytes(struct lappages *p, char tag, uint64_t inode, uint64_t first_page, uint64_t npages)
{
	struct lap_event ev = { .tag = (uint8_t)tag };
	ev.arg[LAP_INODE] = inode;
	ev.arg[LAP_OFFSET] = first_page << LAP_PAGE_SHIFT;
	ev.arg[LAP_LENGTH] = npages << LAP_PAGE_SHIFT;
	CHECK(lappages_event(p, &ev, NULL, NULL) == 0 && !p->failed);
}

/* What a transfer costs does not grow with the fragments of its file. */
static void
test_transfers(void)
{
	enum { READS = 40000,
		APPENDS = 20000,
		SECONDS = 10 };
	struct lappages p;
	clock_t begin = clock();
	CHECK(lappages_init(&p, 0xc0000000, false) == 0);
	for (uint64_t i = READS; i-- > 0;)
		move_bytes(&p, '>', 1, i, 1);
	for (uint64_t i = 0; i < READS; i++)
		move_bytes(&p, '<', 1, 0, READS);
	CHECK(p.npages == READS);
	for (uint64_t i = 0; i < APPENDS; i++) {
		move_bytes(&p, '>', 2, i, 1);
		move_bytes(&p, '>', 3, i, 1); /* so that pages of neither follow each other */
		move_bytes(&p, '<', 2, 0, i + 1);
	}
	CHECK(p.npages == READS + 2 * APPENDS);
	CHECK((clock() - begin) / CLOCKS_PER_SEC < SECONDS);
	lappages_finish(&p);
}

int
main(int argc, char **argv)
{
	uint64_t seed = kit_seed(argc, argv);
	test_ranges(&seed, 64, 30000);
	test_ranges(&seed, PAGES, 2500);
	test_many();
	test_end();
	test_identity();
	test_beyond();
	test_many_pages(&seed);
	test_transfers();
	test_counts(&seed, false);
	test_counts(&seed, true);
	return 0;
}
