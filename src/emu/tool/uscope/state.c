/* SPDX-License-Identifier: MIT */
/* state: the state of the storages at a time. */
#include "show.h"

/* The header of a complete file says it; else the end of the last segment is close. */
static uint64_t
end_of(uscope_reader_t *r)
{
	uint64_t end = uscope_header(r)->total_time_ps;
	uint32_t n = uscope_num_segments(r);
	uscope_segment_t last;
	if (end == 0 && n && uscope_segment_info(r, n - 1, &last) == 0)
		end = last.time_end_ps ? last.time_end_ps - 1 : 0;
	return end;
}

int
run_state(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	uint64_t time = UINT64_MAX;
	bool all = false;
	const struct cli_option own[] = {
		{ 't', "time", "TIME", "what has happened up to and at it (default: the end)", CLI_PS, &time },
		{ 'a', "all", NULL, "also slots of zeros of dense storages", CLI_FLAG, &all },
	};
	struct source *src = &t->in[0];
	if (!utool_begin(t, UTOOL_OPTIONS(own), argc, argv))
		return t->status;
	uscope_state_t *state = uscope_state_at(src->reader, time);
	if (!state)
		return utool_failed(t, src);

	if (time == UINT64_MAX)
		time = end_of(src->reader);
	if (!t->json) {
		put_str(&t->conv.out, "state at ");
		show_time(&t->conv.out, time);
		put_str(&t->conv.out, "\n");
	}
	show_state(src, state, all, "state", time);
	uscope_state_free(state);
	return STATUS_GOOD;
}
