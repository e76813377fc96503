/* SPDX-License-Identifier: MIT */
/* connect: prepares an emulator, before the first event. May allocate, search and print. */
#include "ahead.h"
#include "clash.h"
#include "emu.h"
#include "overlap.h"
#include "parts.h"
#include "pick.h"
#include "refill.h"
#include "task.h"
#include "team.h"
#include "track.h"
#include "version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BASE(name_, title_, type, ...)                                                                              \
	{                                                                                                           \
		.name = (name_), .title = (title_), .prv_type = (type), .bare_title = true, .view = { __VA_ARGS__ } \
	}

/* In the order of enum thread_col and enum cpu_col. */
const struct chan_decl base_chans[ROW_CLASSES][NBASE] = {
	[ROW_THREAD] = {
		[COL_CPU] = BASE("cpu", "Thread: CPU affinity", 6, "affinity", "Thread: CPU affinity of the CURRENT thread"),
		[COL_STATE] = {
			.name = "state",
			.title = "Thread: thread state",
			.prv_type = 4,
			.bare_title = true,
			LABELS(thread_states),
			.view = {
				.file = "state",
				.thread_title = "Thread: State of the CURRENT thread",
				.palette = "1:0,100,0 2:110,110,110 3:136,0,0 4:204,178,0 5:255,225,25",
			},
		},
		[COL_TID] = BASE("tid", "Thread: TID of the ACTIVE thread", 2, "tid", "Thread: TID of the ACTIVE thread"),
	},
	[ROW_CPU] = {
		[COL_RUN_TID] = BASE("tid", "CPU: TID of the RUNNING thread", 2, "tid", .cpu_title = "CPU: TID of the RUNNING thread"),
		[COL_RUN_PID] = BASE("pid", "CPU: PID of the RUNNING thread", 1, "pid", .cpu_title = "CPU: PID of the RUNNING thread"),
		[COL_NRUNNING] = BASE("nrunning", "CPU: Number of RUNNING threads", 3, "number-running-threads", .cpu_title = "CPU: Number of RUNNING threads", .gradient = true, .draw_random = true),
	},
};

static int
check_requirement(struct emu *emu, struct model_run *mr, const struct stream *s)
{
	const struct thread_meta *m = &s->meta;
	if (!m->has_require) {
		/* Older traces do not say. Here it died before it could: its events will tell. */
		bool any = emu->plan->trace.metadata_version < 3 || !emu->plan->options.learned;
		mr->enabled = mr->enabled || (any && !mr->model->foreign);
		return 0;
	}
	struct place at = { .file = s->relpath };
	for (size_t i = 0; i < m->nrequire; i++) {
		const struct require_meta *r = &m->require[i];
		if (strcmp(r->model, mr->model->name) != 0)
			continue;
		struct version want;
		struct version have;
		if (version_parse(r->version, &want) < 0 || version_parse(mr->model->version, &have) < 0)
			return diag_error(emu->diag, ERR_MODEL_VERSION, &at,
				"the required version of model %s is not a version: \"%s\"", r->model, r->version);
		if (!version_fits(&want, &have))
			return diag_error(emu->diag, ERR_MODEL_VERSION, &at,
				"unsupported %s model version (want %s, have %s) in thread.%d\n"
				"incompatible %s version: the major number must be equal and the minor not above ours",
				r->model, r->version, mr->model->version, m->tid, r->model);
		mr->enabled = true;
	}
	return 0;
}

/* Names the models that threads require and that are not there, each once. */
static void
warn_of_lacking(struct emu *emu)
{
	enum {
		TOLD = 16,
	};
	const struct require_meta *told[TOLD];
	size_t ntold = 0;
	const struct system *sys = &emu->plan->sys;
	for (uint32_t th = 0; th < sys->nthreads; th++) {
		const struct stream *s = &emu->plan->trace.streams[sys->threads[th].stream];
		for (size_t i = 0; i < s->meta.nrequire; i++) {
			const struct require_meta *r = &s->meta.require[i];
			size_t k = 0;
			while (k < ntold && strcmp(told[k]->model, r->model) != 0)
				k++;
			if (modelset_named(emu->plan->options.models, r->model, strlen(r->model)) || k < ntold || ntold == TOLD)
				continue;
			told[ntold++] = r;
			emu->making->lacks_models = true;
			diag_warn(emu->diag, &(struct place){ .file = s->relpath },
				"there is no model %s, of which version %s is required: its events are %s\n"
				"hint: --model reads one from a file; 'ovniemu --help' lists the others",
				r->model, r->version, emu->plan->trace.options.strict ? "errors" : "skipped");
		}
	}
}

/* Whether a run has the model although no thread requires it, and before the model is asked. A model of the user that has no
 * events is one: it cannot be required, and looks at those of others. */
static bool
is_enabled(const struct emu_options *o, const struct owned_model *owned)
{
	const struct model *m = owned->model;
	bool watches = !m->foreign && m->nstates == 0 && m->nevents == 0 && strcmp(owned->owner, MODELSET_OURS) != 0;
	return m->always || watches || (o->all_models && !m->foreign) || (o->learned && o->learned->models[(uint8_t)m->id]);
}

static int
probe_models(struct emu *emu)
{
	struct plan *plan = emu->making;
	const struct model_set *set = plan->options.models;
	plan->nmodels = set->n;
	plan->models = arena_new(&plan->arena, struct model_run, plan->nmodels);
	emu->models = arena_new(&emu->arena, struct model_part, plan->nmodels);
	if (!plan->models || !emu->models)
		return diag_no_memory(emu->diag);
	const struct system *sys = &emu->plan->sys;
	for (size_t i = 0; i < emu->plan->nmodels; i++) {
		struct model_run *mr = &plan->models[i];
		mr->model = emu->models[i].model = set->items[i].model;
		mr->enabled = is_enabled(&plan->options, &set->items[i]);
		for (uint32_t th = 0; th < sys->nthreads; th++) {
			int rc = check_requirement(emu, mr, &emu->plan->trace.streams[sys->threads[th].stream]);
			if (rc < 0)
				return rc;
		}
	}
	for (size_t i = 0; i < plan->nmodels && emu->failed == 0; i++) {
		emu->cur = &emu->models[i];
		emu->stage = "probe()";
		if (!plan->models[i].enabled && emu->cur->model->probe)
			plan->models[i].enabled = emu->cur->model->probe(emu);
	}
	warn_of_lacking(emu);
	return emu->failed;
}

/* The condition (enum need) under which a thread's row shows a channel of that mode. */
static unsigned
need_of(enum track mode)
{
	static const unsigned need[] = {
		[TRACK_RUNNING] = NEED_RUNNING,
		[TRACK_ACTIVE] = NEED_ACTIVE,
		[TRACK_ANY] = NEED_NOTHING,
		[TRACK_HIDDEN] = NEED_NEVER,
		[TRACK_OWN] = NEED_OWN,
	};
	return need[mode];
}

static int
add_col(struct emu *emu, const struct chan_decl *decl, const struct model *model)
{
	struct plan *plan = emu->making;
	if (!arena_grow(&plan->arena, &plan->cols, plan->ncols, &plan->cols_cap, sizeof(*plan->cols)) ||
		!arena_grow(&emu->arena, &emu->labels, plan->ncols, &emu->labels_cap, sizeof(*emu->labels)))
		return diag_no_memory(emu->diag);
	uint32_t stack = 0;
	for (size_t i = 0; i < plan->ncols; i++)
		stack += plan->cols[i].kind == CHAN_STACK;
	emu->labels[plan->ncols] = (struct late_labels){ 0 };
	unsigned thread = model ? need_of(decl->thread_track) : NEED_NOTHING;
	unsigned cpu = decl->cpu_track == TRACK_ANY ? NEED_NEVER : need_of(decl->cpu_track);
	if (decl->of != OF_THREAD)
		thread = cpu = NEED_NEVER;
	plan->cols[plan->ncols++] = (struct col){
		.kind = decl->of == OF_THREAD ? (unsigned)decl->kind : CHAN_OF_ROWS,
		.dup = decl->dup,
		.repeat = decl->repeat == REPEAT_SKIP && decl->dup == DUP_ALLOW ? REPEAT_VALUES : decl->repeat,
		.thread_need = thread,
		.cpu_need = cpu,
		.quick_need = emu->plan->options.compat ? NEED_NEVER : thread | cpu,
		.direct = decl->of == OF_THREAD && thread & cpu & NEED_NEVER ? CHAN_HIDDEN : thread == NEED_NOTHING,
		.idle = decl->idle,
		.stack = stack,
		.decl = decl,
		.model = model,
	};
	return 0;
}

int
emu_add_chan(struct emu *emu, const struct chan_decl *decl)
{
	char why[200];
	if (emu->chans.value || emu->plan->ncols == 0)
		return emu_error(emu, "model", "the model %s adds the channel %s in %s: only create() may", emu->cur->model->name, decl->name, emu_stage(emu));
	for (uint32_t col = NBASE; col < emu->plan->ncols; col++) {
		const struct col *k = &emu->plan->cols[col];
		if (k->decl->prv_type == decl->prv_type)
			return emu_error(emu, "model-clash", "the models %s and %s have the same PRV type %d (channels %s and %s)",
				k->model->name, emu->cur->model->name, decl->prv_type, k->decl->name, decl->name);
	}
	int rc = emu->failed < 0 ? emu->failed : emu_fail(emu, add_col(emu, decl, emu->cur->model));
	if (rc == 0 && clash_in_rows(decl, why, sizeof(why)))
		rc = emu_error(emu, "model", "the model %s: %s: %s", emu->cur->model->name, why, decl->name);
	if (rc < 0)
		return rc;
	emu->making->models[emu->cur - emu->models].nchans++;
	return (int)emu->cur->nchans++;
}

void
emu_add_property(struct emu *emu, const char *key, const char *value)
{
	if (emu->plan->nproperties < EMU_PROPERTIES)
		emu->making->properties[emu->making->nproperties++] = (struct emu_property){ key, value };
}

static int
create_model(struct emu *emu, struct model_run *mr, struct model_part *part)
{
	const struct model *m = mr->model;
	emu->cur = part;
	mr->first_col = part->first_col = (uint32_t)emu->plan->ncols;
	int rc = 0;
	for (size_t i = 0; i < m->nchans && rc >= 0; i++)
		rc = emu_add_chan(emu, &m->chans[i]);
	part->data = arena_alloc(&emu->arena, 1, m->data_size);
	part->proc_data = arena_alloc(&emu->arena, emu->plan->sys.nprocs, m->proc_size);
	part->thread_data = arena_alloc(&emu->arena, emu->plan->sys.nthreads, m->thread_size);
	part->task_tables = m->tasks ? arena_new(&emu->arena, struct task_table, emu->plan->sys.nprocs) : NULL;
	part->task_stacks = m->tasks ? arena_new(&emu->arena, struct task_stack, emu->plan->sys.nthreads) : NULL;
	if (rc >= 0 && (!part->data || !part->proc_data || !part->thread_data || (m->tasks && (!part->task_tables || !part->task_stacks))))
		rc = diag_no_memory(emu->diag);
	if (rc < 0)
		return rc;
	emu->stage = "create()";
	if (m->create)
		m->create(emu);
	part->connected = emu->failed == 0;
	if (emu->failed == 0 && m->breakdown && emu->plan->options.breakdown)
		mr->breaks_down = !m->breakdown->suits || m->breakdown->suits(emu);
	often_report(emu->diag, &part->warned, "threads");
	part->warned = (struct often){ 0 };
	return emu->failed;
}

static int
make_columns(struct emu *emu)
{
	/* One struct col serves the base columns of threads and CPUs: none is tracked. */
	for (int i = 0; i < NBASE; i++) {
		int rc = add_col(emu, &base_chans[ROW_THREAD][i], NULL);
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < emu->plan->nmodels; i++) {
		int rc = emu->plan->models[i].enabled ? create_model(emu, &emu->making->models[i], &emu->models[i]) : 0;
		if (rc < 0)
			return rc;
	}
	if (emu->plan->ncols > COLUMNS_MAX)
		return diag_error(emu->diag, ERR_METADATA, NULL, "the models and marks need more than %d channels", COLUMNS_MAX);
	int rc = rows_make(emu);
	return rc < 0 ? rc : dispatch_init(&emu->making->dispatch, &emu->making->arena, emu->diag, emu->plan->models, emu->plan->nmodels);
}

static int
make_state(struct emu *emu)
{
	struct arena *a = &emu->arena;
	uint32_t nthreads = emu->plan->sys.nthreads;
	uint32_t nrows = nthreads + emu->plan->sys.ncpus + emu->plan->rows.n;
	size_t n = (size_t)nrows * emu->plan->ncols;
	emu->threads = arena_new(a, struct thread_run, nthreads + 1);
	emu->run_of_stream = arena_new(a, struct thread_run *, emu->plan->trace.nstreams);
	emu->dispatch = &emu->plan->dispatch;
	emu->cpus = arena_new(a, struct cpu_run, emu->plan->sys.ncpus);
	emu->printed = arena_new(a, int64_t, n);
	for (int i = 0; i < ROW_CLASSES; i++)
		emu->shown[i] = arena_new(a, uint8_t, emu->plan->ncols);
	if (!emu->threads || !emu->run_of_stream || !emu->cpus || !emu->printed || !emu->shown[ROW_THREAD] || !emu->shown[ROW_CPU] || !emu->shown[ROW_PROC])
		return diag_no_memory(emu->diag);
	if (chan_init(&emu->chans, a, emu->plan->cols, (uint32_t)emu->plan->ncols, nrows, nthreads) < 0)
		return diag_no_memory(emu->diag);
	emu->chans.rewrite = !emu->compat;
	for (size_t i = 0; i < emu->plan->nmodels; i++)
		emu->models[i].cols = emu->plan->cols + emu->models[i].first_col;
	emu->first_cpu = nthreads;
	run_init(emu);
	emu->thread_of_stream = emu->plan->sys.thread_of_stream;
	for (uint32_t col = NBASE; col < emu->plan->ncols; col++)
		for (uint32_t th = 0; emu->plan->cols[col].decl->initial && !emu->plan->cols[col].decl->of && th < nthreads; th++)
			emu->chans.value[chan_id(&emu->chans, th, col)] = emu->plan->cols[col].decl->initial;
	rows_begin(emu);
	return 0;
}

/* Each has a clock of its own. The name of a loom begins with that of its host, up to a dot. */
static bool
has_several_hosts(const struct system *sys)
{
	const char *first = sys->nlooms ? sys->looms[0].name : "";
	size_t n = strcspn(first, ".");
	uint32_t i = 0;
	while (i < sys->nlooms && strncmp(sys->looms[i].name, first, n) == 0 && (sys->looms[i].name[n] == '.' || !sys->looms[i].name[n]))
		i++;
	return i < sys->nlooms;
}

static void
report_trace(struct emu *emu)
{
	const struct system *sys = &emu->plan->sys;
	struct diag *d = emu->diag;
	diag_info(d, "%zu streams (metadata version %d): %u looms, %u processes, %u threads%s, %u CPUs",
		trace_nstreams(&emu->plan->trace), emu->plan->trace.metadata_version, sys->nlooms, sys->nprocs, sys->nknown,
		sys->nknown < sys->nthreads ? " so far" : "", sys->nphysical);
	struct often unfinished = { 0 };
	struct often lost = { 0 };
	const char *version = NULL;
	bool mixed = false;
	bool any_require = true;
	uint32_t nrings = 0, nended = 0;
	for (uint32_t th = 0; th < sys->nthreads; th++) {
		const struct stream *s = &emu->plan->trace.streams[sys->threads[th].stream];
		const struct thread_meta *m = &s->meta;
		if (m->lib_version && version)
			mixed = mixed || strcmp(version, m->lib_version) != 0;
		version = version ? version : m->lib_version;
		any_require = any_require && m->has_require;
		nrings += m->ring;
		nended += m->ended == ENDED_WHOLE;
		if (m->finished == FINISHED_NO && m->ended == ENDED_UNSEEN)
			often_add(&unfinished, &(struct place){ .file = s->relpath },
				"thread %d never finished (did the program crash?): what it wrote is emulated", m->tid);
		const struct loss *l = emu->plan->trace.losses;
		l = l ? &l[sys->threads[th].stream] : NULL;
		if (l && l->n)
			often_add(&lost, &(struct place){ .file = s->relpath, .has_clock = l->since > 0, .clock = l->since },
				"thread %d lost %" PRIu64 " events", m->tid, l->n);
	}
	often_report(d, &unfinished, "threads");
	often_report(d, &lost, "threads");
	if (nended)
		diag_info(d, "%" PRIu32 " thread%s ended without ovni_thread_free(): nothing of %s is lost",
			nended, nended == 1 ? "" : "s", nended == 1 ? "it" : "them");
	if (nrings)
		diag_info(d, "%" PRIu32 " thread%s kept only the last events (OVNI_RING): %s later than the program",
			nrings, nrings == 1 ? "" : "s", nrings == 1 ? "its row begins" : "their rows begin");
	if (mixed)
		diag_warn(d, NULL, "mixed versions of libovni detected in the trace");
	else if (version)
		diag_debug(d, "written by libovni %s", version);
	if (!any_require && (emu->plan->trace.metadata_version == 2 || !emu->plan->options.learned))
		diag_warn(d, NULL, "some threads do not say which models they require: all are enabled");
	if (has_several_hosts(sys) && !emu->plan->trace.has_clock_table)
		diag_warn(d, NULL, "no clock offsets with %u looms\n"
				   "hint: if they are on several machines, run 'ovnisync' and give its table with -c",
			sys->nlooms);
}

/* Adds the row of a thread of live input, which may come in the middle of an event. */
static int
take_late(void *arg, uint32_t row)
{
	struct emu *emu = arg;
	system_take_late(&emu->making->sys, &emu->making->trace, row);
	if (emu->feed.flow)
		track_late_row(emu, row);
	return 0;
}

/* Brings the outputs up to date while live input is awaited. Stops waiting when they have
 * failed. */
static int
flush(void *arg)
{
	struct emu *emu = arg;
	if (!emu->feed.flow)
		return 0;
	feed_flush(&emu->feed);
	return feed_failed(&emu->feed) ? -ERR_WRITE : 0;
}

/* Models of users may look at the events of others. */
static bool
has_models_of_users(const struct emu_options *o)
{
	for (size_t i = 0; i < o->models->n; i++)
		if (strcmp(o->models->items[i].owner, MODELSET_OURS) != 0)
			return true;
	return false;
}

int
emu_open(struct emu *emu, struct diag *d, const char *dir, const struct emu_options *o)
{
	struct plan *plan = block_alloc(sizeof(*plan));
	*emu = (struct emu){ .plan = plan, .making = plan, .learned = o->learned, .diag = d, .compat = o->compat, .shut = true, .late = true };
	emu->texts = &emu->no_text;
	if (!plan)
		return diag_no_memory(d);
	plan->options = *o;
	const struct trace_options to = {
		.strict = o->lint || o->compat,
		.lint = o->lint,
		.mend = o->mend,
		.peer_ties = o->compat,
		.clock_table = o->clock_table,
		.threads = o->threads,
		.inputs = o->inputs,
		.shows_nothing = !o->outputs,
		.stop = o->stop,
		.unsorted = o->learned && !o->lint && !o->compat ? &o->learned->unsorted : NULL,
	};
	int64_t end = 0;
	int rc = cut_needs_end(&o->cut) ? cut_find_end(d, dir, &to, &end) : 0;
	if (rc == 0)
		rc = trace_open(&plan->trace, d, dir, &to);
	plan->trace.late = take_late;
	plan->trace.idle = flush;
	plan->trace.live_arg = emu;
	if (rc == 0)
		rc = system_build(&plan->sys, &plan->arena, &plan->trace);
	if (rc == 0 && !o->compat)
		rc = system_distinguish(&plan->sys, &plan->arena, d);
	if (rc == 0 && plan->sys.nthreads == 0)
		rc = diag_error(d, ERR_NO_STREAM, NULL, "no stream of '%s' is a thread of a loom", plan->trace.dir);
	for (size_t i = 0; i < plan->trace.nstreams; i++) {
		const struct thread_meta *m = &plan->trace.streams[i].meta;
		plan->unfinished = plan->unfinished || m->ring || (m->finished == FINISHED_NO && !to.strict);
		plan->ring = plan->ring || m->ring;
	}
	if (rc == 0)
		rc = probe_models(emu);
	if (rc == 0)
		rc = make_columns(emu);
	if (rc == 0)
		rc = make_state(emu);
	if (rc == 0)
		rc = ops_connect(emu);
	trace_forget_attrs(&plan->trace);
	if (rc == 0) {
		report_trace(emu);
		rc = merge_init(&emu->merge, &plan->trace);
		emu->start = plan->start = rc == 0 ? merge_start(&emu->merge) : 0;
		if (rc == 0 && !o->compat && !plan->ring && !plan->trace.nthreads && overlap_begin(plan) < 0)
			rc = diag_no_memory(d);
		if (rc == 0)
			rc = cut_find_window(emu, end);
		plan->trace.unwatched = !o->outputs && !cut_is_asked(emu) && !has_models_of_users(o);
	}
	return rc;
}

int
emu_connect(struct emu *emu, const struct sink_ops *const *sinks, size_t nsinks)
{
	const char *dir = emu->plan->options.outdir ? emu->plan->options.outdir : emu->plan->trace.dir;
	if (watch_init(emu) < 0)
		return diag_no_memory(emu->diag);
	const struct emu_options *o = &emu->plan->options;
	int rc = pick_make(emu);
	if (rc == 0)
		rc = feed_open(&emu->feed, emu->diag, emu, dir, sinks, nsinks);
	if (rc == 0)
		rc = feed_start(&emu->feed, o->threads - plan_compresses_apart(o));
	if (rc == 0) {
		cut_connect(emu);
		if (o->team && o->team->rank) /* that of rank 0 prints them */
			feed_drop(&emu->feed, true);
		track_first_lines(emu);
		if (o->team && o->team->rank)
			feed_drop(&emu->feed, false);
	}
	if (rc == 0)
		rc = parts_open(emu);
	if (rc == 0 && !emu->parts)
		rc = ahead_open(emu);
	return rc == 0 ? refill_open(emu) : rc;
}
