/* SPDX-License-Identifier: MIT */
/* prv: the Paraver files of a timeline, as ovniemu writes them. */
#include "paraver.h"
#include "prv.h"
#include "timeline.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum {
	PS_PER_NS = 1000,
};

#define TIME_MAX ((int64_t)(UINT64_MAX / PS_PER_NS)) /* ns */

/* A PRV, its PCF and its ROW: of a class of rows, or of one breakdown. */
struct output {
	const char *stem;
	const struct tlclass *class;
	struct tlchannel *const *channels;
	uint32_t nchannels;
	int *types;
	struct prv prv;
	bool started;
};

struct writer {
	struct timeline *t;
	struct diag diag;
	struct arena arena;
	struct output *outputs;
	size_t noutputs;
	struct output **of_channel; /* by number */
	uint64_t *raw;              /* what each field holds */
	int64_t from;               /* the window, in ns; both ends belong to it */
	int64_t to;
	int64_t zero;      /* time that is written as 0 */
	uint64_t nunknown; /* values that are texts without a number */
};

/* ---- Records. ---- */

static int64_t
value_of(struct writer *w, const struct tlchannel *ch, uint64_t raw)
{
	struct tlstate state = tllabel_state(&w->t->file, ch, raw);
	w->nunknown += state.unknown;
	return state.value;
}

/* Writes a change of a field, or a punctual value. */
static int
take(struct writer *w, const uscope_item_t *item)
{
	const struct tlfile *f = &w->t->file;
	struct record r = { .time = (int64_t)(item->time_ps / PS_PER_NS) - w->zero };
	const struct tlchannel *ch;
	if (item->kind == USCOPE_ITEM_OP) {
		bool sets = item->action == USCOPE_SLOT_ADD || item->action == USCOPE_SLOT_SET;
		ch = tlfile_channel(f, item->storage, item->field);
		if (!ch || !sets || item->slot >= f->classes[ch->class].nrows)
			return 0;
		uint64_t *raw = &w->raw[tlfile_cell(f, ch, item->slot)];
		*raw = tlchannel_apply(ch, *raw, item);
		r.row = item->slot;
		r.value = value_of(w, ch, *raw);
	} else {
		ch = tlfile_punctual(f, item, &r.row, &r.value);
		if (!ch)
			return 0;
		r.kind = RECORD_PUNCTUAL;
		r.before = value_of(w, ch, w->raw[tlfile_cell(f, ch, r.row)]);
	}
	struct output *o = w->of_channel[ch - f->channels];
	r.col = (uint16_t)(o->nchannels == 1 ? 0 : ch->place);
	return prv_put(&o->prv, &r);
}

/* ---- The begin of a window. ---- */

/* Place of a channel in a row as ovniemu prints it: the base channels, then those of each model, in the order of the
 * property. The file has the base channels in another one, and those of the model ovni behind them. */
static uint32_t
place_of(const struct writer *w, const struct tlchannel *ch)
{
	static const struct {
		const char *name;
		uint16_t type;
	} base[] = { { "cpu", 6 }, { "state", 4 }, { "tid", 2 } };
	const struct tlfile *f = &w->t->file;
	bool ovni = strcmp(ch->storage_name, "ovni") == 0;
	for (uint32_t i = 0; i < 3 && ovni && ch->class == TL_THREAD; i++)
		if (strcmp(ch->name, base[i].name) == 0 && ch->type == base[i].type)
			return i;
	if (ovni && ch->class == TL_CPU && ch->type <= 3)
		return ch->place;
	const char *models = uscope_dut_property(f->src->reader, "ovni.models");
	uint32_t model = 1;
	size_t n = strlen(ch->storage_name);
	while (models && *models && (strcspn(models, ",") != n || strncmp(models, ch->storage_name, n) != 0)) {
		models += strcspn(models, ",");
		models += *models == ',';
		model++;
	}
	return model << 16 | ch->place;
}

/* The channels of a class in that order. NULL: no memory. */
static struct tlchannel **
in_order(struct writer *w, const struct tlclass *c)
{
	struct tlchannel **list = arena_new(&w->arena, struct tlchannel *, c->nchannels);
	for (uint32_t i = 0; list && i < c->nchannels; i++) {
		uint32_t k = i;
		for (; k && place_of(w, list[k - 1]) > place_of(w, c->channels[i]); k--)
			list[k] = list[k - 1];
		list[k] = c->channels[i];
	}
	return list;
}

/* Whether a row begins with a line of what it holds: in the view of the peer only what is not 0 has one, but rows of processes
 * have all, of their channels. */
static bool
has_line(const struct writer *w, const struct tlchannel *ch, uint32_t row, bool any)
{
	const struct tlfile *f = &w->t->file;
	if (w->raw[tlfile_cell(f, ch, row)])
		return true;
	if (ch->class == TL_PROC)
		return tlfile_has_zero(f, ch, row);
	return !f->compat || (ch->class == TL_BREAKDOWN && any);
}

static bool
has_any(const struct writer *w, const struct tlchannel *ch)
{
	const struct tlfile *f = &w->t->file;
	for (uint32_t row = 0; row < f->classes[ch->class].nrows; row++)
		if (w->raw[tlfile_cell(f, ch, row)])
			return true;
	return false;
}

static int
put_first(struct writer *w, const struct tlclass *c)
{
	struct tlchannel **list = in_order(w, c);
	int rc = list ? 0 : diag_no_memory(&w->diag);
	for (uint32_t row = 0; row < c->nrows && rc == 0; row++) {
		for (uint32_t i = 0; i < c->nchannels && rc == 0; i++) {
			const struct tlchannel *ch = list[i];
			struct output *o = w->of_channel[ch - w->t->file.channels];
			if (!has_line(w, ch, row, c == &w->t->file.classes[TL_BREAKDOWN] && has_any(w, ch)))
				continue;
			rc = prv_put(&o->prv, &(struct record){
						      .time = w->from - w->zero,
						      .row = row,
						      .col = (uint16_t)(o->nchannels == 1 ? 0 : ch->place),
						      .value = value_of(w, ch, w->raw[tlfile_cell(&w->t->file, ch, row)]),
					      });
		}
	}
	return rc;
}

/* Writes what all rows show at the begin of the window. */
static int
begin(struct writer *w)
{
	const struct tlfile *f = &w->t->file;
	if (w->from == 0)
		return 0;
	uscope_state_t *state = uscope_state_at(f->src->reader, (uint64_t)w->from * PS_PER_NS - 1);
	if (!state && uscope_reader_status(f->src->reader) != USCOPE_E_NODATA) {
		(void)utool_failed(f->tool, f->src);
		return -ERR_READ;
	}
	for (uint32_t i = 0; i < f->nchannels && state; i++)
		for (uint32_t row = 0; row < f->classes[f->channels[i].class].nrows; row++)
			w->raw[tlfile_cell(f, &f->channels[i], row)] = uscope_slot_field_raw(state, f->channels[i].storage, (uint16_t)row, f->channels[i].field);
	uscope_state_free(state);
	int rc = 0;
	for (int k = 0; k < TL_CLASSES && rc == 0; k++)
		if (f->classes[k].exists)
			rc = put_first(w, &f->classes[k]);
	return rc;
}

static int
take_all(struct writer *w)
{
	struct walk walk;
	uscope_item_t item;
	int rc = 0;
	walk_begin(&walk, w->t->tool, w->t->file.src, (uint64_t)w->from * PS_PER_NS, w->to < TIME_MAX ? (uint64_t)w->to * PS_PER_NS : UINT64_MAX);
	while (rc == 0 && walk_next(&walk, &item)) {
		if (!item.bad && (item.kind == USCOPE_ITEM_OP || item.kind == USCOPE_ITEM_EVENT))
			rc = take(w, &item);
	}
	int status = walk_end(&walk);
	return rc < 0 ? STATUS_BAD : status;
}

/* ---- PCF and ROW. ---- */

/* One of the user may have the value. */
static bool
is_error(int64_t value, const char *text)
{
	return (value == TL_BAD || value == TL_TOO_MANY) && strncmp(text, "Error: ", 7) == 0;
}

/* false: some value is not for Paraver. */
static bool
put_labels(const struct writer *w, struct wbuf *out, const struct tlchannel *ch)
{
	const struct tlfile *f = &w->t->file;
	bool good = true;
	if (ch->kind == TL_ENUM) {
		const uscope_enum_t *e = &f->src->schema->enums[ch->enum_id];
		for (uint32_t i = 0; i < e->num_values; i++) {
			struct tlstate state = tllabel_state(f, ch, e->values[i].value);
			good = paraver_put_value(out, state.value, e->values[i].name, f->compat) && good;
		}
		return good;
	}
	/* Labels of tasks were added while the trace ran, others in the end, and belong before the
	 * error states. */
	bool late = !f->compat;
	for (int pass = 0; pass < 1 + late; pass++)
		for (const struct tllabel *l = ch->first; l; l = l->next) {
			const char *text = tllabel_of(f, ch, &(struct tlstate){ .value = l->value, .by_value = true });
			if (text && (!late || is_error(l->value, text) == (pass == 1)))
				good = paraver_put_value(out, l->value, text, f->compat) && good;
		}
	return good;
}

static int
write_pcf(struct writer *w, const struct output *o, const char *path)
{
	struct wbuf out;
	int rc = paraver_open(&out, &w->diag, path);
	if (rc < 0)
		return rc;
	bool good = true;
	paraver_put_head(&out);
	for (uint32_t i = 0; i < o->nchannels; i++) {
		const struct tlchannel *ch = o->channels[i];
		paraver_put_type(&out, ch->type, ch->label ? ch->label : ch->name);
		good = put_labels(w, &out, ch) && good;
	}
	if (!good)
		utool_warn(w->t->tool, "%s: labels of values above 2147483647 or below -2147483648 are left out, as Paraver cannot hold them", path);
	return paraver_close(&out, &w->diag);
}

static int
write_row(struct writer *w, const struct output *o, const char *path)
{
	struct wbuf out;
	int rc = paraver_open(&out, &w->diag, path);
	if (rc < 0)
		return rc;
	paraver_put_rows(&out, &w->diag, o->class->nrows, w->t->gzip);
	for (uint32_t i = 0; i < o->class->nrows; i++) {
		paraver_put_text(&out, o->class->labels[i]);
		wbuf_put(&out, "\n", 1);
	}
	return paraver_close(&out, &w->diag);
}

/* ---- Files. ---- */

/* Part of a file name: a hostile one leads elsewhere. */
static bool
is_plain(const char *name)
{
	size_t n = 0;
	for (; name[n]; n++)
		if (!isalnum((unsigned char)name[n]) && name[n] != '-' && name[n] != '_')
			return false;
	return n > 0 && n < 64;
}

static int
start(struct writer *w, struct output *o, const char *dir)
{
	const char *prv = arena_printf(&w->arena, "%s/%s.prv%s", dir, o->stem, w->t->gzip ? PARAVER_GZIP : "");
	const char *pcf = arena_printf(&w->arena, "%s/%s.pcf", dir, o->stem);
	const char *row = arena_printf(&w->arena, "%s/%s.row", dir, o->stem);
	o->types = arena_new(&w->arena, int, o->nchannels);
	if (!prv || !pcf || !row || !o->types)
		return diag_no_memory(&w->diag);
	for (uint32_t i = 0; i < o->nchannels; i++)
		o->types[i] = o->channels[i]->type;
	const struct prv_options options = {
		.diag = &w->diag,
		.path = prv,
		.nrows = o->class->nslots,
		.types = o->types,
		.ntypes = o->nchannels,
		.gzip = w->t->gzip,
		.coalesce = !w->t->file.compat,
		.silent = w->t->tool->conv.quiet,
	};
	o->started = true;
	int rc = prv_start(&o->prv, &options);
	if (rc == 0)
		rc = write_pcf(w, o, pcf);
	return rc < 0 ? rc : write_row(w, o, row);
}

/* The files that there will be: threads, CPUs, processes, each breakdown. */
static int
plan(struct writer *w)
{
	struct tlfile *f = &w->t->file;
	const struct tlclass *b = &f->classes[TL_BREAKDOWN];
	w->outputs = arena_new(&w->arena, struct output, TL_CLASSES + (size_t)b->nchannels);
	w->of_channel = arena_new(&w->arena, struct output *, f->nchannels);
	w->raw = arena_new(&w->arena, uint64_t, f->ncells);
	if (!w->outputs || !w->of_channel || !w->raw)
		return diag_no_memory(&w->diag);
	for (int k = 0; k < TL_CLASSES; k++) {
		const struct tlclass *c = &f->classes[k];
		if (k == TL_BREAKDOWN || !c->exists)
			continue;
		w->outputs[w->noutputs++] = (struct output){ .stem = c->name, .class = c, .channels = c->channels, .nchannels = c->nchannels };
	}
	for (uint32_t i = 0; i < b->nchannels; i++) {
		const char *model = b->channels[i]->storage_name;
		const char *stem = is_plain(model) ? arena_printf(&w->arena, "%s-breakdown", model) : NULL;
		if (!is_plain(model)) {
			conv_fail(&w->t->tool->conv, "timeline", "the name of a breakdown is not fit for a file\nin %s", f->src->path);
			return -ERR_WRITE;
		}
		if (!stem)
			return diag_no_memory(&w->diag);
		w->outputs[w->noutputs++] = (struct output){ .stem = stem, .class = b, .channels = &b->channels[i], .nchannels = 1 };
	}
	for (size_t i = 0; i < w->noutputs; i++)
		for (uint32_t k = 0; k < w->outputs[i].nchannels; k++)
			w->of_channel[w->outputs[i].channels[k] - f->channels] = &w->outputs[i];
	return 0;
}

static int
finish(struct output *o, int64_t duration)
{
	prv_set_rows(&o->prv, o->class->nrows);
	return o->started ? prv_finish(&o->prv, duration) : 0;
}

int
timeline_prv(struct timeline *t, const char *dir)
{
	int64_t end = (int64_t)(t->file.end_ps / PS_PER_NS);
	struct writer w = {
		.t = t,
		.diag = { .program = t->tool->conv.program },
		.from = (int64_t)(t->tool->from / PS_PER_NS + (t->tool->from % PS_PER_NS != 0)),
		.to = (int64_t)(t->tool->to / PS_PER_NS),
	};
	w.zero = t->keep_time ? 0 : w.from;
	end = w.to < end ? w.to : end;
	end = w.from > end ? w.from : end;
	if (mkdir(dir, 0777) < 0 && errno != EEXIST) {
		conv_fail(&t->tool->conv, "write", "cannot make the directory %s: %s", dir, strerror(errno));
		return STATUS_BAD;
	}
	int rc = plan(&w);
	for (size_t i = 0; i < w.noutputs && rc == 0; i++)
		rc = start(&w, &w.outputs[i], dir);
	if (rc == 0)
		rc = begin(&w);
	int status = rc < 0 ? STATUS_BAD : take_all(&w);
	for (size_t i = 0; i < w.noutputs; i++)
		if (finish(&w.outputs[i], end - w.zero) < 0)
			status = STATUS_BAD;
	if (w.nunknown)
		utool_warn(t->tool, "%" PRIu64 " values are texts whose number is not known: the index of the text stands for it", w.nunknown);
	arena_finish(&w.arena);
	return status;
}
