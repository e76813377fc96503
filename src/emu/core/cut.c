/* SPDX-License-Identifier: MIT */
#include "cut.h"

#include "emu.h"
#include "run.h"
#include "track.h"
#include "when.h"

#include <inttypes.h>

/* ---- Times. ---- */

bool
cut_parse(const char *text, struct cut_time *t, const char **why)
{
	struct when w = { 0 };
	bool less = false;
	*t = (struct cut_time){ 0 };
	*why = NULL;
	bool from_end = when_skip_end(&text, &less);
	if (!from_end && when_parse_percent(text, &t->percent, why)) {
		t->unit = CUT_PERCENT;
		return !*why;
	}
	if ((!from_end || less) && !when_parse(text, &w, why))
		return false;
	t->unit = from_end ? CUT_END : w.relative ? CUT_SINCE
						  : CUT_CLOCK;
	t->ns = w.ns;
	return true;
}

static bool
is_of_end(const struct cut_time *t)
{
	return t->unit == CUT_PERCENT || t->unit == CUT_END;
}

bool
cut_needs_end(const struct cut_options *o)
{
	return is_of_end(&o->from) || is_of_end(&o->to);
}

/* Reads all streams of a trace that is open. Returns 0, or TRACE_AGAIN. */
static int
read_through(struct trace *t, int64_t *end)
{
	for (size_t i = 0; i < t->nstreams; i++) {
		struct event ev;
		int rc;
		while ((rc = stream_next(&t->streams[i], &ev)) > 0)
			*end = ev.clock > *end ? ev.clock : *end;
		if (rc == TRACE_AGAIN)
			return rc;
		if (t->options.stop && *t->options.stop)
			return -ERR_INTERRUPTED;
	}
	return 0;
}

int
cut_find_end(struct diag *d, const char *dir, const struct trace_options *to, int64_t *end)
{
	struct diag mute = { .program = d->program, .level = DIAG_MUTE };
	struct trace_options o = *to;
	bool unsorted = to->unsorted && *to->unsorted;
	bool again;
	int rc;
	o.unsorted = to->unsorted ? &unsorted : NULL;
	if (!dir)
		return diag_error(d, ERR_USAGE, NULL, "per cent and the end are of a trace in a directory: here --from and --to need times");
	do {
		struct trace t;
		*end = 0;
		rc = trace_open(&t, &mute, dir, &o);
		bool other = rc == 0 && t.format->open_ended;
		/* What fails here is told when the trace is opened to be emulated. */
		rc = rc == 0 && !other ? read_through(&t, end) : 0;
		trace_close(&t);
		if (other)
			return diag_error(d, ERR_USAGE, NULL, "per cent and the end are of traces of libovni: here --from and --to need times");
		again = rc == TRACE_AGAIN && !unsorted;
		unsorted = unsorted || rc == TRACE_AGAIN;
	} while (again);
	return rc == -ERR_INTERRUPTED ? rc : 0;
}

/* Returns the time since the first event, kept within its type. `open`: of one that is not given. */
static int64_t
resolve(const struct cut_time *t, int64_t start, int64_t end, int64_t open)
{
	int64_t length = end > start ? end - start : 0;
	int64_t ns;
	switch (t->unit) {
	case CUT_SINCE: return t->ns;
	case CUT_PERCENT: return t->percent < 100 ? (int64_t)((double)length * (t->percent / 100)) : length;
	case CUT_END: return length - t->ns;
	case CUT_CLOCK:
		if (__builtin_sub_overflow(t->ns, start, &ns))
			return t->ns < 0 ? INT64_MIN : INT64_MAX;
		return ns;
	default: return open;
	}
}

int
cut_find_window(struct emu *emu, int64_t end)
{
	const struct cut_options *o = &emu->plan->options.cut;
	struct cut_window *w = &emu->making->window;
	*w = (struct cut_window){
		.from = resolve(&o->from, emu->plan->start, end, 0),
		.to = resolve(&o->to, emu->plan->start, end, INT64_MAX),
	};
	if (w->to < w->from && o->from.unit)
		return diag_error(emu->diag, ERR_USAGE, NULL, "--from is later than --to: %" PRId64 " ns behind the first event, and %" PRId64 " ns", w->from, w->to);
	if (w->to < 0)
		return diag_error(emu->diag, ERR_USAGE, NULL, "--to is before the first event, of clock %" PRId64 "\nhint: a time with a unit, or a + before it, counts from there", emu->plan->start);
	w->from = w->from < 0 ? 0 : w->from;
	w->zero = o->keep_time ? 0 : w->from;
	return 0;
}

bool
cut_is_asked(const struct emu *emu)
{
	const struct cut_window *w = &emu->plan->window;
	return w->from > 0 || w->to != INT64_MAX;
}

int64_t
cut_duration(const struct emu *emu)
{
	const struct cut_window *w = &emu->plan->window;
	int64_t end = emu->left ? w->to : emu->time;
	return (end > w->from ? end : w->from) - w->zero;
}

/* ---- The run. ---- */

void
cut_connect(struct emu *emu)
{
	if (emu->plan->window.from <= 0)
		return;
	feed_drop(&emu->feed, true);
	emu->watch_at = INT64_MAX;
}

/* Begins the window: all rows show what they are in, and what outputs want to know of events is told from here on. */
static void
begin(struct emu *emu)
{
	emu->time = emu->plan->window.from;
	for (uint32_t cpu = 0; cpu < emu->plan->sys.ncpus; cpu++)
		run_forget_over(emu, cpu);
	feed_drop(&emu->feed, false);
	watch_begin(emu);
	track_present_lines(emu);
}

/* Says that the trace has no time in the window, which then shows its end. */
static void
warn_behind(struct emu *emu)
{
	diag_warn(emu->diag, NULL, "--from is %" PRId64 " ns behind the last event: the timelines show what all rows end in", emu->plan->window.from - emu->time);
}

bool
cut_enter(struct emu *emu, int64_t time)
{
	const struct cut_window *w = &emu->plan->window;
	if (emu->feed.drops && time >= w->from)
		begin(emu);
	emu->left = time > w->to;
	return !emu->left;
}

int64_t
cut_bound(const struct emu *emu, int64_t bound)
{
	const struct cut_window *w = &emu->plan->window;
	int64_t end = emu->feed.drops ? w->from : w->to < INT64_MAX ? w->to + 1
								    : INT64_MAX;
	return bound < end ? bound : end;
}

void
cut_end(struct emu *emu)
{
	if (!emu->feed.drops)
		return;
	warn_behind(emu);
	begin(emu);
}

int
cut_run(struct emu *emu)
{
	struct event *ev;
	int rc;
	while ((rc = merge_next(&emu->merge, &ev)) > 0) {
		if (!cut_enter(emu, ev->clock - emu->start))
			return 1;
		if ((rc = emu_step(emu, ev)) < 0)
			return rc;
	}
	if (rc == 0)
		cut_end(emu);
	return rc;
}
