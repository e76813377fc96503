/* SPDX-License-Identifier: MIT */
/* color: the colour of each labelled value of a view. Paraver colours a value that a view does not name by its number,
 * from a table in which many are alike. */
#include "out.h"

#include "paraver.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

enum {
	TRIES = 64,    /* colours made for a value before a nearer one will do */
	FIRSTS = 4096, /* of which so many may be the first */
	FAR = 48,      /* sum of the differences of the components, at first */
	RED = 96,      /* as far from the errors are the colours that are made */
};

#define TOO_MANY_RED 0xff0000
#define BAD_RED 0xaa0000

static unsigned
differ(uint32_t a, uint32_t b)
{
	unsigned sum = 0;
	for (int shift = 0; shift < 24; shift += 8)
		sum += (unsigned)abs((int)(a >> shift & 0xff) - (int)(b >> shift & 0xff));
	return sum;
}

/* Whether a colour differs that much from those that are taken. */
static bool
is_free(const struct palette *p, uint32_t rgb, unsigned far)
{
	for (size_t i = 0; i < p->n; i++)
		if (differ(p->all[i].rgb, rgb) < far)
			return false;
	return true;
}

static bool
has_color(const struct palette *p, int64_t value)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->all[i].value == value)
			return true;
	return false;
}

static void
give(struct palette *p, int64_t value, uint32_t rgb)
{
	if (p->n < PALETTE_MAX)
		p->all[p->n++] = (struct color){ value, rgb };
}

/* Returns colour i of a sequence in which neighbours differ: hues in steps of the golden ratio, in some shades. */
static uint32_t
make(uint32_t i)
{
	static const uint8_t shades[][2] = { { 0, 255 }, { 110, 255 }, { 0, 190 }, { 80, 190 }, { 160, 255 } }; /* lowest and highest component */
	const uint8_t *shade = shades[i / 7 % 5];
	uint32_t hue = i * 40503 % 65536 * 6; /* six sextants of 65536 */
	uint32_t part = (uint32_t)(shade[1] - shade[0]) * (hue % 65536) / 65536;
	uint32_t low = shade[0];
	uint32_t high = shade[1];
	uint32_t up = low + part;
	uint32_t down = high - part;
	switch (hue / 65536) {
	case 0: return high << 16 | up << 8 | low;
	case 1: return down << 16 | high << 8 | low;
	case 2: return low << 16 | high << 8 | up;
	case 3: return low << 16 | down << 8 | high;
	case 4: return up << 16 | low << 8 | high;
	default: return high << 16 | low << 8 | down;
	}
}

/* The search for colours that are free. Neighbours try nearly the same ones, and of those that are taken none becomes free. */
struct search {
	unsigned far;                  /* once a value finds none, the others need not look */
	uint8_t taken[FIRSTS + TRIES]; /* of the sequence: how far it was to be when it was not free; 0: not tried */
};

static bool
may_give(const struct palette *p, struct search *s, uint32_t i)
{
	if (s->taken[i] == s->far)
		return false;
	uint32_t rgb = make(i);
	if (differ(rgb, TOO_MANY_RED) >= RED && is_free(p, rgb, s->far))
		return true;
	s->taken[i] = (uint8_t)s->far;
	return false;
}

/* Gives a value a colour that no other has. The first that is tried depends on the value alone, so that most labels have
 * the same in all traces. */
static void
give_made(struct palette *p, int64_t value, struct search *s)
{
	for (; s->far > 0; s->far /= 2) {
		for (uint32_t i = 0; i < TRIES; i++) {
			uint32_t at = (uint32_t)value % FIRSTS + i;
			if (!may_give(p, s, at))
				continue;
			give(p, value, make(at));
			return;
		}
	}
}

/* Takes the colours that are declared: "1:0,100,0 2:255,225,25". */
static void
give_declared(struct palette *p, const char *text)
{
	while (text && *text) {
		char *end;
		int64_t value = strtoll(text, &end, 10);
		uint32_t rgb = 0;
		for (int i = 0; i < 3 && *end; i++)
			rgb = rgb << 8 | (uint32_t)(strtol(end + 1, &end, 10) & 0xff);
		if (!has_color(p, value) && is_free(p, rgb, 1))
			give(p, value, rgb);
		text = end + strspn(end, " ");
	}
}

/* Values with labels. */
struct labelled {
	struct arena *arena;
	int64_t *values;
	size_t n, cap;
	bool errors; /* there may be error states */
	bool failed;
};

static void
note_value(void *arg, int64_t value, const char *text)
{
	struct labelled *l = arg;
	/* Paraver ignores a label that is blank. */
	if (l->failed || value <= 0 || !text[strspn(text, " ")])
		return;
	l->failed = !arena_grow(l->arena, &l->values, l->n, &l->cap, sizeof(*l->values));
	if (!l->failed)
		l->values[l->n++] = value;
}

static bool
is_error(const struct labelled *l, int64_t value)
{
	return l->errors && (value == ST_TOO_MANY_TH || value == ST_BAD);
}

/* Chooses the colours of errors, then those declared, those that Paraver would take if they are free, and others. */
static int
choose(struct palette *p, const struct emu *emu, const char *declared, const struct labelled *l)
{
	*p = (struct palette){ .all = arena_new(l->arena, struct color, PALETTE_MAX) };
	if (l->failed || !p->all)
		return diag_no_memory(emu->diag);
	for (size_t i = 0; i < l->n; i++) {
		int64_t value = l->values[i];
		if (is_error(l, value))
			give(p, value, value == ST_BAD ? BAD_RED : TOO_MANY_RED);
		else
			p->nlabels++;
		p->highest = value > p->highest ? value : p->highest;
	}
	give_declared(p, declared);
	for (size_t i = 0; i < l->n; i++) {
		int64_t rgb = paraver_color(l->values[i]);
		if (rgb >= 0 && !has_color(p, l->values[i]) && is_free(p, (uint32_t)rgb, FAR / 2))
			give(p, l->values[i], (uint32_t)rgb);
	}
	struct search s = { .far = FAR };
	for (size_t i = 0; i < l->n && p->n < PALETTE_MAX; i++)
		if (!has_color(p, l->values[i]))
			give_made(p, l->values[i], &s);
	return 0;
}

int
out_palette(struct palette *p, struct arena *a, const struct emu *emu, enum row_class rows, uint32_t col)
{
	struct labelled l = { .arena = a, .errors = rows == ROW_CPU };
	int rc = out_labels(emu, rows, col, note_value, &l);
	return rc < 0 ? rc : choose(p, emu, out_decl(emu, rows, col)->view.palette, &l);
}

int
out_breakdown_palette(struct palette *p, struct arena *a, const struct emu *emu, const struct model_run *mr)
{
	const struct breakdown_decl *b = mr->model->breakdown;
	struct labelled l = { .arena = a, .errors = true };
	const int chans[] = { b->state, b->idle, b->task };
	uint32_t cols[3];
	size_t n = 0;
	for (size_t i = 0; i < 3; i++)
		if (chans[i] >= 0)
			cols[n++] = mr->first_col + (uint32_t)chans[i];
	out_states(emu, cols, n, note_value, &l);
	return choose(p, emu, b->view.palette, &l);
}
