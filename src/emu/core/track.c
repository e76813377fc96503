/* SPDX-License-Identifier: MIT */
#include "track.h"

#include "emu.h"

/* What a row has printed before its first line. --compat prints the first value whatever
 * it is; no channel that drops repeated values can hold this one. */
#define NOT_PRINTED (INT64_MIN + 1)

static inline bool
meets(const struct emu *emu, uint32_t thread, unsigned need)
{
	return (emu->threads[thread].has & need) == need;
}

/* Threads of a CPU that meet a need, and the one if there is one. */
static inline uint32_t
tracked(const struct cpu_run *c, unsigned need, uint32_t *thread)
{
	bool active = need == NEED_ACTIVE;
	*thread = (uint32_t)(active ? c->active_sum : c->running_sum);
	return active ? c->nactive : c->nrunning;
}

int64_t
track_thread(const struct emu *emu, uint32_t thread, uint32_t col)
{
	if (!meets(emu, thread, emu->cols[col].thread_need))
		return CHAN_NULL;
	return emu->chans.value[chan_id(&emu->chans, thread, col)];
}

/* What a CPU row shows of the one thread it follows. */
static inline int64_t
follow(const struct emu *emu, uint32_t thread, uint32_t col)
{
	unsigned need = emu->cols[col].thread_need;
	if (!emu->options.compat && need != NEED_NEVER && !meets(emu, thread, need))
		return ST_BAD;
	return emu->chans.value[chan_id(&emu->chans, thread, col)];
}

static inline int64_t
show_cpu(const struct emu *emu, const struct cpu_run *c, uint32_t col)
{
	const struct col *k = &emu->cols[col];
	uint32_t th;
	uint32_t n = tracked(c, k->cpu_need, &th);
	if (n == 1)
		return follow(emu, th, col);
	if (n > 1 && !emu->options.compat)
		return ST_TOO_MANY_TH;
	return k->idle ? k->idle : CHAN_NULL;
}

int64_t
track_cpu(const struct emu *emu, uint32_t cpu, uint32_t col)
{
	return show_cpu(emu, &emu->cpus[cpu], col);
}

bool
track_has(const struct emu *emu, enum row_class rows, uint32_t col)
{
	const struct col *k = &emu->cols[col];
	if (col < NBASE)
		return rows == ROW_THREAD ? col <= COL_TID : col <= COL_NRUNNING;
	return (rows == ROW_THREAD ? k->thread_need : k->cpu_need) != NEED_NEVER;
}

/* Whether the peer prints a value again. */
static inline bool
repeats(enum repeat r, int64_t v)
{
	return r == REPEAT_ALL || (r == REPEAT_VALUES && v != CHAN_NULL);
}

/* `id` is that of the row and column, which the caller has at hand. */
static inline void
print(struct emu *emu, enum row_class rows, size_t id, uint32_t row, uint32_t col, int64_t v)
{
	int64_t text = v == CHAN_NULL ? 0 : v;
	if (emu->options.compat) {
		if (emu->printed[id] == v && !repeats(emu->cols[col].repeat, v))
			return;
		emu->printed[id] = v;
	} else {
		if (emu->printed[id] == text)
			return;
		emu->printed[id] = text;
	}
	emu->shown[rows][col] = 1;
	feed_put(&emu->feed, rows, emu->time, row, col, text);
}

/* The CPU whose row follows a thread in a column, or NO_INDEX. */
static inline uint32_t
follower(const struct emu *emu, uint32_t thread, unsigned need)
{
	uint32_t cpu = emu->threads[thread].cpu;
	uint32_t th;
	if (cpu == NO_INDEX || !meets(emu, thread, need) || tracked(&emu->cpus[cpu], need, &th) != 1)
		return NO_INDEX;
	return cpu;
}

/* Columns that a row shows as they are, in the order they were written. */
static inline void
print_direct(struct emu *emu, struct chan_ref d)
{
	size_t id = chan_id(&emu->chans, d.row, d.col);
	int64_t v = emu->chans.value[id];
	if (d.row >= emu->sys.nthreads) {
		if (d.col != COL_SELECT)
			print(emu, ROW_CPU, id, d.row, d.col, v);
	} else if (d.col < NBASE || emu->cols[d.col].thread_need == NEED_NOTHING) {
		print(emu, ROW_THREAD, id, d.row, d.col, v);
	}
}

/* Whether the row shows the column in some states only. */
static inline bool
is_tracked(unsigned need)
{
	return (need & (NEED_RUNNING | NEED_ACTIVE)) != 0;
}

/* The thread has changed its state: its tracked columns appear or vanish. */
static void
print_thread_row(struct emu *emu, uint32_t thread)
{
	size_t first = chan_id(&emu->chans, thread, 0);
	const int64_t *value = &emu->chans.value[first];
	unsigned has = emu->threads[thread].has;
	uint32_t ncols = emu->chans.ncols;
	for (uint32_t col = NBASE; col < ncols; col++) {
		unsigned need = emu->cols[col].thread_need;
		if (is_tracked(need))
			print(emu, ROW_THREAD, first + col, thread, col, (has & need) == need ? value[col] : CHAN_NULL);
	}
}

/* The CPU has another thread, or other counts. */
static void
print_cpu_row(struct emu *emu, uint32_t cpu)
{
	uint32_t row = emu->sys.nthreads + cpu;
	size_t first = chan_id(&emu->chans, row, 0);
	uint32_t ncols = emu->chans.ncols;
	const struct cpu_run *c = &emu->cpus[cpu];
	for (uint32_t col = NBASE; col < ncols; col++)
		if (is_tracked(emu->cols[col].cpu_need))
			print(emu, ROW_CPU, first + col, row, col, show_cpu(emu, c, col));
}

/* The CPU rows that follow a thread, by need. */
struct followers {
	uint32_t running;
	uint32_t active;
};

static inline uint32_t
pick(const struct followers *f, unsigned need)
{
	return need == NEED_RUNNING ? f->running : need == NEED_ACTIVE ? f->active
								       : NO_INDEX;
}

/* A model has written a channel of a thread: prints it in the row of the thread, if asked
 * to, and in that of its CPU. */
static inline void
print_channel(struct emu *emu, uint32_t thread, uint32_t col, uint32_t cpu, bool in_thread)
{
	const struct chans *c = &emu->chans;
	unsigned need = emu->cols[col].thread_need;
	size_t id = chan_id(c, thread, col);
	int64_t v = c->value[id];
	bool shown = (emu->threads[thread].has & need) == need;
	if (shown && in_thread)
		print(emu, ROW_THREAD, id, thread, col, v);
	if (cpu == NO_INDEX)
		return;
	if (!shown && !emu->options.compat && need != NEED_NEVER)
		v = ST_BAD;
	uint32_t row = emu->sys.nthreads + cpu;
	print(emu, ROW_CPU, chan_id(c, row, col), row, col, v);
}

/* Most events write a few channels of their thread, and none that its row shows in any
 * state: nothing but those rows is printed. Returns whether it was such an event. */
static bool
print_few(struct emu *emu)
{
	struct chans *c = &emu->chans;
	uint32_t thread = c->dirty[0].row;
	if (emu->npunctuals)
		return false;
	for (uint32_t i = 0; i < c->ndirty; i++)
		if (c->dirty[i].row != thread || c->dirty[i].col < NBASE || (c->ndirty > 1 && emu->cols[c->dirty[i].col].thread_need == NEED_NOTHING))
			return false;
	struct followers f = { follower(emu, thread, NEED_RUNNING), follower(emu, thread, NEED_ACTIVE) };
	size_t first = chan_id(c, thread, 0);
	for (uint32_t i = 0; i < c->ndirty; i++) {
		uint32_t col = c->dirty[i].col;
		c->is_dirty[first + col] = 0;
		print_channel(emu, thread, col, pick(&f, emu->cols[col].cpu_need), true);
	}
	c->ndirty = 0;
	return true;
}

/* The same when the event has printed whole rows, or columns as they are: those are not
 * printed twice. */
static void
print_rest(struct emu *emu, struct chan_ref d)
{
	const struct chans *c = &emu->chans;
	const struct col *k = &emu->cols[d.col];
	uint32_t cpu = follower(emu, d.row, k->cpu_need);
	if (cpu != NO_INDEX && c->is_dirty[chan_id(c, emu->sys.nthreads + cpu, COL_SELECT)])
		cpu = NO_INDEX;
	print_channel(emu, d.row, d.col, cpu, is_tracked(k->thread_need) && !c->is_dirty[chan_id(c, d.row, COL_STATE)]);
}

/* A value at t - 1, and at t what the row showed. When the row has a line of that column
 * at t already, both are at t. */
static void
print_pair(struct emu *emu, enum row_class rows, uint32_t row, uint32_t col, int64_t value)
{
	size_t id = chan_id(&emu->chans, row, col);
	int64_t t = emu->time;
	if (emu->printed[id] == value)
		return;
	int64_t before = t > 0 && !feed_has(&emu->feed, rows, t, row, col) ? t - 1 : t;
	feed_insert(&emu->feed, rows, before, row, col, value);
	feed_put(&emu->feed, rows, t, row, col, emu->printed[id]);
}

static void
print_punctual(struct emu *emu, const struct punctual *p)
{
	const struct col *k = &emu->cols[p->col];
	bool shown = meets(emu, p->thread, k->thread_need);
	if (shown)
		print_pair(emu, ROW_THREAD, p->thread, p->col, p->value);
	uint32_t cpu = follower(emu, p->thread, k->cpu_need);
	if (cpu != NO_INDEX && (shown || k->thread_need == NEED_NEVER))
		print_pair(emu, ROW_CPU, emu->sys.nthreads + cpu, p->col, p->value);
}

void
track_emit(struct emu *emu)
{
	struct chans *c = &emu->chans;
	if (print_few(emu))
		return;
	/* What a row shows as it is comes first, in the order it was written. */
	for (uint32_t i = 0; i < c->ndirty; i++)
		print_direct(emu, c->dirty[i]);
	for (uint32_t i = 0; i < c->ndirty; i++) {
		struct chan_ref d = c->dirty[i];
		bool thread = d.row < emu->sys.nthreads;
		if (d.col >= NBASE)
			print_rest(emu, d);
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
first_line(struct emu *emu, enum row_class rows, uint32_t row, uint32_t col, int64_t v)
{
	size_t id = chan_id(&emu->chans, row, col);
	emu->printed[id] = v == CHAN_NULL ? 0 : v;
	emu->shown[rows][col] = 1;
	feed_put(&emu->feed, rows, 0, row, col, emu->printed[id]);
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
		enum row_class rows = row < sys->nthreads ? ROW_THREAD : ROW_CPU;
		for (uint32_t col = 0; col < emu->ncols; col++) {
			if (!track_has(emu, rows, col))
				continue;
			int64_t v = CHAN_NULL;
			if (col >= NBASE)
				v = rows == ROW_THREAD ? track_thread(emu, row, col) : track_cpu(emu, row - sys->nthreads, col);
			first_line(emu, rows, row, col, v);
		}
	}
}

bool
track_printed(const struct emu *emu, enum row_class rows, uint32_t col)
{
	return emu->shown[rows][col] != 0;
}
