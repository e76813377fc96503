/* SPDX-License-Identifier: MIT */
/* times: how long each row was in each state, written as a section so that a profile needs no replay.
 * Channels with very many states, such as ids of tasks, are left out. Bytes: doc/format/timeline.md. */
#include "uscp.h"

#include "uscope/extra.h"

#include <string.h>

enum {
	UNCOUNTED = 16,                   /* numbers of what is not counted: if all had one, each sum there would wait for the one before */
	SUMS_MAX = (1 << 18) - UNCOUNTED, /* with those the tables are full */
	STATES_MAX = 1 << 20,             /* with those for the overview alone */
	FIRST_CAP = 1 << 10,
	INDEX_OF_STATE = 2,     /* entries for each state */
	GUARD = 4,              /* limits of a channel while it runs: states may turn out to have no time */
	LEAST_SIZE = 16 * 1024, /* bytes that the section may have in any file, */
	DELTAS_SHARE = 8,       /* or this part of the deltas */
	HEAD_BYTES = 24,
	CHANNEL_BYTES = 16, /* at most */
	STATE_BYTES = 32,   /* at most, with what its row takes */
};

#define NUMBER_MASK ((uint32_t)STATES_MAX - 1)

/* ---- Numbers of states; the first are for what is not counted. ---- */

static uint64_t
hash_of(uint32_t place, uint64_t raw)
{
	uint64_t h = (raw ^ raw >> 32 ^ (uint64_t)place << 32) * UINT64_C(0x9e3779b97f4a7c15);
	h ^= h >> 32;
	return h * UINT64_C(0xd6e8feb86659fd93);
}

/* The entry of a state in the hash table, with 0 if it has none. Only an entry with the same bits is worth a look at its state. */
static uint32_t *
entry_of(const struct uscp_times *t, uint32_t place, uint64_t raw, uint32_t *bits)
{
	uint64_t h = hash_of(place, raw);
	*bits = (uint32_t)h & ~NUMBER_MASK;
	for (uint32_t i = (uint32_t)(h >> 32);; i++) {
		uint32_t *e = &t->index[i & (t->nindex - 1)];
		if (*e == 0)
			return e;
		if ((*e ^ *bits) & ~NUMBER_MASK)
			continue;
		const struct uscp_counted *s = &t->states[*e & NUMBER_MASK];
		if (s->raw == raw && (s->place & ~USCP_UNWRITTEN) == place)
			return e;
	}
}

/* Makes room for twice as many states. */
static bool
grow(struct uscp *u)
{
	struct uscp_times *t = &u->times;
	struct arena *a = &u->arena;
	uint32_t cap = t->cap ? 2 * t->cap : FIRST_CAP;
	int64_t *times = arena_alloc_table(a, cap, sizeof(*times));
	struct uscp_counted *states = arena_alloc_table(a, cap, sizeof(*states));
	uint32_t *index = arena_alloc_table(a, (size_t)cap * INDEX_OF_STATE, sizeof(*index));
	if (!times || !states || !index)
		return false;
	if (t->cap) {
		memcpy(times, t->times, t->n * sizeof(*times));
		memcpy(states, t->states, t->n * sizeof(*states));
		arena_free_table(a, t->times, t->cap, sizeof(*times));
		arena_free_table(a, t->states, t->cap, sizeof(*states));
		arena_free_table(a, t->index, t->nindex, sizeof(*index));
	}
	t->times = times;
	t->states = states;
	t->cap = cap;
	t->index = index;
	t->nindex = cap * INDEX_OF_STATE;
	for (uint32_t i = UNCOUNTED; i < t->n; i++) {
		uint32_t bits;
		uint32_t *e = entry_of(t, states[i].place & ~USCP_UNWRITTEN, states[i].raw, &bits);
		*e = i | bits;
	}
	return true;
}

bool
uscp_open_times(struct uscp *u, size_t nshown)
{
	struct uscp_times *t = &u->times;
	const struct emu *emu = u->emu;
	size_t rows = (size_t)emu_first_row(emu, ROW_PROC) + emu_nrows(emu, ROW_PROC);
	size_t n = rows * emu->plan->ncols + (size_t)u->map.classes[USCP_BREAKDOWN].nrows * emu->plan->nmodels;
	u->own = (uint32_t)(rows * emu->plan->ncols);
	if (n > USCP_PLACES_MAX)
		return true;
	t->nplaces = (uint32_t)n;
	t->runs = arena_new(&u->arena, struct uscp_run, n);
	t->of_shown = arena_new(&u->arena, struct uscp_pair, nshown);
	t->nstates = arena_new(&u->arena, uint32_t, u->map.nchannels);
	t->n = UNCOUNTED;
	return t->runs && t->of_shown && t->nstates && grow(u);
}

static uint32_t
place_with(const struct uscp *u, uint32_t place)
{
	uint32_t ncols = (uint32_t)u->emu->plan->ncols;
	return u->times.runs[place].with * ncols + place % ncols;
}

/* ---- The overview. ---- */

/* Tells the overview that a bucket of a place ended, which has shown a state since then, up to `time` at least. */
static void
tell(struct uscp *u, uint32_t place, uint32_t state, int64_t time)
{
	struct uscp_times *t = &u->times;
	struct overview_track *track = u->overview.tracks[place];
	if (!track)
		return;
	const int64_t bucket = -t->other;
	int64_t sum = 0;
	int64_t most = 0;
	uint32_t best = state;
	uint32_t *front = &t->runs[place].latest;
	uint32_t *link = front;
	for (uint32_t i; sum < bucket && (i = *link);) {
		struct uscp_counted *s = &t->states[i];
		int64_t n = t->times[i] - s->told;
		if (n == 0) {
			link = &s->next;
			continue;
		}
		s->told += n;
		sum += n;
		if (track->counted)
			overview_count(track, s->raw, (uint64_t)n);
		else if (n > most) {
			most = n;
			best = i;
		}
		if (link != front) { /* those behind are looked at if there is time left */
			*link = s->next;
			s->next = *front;
			*front = i;
		} else {
			link = &s->next;
		}
		front = &s->next;
	}
	overview_end(&u->overview, track, t->states[best].raw, (uint64_t)most, t->states[state].raw, (uint64_t)time);
}

/* Adds the time in the states of a place up to `time`. */
static void
count(const struct uscp_times *t, struct uscp_run *run, int64_t time)
{
	t->times[run->states.row] += time - run->since;
	t->times[run->states.cpu] += time - run->since;
	run->since = time;
}

/* Tells the overview what a place showed, and the CPU with it: `time` is in a later bucket than what is counted. */
static void
end_bucket(struct uscp *u, uint32_t place, int64_t time)
{
	struct uscp_times *t = &u->times;
	struct uscp_run *run = &t->runs[place];
	bool seen = u->overview.tracks[place] || (run->with && u->overview.tracks[place_with(u, place)]);
	if (!seen || time < run->since)
		return;
	overview_reach(&u->overview, (uint64_t)time);
	t->other = u->overview.dropped ? 0 : -(INT64_C(1) << u->overview.shift);
	if (((time ^ run->since) & t->other) == 0)
		return;
	int64_t begin = time & t->other;
	count(t, run, (run->since & t->other) - t->other);
	tell(u, place, run->states.row, begin);
	if (run->with)
		tell(u, place_with(u, place), run->states.cpu, begin);
	t->states[run->states.row].told += begin - run->since;
	t->states[run->states.cpu].told += begin - run->since;
	count(t, run, begin);
}

static bool
is_tracked(const struct uscp *u, uint32_t place)
{
	return u->overview.tracks && !u->overview.dropped && u->overview.tracks[place];
}

/* Gives a place to the overview, if it is new there: it has shown 0 so far. false: the overview does not have it. */
static bool
track_place(struct uscp *u, const struct uscp_class *c, const struct uscp_col *k, uint32_t slot, uint32_t place)
{
	if (!u->overview.tracks || u->overview.dropped)
		return false;
	if (u->overview.tracks[place])
		return true;
	if (!overview_add(&u->overview, place, k->storage, (uint16_t)slot, k->field))
		return false;
	u->times.runs[place].states.row = uscp_time_of(u, c, k, slot, place, 0);
	return true;
}

/* Gives the overview the time in the last bucket, and which tracks it needs. */
static void
tell_rest(struct uscp *u)
{
	struct uscp_times *t = &u->times;
	for (uint32_t i = UNCOUNTED; i < t->n; i++) {
		uint32_t place = t->states[i].place & ~USCP_UNWRITTEN;
		if (!is_tracked(u, place))
			continue;
		struct overview_track *track = u->overview.tracks[place];
		overview_count(track, t->states[i].raw, (uint64_t)(t->times[i] - t->states[i].told));
		track->used = track->used || (t->states[i].raw && t->times[i]);
	}
}

/* ---- Runs. ---- */

static void
end_run(struct uscp *u, uint32_t place, int64_t time)
{
	struct uscp_run *run = &u->times.runs[place];
	if ((time ^ run->since) & u->times.other)
		end_bucket(u, place, time);
	count(&u->times, run, time);
}

/* The place of a thread and that of its CPU go on alone, in the states that they have. */
static void
part(struct uscp *u, uint32_t place, int64_t time)
{
	struct uscp_run *run = &u->times.runs[place];
	struct uscp_run *cpu = &u->times.runs[place_with(u, place)];
	end_run(u, place, time);
	cpu->since = time;
	cpu->states = (struct uscp_pair){ .row = run->states.cpu };
	cpu->with = 0;
	run->states.cpu = 0;
	run->with = 0;
}

/* The place is together with the CPU in row `with`, or 0. */
static void
join(struct uscp *u, uint32_t place, uint32_t with, int64_t time)
{
	const struct uscp_times *t = &u->times;
	uint32_t ncols = (uint32_t)u->emu->plan->ncols;
	struct uscp_run *run = &t->runs[place];
	bool is_cpu = place >= u->map.classes[ROW_CPU].first_row * ncols;
	if (run->with)
		part(u, is_cpu ? run->with - 1 : place, time);
	else
		end_run(u, place, time);
	if (!with)
		return;
	run->with = with;
	struct uscp_run *cpu = &t->runs[place_with(u, place)];
	if (cpu->with)
		part(u, cpu->with - 1, time);
	else
		end_run(u, place_with(u, place), time);
	cpu->with = place + 1;
}

void
uscp_turn_times(struct uscp *u, uint32_t place, uint32_t with, int64_t time)
{
	if (u->times.runs[place].with != with)
		join(u, place, with, time);
	else
		end_bucket(u, place, time);
}

static uint32_t
limit_of(const struct uscp_class *c)
{
	return USCP_STATES_OF_ROW * c->nrows;
}

uint32_t
uscp_uncounted(struct uscp *u)
{
	return u->times.nuncounted++ % UNCOUNTED;
}

uint32_t
uscp_time_of(struct uscp *u, const struct uscp_class *c, const struct uscp_col *k, uint32_t slot, uint32_t place, uint64_t raw)
{
	struct uscp_times *t = &u->times;
	uint32_t *nstates = &t->nstates[k->channel];
	bool tracked = k->is_state && track_place(u, c, k, slot, place);
	if (t->nwritten == SUMS_MAX)
		*nstates = UINT32_MAX;
	bool written = raw && *nstates <= GUARD * limit_of(c);
	if (!written && !tracked)
		return uscp_uncounted(u);
	uint32_t bits;
	uint32_t *at = t->n < STATES_MAX ? entry_of(t, place, raw, &bits) : NULL;
	if (at && *at)
		return *at & NUMBER_MASK;
	if (at && t->n == t->cap)
		at = grow(u) ? entry_of(t, place, raw, &bits) : NULL;
	if (!at) {
		*nstates = UINT32_MAX;
		u->overview.dropped = true;
		return uscp_uncounted(u);
	}
	*nstates += written;
	t->nwritten += written;
	t->states[t->n] = (struct uscp_counted){ .raw = raw, .place = written ? place : place | USCP_UNWRITTEN };
	if (tracked) {
		t->states[t->n].next = t->runs[place].latest;
		t->runs[place].latest = t->n;
	}
	*at = t->n | bits;
	return t->n++;
}

/* ---- The section. ---- */

struct bytes {
	uint8_t *p;
};

static void
put(struct bytes *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*b->p++ = (uint8_t)(v | 0x80);
	*b->p++ = (uint8_t)v;
}

/* The states of each place, by number: a list that begins with first[place]. */
struct lists {
	uint32_t *first;
	uint32_t *next;
};

static bool
make_lists(struct uscp *u, struct lists *l)
{
	const struct uscp_times *t = &u->times;
	l->first = arena_new(&u->arena, uint32_t, t->nplaces);
	l->next = arena_new(&u->arena, uint32_t, t->n);
	if (!l->first || !l->next)
		return false;
	for (uint32_t i = t->n - 1; i >= UNCOUNTED; i--) {
		if (t->times[i] <= 0 || t->states[i].place & USCP_UNWRITTEN)
			continue;
		uint32_t *first = &l->first[t->states[i].place];
		l->next[i] = *first;
		*first = i;
	}
	return true;
}

static void
put_states(const struct uscp_times *t, const struct lists *l, struct bytes *b, uint32_t slot, uint32_t first)
{
	uint32_t n = 0;
	for (uint32_t i = first; i; i = l->next[i])
		n++;
	put(b, slot);
	put(b, n);
	for (uint32_t i = first; i; i = l->next[i]) {
		put(b, t->states[i].raw);
		put(b, (uint64_t)t->times[i]);
	}
}

/* Writes the channel whose places are `stride` apart. One whose states may not all be there is not written. */
static void
put_channel(const struct uscp *u, const struct lists *l, struct bytes *b, const struct uscp_class *c, const struct uscp_col *k,
	uint32_t place, uint32_t stride)
{
	const struct uscp_times *t = &u->times;
	uint64_t states = 0;
	uint32_t rows = 0;
	for (uint32_t row = 0; row < c->nrows; row++) {
		uint32_t first = l->first[place + row * stride];
		rows += first != 0;
		for (; first; first = l->next[first])
			states++;
	}
	bool many = states > limit_of(c);
	if (!many && t->nstates[k->channel] > GUARD * limit_of(c))
		return;
	put(b, k->storage);
	put(b, k->field);
	put(b, many ? 0 : rows + 1);
	for (uint32_t row = 0; row < c->nrows && !many; row++)
		if (l->first[place + row * stride])
			put_states(t, l, b, row, l->first[place + row * stride]);
}

static void
put_section(const struct uscp *u, const struct lists *l, struct bytes *b)
{
	const struct emu *emu = u->emu;
	uint32_t ncols = (uint32_t)emu->plan->ncols;
	for (enum row_class i = 0; i < ROW_CLASSES; i++) {
		const struct uscp_class *c = &u->map.classes[i];
		for (uint32_t col = 0; col < ncols && c->cols; col++)
			if (c->cols[col].kind != USCP_NONE)
				put_channel(u, l, b, c, &c->cols[col], c->first_row * ncols + col, ncols);
	}
	const struct uscp_class *c = &u->map.classes[USCP_BREAKDOWN];
	for (uint32_t i = 0; i < u->nreductions; i++)
		put_channel(u, l, b, c, &c->cols[i], u->own + i * c->nrows, 1);
}

void
uscp_write_times(struct uscp *u, int64_t end)
{
	struct uscp_times *t = &u->times;
	if (!t->runs)
		return;
	uint32_t first_cpu = u->map.classes[ROW_CPU].first_row * (uint32_t)u->emu->plan->ncols;
	for (uint32_t i = 0; i < t->nplaces; i++)
		if (i < first_cpu || !t->runs[i].with) /* else that of the thread stands for it */
			end_run(u, i, end);
	tell_rest(u);
	if (t->inexact)
		return;
	struct lists l;
	size_t most = HEAD_BYTES + (size_t)u->map.nchannels * CHANNEL_BYTES + (size_t)t->n * STATE_BYTES;
	uint8_t *buf = make_lists(u, &l) ? arena_alloc(&u->arena, most, 1) : NULL;
	if (!buf)
		return;
	struct bytes b = { buf };
	put(&b, uscp_ps(end));
	put(&b, PS_PER_NS);
	put_section(u, &l, &b);
	uscope_writer_stats_t stats;
	uscope_writer_stats(u->w, &stats);
	size_t n = (size_t)(b.p - buf);
	if (n <= LEAST_SIZE || n <= stats.compressed_bytes / DELTAS_SHARE)
		(void)uscope_add_section(u->w, USCOPE_SECTION_STATE_TIMES, buf, n);
}
