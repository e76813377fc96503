/* SPDX-License-Identifier: MIT */
/* The machine by itself: threads and their ids, frames with and without names, locks, waits, totals. */
#include "kit.h"
#include "prism/prism_machine.h"

#include <string.h>

static struct prism_machine m;
static struct prism_step step;

static int
sync_event(uint32_t stream, uint8_t type, uint64_t arg)
{
	const struct prism_event ev = { .kind = PRISM_SYNC, .sync = { PRISM_HAS_TYPE | PRISM_HAS_ARGS, type, 1, { arg } } };
	return prism_machine_step(&m, stream, &ev, &step);
}

/* name: NULL: it is not shown. */
static int
context(uint32_t stream, uint8_t type, const char *name)
{
	struct prism_event ev = { .kind = PRISM_CXT, .cxt = { .has = PRISM_HAS_TYPE, .type = type } };
	if (name) {
		ev.cxt.has |= PRISM_HAS_NAME;
		ev.cxt.name = name;
		ev.cxt.name_len = (uint32_t)strlen(name);
	}
	return prism_machine_step(&m, stream, &ev, &step);
}

static void
test_threads(void)
{
	CHECK(prism_machine_begin(&m, 2, false) == 0);
	CHECK(context(0, PRISM_FUNC_ENTER, "early") == 0 && step.is_new && step.switched && !step.selects);
	const struct prism_thread *early = step.thread;
	CHECK(early->made_up && early->id == 1000000 && early->number == 0);
	CHECK(sync_event(0, PRISM_SWAP, 1000000) == 0 && step.paused == early && step.selects);
	struct prism_thread *real = step.thread;
	CHECK(real != early && real->id == 1000000 && !real->made_up && prism_machine_thread(&m, 1) == real);
	CHECK(sync_event(1, PRISM_SWAP, 1000000) == -PRISM_PM04 && step.from == &m.cores[0] && real->on == &m.cores[0]);
	CHECK(sync_event(1, PRISM_SWAP, 0) == -PRISM_PM05 && !m.cores[1].thread && prism_machine_nthreads(&m) == 2);
	prism_machine_end(real);
	CHECK(sync_event(1, PRISM_SWAP, 1000000) == 0 && real->on == &m.cores[1]);
	prism_machine_finish(&m);
	CHECK(prism_machine_begin(&m, 1, true) == 0);
	CHECK(prism_machine_start(&m, 0, 9, &step) == 0 && step.thread->id == 9 && m.cores[0].thread == step.thread);
	CHECK(sync_event(0, PRISM_SWAP, 0) == 0 && step.issues == 1U << PRISM_PM05 && step.thread->id == 2000000);
	prism_machine_finish(&m);
}

static void
test_frames(void)
{
	CHECK(prism_machine_begin(&m, 1, true) == 0);
	CHECK(context(0, PRISM_NET_EXIT, "x") == 0 && step.issues == 1U << PRISM_PM01 && !step.changed);
	CHECK(context(0, PRISM_FUNC_ENTER, NULL) == 0 && step.pushed && !step.name);
	CHECK(context(0, PRISM_FUNC_EXIT, "any") == 0 && step.popped == 1 && !step.issues);
	for (const char *c = "abc"; *c; c++)
		CHECK(context(0, PRISM_FUNC_ENTER, (char[]){ *c, 0 }) == 0 && step.pushed);
	CHECK(context(0, PRISM_FUNC_EXIT, "d") == 0 && step.issues == 1U << PRISM_PM02 && step.popped == 0 && step.top->text[0] == 'c');
	CHECK(context(0, PRISM_FUNC_EXIT, "b") == 0 && step.popped == 2 && step.stack->n == 1 && step.stack->frames[2].name->text[0] == 'c');
	for (int i = 1; i < PRISM_DEPTH_MAX; i++)
		CHECK(context(0, PRISM_FUNC_ENTER, "f") == 0 && !step.issues);
	CHECK(context(0, PRISM_FUNC_ENTER, "f") == 0 && step.issues == 1U << PRISM_PM06 && step.stack->deeper == 1 && !step.pushed);
	CHECK(context(0, PRISM_FUNC_EXIT, "z") == 0 && step.stack->deeper == 0 && step.changed && step.stack->n == PRISM_DEPTH_MAX);
	prism_machine_finish(&m);
}

static void
test_locks(void)
{
	CHECK(prism_machine_begin(&m, 1, false) == 0);
	CHECK(sync_event(0, PRISM_LOCK, 5) == 0 && step.lock->acquisitions == 1 && step.thread->held == 1);
	const struct prism_lock *mutex = step.lock;
	CHECK(sync_event(0, PRISM_SPIN_LOCK, 5) == 0 && step.lock != mutex);
	CHECK(sync_event(0, PRISM_LOCK, 5) == 0 && step.lock == mutex && mutex->acquisitions == 2);
	CHECK(sync_event(0, PRISM_UNLOCK, 5) == 0 && !step.released && step.held == 3);
	CHECK(sync_event(0, PRISM_UNLOCK, 5) == 0 && step.released && !mutex->owner);
	CHECK(sync_event(0, PRISM_UNLOCK, 5) == 0 && step.issues == 1U << PRISM_PM03 && step.thread->held == 1);
	CHECK(sync_event(0, PRISM_BARRIER, 7) == 0 && step.thread->waiting == PRISM_BARRIER && !step.woke);
	CHECK(sync_event(0, PRISM_SWAP, 3) == 0 && !step.woke && step.paused->waiting == PRISM_BARRIER);
	CHECK(m.cores[0].total.n[PRISM_TOTAL_SYNCS] == 7 && m.cores[0].total.active);
	prism_total_clear(&m.cores[0].total);
	CHECK(m.cores[0].total.n[PRISM_TOTAL_SYNCS] == 0 && !m.cores[0].total.active);
	prism_machine_finish(&m);
}

int
main(void)
{
	test_threads();
	test_frames();
	test_locks();
	return 0;
}
