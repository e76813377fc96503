/* SPDX-License-Identifier: MIT */
/* hooks: functions that are entered and left, as -finstrument-functions calls for them.
 *
 * A stack of them is kept beside that of the thread, so that each exit leaves what was entered: longjmp() and
 * some exceptions leave functions without a call. They are gone when the stack pointer is above theirs. */
#include "parts.h"

#include <sys/mman.h>

enum {
	FRAMES = 128,              /* at first */
	EVENT = 1 + TRACER_NUMBER, /* bytes */
};

EXPORT void __cyg_profile_func_enter(void *fn, void *site);
EXPORT void __cyg_profile_func_exit(void *fn, void *site);

/* Of what is below all frames. */
static const struct tracer_name nobody;

/* Writes an event into a stream that has room for it, and then changes the number of frames. Whoever leaves this in the
 * middle (tracer_recover()) finds from the position of the stream whether it is changed. */
static inline void
put_there(struct tracer_stack *k, struct tracer_stream *s, const struct tracer_name *name, enum prism_cxt_type type, size_t next, uint64_t ns)
{
	k->after = s->pos + EVENT + (UINT64_C(1) << 32);
	atomic_signal_fence(memory_order_seq_cst);
	k->next = next;
	atomic_signal_fence(memory_order_seq_cst);
	tracer_commit(s, (PRISM_CXT << 5 | type) | (uint64_t)name->number << 8 | (uint64_t)TRACER_END << 8 * EVENT, EVENT, ns);
	atomic_signal_fence(memory_order_seq_cst);
	k->n = next;
}

static void
put(const struct tracer_name *name, enum prism_cxt_type type, int change, uint64_t ns)
{
	struct tracer_stack *k = tracer_self.stack;
	struct tracer_stream *s = tracer_get_room(EVENT, ns);
	size_t next = k->n + (size_t)change;
	if (s)
		put_there(k, s, name, type, next, ns);
	else
		k->n = next;
}

bool
tracer_recover(uintptr_t sp)
{
	const struct tracer_thread *t = &tracer_self;
	struct tracer_stack *k = t->stack;
	if (!tracer_on_stack(sp) || !tracer_on_stack(t->inside) || sp <= t->inside)
		return false;
	if (k && t->stream && t->stream->pos == k->after)
		k->n = k->next;
	return true;
}

/* ---- The stack. ---- */

static size_t
size_of(size_t frames)
{
	return sizeof(struct tracer_stack) + (1 + frames) * sizeof(struct tracer_frame);
}

/* False: memory is exhausted. */
static bool
grow(struct tracer_thread *t)
{
	struct tracer_calm calm;
	tracer_calm(&calm);
	struct tracer_stack *k = t->stack;
	size_t cap = k ? 2 * k->cap : FRAMES;
	void *p = k ? mremap(k, size_of(k->cap), size_of(cap), MREMAP_MAYMOVE) : tracer_map(size_of(cap));
	bool good = p && p != MAP_FAILED;
	if (good) {
		t->stack = p;
		t->stack->cap = cap;
		t->stack->due += !k;
		t->stack->frames[0] = (struct tracer_frame){ .name = &nobody, .sp = t->lo + t->size };
	}
	tracer_resume(&calm);
	return good;
}

/* Whether the frame is of a function that was left without a call, as that at the stack pointer runs. On
 * another stack nobody knows. */
static bool
is_gone(const struct tracer_frame *f, uintptr_t sp)
{
	const struct tracer_thread *t = &tracer_self;
	return f->sp - sp >= t->lo + t->size - sp;
}

/* Finds what the hooks compare with. */
static void
settle(struct tracer_thread *t)
{
	const struct tracer_stack *k = t->stack;
	bool quick = k && t->stream && t->inside != TRACER_NEVER && !tracer_filter.on;
	uintptr_t limit = quick ? k->frames[k->n].sp - t->lo : 0;
	t->limit = limit <= t->size ? limit : 0;
}

/* With filters: enters the functions that have lasted long enough, and were not entered yet. */
static void
show_due(struct tracer_stack *k, uint64_t ns)
{
	const struct tracer_filter *filter = &tracer_filter;
	for (; k->due <= k->n && ns >= filter->from; k->due++) {
		struct tracer_frame *f = &k->frames[k->due];
		if (f->ns == TRACER_SHOWN || f->ns == TRACER_HIDDEN)
			continue;
		if (ns - f->ns < filter->least)
			return;
		put(f->name, PRISM_FUNC_ENTER, 0, f->ns > filter->from ? f->ns : filter->from);
		f->ns = TRACER_SHOWN;
	}
}

static void
leave_down_to(struct tracer_stack *k, size_t n, uint64_t ns)
{
	if (tracer_filter.on)
		show_due(k, ns);
	while (k->n > n) {
		if (tracer_filter.on && k->frames[k->n].ns != TRACER_SHOWN)
			k->n--;
		else
			put(k->frames[k->n].name, PRISM_FUNC_EXIT, -1, ns);
	}
	k->due = k->due <= k->n ? k->due : k->n + 1;
}

void
tracer_replay(uint64_t ns)
{
	const struct tracer_stack *k = tracer_self.stack;
	for (size_t i = 1; k && i <= k->n; i++)
		if (!tracer_filter.on || k->frames[i].ns == TRACER_SHOWN)
			put(k->frames[i].name, PRISM_FUNC_ENTER, 0, ns);
}

/* With filters: ends the trace of the thread behind the window of time. */
static bool
is_over(struct tracer_thread *t, uint64_t ns)
{
	if (ns <= tracer_filter.to)
		return false;
	leave_down_to(t->stack, 0, tracer_filter.to);
	t->inside = TRACER_NEVER;
	return true;
}

/* ---- The hooks. ---- */

/* Number of frames that a new one has below it. One with the same stack pointer is of a function that the new one is
 * a part of, unless another was called in its place, or the same once more. */
static size_t
count_live(const struct tracer_stack *k, const struct tracer_frame *f)
{
	size_t n = k->n;
	if (!tracer_on_stack(f->sp))
		return n;
	while (n && is_gone(&k->frames[n], f->sp))
		n--;
	for (size_t i = n; i && k->frames[i].sp == f->sp; i--)
		if (k->frames[i].site != f->site || k->frames[i].pc == f->pc)
			n = i - 1;
	return n;
}

static void
enter(const void *fn, struct tracer_frame f, uint64_t ns)
{
	struct tracer_thread *t = &tracer_self;
	struct tracer_stack *k = t->stack;
	const struct tracer_name *name = tracer_name_find(fn);
	f.name = name;
	if (!name || (__builtin_expect(!k || k->n == k->cap, 0) && !grow(t)))
		return;
	k = t->stack;
	if (tracer_filter.on && is_over(t, ns))
		return;
	leave_down_to(k, count_live(k, &f), ns);
	f.ns = name->out || k->n >= tracer_filter.depth ? TRACER_HIDDEN : ns;
	k->frames[k->n + 1] = f;
	if (!tracer_filter.on) {
		put(name, PRISM_FUNC_ENTER, 1, ns);
		return;
	}
	k->n++;
	show_due(k, ns);
}

/* The frame that the function leaves: behind those that are gone, or one of them, if the hook is called after
 * its function has given its stack back. k->n: none. */
static size_t
find_frame(const struct tracer_stack *k, const void *fn, uintptr_t sp)
{
	size_t found = k->n;
	size_t i = k->n;
	for (; i && tracer_on_stack(sp) && is_gone(&k->frames[i], sp); i--)
		if (k->frames[i].name->fn == fn)
			found = i - 1;
	for (; i && found == k->n; i--)
		if (k->frames[i].name->fn == fn)
			found = i - 1;
	return found;
}

static __attribute__((noinline)) void
enter_slowly(const void *fn, const void *site, uintptr_t sp, const void *pc)
{
	struct tracer_thread *t = &tracer_self;
	if (!tracer_on || !tracer_enter(sp))
		return;
	if (__builtin_expect(!atomic_load_explicit(&tracer_active, memory_order_relaxed), 0))
		atomic_store(&tracer_active, true);
	enter(fn, (struct tracer_frame){ .sp = sp, .pc = pc, .site = site }, tracer_now());
	settle(t);
	tracer_leave();
}

static __attribute__((noinline)) void
leave_slowly(const void *fn, uintptr_t sp)
{
	struct tracer_thread *t = &tracer_self;
	const struct tracer_stack *k = t->stack;
	if (!k || !tracer_enter(sp))
		return;
	size_t n = find_frame(k, fn, sp);
	uint64_t ns = n < k->n ? tracer_now() : 0;
	if (ns && !(tracer_filter.on && is_over(t, ns)))
		leave_down_to(t->stack, n, ns);
	settle(t);
	tracer_leave();
}

/* Whether a stream has room for an event of a function. */
static inline bool
has_room(const struct tracer_stream *s)
{
	return (uint32_t)s->pos + EVENT <= s->room && s->pos >> 32 < s->stamps_room;
}

/* Most calls come from the function on top, and that is what is left next: these two do no more than they must. */

void
__cyg_profile_func_enter(void *fn, void *site)
{
	struct tracer_thread *t = &tracer_self;
	uintptr_t sp = STACK_POINTER;
	uintptr_t limit = sp - t->lo;
	uint64_t ns;
	if (__builtin_expect(limit < t->limit && !t->inside, 1)) {
		t->inside = sp;
		atomic_signal_fence(memory_order_seq_cst);
		bool good = tracer_clock_quick(&ns);
		const struct tracer_slots *slots = atomic_load_explicit(&tracer_slots, memory_order_acquire);
		const struct tracer_name *name = atomic_load_explicit(&slots->slot[tracer_hash(fn, slots->cap)], memory_order_acquire);
		struct tracer_stream *s = t->stream;
		struct tracer_stack *k = t->stack;
		if (__builtin_expect(good && name && name->fn == fn && k->n < k->cap && has_room(s), 1)) {
			k->frames[k->n + 1] = (struct tracer_frame){ name, sp, __builtin_return_address(0), site, 0 };
			put_there(k, s, name, PRISM_FUNC_ENTER, k->n + 1, ns);
			t->limit = limit;
			atomic_signal_fence(memory_order_seq_cst);
			t->inside = 0;
			return;
		}
		t->inside = 0;
	}
	enter_slowly(fn, site, sp, __builtin_return_address(0));
}

void
__cyg_profile_func_exit(void *fn, void *site)
{
	struct tracer_thread *t = &tracer_self;
	uintptr_t sp = STACK_POINTER;
	uint64_t ns;
	(void)site;
	if (__builtin_expect(t->limit && !t->inside, 1)) {
		t->inside = sp;
		atomic_signal_fence(memory_order_seq_cst);
		bool good = tracer_clock_quick(&ns);
		struct tracer_stream *s = t->stream;
		struct tracer_stack *k = t->stack;
		const struct tracer_frame *top = &k->frames[k->n];
		uintptr_t limit = top[-1].sp - t->lo;
		if (__builtin_expect(good && top->name->fn == fn && limit <= t->size && sp - t->lo <= limit && has_room(s), 1)) {
			put_there(k, s, top->name, PRISM_FUNC_EXIT, k->n - 1, ns);
			t->limit = limit;
			atomic_signal_fence(memory_order_seq_cst);
			t->inside = 0;
			return;
		}
		t->inside = 0;
	}
	leave_slowly(fn, sp);
}
