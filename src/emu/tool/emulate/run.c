/* SPDX-License-Identifier: MIT */
#include "run.h"

#include "kit/crash.h"
#include "kit/outdir.h"
#include "kit/progress.h"
#include "emu.h"
#include "out.h"
#include "paraver.h"
#include "parts.h"
#include "stats.h"
#include "summary.h"
#include "team.h"

/* A team that cannot share the work leaves it to rank 0. Returns whether this process goes on. */
static bool
goes_on(struct emu *emu)
{
	const struct team *t = emu->plan->options.team;
	if (!t || parts_suit_team(emu))
		return true;
	emu->making->options.team = NULL;
	return t->rank == 0;
}

/* Opens the outputs: rank 0 of a team those that only one can write, and before the others, which write to its files. */
static int
connect_all(struct emu *emu)
{
	const struct emu_options *o = &emu->plan->options;
	const struct sink_ops *sinks[FLOW_SINKS_MAX];
	size_t nsinks = out_sinks(o->outputs, sinks);
	const struct sink_ops *shared[] = { &prv_sink };
	struct arena a = { 0 };
	int rc = 0;
	if (!o->team || o->team->rank == 0) {
		rc = nsinks ? outdir_make(emu->diag, o->outdir) : 0;
		rc = rc < 0 ? rc : emu_connect(emu, sinks, nsinks);
	}
	if (!o->team)
		return rc;
	rc = team_agree(emu, rc);
	if (rc < 0)
		return rc;
	if (o->team->rank)
		rc = emu_connect(emu, shared, o->outputs & OUTPUT_PRV ? 1 : 0);
	const char *path = out_path(&a, emu, o->outdir ? o->outdir : emu->plan->trace.dir, ROW_THREAD, o->gzip ? "prv" PARAVER_GZIP : "prv");
	rc = team_meet_file(emu, path ? path : "", rc);
	arena_finish(&a);
	return rc;
}

/* Completes the outputs: rank 0 of a team behind the others. */
static int
close_all(struct emu *emu, int rc)
{
	const struct team *known = emu->plan ? emu->plan->options.team : NULL;
	struct team *t = known ? emu->making->options.team : NULL;
	struct learned *learned = emu->learned;
	if (!t)
		return emu_close(emu, rc);
	uint64_t failed = 0;
	if (t->rank) {
		int bad = emu_close(emu, rc ? rc : -ERR_INTERRUPTED); /* the end is looked at by rank 0 */
		failed = bad < 0 && bad != -ERR_INTERRUPTED && bad != rc;
	}
	team_reduce(t, TEAM_EITHER, &failed, 1);
	if (failed && (rc == 0 || rc == -ERR_INTERRUPTED)) {
		learned->whole = true;
		rc = EMU_AGAIN;
	}
	return t->rank ? rc : emu_close(emu, rc);
}

/* Emulates once. Returns the exit status, or <0: what the run has learned must be known from its
 * beginning. */
static int
attempt(struct diag *d, const char *dir, struct emu_options *o)
{
	struct emu emu;
	struct summary s = { .outputs = o->outputs, .gzip = o->gzip };
	struct progress clock;
	const struct team *team = o->team;
	if (o->stats)
		*o->stats = (struct stats){ 0 };
	progress_init(&clock);
	crash_emulates(&emu);
	int rc = emu_open(&emu, d, dir, o);
	for (const struct trace_input *in = o->inputs; in->format && rc == 0; in++)
		if (in->format != emu.plan->trace.format && in->format->options && in->format->options->foreign)
			rc = in->format->options->foreign(in->options, d);
	if (o->team && !emu.plan)
		o->team->abort(o->team, 1);
	if (o->team)
		rc = team_meet(&emu, rc);
	bool works = rc == 0 && goes_on(&emu);
	if (rc == 0)
		o->team = emu.plan->options.team;
	if (works)
		rc = connect_all(&emu);
	bool began = works && rc == 0;
	if (began)
		rc = emu_run(&emu);
	s.is_lonely = team && !o->team;
	if (began)
		take_summary(&s, &emu);
	else if (rc == -ERR_INTERRUPTED) /* Prism can wait for its first event for long */
		s.live = emu.plan->trace.base->open_ended;
	rc = close_all(&emu, rc);
	crash_emulates(NULL);
	if (rc == EMU_AGAIN)
		return -1;
	if (!began && rc == -ERR_INTERRUPTED)
		diag_info(d, "stopped by the user before the first event");
	if (began)
		print_summary(d, &s, progress_took(&clock), rc);
	if (began && o->stats && !(o->team && o->team->rank))
		stats_print(o->stats, stdout, s.events);
	diag_list_unwritten(d);
	if (rc == -ERR_USAGE) /* found when the trace was known */
		return 2;
	/* As the peer, and for live input, which ends so as a rule. */
	if (rc == -ERR_INTERRUPTED && (o->compat || s.live))
		return 0;
	return rc == -ERR_INTERRUPTED ? 128 + (int)*o->stop : rc < 0;
}

/* What fails in a team, rank 0 does anew, and alone. */
int
run(struct diag *d, const char *dir, const struct emu_options *given)
{
	struct emu_options o = *given;
	int status;
	while ((status = attempt(d, dir, &o)) < 0) {
		diag_begin_again(d, o.learned->note);
		o.learned->note[0] = '\0';
		if (!o.team || !o.learned->whole)
			continue;
		if (o.team->rank)
			break;
		o.team = NULL;
	}
	return status;
}
