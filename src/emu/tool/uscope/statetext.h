/* SPDX-License-Identifier: MIT */
#ifndef STATETEXT_H
#define STATETEXT_H

/* statetext: a whole state, as text and as JSON lines. */

#include "show.h"

/* Storages that are chosen. all: slots of zeros of dense storages too. */
void show_state(const struct show *s, const uscope_state_t *state, bool all);
/* One line for each slot and each block of properties, of the given kind:
 * {"kind":KIND,"time_ps":T,"scope":...,"storage":...,"slot":3,"fields":{...}} */
void json_state(const struct show *s, const uscope_state_t *state, bool all, const char *kind, uint64_t time_ps);

/* Whether a slot is worth showing: valid, and not zeros of a dense storage. */
bool slot_has_content(const struct source *src, const uscope_state_t *state, uint16_t storage, uint16_t slot);

#endif
