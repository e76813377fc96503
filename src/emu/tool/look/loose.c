/* SPDX-License-Identifier: MIT */
#include "loose.h"

#include "input/inputs.h"

int
loose_open(struct trace *t, struct diag *d, const char *dir, const struct loose_options *o)
{
	bool corrected = o->corrected || o->clock_table;
	const struct trace_options options = {
		.events_only = true,
		.raw_clocks = !corrected,
		.clock_table = o->clock_table,
		.inputs = inputs,
	};
	int rc = trace_open(t, d, dir, &options);
	if (rc < 0)
		return rc;
	trace_forget_attrs(t);
	diag_info(d, "loaded %zu streams", trace_nstreams(t));
	for (size_t i = 0; corrected && i < t->nstreams; i++)
		if (!t->streams[i].meta.loom && !t->streams[i].failed)
			diag_warn(d, &(struct place){ .file = t->streams[i].relpath },
				"the loom is not known: the clock is not corrected");
	return 0;
}

void
loose_progress(const struct trace *t, struct progress *p)
{
	if (!progress_due(p))
		return;
	uint64_t done = 0;
	for (size_t i = 0; i < t->nstreams; i++)
		done += t->streams[i].failed ? t->streams[i].in.file_size : stream_consumed(&t->streams[i]);
	diag_progress(t->diag, "%5.1f %% done", t->bytes ? (double)done / (double)t->bytes * 100 : 100.0);
}
