/* SPDX-License-Identifier: MIT */
/* ovnifix: makes a finished trace of one whose program died. */
#include "fix/fix.h"
#include "input/inputs.h"
#include "kit/cli.h"
#include "kit/crash.h"
#include "kit/outdir.h"
#include "kit/plugin.h"
#include "kit/progress.h"
#include "registry.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t stop;

static void
on_signal(int sig)
{
	stop = sig; /* a second one kills: SA_RESETHAND */
}

static void
show_progress(const struct emu *emu, void *arg)
{
	const struct trace *t = &emu->plan->trace;
	uint64_t done = 0;
	if (!progress_due(arg))
		return;
	for (size_t i = 0; i < t->nstreams; i++)
		done += stream_consumed(&t->streams[i]);
	diag_progress(emu->diag, "%5.1f %% read", t->bytes ? (double)done / (double)t->bytes * 100 : 100.0);
}

/* Tells what is repaired, a line a kind. */
static void
report(const struct fix *f)
{
	static const char *const things[REPAIRS] = {
		[REPAIR_TAIL] = "streams",
		[REPAIR_HEADER] = "streams",
		[REPAIR_CUT] = "streams",
		[REPAIR_NEVER] = "threads",
		[REPAIR_END] = "threads",
		[REPAIR_REGION] = "threads",
		[REPAIR_MADE_UP] = "threads",
		[REPAIR_APP_ID] = "processes",
		[REPAIR_RANK] = "processes",
		[REPAIR_CPUS] = "looms",
		[REPAIR_REQUIRE] = "threads",
		[REPAIR_MARK] = "types",
		[REPAIR_LOST] = "threads",
		[REPAIR_FINISHED] = "threads",
	};
	struct diag *d = f->diag;
	for (int i = 0; i < REPAIRS; i++) {
		const struct often *o = &f->done[i];
		char more[64] = "";
		if (o->n > 1)
			(void)snprintf(more, sizeof(more), " (and %" PRIu64 " more %s)", o->n - 1, things[i]);
		if (o->n)
			diag_info(d, "%s%s\nat %s", o->text, more, o->at.file);
	}
	if (f->stays_open)
		diag_info(d, "the threads stay unfinished: what they did not write and refer to is made up in unfinished traces only");
	size_t n = trace_nstreams(&f->emu.plan->trace);
	if (!f->nfixed && f->outdir && !f->dry_run)
		diag_info(d, "there is nothing to repair: %s is a copy", f->outdir);
	else if (!f->nfixed)
		diag_info(d, "there is nothing to repair in %zu streams", n);
	else
		diag_info(d, "%zu of %zu streams %s repaired%s%s", f->nfixed, n, f->dry_run ? "would be" : "are",
			f->outdir ? ", in " : "", f->outdir ? f->outdir : "");
}

/* The other directory must not be in the trace, whose streams are found at any depth. */
static int
check_outdir(struct fix *f)
{
	char dir[PATH_MAX];
	char trace[PATH_MAX];
	if (!f->outdir || f->dry_run)
		return 0;
	int rc = outdir_make(f->diag, f->outdir);
	if (rc == 0 && (rc = outdir_is_empty(f->diag, f->outdir)) == 0)
		return diag_error(f->diag, ERR_WRITE, NULL, "the directory '%s' is not empty\nhint: choose another place with -o", f->outdir);
	if (rc < 0 || !realpath(f->outdir, dir) || !realpath(f->emu.plan->trace.dir, trace))
		return rc < 0 ? rc : 0;
	size_t n = strlen(trace);
	if (strncmp(dir, trace, n) == 0 && (dir[n] == '/' || !dir[n] || n == 1))
		return diag_error(f->diag, ERR_WRITE, NULL, "the directory '%s' is in the trace, and what is there belongs to it\nhint: choose another place with -o", f->outdir);
	return 0;
}

/* Emulates the trace and repairs it. Returns 0, or <0 (reported), or EMU_AGAIN. */
static int
attempt(struct fix *f, struct diag *d, const char *dir, const struct emu_options *o)
{
	struct emu *emu = &f->emu;
	crash_emulates(emu);
	int rc = emu_open(emu, d, dir, o);
	if (rc == 0 && (!emu->plan->trace.base->wire || emu->plan->trace.metadata_version != 3))
		rc = diag_error(f->diag, ERR_NO_TRACE, NULL, "'%s' is a trace of %s, and ovnifix is for metadata of version 3\n"
							     "hint: ovniemu takes it as it is",
			dir, emu->plan->trace.base->wire ? "an old libovni" : emu->plan->trace.base->name);
	if (rc == 0)
		rc = emu_connect(emu, NULL, 0);
	if (rc == 0)
		rc = fix_look(f);
	if (rc == 0)
		rc = check_outdir(f);
	if (rc == 0 && !f->dry_run && (f->nfixed || f->outdir))
		rc = fix_write(f);
	diag_end_progress(d);
	if (rc == 0)
		report(f);
	rc = emu_close(emu, rc);
	crash_emulates(NULL);
	return rc;
}

/* What can be done about what strict tools refuse. */
static const char *
advise(int error)
{
	switch (-error) {
	case ERR_CLOCK_BACKWARDS: return "run ovnisort";
	case ERR_UNFINISHED: return "nobody knows what the threads did not write";
	case ERR_CPU_BUSY: return "the threads did run so";
	case ERR_NOT_DRAINED: return "the thread did end so; without -l it is taken";
	default: return "ovniemu --compat -l says why";
	}
}

/* Emulates the trace as strict tools do, and tells what they refuse. Returns 0, or <0 (reported): memory is exhausted. */
static int
check(struct diag *d, const char *dir, const struct emu_options *before)
{
	struct emu emu;
	struct emu_options o = { .compat = true, .lint = true, .stop = &stop, .clock_table = before->clock_table, .inputs = before->inputs, .models = before->models };
	struct diag strict = { .program = d->program, .level = DIAG_MUTE };
	crash_emulates(&emu);
	int rc = emu_open(&emu, &strict, dir, &o);
	if (rc == 0)
		rc = emu_connect(&emu, NULL, 0);
	if (rc == 0)
		rc = emu_run(&emu);
	rc = emu_close(&emu, rc);
	crash_emulates(NULL);
	if (rc == -ERR_MEMORY)
		return diag_no_memory(d);
	if (rc == 0)
		diag_info(d, "strict tools take it");
	else if (rc != -ERR_INTERRUPTED)
		diag_warn(d, NULL, "strict tools still refuse it (%s)\nhint: %s", error_name(rc), advise(rc));
	return 0;
}

static int
run(struct fix *f, const char *dir, const struct emu_options *o)
{
	struct diag *d = f->diag;
	struct diag emu = { .program = d->program, .level = d->level == DIAG_VERBOSE ? DIAG_VERBOSE : DIAG_QUIET };
	int rc;
	while ((rc = attempt(f, &emu, dir, o)) == EMU_AGAIN) {
		diag_begin_again(&emu, o->learned->note);
		o->learned->note[0] = '\0';
		arena_finish(&f->arena);
		*f = (struct fix){ .diag = d, .outdir = f->outdir, .dry_run = f->dry_run, .stop = f->stop };
	}
	bool written = rc == 0 && !f->dry_run;
	arena_finish(&f->arena);
	if (written)
		rc = check(d, f->outdir ? f->outdir : dir, o);
	if (rc == -ERR_INTERRUPTED)
		diag_warn(d, NULL, "stopped by the user: what is not repaired is as it was, and a second run goes on");
	return rc == -ERR_INTERRUPTED ? 128 + stop : rc < 0;
}

int
main(int argc, char **argv)
{
	struct diag d = { .program = "ovnifix", .level = DIAG_NORMAL };
	struct fix f = { .diag = &d, .stop = &stop };
	struct learned learned = { 0 };
	struct plugins plugins = { 0 };
	struct emu_options o = { .stop = &stop, .learned = &learned, .mend = true, .inputs = inputs, .models = &plugins.set };
	struct progress progress;
	progress_init(&progress);
	const struct cli_option options[] = {
		{ 'n', "dry-run", NULL, "say what would be repaired; change nothing", CLI_FLAG, &f.dry_run },
		{ 'o', "output", "DIR", "write a repaired copy there; TRACEDIR stays as it is", CLI_TEXT, &f.outdir },
		{ 'c', "clock-offsets", "FILE", "clock offsets (default: clock-offsets.txt of TRACEDIR)", CLI_TEXT, &o.clock_table },
		{ PLUGIN_OPTION(&plugins) },
		{ CLI_PROGRESS(&progress) },
		{ CLI_QUIET(&d) },
		{ 'v', "verbose", NULL, "also name each thread and each file that is written", CLI_SET, &d.level, DIAG_VERBOSE },
	};
	const struct cli cli = {
		.program = d.program,
		.synopsis = "[options] TRACEDIR",
		.about = "Repair the trace in TRACEDIR, whose program died, so that strict tools take it.\n"
			 "Each file is replaced as a whole when it is done, or left as it was.",
		.footer = "Status: 0 good, 1 bad trace or failed run, 2 wrong usage. Manual: man ovnifix\n",
		.options = options,
		.noptions = sizeof(options) / sizeof(options[0]),
	};
	if (registry_add(&plugins.set, &d) < 0)
		return 1;
	int opt = cli_directory(&cli, cli_next(&cli, argc, argv), argc);
	if (opt == CLI_END)
		opt = plugins_load(&plugins, &cli, &d);
	if (progress.wanted && d.level > DIAG_QUIET) {
		o.progress = show_progress;
		o.progress_arg = &progress;
	}
	cli_catch_signals(on_signal);
	int status = opt == CLI_END ? run(&f, argv[optind], &o) : cli_status(opt);
	plugins_close(&plugins);
	return status;
}
