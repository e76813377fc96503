/* SPDX-License-Identifier: MIT */
#include "wbuf.h"

#include "kit.h"

#include <errno.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

static void
check_file(const char *path, const char *want, size_t n)
{
	size_t have;
	char *text = kit_read(path, &have);
	CHECK(have == n && memcmp(text, want, n) == 0);
	free(text);
}

static void
plain(void)
{
	const char *path = kit_path("plain");
	kit_text(path, "longer than what follows");
	struct wbuf w;
	CHECK(wbuf_open(&w, path) == 0);
	wbuf_put(&w, "ab", 2);
	wbuf_printf(&w, "-%d-", 5);
	char *p = wbuf_reserve(&w, 3);
	memcpy(p, "xyz", 3);
	wbuf_commit(&w, p + 1);
	wbuf_put(&w, NULL, 0);
	CHECK(wbuf_flush(&w) == 0 && w.written == 6);
	wbuf_put(&w, "!", 1);
	CHECK(!wbuf_failed(&w));
	CHECK(wbuf_close(&w) == 0);
	check_file(path, "ab-5-x!", 7);
	CHECK(wbuf_close(&w) == 0); /* zeroed */
}

static void
open_fails(void)
{
	struct wbuf w;
	CHECK(wbuf_open(&w, kit_path("none/at/all")) == -ENOENT);
	CHECK(wbuf_close(&w) == 0);
	CHECK(wbuf_open(&w, kit_dir()) == -EISDIR);
	CHECK(wbuf_close(&w) == 0);
}

/* Every length around the edges of the buffer, in order and whole. */
static void
large(void)
{
	const char *path = kit_path("large");
	enum {
		N = 3 * WBUF_SIZE + 17,
	};
	char *text = malloc(N);
	CHECK(text);
	for (int i = 0; i < N; i++)
		text[i] = (char)('a' + i % 23);
	for (size_t step = 1; step < N; step = step * 5 + 1) {
		struct wbuf w;
		CHECK(wbuf_open(&w, path) == 0);
		for (size_t i = 0; i < N; i += step)
			wbuf_put(&w, text + i, N - i < step ? N - i : step);
		CHECK(wbuf_close(&w) == 0);
		check_file(path, text, N);
	}
	struct wbuf w;
	CHECK(wbuf_open(&w, path) == 0);
	wbuf_printf(&w, "%.*s", N, text); /* larger than the buffer */
	wbuf_printf(&w, "%.*s", WBUF_RESERVE_MAX - 1, text);
	wbuf_printf(&w, "%.*s", WBUF_RESERVE_MAX, text);
	CHECK(wbuf_close(&w) == 0);
	size_t n;
	char *have = kit_read(path, &n);
	CHECK(n == N + 2 * WBUF_RESERVE_MAX - 1);
	CHECK(memcmp(have, text, N) == 0);
	CHECK(memcmp(have + N, text, WBUF_RESERVE_MAX - 1) == 0);
	CHECK(memcmp(have + N + WBUF_RESERVE_MAX - 1, text, WBUF_RESERVE_MAX) == 0);
	free(have);
	free(text);
}

static void
patch(void)
{
	const char *path = kit_path("patch");
	struct wbuf w;
	CHECK(wbuf_open(&w, path) == 0);
	wbuf_put(&w, "0123456789", 10);
	CHECK(wbuf_flush(&w) == 0);
	wbuf_patch(&w, 3, "abc", 3);
	wbuf_put(&w, "+", 1); /* goes on at the end */
	CHECK(w.written == 10);
	CHECK(wbuf_close(&w) == 0);
	check_file(path, "012abc6789+", 11);
}

/* What is cut off is in the file, or still in the buffer; a full buffer is written up to the end of a page. */
static void
cut(void)
{
	enum {
		N = WBUF_SIZE / 1000 * 1000 + 5000,
	};
	const char *path = kit_path("cut");
	char *text = calloc(1, N);
	CHECK(text);
	struct wbuf w;
	CHECK(wbuf_open(&w, path) == 0);
	for (int i = 0; i < N / 1000; i++)
		wbuf_put(&w, text + i * 1000, 1000);
	CHECK(w.written > 0 && w.written % 4096 == 0 && w.written + w.used == N);
	wbuf_cut(&w, N - 10);
	wbuf_put(&w, "ab", 2);
	CHECK(w.written + w.used == N - 8);
	wbuf_cut(&w, N - 9);
	wbuf_cut(&w, 5);
	wbuf_put(&w, "xyz", 3);
	CHECK(wbuf_flush(&w) == 0);
	wbuf_cut(&w, 7);
	CHECK(wbuf_close(&w) == 0);
	check_file(path, "\0\0\0\0\0xy", 7);
	for (int i = 0; i < N; i++)
		text[i] = (char)('a' + i % 23);
	CHECK(wbuf_open(&w, path) == 0);
	wbuf_put(&w, text, 3000);
	CHECK(wbuf_flush(&w) == 0);
	wbuf_put(&w, text + 3000, 5190);
	wbuf_drain(&w); /* what is left overlaps where it was */
	CHECK(w.written == 4096 && w.used == 8190 - 4096);
	wbuf_drain(&w);
	CHECK(wbuf_close(&w) == 0);
	check_file(path, text, 8190);
	free(text);
	CHECK(wbuf_open(&w, "/dev/null") == 0);
	wbuf_put(&w, "0123456789", 10);
	CHECK(wbuf_flush(&w) == 0);
	wbuf_cut(&w, 4);
	CHECK(wbuf_close(&w) == -EINVAL);
}

/* The first failure stays, nothing crashes, close tells. */
static void
full(void)
{
	struct wbuf w;
	CHECK(wbuf_open(&w, "/dev/full") == 0);
	wbuf_put(&w, "x", 1);
	CHECK(!wbuf_failed(&w)); /* not yet known */
	CHECK(wbuf_flush(&w) == -ENOSPC && wbuf_failed(&w));
	for (int i = 0; i < 3 * WBUF_SIZE / WBUF_RESERVE_MAX; i++) {
		char *p = wbuf_reserve(&w, WBUF_RESERVE_MAX);
		CHECK(p);
		memset(p, 'x', WBUF_RESERVE_MAX);
		wbuf_commit(&w, p + WBUF_RESERVE_MAX);
	}
	wbuf_printf(&w, "%0100000d", 1);
	CHECK(w.written == 0);
	wbuf_trim(&w, '\n');
	CHECK(wbuf_close(&w) == -ENOSPC);

	CHECK(wbuf_open(&w, "/dev/full") == 0);
	wbuf_put(&w, "x", 1);
	CHECK(wbuf_close(&w) == -ENOSPC); /* close is enough to know */
}

/* A file that may not grow: cut at its last whole line, and patched. */
static void
trim(void)
{
	(void)signal(SIGXFSZ, SIG_IGN);
	struct rlimit old;
	CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
	const char *path = kit_path("trim");
	struct wbuf w;
	CHECK(wbuf_open(&w, path) == 0);
	struct rlimit small = { .rlim_cur = WBUF_SIZE + 101, .rlim_max = old.rlim_max };
	CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
	for (int i = 0; i < WBUF_SIZE; i++)
		wbuf_put(&w, "line\n", 5);
	CHECK(wbuf_flush(&w) == -EFBIG);
	CHECK(w.written == WBUF_SIZE + 101);
	wbuf_trim(&w, '\n');
	wbuf_patch(&w, 0, "LINE", 4);
	CHECK(wbuf_failed(&w) && w.error == EFBIG);
	CHECK(wbuf_close(&w) == -EFBIG);
	CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
	size_t n;
	char *text = kit_read(path, &n);
	CHECK(n == (WBUF_SIZE + 101) / 5 * 5 && text[n - 1] == '\n');
	CHECK(memcmp(text, "LINE\nline\n", 10) == 0);
	free(text);
}

int
main(void)
{
	plain();
	open_fails();
	large();
	patch();
	cut();
	full();
	trim();
	return 0;
}
