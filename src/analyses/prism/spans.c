/* SPDX-License-Identifier: MIT */
#include "spans.h"

int64_t
spans_find_process(struct spans *s, struct kit *k, const struct prism_at *at)
{
	uint32_t process = kit_process(&s->processes, at->process);
	if (process == UINT32_MAX || !kit_room(&s->process, &s->cap, at->stream + (size_t)1, sizeof(*s->process)))
		return kit_no_memory(k);
	uint64_t most = UINT64_C(1) << (64 - SPANS_ADDRESS + s->shift);
	if (process >= most)
		return prism_fail(k->run, "there are more than %" PRIu64 " processes, for lines of this size", most);
	s->process[at->stream] = process + 1;
	return process;
}

void
spans_finish(struct spans *s)
{
	block_free(s->processes.ids);
	block_free(s->process);
	*s = (struct spans){ 0 };
}
