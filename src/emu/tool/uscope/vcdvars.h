/* SPDX-License-Identifier: MIT */
#ifndef VCDVARS_H
#define VCDVARS_H

/* vcdvars: the variables of a value change dump: their numbers, and the header that
 * declares them. */

#include "show.h"

struct vcd {
	struct show show;
	struct wbuf *w;
	uint64_t *storage_base; /* number of the first variable of each */
	uint64_t *event_base;
	uint64_t time_ps;
	bool labels;
	bool timed; /* a time was printed */
};

bool vcd_is_sparse(const uscope_storage_t *st);
/* Numbers of variables. */
uint64_t vcd_field(const struct vcd *v, uint32_t id, uint32_t slot, uint32_t field);
uint64_t vcd_valid(const struct vcd *v, uint32_t id, uint32_t slot);
uint64_t vcd_property(const struct vcd *v, uint32_t id, uint32_t property);
void vcd_put_id(struct vcd *v, uint64_t number);
/* Whether it is a string variable; the bits of one that is not. */
bool vcd_is_text(const struct vcd *v, const uscope_field_t *f);
unsigned vcd_bits(const uscope_field_t *f);

/* Gives numbers to all variables. Returns how many there are. */
uint64_t vcd_number(struct vcd *v);
/* All up to $enddefinitions. false: out of memory. */
bool vcd_put_header(struct vcd *v);

#endif
