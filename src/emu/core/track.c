/* SPDX-License-Identifier: MIT */
#include "track.h"

#include "emu.h"

/* No value: the row has not printed the column yet. */
#define NOT_PRINTED (INT64_MIN + 1)

/* What enum need says of a thread that satisfies a mode. */
static const unsigned track_needs[] = {
	[TRACK_RUNNING] = NEED_RUNNING,
	[TRACK_ACTIVE] = NEED_ACTIVE,
	[TRACK_ANY] = 0,
};

static inline bool
shows(const struct emu *emu, uint32_t thread, enum track mode)
{
	unsigned needs = track_needs[mode];
	return (emu->threads[thread].has & needs) == needs;
}

int64_t
track_thread(const struct emu *emu, uint32_t thread, uint32_t col)
{
	if (!shows(emu, thread, emu->cols[col].thread_track))
		return CHAN_NULL;
	return emu->chans.value[chan_id(&emu->chans, thread, col)];
}

int64_t
track_cpu(const struct emu *emu, uint32_t cpu, uint32_t col)
{
	const struct col *k = &emu->cols[col];
	const struct cpu_run *c = &emu->cpus[cpu];
	bool active = k->cpu_track == TRACK_ACTIVE;
	uint32_t n = active ? c->nactive : c->nrunning;
	if (n > 1 && !emu->options.compat)
		return ST_TOO_MANY_TH;
	if (n != 1)
		return k->idle ? k->idle : CHAN_NULL;
	uint32_t th = (uint32_t)(active ? c->active_sum : c->running_sum);
	if (!emu->options.compat && k->thread_track != TRACK_HIDDEN && !shows(emu, th, k->thread_track))
		return ST_BAD;
	return emu->chans.value[chan_id(&emu->chans, th, col)];
}

bool
track_has(const struct emu *emu, enum row_class rows, uint32_t col)
{
	const struct col *k = &emu->cols[col];
	if (col < NBASE)
		return rows == ROW_THREAD ? col <= COL_TID : col <= COL_NRUNNING;
	return (rows == ROW_THREAD ? k->thread_track : k->cpu_track) != TRACK_HIDDEN;
}

/* Whether the peer prints a value again. */
static inline bool
repeats(enum repeat r, int64_t v)
{
	return r == REPEAT_ALL || (r == REPEAT_VALUES && v != CHAN_NULL);
}

static inline void
print(struct emu *emu, uint32_t row, uint32_t col, int64_t v)
{
	size_t id = chan_id(&emu->chans, row, col);
	int64_t text = v == CHAN_NULL ? 0 : v;
	if (emu->options.compat) {
		if (emu->printed[id] == v && !repeats(emu->cols[col].repeat, v))
			return;
		emu->printed[id] = v;
	} else {
		if (emu->printed[id] == text)
			return;
		emu->printed[id] = text;
		emu->printed_at[id] = emu->time;
	}
	feed_put(&emu->feed, emu->time, row, col, text);
}

static inline void
print_cpu(struct emu *emu, uint32_t cpu, uint32_t col)
{
	print(emu, emu->sys.nthreads + cpu, col, track_cpu(emu, cpu, col));
}

/* Columns that a row shows as they are, in the order they were written. */
static void
print_direct(struct emu *emu, struct chan_ref d)
{
	bool thread = d.row < emu->sys.nthreads;
	if (d.col < NBASE ? !thread && d.col == COL_SELECT : emu->cols[d.col].thread_track != TRACK_ANY)
		return;
	print(emu, d.row, d.col, emu->chans.value[chan_id(&emu->chans, d.row, d.col)]);
}

/* The thread has changed its state: its tracked columns appear or vanish. */
static void
print_thread_row(struct emu *emu, uint32_t thread)
{
	for (uint32_t col = NBASE; col < emu->ncols; col++)
		if (emu->cols[col].thread_track < TRACK_ANY)
			print(emu, thread, col, track_thread(emu, thread, col));
}

/* The CPU has another thread, or other counts. */
static void
print_cpu_row(struct emu *emu, uint32_t cpu)
{
	for (uint32_t col = NBASE; col < emu->ncols; col++)
		if (emu->cols[col].cpu_track < TRACK_ANY)
			print_cpu(emu, cpu, col);
}

/* A model has written a channel of a thread. */
static void
print_channel(struct emu *emu, struct chan_ref d)
{
	const struct chans *c = &emu->chans;
	const struct col *k = &emu->cols[d.col];
	/* A row that is printed whole in this event is not printed twice. */
	if (k->thread_track < TRACK_ANY && shows(emu, d.row, k->thread_track) && !c->is_dirty[chan_id(c, d.row, COL_STATE)])
		print(emu, d.row, d.col, c->value[chan_id(c, d.row, d.col)]);
	uint32_t cpu = emu->threads[d.row].cpu;
	if (cpu == NO_INDEX || k->cpu_track >= TRACK_ANY)
		return;
	const struct cpu_run *r = &emu->cpus[cpu];
	bool active = k->cpu_track == TRACK_ACTIVE;
	bool selected = (active ? r->nactive == 1 && r->active_sum == d.row : r->nrunning == 1 && r->running_sum == d.row) &&
		(emu->threads[d.row].has & track_needs[k->cpu_track]);
	if (selected && !c->is_dirty[chan_id(c, emu->sys.nthreads + cpu, COL_SELECT)])
		print_cpu(emu, cpu, d.col);
}

/* A value at t - 1, and at t what the row showed. When the row has a line of that column
 * at t already, both are at t. */
static void
print_pair(struct emu *emu, uint32_t row, uint32_t col, int64_t value)
{
	size_t id = chan_id(&emu->chans, row, col);
	int64_t t = emu->time;
	if (emu->printed[id] == value)
		return;
	int64_t before = t > 0 && emu->printed_at[id] < t ? t - 1 : t;
	feed_insert(&emu->feed, before, row, col, value);
	feed_put(&emu->feed, t, row, col, emu->printed[id]);
	emu->printed_at[id] = t;
}

static void
print_punctual(struct emu *emu, const struct punctual *p)
{
	const struct col *k = &emu->cols[p->col];
	if (k->thread_track != TRACK_HIDDEN && shows(emu, p->thread, k->thread_track))
		print_pair(emu, p->thread, p->col, p->value);
	uint32_t cpu = emu->threads[p->thread].cpu;
	if (cpu == NO_INDEX || k->cpu_track >= TRACK_ANY)
		return;
	const struct cpu_run *r = &emu->cpus[cpu];
	uint32_t n = k->cpu_track == TRACK_ACTIVE ? r->nactive : r->nrunning;
	uint64_t sum = k->cpu_track == TRACK_ACTIVE ? r->active_sum : r->running_sum;
	if (n == 1 && sum == p->thread)
		print_pair(emu, emu->sys.nthreads + cpu, p->col, p->value);
}

void
track_emit(struct emu *emu)
{
	struct chans *c = &emu->chans;
	for (uint32_t i = 0; i < c->ndirty; i++)
		print_direct(emu, c->dirty[i]);
	for (uint32_t i = 0; i < c->ndirty; i++) {
		struct chan_ref d = c->dirty[i];
		bool thread = d.row < emu->sys.nthreads;
		if (d.col >= NBASE)
			print_channel(emu, d);
		else if (thread && d.col == COL_STATE)
			print_thread_row(emu, d.row);
		else if (!thread && d.col == COL_SELECT)
			print_cpu_row(emu, d.row - emu->sys.nthreads);
	}
	for (size_t i = 0; i < emu->npunctuals; i++)
		print_punctual(emu, &emu->punctuals[i]);
	emu->npunctuals = 0;
	chan_clean(c);
}

static void
first_line(struct emu *emu, uint32_t row, uint32_t col, int64_t v)
{
	size_t id = chan_id(&emu->chans, row, col);
	emu->printed[id] = v == CHAN_NULL ? 0 : v;
	feed_put(&emu->feed, 0, row, col, emu->printed[id]);
}

void
track_first_lines(struct emu *emu)
{
	const struct system *sys = &emu->sys;
	for (size_t i = 0; i < (size_t)(sys->nthreads + sys->ncpus) * emu->ncols; i++)
		emu->printed[i] = NOT_PRINTED;
	if (emu->options.compat)
		return;
	for (uint32_t row = 0; row < sys->nthreads + sys->ncpus; row++) {
		bool thread = row < sys->nthreads;
		for (uint32_t col = 0; col < emu->ncols; col++) {
			if (!track_has(emu, thread ? ROW_THREAD : ROW_CPU, col))
				continue;
			if (col < NBASE)
				first_line(emu, row, col, CHAN_NULL);
			else
				first_line(emu, row, col, thread ? track_thread(emu, row, col) : track_cpu(emu, row - sys->nthreads, col));
		}
	}
}

bool
track_printed(const struct emu *emu, enum row_class rows, uint32_t col)
{
	uint32_t first = rows == ROW_THREAD ? 0 : emu->sys.nthreads;
	uint32_t n = emu_nrows(emu, rows);
	for (uint32_t row = first; row < first + n; row++)
		if (emu->printed[chan_id(&emu->chans, row, col)] != NOT_PRINTED)
			return true;
	return false;
}
