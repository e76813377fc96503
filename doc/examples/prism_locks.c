/* SPDX-License-Identifier: MIT */
/* prism_locks: which locks of a Prism trace threads had to wait for, how long at most, and
 * for whom.
 *
 *   ovniemu --prism-hooks ./prism_locks.so TRACEDIR
 *
 * The report goes to stdout when the run ends. The channel user.lock-wait shows each wait
 * in the timelines: its value is the longest time in ns that it can have lasted.
 *
 * A stream tells when a lock was taken, not when a thread began to wait for it. That was
 * after the event of the thread before. So when somebody else has held the lock since
 * then, the thread may have waited, and not longer than since then. */
#include <prism_hooks.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NONE = 0, /* threads and locks are numbered from 1 */
};

struct thread {
	uint32_t process, id;
	uint64_t before; /* clock of its event before */
	bool began;
};

struct lock {
	uint64_t object;
	uint32_t process;
	bool spin;
	size_t owner; /* thread, or NONE */
	size_t last;  /* owner before */
	uint32_t depth;
	uint64_t since;    /* when the owner took it */
	uint64_t released; /* when the one before gave it back */
	uint64_t taken, waits, handed, held, longest_held, waited, longest_wait;
};

struct pair {
	size_t waiter, holder;
	uint64_t waits, waited;
};

static struct prism_run *run;
static int lock_wait; /* channel */
static struct thread *threads;
static size_t nthreads, threads_cap;
static struct lock *locks;
static size_t nlocks, locks_cap; /* a power of two */
static size_t *slots;            /* a hash table: locks, from 1 */
static size_t nslots;            /* twice the room for locks */
static struct pair *pairs;
static size_t npairs, pairs_cap;

/* ---- Tables. ---- */

/* Gives a table room for `want` items; the new ones are zeroed. Returns whether it could. */
static bool
grow(void *table, size_t *cap, size_t want, size_t size)
{
	void *p;
	memcpy(&p, table, sizeof(p));
	p = realloc(p, want * size);
	if (!p) {
		(void)fprintf(stderr, "prism_locks: memory is exhausted\n");
		return false;
	}
	memset((char *)p + *cap * size, 0, (want - *cap) * size);
	memcpy(table, &p, sizeof(p));
	*cap = want;
	return true;
}

/* Room for one more. */
static bool
room(void *table, size_t *cap, size_t n, size_t size)
{
	return n < *cap || grow(table, cap, *cap ? *cap * 2 : 16, size);
}

/* The number of the thread of an event; NONE: memory is exhausted. What was found last is
 * looked at first: most events are of the thread of the one before. */
static size_t
find_thread(const struct prism_at *at)
{
	static size_t hint;
	if (hint && threads[hint - 1].id == at->thread && threads[hint - 1].process == at->process)
		return hint;
	for (size_t i = 0; i < nthreads; i++)
		if (threads[i].id == at->thread && threads[i].process == at->process)
			return hint = i + 1;
	if (!room(&threads, &threads_cap, nthreads, sizeof(*threads)))
		return NONE;
	threads[nthreads].id = at->thread;
	threads[nthreads].process = at->process;
	return hint = ++nthreads;
}

static size_t *
find_slot(uint32_t process, uint64_t object)
{
	uint64_t h = (object ^ (uint64_t)process << 48) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(h >> 32) & (nslots - 1);
	while (slots[i] && (locks[slots[i] - 1].object != object || locks[slots[i] - 1].process != process))
		i = (i + 1) & (nslots - 1);
	return &slots[i];
}

/* NULL: memory is exhausted. */
static struct lock *
find_lock(uint32_t process, uint64_t object, bool spin)
{
	if (!room(&locks, &locks_cap, nlocks, sizeof(*locks)))
		return NULL;
	if (nslots < locks_cap * 2) { /* there is room for more locks than before */
		free(slots);
		slots = NULL;
		nslots = 0;
		if (!grow(&slots, &nslots, locks_cap * 2, sizeof(*slots)))
			return NULL;
		for (size_t i = 0; i < nlocks; i++)
			*find_slot(locks[i].process, locks[i].object) = i + 1;
	}
	size_t *slot = find_slot(process, object);
	if (!*slot) {
		locks[nlocks++] = (struct lock){ .object = object, .process = process, .spin = spin };
		*slot = nlocks;
	}
	return &locks[*slot - 1];
}

static bool
count_pair(size_t waiter, size_t holder, uint64_t ns)
{
	size_t i = 0;
	while (i < npairs && (pairs[i].waiter != waiter || pairs[i].holder != holder))
		i++;
	if (i == npairs && !room(&pairs, &pairs_cap, npairs++, sizeof(*pairs)))
		return false;
	pairs[i].waiter = waiter;
	pairs[i].holder = holder;
	pairs[i].waits++;
	pairs[i].waited += ns;
	return true;
}

/* ---- Locks. ---- */

static void
release(struct lock *l, uint64_t now)
{
	uint64_t ns = now - l->since;
	l->held += ns;
	l->longest_held = ns > l->longest_held ? ns : l->longest_held;
	l->last = l->owner;
	l->released = now;
	l->owner = NONE;
	l->depth = 0;
}

/* A thread has the lock, whose event before was at `before`. */
static int
take(struct lock *l, size_t thread, uint64_t before, uint64_t now, bool waiting)
{
	if (l->owner == thread) { /* again */
		l->depth++;
		return 0;
	}
	/* The owner has not said when it let go: it waits for a condition. */
	bool told = l->owner == NONE;
	if (!told)
		release(l, now);
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
		return -1;
	return prism_user_punctual(run, lock_wait, (int64_t)ns);
}

static int
give_back(struct lock *l, size_t thread, uint64_t now)
{
	if (l->owner == thread && --l->depth == 0)
		release(l, now);
	return 0;
}

/* ---- Events. ---- */

/* Every event of a thread ends the time in which it may have waited. 0, or -1. */
static int
note(const struct prism_at *at)
{
	size_t t = find_thread(at);
	if (t == NONE)
		return -1;
	threads[t - 1].before = at->clock_ns;
	threads[t - 1].began = true;
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
	size_t t = find_thread(at);
	if (t == NONE)
		return -1;
	uint64_t before = threads[t - 1].began ? threads[t - 1].before : at->clock_ns;
	bool spin = ev->type == PRISM_SPIN_LOCK || ev->type == PRISM_SPIN_UNLOCK;
	struct lock *l = NULL;
	int rc = 0;
	switch (ev->type) {
	case PRISM_LOCK:
	case PRISM_SPIN_LOCK:
		l = find_lock(at->process, ev->arg[0], spin);
		rc = l ? take(l, t, before, at->clock_ns, true) : -1;
		break;
	case PRISM_COND_WAIT: /* for the condition, and not for the mutex that it has again */
		l = find_lock(at->process, ev->arg[1], false);
		rc = l ? 0 : -1;
		if (l && l->owner != t)
			rc = take(l, t, before, at->clock_ns, false);
		break;
	case PRISM_UNLOCK:
	case PRISM_SPIN_UNLOCK:
		l = find_lock(at->process, ev->arg[0], spin);
		rc = l ? give_back(l, t, at->clock_ns) : -1;
		break;
	default: break;
	}
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

static int
finish(void *u)
{
	(void)u;
	if (nlocks)
		qsort(locks, nlocks, sizeof(*locks), by_wait);
	if (npairs)
		qsort(pairs, npairs, sizeof(*pairs), by_waited);
	(void)printf("%-18s %-5s %10s %10s %10s %12s %12s %12s %12s\n", "lock", "kind", "taken", "handed on", "waits", "wait at most", "longest",
		"held ns", "longest");
	for (size_t i = 0; i < nlocks; i++) {
		const struct lock *l = &locks[i];
		if (l->taken)
			(void)printf("%-18" PRIx64 " %-5s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "%s\n",
				l->object, l->spin ? "spin" : "mutex", l->taken, l->handed, l->waits, l->waited, l->longest_wait, l->held, l->longest_held,
				l->owner == NONE ? "" : " (held in the end)");
	}
	(void)printf("\n%12s %12s  who waited for whom\n", "waits", "wait at most");
	for (size_t i = 0; i < npairs; i++)
		(void)printf("%12" PRIu64 " %12" PRIu64 "  thread %" PRIu32 " for thread %" PRIu32 "\n", pairs[i].waits, pairs[i].waited,
			threads[pairs[i].waiter - 1].id, threads[pairs[i].holder - 1].id);
	int rc = fflush(stdout) != 0 || ferror(stdout) ? -1 : 0;
	free(threads);
	free(locks);
	free(slots);
	free(pairs);
	return rc;
}

static int
begin(void *u, struct prism_run *r)
{
	(void)u;
	run = r;
	lock_wait = prism_user_channel(r, "lock-wait", PRISM_USER_PUNCTUAL, PRISM_USER_ALWAYS);
	return lock_wait < 0 ? -1 : 0;
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
