/* SPDX-License-Identifier: MIT */
#include "roles.h"

#include "emu.h"

#include <inttypes.h>

enum {
	ROLE_VALUES = 256, /* states have low values; all others have the role of their channel */
};

/* Somebody who asked for the roles of threads. */
struct role_watch {
	uint32_t model; /* its number in the run */
	role_hook *hook;
	void *arg;
};

struct thread_roles {
	uint16_t n[ROLES]; /* channels whose values have each */
	uint16_t last;     /* of those that some have */
};

struct roles {
	uint8_t **by_value; /* of each column, up to ROLE_VALUES; NULL: its values have none */
	uint8_t *now;       /* of the value of each channel, by its id */
	struct thread_roles *threads;
	struct role_watch *watches;
	size_t nwatches;
	size_t watches_cap;
};

static inline uint8_t
role_of(const struct emu *emu, uint32_t col, int64_t value)
{
	if (value >= 0 && value < ROLE_VALUES)
		return emu->roles->by_value[col][value];
	return value == CHAN_NULL ? ROLE_NONE : (uint8_t)emu->plan->cols[col].decl->role;
}

/* Counts that the value of one channel has another role. */
static inline void
count(struct thread_roles *t, uint8_t before, uint8_t now)
{
	t->n[before]--;
	t->n[now]++;
	if (now > t->last)
		t->last = now;
	while (t->last > ROLE_NONE && !t->n[t->last])
		t->last--;
}

void
roles_tell(struct emu *emu, uint32_t thread, uint32_t col)
{
	struct roles *r = emu->roles;
	if (!r->by_value[col])
		return;
	size_t id = chan_id(&emu->chans, thread, col);
	uint8_t now = role_of(emu, col, emu->chans.value[id]);
	if (now == r->now[id])
		return;
	struct thread_roles *t = &r->threads[thread];
	enum role before = (enum role)t->last;
	count(t, r->now[id], now);
	r->now[id] = now;
	if (t->last == before)
		return;
	struct role_change change = { thread, before, (enum role)t->last, NULL };
	emu_choose(emu, thread);
	for (size_t i = 0; i < r->nwatches && emu->failed == 0; i++) {
		emu->cur = &emu->models[r->watches[i].model];
		change.arg = r->watches[i].arg;
		r->watches[i].hook(emu, &change);
	}
}

bool
roles_watched(const struct emu *emu, uint32_t col, uint32_t model)
{
	bool asked = false;
	for (size_t i = 0; emu->roles && i < emu->roles->nwatches; i++)
		asked = asked || model == NO_INDEX || emu->roles->watches[i].model == model;
	return asked && emu->roles->by_value[col];
}

/* Makes the table of a column, if its values have roles. Returns 0, or -1 when memory is exhausted. */
static int
make_table(struct emu *emu, struct roles *r, uint32_t col)
{
	const struct chan_decl *decl = emu->plan->cols[col].decl;
	const struct model *m = emu->plan->cols[col].model;
	bool any = decl->role != ROLE_NONE;
	for (size_t i = 0; i < m->nstates; i++)
		any = any || (&m->chans[m->states[i].chan] == decl && m->states[i].role);
	if (!any)
		return 0;
	uint8_t *roles = arena_new(&emu->arena, uint8_t, ROLE_VALUES);
	if (!roles)
		return -1;
	memset(roles + 1, (int)decl->role, ROLE_VALUES - 1); /* 0 is nothing */
	for (size_t i = 0; i < m->nstates; i++) {
		const struct state_decl *s = &m->states[i];
		if (&m->chans[s->chan] == decl && s->role && s->value > 0 && s->value < ROLE_VALUES)
			roles[s->value] = (uint8_t)s->role;
	}
	r->by_value[col] = roles;
	return 0;
}

/* Makes the tables of all columns, and counts the roles as they are before the first event. */
static int
make_roles(struct emu *emu)
{
	uint32_t ncols = emu->chans.ncols;
	uint32_t nthreads = emu->plan->sys.nthreads;
	struct roles *r = emu->roles = arena_new(&emu->arena, struct roles, 1);
	if (!r)
		return emu_no_memory(emu);
	r->by_value = arena_new(&emu->arena, uint8_t *, ncols);
	r->now = arena_new(&emu->arena, uint8_t, (size_t)nthreads * ncols);
	r->threads = arena_new(&emu->arena, struct thread_roles, nthreads);
	if (!r->by_value || !r->now || !r->threads)
		return emu_no_memory(emu);
	for (uint32_t col = NBASE; col < ncols; col++) {
		if (make_table(emu, r, col) < 0)
			return emu_no_memory(emu);
		for (uint32_t th = 0; r->by_value[col] && th < nthreads; th++) {
			size_t id = chan_id(&emu->chans, th, col);
			r->now[id] = role_of(emu, col, emu->chans.value[id]);
			r->threads[th].n[ROLE_NONE]++;
			count(&r->threads[th], ROLE_NONE, r->now[id]);
		}
	}
	return 0;
}

int
emu_watch_roles(struct emu *emu, role_hook *hook, void *arg)
{
	if (!ops_may_watch(emu) || (!emu->roles && make_roles(emu) < 0))
		return emu->failed;
	struct roles *r = emu->roles;
	if (!arena_grow(&emu->arena, &r->watches, r->nwatches, &r->watches_cap, sizeof(*r->watches)))
		return emu_no_memory(emu);
	r->watches[r->nwatches++] = (struct role_watch){ (uint32_t)(emu->cur - emu->models), hook, arg };
	return 0;
}

enum role
emu_thread_role(struct emu *emu, uint32_t thread)
{
	if (thread >= emu->plan->sys.nthreads) {
		(void)emu_error(emu, "model", "the model %s looks at the thread %" PRIu32 ", but there are %" PRIu32 ", from 0 on", emu->cur->model->name, thread, emu->plan->sys.nthreads);
		return ROLE_NONE;
	}
	return emu->roles ? (enum role)emu->roles->threads[thread].last : ROLE_NONE;
}
