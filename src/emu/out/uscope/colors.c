/* SPDX-License-Identifier: MIT */
/* colors: the table of colours in ovni.uscp: those that views for Paraver have. They depend on all labels, so they are
 * written at the end; and no checkpoint has them. */
#include "uscp.h"

static void
put_color(struct uscp *u, unsigned class, int prv_type, const struct color *c)
{
	if (u->ncolors == u->map.nlabels) {
		u->ncolors_lost++;
		return;
	}
	uint16_t slot = (uint16_t)u->ncolors++;
	uscope_slot_set(u->w, u->map.colors, slot, COLORS_CLASS, class);
	uscope_slot_set(u->w, u->map.colors, slot, COLORS_TYPE, (uint64_t)prv_type);
	uscope_slot_set(u->w, u->map.colors, slot, COLORS_VALUE, (uint64_t)c->value);
	uscope_slot_set(u->w, u->map.colors, slot, COLORS_RGB, c->rgb);
}

static bool
has(const struct palette *p, const struct color *c)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->all[i].value == c->value && p->all[i].rgb == c->rgb)
			return true;
	return false;
}

/* Adds the colours of a column; those that threads and CPUs have in common are one row. A gradient has no palette. */
static int
put_column(struct uscp *u, uint32_t col)
{
	const struct emu *emu = u->emu;
	struct palette p[ROW_CLASSES] = { 0 };
	int type[ROW_CLASSES] = { 0 };
	struct arena a = { 0 };
	int rc = 0;
	for (enum row_class i = 0; i < ROW_CLASSES && rc == 0; i++) {
		const struct uscp_class *c = &u->map.classes[i];
		const struct chan_decl *decl = out_decl(emu, i, col);
		type[i] = decl->prv_type;
		if (c->cols && c->cols[col].kind != USCP_NONE && !decl->view.gradient)
			rc = out_palette(&p[i], &a, emu, i, col);
	}
	bool share = type[ROW_THREAD] == type[ROW_CPU];
	for (enum row_class i = 0; i < ROW_CLASSES && rc == 0; i++) {
		for (const struct color *c = p[i].all; c < p[i].all + p[i].n; c++) {
			bool both = share && i != ROW_PROC && has(&p[i == ROW_THREAD ? ROW_CPU : ROW_THREAD], c);
			if (!both || i == ROW_THREAD)
				put_color(u, both ? LABEL_OF_BOTH : uscp_label_class(i), type[i], c);
		}
	}
	arena_finish(&a);
	return rc;
}

static int
put_breakdown(struct uscp *u, const struct model_run *mr)
{
	struct palette p = { 0 };
	struct arena a = { 0 };
	int rc = mr->model->breakdown->view.gradient ? 0 : out_breakdown_palette(&p, &a, u->emu, mr);
	for (size_t i = 0; rc == 0 && i < p.n; i++)
		put_color(u, LABEL_OF_BREAKDOWN, mr->model->breakdown->prv_type, &p.all[i]);
	arena_finish(&a);
	return rc;
}

int
uscp_put_colors(struct uscp *u)
{
	const struct plan *plan = u->emu->plan;
	int rc = 0;
	uscp_begin_cycle(u);
	for (uint32_t col = 0; col < plan->ncols && rc == 0; col++)
		rc = put_column(u, col);
	for (size_t i = 0; i < plan->nmodels && rc == 0; i++)
		if (plan->models[i].breaks_down)
			rc = put_breakdown(u, &plan->models[i]);
	return rc;
}
