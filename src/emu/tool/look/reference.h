/* SPDX-License-Identifier: MIT */
#ifndef TOOL_LOOK_REFERENCE_H
#define TOOL_LOOK_REFERENCE_H

/* reference: what models declare, for people: events, channels, values. */

#include "catalog.h"
#include "wbuf.h"

struct reference {
	struct wbuf *w;
	bool man; /* roff, for man(1); otherwise Markdown */
};

/* What the words of a reference mean. */
void reference_put_words(const struct reference *r);

/* A section: the views that every trace has, whatever the models. */
void reference_put_base(const struct reference *r);

/* A section of a model. Returns 0, or <0 for a broken declaration (reported). */
int reference_put_model(const struct reference *r, struct diag *d, const struct model *m);

#endif
