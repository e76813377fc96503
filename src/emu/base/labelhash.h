/* SPDX-License-Identifier: MIT */
#ifndef LABELHASH_H
#define LABELHASH_H

#include <stddef.h>
#include <stdint.h>

/* labelhash: the value that stands for a label in all processes and traces: a hash in
 * 1000..2^31-1. Defined in doc/format/prv.md, "Task types". */
int64_t labelhash(const char *label, size_t n);

#endif
