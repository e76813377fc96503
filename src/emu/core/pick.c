/* SPDX-License-Identifier: MIT */
#include "pick.h"

#include "emu.h"

int
pick_make(struct emu *emu)
{
	struct plan *plan = emu->making;
	if (plan->window.zero == 0)
		return 0;
	struct pick *p = arena_new(&plan->arena, struct pick, 1);
	if (!p)
		return diag_no_memory(emu->diag);
	p->zero = plan->window.zero;
	plan->pick = p;
	return 0;
}

void
pick_apply(const struct pick *p, struct chunk *c)
{
	if (c->flush)
		c->next -= p->zero;
	for (size_t i = 0; i < c->batch.n; i++)
		c->records[i].time -= p->zero;
	for (size_t i = 0; i < c->batch.nnotes; i++)
		c->notes[i].time -= p->zero;
}
