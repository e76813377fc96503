/* SPDX-License-Identifier: MIT */
/* filter: which functions are shown. Totals and tools get all of them. */
#include "parts.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum {
	PATTERN_MAX = 1024,
};

/* What is known of a name. */
enum {
	NAME_NEW,
	NAME_OUT,
	NAME_IN,
};

void
prismfilter_begin(struct prismmodel *d)
{
	const struct prism_options *o = d->p->options;
	d->filters = o->depth || o->min_ns || o->nonly || o->nexcept;
}

static bool
matches(const char *const *lists, size_t n, const char *text)
{
	char pattern[PATTERN_MAX];
	for (size_t i = 0; i < n; i++) {
		for (const char *p = lists[i]; *p;) {
			size_t len = strcspn(p, ",");
			(void)snprintf(pattern, sizeof(pattern), "%.*s", (int)len, p);
			if (strcmp(pattern, text) == 0 || fnmatch(pattern, text, 0) == 0)
				return true;
			p += len + (p[len] == ',');
		}
	}
	return false;
}

/* Whether the lists take a name. Each is looked for once. */
static bool
is_listed(struct emu *emu, struct prismmodel *d, const struct prism_name *name)
{
	const struct prism_options *o = d->p->options;
	char text[PRISMISSUE_TEXT];
	uint32_t id = name ? name->id : 0;
	if (!o->nonly && !o->nexcept)
		return true;
	for (; d->nknown <= id; d->nknown++) {
		if (!emu_grow(emu, &d->known, d->nknown, &d->known_cap, sizeof(*d->known)))
			return false;
		d->known[d->nknown] = NAME_NEW;
	}
	if (d->known[id] == NAME_NEW) {
		const char *shown = name ? prismissue_text(text, name) : PRISM_UNNAMED;
		bool in = (!o->nonly || matches(o->only, o->nonly, shown)) && !matches(o->except, o->nexcept, shown);
		d->known[id] = in ? NAME_IN : NAME_OUT;
	}
	return d->known[id] == NAME_IN;
}

bool
prismfilter_hides(struct emu *emu, struct prismmodel *d, bool brief)
{
	uint32_t depth = d->p->options->depth;
	const struct prism_step *step = &d->step;
	return brief || !step->pushed || (depth && step->stack->n > depth) || !is_listed(emu, d, step->name);
}
