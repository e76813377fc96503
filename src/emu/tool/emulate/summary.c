/* SPDX-License-Identifier: MIT */
#include "summary.h"

#include "out.h"
#include "paraver.h"
#include "team.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

double
part_read(const struct emu *emu)
{
	const struct trace *t = &emu->plan->trace;
	const struct team *team = emu->plan->options.team;
	uint64_t done = team ? team->nread : 0;
	for (size_t i = 0; i < t->nstreams && !team; i++)
		done += stream_consumed(&t->streams[i]);
	return t->bytes ? (double)done / (double)t->bytes : 1;
}

/* "ovni, kernel" */
static void
name_models(const struct emu *emu, char *buf, size_t size)
{
	size_t n = 0;
	buf[0] = 0;
	for (size_t i = 0; i < emu->plan->nmodels && n < size; i++)
		if (emu->plan->models[i].enabled)
			n += (size_t)snprintf(buf + n, size - n, "%s%s %s", n ? ", " : "",
				emu->plan->models[i].model->name, emu->plan->models[i].model->version);
}

void
take_summary(struct summary *s, const struct emu *emu)
{
	s->events = emu->nevents + emu->plan->trace.nmore;
	s->threads = emu->plan->sys.nknown;
	s->cpus = emu->plan->sys.nphysical;
	s->span = emu->time;
	s->window = emu->plan->window;
	s->is_part = cut_is_asked(emu);
	s->part = part_read(emu);
	s->live = emu->plan->trace.npids > 0;
	for (enum row_class rows = ROW_THREAD; rows < ROW_CLASSES; rows++)
		s->rows[rows] = emu_nrows(emu, rows);
	(void)snprintf(s->dir, sizeof(s->dir), "%s", emu->plan->options.outdir ? emu->plan->options.outdir : emu->plan->trace.dir);
	s->sig = emu->plan->options.stop ? (int)*emu->plan->options.stop : 0;
	name_models(emu, s->models, sizeof(s->models));
}

/* Short traces in the unit of their clock. */
static void
format_time(char *buf, size_t size, int64_t ns)
{
	if (ns < 1000000)
		(void)snprintf(buf, size, "%" PRId64 " ns", ns);
	else
		(void)snprintf(buf, size, "%.6f s", (double)ns / 1e9);
}

/* Names the timelines that Paraver opens. */
static void
advise_paraver(struct diag *d, const struct summary *s)
{
	char list[3 * sizeof(s->dir)] = "";
	size_t n = 0;
	for (enum row_class rows = ROW_THREAD; rows < ROW_CLASSES; rows++)
		if (s->rows[rows] && s->rows[rows] <= PARAVER_ROWS_MAX)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s/%s.prv%s", n ? " or " : "", s->dir, out_class(rows), s->gzip ? PARAVER_GZIP : "");
	if (n)
		diag_info(d, "open in Paraver: %s, with the views in %s/cfg", list, s->dir);
}

static const char *
name_signal(int sig)
{
	return sig == SIGINT ? "SIGINT" : sig == SIGTERM ? "SIGTERM"
							 : "SIGHUP";
}

/* How a run ended early that writes nothing. */
static void
print_end(struct diag *d, const struct summary *s, const char *span, int rc)
{
	if (rc == -ERR_INTERRUPTED && s->live)
		diag_info(d, "stopped by the user at %s", span);
	else if (rc == -ERR_INTERRUPTED)
		diag_warn(d, NULL, "stopped by the user (%s) at %s, behind %.1f %% of the trace", name_signal(s->sig), span, s->part * 100);
	else
		diag_info(d, "the run failed (%s)", error_name(rc));
}

void
print_summary(struct diag *d, const struct summary *s, double took, int rc)
{
	char span[32], to[32];
	format_time(span, sizeof(span), s->span);
	diag_info(d, "%" PRIu64 " events of %" PRIu32 " threads on %" PRIu32 " CPUs, %s of trace, in %.2f s (%.2f million events/s)",
		s->events, s->threads, s->cpus, span, took, (double)s->events / took / 1e6);
	diag_info(d, "models: %s", s->models);
	if (s->is_lonely)
		diag_info(d, "one process has done it all: with these options, or of this trace, the work cannot be divided");
	if (s->is_part && s->outputs) {
		char from[32];
		format_time(from, sizeof(from), s->window.from);
		format_time(to, sizeof(to), s->window.to < s->span ? s->window.to : s->span);
		diag_info(d, "the timelines show %s to %s of it%s", from, to, s->window.zero ? ", counted from their begin" : "");
	}
	if (rc < 0 && !s->outputs)
		print_end(d, s, span, rc);
	else if (rc == -ERR_INTERRUPTED && s->live)
		diag_info(d, "stopped by the user: the timelines end at %s", span);
	else if (rc == -ERR_INTERRUPTED)
		diag_warn(d, NULL, "stopped by the user (%s): the timelines end at %s and hold %.1f %% of the trace", name_signal(s->sig), span, s->part * 100);
	else if (rc < 0)
		diag_info(d, "the run failed (%s); the timelines that were begun end at %s", error_name(rc), span);
	if (rc == 0 && s->outputs & OUTPUT_PRV)
		advise_paraver(d, s);
	if (rc == 0 && s->outputs & OUTPUT_PERFETTO)
		diag_info(d, "open in https://ui.perfetto.dev: %s/ovni.perfetto-trace", s->dir);
	if (rc == 0 && s->outputs & OUTPUT_HTML)
		diag_info(d, "open in a browser: %s/ovni.html", s->dir);
	char uscp[4096 + sizeof("/ovni.uscp")];
	(void)snprintf(uscp, sizeof(uscp), "%s/ovni.uscp", s->dir);
	if (rc == 0 && s->outputs & OUTPUT_USCOPE && access(uscp, F_OK) == 0)
		diag_info(d, "ask for any instant: uscope timeline --at TIME %s/ovni.uscp", s->dir);
}
