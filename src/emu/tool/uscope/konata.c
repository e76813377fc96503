/* SPDX-License-Identifier: MIT */
/* konata: the pipeline of a processor as a log for the viewer Konata: instructions on their way,
 * from the frames of one scope in the order of the file. The rules are in doc/format/uscope.md,
 * "Konata". */
#include "cpuscope.h"
#include "show.h"
#include "walk.h"

#include <errno.h>
#include <inttypes.h>

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
	bool cleared;   /* or flushed: what sets the slot next begins a life */
	uint32_t named; /* the last frame that sets its entity_id */
};

/* A life: a slot may have several in one frame. */
struct lifetime {
	uint64_t id;
	uint16_t slot;
};

struct list {
	struct lifetime *at;
	size_t n, cap;
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
	struct list dying; /* in order of their CLEAR or flush */
	uint64_t next_id;
	uint64_t retired;
	uint64_t time_ps;  /* of this frame */
	uint64_t cycle;    /* printed */
	uint32_t frame;    /* number, for lives */
	bool cycle_known;  /* one was printed */
	bool in_frame;     /* there has been one */
	bool first_is_due; /* entities of the checkpoint are not born yet */
	bool named_only;   /* behind a CLEAR only a frame that sets entity_id begins a life */
};

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
put_field_text(struct pipeline *p, const uscope_field_t *f, uint64_t raw)
{
	uint32_t n = 0;
	const char *text = value_text(p->src, f, raw, &n);
	for (uint32_t i = 0; text && i < n; i++)
		wbuf_put(p->w, (unsigned char)text[i] < ' ' || text[i] == 0x7f ? " " : &text[i], 1);
	if (!text)
		show_value(p->src, f, raw);
}

static void
put_stage(struct pipeline *p, char what, struct life *l)
{
	put_cycle(p);
	wbuf_printf(p->w, "%c\t%" PRIu64 "\t0\t", what, l->id);
	put_field_text(p, p->cpu.events[STEP_STAGE].second, l->stage);
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

/* As arena_grow(). */
static bool
has_room(struct pipeline *p, void *items, size_t n, size_t *cap, size_t size)
{
	bool room = arena_grow(&p->src->arena, items, n, cap, size);
	if (!room && !p->w->error)
		p->w->error = ENOMEM;
	return room;
}

static void
push(struct pipeline *p, struct list *l, uint16_t slot)
{
	if (has_room(p, &l->at, l->n, &l->cap, sizeof(*l->at)))
		l->at[l->n++] = (struct lifetime){ p->lives[slot].id, slot };
}

static void
be_born(struct pipeline *p, uint16_t slot, uint64_t thread)
{
	struct life *l = &p->lives[slot];
	*l = (struct life){ .live = true, .id = p->next_id++, .frame = l->frame, .born = l->born, .cleared = l->cleared, .named = l->named };
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

/* Lets an instruction end with this frame. */
static void
begin_to_die(struct pipeline *p, uint16_t slot)
{
	struct life *l = &p->lives[slot];
	if (l->live && !l->dying)
		push(p, &p->dying, slot);
	l->dying = l->live;
}

/* Whether a SET of the present frame, behind the end of a life there, begins another one. A frame of version 0.1 has a CLEAR
 * and the last SETs of an entity in the order of the calls, but its flush, which came before them, behind them: only
 * those who begin set entity_id. */
static bool
may_begin(const struct pipeline *p, const struct life *l)
{
	return !p->named_only || l->named == p->frame;
}

/* A field after a SET or ADD. */
static uint64_t
changed(const uscope_field_t *f, uint64_t old, const struct step *s)
{
	return value_cut(f, s->kind == STEP_ADD ? old + s->value : s->value);
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
		if (l->dying && may_begin(p, l))
			end_life(p, s->slot);
		if (!l->live)
			be_born(p, s->slot, s->thread);
		record(p, s);
		break;
	case STEP_CLEAR:
		begin_to_die(p, s->slot);
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
		put_field_text(p, p->cpu.events[STEP_NOTE].second, s->value);
		put_str(p->w, "\n");
		break;
	case STEP_FLUSH:
		/* Few writers clear the slot as well, and a CLEAR in a later frame finds nobody. */
		l->flushed = l->live;
		begin_to_die(p, s->slot);
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
	for (size_t i = 0; i < p->nsteps; i++)
		if (p->steps[i].kind == STEP_SET && p->steps[i].field == p->cpu.id)
			p->lives[p->steps[i].slot].named = p->frame;
	for (size_t i = 0; i < p->nsteps; i++) {
		struct step *s = &p->steps[i];
		struct life *l = &p->lives[s->slot];
		bool ends = s->kind == STEP_CLEAR || s->kind == STEP_FLUSH;
		if (s->kind > STEP_CLEAR && !ends)
			continue;
		if (l->frame != p->frame) {
			l->frame = p->frame;
			l->born = 0;
			l->cleared = !l->live;
		}
		if (ends) {
			l->born = 0;
			l->cleared = may_begin(p, l);
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

/* Entities of the checkpoint are born in the first frame. */
static void
give_first_births(struct pipeline *p)
{
	p->first_is_due = false;
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		struct life *l = &p->lives[slot];
		if (!l->live)
			continue;
		const struct life was = *l;
		be_born(p, (uint16_t)slot, was.thread);
		l->pc = was.pc;
		l->bits = was.bits;
		put_label(p, l);
	}
}

static void
end_frame(struct pipeline *p)
{
	if (!p->in_frame)
		return;
	if (p->first_is_due)
		give_first_births(p);
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

/* A field of an entity in the first checkpoint. */
static uint64_t
first_value(const struct pipeline *p, const uscope_state_t *state, uint32_t slot, uint16_t field)
{
	return field == NO_FIELD ? 0 : uscope_slot_field_raw(state, p->cpu.storage, (uint16_t)slot, field);
}

static void
take_checkpoint(struct pipeline *p, const uscope_state_t *state)
{
	for (uint32_t slot = 0; slot < p->cpu.num_slots; slot++) {
		if (!uscope_slot_valid(state, p->cpu.storage, (uint16_t)slot))
			continue;
		p->lives[slot] = (struct life){
			.live = true,
			.thread = first_value(p, state, slot, p->cpu.thread),
			.pc = first_value(p, state, slot, p->cpu.pc),
			.bits = first_value(p, state, slot, p->cpu.bits),
		};
	}
	p->first_is_due = true;
}

/* An item of the present frame, or the begin of the next. */
static void
take_item(struct pipeline *p, const uscope_item_t *item)
{
	if (item->kind == USCOPE_ITEM_FRAME) {
		end_frame(p);
		p->in_frame = true;
		p->time_ps = item->time_ps > p->time_ps ? item->time_ps : p->time_ps;
		return;
	}
	struct step s;
	if (!cpuscope_step(&p->cpu, item, &s))
		return;
	if (has_room(p, &p->steps, p->nsteps, &p->steps_cap, sizeof(*p->steps)))
		p->steps[p->nsteps++] = s;
}

int
run_konata(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	const char *core = NULL;
	const struct cli_option own[] = {
		{ 0, "core", "PATH", "scope of the processor (default: the first one)", CLI_TEXT, &core },
	};
	struct source *src = &t->in[0];
	if (!utool_begin(t, UTOOL_OPTIONS(own), argc, argv))
		return t->status;

	struct pipeline p = { .src = src, .w = src->w, .lives = arena_new(&src->arena, struct life, SLOTS) };
	if (!p.lives)
		return conv_no_memory(&t->conv);
	if (!cpuscope_find(&p.cpu, &src->paths, core))
		return conv_fail(&t->conv, "no-pipeline", "no scope%s%s has the protocol cpu and a sparse storage 'entities'\nin %s\nhint: `uscope info` lists the scopes",
			core ? " named " : "", core ? core : "", src->path);
	p.named_only = p.cpu.id != NO_FIELD && !(uscope_header(src->reader)->flags & USCOPE_F_INTERLEAVED);
	put_str(p.w, "Kanata\t0004\n");
	if (uscope_num_segments(src->reader)) {
		uscope_state_t *first = uscope_segment_checkpoint(src->reader, 0);
		if (!first)
			return utool_failed(t, src);
		take_checkpoint(&p, first);
		uscope_state_free(first);
	}
	struct walk walk;
	uscope_item_t item;
	walk_begin(&walk, t, src, 0, UINT64_MAX);
	walk.stop = true; /* who lives is not known behind a gap */
	while (walk_next(&walk, &item))
		take_item(&p, &item);
	end_frame(&p);
	return walk_end(&walk);
}
