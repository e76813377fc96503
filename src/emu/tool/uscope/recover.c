/* SPDX-License-Identifier: MIT */
/* recover: a complete file from one that is unfinished or damaged. */
#include "jsonout.h"
#include "tool.h"

#include <getopt.h>
#include <inttypes.h>
#include <unistd.h>

static void
put_json(struct wbuf *w, const uscope_recovery_t *found)
{
	json_open(w, NULL, '{');
	json_u64(w, "segments", found->segments);
	json_u64(w, "holes", found->holes);
	json_u64(w, "discarded_bytes", found->discarded);
	json_end(w);
}

int
run_recover(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	if (!utool_ready(t, conv_next(&t->conv, NULL, 0, argc, argv), argc, argv, 2))
		return t->status;
	const char *in = argv[optind];
	const char *out = argv[optind + 1];
	int rc = conv_note_input(c, in);
	if (rc == 0)
		rc = conv_place_output(c, out);
	if (rc != 0)
		return rc;

	uscope_recovery_t found = { 0 };
	uscope_error_t e = { .segment = -1 };
	rc = uscope_recover(in, c->part.path, &found, &e);
	if (rc < 0) {
		/* A file that can be read is not what could not be opened or written. */
		struct source from = { .path = rc == USCOPE_E_IO && access(in, R_OK) == 0 ? out : in };
		e.status = e.status ? e.status : rc;
		return utool_fail(t, &from, &e);
	}
	if (t->json)
		put_json(&t->conv.out, &found);
	else
		wbuf_printf(&t->conv.out, "%" PRIu32 " segment%s kept, %" PRIu32 " hole%s, %" PRIu64 " bytes left out\n",
			found.segments, found.segments == 1 ? "" : "s", found.holes, found.holes == 1 ? "" : "s", found.discarded);
	if (found.segments == 0)
		utool_warn(t, "no segment of %s is whole: there is nothing in %s but the schema", in, out);
	return STATUS_GOOD;
}
