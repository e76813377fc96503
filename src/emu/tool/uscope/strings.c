/* SPDX-License-Identifier: MIT */
/* strings: the texts that values refer to. */
#include "puttext.h"
#include "tool.h"

#include <getopt.h>

static int
run(struct tool *t, int argc, char **argv)
{
	if (!utool_ready(t, utool_next(t, argc, argv), argc, argv, 1))
		return t->status;
	struct source *src = &t->in[0];
	if (!utool_open(t, src, argv[optind]))
		return t->status;
	uint32_t n = uscope_num_strings(src->reader);
	int status = STATUS_GOOD;
	for (uint32_t i = 0; i < n && !utool_stop(t); i++) {
		uint32_t length = 0;
		const char *text = uscope_string(src->reader, i, &length);
		if (!text && uscope_reader_status(src->reader) < 0)
			return utool_failed(t, src);
		put_str(&t->out, t->json ? "{\"index\":" : "");
		put_u64(&t->out, i);
		put_str(&t->out, t->json ? ",\"text\":" : "  ");
		if (!text)
			put_str(&t->out, t->json ? "null" : "-");
		else if (t->json)
			put_json(&t->out, text, length);
		else
			put_quoted(&t->out, text, length);
		put_str(&t->out, t->json ? "}\n" : "\n");
	}
	if (n == 0 && !uscope_is_complete(src->reader))
		utool_warn(t, "%s is not finished: strings are written at the end", src->path);
	return status;
}

const struct command command_strings = {
	.name = "strings",
	.synopsis = "[options] FILE",
	.brief = "the texts that values refer to",
	.about = "Print the strings of a trace with their indices.",
	.with = WITH_JSON | WITH_MODE | WITH_OUTPUT,
	.run = run,
};
