/* SPDX-License-Identifier: MIT */
/* Files through a window: plain, zstd, LZ4, gzip, cut and damaged. */
#include "reader.h"

#include "arena.h"
#include "kit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *const exts[] = { ".obs", ".obs.zst", ".obs.lz4", ".obs.gz" };

enum {
	KINDS = 4,
	GZIP = 3,
};

static struct diag diag = { .program = "test" };
static struct reader_pool pool;

static void
reset(void)
{
	pool = (struct reader_pool){ .diag = &diag, .window = 4096, .closed_window = 8192, .spare_fds = 10 };
}

/* Bytes that neither repeat nor compress to nothing. */
static struct kit_bytes
sample(size_t n)
{
	struct kit_bytes b = { 0 };
	uint64_t x = 88172645463325252u;
	for (size_t i = 0; i < n; i++) {
		uint8_t v = (uint8_t)(kit_random(&x) & (i % 1000 < 500 ? 0x0f : 0xff));
		kit_put(&b, &v, 1);
	}
	return b;
}

static const char *
put_file(const struct kit_bytes *b, const char *ext)
{
	const char *path = kit_path("file%s", ext);
	struct kit_bytes packed = kit_pack(b, strchr(ext + 1, '.') ? strchr(ext + 1, '.') : ext);
	kit_write(path, packed.p, packed.n);
	kit_done(&packed);
	return path;
}

/* Takes `step` bytes at a time, and compares. */
static void
read_all(const char *path, const struct kit_bytes *want, size_t step)
{
	struct reader r;
	CHECK(reader_open(&r, &pool, path, "name") == 0);
	size_t at = 0;
	for (;;) {
		int rc = reader_fill(&r, step);
		CHECK(rc >= 0);
		size_t have = (size_t)(r.end - r.p);
		CHECK(rc == (have >= step) && reader_offset(&r) == at);
		size_t n = rc ? step : have;
		CHECK(at + n <= want->n && memcmp(r.p, want->p + at, n) == 0);
		if (!strstr(path, ".obs."))
			CHECK(reader_left(&r) == want->n - at);
		else
			CHECK(reader_left(&r) == UINT64_MAX);
		r.p += n;
		at += n;
		if (!rc)
			break;
	}
	CHECK(at == want->n && r.eof && !r.torn);
	CHECK(reader_fill(&r, 1) == 0);
	reader_close(&r);
	reader_close(&r);
}

static void
windows(void)
{
	static const size_t steps[] = { 1, 12, 28, 4095, 4096, 4097, 10000, 70000, 300000 };
	struct kit_bytes b = sample(200000);
	for (int e = 0; e < KINDS; e++) {
		const char *path = put_file(&b, exts[e]);
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			for (int spare = 0; spare < 2; spare++) {
				reset();
				pool.spare_fds = spare;
				read_all(path, &b, steps[i]);
				CHECK(pool.spare_fds == spare);
			}
		}
	}
	kit_done(&b);
}

static void
empty(void)
{
	struct kit_bytes b = { 0 };
	kit_put(&b, "", 0);
	reset();
	for (int e = 0; e < KINDS; e++)
		read_all(put_file(&b, exts[e]), &b, 8);
	/* Not even a frame. */
	kit_text(kit_path("none.obs.zst"), "");
	kit_text(kit_path("none.obs.lz4"), "");
	kit_text(kit_path("none.obs.gz"), "");
	read_all(kit_path("none.obs.zst"), &b, 8);
	read_all(kit_path("none.obs.lz4"), &b, 8);
	read_all(kit_path("none.obs.gz"), &b, 8);
	kit_done(&b);
}

/* Frames, and members of gzip, may follow each other; those of zstd that are to be skipped, anywhere. */
static void
frames(void)
{
	static const uint8_t skip[] = { 0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z' };
	struct kit_bytes b = sample(50000);
	for (int e = 1; e < KINDS; e++) {
		const char *ext = exts[e] + 4;
		struct kit_bytes twice = { 0 };
		struct kit_bytes want = { 0 };
		for (int i = 0; i < 3; i++) {
			struct kit_bytes one = kit_pack(&b, ext);
			kit_put(&twice, skip, e == GZIP ? 0 : sizeof(skip));
			kit_put(&twice, one.p, one.n);
			kit_put(&want, b.p, b.n);
			kit_done(&one);
		}
		kit_put(&twice, skip, e == GZIP ? 0 : sizeof(skip));
		const char *path = kit_path("twice%s", exts[e]);
		kit_write(path, twice.p, twice.n);
		reset();
		read_all(path, &want, 12);
		kit_done(&twice);
		kit_done(&want);
	}
	kit_done(&b);
}

/* Cut anywhere: what can be decoded is there, and the end is known not to be one. */
static void
torn(void)
{
	struct kit_bytes b = sample(30000);
	for (int e = 1; e < KINDS; e++) {
		struct kit_bytes packed = kit_pack(&b, exts[e] + 4);
		const char *path = kit_path("torn%s", exts[e]);
		for (size_t cut = 1; cut < packed.n; cut += cut < 40 ? 1 : 997) {
			kit_write(path, packed.p, cut);
			reset();
			struct reader r;
			CHECK(reader_open(&r, &pool, path, "name") == 0);
			CHECK(reader_fill(&r, b.n + 1) == 0);
			CHECK(r.torn && r.eof);
			CHECK((size_t)(r.end - r.p) <= b.n && memcmp(r.p, b.p, (size_t)(r.end - r.p)) == 0);
			reader_close(&r);
		}
		kit_done(&packed);
	}
	kit_done(&b);
}

static void
garbage(void)
{
	struct kit_bytes b = sample(30000);
	for (int e = 1; e < KINDS; e++) {
		const char *path = kit_path("garbage%s", exts[e]);
		kit_text(path, "this is not a frame of any kind, and rather long at that");
		reset();
		struct reader r;
		CHECK(reader_open(&r, &pool, path, "the-name") == 0);
		kit_capture();
		CHECK(reader_fill(&r, 8) == -ERR_STREAM_CORRUPT);
		CHECK(strstr(kit_captured(), "at the-name +0x0"));
		reader_close(&r);

		/* Behind a good frame. */
		struct kit_bytes packed = kit_pack(&b, exts[e] + 4);
		kit_put(&packed, "garbage garbage garbage", 23);
		kit_write(path, packed.p, packed.n);
		CHECK(reader_open(&r, &pool, path, "name") == 0);
		CHECK(reader_fill(&r, 100) == 1);
		kit_capture();
		CHECK(reader_fill(&r, b.n + 1) == -ERR_STREAM_CORRUPT);
		(void)kit_captured();
		reader_close(&r);
		kit_done(&packed);
	}
	kit_done(&b);
}

static void
open_fails(void)
{
	reset();
	struct reader r;
	kit_capture();
	CHECK(reader_open(&r, &pool, kit_path("absent"), "name") == -ERR_READ);
	reader_close(&r);
	CHECK(reader_open(&r, &pool, kit_dir(), "name") == -ERR_READ);
	CHECK(strstr(kit_captured(), "not a regular file"));
	CHECK(pool.spare_fds == 10);
	reader_close(&r);
}

/* A file that shrinks, or goes away, while it is read. */
static void
changes(void)
{
	struct kit_bytes b = sample(100000);
	const char *path = put_file(&b, ".obs");
	reset();
	struct reader r;
	CHECK(reader_open(&r, &pool, path, "name") == 0);
	CHECK(reader_fill(&r, 100) == 1);
	CHECK(truncate(path, 5000) == 0);
	CHECK(reader_fill(&r, 6000) == 0 && r.end - r.p == 5000);
	reader_close(&r);

	(void)put_file(&b, ".obs");
	pool.spare_fds = 0;
	CHECK(reader_open(&r, &pool, path, "name") == 0);
	CHECK(r.fd < 0 && reader_fill(&r, 100) == 1 && r.fd < 0);
	CHECK(unlink(path) == 0);
	kit_capture();
	CHECK(reader_fill(&r, 50000) == -ERR_READ);
	CHECK(strstr(kit_captured(), "cannot open"));
	reader_close(&r);
	kit_done(&b);
}

/* The window follows the number of files; one may still be read with no descriptor. */
static void
pools(void)
{
	struct rlimit lim;
	CHECK(getrlimit(RLIMIT_NOFILE, &lim) == 0);
	size_t last = SIZE_MAX;
	for (size_t n = 0; n < 1000000; n = n * 3 + 1) {
		reader_pool_init(&pool, &diag, n);
		CHECK(pool.diag == &diag && pool.window >= 4096 && pool.window % 4096 == 0);
		CHECK(pool.window <= last && pool.spare_fds >= 0);
		CHECK(pool.closed_window >= pool.window && pool.closed_window % 4096 == 0);
		last = pool.window;
	}
	CHECK(last == 4096);
	CHECK(setrlimit(RLIMIT_NOFILE, &lim) == 0);
}

int
main(void)
{
	windows();
	empty();
	frames();
	torn();
	garbage();
	open_fails();
	changes();
	pools();
	return 0;
}
