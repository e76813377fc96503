/* SPDX-License-Identifier: MIT */
/* strings: the texts that values refer to. */
#include "jsonout.h"
#include "tool.h"

/* text: NULL when there is no string of that number. */
static void
print_json(struct wbuf *w, uint32_t index, const char *text, uint32_t length)
{
	json_open(w, NULL, '{');
	json_u64(w, "index", index);
	if (text)
		json_text(w, "text", text, length);
	else
		json_str(w, "text", NULL);
	json_end(w);
}

static void
print_text(struct wbuf *w, uint32_t index, const char *text, uint32_t length)
{
	put_u64(w, index);
	put_str(w, "  ");
	if (text)
		put_quoted(w, text, length);
	else
		put_str(w, "-");
	put_str(w, "\n");
}

static int
run(struct tool *t, int argc, char **argv)
{
	struct source *src = &t->in[0];
	if (!utool_begin(t, NULL, 0, argc, argv))
		return t->status;
	uint32_t n = uscope_num_strings(src->reader);
	int status = STATUS_GOOD;
	for (uint32_t i = 0; i < n && !utool_stop(t); i++) {
		uint32_t length = 0;
		const char *text = uscope_string(src->reader, i, &length);
		if (!text && uscope_reader_status(src->reader) < 0)
			return utool_failed(t, src);
		if (t->json)
			print_json(&t->out, i, text, length);
		else
			print_text(&t->out, i, text, length);
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
