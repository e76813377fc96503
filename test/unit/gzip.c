/* SPDX-License-Identifier: MIT */
/* Members of gzip, of texts of many sizes, are read back by zlib: each for itself, and all as one file. */
#include "../xorshift.h"
#include "gzip.h"

#include "kit.h"

#include <string.h>

enum {
	LARGE = 700001,
};

/* Lines that are alike, or bytes that cannot be compressed. */
static void
fill(char *to, size_t n, bool noise)
{
	static uint64_t x = XORSHIFT_SEED;
	for (size_t i = 0; i < n; i++) {
		(void)xorshift(&x);
		to[i] = noise ? (char)x : "2:0:1:1:3:12345:"[i % 16];
		if (!noise && i % 16 == 9)
			to[i] = (char)('0' + x % 10);
	}
}

/* Reads a file that zlib must find whole, and compares it. */
static void
check_file(const char *path, const void *want, size_t n)
{
	char *have = malloc(n + 1);
	CHECK(have);
	gzFile f = gzopen(path, "rb");
	CHECK(f);
	CHECK(gzread(f, have, (unsigned)n + 1) == (int)n && memcmp(have, want, n) == 0);
	/* Paraver reads byte by byte, and goes back to the begin of what it has looked at. */
	const size_t places[] = { n / 2, 0, n - 1 };
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		CHECK(gzseek(f, (z_off_t)places[i], SEEK_SET) >= 0 && gzgetc(f) == ((const uint8_t *)want)[places[i]] && gztell(f) == (z_off_t)places[i] + 1);
	CHECK(!gzdirect(f) && gzclose(f) == Z_OK);
	free(have);
}

static void
members(void)
{
	static const size_t sizes[] = { 1, 0, 2, 100, TEXTBUF_SIZE / 4, TEXTBUF_SIZE - 1, TEXTBUF_SIZE + 1, 0, LARGE, 3 };
	struct kit_bytes all = { 0 }, text = { 0 };
	struct gzip g;
	struct textbuf t;
	CHECK(gzip_init(&g) == 0 && textbuf_init(&t) == 0);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			while (t.size < sizes[i])
				textbuf_grow(&t);
			fill(t.data, sizes[i], round);
			kit_put(&text, t.data, sizes[i]);
			t.used = sizes[i];
			gzip_pack(&g, &t);
			CHECK(!t.failed && (t.used == 0) == (sizes[i] == 0));
			CHECK(round || sizes[i] < 1000 || t.used < sizes[i] / 3);
			const char *path = kit_path("one.gz");
			kit_write(path, t.data, t.used);
			if (sizes[i])
				check_file(path, text.p + text.n - sizes[i], sizes[i]);
			kit_put(&all, t.data, t.used);
			t.used = 0;
		}
	}
	const char *path = kit_path("all.gz");
	kit_write(path, all.p, all.n);
	check_file(path, text.p, text.n);
	/* The same text is the same bytes, whatever was before it. */
	fill(t.data, 5000, false);
	char first[5000];
	memcpy(first, t.data, sizeof(first));
	t.used = sizeof(first);
	gzip_pack(&g, &t);
	struct kit_bytes member = { 0 };
	kit_put(&member, t.data, t.used);
	gzip_finish(&g);
	gzip_finish(&g); /* zeroed but for the memory of zlib, which is gone */
	CHECK(gzip_init(&g) == 0);
	memcpy(t.data, first, sizeof(first));
	t.used = sizeof(first);
	gzip_pack(&g, &t);
	CHECK(t.used == member.n && memcmp(t.data, member.p, member.n) == 0);
	gzip_finish(&g);
	textbuf_finish(&t);
	kit_done(&member);
	kit_done(&all);
	kit_done(&text);
}

/* A text that failed stays so. */
static void
failed(void)
{
	struct gzip g;
	struct textbuf t;
	CHECK(gzip_init(&g) == 0 && textbuf_init(&t) == 0);
	t.failed = true;
	for (t.used = 0; t.used < 2; t.used++) { /* lines that came later have begun anew */
		gzip_pack(&g, &t);
		CHECK(t.failed && !g.packed.failed);
	}
	textbuf_finish(&t);
	gzip_finish(&g);
}

static void
stored(void)
{
	static char text[65535], member[sizeof(text) + GZIP_STORED];
	static const size_t sizes[] = { 1, 60, 255, 256, sizeof(text) };
	const char *path = kit_path("stored.gz");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int noise = 0; noise < 2; noise++) {
			fill(text, sizes[i], noise);
			CHECK(gzip_store(member, text, sizes[i]) == sizes[i] + GZIP_STORED);
			kit_write(path, member, sizes[i] + GZIP_STORED);
			check_file(path, text, sizes[i]);
		}
	}
}

int
main(void)
{
	members();
	failed();
	stored();
	return 0;
}
