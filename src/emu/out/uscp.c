/* SPDX-License-Identifier: MIT */
/* uscp: the timelines of all rows as one µScope file, ovni.uscp.
 *
 * Every record of a PRV is one SET, in the same order; a cycle of the file is one event of
 * the trace. A file that cannot be written does not harm the others: it is completed with
 * what it has, and the run goes on. Layout in doc/format/timeline.md. */
#include "reduce.h"
#include "uscpmap.h"
#include "utf8text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FILE_NAME "ovni.uscp"

enum {
	PS_PER_NS = 1000,
	NONE = -1,
};

/* Checkpoints: one a second, but rarely enough that they stay a small part of the file,
 * and often enough that a state is found soon. In bytes of deltas. */
static const uint64_t interval_ps = 1000000000000;
static const uint64_t min_bytes = 256 << 10;
static const uint64_t max_bytes_low = 1 << 20;
static const uint64_t max_bytes_low_zstd = 4 << 20; /* it finds what LZ4 does not look for */
static const uint64_t max_bytes_high = 64 << 20;

/* An overview of a screen or two needs no more. */
static const uint64_t summary_bytes = 4 << 20;

/* A text of a model, and the value that it stands for. */
struct known {
	int64_t value;
	uint32_t index;
};

/* What a CPU has been doing since a time. */
struct span {
	int counter; /* <0: none */
	int64_t since;
};

struct uscp {
	const struct emu *emu;
	struct arena arena;
	struct uscp_map map;
	uscope_writer_t *w;
	const char *path;
	bool failed; /* and reported */

	/* Texts: hash -> index, by what the models have told so far. */
	struct idmap texts;
	struct idmap by_index; /* and back */
	const struct emu_text *last_text;
	/* The table of labels. */
	struct idmap labelled; /* value and model that are in it */
	uint32_t nlabels;
	uint64_t nlabels_lost;

	struct reduction *reductions;
	size_t nreductions;
	struct span *busy; /* by CPU */
	struct span *over;
	struct record *pending; /* punctual values whose end has not come */
	size_t npending;
	size_t pending_cap;
	int64_t time; /* of the last cycle, ns */
	uint16_t last_event;
	bool unended; /* the breakdowns of the last cycle are still to be written */
};

/* ---- Errors. ---- */

/* The other outputs go on. */
static void
give_up(struct uscp *u, const char *what, int status)
{
	if (u->failed)
		return;
	u->failed = true;
	(void)diag_error(u->emu->diag, status == USCOPE_E_NOMEM ? ERR_MEMORY : ERR_WRITE, NULL,
		"%s: %s\nhint: the other outputs are not affected; what the file holds up to here can be read", u->path, what);
}

static void
check_writer(struct uscp *u)
{
	if (u->w && uscope_writer_error(u->w) && !u->failed)
		give_up(u, uscope_writer_error_info(u->w)->reason, uscope_writer_error(u->w));
}

/* ---- Texts and labels. ---- */

static uint32_t
put_text(struct uscp *u, const char *text)
{
	text = utf8text_make(&u->arena, text);
	if (!text)
		give_up(u, "memory is exhausted", USCOPE_E_NOMEM);
	uint32_t index = text ? uscope_string_insert(u->w, text) : UINT32_MAX;
	return index == UINT32_MAX ? USCP_TEXT_EMPTY : index;
}

/* A row of the table of labels. Inside a cycle. */
static void
put_label(struct uscp *u, unsigned class, int prv_type, int64_t value, uint32_t text)
{
	if (u->nlabels == u->map.nlabels) {
		u->nlabels_lost++;
		return;
	}
	uint16_t slot = (uint16_t)u->nlabels++;
	uscope_slot_set(u->w, u->map.labels, slot, LABELS_CLASS, class);
	uscope_slot_set(u->w, u->map.labels, slot, LABELS_TYPE, (uint64_t)prv_type);
	uscope_slot_set(u->w, u->map.labels, slot, LABELS_VALUE, (uint64_t)value);
	uscope_slot_set(u->w, u->map.labels, slot, LABELS_TEXT, text);
}

/* The text labels all columns of its model that are texts, and its breakdown. */
static void
label_columns(struct uscp *u, const struct emu_text *t, uint32_t index)
{
	for (uint32_t col = NBASE; col < u->emu->ncols; col++) {
		const struct col *k = &u->emu->cols[col];
		if (k->model == t->model && k->decl->values == VALUES_TEXT)
			put_label(u, USCP_BOTH, k->decl->prv_type, t->value, index);
	}
	for (size_t i = 0; i < u->nreductions; i++)
		if (u->reductions[i].model == t->model)
			put_label(u, USCP_BREAKDOWN, u->reductions[i].decl->prv_type, t->value, index);
}

/* Adds a key. Returns whether it is new. */
static bool
note(struct uscp *u, struct idmap *m, uint64_t key, void *value)
{
	struct idmap_slot *slot = idmap_slot(m, &u->arena, key);
	if (!slot)
		give_up(u, "memory is exhausted", USCOPE_E_NOMEM);
	if (!slot || slot->value)
		return false;
	slot->value = value;
	return true;
}

/* The index stands for the value, and for no other one: a text that is one of the error
 * states, or looks like another one, gets blanks behind it. */
static uint32_t
put_text_of(struct uscp *u, struct known *k, const char *text)
{
	while (text && !u->failed && !uscope_writer_error(u->w)) {
		uint32_t index = put_text(u, text);
		if (index > USCP_TEXT_TOO_MANY) {
			(void)note(u, &u->by_index, index, k);
			const struct known *owner = idmap_find(&u->by_index, index);
			if (owner && owner->value == k->value)
				return index;
		}
		text = arena_printf(&u->arena, "%s ", text);
	}
	if (!text)
		give_up(u, "memory is exhausted", USCOPE_E_NOMEM);
	return USCP_TEXT_EMPTY;
}

/* What the models have told since. Inside a cycle. */
static void
learn_texts(struct uscp *u)
{
	const struct emu_text *t;
	while ((t = atomic_load_explicit(&u->last_text->next, memory_order_acquire))) {
		u->last_text = t;
		struct known *k = arena_new(&u->arena, struct known, 1);
		if (!k) {
			give_up(u, "memory is exhausted", USCOPE_E_NOMEM);
			return;
		}
		uint64_t of_model = (uint64_t)t->value << 8 | (uint8_t)t->model->id;
		if (!note(u, &u->labelled, of_model, k))
			continue; /* processes share their types */
		k->value = t->value;
		k->index = put_text_of(u, k, t->text);
		(void)note(u, &u->texts, (uint64_t)t->value, k);
		label_columns(u, t, k->index);
	}
}

static uint32_t
text_of(struct uscp *u, int64_t value)
{
	if (value == 0)
		return USCP_TEXT_EMPTY;
	if (value == ST_BAD)
		return USCP_TEXT_BAD;
	if (value == ST_TOO_MANY_TH)
		return USCP_TEXT_TOO_MANY;
	const struct known *k = idmap_find(&u->texts, (uint64_t)value);
	if (!k) {
		learn_texts(u);
		k = idmap_find(&u->texts, (uint64_t)value);
	}
	return k ? k->index : UINT32_MAX;
}

/* ---- Values. ---- */

static void
refuse_value(struct uscp *u, const struct record *r)
{
	char what[160];
	(void)snprintf(what, sizeof(what), "the value %" PRId64 " of row %" PRIu32 ", column %u, at %" PRId64 " ns does not fit its field",
		r->value, r->row + 1, r->col, r->time);
	give_up(u, what, USCOPE_E_RANGE);
}

static void
put_record(struct uscp *u, const struct uscp_class *c, const struct record *r)
{
	const struct uscp_col *k = &c->cols[r->col];
	uint64_t value = (uint64_t)r->value;
	switch (k->kind) {
	case USCP_ENUM:
		if (__builtin_expect(value > USCP_ENUM_MAX, 0)) {
			if (r->value != ST_BAD && r->value != ST_TOO_MANY_TH)
				refuse_value(u, r);
			value = r->value == ST_BAD ? USCP_ENUM_BAD : USCP_ENUM_TOO_MANY;
		}
		break;
	case USCP_U32:
		if (__builtin_expect(value > UINT32_MAX, 0))
			refuse_value(u, r);
		break;
	case USCP_TEXT:
		value = text_of(u, r->value);
		if (value == UINT32_MAX)
			refuse_value(u, r);
		break;
	default: break;
	}
	uscope_slot_set(u->w, k->storage, (uint16_t)(r->row - c->first_row), k->field, value);
}

/* ---- Punctual values. ---- */

/* The first record says the value, at t - 1 or t; one at t, of the same event, says what
 * the row showed before. The file has one event, at t. */
static void
hold(struct uscp *u, const struct record *r)
{
	struct record *p = arena_grow(&u->arena, u->pending, u->npending, &u->pending_cap, sizeof(*p));
	if (!p) {
		give_up(u, "memory is exhausted", USCOPE_E_NOMEM);
		return;
	}
	u->pending = p;
	p[u->npending++] = *r;
}

/* Whether the record ends a punctual value; then in *value. */
static bool
release(struct uscp *u, const struct record *r, struct record *value)
{
	for (size_t i = 0; i < u->npending; i++) {
		const struct record *p = &u->pending[i];
		if (p->row != r->row || p->col != r->col || (p->event & ~RECORD_PUNCTUAL) != r->event)
			continue;
		*value = *p;
		memmove(&u->pending[i], &u->pending[i + 1], (--u->npending - i) * sizeof(*p));
		return true;
	}
	return false;
}

static void
store_le(uint8_t *to, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void
put_punctual(struct uscp *u, const struct uscp_class *c, const struct record *r)
{
	uint8_t payload[14];
	store_le(payload, 4, r->row - c->first_row + 1);
	store_le(payload + 4, 2, c->cols[r->col].channel);
	store_le(payload + 6, 8, (uint64_t)r->value);
	uscope_event(u->w, c->punctual, payload);
}

/* An event of the trace, which is two records: see struct batch. */
static void
put_raw(struct uscp *u, const struct record *r)
{
	uint8_t payload[24];
	store_le(payload, 4, r[0].row + 1);
	payload[4] = (uint8_t)r[0].col;
	payload[5] = (uint8_t)(r[0].col >> 8);
	payload[6] = (uint8_t)r[1].col;
	payload[7] = (uint8_t)r[1].row;
	store_le(payload + 8, 8, (uint64_t)r[0].value);
	store_le(payload + 16, 8, (uint64_t)r[1].value);
	uscope_event(u->w, u->map.raw_event, payload);
}

/* ---- Cycles. ---- */

/* The records of a lane, and how far they are written. */
struct cursor {
	const struct record *begin;
	const struct record *at;
	const struct record *end;
};

/* How many threads run in a CPU, for the overview. */
static void
count_busy(struct uscp *u, struct span *s, bool now, int64_t time)
{
	if (s->counter < 0 || now == (s->since != NONE))
		return;
	if (!now)
		uscope_summary_span(u->w, s->counter, (uint64_t)s->since * PS_PER_NS, (uint64_t)time * PS_PER_NS);
	s->since = now ? time : NONE;
}

/* Both lines of a punctual value are at t when there was one before, and the reader knows
 * that. Where an instant was too long for a batch they may be for no such reason: then
 * they are written as what they are. */
static bool
is_plain(const struct cursor *c, const struct record *r, const struct record *value)
{
	if (value->time != r->time || r->time == 0)
		return true;
	for (const struct record *p = r; p-- > c->begin && p->time == r->time;)
		if (p->row == r->row && p->col == r->col && !(p->event & RECORD_PUNCTUAL))
			return true;
	return false;
}

static inline void
put_any(struct uscp *u, enum row_class rows, const struct cursor *cur, const struct record *r)
{
	const struct uscp_class *c = &u->map.classes[rows];
	struct record value;
	if (__builtin_expect(u->npending != 0, 0) && release(u, r, &value)) {
		if (is_plain(cur, r, &value)) {
			put_punctual(u, c, &value);
			return;
		}
		put_record(u, c, &value);
	}
	put_record(u, c, r);
	if (rows == ROW_CPU && r->col == COL_NRUNNING) {
		count_busy(u, &u->busy[r->row - c->first_row], r->value >= 1, r->time);
		count_busy(u, &u->over[r->row - c->first_row], r->value >= 2, r->time);
	}
	if (rows == ROW_CPU)
		for (size_t i = 0; i < u->nreductions; i++)
			if (reduce_matters(&u->reductions[i], r))
				reduce_take(&u->reductions[i], r);
}

static void
put_breakdowns(struct uscp *u)
{
	const struct uscp_class *c = &u->map.classes[USCP_BREAKDOWN];
	for (size_t i = 0; i < u->nreductions; i++) {
		struct reduction *r = &u->reductions[i];
		uint32_t n = r->ntouched ? reduce_end(r) : 0;
		for (uint32_t k = 0; k < n; k++)
			uscope_slot_set(u->w, c->cols[i].storage, (uint16_t)r->changed[k], 0, (uint64_t)r->shown[r->changed[k]]);
	}
}

/* Sets punctual values aside, up to the next other record. */
static void
skip_punctuals(struct uscp *u, struct cursor *c)
{
	for (; c->at < c->end && c->at->event & RECORD_PUNCTUAL; c->at++)
		hold(u, c->at);
}

/* Events are counted in 15 bits: which of two of an instant is the earlier. */
static bool
is_earlier(const struct record *a, const struct record *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return ((a->event - b->event) & (RECORD_PUNCTUAL >> 1)) != 0;
}

/* The lane with the earliest event; LANES when all are done. */
static int
first_lane(const struct cursor cur[])
{
	int first = LANES;
	for (int i = 0; i < LANES; i++)
		if (cur[i].at < cur[i].end && (first == LANES || is_earlier(cur[i].at, cur[first].at)))
			first = i;
	return first;
}

static bool
is_next(const struct cursor *c, const struct record *event)
{
	return c->at < c->end && c->at->time == event->time && c->at->event == event->event;
}

/* All that one event of the trace has changed. */
static void
put_cycle(struct uscp *u, struct cursor cur[], const struct record event)
{
	u->time = event.time;
	uscope_begin_cycle(u->w, (uint64_t)event.time * PS_PER_NS);
	for (; is_next(&cur[LANE_EVENTS], &event); cur[LANE_EVENTS].at += 2)
		put_raw(u, cur[LANE_EVENTS].at);
	for (enum row_class i = 0; i < ROW_CLASSES; i++)
		while (is_next(&cur[i], &event)) {
			put_any(u, i, &cur[i], cur[i].at);
			cur[i].at++;
			skip_punctuals(u, &cur[i]);
		}
	/* An event that is too long for a batch goes on in the next one. */
	u->unended = u->nreductions && first_lane(cur) == LANES;
	u->last_event = event.event;
	if (u->nreductions && !u->unended)
		put_breakdowns(u);
	uscope_end_cycle(u->w);
}

/* The event that ended the last batch, after all. */
static void
end_event(struct uscp *u)
{
	if (!u->unended)
		return;
	u->unended = false;
	uscope_begin_cycle(u->w, (uint64_t)u->time * PS_PER_NS);
	put_breakdowns(u);
	uscope_end_cycle(u->w);
}

static int
uscp_write(void *self, const struct batch *b)
{
	struct uscp *u = self;
	if (u->failed || !u->w)
		return 0;
	struct cursor cur[LANES];
	for (int i = 0; i < LANES; i++) {
		cur[i] = (struct cursor){ b->r[i], b->r[i], b->r[i] + b->n[i] };
		if (i < ROW_CLASSES)
			skip_punctuals(u, &cur[i]);
	}
	int first = first_lane(cur);
	if (first < LANES && (cur[first].at->time != u->time || cur[first].at->event != u->last_event))
		end_event(u);
	for (int i; (i = first_lane(cur)) < LANES;)
		put_cycle(u, cur, *cur[i].at);
	check_writer(u);
	return 0;
}

/* ---- Open. ---- */

static void
put_rows(struct uscp *u, enum row_class rows)
{
	const struct uscp_class *c = &u->map.classes[rows];
	const struct system *sys = &u->emu->sys;
	for (uint32_t i = 0; i < c->nrows; i++) {
		uint16_t slot = (uint16_t)i;
		uscope_slot_set(u->w, c->rows, slot, ROWS_LABEL, put_text(u, emu_row_label(u->emu, c->first_row + i)));
		if (rows == ROW_CPU) {
			uscope_slot_set(u->w, c->rows, slot, ROWS_LOOM, sys->cpus[i].loom);
			uscope_slot_set(u->w, c->rows, slot, ROWS_PHYID, (uint64_t)(int64_t)sys->cpus[i].phyid);
			uscope_slot_set(u->w, c->rows, slot, ROWS_VIRTUAL, sys->cpus[i].index < 0);
			continue;
		}
		const struct thread *th = &sys->threads[i];
		const struct proc *p = &sys->procs[th->proc];
		uscope_slot_set(u->w, c->rows, slot, ROWS_LOOM, p->loom);
		uscope_slot_set(u->w, c->rows, slot, ROWS_PROC, th->proc);
		uscope_slot_set(u->w, c->rows, slot, ROWS_PID, (uint32_t)p->pid);
		uscope_slot_set(u->w, c->rows, slot, ROWS_TID, (uint32_t)th->tid);
		uscope_slot_set(u->w, c->rows, slot, ROWS_APP, (uint32_t)p->app_id);
		uscope_slot_set(u->w, c->rows, slot, ROWS_RANK, (uint64_t)(int64_t)p->rank);
	}
}

static void
put_channel(struct uscp *u, const struct uscp_col *k, int prv_type, enum chan_kind kind, const char *name)
{
	uint16_t t = u->map.channels;
	uscope_slot_set(u->w, t, k->channel, CHANNELS_TYPE, (uint64_t)prv_type);
	uscope_slot_set(u->w, t, k->channel, CHANNELS_STORAGE, k->storage);
	uscope_slot_set(u->w, t, k->channel, CHANNELS_FIELD, k->field);
	uscope_slot_set(u->w, t, k->channel, CHANNELS_MODE, kind == CHAN_STACK);
	uscope_slot_set(u->w, t, k->channel, CHANNELS_NAME, put_text(u, name));
}

struct label_put {
	struct uscp *u;
	unsigned class;
	int prv_type;
};

static void
put_one_label(void *arg, int64_t value, const char *text)
{
	struct label_put *p = arg;
	put_label(p->u, p->class, p->prv_type, value, put_text(p->u, text));
}

static int
put_channels(struct uscp *u, enum row_class rows)
{
	const struct emu *emu = u->emu;
	const struct uscp_class *c = &u->map.classes[rows];
	const char **labels = out_type_labels(&u->arena, emu, rows);
	if (!labels)
		return -ERR_MEMORY;
	for (uint32_t i = 0; i < emu->ncols; i++) {
		uint32_t col = out_in_order(rows, i);
		if (c->cols[col].kind == USCP_NONE)
			continue;
		const struct chan_decl *decl = out_decl(emu, rows, col);
		put_channel(u, &c->cols[col], decl->prv_type, decl->kind, labels[col]);
		/* Those of an enum are in the schema. */
		struct label_put p = { u, rows, decl->prv_type };
		int rc = c->cols[col].kind == USCP_ENUM ? 0 : out_labels(emu, rows, col, put_one_label, &p);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
open_reductions(struct uscp *u)
{
	const struct emu *emu = u->emu;
	const struct uscp_class *c = &u->map.classes[USCP_BREAKDOWN];
	u->reductions = arena_new(&u->arena, struct reduction, emu->nmodels);
	if (!u->reductions)
		return diag_no_memory(emu->diag);
	for (size_t i = 0; i < emu->nmodels && c->cols; i++) {
		if (!emu->models[i].breaks_down)
			continue;
		struct reduction *r = &u->reductions[u->nreductions];
		int rc = reduce_init(r, &u->arena, emu, &emu->models[i]);
		if (rc < 0)
			return rc;
		const struct uscp_col *k = &c->cols[u->nreductions++];
		put_channel(u, k, r->decl->prv_type, CHAN_SINGLE, r->decl->title);
		uint32_t cols[3];
		size_t n = reduce_cols(r, cols);
		struct label_put p = { u, USCP_BREAKDOWN, r->decl->prv_type };
		out_states(emu, cols, n, put_one_label, &p);
	}
	return 0;
}

/* What was running when. A file has room for so many counters. */
static int
open_counters(struct uscp *u)
{
	const struct emu *emu = u->emu;
	uint32_t n = emu->sys.ncpus;
	u->busy = arena_new(&u->arena, struct span, n);
	u->over = arena_new(&u->arena, struct span, n);
	if (!u->busy || !u->over)
		return diag_no_memory(emu->diag);
	uint16_t storage = u->map.classes[ROW_CPU].cols[COL_NRUNNING].storage;
	for (uint32_t i = 0; i < n; i++) {
		char name[256];
		const char *label = emu->sys.cpus[i].label;
		(void)snprintf(name, sizeof(name), "cpu/%.200s/busy", label);
		u->busy[i] = (struct span){ uscope_summary_counter(u->w, name, storage), NONE };
		(void)snprintf(name, sizeof(name), "cpu/%.200s/oversubscribed", label);
		u->over[i] = (struct span){ uscope_summary_counter(u->w, name, storage), NONE };
	}
	return 0;
}

static uint64_t
between(uint64_t low, uint64_t n, uint64_t high)
{
	return n < low ? low : n > high ? high
					: n;
}

static int
open_writer(struct uscp *u)
{
	const struct emu *emu = u->emu;
	const struct uscope_options *o = &emu->options.uscope;
	char models[512];
	size_t n = 0;
	for (size_t i = 0; i < emu->nmodels && n < sizeof(models); i++)
		if (emu->models[i].enabled)
			n += (size_t)snprintf(models + n, sizeof(models) - n, "%s%s", n ? "," : "", emu->models[i].model->name);
	char clock[24];
	(void)snprintf(clock, sizeof(clock), "%" PRId64, emu->start);
	const char *name = strrchr(emu->trace.dir, '/');
	const dut_property_t properties[] = {
		{ "dut_name", name && name[1] ? name + 1 : emu->trace.dir },
		{ "ovni.protocol_version", "1" },
		{ "ovni.models", models },
		{ "ovni.first_clock_ns", clock },
		{ "ovni.view", emu->options.compat ? "compat" : "default" },
		{ "ovni.density", "events" },
	};
	const dut_desc_t dut = { properties, sizeof(properties) / sizeof(properties[0]) };
	uint64_t size = u->map.state_size;
	uint64_t low = o->compression == USCOPE_ZSTD ? max_bytes_low_zstd : max_bytes_low;
	uscope_error_t error;
	const uscope_writer_options_t wo = {
		.compression = (enum uscope_compression)o->compression,
		.lz4_size_prefix = o->lz4_prefix,
		.interval_ps = interval_ps,
		.min_raw = between(min_bytes, 8 * size, max_bytes_high),
		.max_raw = between(low, 16 * size, max_bytes_high),
		.no_auto_summary = true,
		.summary_budget = summary_bytes,
		.error = &error,
	};
	u->w = uscope_writer_open_ex(u->path, &dut, u->map.schema, &wo, NULL);
	if (!u->w)
		give_up(u, error.reason, error.status);
	return 0;
}

/* The tables, in one cycle at time 0. */
static int
put_tables(struct uscp *u)
{
	int rc = open_counters(u);
	uscope_begin_cycle(u->w, 0);
	(void)put_text(u, "");
	(void)put_text(u, "Error: the thread does not show it");
	(void)put_text(u, "Error: too many threads");
	for (enum row_class i = 0; i < ROW_CLASSES && rc == 0; i++) {
		put_rows(u, i);
		rc = put_channels(u, i);
	}
	if (rc == 0)
		rc = open_reductions(u);
	uscope_end_cycle(u->w);
	return rc;
}

static void
finish(struct uscp *u)
{
	uscope_writer_close(u->w);
	uscope_schema_free(u->map.schema);
	arena_finish(&u->arena);
}

static int
uscp_open(void *self, const struct emu *emu, const char *dir, enum row_class rows)
{
	(void)rows;
	struct uscp *u = self;
	u->emu = emu;
	u->last_text = &emu->texts;
	u->path = arena_printf(&u->arena, "%s/" FILE_NAME, dir);
	const char *reason = "memory is exhausted";
	int status = u->path ? uscpmap_build(&u->map, &u->arena, emu, emu->options.uscope.labels, &reason) : USCOPE_E_NOMEM;
	int rc = 0;
	if (status == USCOPE_E_NOMEM)
		rc = diag_no_memory(emu->diag);
	else if (status < 0 && !emu->options.uscope.asked)
		diag_warn(emu->diag, NULL, "%s is not written: %s", u->path, reason);
	else if (status < 0)
		give_up(u, reason, status);
	else
		rc = open_writer(u);
	if (rc == 0 && u->w)
		rc = put_tables(u);
	check_writer(u);
	if (rc < 0)
		finish(u);
	return rc;
}

/* ---- Close. ---- */

static int
uscp_close(void *self, int64_t duration)
{
	struct uscp *u = self;
	if (u->w && !u->failed) {
		end_event(u);
		if (duration < u->time)
			duration = u->time;
		for (uint32_t i = 0; i < u->emu->sys.ncpus; i++) {
			count_busy(u, &u->busy[i], false, duration);
			count_busy(u, &u->over[i], false, duration);
		}
		const struct density *d = &u->emu->density;
		for (size_t i = 0; d->n && i < DENSITY_BUCKETS; i++)
			if (d->n[i])
				uscope_summary_density(u->w, ((uint64_t)i << d->shift) * PS_PER_NS, d->n[i]);
		/* Texts of what never ran. */
		if (atomic_load(&u->last_text->next)) {
			uscope_begin_cycle(u->w, (uint64_t)duration * PS_PER_NS);
			learn_texts(u);
			uscope_end_cycle(u->w);
		}
		(void)uscope_writer_set_end(u->w, (uint64_t)duration * PS_PER_NS);
	}
	if (u->w && uscope_writer_finish(u->w) < 0)
		check_writer(u);
	if (u->nlabels_lost)
		diag_warn(u->emu->diag, NULL,
			"%s: %" PRIu64 " labels are left out, as its table has room for %u\nhint: --uscope-labels gives it more",
			u->path, u->nlabels_lost, u->map.nlabels);
	int rc = u->failed ? -ERR_WRITE : 0;
	finish(u);
	return rc;
}

const struct sink_ops uscp_sink = {
	.name = "uscope",
	.size = sizeof(struct uscp),
	.open = uscp_open,
	.write_all = uscp_write,
	.close = uscp_close,
};
