/* SPDX-License-Identifier: MIT */
#ifndef CPUS_H
#define CPUS_H

/* cpus: the CPUs of a loom, collected from its streams. Rules in doc/format/trace.md,
 * "Parts". */

#include "system.h"

/* Adds the CPUs of loom number `index`, of which `streams` are all the streams: the
 * physical ones by phyid, then the virtual one. A loom whose program died gets those
 * that its events name. Returns 0, or <0 (reported). */
int cpus_build(struct system *sys, struct arena *a, const struct trace *t, uint32_t index,
	const struct stream *const *streams, size_t n);

#endif
