/* SPDX-License-Identifier: MIT */
#include "track.h"

#include "choose.h"
#include "emu.h"

#include <string.h>

/* Stands for the printed value of a row before its first line. --compat then prints any
 * first value: no channel that drops repeated values can hold this one. */
#define NOT_PRINTED (INT64_MIN + 1)

static inline bool
meets(const struct emu *emu, uint32_t thread, unsigned need)
{
	return (emu->threads[thread].has & need) == need;
}

/* Counts the threads of a CPU that meet a need; *thread is valid when there is exactly one. */
static inline uint32_t
tracked(const struct cpu_run *c, unsigned need, uint32_t *thread)
{
	bool active = need == NEED_ACTIVE;
	*thread = (uint32_t)(active ? c->active_sum : c->running_sum);
	return active ? c->nactive : c->nrunning;
}

/* Returns the value a row shows now; CHAN_NULL: nothing. */
static int64_t
show_thread(const struct emu *emu, uint32_t thread, uint32_t col)
{
	if (!meets(emu, thread, emu->chans.cols[col].thread_need))
		return CHAN_NULL;
	return emu->chans.value[chan_id(&emu->chans, thread, col)];
}

/* Returns the value a CPU row shows for the one thread it follows. */
static inline int64_t
follow(const struct emu *emu, uint32_t thread, uint32_t col)
{
	unsigned need = emu->chans.cols[col].thread_need;
	if (!emu->compat && need != NEED_NEVER && !meets(emu, thread, need))
		return ST_BAD;
	return emu->chans.value[chan_id(&emu->chans, thread, col)];
}

static inline int64_t
show_cpu(const struct emu *emu, const struct cpu_run *c, uint32_t col)
{
	const struct col *k = &emu->chans.cols[col];
	uint32_t th;
	uint32_t n = tracked(c, k->cpu_need, &th);
	if (n == 1)
		return follow(emu, th, col);
	if (n > 1 && !emu->compat)
		return ST_TOO_MANY_TH;
	/* A virtual CPU is no place where work could be done: without a thread it is not idle either. */
	bool idle = k->idle && (emu->compat || emu->plan->sys.cpus[c - emu->cpus].index >= 0);
	return idle ? k->idle : CHAN_NULL;
}

bool
track_has(const struct emu *emu, enum row_class rows, uint32_t col)
{
	const struct col *k = &emu->chans.cols[col];
	if (emu->plan->chosen && !emu->plan->chosen->cols[rows][col])
		return false;
	if (rows == ROW_PROC)
		return k->decl->of != OF_THREAD;
	return col < NBASE || (rows == ROW_THREAD ? k->thread_need : k->cpu_need) != NEED_NEVER;
}

/* Whether the peer prints a value again. */
static inline bool
repeats(enum repeat r, int64_t v)
{
	return r == REPEAT_ALL || (r == REPEAT_VALUES && v != CHAN_NULL);
}

/* Whether a value differs from the one printed last by that row and column (*printed), which
 * it then replaces. */
static inline bool
is_news(struct emu *emu, enum row_class rows, int64_t *printed, uint32_t col, int64_t v)
{
	/* The peer tells "nothing" from 0, and repeats some values. */
	if (emu->compat) {
		if (*printed == v && !repeats(emu->chans.cols[col].repeat, v))
			return false;
		emu->shown[rows][col] = 1;
	} else {
		v = v == CHAN_NULL ? 0 : v;
		if (*printed == v)
			return false;
	}
	*printed = v;
	return true;
}

static inline int64_t
as_printed(int64_t v)
{
	return v == CHAN_NULL ? 0 : v;
}

static inline void
print(struct emu *emu, enum row_class rows, int64_t *printed, uint32_t row, uint32_t col, int64_t v, enum record_kind kind)
{
	if (is_news(emu, rows, printed, col, v))
		feed_put_both(&emu->feed, emu->time, row, 0, record_what(col, kind), as_printed(v), false);
}

/* Prints a column that is not tracked: its row shows it in any state. */
static inline void
print_direct(struct emu *emu, struct chan_ref d)
{
	if (d.col == CHAN_ROW)
		return;
	size_t id = chan_id(&emu->chans, d.row, d.col);
	int64_t v = emu->chans.value[id];
	if (d.row >= emu->first_cpu)
		print(emu, ROW_CPU, &emu->printed[id], d.row, d.col, v, d.kind);
	else if (emu->chans.cols[d.col].thread_need == NEED_NOTHING)
		print(emu, ROW_THREAD, &emu->printed[id], d.row, d.col, v, d.kind);
}

/* Whether the row shows the column in some states only. */
static inline bool
is_tracked(unsigned need)
{
	return (need & (NEED_RUNNING | NEED_ACTIVE)) != 0;
}

/* Prints what a row did not show before, with what is under it on a stack. */
static void
print_anew(struct emu *emu, enum row_class rows, uint32_t row, uint32_t col, int64_t v)
{
	bool on_top = v && rows == ROW_THREAD && emu->chans.cols[col].kind == CHAN_STACK;
	if (on_top)
		detail_stack(emu, row, col);
	feed_put_both(&emu->feed, emu->time, row, 0, record_what(col, on_top ? RECORD_TOP : RECORD_STATE), v, false);
}

/* Prints the tracked columns of a thread that changed its state: they appear or vanish. */
static void
print_thread_row(struct emu *emu, uint32_t thread)
{
	size_t first = chan_id(&emu->chans, thread, 0);
	const int64_t *value = &emu->chans.value[first];
	unsigned has = emu->threads[thread].has;
	uint32_t ncols = emu->chans.ncols;
	for (uint32_t col = NBASE; col < ncols; col++) {
		unsigned need = emu->chans.cols[col].thread_need;
		if (!is_tracked(need))
			continue;
		int64_t v = (has & need) == need ? value[col] : CHAN_NULL;
		if (!is_news(emu, ROW_THREAD, &emu->printed[first + col], col, v))
			continue;
		print_anew(emu, ROW_THREAD, thread, col, as_printed(v));
	}
}

/* Prints the tracked columns of a CPU that follows another thread, or whose counts changed. */
static void
print_cpu_row(struct emu *emu, uint32_t cpu)
{
	uint32_t row = emu->first_cpu + cpu;
	size_t first = chan_id(&emu->chans, row, 0);
	uint32_t ncols = emu->chans.ncols;
	const struct cpu_run *c = &emu->cpus[cpu];
	for (uint32_t col = NBASE; col < ncols; col++)
		if (is_tracked(emu->chans.cols[col].cpu_need))
			print(emu, ROW_CPU, &emu->printed[first + col], row, col, show_cpu(emu, c, col), RECORD_STATE);
}

/* Prints a changed channel of a thread in its row (in_thread) and in that of its CPU
 * (in_cpu), as far as they show it. */
static void
print_channel(struct emu *emu, uint32_t row, uint32_t what, bool in_thread, bool in_cpu)
{
	uint32_t col = (uint16_t)what;
	const struct col *k = &emu->chans.cols[col];
	if (k->direct == CHAN_HIDDEN)
		return;
	const struct thread_run *t = &emu->threads[row];
	int64_t v = t->value[col];
	int64_t cpu_v = v;
	bool shown = (t->has & k->thread_need) == k->thread_need;
	if (!shown && !emu->compat && k->thread_need != NEED_NEVER)
		cpu_v = ST_BAD;
	bool thread = shown && in_thread && is_news(emu, ROW_THREAD, &t->printed[col], col, v);
	bool cpu = t->followed & k->cpu_need && in_cpu && is_news(emu, ROW_CPU, &t->cpu_printed[col], col, cpu_v);
	if (thread) /* if the CPU shows it too, the value is the same */
		feed_put_both(&emu->feed, emu->time, row, cpu ? t->cpu_row : 0, what, as_printed(v), false);
	else if (cpu)
		feed_put(&emu->feed, emu->time, t->cpu_row, col, as_printed(cpu_v));
}

/* Prints a changed channel in both rows. Fast path, default view: nearly always both show
 * the channel, and the value is new to both. */
static inline void
print_quickly(struct emu *emu, const struct thread_run *t, uint32_t what, bool alone)
{
	uint32_t col = (uint16_t)what;
	const struct col *k = &emu->chans.cols[col];
	int64_t v = as_printed(t->value[col]);
	bool quick = (t->followed & k->quick_need) == k->quick_need && t->printed[col] != v && t->cpu_printed[col] != v;
	if (__builtin_expect(!quick, 0)) {
		print_channel(emu, t->index, what, true, true);
		return;
	}
	t->printed[col] = t->cpu_printed[col] = v;
	feed_put_both(&emu->feed, emu->time, t->index, t->cpu_row, what, v, alone);
}

/* Prints the changes of an event that wrote only tracked channels of one thread, as most do. */
static inline __attribute__((always_inline)) void
print_few(struct emu *emu)
{
	const struct chans *c = &emu->chans;
	const struct thread_run *t = emu->run;
	for (uint32_t i = 0; i < c->ndirty; i++)
		print_quickly(emu, t, c->dirty[i].what, false);
}

/* Prints a changed channel after whole rows were printed: not again in those. */
static void
print_rest(struct emu *emu, struct chan_ref d)
{
	const struct chans *c = &emu->chans;
	const struct thread_run *t = &emu->threads[d.row];
	bool in_thread = is_tracked(emu->chans.cols[d.col].thread_need) && !chan_row_is_dirty(c, d.row);
	bool in_cpu = t->followed && !chan_row_is_dirty(c, t->cpu_row);
	print_channel(emu, d.row, d.what, in_thread, in_cpu);
}

static void
print_value(struct emu *emu, uint32_t row, uint32_t col, int64_t value)
{
	int64_t before = emu->printed[chan_id(&emu->chans, row, col)];
	if (before != value)
		feed_put_punctual(&emu->feed, emu->time, row, col, value, before);
}

static void
print_punctual(struct emu *emu, const struct punctual *p)
{
	if (p->row >= emu->first_cpu) {
		print_value(emu, p->row, p->col, p->value);
		return;
	}
	const struct col *k = &emu->chans.cols[p->col];
	const struct thread_run *t = &emu->threads[p->row];
	bool shown = (t->has & k->thread_need) == k->thread_need;
	if (shown)
		print_value(emu, p->row, p->col, p->value);
	if (t->followed & k->cpu_need && (shown || k->thread_need == NEED_NEVER))
		print_value(emu, t->cpu_row, p->col, p->value);
}

/* Prints the changes of any event: untracked columns first, then rows and tracked channels,
 * each in the order of the changes. */
static void
print_all(struct emu *emu)
{
	const struct chans *c = &emu->chans;
	for (uint32_t i = 0; i < c->ndirty; i++)
		print_direct(emu, c->dirty[i]);
	for (uint32_t i = 0; i < c->ndirty; i++) {
		struct chan_ref d = c->dirty[i];
		bool thread = d.row < emu->first_cpu;
		if (d.col == CHAN_ROW && thread)
			print_thread_row(emu, d.row);
		else if (d.col == CHAN_ROW)
			print_cpu_row(emu, d.row - emu->first_cpu);
		else if (d.col >= NBASE && thread)
			print_rest(emu, d);
	}
}

/* Whether only channels of one thread changed, those that its row shows in any state first: printed one by one, they come in
 * the order of print_all(), too. */
static bool
are_few(const struct emu *emu)
{
	const struct chans *c = &emu->chans;
	bool any_tracked = false;
	for (uint32_t i = 0; i < c->ndirty; i++) {
		struct chan_ref d = c->dirty[i];
		uint64_t direct = c->cols[d.col].direct;
		if (d.row != emu->thread || d.col < NBASE || (any_tracked && direct == 1))
			return false;
		any_tracked = any_tracked || direct == 0;
	}
	return true;
}

/* Prints changes of which some are not of tracked channels: hidden ones are not printed. */
static void
print_mixed(struct emu *emu)
{
	const struct chans *c = &emu->chans;
	uint64_t direct = c->ndirect % CHAN_HIDDEN;
	bool few = direct == 0 ? c->ndirect / CHAN_HIDDEN < c->ndirty : direct < CHAN_ROW_DIRECT && are_few(emu);
	if (few)
		print_few(emu);
	else if (direct)
		print_all(emu);
}

static inline __attribute__((always_inline)) void
emit(struct emu *emu)
{
	struct chans *c = &emu->chans;
	if (__builtin_expect(c->ndirect == 0, 1))
		print_few(emu);
	else
		print_mixed(emu);
	for (uint32_t i = 0; i < emu->npunctuals; i++)
		print_punctual(emu, &emu->punctuals[i]);
	emu->npunctuals = 0;
	chan_clean(c);
}

void
track_emit(struct emu *emu)
{
	emit(emu);
}

void
track_emit_rarely(struct emu *emu)
{
	emit(emu);
}

void
track_emit_alone(struct emu *emu, uint32_t what)
{
	print_quickly(emu, emu->run, what, true);
}

/* What a row of a thread or a CPU shows in a column of a model. */
static int64_t
show(const struct emu *emu, enum row_class rows, uint32_t row, uint32_t col)
{
	if (rows == ROW_THREAD)
		return show_thread(emu, row, col);
	if (emu->chans.cols[col].cpu_need != NEED_OWN)
		return show_cpu(emu, &emu->cpus[row - emu->first_cpu], col);
	return emu->chans.value[chan_id(&emu->chans, row, col)];
}

static void
first_line(struct emu *emu, uint32_t row, uint32_t col, int64_t v)
{
	size_t id = chan_id(&emu->chans, row, col);
	emu->printed[id] = as_printed(v);
	feed_put(&emu->feed, 0, row, col, emu->printed[id]);
}

void
track_first_lines(struct emu *emu)
{
	const struct system *sys = &emu->plan->sys;
	uint32_t first = emu_first_row(emu, ROW_PROC);
	uint32_t end = first + emu_nrows(emu, ROW_PROC);
	for (size_t i = 0; i < (size_t)end * emu->chans.ncols; i++)
		emu->printed[i] = NOT_PRINTED;
	feed_begin(&emu->feed);
	for (uint32_t row = emu->compat ? first : 0; row < first; row++) {
		if (row == sys->nknown)
			row = sys->nthreads;
		enum row_class rows = row < sys->nthreads ? ROW_THREAD : ROW_CPU;
		for (uint32_t col = 0; col < emu->chans.ncols; col++) {
			if (!track_has(emu, rows, col))
				continue;
			first_line(emu, row, col, col < NBASE ? CHAN_NULL : show(emu, rows, row, col));
		}
	}
	for (uint32_t row = first; row < end; row++)
		for (uint32_t col = NBASE; col < emu->chans.ncols; col++)
			if (rows_have(emu, row, col))
				first_line(emu, row, col, emu->chans.value[chan_id(&emu->chans, row, col)]);
}

/* Prints what a row shows now, as if for the first time. In --compat only what is not nothing, as it prints no first lines. */
static void
print_present(struct emu *emu, enum row_class rows, uint32_t row, uint32_t col)
{
	int64_t v = as_printed(emu->printed[chan_id(&emu->chans, row, col)]);
	bool known = !emu->compat || rows == ROW_PROC;
	if (!known && v == NOT_PRINTED && (col < NBASE || show(emu, rows, row, col) != v)) /* marks may have that value, too */
		v = 0;
	if (!known && v == 0)
		return;
	emu->shown[rows][col] = 1;
	print_anew(emu, rows, row, col, v);
}

void
track_present_lines(struct emu *emu)
{
	const struct system *sys = &emu->plan->sys;
	uint32_t first = emu_first_row(emu, ROW_PROC);
	uint32_t end = first + emu_nrows(emu, ROW_PROC);
	for (int i = 0; i < ROW_CLASSES; i++)
		memset(emu->shown[i], 0, emu->chans.ncols);
	feed_begin(&emu->feed);
	for (uint32_t row = 0; row < first; row++) {
		if (row == sys->nknown)
			row = sys->nthreads;
		enum row_class rows = row < sys->nthreads ? ROW_THREAD : ROW_CPU;
		for (uint32_t col = 0; col < emu->chans.ncols; col++)
			if (track_has(emu, rows, col))
				print_present(emu, rows, row, col);
	}
	for (uint32_t row = first; row < end; row++)
		for (uint32_t col = NBASE; col < emu->chans.ncols; col++)
			if (rows_have(emu, row, col))
				print_present(emu, ROW_PROC, row, col);
}

void
track_late_row(struct emu *emu, uint32_t row)
{
	for (uint32_t col = 0; col < emu->chans.ncols; col++) {
		if (!track_has(emu, ROW_THREAD, col))
			continue;
		int64_t v = col < NBASE ? CHAN_NULL : show_thread(emu, row, col);
		int64_t *printed = &emu->printed[chan_id(&emu->chans, row, col)];
		*printed = as_printed(v);
		feed_put_late(&emu->feed, emu->time, row, col, *printed);
	}
}

bool
track_printed(const struct emu *emu, enum row_class rows, uint32_t col)
{
	/* In the default view every row begins with a line of each column, and those that are of no thread in any. */
	return emu->compat && rows != ROW_PROC ? emu->shown[rows][col] != 0 : track_has(emu, rows, col);
}
