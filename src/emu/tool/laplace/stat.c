/* SPDX-License-Identifier: MIT */
/* The subcommand stat: what is in a trace, in numbers. */
#include "tool.h"

#include "laplace/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* When a page was last touched: the windows count from 1. */
struct seen {
	uint64_t page; /* 0: free */
	uint64_t window;
};

struct stats {
	struct ltool *tool;
	uint64_t refs[7];  /* by lap_kinds */
	uint64_t bytes[7]; /* by lap_kinds */
	uint64_t events[LAP_TAGS + 1];
	uint64_t classes[LAP_CLASSES]; /* first touches */
	uint64_t records;
	uint64_t first;
	uint64_t last;

	struct seen *pages;
	size_t npages;
	size_t cap; /* power of two */

	uint64_t window; /* the current one, from 1 */
	uint64_t in_window;
	uint64_t active; /* windows with references */
	uint64_t sum;
	uint64_t most;
};

static struct seen *
slot_of(const struct seen *pages, size_t cap, uint64_t page)
{
	size_t i = (size_t)(page * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (cap - 1);
	while (pages[i].page && pages[i].page != page)
		i = (i + 1) & (cap - 1);
	return (struct seen *)&pages[i];
}

static int
grow(struct stats *s)
{
	size_t cap = s->cap ? s->cap * 2 : 1024;
	struct seen *pages = calloc(cap, sizeof(*pages));
	if (!pages) {
		(void)ltool_code(s->tool, -LAP_E_MEMORY);
		return -1;
	}
	for (size_t i = 0; i < s->cap; i++)
		if (s->pages[i].page)
			*slot_of(pages, cap, s->pages[i].page) = s->pages[i];
	free(s->pages);
	s->pages = pages;
	s->cap = cap;
	return 0;
}

static void
end_window(struct stats *s)
{
	s->active += s->in_window > 0;
	s->sum += s->in_window;
	if (s->in_window > s->most)
		s->most = s->in_window;
	s->in_window = 0;
}

static int
count_page(struct stats *s, uint64_t page)
{
	if (page == 0) /* not known */
		return 0;
	if (!s->pages || s->npages * 4 >= s->cap * 3) {
		int rc = grow(s);
		if (rc < 0)
			return rc;
	}
	struct seen *p = slot_of(s->pages, s->cap, page);
	s->npages += p->page == 0;
	p->page = page;
	if (p->window != s->window) {
		p->window = s->window;
		s->in_window++;
	}
	return 0;
}

static int
count_record(struct stats *s, const struct lap_record *rec, const struct lap_step *step)
{
	if (s->records++ == 0)
		s->first = rec->ts;
	s->last = rec->ts;
	uint64_t window = (rec->ts - s->first) / s->tool->window + 1;
	if (window != s->window)
		end_window(s);
	s->window = window;
	if (rec->type == LAP_EVENT) {
		s->events[rec->event->code]++;
		return 0;
	}
	unsigned kind = lap_kinds[rec->kind];
	s->refs[kind]++;
	s->bytes[kind] += rec->length;
	if (rec->type == LAP_PAGE)
		return count_page(s, rec->page);
	int rc = 0;
	for (int i = 0; rc == 0 && i < step->ntouches; i++) {
		s->classes[step->touch[i].class]++;
		rc = count_page(s, step->touch[i].page);
	}
	return rc;
}

/* ---- What is printed. ---- */

static void
print_stats(struct stats *s, const struct lapmachine *m, bool basic)
{
	static const char *const kinds[] = { "", "load", "store", "fetch", "load again", "store again", "fetch again" };
	static const char *const letters = " rwiRWI";
	static const char *const classes[LAP_CLASSES] = {
		[LAP_CLASS_ANONYMOUS] = "anonymous",
		[LAP_CLASS_FILE] = "of files",
		[LAP_CLASS_SEGMENT] = "of shared segments",
		[LAP_CLASS_UNMAPPED] = "in no mapping",
		[LAP_CLASS_KERNEL] = "of the kernel",
	};
	struct wbuf *w = &s->tool->conv.out;
	uint64_t refs = 0;
	for (int i = 1; i <= 6; i++)
		refs += s->refs[i];
	wbuf_printf(w, "records        %" PRIu64 "\n", s->records);
	wbuf_printf(w, "references     %" PRIu64 "\n", refs);
	for (int i = 1; i <= 6; i++) {
		if (s->refs[i] && basic)
			wbuf_printf(w, "  %c %-18s %" PRIu64 "\n", letters[i], kinds[i], s->refs[i]);
		else if (s->refs[i])
			wbuf_printf(w, "  %c %-18s %" PRIu64 ", %" PRIu64 " bytes\n", letters[i], kinds[i], s->refs[i], s->bytes[i]);
	}
	wbuf_printf(w, "kernel events  %" PRIu64 "\n", s->records - refs);
	for (int i = 0; i < LAP_TAGS; i++)
		if (s->events[i + 1])
			wbuf_printf(w, "  %c %-18s %" PRIu64 "\n", lap_tags[i].tag, lap_tags[i].name, s->events[i + 1]);
	if (s->records && !basic) {
		wbuf_printf(w, "first cycle    %" PRIx64 "\n", s->first);
		wbuf_printf(w, "last cycle     %" PRIx64 "\n", s->last);
		wbuf_printf(w, "span           %" PRIu64 " cycles\n", s->last - s->first);
	}
	if (m->ntasks || m->pages.nspaces)
		wbuf_printf(w, "tasks          %zu\naddress spaces %zu\n", m->ntasks, m->pages.nspaces);
	wbuf_printf(w, "pages touched  %zu\n", s->npages);
	for (int i = 1; i < LAP_CLASSES; i++)
		if (s->classes[i])
			wbuf_printf(w, "  %-20s %" PRIu64 "\n", classes[i], s->classes[i]);
	if (s->active)
		wbuf_printf(w, "working set    %.1f pages on average, %" PRIu64 " at most, in %" PRIu64 " windows of %" PRIu64 " %s\n",
			(double)s->sum / (double)s->active, s->most, s->active, s->tool->window, basic ? "references" : "cycles");
}

static int
count_all(struct stats *s, struct lapmerge *merge, struct lapmachine *m)
{
	const struct lap_record *rec;
	const struct lapread *of;
	int rc;
	while ((rc = lapmerge_next(merge, &rec, &of)) > 0) {
		struct lap_place at = lapread_place(of);
		struct lap_step step = { 0 };
		if (rec->type != LAP_PAGE)
			rc = lapmachine_step(m, rec, &at, &step);
		if (rc > 0)
			rc = count_record(s, rec, &step);
		if (rc < 0)
			return ltool_code(s->tool, rc);
		if (conv_stop(&s->tool->conv))
			return -1;
	}
	end_window(s);
	return rc;
}

static int
run_stat(struct conv *c, int argc, char **argv)
{
	struct ltool *t = ltool_of(c);
	struct stats s = { .tool = t };
	struct lapmerge merge = { 0 };
	struct lapmachine machine = { 0 };
	int rc = ltool_open_inputs(t, argc, argv, t->format);
	if (rc == 0)
		rc = conv_open_output(&t->conv, t->conv.out_path);
	if (rc == 0)
		rc = ltool_machine(t, &machine);
	if (rc == 0)
		rc = ltool_merge(t, &merge);
	bool basic = t->nreaders == 1 && t->readers[0].options.format == LAP_BASIC;
	if (rc == 0)
		rc = count_all(&s, &merge, &machine);
	if (rc == 0)
		print_stats(&s, &machine, basic);
	free(s.pages);
	lapmerge_close(&merge);
	lapmachine_finish(&machine);
	return rc;
}

const struct conv_command lcommand_stat = {
	.name = "stat",
	.synopsis = "[options] [FILE...]",
	.brief = "counts, span, pages and working set",
	.about = "Count records by kind, and the pages that they touch.",
	.with = CONV_WITH_OUTPUT | LTOOL_WITH_FORMAT | LTOOL_WITH_MACHINE | LTOOL_WITH_WINDOW | LTOOL_WITH_KERNEL,
	.max_args = -1,
	.run = run_stat,
};
