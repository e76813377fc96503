/* SPDX-License-Identifier: MIT */
#include "status.h"
#include "writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Errors. ---- */

int
writer_misuse(uscope_writer_t *w, int status, const char *fmt, ...)
{
	w->stats.misuses++;
	if (w->error.status)
		return status;
	w->error = (uscope_error_t){ .status = status, .segment = -1 };
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(w->error.reason, sizeof(w->error.reason), fmt, ap);
	va_end(ap);
	return status;
}

int
writer_fail(uscope_writer_t *w, int status, const char *reason)
{
	if (!w->fatal) /* more than any misuse */
		(void)status_set(&w->error, status, -1, 0, "%s", reason);
	w->fatal = true;
	writer_mode(w, MODE_DONE);
	return status;
}

bool
writer_enter(uscope_writer_t *w, const char *what)
{
	switch (w->mode) {
	case MODE_CYCLE:
	case MODE_BEGUN:
		return true;
	case MODE_REFUSED:
	case MODE_SHUT:
		w->stats.misuses++;
		return false;
	default:
		if (!w->fatal)
			(void)writer_misuse(w, USCOPE_E_STATE, "%s outside of a cycle", what);
		return false;
	}
}

/* Ends the trace with the error of a segment that could not be written. */
static int
commit_failed(uscope_writer_t *w)
{
	if (!w->fatal)
		w->error = w->out->error;
	w->fatal = true;
	writer_mode(w, MODE_DONE);
	return w->out->error.status;
}

/* ---- Segments. ---- */

/* The segment begins: its checkpoint is the state now, or what the application says. */
static void
begin_segment(uscope_writer_t *w)
{
	if (w->callback) {
		writer_mode(w, MODE_CALLBACK);
		w->callback(w, w->user);
	}
	struct segment *g = w->segment;
	g->checkpoint_size = state_save(w->state, g->checkpoint + SEGMENT_LEAD);
	w->p = w->record = w->counted = g->raw;
	frame_limits(w);
	w->base_time = g->start;
	w->has_frames = true;
	if (g->lz4)
		lz4frames_reset(g->lz4);
}

/* Goes on in the other segment, with as much room as the one that the thread has got: how cycles are
 * packed depends on the room, and files shall not depend on the thread. */
static void
take_turns(uscope_writer_t *w)
{
	const struct segment *last = w->segment;
	struct segment *g = w->segment = last == &w->segments[0] ? &w->segments[1] : &w->segments[0];
	uint8_t *raw = g->raw_cap < last->raw_cap ? malloc(last->raw_cap) : NULL;
	if (raw) { /* else it grows when it must */
		free(g->raw);
		g->raw = raw;
		g->raw_cap = last->raw_cap;
	}
}

static int
commit(uscope_writer_t *w, uint64_t end)
{
	struct segment *g = w->segment;
	size_t raw_size = (size_t)(w->p - g->raw);
	g->raw_size = raw_size;
	g->end = end;
	if (w->latest.n)
		latest_settle(w);
	if (segmentout_commit(w->out, g))
		return commit_failed(w);
	if (w->options.background)
		take_turns(w);
	w->segment->start = end;
	w->segment->frames = w->segment->empty = 0;
	w->full = NULL;
	w->position += raw_size + LZ4_FAR;
	w->latest.since = w->position;
	return USCOPE_OK;
}

/* Whether a frame at w->time, later than the last, begins a segment: where it does. */
static bool
find_cut(const uscope_writer_t *w, uint64_t *cut)
{
	size_t raw = (size_t)(w->p - w->segment->raw);
	if (w->time >= w->next_grid && raw >= w->options.min_raw)
		*cut = w->time - (w->time - w->options.origin_ps) % w->options.interval_ps;
	else if (raw >= w->options.max_raw)
		*cut = w->time;
	else
		return false;
	return true;
}

/* Begins a frame that may be in another segment than the last one. */
static __attribute__((noinline)) bool
begin_other(uscope_writer_t *w)
{
	uint64_t cut;
	if (w->segment->frames && w->time > w->last_frame && find_cut(w, &cut) && commit(w, cut))
		return false;
	if (w->segment->frames == 0)
		begin_segment(w);
	w->mode = MODE_CYCLE;
	return frame_begin(w, w->time - w->base_time);
}

bool
writer_begin_frame(uscope_writer_t *w)
{
	if (unlikely(w->p >= w->full || w->time >= w->next_grid))
		return begin_other(w);
	w->mode = MODE_CYCLE;
	return frame_begin(w, w->time - w->base_time);
}

static inline void
end_frame(uscope_writer_t *w)
{
	if (!frame_end(w))
		return;
	w->base_time = w->last_frame = w->time;
	if (unlikely(w->time >= w->next_grid)) {
		uint64_t interval = w->options.interval_ps;
		uint64_t g = w->time - (w->time - w->options.origin_ps) % interval;
		w->next_grid = g > UINT64_MAX - interval ? UINT64_MAX : g + interval;
	}
	writer_mode(w, MODE_IDLE);
}

/* ---- Cycles. ---- */

static __attribute__((noinline, cold)) void
refuse_begin(uscope_writer_t *w, uint64_t time_ps)
{
	if (w->mode == MODE_IDLE) {
		writer_mode(w, MODE_REFUSED);
		bool late = time_ps > MAX_TIME;
		(void)writer_misuse(w, USCOPE_E_RANGE, "a cycle at %" PRIu64 " ps, %s %" PRIu64 " ps", time_ps,
			late ? "after the last possible" : "before", late ? MAX_TIME : w->min_time);
		return;
	}
	bool callback = w->mode == MODE_CALLBACK, done = w->mode == MODE_DONE;
	if (!callback && !done && w->mode != MODE_REFUSED)
		writer_mode(w, w->mode == MODE_BEGUN ? MODE_REFUSED : MODE_SHUT);
	(void)writer_misuse(w, USCOPE_E_STATE, "begin_cycle %s",
		callback ? "inside the checkpoint callback" : done ? "after finish"
								   : "inside a cycle");
}

void
uscope_begin_cycle(uscope_writer_t *w, uint64_t time_ps)
{
	if (unlikely(!w || w->mode != MODE_IDLE || time_ps < w->min_time || time_ps > MAX_TIME)) {
		if (w && !w->fatal)
			refuse_begin(w, time_ps);
		return;
	}
	w->time = w->min_time = time_ps;
	if (!w->has_cycles && w->summary)
		pyramid_begin(w->summary);
	w->has_cycles = true;
	if (w->options.drop_empty)
		writer_mode(w, MODE_BEGUN);
	else
		(void)writer_begin_frame(w);
}

/* Ends a cycle without a frame, or one in which a second begin was refused. */
static __attribute__((noinline)) void
end_other(uscope_writer_t *w)
{
	if (!w || w->fatal)
		return;
	if (w->mode == MODE_IDLE || w->mode == MODE_CALLBACK || w->mode == MODE_DONE) {
		(void)writer_misuse(w, USCOPE_E_STATE, "end_cycle outside of a cycle");
		return;
	}
	if (w->mode == MODE_SHUT)
		end_frame(w);
	else
		writer_mode(w, MODE_IDLE);
}

void
uscope_end_cycle(uscope_writer_t *w)
{
	if (unlikely(!w || w->mode != MODE_CYCLE)) {
		end_other(w);
		return;
	}
	end_frame(w);
}

/* ---- The end. ---- */

int
uscope_writer_flush(uscope_writer_t *w)
{
	if (!w)
		return USCOPE_E_ARG;
	if (w->fatal)
		return w->error.status;
	if (w->mode != MODE_IDLE)
		return writer_misuse(w, USCOPE_E_STATE, "flush inside a cycle or after finish");
	if (w->segment->frames) {
		w->min_time = w->time + 1;
		if (commit(w, w->min_time))
			return w->error.status;
	}
	return segmentout_wait(w->out) ? commit_failed(w) : USCOPE_OK;
}

int
uscope_writer_set_end(uscope_writer_t *w, uint64_t time_ps)
{
	if (!w)
		return USCOPE_E_ARG;
	if (w->fatal)
		return w->error.status;
	if (w->mode == MODE_DONE)
		return writer_misuse(w, USCOPE_E_STATE, "set_end after finish");
	if (time_ps > MAX_TIME)
		return writer_misuse(w, USCOPE_E_RANGE, "an end after the last possible time");
	w->end = time_ps;
	return USCOPE_OK;
}

int
uscope_writer_finish(uscope_writer_t *w)
{
	if (!w)
		return USCOPE_E_ARG;
	if (w->finished)
		return w->error.status;
	if (!w->fatal && w->mode == MODE_CALLBACK)
		return writer_misuse(w, USCOPE_E_STATE, "finish inside the checkpoint callback");
	w->finished = true;
	if (!w->fatal && w->mode != MODE_IDLE) {
		(void)writer_misuse(w, USCOPE_E_STATE, "finish inside a cycle");
		uscope_end_cycle(w);
	}
	if (!w->fatal) {
		uint64_t last = w->end > w->time ? w->end : w->time;
		if (!w->segment->frames || commit(w, last + 1) == USCOPE_OK) {
			if (segmentout_wait(w->out))
				(void)commit_failed(w);
			else
				(void)closeout_write(w, last);
		}
	}
	writer_mode(w, MODE_DONE);
	/* Some file systems report only now that cached bytes did not reach the disk. */
	segmentout_stats(w->out, &w->stats);
	segmentout_close(w->out);
	if (w->to.fd >= 0 && close(w->to.fd) != 0 && !w->fatal)
		(void)writer_fail(w, USCOPE_E_IO, "cannot close the file");
	w->to.fd = -1;
	return w->error.status;
}

void
uscope_writer_close(uscope_writer_t *w)
{
	if (!w)
		return;
	if (w->out)
		(void)uscope_writer_finish(w);
	writer_free(w);
}

const uscope_schema_t *
uscope_writer_schema(const uscope_writer_t *w)
{
	return w ? w->schema : NULL;
}

int
uscope_writer_error(const uscope_writer_t *w)
{
	return w ? w->error.status : USCOPE_E_ARG;
}

const uscope_error_t *
uscope_writer_error_info(const uscope_writer_t *w)
{
	static const uscope_error_t no_writer = { .status = USCOPE_E_ARG, .segment = -1, .reason = "there is no writer" };
	return w ? &w->error : &no_writer;
}

void
uscope_writer_stats(const uscope_writer_t *w, uscope_writer_stats_t *stats)
{
	*stats = w ? w->stats : (uscope_writer_stats_t){ 0 };
	if (w && !w->finished)
		segmentout_stats(w->out, stats);
}
