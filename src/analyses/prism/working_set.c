/* SPDX-License-Identifier: MIT */
/* working_set: how many different lines and pages are accessed in each window of time, and how many of them for the first time. */
#include "lines.h"
#include "spans.h"

enum {
	LINE_MAX_BYTES = 1 << 30,
	KEEP_MIN = 16,
	KEEP_MAX = 1 << 28,
};

/* Lines or pages. The value of each is the window in which it was accessed last. Counts are estimates when some were left out. */
struct set {
	struct lines lines;
	uint64_t now, new; /* in this window: all, and those that were not accessed before */
	uint64_t most;     /* in any window, */
	uint64_t most_in;  /* that one */
};

struct working {
	struct set lines, pages;
	uint64_t accesses, before; /* all, and those before this window */
};

static struct kit kit;
static struct spans lines, pages;
static uint64_t keep = 1 << 22;
static uint64_t window_ns = 1000000;
static uint64_t window; /* the current one, from 1; 0: none yet */
static uint64_t origin; /* of time: the first event of the trace */
static bool has_origin;
static uint64_t nwindows; /* with accesses */

/* ---- Accesses. ---- */

static void
drop(void *p)
{
	struct working *k = p;
	lines_finish(&k->lines.lines);
	lines_finish(&k->pages.lines);
	block_free(k);
}

static void *
start(void)
{
	struct working *k = block_alloc(sizeof(*k));
	if (k && lines_begin(&k->lines.lines, keep, 0) == 0 && lines_begin(&k->pages.lines, keep, 0) == 0)
		return k;
	if (k)
		drop(k);
	return NULL;
}

static void *
copy(const void *from)
{
	const struct working *old = from;
	struct working *k = block_alloc(sizeof(*k));
	if (!k)
		return NULL;
	*k = *old;
	k->pages.lines = (struct lines){ 0 };
	if (lines_copy(&k->lines.lines, &old->lines.lines) == 0 && lines_copy(&k->pages.lines, &old->pages.lines) == 0)
		return k;
	drop(k);
	return NULL;
}

static struct kit_streams streams = { .start = start, .copy = copy };

/* Returns 0, or -1 when memory is exhausted. */
static int
touch(struct set *s, uint64_t key)
{
	uint64_t hash = lines_hash(key);
	if (!lines_keeps(&s->lines, hash))
		return 0;
	struct line *line = lines_slot(&s->lines, key, hash);
	if (line->value == window)
		return 0;
	if (line->value) {
		line->value = window;
		s->now += UINT64_C(1) << s->lines.cut;
		return 0;
	}
	int rc;
	while ((rc = lines_reserve(&s->lines)) > 0)
		lines_halve(&s->lines);
	if (rc < 0 || !lines_keeps(&s->lines, hash))
		return rc;
	*lines_slot(&s->lines, key, hash) = (struct line){ key, window };
	s->lines.n++;
	s->now += UINT64_C(1) << s->lines.cut;
	s->new += UINT64_C(1) << s->lines.cut;
	return 0;
}

static int
touch_all(struct set *one, struct set *all, const struct spans *s, uint32_t process, const struct prism_mem *ev)
{
	uint32_t n;
	int rc = 0;
	for (uint64_t key = spans_keys(s, process, ev, &n); n && rc == 0; n--, key++)
		rc = touch(one, key) < 0 || (one != all && touch(all, key) < 0) ? -1 : 0;
	return rc;
}

/* ---- The report. ---- */

static void
put_head(void)
{
	struct wbuf *w = &kit.out;
	uint64_t line = UINT64_C(1) << lines.shift;
	uint64_t page = UINT64_C(1) << pages.shift;
	if (kit.json) {
		kit_open_json(&kit, "working_set");
		json_u64(w, "window", window_ns);
		json_u64(w, "line", line);
		json_u64(w, "page", page);
		json_open(w, "windows", '[');
		return;
	}
	wbuf_printf(w, "working sets: lines of %" PRIu64 " bytes and pages of %" PRIu64 ", in windows of %" PRIu64 " ns\n\n", line, page, window_ns);
	wbuf_printf(w, "%16s %6s %12s %12s %12s %12s %12s\n", "from ns", "stream", "accesses", "lines", "new lines", "pages", "new pages");
}

static void
put_window(void *p, const char *stream)
{
	const struct working *k = p;
	struct wbuf *w = &kit.out;
	if (k->accesses == k->before)
		return;
	uint64_t from = (window - 1) * window_ns;
	if (!kit.json) {
		wbuf_printf(w, "%16" PRIu64 " %6s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n", from, stream ? stream : "all",
			k->accesses - k->before, k->lines.now, k->lines.new, k->pages.now, k->pages.new);
		return;
	}
	json_newline(w);
	json_open(w, NULL, '{');
	json_u64(w, "from", from);
	json_key(w, "stream");
	put_str(w, stream ? stream : "null");
	json_u64(w, "accesses", k->accesses - k->before);
	json_u64(w, "lines", k->lines.now);
	json_u64(w, "new_lines", k->lines.new);
	json_u64(w, "pages", k->pages.now);
	json_u64(w, "new_pages", k->pages.new);
	json_close(w, '}');
}

static void
begin_set(struct set *s)
{
	if (s->now > s->most) {
		s->most = s->now;
		s->most_in = window;
	}
	s->now = s->new = 0;
}

static void
begin_window(void *p, const char *stream)
{
	(void)stream;
	struct working *k = p;
	begin_set(&k->lines);
	begin_set(&k->pages);
	k->before = k->accesses;
}

static void
end_window(void)
{
	if (!window)
		return;
	nwindows++;
	kit_put_streams(&streams, put_window);
	kit_put_streams(&streams, begin_window);
}

static void
put_total_of(const char *what, const struct set *s)
{
	struct wbuf *w = &kit.out;
	uint64_t n = (uint64_t)s->lines.n << s->lines.cut;
	uint64_t from = (s->most_in - 1) * window_ns;
	if (kit.json) {
		json_open(w, what, '{');
		json_u64(w, "all", n);
		json_u64(w, "most", s->most);
		json_u64(w, "most_from", from);
		json_u64(w, "sample", UINT64_C(1) << s->lines.cut);
		json_close(w, '}');
		return;
	}
	wbuf_printf(w, ", %" PRIu64 " %s, %" PRIu64 " at most, from %" PRIu64 " ns on", n, what, s->most, from);
	if (s->lines.cut)
		wbuf_printf(w, " (estimated by one of %" PRIu64 ")", UINT64_C(1) << s->lines.cut);
}

static void
put_total(void *p, const char *stream)
{
	const struct working *k = p;
	struct wbuf *w = &kit.out;
	if (kit.json) {
		json_newline(w);
		json_open(w, NULL, '{');
		json_key(w, "stream");
		put_str(w, stream ? stream : "null");
		json_u64(w, "accesses", k->accesses);
	} else {
		wbuf_printf(w, "%s%s: %" PRIu64 " accesses", stream ? "stream " : "all streams", stream ? stream : "", k->accesses);
	}
	put_total_of("lines", &k->lines);
	put_total_of("pages", &k->pages);
	put_str(w, kit.json ? "}" : "\n");
}

static int
finish(void *u)
{
	(void)u;
	struct wbuf *w = &kit.out;
	if (!has_origin)
		put_head();
	end_window();
	if (kit.json) {
		json_close(w, ']');
		json_open(w, "streams", '[');
		kit_put_streams(&streams, put_total);
		json_close(w, ']');
		kit_close_json(&kit);
	} else {
		wbuf_printf(w, "\n%" PRIu64 " windows with accesses\n", nwindows);
		kit_put_streams(&streams, put_total);
	}
	return kit_finish(&kit);
}

KIT_RELEASE
release(void)
{
	kit_finish_streams(&streams, drop);
	spans_finish(&lines);
	spans_finish(&pages);
	kit_release(&kit);
}

/* ---- Events. ---- */

/* Times count from the first event of the trace, as in the timelines. The report begins with it, when the arguments are known to be
 * right. */
static void
note_origin(const struct prism_at *at)
{
	if (has_origin)
		return;
	origin = at->clock_ns;
	has_origin = true;
	put_head();
}

static int
on_mem(void *u, const struct prism_at *at, const struct prism_mem *ev)
{
	(void)u;
	note_origin(at);
	uint64_t now = (at->clock_ns - origin) / window_ns + 1;
	if (now != window) {
		end_window();
		window = now;
	}
	struct working *one = kit_stream(&streams, at->stream);
	if (!one)
		return kit_no_memory(&kit);
	struct working *all = streams.all;
	int64_t process = spans_process(&lines, &kit, at);
	if (process < 0 || spans_process(&pages, &kit, at) < 0)
		return -1;
	one->accesses++;
	all->accesses += one != all;
	int rc = touch_all(&one->lines, &all->lines, &lines, (uint32_t)process, ev);
	if (rc == 0)
		rc = touch_all(&one->pages, &all->pages, &pages, (uint32_t)process, ev);
	return rc < 0 ? kit_no_memory(&kit) : 0;
}

/* Other events are asked for only until the first of them has come: 1 is to be left alone. */
static int
first_mem(void *u, const struct prism_at *at, const struct prism_mem *ev)
{
	(void)u;
	(void)ev;
	note_origin(at);
	return 1;
}

static int
first_comp(void *u, const struct prism_at *at, const struct prism_comp *ev)
{
	(void)u;
	(void)ev;
	note_origin(at);
	return 1;
}

static int
first_sync(void *u, const struct prism_at *at, const struct prism_sync *ev)
{
	(void)u;
	(void)ev;
	note_origin(at);
	return 1;
}

static int
first_cxt(void *u, const struct prism_at *at, const struct prism_cxt *ev)
{
	(void)u;
	(void)ev;
	note_origin(at);
	return 1;
}

static int
first_cfg(void *u, const struct prism_at *at, const struct prism_cfg *ev)
{
	(void)u;
	(void)ev;
	note_origin(at);
	return 1;
}

static int
begin(void *u, struct prism_run *r)
{
	(void)u;
	static const struct prism_hooks first = {
		PRISM_HOOKS_HEAD,
		.name = "working_set",
		.mem = first_mem,
		.comp = first_comp,
		.sync = first_sync,
		.cxt = first_cxt,
		.cfg = first_cfg,
	};
	uint64_t line = 64, page = 4096;
	if (kit_begin(&kit, r) < 0 || kit_time(&kit, "window", &window_ns) < 0 || kit_power(&kit, "line", LINE_MAX_BYTES, &line) < 0 ||
		kit_power(&kit, "page", LINE_MAX_BYTES, &page) < 0 || prism_argument_number(r, "keep", KEEP_MIN, KEEP_MAX, &keep) < 0 ||
		prism_hooks_add(r, &first, NULL) < 0 || kit_open(&kit) < 0)
		return -1;
	lines.shift = (unsigned)__builtin_ctzll(line);
	pages.shift = (unsigned)__builtin_ctzll(page);
	return 0;
}

const struct prism_hooks prism_tool = {
	PRISM_HOOKS_HEAD,
	.name = "working_set",
	.needs = { .mem = PRISM_HAS_ADDR },
	.begin = begin,
	.mem = on_mem,
	.finish = finish,
};
