/* SPDX-License-Identifier: MIT */
/* ovniemu: turns a trace into timelines. */
#include "emulate/run.h"
#include "emulate/summary.h"
#include "kit/cli.h"
#include "kit/cutting.h"
#include "kit/join.h"
#include "kit/plugin.h"
#include "kit/progress.h"
#include "ahead.h"
#include "input/inputs.h"
#include "nearest.h"
#include "out.h"
#include "page.h"
#include "registry.h"
#include "stats.h"
#include "team.h"

#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "uscope/uscope.h"

enum {
	THREADS_MAX = 1024,
	LABELS = 4096, /* in the µScope file, by default */
	LABELS_MAX = 65535,
	LINE_MOST = 80, /* columns of a terminal */
	OPT_LENIENT = 256,
	GO = -1, /* the word on which the other processes of a team begin; others are exit statuses, with which they end */
};

static volatile sig_atomic_t stop;
static struct team *listened; /* the others may get a signal, too; NULL: there are none */

static void
on_signal(int sig)
{
	stop = sig; /* a second one kills: SA_RESETHAND */
}

static void
show_progress(const struct emu *emu, void *arg)
{
	struct progress *p = arg;
	const struct team *team = emu->plan->options.team;
	if (listened)
		listened->listen(listened);
	if (!progress_due(p))
		return;
	ahead_rest(emu->ahead);
	double part = part_read(emu);
	double took = progress_took(p);
	double millions = (double)(team ? team->nevents : emu->nevents + emu->plan->trace.nmore) / 1e6;
	if (emu->plan->trace.npids) { /* live: the end is not known */
		diag_progress(emu->diag, "%.2f million events at %.2f million/s", millions, millions / took);
		return;
	}
	diag_progress(emu->diag, "%5.1f %% done, %.2f million events at %.2f million/s, %.0f s left", part * 100, millions,
		millions / took, part > 0 ? took / part - took : 0);
}

static int
unknown_model(const struct cli *cli, const struct model_set *set, const char *typed, size_t n)
{
	struct nearest best = { 0 };
	for (size_t i = 0; i < set->n; i++)
		nearest_try(&best, typed, n, set->items[i].model->name);
	return cli_usage(cli, best.word ? "-m needs names of models with commas, and there is no '%.*s': is '%s' meant? --help lists them" : "-m needs names of models with commas, and there is no '%.*s': --help lists them",
		(int)n, typed, best.word);
}

/* Enables the models that -m lists, each time names with commas. Returns CLI_END or CLI_USAGE (reported). */
static int
enable_models(const struct cli *cli, struct learned *learned, const struct model_set *set, const struct cli_list *lists)
{
	for (size_t i = 0; i < lists->n; i++) {
		for (const char *text = lists->items[i]; *text;) {
			size_t n = strcspn(text, ",");
			const struct model *m = modelset_named(set, text, n);
			if (!m)
				return unknown_model(cli, set, text, n);
			learned->models[(uint8_t)m->id] = true;
			text += n + (text[n] == ',');
		}
	}
	return CLI_END;
}

/* Names of outputs, with commas; or none. */
static bool
parse_outputs(const char *text, unsigned *which)
{
	*which = 0;
	if (strcmp(text, "none") == 0)
		return true;
	while (*text) {
		size_t n = strcspn(text, ",");
		const struct output_decl *o = out_list;
		while (o->name && (strlen(o->name) != n || strncmp(text, o->name, n) != 0))
			o++;
		if (!o->name)
			return false;
		*which |= o->bit;
		text += n + (text[n] == ',' && text[n + 1]);
	}
	return *which != 0;
}

/* The CPUs that this process may use. */
static unsigned
count_cpus(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	return (unsigned)CPU_COUNT(&set);
}

/* The models, for --help. */
static const char *
list_models(const struct model_set *set, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "Models:");
	size_t column = n;
	for (size_t i = 0; i < set->n && n < size; i++) {
		const struct model *m = set->items[i].model;
		char one[200];
		int len = snprintf(one, sizeof(one), " %s %s (%c)%s", m->name, m->version, m->id, i + 1 < set->n ? "," : "");
		bool wraps = column + (size_t)len > LINE_MOST;
		n += (size_t)snprintf(buf + n, size - n, "%s%s%s", wraps ? "\n       " : "", one, i + 1 < set->n ? "" : "\n");
		column = (wraps ? strlen("Models:") : column) + (size_t)len;
	}
	if (n < size)
		(void)snprintf(buf + n, size - n, "Status: 0 good, 1 bad trace or failed run, 2 wrong usage. Manual: man ovniemu\n");
	return buf;
}

/* ---- Options of the inputs. ---- */

struct input_options {
	struct arena arena;
	struct trace_input list[INPUTS_MAX];
	struct cli_group groups[INPUTS_MAX + 1]; /* and that of parts */
	size_t ngroups;
};

/* The inputs, each with its default options. */
static int
begin_inputs(struct input_options *io, struct diag *d)
{
	for (size_t i = 0; (io->list[i] = inputs[i]).format; i++) {
		const struct format_options *o = inputs[i].format->options;
		if (!o)
			continue;
		io->list[i].options = arena_alloc(&io->arena, 1, o->size);
		if (!io->list[i].options)
			return diag_no_memory(d);
		memcpy(io->list[i].options, o->defaults, o->size);
		io->groups[io->ngroups] = o->group;
		io->groups[io->ngroups++].self = io->list[i].options;
	}
	return 0;
}

/* Finds the option that names the trace in place of an argument. Returns CLI_END or CLI_USAGE (reported). */
static int
find_name(const struct cli *cli, const struct trace_input *in, const char *extra, const char **named)
{
	*named = NULL;
	for (; in->format; in++) {
		const char *name = trace_named_by(in);
		if (name && *named)
			return cli_usage(cli, "--%s and --%s name two traces", *named, name);
		*named = name ? name : *named;
	}
	if (*named && extra)
		return cli_usage(cli, "--%s names the trace: there is nothing to do for '%s'", *named, extra);
	return CLI_END;
}

/* For tests: "5" are at most five parts of the machine, "5:8" with room for eight records each. */
static void
set_parts(struct emu_options *o, const char *text)
{
	char *rest = NULL;
	o->parts = text ? (unsigned)strtoul(text, &rest, 10) : 0;
	o->part_room = rest && *rest == ':' ? (unsigned)strtoul(rest + 1, NULL, 10) : 0;
}

/* What is said by a process of a team that only does what rank 0 does, too. */
static void
keep_quiet(void *arg, bool warning, const struct place *at, const char *text)
{
	(void)arg;
	(void)warning;
	(void)at;
	(void)text;
}

/* Reads the options and runs. Returns the exit status. */
static int
start(struct diag *d, struct team *team, struct input_options *io, struct plugins *plugins, int argc, char **argv)
{
	static const char *const methods[] = { [USCOPE_LZ4] = "lz4", [USCOPE_ZSTD] = "zstd", [USCOPE_RAW] = "none" };
	char models[1024];
	struct learned learned = { 0 };
	struct emu_options o = { .stop = &stop, .learned = &learned, .models = &plugins->set, .outputs = OUTPUT_PRV | OUTPUT_USCOPE, .html_limit = PAGE_LIMIT };
	struct progress p;
	struct cli_list enabled = { .n = 0 };
	uint64_t threads = count_cpus();
	bool stats = false;
	uint64_t labels = LABELS;
	const struct cli_option options[] = {
		{ 'o', "output", "DIR", "write there instead of in the trace directory", CLI_TEXT, &o.outdir },
		{ 'f', "outputs", "LIST", "prv,uscope (default), perfetto, html; or none" },
		{ 'c', "clock-offsets", "FILE", "clock offsets (default: clock-offsets.txt of TRACEDIR)", CLI_TEXT, &o.clock_table },
		{ 'a', "all-models", NULL, "enable all models of runtimes", CLI_FLAG, &o.all_models },
		{ 'm', "models", "NAME,...", "enable these, too", CLI_LIST, &enabled },
		{ PLUGIN_OPTION(plugins) },
		{ 'b', "breakdown", NULL, "also write the breakdowns of models that have one", CLI_FLAG, &o.breakdown },
		{ 'l', "lint", NULL, "refuse unfinished traces, check how threads end", CLI_FLAG, &o.lint },
		{ 'j', "threads", "N", "use N threads (default: one a CPU)", CLI_NUMBER, &threads, THREADS_MAX, 1 },
		{ 0, "compat", NULL, "print the lines of ovni 1.14, with its strictness", CLI_FLAG, &o.compat },
		{ 0, "stats", NULL, "print how busy each stage of the run was", CLI_FLAG, &stats },
		{ 0, "gzip", NULL, "compress the Paraver timelines, as .prv.gz", CLI_FLAG, &o.gzip },
		{ 0, "perfetto-gzip", NULL, "compress ovni.perfetto-trace", CLI_FLAG, &o.perfetto_gzip },
		{ 0, "html-limit", "SIZE", "put up to SIZE of data into ovni.html (default: 64M)", CLI_SIZE, &o.html_limit },
		{ 0, "uscope-compression", "METHOD", "of ovni.uscp: lz4 (default), zstd or none", CLI_WORD, &o.uscope.compression, CLI_WORDS(methods) },
		{ 0, "uscope-lz4-prefix", NULL, "LZ4 blocks with their size, for viewers", CLI_FLAG, &o.uscope.lz4_prefix },
		{ 0, "uscope-raw-events", NULL, "also put the events themselves in ovni.uscp", CLI_FLAG, &o.uscope.raw_events },
		{ 0, "uscope-labels", "N", "room for N labels in ovni.uscp (default: 4096)", CLI_NUMBER, &labels, LABELS_MAX, 1 },
		{ OPT_LENIENT, "lenient", NULL, "go on after what is wrong (Laplace and Prism)" },
		{ CLI_PROGRESS(&p) },
		{ CLI_QUIET(d) },
		{ CLI_VERBOSE(d) },
		{ 'd', NULL, NULL, NULL, CLI_SET, &d->level, DIAG_VERBOSE }, /* of the peer: now -v */
	};
	const struct cli cli = {
		.program = d->program,
		.synopsis = "[options] TRACEDIR",
		.about = "Emulate the trace in TRACEDIR and write timelines of threads and CPUs.",
		.footer = list_models(&plugins->set, models, sizeof(models)),
		.options = options,
		.noptions = sizeof(options) / sizeof(options[0]),
		.groups = io->groups,
		.ngroups = io->ngroups + 1,
	};
	progress_init(&p);
	io->groups[io->ngroups++] = cutting_options(&o);

	int opt;
	while ((opt = cli_next(&cli, argc, argv)) >= 0) {
		if (opt == OPT_LENIENT) {
			for (size_t i = 0; i < io->ngroups; i++)
				(void)io->groups[i].take(io->groups[i].self, OPTION_LENIENT, NULL, NULL);
			continue;
		}
		o.uscope.asked = true;
		if (!parse_outputs(optarg, &o.outputs))
			return cli_status(cli_usage(&cli, "-f needs names of outputs with commas, of prv, uscope, perfetto and html, or none, not '%s'", optarg));
	}
	struct stats counted;
	o.threads = (unsigned)threads;
	set_parts(&o, getenv("OVNISCOPE_PARTS"));
	o.stats = stats ? &counted : NULL;
	o.uscope.labels = (uint16_t)labels;
	const char *named = NULL;
	if (opt == CLI_END)
		opt = find_name(&cli, io->list, argv[optind], &named);
	if (!named)
		opt = cli_directory(&cli, opt, argc);
	if (opt == CLI_END)
		opt = plugins_load(plugins, &cli, d);
	if (opt == CLI_END)
		opt = enable_models(&cli, &learned, &plugins->set, &enabled);
	if (opt != CLI_END)
		return cli_status(opt);

	o.inputs = io->list;
	p.wanted = p.wanted && d->level > DIAG_QUIET;
	if (p.wanted || team) {
		o.progress = show_progress;
		o.progress_arg = &p;
	}
	o.team = team;
	cli_catch_signals(on_signal);
	if (team && team->rank) {
		d->hold = keep_quiet;
		o.progress = NULL;
	} else if (team) {
		listened = team;
		(void)team->say(team, GO);
	}
	return run(d, named ? NULL : argv[optind], &o);
}

/* In a team all have read the options like rank 0 before they begin, and end with its status. */
static int
start_team(struct diag *d, struct team *team, struct input_options *io, struct plugins *plugins, int argc, char **argv)
{
	if (team->rank == 0) {
		int status = start(d, team, io, plugins, argc, argv);
		return team->say(team, status);
	}
	int word = team->say(team, 0);
	if (word != GO)
		return word;
	int status = start(d, team, io, plugins, argc, argv);
	if (!d->hold) /* its options are others, and wrong: reported */
		team->abort(team, status);
	return team->say(team, 0);
}

int
main(int argc, char **argv)
{
	struct team *team = join_team(&argc, &argv, &stop);
	struct diag d = { .program = join_name ? join_name : "ovniemu", .level = DIAG_NORMAL };
	struct input_options io = { 0 };
	struct plugins plugins = { 0 };
	bool ready = begin_inputs(&io, &d) == 0 && registry_add(&plugins.set, &d) == 0;
	int status = 1;
	if (ready)
		status = team ? start_team(&d, team, &io, &plugins, argc, argv) : start(&d, NULL, &io, &plugins, argc, argv);
	plugins_close(&plugins);
	arena_finish(&io.arena);
	join_end();
	return status;
}
