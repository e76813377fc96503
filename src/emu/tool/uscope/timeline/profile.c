/* SPDX-License-Identifier: MIT */
/* profile: how long the rows were in each state. */
#include "jsonout.h"
#include "timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_CAP = 1 << 10,
	STATES_MAX = 1 << 23, /* in all rows: half a gigabyte */
	STATES_OF_ROW = 64,   /* in the mean: channels with more are listed when they are asked for */
	TIME_WIDTH = 14,
};

/* Time of a state in a row, or in all of a class. */
struct part {
	uint64_t raw;
	uint64_t time_ps;
	uint32_t where; /* cell; channels behind the cells are the sum of all rows */
	bool used;
};

struct profile {
	struct timeline *t;
	struct part *parts; /* by hash */
	size_t n;
	size_t cap;                 /* power of two */
	uint32_t nrows[TL_CLASSES]; /* that are chosen */
	uint32_t *nstates;          /* by channel; UINT32_MAX: too many */
	bool failed;                /* reported */
	size_t row_width;
	size_t channel_width;
};

static struct part *
find(struct part *parts, size_t cap, uint32_t where, uint64_t raw)
{
	uint64_t h = (raw ^ (uint64_t)where << 32) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (h ^ h >> 32) & (cap - 1);
	while (parts[i].used && (parts[i].where != where || parts[i].raw != raw))
		i = (i + 1) & (cap - 1);
	return &parts[i];
}

static bool
grow(struct profile *p)
{
	size_t cap = p->cap ? 2 * p->cap : FIRST_CAP;
	struct part *parts = cap <= 2 * STATES_MAX ? block_alloc(cap * sizeof(*parts)) : NULL;
	if (!parts) {
		if (cap > 2 * STATES_MAX)
			conv_fail(&p->t->tool->conv, "timeline", "there are more than %d different states\nin %s\nhint: --row and --channel choose what is counted",
				STATES_MAX, p->t->file.src->path);
		else
			(void)conv_no_memory(&p->t->tool->conv);
		p->failed = true;
		return false;
	}
	for (size_t i = 0; i < p->cap; i++)
		if (p->parts[i].used)
			*find(parts, cap, p->parts[i].where, p->parts[i].raw) = p->parts[i];
	block_free(p->parts);
	p->parts = parts;
	p->cap = cap;
	return true;
}

/* Returns whether it is a new one. */
static bool
add(struct profile *p, uint32_t where, uint64_t raw, uint64_t time_ps)
{
	if (p->failed || (2 * p->n >= p->cap && !grow(p)))
		return false;
	struct part *part = find(p->parts, p->cap, where, raw);
	bool is_new = !part->used;
	p->n += is_new;
	part->used = true;
	part->where = where;
	part->raw = raw;
	if (__builtin_add_overflow(part->time_ps, time_ps, &part->time_ps))
		part->time_ps = UINT64_MAX;
	return is_new;
}

/* Adds time of a state. A channel with very many states is left out unless it is asked for. */
static void
add_state(void *user, const struct tlchannel *ch, uint32_t row, uint64_t raw, uint64_t time_ps)
{
	struct profile *p = user;
	const struct tlfile *f = &p->t->file;
	uint32_t *nstates = &p->nstates[ch - f->channels];
	if (time_ps == 0)
		*nstates = UINT32_MAX;
	if (*nstates == UINT32_MAX)
		return;
	bool is_new = add(p, tlfile_cell(f, ch, row), raw, time_ps);
	(void)add(p, f->ncells + (uint32_t)(ch - f->channels), raw, time_ps);
	if (is_new && raw && ++*nstates > STATES_OF_ROW * p->nrows[ch->class] && !p->t->pick.by_channel)
		*nstates = UINT32_MAX;
}

static void
take(void *user, const struct tlspan *s)
{
	if (!s->state.by_value && s->begin_ps != s->end_ps)
		add_state(user, s->channel, s->row, s->state.raw, s->end_ps - s->begin_ps);
}

static int
compare(const void *x, const void *y)
{
	const struct part *a = x;
	const struct part *b = y;
	if (a->where != b->where)
		return a->where < b->where ? -1 : 1;
	if (a->time_ps != b->time_ps)
		return a->time_ps > b->time_ps ? -1 : 1;
	return a->raw < b->raw ? -1 : a->raw > b->raw;
}

/* ---- Output. ---- */

struct spot {
	const struct tlchannel *channel;
	uint32_t row;
	bool total;
};

static struct spot
place_of(const struct tlfile *f, uint32_t where)
{
	if (where >= f->ncells)
		return (struct spot){ .channel = &f->channels[where - f->ncells], .total = true };
	int k = TL_CLASSES - 1;
	while (f->classes[k].first_cell > where || f->classes[k].nrows * f->classes[k].nchannels == 0)
		k--;
	uint32_t at = where - f->classes[k].first_cell;
	const struct tlclass *c = &f->classes[k];
	return (struct spot){ .channel = c->channels[at % c->nchannels], .row = at / c->nchannels };
}

static double
share_of(const struct profile *p, const struct spot *at, const struct part *part, uint64_t range)
{
	double whole = (double)range * (at->total ? p->nrows[at->channel->class] : 1);
	return whole > 0 ? (double)part->time_ps / whole : 0;
}

static void
print_json(const struct profile *p, const struct spot *at, const struct part *part, double share)
{
	const struct tlfile *f = &p->t->file;
	struct wbuf *w = &p->t->tool->conv.out;
	json_open(w, NULL, '{');
	json_str(w, "kind", at->total ? "total" : "profile");
	if (at->total)
		json_str(w, "class", f->classes[at->channel->class].name);
	else
		tltext_json_row(w, f, at->channel->class, at->row);
	tltext_json_channel(w, at->channel);
	struct tlstate state = tllabel_state(f, at->channel, part->raw);
	tltext_json_state(w, f, at->channel, &state);
	json_u64(w, "time_ps", part->time_ps);
	json_key(w, "share");
	wbuf_printf(w, "%.6f", share);
	json_end(w);
}

static void
find_widths(struct profile *p)
{
	const struct tlfile *f = &p->t->file;
	p->row_width = strlen("all breakdown rows");
	for (size_t i = 0; i < p->n; i++) {
		struct spot at = place_of(f, p->parts[i].where);
		if (!at.total)
			tltext_widen(&p->row_width, f->classes[at.channel->class].names[at.row]);
		tltext_widen(&p->channel_width, at.channel->name);
	}
}

static void
print_text(const struct profile *p, const struct spot *at, const struct part *part, double share)
{
	const struct tlfile *f = &p->t->file;
	const struct tlclass *c = &f->classes[at->channel->class];
	struct wbuf *w = &p->t->tool->conv.out;
	char all[40];
	(void)snprintf(all, sizeof(all), "all %s rows", c->name);
	tltext_pad(w, at->total ? all : c->names[at->row], p->row_width, false);
	put_str(w, "  ");
	tltext_pad(w, at->channel->name, p->channel_width, false);
	tltext_time(w, part->time_ps, TIME_WIDTH + 2, 0);
	wbuf_printf(w, " %7.2f%%  ", 100 * share);
	char buf[TLLABEL_NUMBER];
	struct tlstate state = tllabel_state(f, at->channel, part->raw);
	const char *text = tllabel_text(f, at->channel, &state, buf);
	put_text(w, text, strlen(text));
	put_str(w, "\n");
}

static void
print(struct profile *p, uint64_t range)
{
	size_t n = 0;
	for (size_t i = 0; i < p->cap; i++)
		if (p->parts[i].used && p->nstates[place_of(&p->t->file, p->parts[i].where).channel - p->t->file.channels] != UINT32_MAX)
			p->parts[n++] = p->parts[i];
	p->n = n;
	if (n)
		qsort(p->parts, n, sizeof(*p->parts), compare);
	find_widths(p);
	uint32_t before = 0;
	for (size_t i = 0; i < n && !utool_stop(p->t->tool); i++) {
		struct spot at = place_of(&p->t->file, p->parts[i].where);
		double share = share_of(p, &at, &p->parts[i], range);
		if (p->t->tool->json) {
			print_json(p, &at, &p->parts[i], share);
			continue;
		}
		if (i && at.total && before < p->t->file.ncells)
			put_str(&p->t->tool->conv.out, "\n");
		before = p->parts[i].where;
		print_text(p, &at, &p->parts[i], share);
	}
}

/* Adds up all states, one by one. */
static bool
add_up(struct profile *p, int *status)
{
	struct tlscan s;
	bool good = tlscan_begin(&s, p->t);
	if (good) {
		s.span = take;
		s.user = p;
		tlscan_run(&s);
		tlscan_close(&s);
	}
	*status = tlscan_finish(&s);
	return good;
}

static void
tell_left_out(const struct profile *p)
{
	const struct tlfile *f = &p->t->file;
	for (uint32_t i = 0; i < f->nchannels; i++)
		if (p->nstates[i] == UINT32_MAX)
			utool_warn(p->t->tool, "%s/%s is left out, with more than %d states a row: --channel shows it", f->classes[f->channels[i].class].name,
				f->channels[i].name, STATES_OF_ROW);
}

int
timeline_profile(struct timeline *t)
{
	struct profile p = { .t = t };
	for (int k = 0; k < TL_CLASSES; k++)
		for (uint32_t i = 0; i < t->file.classes[k].nrows; i++)
			p.nrows[k] += t->pick.rows[k][i];
	p.nstates = arena_new(&t->file.arena, uint32_t, t->file.nchannels);
	if (!p.nstates)
		return conv_no_memory(&t->tool->conv);
	int status = STATUS_GOOD;
	bool good = tltimes_read(t, add_state, &p) || add_up(&p, &status);
	uint64_t from = t->tool->from;
	uint64_t end = t->tool->to < t->file.end_ps ? t->tool->to : t->file.end_ps;
	if (good && !p.failed) {
		tell_left_out(&p);
		print(&p, end > from ? end - from : 0);
	}
	block_free(p.parts);
	return p.failed ? STATUS_BAD : status;
}
