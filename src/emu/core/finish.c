/* SPDX-License-Identifier: MIT */
/* finish: ends an emulator: the checks at the end, and labels that are known late. */
#include "emu.h"
#include "overlap.h"
#include "parts.h"
#include "refill.h"
#include "task.h"

#include <inttypes.h>
#include <string.h>

void
emu_publish_text(struct emu *emu, struct emu_text *text)
{
	struct emu_text *last = emu->last_text ? emu->last_text : emu->texts;
	atomic_store_explicit(&last->next, text, memory_order_release);
	emu->last_text = text;
}

int
emu_add_text(struct emu *emu, int64_t value, const char *text)
{
	struct emu_text *t = arena_new(&emu->arena, struct emu_text, 1);
	if (!t)
		return emu_no_memory(emu);
	t->model = emu->cur->model;
	t->value = value;
	t->text = text;
	if (emu->part)
		return parts_hold_text(emu, t);
	emu_publish_text(emu, t);
	return 0;
}

int
emu_add_label(struct emu *emu, int chan, int64_t value, const char *text)
{
	if ((uint32_t)chan >= emu->cur->nchans)
		return emu_error(emu, "model", "the model %s labels a value of its channel %d, but it has %" PRIu32 ", from 0 on", emu->cur->model->name, chan, emu->cur->nchans);
	uint32_t col = emu->cur->first_col + (uint32_t)chan;
	struct late_labels *late = &emu->labels[col];
	const struct label *old = idmap_find(&late->by_value, (uint64_t)value);
	if (old && strcmp(old->text, text) == 0)
		return 0;
	if (old)
		return emu_fail(emu, diag_error(emu->diag, ERR_LABEL_COLLISION, NULL, "collision occurred in labels of type %d: \"%s\" and \"%s\" have the value %" PRId64, emu->plan->cols[col].decl->prv_type, old->text, text, value));
	struct late_label *l = arena_new(&emu->arena, struct late_label, 1);
	text = arena_strndup(&emu->arena, text, strlen(text));
	if (!l || !text || idmap_add(&late->by_value, &emu->arena, (uint64_t)value, &l->label) < 0)
		return emu_no_memory(emu);
	l->label = (struct label){ value, text };
	if (late->last)
		late->last->next = l;
	else
		late->first = l;
	late->last = l;
	detail_label(emu, col, &l->label);
	return 0;
}

/* Checks that a thread has ended. A warning only if its program died, or it never began. */
static int
check_thread(struct emu *emu, uint32_t th)
{
	const struct stream *s = &emu->plan->trace.streams[emu->plan->sys.threads[th].stream];
	enum thread_state st = emu->threads[th].state;
	int tid = emu->plan->sys.threads[th].tid;
	struct place at = { .file = s->relpath };
	if (st == TH_DEAD || emu->plan->trace.format->open_ended)
		return 0;
	if (s->meta.finished == FINISHED_NO && !emu->plan->trace.options.strict)
		return 0; /* it was told when the trace was opened */
	if (emu->plan->trace.options.strict || (s->meta.finished == FINISHED_YES && st != TH_UNKNOWN))
		return diag_error(emu->diag, ERR_NOT_DEAD, &at,
			"thread %d is not dead at the end of its stream: it is %s\n"
			"hint: it must emit %s before it is freed",
			tid, thread_states[st].text, st == TH_UNKNOWN ? "OHx when it begins, and OHe" : "OHe");
	often_add(&emu->tallies.not_ended, &at, "thread %d does not end: at the end of its stream it is %s", tid, thread_states[st].text);
	return 0;
}

static void
report_oversubscription(struct emu *emu, uint32_t cpu)
{
	run_settle(emu, cpu);
	const struct cpu_run *c = &emu->cpus[cpu];
	bool virtual = emu->plan->sys.cpus[cpu].index < 0; /* where several threads run at a time */
	if (c->over_count && !virtual && !emu->plan->options.compat)
		diag_warn(emu->diag, NULL,
			"several threads ran at the same time in%s: %" PRIu64 " times, for %" PRId64 " ns in all (shown as %d)%s",
			emu->plan->sys.cpus[cpu].label, c->over_count, c->over_time, ST_TOO_MANY_TH,
			emu->plan->unfinished && c->nrunning ? "\nhint: a thread that never finished counts as running until the end" : "");
}

/* Lint: checks stacks that the model declares empty at the end. */
static int
check_drained(struct emu *emu, uint32_t th)
{
	for (uint32_t col = NBASE; col < emu->plan->ncols; col++) {
		const struct chan_decl *decl = emu->plan->cols[col].decl;
		if (!decl->drained || decl->kind != CHAN_STACK || chan_depth(&emu->chans, th, col) == 0)
			continue;
		struct place at = { .file = emu->plan->trace.streams[emu->plan->sys.threads[th].stream].relpath };
		return diag_error(emu->diag, ERR_NOT_DRAINED, &at,
			"thread %d ends with %" PRIu32 " values in the stack %s of model %s, the top is %" PRId64,
			emu->plan->sys.threads[th].tid, chan_depth(&emu->chans, th, col), decl->name, emu->plan->cols[col].model->name,
			emu->chans.value[chan_id(&emu->chans, th, col)]);
	}
	return 0;
}

static int
end_checks(struct emu *emu)
{
	int rc = 0;
	for (uint32_t th = 0; th < emu->plan->sys.nthreads; th++) {
		int bad = check_thread(emu, th);
		if (bad == 0 && emu->plan->options.lint)
			bad = check_drained(emu, th);
		rc = rc ? rc : bad;
	}
	often_report(emu->diag, &emu->tallies.not_ended, "threads");
	return rc;
}

static void
report_tallies(struct emu *emu)
{
	const struct emu_tallies *t = &emu->tallies;
	often_report(emu->diag, &t->skipped, "events");
	often_report(emu->diag, &t->types, "types");
	often_report(emu->diag, &t->tasks, "tasks");
	often_report(emu->diag, &t->ends, "events");
	for (size_t i = 0; emu->models && i < emu->plan->nmodels; i++)
		often_report(emu->diag, &emu->models[i].warned, "events");
}

int
emu_finish_models(struct emu *emu)
{
	int first = 0;
	for (size_t i = 0; emu->models && i < emu->plan->nmodels; i++) {
		const struct model *m = emu->models[i].model;
		emu->cur = &emu->models[i];
		emu->failed = 0;
		emu->shut = emu->late = true;
		emu->event = NULL;
		emu->stage = "finish()";
		if (emu->cur->connected && m->tasks)
			(void)task_finish(emu);
		if (emu->cur->connected && m->finish)
			m->finish(emu);
		emu->cur->connected = false;
		first = first ? first : emu->failed;
	}
	return first;
}

int
emu_close(struct emu *emu, int rc)
{
	int bad = emu_finish_models(emu);
	rc = rc ? rc : bad;
	if (emu->feed.flow && rc != EMU_AGAIN) {
		report_tallies(emu);
		for (uint32_t cpu = 0; cpu < emu->plan->sys.ncpus; cpu++)
			report_oversubscription(emu, cpu);
		if (emu->complete && rc == 0)
			rc = end_checks(emu);
		if (emu->complete)
			overlap_report(emu->plan, emu->diag);
	}
	if (emu->density.n && emu->watch_at < INT64_MAX)
		density_end(&emu->density, emu->nevents - emu->refused);
	enum diag_level level = emu->diag->level;
	if (rc == EMU_AGAIN) /* what is wrong with the outputs will be told by the run that is not begun anew */
		emu->diag->level = DIAG_MUTE;
	bad = feed_close(&emu->feed, emu->plan ? cut_duration(emu) : 0);
	emu->diag->level = level;
	parts_close(emu->parts);
	refill_close(emu->refill);
	arena_finish(&emu->arena);
	if (emu->making) {
		trace_close(&emu->making->trace);
		arena_finish(&emu->making->arena);
		block_free(emu->making);
	}
	return bad < 0 && (rc == 0 || rc == -ERR_INTERRUPTED) ? bad : rc;
}
