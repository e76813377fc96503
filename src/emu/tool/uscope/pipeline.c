/* SPDX-License-Identifier: MIT */
#include "pipeline.h"

#include "cpuscope.h"
#include "puttext.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct life {
	bool live;
	bool dying;
	bool labelled;
	bool flushed;
	bool staged; /* stage is known */
	uint64_t id;
	uint64_t pc;
	uint64_t bits;
	uint64_t thread;
	uint64_t stage;
	uint32_t frame; /* in which the next two count */
	uint32_t born;  /* step that began this life, plus 1; 0: before */
	bool cleared;
};

/* Lives: a slot may have several in one frame. */
struct list {
	struct {
		uint64_t id;
		uint16_t slot;
	} * at;
	size_t n;
	size_t cap;
};

struct pipeline {
	struct source *src;
	struct wbuf *w;
	struct cpuscope cpu;
	struct life *lives;
	/* The present frame is kept until its end, because the thread of an instruction is
	 * printed before it is recorded. */
	struct step *steps;
	size_t nsteps, steps_cap;
	struct list born;  /* in order of birth */
	struct list dying; /* in order of their CLEAR */
	uint64_t next_id;
	uint64_t retired;
	uint64_t time_ps;  /* of this frame */
	uint64_t cycle;    /* printed */
	uint32_t frame;    /* number, for lives */
	bool cycle_known;  /* one was printed */
	bool in_frame;     /* there has been one */
	bool first_is_due; /* entities of the checkpoint are not born yet */
};

struct pipeline *
pipeline_new(struct tool *t, struct source *src, const char *path, int *status)
{
	struct pipeline *p = calloc(1, sizeof(*p));
	if (p)
		p->lives = calloc(SLOTS, sizeof(*p->lives));
	if (!p || !p->lives) {
		pipeline_free(p);
		*status = utool_no_memory(t);
		return NULL;
	}
	p->src = src;
	p->w = p->src->w;
	if (!cpuscope_find(&p->cpu, &src->paths, path)) {
		utool_error(t, "no-pipeline", "no scope%s%s has the protocol cpu and a sparse storage 'entities'\nin %s\nhint: `uscope info` lists the scopes",
			path ? " named " : "", path ? path : "", src->path);
		*status = STATUS_BAD;
		pipeline_free(p);
		return NULL;
	}
	put_str(p->w, "Kanata\t0004\n");
	return p;
}

void
pipeline_free(struct pipeline *p)
{
	if (!p)
		return;
	free(p->lives);
	free(p->steps);
	free(p->born.at);
	free(p->dying.at);
	free(p);
}

/* ---- Lines. ---- */

/* Every line but those of the cycle goes through here. */
static void
put_cycle(struct pipeline *p)
{
	uint64_t cycle = p->time_ps / p->cpu.period_ps;
	if (!p->cycle_known)
		wbuf_printf(p->w, "C=\t%" PRIu64 "\n", cycle);
	else if (cycle > p->cycle)
		wbuf_printf(p->w, "C\t%" PRIu64 "\n", cycle - p->cycle);
	else
		return;
	p->cycle_known = true;
	p->cycle = cycle;
}

/* Tabs and line feeds would end the field or the line; nothing else of that kind helps. */
static void
put_plain(struct pipeline *p, const char *text, size_t n)
{
	size_t from = 0;
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)text[i] >= ' ' && text[i] != 0x7f)
			continue;
		wbuf_put(p->w, text + from, i - from);
		put_str(p->w, " ");
		from = i + 1;
	}
	wbuf_put(p->w, text + from, n - from);
}

static void
put_field_text(struct pipeline *p, const uscope_field_t *f, uint64_t raw)
{
	const struct source *src = p->src;
	const char *text = NULL;
	uint32_t n = 0;
	if (f->type == USCOPE_STRING_REF)
		text = uscope_string(src->reader, (uint32_t)raw, &n);
	else if (f->type == USCOPE_ENUM && (text = uscope_enum_label(src->schema, f->enum_id, (uint8_t)raw)))
		n = (uint32_t)strlen(text);
	if (text)
		put_plain(p, text, n);
	else
		show_value(p->src, f, raw);
}

static void
put_stage(struct pipeline *p, char what, struct life *l)
{
	put_cycle(p);
	wbuf_printf(p->w, "%c\t%" PRIu64 "\t0\t", what, l->id);
	put_field_text(p, p->cpu.stage.second, l->stage);
	put_str(p->w, "\n");
}

static void
put_label(struct pipeline *p, struct life *l)
{
	if (l->labelled)
		return;
	put_cycle(p);
	wbuf_printf(p->w, "L\t%" PRIu64 "\t0\t%016" PRIx64 ": %08" PRIx64 "\n", l->id, l->pc, l->bits);
	l->labelled = true;
}

/* ---- The end of a frame. ---- */

static void
no_memory(struct pipeline *p)
{
	if (!p->w->error)
		p->w->error = ENOMEM;
}

static void
push(struct pipeline *p, struct list *l, uint16_t slot)
{
	if (l->n == l->cap) {
		size_t more = l->cap ? l->cap * 2 : 64;
		void *at = realloc(l->at, more * sizeof(*l->at));
		if (!at) {
			no_memory(p);
			return;
		}
		l->at = at;
		l->cap = more;
	}
	l->at[l->n].slot = slot;
	l->at[l->n++].id = p->lives[slot].id;
}

static void
be_born(struct pipeline *p, uint16_t slot, uint64_t thread)
{
	struct life *l = &p->lives[slot];
	*l = (struct life){ .live = true, .id = p->next_id++, .frame = l->frame, .born = l->born, .cleared = l->cleared };
	put_cycle(p);
	wbuf_printf(p->w, "I\t%" PRIu64 "\t%" PRIu64 "\t", l->id, l->id);
	if (p->cpu.thread != NO_FIELD && value_is_signed(&p->cpu.fields[p->cpu.thread]))
		put_i64(p->w, value_signed(&p->cpu.fields[p->cpu.thread], thread));
	else
		put_u64(p->w, thread);
	put_str(p->w, "\n");
	push(p, &p->born, slot);
}

static void
end_life(struct pipeline *p, uint16_t slot)
{
	struct life *l = &p->lives[slot];
	put_label(p, l);
	if (l->staged)
		put_stage(p, 'E', l);
	put_cycle(p);
	wbuf_printf(p->w, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", l->id, p->retired, l->flushed ? 1 : 0);
	if (!l->flushed)
		p->retired++;
	l->live = false;
	l->dying = false;
}

/* The low bits of a field after a SET or ADD. */
static uint64_t
changed(const uscope_field_t *f, uint64_t old, const struct step *s)
{
	uint64_t v = s->kind == STEP_ADD ? old + s->value : s->value;
	return f->size >= 8 ? v : v & ((UINT64_C(1) << (f->size * 8)) - 1);
}

static void
record(struct pipeline *p, const struct step *s)
{
	struct life *l = &p->lives[s->slot];
	uint64_t *to = s->field == p->cpu.thread ? &l->thread : s->field == p->cpu.pc ? &l->pc
		: s->field == p->cpu.bits                                             ? &l->bits
										      : NULL;
	if (to)
		*to = changed(&p->cpu.fields[s->field], *to, s);
}

static void
step_stage(struct pipeline *p, const struct step *s)
{
	struct life *l = &p->lives[s->slot];
	if (l->staged)
		put_stage(p, 'E', l);
	l->staged = true;
	l->stage = s->value;
	put_stage(p, 'S', l);
}

static void
take_step(struct pipeline *p, const struct step *s)
{
	struct life *l = &p->lives[s->slot];
	switch (s->kind) {
	case STEP_SET:
	case STEP_ADD:
		if (l->dying)
			end_life(p, s->slot);
		if (!l->live)
			be_born(p, s->slot, s->thread);
		record(p, s);
		break;
	case STEP_CLEAR:
		if (l->live && !l->dying)
			push(p, &p->dying, s->slot);
		l->dying = l->live;
		break;
	case STEP_STAGE:
		if (l->live)
			step_stage(p, s);
		break;
	case STEP_NOTE:
		if (!l->live)
			break;
		put_cycle(p);
		wbuf_printf(p->w, "L\t%" PRIu64 "\t1\t", l->id);
		put_field_text(p, p->cpu.note.second, s->value);
		put_str(p->w, "\n");
		break;
	case STEP_FLUSH:
		l->flushed = l->live;
		break;
	case STEP_DEPENDENCY:
		if (!l->live || !p->lives[s->other].live)
			break;
		put_cycle(p);
		wbuf_printf(p->w, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", p->lives[s->other].id, l->id);
		break;
	}
}

/* Each life that begins in this frame gets the thread that the frame records for it. */
static void
find_threads(struct pipeline *p)
{
	p->frame++;
	for (size_t i = 0; i < p->nsteps; i++) {
		struct step *s = &p->steps[i];
		struct life *l = &p->lives[s->slot];
		if (s->kind > STEP_CLEAR)
			continue;
		if (l->frame != p->frame) {
			l->frame = p->frame;
			l->born = 0;
			l->cleared = !l->live;
		}
		if (s->kind == STEP_CLEAR) {
			l->born = 0;
			l->cleared = true;
			continue;
		}
		if (l->cleared) {
			l->born = (uint32_t)i + 1;
			l->cleared = false;
		}
		if (l->born && s->field == p->cpu.thread)
			p->steps[l->born - 1].thread = changed(&p->cpu.fields[s->field], p->steps[l->born - 1].thread, s);
	}
}

static void
end_frame(struct pipeline *p)
{
	if (!p->in_frame)
		return;
	if (p->first_is_due) {
		p->first_is_due = false;
		for (uint32_t slot = 0; slot < SLOTS; slot++) {
			struct life *l = &p->lives[slot];
			if (!l->live)
				continue;
			uint64_t pc = l->pc;
			uint64_t bits = l->bits;
			be_born(p, (uint16_t)slot, l->thread);
			l->pc = pc;
			l->bits = bits;
			put_label(p, l);
		}
	}
	find_threads(p);
	for (size_t i = 0; i < p->nsteps; i++)
		take_step(p, &p->steps[i]);
	for (size_t i = 0; i < p->born.n; i++) {
		struct life *l = &p->lives[p->born.at[i].slot];
		if (l->live && l->id == p->born.at[i].id)
			put_label(p, l);
	}
	for (size_t i = 0; i < p->dying.n; i++) {
		struct life *l = &p->lives[p->dying.at[i].slot];
		if (l->dying && l->id == p->dying.at[i].id)
			end_life(p, p->dying.at[i].slot);
	}
	p->nsteps = p->born.n = p->dying.n = 0;
}

/* ---- Items. ---- */

static void
add_step(struct pipeline *p, struct step s)
{
	if (p->nsteps == p->steps_cap) {
		size_t more = p->steps_cap ? p->steps_cap * 2 : 256;
		struct step *steps = realloc(p->steps, more * sizeof(*steps));
		if (!steps) {
			no_memory(p);
			return;
		}
		p->steps = steps;
		p->steps_cap = more;
	}
	p->steps[p->nsteps++] = s;
}

void
pipeline_begin(struct pipeline *p, const uscope_state_t *state)
{
	for (uint32_t slot = 0; slot < p->cpu.num_slots; slot++) {
		struct life *l = &p->lives[slot];
		if (!uscope_slot_valid(state, p->cpu.storage, (uint16_t)slot))
			continue;
		l->live = true;
		l->thread = p->cpu.thread == NO_FIELD ? 0 : uscope_slot_field_raw(state, p->cpu.storage, (uint16_t)slot, p->cpu.thread);
		l->pc = p->cpu.pc == NO_FIELD ? 0 : uscope_slot_field_raw(state, p->cpu.storage, (uint16_t)slot, p->cpu.pc);
		l->bits = p->cpu.bits == NO_FIELD ? 0 : uscope_slot_field_raw(state, p->cpu.storage, (uint16_t)slot, p->cpu.bits);
	}
	p->first_is_due = true;
}

void
pipeline_item(struct pipeline *p, const uscope_item_t *item)
{
	if (item->kind == USCOPE_ITEM_FRAME) {
		end_frame(p);
		p->in_frame = true;
		p->time_ps = item->time_ps > p->time_ps ? item->time_ps : p->time_ps;
		return;
	}
	struct step s;
	if (cpuscope_step(&p->cpu, item, &s))
		add_step(p, s);
}

void
pipeline_end(struct pipeline *p)
{
	end_frame(p);
}
