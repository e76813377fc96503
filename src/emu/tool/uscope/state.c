/* SPDX-License-Identifier: MIT */
/* state: the state of the storages at a time. */
#include "show.h"

int
run_state(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	bool all = false;
	const struct cli_option own[] = {
		{ 't', "time", "TIME", "what has happened up to and at it (default: the end)", CLI_TEXT, &t->times[TIME_AT].text },
		{ 'a', "all", NULL, "also slots of zeros of dense storages", CLI_FLAG, &all },
	};
	struct source *src = &t->in[0];
	t->times[TIME_AT].option = "--time";
	if (!utool_begin(t, UTOOL_OPTIONS(own), argc, argv))
		return t->status;
	uscope_state_t *state = uscope_state_at(src->reader, t->at);
	if (!state)
		return utool_failed(t, src);

	uint64_t time = t->at == UINT64_MAX ? moment_end(src->reader) : t->at;
	if (!t->json) {
		put_str(&t->conv.out, "state at ");
		show_time(&t->conv.out, time);
		put_str(&t->conv.out, "\n");
	}
	show_state(src, state, all, "state", time);
	uscope_state_free(state);
	return STATUS_GOOD;
}
