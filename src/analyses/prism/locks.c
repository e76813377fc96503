/* SPDX-License-Identifier: MIT */
/* locks: which locks threads had to wait for, how long at most, and for whom. The channel user.lock-wait shows each wait in the
 * timelines: its value is the longest time in ns that it can have lasted.
 *
 * A stream tells when a lock was taken, not when a thread began to wait for it. That was after the event of the thread before. So
 * when somebody else has held the lock since then, the thread may have waited, and not longer than since then. */
#include "idmap.h"
#include "kit.h"

#include <stdlib.h>

enum {
	NONE = 0, /* threads and locks are numbered from 1 */
};

struct times {
	uint64_t before; /* clock of the last event of the thread */
	bool began;
};

struct lock {
	uint64_t object;
	uint32_t process;
	bool spin;
	uint32_t owner; /* thread, or NONE */
	uint32_t last;  /* owner before */
	uint32_t depth;
	uint64_t since;    /* when the owner took it */
	uint64_t released; /* when the one before gave it back */
	uint64_t taken, waits, handed, held, longest_held, waited, longest_wait;
};

struct pair {
	uint32_t waiter, holder;
	uint64_t waits, waited;
};

static struct kit kit;
static struct kit_threads threads;
static int lock_wait;       /* channel */
static struct times *times; /* by thread */
static size_t times_cap;
static struct arena arena;
static struct idmap *ids; /* by number of the process: object, to the number of the lock */
static size_t ids_cap;
static struct lock *locks;
static size_t nlocks, locks_cap;
static struct idmap pair_ids; /* by waiter and holder, to the number from 1 */
static struct pair *pairs;
static size_t npairs, pairs_cap;

/* ---- Tables. ---- */

/* The number of the thread of an event; NONE: memory is exhausted. */
static uint32_t
find_thread(const struct prism_at *at)
{
	uint32_t i = kit_thread(&threads, at);
	return i != UINT32_MAX && kit_room(&times, &times_cap, i + (size_t)1, sizeof(*times)) ? i + 1 : NONE;
}

/* NULL: memory is exhausted. */
static struct lock *
find_lock(uint32_t process, uint64_t object, bool spin)
{
	uint32_t i = kit_process(&threads.processes, process);
	if (i == UINT32_MAX || !kit_room(&ids, &ids_cap, i + (size_t)1, sizeof(*ids)) || !kit_room(&locks, &locks_cap, nlocks + 1, sizeof(*locks)))
		return NULL;
	struct idmap_slot *slot = idmap_slot(&ids[i], &arena, object);
	if (slot && !slot->number) {
		locks[nlocks++] = (struct lock){ .object = object, .process = process, .spin = spin };
		slot->number = nlocks;
	}
	return slot ? &locks[slot->number - 1] : NULL;
}

static bool
count_pair(uint32_t waiter, uint32_t holder, uint64_t ns)
{
	struct idmap_slot *slot = idmap_slot(&pair_ids, &arena, (uint64_t)waiter << 32 | holder);
	if (!slot || !kit_room(&pairs, &pairs_cap, npairs + 1, sizeof(*pairs)))
		return false;
	if (!slot->number) {
		pairs[npairs++] = (struct pair){ .waiter = waiter, .holder = holder };
		slot->number = npairs;
	}
	pairs[slot->number - 1].waits++;
	pairs[slot->number - 1].waited += ns;
	return true;
}

/* ---- Locks. ---- */

static void
release_lock(struct lock *l, uint64_t now)
{
	uint64_t ns = now - l->since;
	l->held += ns;
	l->longest_held = ns > l->longest_held ? ns : l->longest_held;
	l->last = l->owner;
	l->released = now;
	l->owner = NONE;
	l->depth = 0;
}

/* A thread has the lock, whose event before was at `before`. Returns 0, or <0 (reported). */
static int
take(struct lock *l, uint32_t thread, uint64_t before, uint64_t now, bool waiting)
{
	if (l->owner == thread) { /* again */
		l->depth++;
		return 0;
	}
	/* The owner has not said when it let go: it waits for a condition. */
	bool told = l->owner == NONE;
	if (!told)
		release_lock(l, now);
	bool waited = waiting && told && l->last != NONE && l->last != thread && l->released > before;
	uint64_t ns = now - before;
	l->handed += l->last != NONE && l->last != thread;
	l->taken++;
	l->owner = thread;
	l->depth = 1;
	l->since = now;
	if (!waited)
		return 0;
	l->waits++;
	l->waited += ns;
	l->longest_wait = ns > l->longest_wait ? ns : l->longest_wait;
	if (!count_pair(thread, l->last, ns))
		return kit_no_memory(&kit);
	return prism_user_punctual(kit.run, lock_wait, (int64_t)ns);
}

static void
give_back(struct lock *l, uint32_t thread, uint64_t now)
{
	if (l->owner == thread && --l->depth == 0)
		release_lock(l, now);
}

/* ---- Events. ---- */

/* Every event of a thread ends the time in which it may have waited. Returns 0, or <0 (reported). */
static int
note(const struct prism_at *at)
{
	uint32_t t = find_thread(at);
	if (t == NONE)
		return kit_no_memory(&kit);
	times[t - 1] = (struct times){ .before = at->clock_ns, .began = true };
	return 0;
}

static int
on_mem(void *u, const struct prism_at *at, const struct prism_mem *ev)
{
	(void)u;
	(void)ev;
	return note(at);
}

static int
on_comp(void *u, const struct prism_at *at, const struct prism_comp *ev)
{
	(void)u;
	(void)ev;
	return note(at);
}

static int
on_cxt(void *u, const struct prism_at *at, const struct prism_cxt *ev)
{
	(void)u;
	return ev->type == PRISM_THREAD ? 0 : note(at);
}

static int
on_sync(void *u, const struct prism_at *at, const struct prism_sync *ev)
{
	(void)u;
	if (ev->type == PRISM_SWAP)
		return 0; /* the thread may have been waiting, and may go on with that */
	uint32_t t = find_thread(at);
	if (t == NONE)
		return kit_no_memory(&kit);
	uint64_t before = times[t - 1].began ? times[t - 1].before : at->clock_ns;
	bool spin = ev->type == PRISM_SPIN_LOCK || ev->type == PRISM_SPIN_UNLOCK;
	bool waits = ev->type == PRISM_COND_WAIT;
	bool takes = waits || ev->type == PRISM_LOCK || ev->type == PRISM_SPIN_LOCK;
	if (!takes && ev->type != PRISM_UNLOCK && ev->type != PRISM_SPIN_UNLOCK)
		return note(at);
	struct lock *l = find_lock(at->process, ev->arg[waits], spin);
	if (!l)
		return kit_no_memory(&kit);
	int rc = 0;
	if (!takes)
		give_back(l, t, at->clock_ns);
	else if (!waits || l->owner != t) /* a wait is for the condition, and not for the mutex that the thread has again */
		rc = take(l, t, before, at->clock_ns, !waits);
	return rc < 0 ? rc : note(at);
}

/* ---- The report. ---- */

static int
by_wait(const void *a, const void *b)
{
	const struct lock *l = a;
	const struct lock *m = b;
	if (l->waited != m->waited)
		return l->waited < m->waited ? 1 : -1;
	if (l->taken != m->taken)
		return l->taken < m->taken ? 1 : -1;
	if (l->process != m->process)
		return l->process < m->process ? -1 : 1;
	return (l->object > m->object) - (l->object < m->object);
}

static int
by_waited(const void *a, const void *b)
{
	const struct pair *p = a;
	const struct pair *q = b;
	if (p->waited != q->waited)
		return p->waited < q->waited ? 1 : -1;
	if (p->waiter != q->waiter)
		return p->waiter < q->waiter ? -1 : 1;
	return (p->holder > q->holder) - (p->holder < q->holder);
}

static void
put_lock(const struct lock *l)
{
	const char *kind = l->spin ? "spin" : "mutex";
	struct wbuf *w = &kit.out;
	if (!kit.json) {
		wbuf_printf(w, "%-18" PRIx64 " %-5s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "%s\n",
			l->object, kind, l->taken, l->handed, l->waits, l->waited, l->longest_wait, l->held, l->longest_held,
			l->owner == NONE ? "" : " (held in the end)");
		return;
	}
	json_newline(w);
	json_open(w, NULL, '{');
	json_u64(w, "process", l->process);
	json_printf(w, "lock", "0x%" PRIx64, l->object);
	json_str(w, "kind", kind);
	json_u64(w, "taken", l->taken);
	json_u64(w, "handed_on", l->handed);
	json_u64(w, "waits", l->waits);
	json_u64(w, "wait_at_most", l->waited);
	json_u64(w, "longest_wait", l->longest_wait);
	json_u64(w, "held", l->held);
	json_u64(w, "longest_held", l->longest_held);
	json_bool(w, "held_in_the_end", l->owner != NONE);
	json_close(w, '}');
}

static void
put_pair(const struct pair *p)
{
	struct wbuf *w = &kit.out;
	if (!kit.json) {
		wbuf_printf(w, "%12" PRIu64 " %12" PRIu64 "  ", p->waits, p->waited);
		kit_put_thread(&kit, &threads, p->waiter - 1);
		put_str(w, " for ");
		kit_put_thread(&kit, &threads, p->holder - 1);
		put_str(w, "\n");
		return;
	}
	json_newline(w);
	json_open(w, NULL, '{');
	kit_json_thread(&kit, "waiter", &threads, p->waiter - 1);
	kit_json_thread(&kit, "holder", &threads, p->holder - 1);
	json_u64(w, "waits", p->waits);
	json_u64(w, "wait_at_most", p->waited);
	json_close(w, '}');
}

static int
finish(void *u)
{
	(void)u;
	struct wbuf *w = &kit.out;
	if (nlocks)
		qsort(locks, nlocks, sizeof(*locks), by_wait);
	if (npairs)
		qsort(pairs, npairs, sizeof(*pairs), by_waited);
	if (kit.json) {
		kit_open_json(&kit, "locks");
		json_open(w, "locks", '[');
	} else {
		wbuf_printf(w, "%-18s %-5s %10s %10s %10s %12s %12s %12s %12s\n", "lock", "kind", "taken", "handed on", "waits", "wait at most", "longest",
			"held ns", "longest");
	}
	for (size_t i = 0; i < nlocks; i++)
		if (locks[i].taken)
			put_lock(&locks[i]);
	if (kit.json) {
		json_close(w, ']');
		json_open(w, "waits", '[');
	} else {
		wbuf_printf(w, "\n%12s %12s  who waited for whom\n", "waits", "wait at most");
	}
	for (size_t i = 0; i < npairs; i++)
		put_pair(&pairs[i]);
	if (kit.json) {
		json_close(w, ']');
		kit_close_json(&kit);
	}
	return kit_finish(&kit);
}

KIT_RELEASE
release(void)
{
	kit_finish_threads(&threads);
	arena_finish(&arena);
	block_free(times);
	block_free(ids);
	block_free(locks);
	block_free(pairs);
	kit_release(&kit);
}

static int
begin(void *u, struct prism_run *r)
{
	(void)u;
	if (kit_begin(&kit, r) < 0)
		return -1;
	lock_wait = prism_user_channel(r, "lock-wait", PRISM_USER_PUNCTUAL, PRISM_USER_ALWAYS);
	return lock_wait < 0 ? -1 : kit_open(&kit);
}

const struct prism_hooks prism_tool = {
	PRISM_HOOKS_HEAD,
	.name = "locks",
	.needs = { .sync = PRISM_HAS_TYPE | PRISM_HAS_ARGS },
	.begin = begin,
	.mem = on_mem,
	.comp = on_comp,
	.sync = on_sync,
	.cxt = on_cxt,
	.finish = finish,
};
