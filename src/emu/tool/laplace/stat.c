/* SPDX-License-Identifier: MIT */
/* The subcommand stat: what is in a trace, in numbers. */
#include "tool.h"

#include "jsonout.h"
#include "laplace/count.h"
#include "laplace/kernel.h"

#include <inttypes.h>

struct stats {
	struct ltool *tool;
	struct wbuf *out;
	uint64_t refs[7];  /* by lap_kinds */
	uint64_t bytes[7]; /* by lap_kinds */
	uint64_t events[LAP_OTHER + 1];
	uint64_t unknown[256];         /* those of LAP_OTHER, by tag */
	uint64_t classes[LAP_CLASSES]; /* of the pages that references touch */
	uint64_t records;
	uint64_t first;
	uint64_t last;
	bool basic; /* records have no times, and no lengths */

	struct lapcount pages;
	uint64_t window; /* the current one, from 0 */
	uint64_t kernel; /* events in it */
	uint64_t active; /* windows with references */
	uint64_t sum;    /* of the pages touched in each */
	uint64_t most;
};

/* ---- Counting. ---- */

/* The columns of a line of CSV, behind the first cycle of the window. */
static const struct {
	const char *name;
	int total; /* enum lapcount_total */
} columns[] = {
	{ "loads", LAPCOUNT_LOADS },
	{ "stores", LAPCOUNT_STORES },
	{ "fetches", LAPCOUNT_FETCHES },
	{ "load_bytes", LAPCOUNT_LOAD_BYTES },
	{ "store_bytes", LAPCOUNT_STORE_BYTES },
	{ "fetch_bytes", LAPCOUNT_FETCH_BYTES },
	{ "working_set", LAPCOUNT_WORKING_SET },
	{ "new_pages", LAPCOUNT_NEW_PAGES },
};

static void
put_columns(struct stats *s)
{
	wbuf_printf(s->out, "cycle");
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		wbuf_printf(s->out, ",%s", columns[i].name);
	wbuf_printf(s->out, ",footprint,kernel_events\n");
}

static void
put_window(struct stats *s)
{
	wbuf_printf(s->out, "%" PRIu64, s->first + s->window * s->tool->window);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		wbuf_printf(s->out, ",%" PRIu64, s->pages.n[columns[i].total]);
	wbuf_printf(s->out, ",%" PRIu64 ",%" PRIu64 "\n", s->pages.footprint, s->kernel);
}

/* Windows have records: those without any are passed over. */
static void
end_window(struct stats *s)
{
	uint64_t n = s->pages.n[LAPCOUNT_WORKING_SET];
	s->active += n > 0;
	s->sum += n;
	s->most = n > s->most ? n : s->most;
	if (s->tool->csv && s->records)
		put_window(s);
	memset(s->pages.n, 0, sizeof(s->pages.n));
	s->kernel = 0;
}

/* Counts a page. Returns 1 if it was not touched before, 0, or <0 (reported). */
static int
count_page(struct stats *s, uint64_t page)
{
	/* Windows with pages are numbered: the marks of more than four billion of them are used again. */
	uint32_t mark = (uint32_t)(s->active % UINT32_MAX) + 1;
	int touched = page ? lapcount_touch(&s->pages, page, mark) : LAPCOUNT_OLD; /* 0: not known */
	s->pages.n[LAPCOUNT_NEW_PAGES] += touched == LAPCOUNT_EVER;
	return touched < 0 ? conv_no_memory(&s->tool->conv) : touched == LAPCOUNT_EVER;
}

static int
count_record(void *self, const struct lap_record *rec, const struct lap_place *at)
{
	struct stats *s = self;
	struct lap_step step = { 0 };
	int rc = rec->type == LAP_PAGE ? 1 : ltool_step(s->tool, rec, at, &step);
	if (rc <= 0)
		return rc;
	if (s->records == 0)
		s->first = rec->ts;
	s->last = rec->ts;
	uint64_t window = (rec->ts - s->first) / s->tool->window;
	if (window != s->window)
		end_window(s);
	s->window = window;
	s->records++;
	if (rec->type == LAP_EVENT) {
		s->events[rec->event->code]++;
		s->unknown[rec->event->tag] += rec->event->code == LAP_OTHER;
		s->kernel++;
		return 0;
	}
	unsigned kind = lap_kinds[rec->kind];
	s->refs[kind]++;
	s->bytes[kind] += rec->length;
	s->pages.n[LAPCOUNT_LOADS + (kind - 1) % 3]++;
	s->pages.n[LAPCOUNT_LOAD_BYTES + (kind - 1) % 3] += s->basic ? 0 : rec->length;
	if (rec->type == LAP_PAGE)
		return count_page(s, rec->page);
	for (int i = 0; rc >= 0 && i < step.ntouches; i++) {
		const struct lap_touch *t = &step.touch[i];
		bool known;
		rc = count_page(s, t->page);
		if (rc > 0)
			s->classes[t->class ? t->class : lappages_class(&s->tool->machine.pages, step.space, t->addr, &known)]++;
	}
	return rc;
}

/* ---- Output, as text or as JSON. ---- */

static void
put_total(struct stats *s, const char *name, uint64_t n)
{
	if (s->tool->json)
		json_words(s->out, name, n);
	else
		wbuf_printf(s->out, "%-14s %" PRIu64 "\n", name, n);
}

/* Begins and ends a list in JSON; as text it is indented. */
static void
put_list(struct stats *s, const char *name)
{
	if (s->tool->json && name)
		json_open(s->out, name, '{');
	else if (s->tool->json)
		json_close(s->out, '}');
}

/* tag: the letter of an item of the list, 0: it has none. */
static void
put_item(struct stats *s, char tag, const char *name, uint64_t n)
{
	if (n && s->tool->json)
		json_words(s->out, name, n);
	else if (n && tag)
		wbuf_printf(s->out, "  %c %-18s %" PRIu64 "\n", tag, name, n);
	else if (n)
		wbuf_printf(s->out, "  %-20s %" PRIu64 "\n", name, n);
}

static void
put_kinds(struct stats *s)
{
	static const char *const kinds[] = { "", "load", "store", "fetch", "load again", "store again", "fetch again" };
	struct wbuf *w = s->out;
	bool bytes = !s->basic;
	put_list(s, "kinds");
	for (int i = 1; i <= 6; i++)
		if (s->tool->json || !bytes)
			put_item(s, " rwiRWI"[i], kinds[i], s -> refs[i]);
		else if (s->refs[i])
			wbuf_printf(w, "  %c %-18s %" PRIu64 ", %" PRIu64 " bytes\n", " rwiRWI"[i], kinds[i], s -> refs[i], s -> bytes[i]);
	put_list(s, NULL);
	if (!s->tool->json || !bytes)
		return;
	put_list(s, "bytes");
	for (int i = 1; i <= 6; i++)
		put_item(s, 0, kinds[i], s->bytes[i]);
	put_list(s, NULL);
}

/* Events whose tags are not in the catalogue. */
static void
put_others(struct stats *s)
{
	put_list(s, "unknown_tags");
	for (int tag = 0; tag < 256; tag++)
		put_item(s, (char)tag, s->tool->json ? (char[]){ (char)tag, 0 } : lap_tags[LAP_OTHER - 1].name, s->unknown[tag]);
	put_list(s, NULL);
}

static void
put_cycles(struct stats *s)
{
	if (!s->tool->json) {
		wbuf_printf(s->out, "first cycle    %" PRIx64 "\nlast cycle     %" PRIx64 "\n", s->first, s->last);
		wbuf_printf(s->out, "span           %" PRIu64 " cycles\n", s->last - s->first);
		return;
	}
	put_total(s, "first cycle", s->first);
	put_total(s, "last cycle", s->last);
	put_total(s, "span", s->last - s->first);
}

static void
put_working_set(struct stats *s)
{
	double mean = (double)s->sum / (double)s->active;
	if (!s->tool->json) {
		wbuf_printf(s->out, "working set    %.1f pages on average, %" PRIu64 " at most, in %" PRIu64 " windows of %" PRIu64 " %s\n",
			mean, s->most, s->active, s->tool->window, s->basic ? "references" : "cycles");
		return;
	}
	put_list(s, "working_set");
	json_key(s->out, "mean");
	wbuf_printf(s->out, "%.1f", mean);
	put_total(s, "most", s->most);
	put_total(s, "windows", s->active);
	put_total(s, "window", s->tool->window);
	put_list(s, NULL);
}

static void
put_stats(struct stats *s)
{
	static const char *const classes[LAP_CLASSES] = {
		[LAP_CLASS_ANONYMOUS] = "anonymous",
		[LAP_CLASS_FILE] = "of files",
		[LAP_CLASS_SEGMENT] = "of shared segments",
		[LAP_CLASS_UNMAPPED] = "in no mapping",
		[LAP_CLASS_COPY] = "copied on write",
		[LAP_CLASS_KERNEL] = "of the kernel",
	};
	const struct lapmachine *m = &s->tool->machine;
	uint64_t refs = 0;
	for (int i = 1; i <= 6; i++)
		refs += s->refs[i];
	if (s->tool->json)
		json_open(s->out, NULL, '{');
	put_total(s, "records", s->records);
	put_total(s, "references", refs);
	put_kinds(s);
	put_total(s, "kernel events", s->records - refs);
	put_list(s, "events");
	for (int i = 0; i < LAP_TAGS; i++)
		put_item(s, (char)lap_tags[i].tag, lap_tags[i].name, s->events[i + 1]);
	put_list(s, NULL);
	if (s->events[LAP_OTHER])
		put_others(s);
	if (s->records && !s->basic)
		put_cycles(s);
	if (m->ntasks || m->pages.nspaces) {
		put_total(s, "tasks", m->ntasks);
		put_total(s, "address spaces", m->pages.nspaces);
	}
	put_total(s, "pages touched", s->pages.footprint);
	put_list(s, "classes");
	for (int i = 1; i < LAP_CLASSES; i++)
		put_item(s, 0, classes[i], s->classes[i]);
	put_list(s, NULL);
	if (s->active)
		put_working_set(s);
	if (s->tool->json)
		json_end(s->out);
}

static int
run_stat(struct conv *c, int argc, char **argv)
{
	struct ltool *t = ltool_of(c);
	struct stats s = { .tool = t, .out = &c->out, .pages = { .dense = true } };
	if (t->csv && t->json)
		return conv_usage(c, "--csv and --json are two forms: which is it?");
	int rc = ltool_open(t, argc, argv, conv_open_output);
	s.basic = rc == 0 && t->nreaders == 1 && t->readers[0].options.format == LAP_BASIC;
	if (rc == 0 && t->csv)
		put_columns(&s);
	if (rc == 0)
		rc = ltool_each(t, count_record, &s);
	end_window(&s);
	if (rc == 0 && !t->csv)
		put_stats(&s);
	lapcount_finish(&s.pages);
	return rc;
}

const struct conv_command lcommand_stat = {
	.name = "stat",
	.synopsis = "[options] [FILE...]",
	.brief = "counts, span, pages and working set, also by window",
	.about = "Count records by kind, and the pages that they touch.",
	.with = CONV_WITH_OUTPUT | LTOOL_WITH_FORMAT | LTOOL_WITH_MACHINE | LTOOL_WITH_WINDOW | LTOOL_WITH_KERNEL | LTOOL_WITH_JSON,
	.max_args = -1,
	.run = run_stat,
};
