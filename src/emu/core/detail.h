/* SPDX-License-Identifier: MIT */
#ifndef DETAIL_H
#define DETAIL_H

/* detail: the notes for outputs that want them (sink.h): what stands under the value on top of a stack, when tasks are
 * created and first executed, and labels that come during the run. Without such an output nothing is noted. */

#include <stdbool.h>
#include <stdint.h>

struct emu;
struct label;

/* Notes what is under the value on top of a stack, which its row shows anew by the next record. */
void detail_stack(struct emu *emu, uint32_t thread, uint32_t col);

/* Notes what left a stack of the event's thread beside the value that was on top. It had that depth before. */
void detail_truncate(struct emu *emu, uint32_t col, uint32_t before);

/* Notes the labels that came before the window that is shown. */
void detail_begin(struct emu *emu);

/* Notes that a task of the model that is being called is created, or first executed. Due only if an output wants it. */
void detail_task(struct emu *emu, uint32_t task, bool executed);

/* Passes on a label, which lives as long as the emulator. */
void detail_label(struct emu *emu, uint32_t col, const struct label *label);

#endif
