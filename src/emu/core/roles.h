/* SPDX-License-Identifier: MIT */
#ifndef ROLES_H
#define ROLES_H

/* roles: what the values of a thread's channels say about it, over all models, for observers that ask for it. */

#include "ovniscope/model.h"

struct roles;

/* Tells those who ask for roles that a channel of a thread has changed, if that changes the role of the thread. Somebody does. */
void roles_tell(struct emu *emu, uint32_t thread, uint32_t col);

/* Whether the values of a column have roles that somebody asks for: the model, or any if `model` is NO_INDEX. */
bool roles_watched(const struct emu *emu, uint32_t col, uint32_t model);

#endif
