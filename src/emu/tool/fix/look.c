/* SPDX-License-Identifier: MIT */
/* look: what the streams of a trace have, while it is emulated. */
#include "fix.h"

#include "tail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
	LOOK_UP_EVENTS = 4096, /* events between two looks at signals */
};

void
fix_note(struct fix *f, enum repair kind, const struct stream *s, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	diag_debug(f->diag, "%s: %s", s->relpath, text);
	often_add(&f->done[kind], &(struct place){ .file = s->relpath }, "%s", text);
}

/* Notes an event before the emulator takes it. */
static inline void
note_event(struct fix *f, const struct event *ev)
{
	const struct emu *emu = &f->emu;
	const struct stream *s = &emu->plan->trace.streams[ev->stream];
	uint32_t th = emu->thread_of_stream[ev->stream];
	f->streams[ev->stream].letters[ev->mcv[0] / 64] |= UINT64_C(1) << ev->mcv[0] % 64;
	if (th == NO_INDEX)
		return;
	struct fix_loom *l = &f->looms[emu->plan->sys.procs[emu->plan->sys.threads[th].proc].loom];
	int64_t clock = ev->clock - s->clock_offset;
	l->first = clock < l->first ? clock : l->first;
	l->last = clock > l->last ? clock : l->last;
	if (ev->mcv[0] == 'O' && ev->mcv[1] == 'U' && (ev->mcv[2] == '[' || ev->mcv[2] == ']'))
		f->streams[ev->stream].in_region = ev->mcv[2] == '[';
	if (ev->mcv[0] != 'O' || ev->mcv[1] != 'M' || ev->size < 12)
		return;
	int32_t type = event_i32(ev, 8);
	if (type >= 0 && type < MARK_TYPES && emu->plan->options.learned->kept[MARK_MODEL][type] && !f->mark_stream[type])
		f->mark_stream[type] = ev->stream + 1;
}

static int
play(struct fix *f)
{
	struct emu *emu = &f->emu;
	struct event *ev;
	int rc;
	while ((rc = merge_next(&emu->merge, &ev)) > 0) {
		note_event(f, ev);
		if ((rc = emu_apply(emu, ev)) < 0)
			break;
		if (emu->nevents % LOOK_UP_EVENTS)
			continue;
		if (*f->stop)
			return -ERR_INTERRUPTED;
		if (emu->plan->options.progress)
			emu->plan->options.progress(emu, emu->plan->options.progress_arg);
	}
	return rc;
}

/* What is wrong with the files of a stream. */
static int
look_at_files(struct fix *f, struct stream *s)
{
	struct fix_stream *fs = &f->streams[s->rank];
	struct stat st;
	bool joins = s->has_tail && stat(s->in.path, &st) == 0 && (uint64_t)st.st_size != s->in.file_size;
	const char *tail = s->meta.ring ? RING_NAME : TAIL_NAME;
	if (joins)
		fix_note(f, REPAIR_TAIL, s, "events of %s join stream.obs: it has %" PRIu64 " bytes then, and not %" PRIu64,
			tail, s->in.file_size, (uint64_t)st.st_size);
	else if (s->has_tail)
		fix_note(f, REPAIR_TAIL, s, "%s has nothing that stream.obs has not: it is removed", tail);
	fs->stream = fs->stream || joins;
	int rc = s->meta.ring && s->has_tail ? fix_first_clock(s, &fs->since) : 0;
	if (rc < 0 || !s->was_cut)
		return rc;
	uint64_t whole, torn;
	rc = fix_measure(s, &whole, &torn);
	if (rc < 0)
		return rc;
	fs->stream = true;
	if (whole)
		fix_note(f, REPAIR_CUT, s, "the last event is not whole: %" PRIu64 " bytes are cut at +0x%" PRIx64, torn, whole);
	else
		fix_note(f, REPAIR_HEADER, s, "the stream has %" PRIu64 " bytes, less than its header", torn);
	return 0;
}

/* Chooses the threads that tell of CPUs that no thread tells. */
static void
choose_tellers(struct fix *f)
{
	const struct plan *plan = f->emu.plan;
	const struct system *sys = &plan->sys;
	for (uint32_t l = 0; l < sys->nlooms; l++) {
		const struct loom *loom = &sys->looms[l];
		bool lacks = loom->ncpus == 0;
		for (uint32_t c = 0; c < loom->ncpus; c++)
			lacks = lacks || sys->cpus[loom->first_cpu + c].made_up;
		uint32_t th = sys->procs[loom->first_proc].first_thread;
		const struct proc *last = &sys->procs[loom->first_proc + loom->nprocs - 1];
		uint32_t end = last->first_thread + last->nthreads;
		while (th + 1 < end && plan->trace.streams[sys->threads[th].stream].meta.finished != FINISHED_NO)
			th++;
		f->streams[sys->threads[th].stream].tells_cpus = lacks;
	}
}

int
fix_look(struct fix *f)
{
	struct emu *emu = &f->emu;
	const struct plan *plan = emu->plan;
	const struct system *sys = &plan->sys;
	f->streams = arena_new(&f->arena, struct fix_stream, plan->trace.nstreams);
	f->looms = arena_new(&f->arena, struct fix_loom, sys->nlooms);
	if (!f->streams || !f->looms)
		return diag_no_memory(f->diag);
	for (uint32_t i = 0; i < sys->nlooms; i++)
		f->looms[i] = (struct fix_loom){ INT64_MAX, -1 };
	int rc = play(f);
	const struct emu_tallies *t = &emu->tallies;
	f->stays_open = t->tasks.n || t->types.n;
	for (size_t i = 0; i < plan->nmodels; i++)
		f->stays_open = f->stays_open || emu->models[i].warned.n;
	/* To strict tools a ring tells types and tasks where it begins, which may be too late for another thread. */
	for (size_t i = 0; i < plan->trace.nstreams && plan->trace.nstreams > 1; i++)
		f->stays_open = f->stays_open || plan->trace.streams[i].meta.shared;
	for (uint32_t th = 0; th < sys->nthreads && rc == 0; th++)
		rc = fix_end_thread(f, th);
	if (rc == 0)
		rc = emu_finish_models(emu);
	if (rc < 0)
		return rc;
	choose_tellers(f);
	for (uint32_t i = 0; i < plan->trace.nstreams && rc == 0; i++) {
		struct stream *s = &plan->trace.streams[i];
		struct fix_stream *fs = &f->streams[i];
		rc = look_at_files(f, s);
		if (emu->thread_of_stream[i] != NO_INDEX)
			fix_look_at_meta(f, i);
		f->nfixed += fs->stream || fs->meta || s->has_tail;
	}
	return rc;
}
