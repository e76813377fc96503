/* SPDX-License-Identifier: MIT */
#include "guess.h"

#include <string.h>

/* The CPU that an event names in its first argument, or -1. */
static int
cpu_of(const struct event *ev)
{
	static const char *const mcvs[] = { "OHx", "OAs", "OAr" };
	int32_t index = -1;
	for (int i = 0; i < 3; i++)
		if (memcmp(ev->mcv, mcvs[i], 3) == 0 && ev->size >= sizeof(index))
			memcpy(&index, ev->payload, sizeof(index));
	return index < GUESS_MAX ? index : -1;
}

int
guess_cpus(const struct stream *s)
{
	struct diag mute = { .level = DIAG_MUTE };
	struct trace trace = *s->trace;
	trace.diag = &mute;
	trace.readers.diag = &mute;
	trace.readers.spare_fds = 1;
	struct stream copy = *s;
	copy.trace = &trace;
	copy.in = (struct reader){ 0 };

	struct event ev;
	int n = 0;
	int rc = reader_open(&copy.in, &trace.readers, s->in.path, s->in.name);
	/* The copy begins where the stream does: behind its header. */
	if (rc == 0 && (rc = reader_fill(&copy.in, reader_offset(&s->in))) > 0) {
		copy.in.p += reader_offset(&s->in);
		while ((rc = trace.format->next(&copy, &ev)) > 0)
			if (cpu_of(&ev) >= n)
				n = cpu_of(&ev) + 1;
	}
	reader_close(&copy.in);
	return rc == -ERR_MEMORY ? diag_no_memory(s->trace->diag) : n;
}
