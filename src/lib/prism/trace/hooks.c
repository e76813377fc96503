/* SPDX-License-Identifier: MIT */
/* hooks: functions that are entered and left, as -finstrument-functions calls for them.
 *
 * A stack of them is kept beside that of the thread, so that each exit leaves what was entered: longjmp() and
 * some exceptions leave functions without a call. They are gone when the stack pointer is above theirs. */
#include "parts.h"

#include <string.h>
#include <sys/mman.h>

enum {
	FRAMES = 128, /* at first */
};

EXPORT void __cyg_profile_func_enter(void *fn, void *site);
EXPORT void __cyg_profile_func_exit(void *fn, void *site);

/* Writes an event, and then changes the number of frames. Whoever leaves this in the middle (tracer_recover()) finds
 * from the position of the stream whether it is changed. */
static void
put(const struct tracer_name *name, enum prism_cxt_type type, int change, uint64_t ns)
{
	struct tracer_stack *k = tracer_self.stack;
	struct tracer_stream *s = tracer_get_room(name->size, ns);
	size_t next = k->n + (size_t)change;
	if (s) {
		uint8_t *to = s->events.base + (uint32_t)s->pos;
		for (uint32_t i = 0; i < name->size; i += TRACER_CHUNK)
			memcpy(to + i, name->bytes + i, TRACER_CHUNK);
		k->after = s->pos + name->size + (UINT64_C(1) << 32);
		atomic_signal_fence(memory_order_seq_cst);
		k->next = next;
		atomic_signal_fence(memory_order_seq_cst);
		tracer_commit(s, (uint8_t)(PRISM_CXT << 5 | type), name->size, ns);
		atomic_signal_fence(memory_order_seq_cst);
	}
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
	return sizeof(struct tracer_stack) + frames * sizeof(struct tracer_frame);
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

static void
leave_down_to(struct tracer_stack *k, size_t n, uint64_t ns)
{
	while (k->n > n)
		put(k->frames[k->n - 1].name, PRISM_FUNC_EXIT, -1, ns);
}

void
tracer_replay(uint64_t ns)
{
	const struct tracer_stack *k = tracer_self.stack;
	for (size_t i = 0; k && i < k->n; i++)
		put(k->frames[i].name, PRISM_FUNC_ENTER, 0, ns);
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
	while (n && is_gone(&k->frames[n - 1], f->sp))
		n--;
	for (size_t i = n; i && k->frames[i - 1].sp == f->sp; i--)
		if (k->frames[i - 1].site != f->site || k->frames[i - 1].pc == f->pc)
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
	leave_down_to(k, count_live(k, &f), ns);
	k->frames[k->n] = f;
	put(name, PRISM_FUNC_ENTER, 1, ns);
}

/* The frame that the function leaves: behind those that are gone, or one of them, if the hook is called after
 * its function has given its stack back. k->n: none. */
static size_t
find_frame(const struct tracer_stack *k, const void *fn, uintptr_t sp)
{
	size_t found = k->n;
	size_t i = k->n;
	for (; i && tracer_on_stack(sp) && is_gone(&k->frames[i - 1], sp); i--)
		if (k->frames[i - 1].name->fn == fn)
			found = i - 1;
	for (; i && found == k->n; i--)
		if (k->frames[i - 1].name->fn == fn)
			found = i - 1;
	return found;
}

void
__cyg_profile_func_enter(void *fn, void *site)
{
	uintptr_t sp = STACK_POINTER;
	if (!tracer_on || !tracer_enter(sp))
		return;
	if (__builtin_expect(!atomic_load_explicit(&tracer_active, memory_order_relaxed), 0))
		atomic_store(&tracer_active, true);
	enter(fn, (struct tracer_frame){ .sp = sp, .pc = __builtin_return_address(0), .site = site }, tracer_now());
	tracer_leave();
}

void
__cyg_profile_func_exit(void *fn, void *site)
{
	uintptr_t sp = STACK_POINTER;
	struct tracer_stack *k = tracer_self.stack;
	(void)site;
	if (!k || !tracer_enter(sp))
		return;
	size_t n = find_frame(k, fn, sp);
	if (n < k->n)
		leave_down_to(k, n, tracer_now());
	tracer_leave();
}
