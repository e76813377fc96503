/* SPDX-License-Identifier: MIT */
#include "ops.h"

#include "emu.h"
#include "labelhash.h"
#include "nearest.h"
#include "roles.h"
#include "sig.h"
#include "track.h"

#include <inttypes.h>

/* ---- Arguments. ---- */

static int64_t
number_at(const struct event *ev, enum sig_type type, uint32_t at)
{
	const uint8_t *p = ev->payload + at;
	switch (type) {
	case SIG_U8: return *p;
	case SIG_I8: return (int8_t)*p;
	case SIG_U16:
	case SIG_I16: {
		uint16_t v;
		memcpy(&v, p, sizeof(v));
		return type == SIG_U16 ? v : (int16_t)v;
	}
	case SIG_U32: return event_u32(ev, at);
	case SIG_I32: return event_i32(ev, at);
	default: return event_i64(ev, at);
	}
}

/* A text at the end of the payload. NULL: it has no end (reported). */
static const char *
text_at(struct emu *emu, uint32_t at, size_t *n)
{
	const struct event *ev = emu->event;
	const char *text = (const char *)ev->payload + at;
	*n = strnlen(text, ev->size - at);
	if (*n < ev->size - at)
		return text;
	(void)event_error(emu, ERR_PAYLOAD, "the text at the end of the payload has no NUL behind it");
	return NULL;
}

/* Finds what stands for a text, and makes it known where it is new. */
static int
text_value(struct emu *emu, const struct op *op, int64_t *value)
{
	size_t n;
	const char *text = text_at(emu, op->arg.at, &n);
	if (!text)
		return emu->failed;
	*value = labelhash(text, n);
	const struct label *known = idmap_find(&emu->labels[op->col].by_value, (uint64_t)*value);
	if (known && strlen(known->text) == n && memcmp(known->text, text, n) == 0)
		return 0;
	const char *copy = emu_strndup(emu, text, n);
	if (!copy || emu_add_text(emu, *value, copy) < 0)
		return emu->failed;
	return emu_add_label(emu, (int)(op->col - emu->cur->first_col), *value, copy);
}

static int
add_label(struct emu *emu, const struct op *op)
{
	size_t n;
	int64_t value = op->value + number_at(emu->event, op->arg.type, op->arg.at);
	const char *text = text_at(emu, op->arg.text_at, &n);
	const char *copy = text ? emu_strndup(emu, text, n) : NULL;
	int chan = (int)(op->col - emu->cur->first_col);
	if (copy && emu->plan->cols[op->col].decl->values == VALUES_TEXT)
		(void)emu_add_text(emu, value, copy);
	return copy ? emu_add_label(emu, chan, value, copy) : emu->failed;
}

/* Changes the process, or what it is in, of the event's thread. */
static int
run_row(struct emu *emu, const struct op *op, unsigned kind, int64_t value)
{
	bool sets = kind == OP_SET || kind == OP_SET_ARG;
	bool adds = kind == OP_ADD || kind == OP_ADD_ARG;
	return rows_apply(emu, sets ? OP_SET : adds ? OP_ADD
						    : OP_PUNCTUAL,
		op->col, value);
}

int
ops_run_arg(struct emu *emu, const struct op *op)
{
	emu->cur = &emu->models[op->model];
	int chan = (int)(op->col - emu->cur->first_col);
	unsigned kind = op->kind >= OP_ROW ? op->kind - OP_ROW : op->kind;
	int64_t value = op->value;
	if (kind == OP_LABEL)
		return add_label(emu, op);
	bool has_arg = kind >= OP_SET_ARG && kind != OP_ADD;
	if (has_arg && op->arg.type != SIG_STR)
		value += number_at(emu->event, op->arg.type, op->arg.at);
	else if (has_arg && text_value(emu, op, &value) < 0)
		return emu->failed;
	if (op->kind >= OP_ROW)
		return run_row(emu, op, kind, value);
	switch (kind) {
	case OP_SET_ARG: return emu_set(emu, chan, value);
	case OP_PUSH_ARG: return emu_push(emu, chan, value);
	case OP_POP_ARG: return emu_pop(emu, chan, value);
	case OP_PUNCTUAL_ARG: return emu_punctual(emu, chan, value);
	default: return value ? emu_set(emu, chan, emu_value(emu, chan) + value) : 0;
	}
}

/* ---- Phases. ---- */

static inline void
run_hooks(struct emu *emu, const struct event *ev, const struct phase_hook *h, const struct phase_hook *end)
{
	for (; h < end && emu->failed == 0; h++) {
		emu->cur = &emu->models[h->model];
		h->hook(emu, ev);
	}
}

/* Tells those who watch a channel, as some do, that it has changed, if it has. `thread`: that of the event. */
static void
tell_watchers(struct emu *emu, uint32_t thread, uint32_t row, uint32_t col)
{
	uint32_t at = emu->first_watch[col];
	bool of_thread = row < emu->first_cpu;
	uint32_t index = row - emu->chans.cols[col].first_row;
	if (!of_thread && index >= emu->plan->rows.number[emu->chans.cols[col].decl->of])
		return; /* a sum */
	int64_t now = emu->chans.value[chan_id(&emu->chans, row, col)];
	now = now == CHAN_NULL ? 0 : now;
	for (const struct watch *w; at && emu->failed == 0; at = w->next) {
		w = &emu->watches[at - 1];
		int64_t before = w->before[index];
		if (now == before)
			continue;
		w->before[index] = now;
		emu->cur = &emu->models[w->model];
		emu_choose(emu, of_thread ? row : thread);
		w->hook(emu, &(struct chan_change){ (int)col, emu->thread, before, now, w->arg, index });
	}
}

static inline void
tell_change(struct emu *emu, uint32_t thread, uint32_t row, uint32_t col)
{
	if (!emu->watched[col])
		return;
	if (emu->first_watch[col])
		tell_watchers(emu, thread, row, col);
	if (emu->roles && row < emu->first_cpu)
		roles_tell(emu, row, col);
}

/* Tells of what the event has changed so far, and of what those who watch change themselves. */
static void
tell_changes(struct emu *emu, const struct op *own)
{
	const struct chans *c = &emu->chans;
	uint32_t thread = emu->thread;
	uint32_t first_row = emu_first_row(emu, ROW_PROC);
	if (own->kind != OP_HOOK && own->kind < OP_ROW) /* its channel was shown alone */
		tell_change(emu, thread, thread, own->col);
	for (uint32_t i = 0; i < c->ndirty; i++) {
		struct chan_ref d = c->dirty[i];
		if ((d.row < emu->first_cpu || d.row >= first_row) && d.col < c->ncols)
			tell_change(emu, thread, d.row, d.col);
	}
	emu_choose(emu, thread);
}

int
ops_run_phases(struct emu *emu, const struct event *ev, const struct op *op)
{
	const struct phases *p = op->phases;
	run_hooks(emu, ev, p->first, p->emit);
	if (p->watched)
		tell_changes(emu, op);
	if (p->emit == p->end)
		return emu->failed;
	emu->shut = true;
	run_hooks(emu, ev, p->emit, p->post);
	if (emu->failed == 0 && emu_has_changes(emu))
		track_emit_rarely(emu);
	emu->late = true;
	run_hooks(emu, ev, p->post, p->end);
	emu->late = false;
	emu->shut = emu->failed < 0;
	return emu->failed;
}

/* ---- Observers. ---- */

int
emu_find_chan(const struct emu *emu, const char *name)
{
	const struct plan *plan = emu->plan;
	for (uint32_t col = 0; col < plan->ncols; col++) {
		const char *model = plan->cols[col].model ? plan->cols[col].model->name : "thread";
		size_t n = strlen(model);
		if (strncmp(name, model, n) == 0 && name[n] == '.' && strcmp(name + n + 1, plan->cols[col].decl->name) == 0)
			return (int)col;
	}
	return -1;
}

const char *
emu_nearest_chan(struct emu *emu, const char *name)
{
	const struct plan *plan = emu->plan;
	struct nearest best = { 0 };
	for (size_t i = 0; i < plan->nmodels; i++) {
		const struct model *m = plan->models[i].model;
		for (size_t k = 0; k < m->nchans; k++) {
			const char *word = emu_printf(emu, "%s.%s", m->name, m->chans[k].name);
			if (!word || strcmp(word, name) == 0)
				return word;
			nearest_try(&best, name, strlen(name), word);
		}
	}
	return best.word;
}

int64_t
emu_look(struct emu *emu, int found, uint32_t thread)
{
	uint32_t n = (uint32_t)found < emu->chans.ncols ? emu->plan->rows.number[emu->chans.cols[found].decl->of] : 0;
	if (thread >= n) {
		(void)emu_error(emu, "model", "the model %s looks at the channel %d of %" PRIu32 ": there %s", emu->cur->model->name, found, thread, n ? "are not so many" : "is no such channel");
		return 0;
	}
	int64_t v = emu->chans.value[chan_id(&emu->chans, emu->chans.cols[found].first_row + thread, (uint32_t)found)];
	return v == CHAN_NULL ? 0 : v;
}

bool
ops_may_watch(struct emu *emu)
{
	bool may = emu->chans.value && !emu->event;
	if (!may)
		(void)emu_error(emu, "model", "the model %s asks for changes in %s: only connect() may", emu->cur->model->name, emu_stage(emu));
	return may;
}

int
emu_watch(struct emu *emu, int found, chan_hook *hook, void *arg)
{
	if (!ops_may_watch(emu))
		return emu->failed;
	if (found < 0 || (uint32_t)found >= emu->plan->ncols)
		return emu_error(emu, "model", "the model %s watches a channel that there is not\nhint: emu_find_chan() returns <0 where it finds none", emu->cur->model->name);
	uint32_t n = emu->plan->rows.number[emu->plan->cols[found].decl->of];
	int64_t *before = arena_new(&emu->arena, int64_t, n);
	if (!before || !arena_grow(&emu->arena, &emu->watches, emu->nwatches, &emu->watches_cap, sizeof(*emu->watches)))
		return emu_no_memory(emu);
	for (uint32_t i = 0; i < n; i++)
		before[i] = emu_look(emu, found, i);
	emu->watches[emu->nwatches++] = (struct watch){
		.col = (uint32_t)found,
		.model = (uint32_t)(emu->cur - emu->models),
		.hook = hook,
		.arg = arg,
		.before = before,
	};
	return 0;
}

/* Whether the model gets events of the other one, or changes of its channels. */
static bool
looks_at(const struct emu *emu, size_t model, size_t other)
{
	const struct model_run *mr = emu->plan->models;
	bool looks = dispatch_observes(mr[model].model, mr[other].model);
	for (size_t i = 0; i < emu->nwatches; i++)
		looks = looks || (emu->watches[i].model == model && emu->plan->cols[emu->watches[i].col].model == mr[other].model);
	for (uint32_t col = NBASE; col < emu->plan->ncols; col++)
		looks = looks || (emu->plan->cols[col].model == mr[other].model && roles_watched(emu, col, (uint32_t)model));
	return looks && model != other && mr[model].enabled && mr[other].enabled;
}

/* Refuses models of which each looks at the next one, in a circle: none of them would see all. */
static int
refuse_circles(const struct emu *emu)
{
	const struct model_set *set = emu->plan->options.models;
	size_t n = emu->plan->nmodels;
	bool *above = arena_new(&emu->making->arena, bool, n *n);
	if (!above)
		return diag_no_memory(emu->diag);
	for (size_t i = 0; i < n * n; i++)
		above[i] = looks_at(emu, i / n, i % n);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < n * n; i++)
			above[i] = above[i] || (above[i / n * n + k] && above[k * n + i % n]);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			if (i != k && above[i * n + k] && above[k * n + i])
				return diag_error(emu->diag, ERR_MODEL, NULL, "the models %s of %s and %s of %s observe each other: events and channels are seen in one direction",
					emu->plan->models[i].model->name, set->items[i].owner, emu->plan->models[k].model->name, set->items[k].owner);
	return 0;
}

int
ops_connect(struct emu *emu)
{
	struct plan *plan = emu->making;
	for (size_t i = 0; i < plan->nmodels && emu->failed == 0; i++) {
		emu->cur = &emu->models[i];
		emu->stage = "connect()";
		if (plan->models[i].enabled && plan->models[i].model->connect)
			plan->models[i].model->connect(emu);
	}
	bool *watched = emu->watched = arena_new(&emu->arena, bool, plan->ncols);
	emu->first_watch = arena_new(&emu->arena, uint32_t, plan->ncols);
	if (!watched || !emu->first_watch)
		return diag_no_memory(emu->diag);
	for (uint32_t i = (uint32_t)emu->nwatches; i > 0; i--) {
		struct watch *w = &emu->watches[i - 1];
		w->next = emu->first_watch[w->col];
		emu->first_watch[w->col] = i;
		watched[w->col] = true;
	}
	for (uint32_t col = 0; col < plan->ncols; col++)
		watched[col] = watched[col] || roles_watched(emu, col, NO_INDEX);
	int rc = emu->failed ? emu->failed : refuse_circles(emu);
	emu->shut = emu->late = rc < 0;
	if (rc == 0)
		rc = dispatch_add_phases(&plan->dispatch, &plan->arena, emu->diag, plan->models, plan->nmodels, watched);
	for (uint16_t i = 1; i < plan->dispatch.nops; i++) {
		struct op *op = &plan->dispatch.ops[i];
		if ((op->kind == OP_PUSH || op->kind == OP_POP) && !op->phases)
			op->step = (uint16_t)plan->cols[op->col].stack;
	}
	return rc;
}
