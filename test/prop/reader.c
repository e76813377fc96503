/* SPDX-License-Identifier: MIT */
/* A file read through random windows and steps, plain or compressed in random frames,
 * gives its bytes. */
#include "reader.h"

#include "kit.h"

#include <string.h>

static void
make(struct kit_bytes *b, uint64_t *x)
{
	b->n = 0;
	size_t n = kit_below(x, kit_below(x, 3) ? 5000 : 300000);
	uint64_t noise = kit_below(x, 256);
	for (size_t i = 0; i < n; i++) {
		uint8_t v = (uint8_t)(kit_random(x) % (noise + 1));
		kit_put(b, &v, 1);
	}
}

/* Cuts the bytes into frames. */
static struct kit_bytes
pack(const struct kit_bytes *b, const char *ext, uint64_t *x)
{
	struct kit_bytes out = { 0 };
	size_t at = 0;
	kit_put(&out, "", 0);
	do {
		size_t n = kit_below(x, 3) ? b->n - at : kit_below(x, b->n - at + 1);
		struct kit_bytes part = { .p = b->p + at, .n = n };
		struct kit_bytes one = kit_pack(&part, ext);
		kit_put(&out, one.p, one.n);
		kit_done(&one);
		at += n;
	} while (at < b->n);
	return out;
}

static void
one(uint64_t *x)
{
	static const char *const exts[] = { "", ".zst", ".lz4" };
	static struct kit_bytes b;
	struct diag diag = { .program = "test" };
	make(&b, x);
	const char *ext = exts[kit_below(x, 3)];
	const char *path = kit_path("file.obs%s", ext);
	struct kit_bytes packed = pack(&b, ext, x);
	kit_write(path, packed.p, packed.n);
	kit_done(&packed);

	struct reader_pool pool = {
		.diag = &diag,
		.window = 4096 * (1 + kit_below(x, 20)),
		.closed_window = 4096 * (1 + kit_below(x, 20)),
		.spare_fds = (long)kit_below(x, 2),
	};
	struct reader r;
	CHECK(reader_open(&r, &pool, path, "name") == 0);
	size_t at = 0;
	size_t most = kit_below(x, 4) ? 40 : 50000;
	for (;;) {
		size_t want = 1 + kit_below(x, most);
		int rc = reader_fill(&r, want);
		size_t have = (size_t)(r.end - r.p);
		CHECK(rc == (b.n - at >= want));
		CHECK(reader_offset(&r) == at && at + have <= b.n);
		CHECK(memcmp(r.p, b.p + at, have) == 0);
		CHECK(rc == 1 || at + have == b.n);
		size_t take = rc ? 1 + kit_below(x, want) : have;
		r.p += take;
		at += take;
		if (!rc)
			break;
	}
	CHECK(!r.torn && reader_fill(&r, 1) == 0);
	reader_close(&r);
}

int
main(int argc, char **argv)
{
	uint64_t x = kit_seed(argc, argv);
	double end = kit_now() + 2.0 / check_share();
	long rounds = 0;
	do {
		one(&x);
	} while (rounds++ < 3000 && kit_now() < end);
	(void)printf("%ld rounds\n", rounds);
	return 0;
}
