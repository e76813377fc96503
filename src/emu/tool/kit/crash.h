/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_CRASH_H
#define TOOL_KIT_CRASH_H

/* crash: a signal that ends the tool while a model of the user is at work is told with the name of that
 * model, and of the hook and the event. The tool dies of the signal all the same. */

#include "modelset.h"

struct emu;

/* From now on. The owners of the models are looked up in the set. All is borrowed until crash_forget(). */
void crash_watch(const char *program, const struct model_set *set);

/* The file that is being loaded and looked at; NULL: none is. */
void crash_loads(const char *file);

/* The emulator that the calling thread runs; NULL: it is closed. */
void crash_emulates(const struct emu *emu);

void crash_forget(void);

#endif
