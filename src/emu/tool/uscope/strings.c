/* SPDX-License-Identifier: MIT */
/* strings: the texts that values refer to. */
#include "show.h"

int
run_strings(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	struct source *src = &t->in[0];
	if (!utool_begin(t, NULL, 0, argc, argv))
		return t->status;
	uint32_t n = uscope_num_strings(src->reader);
	for (uint32_t i = 0; i < n && !utool_stop(t); i++) {
		uint32_t length = 0;
		const char *text = uscope_string(src->reader, i, &length);
		if (!text && uscope_reader_status(src->reader) < 0)
			return utool_failed(t, src);
		show_open(src, NULL, '{', "");
		show_u64(src, "index", "", i);
		show_key(src, "text", "  ");
		if (!text)
			put_str(&t->conv.out, t->json ? "null" : "-");
		else if (t->json)
			json_text(&t->conv.out, NULL, text, length);
		else
			put_quoted(&t->conv.out, text, length);
		show_end(src);
	}
	if (n == 0 && !uscope_is_complete(src->reader))
		utool_warn(t, "%s is not finished: strings are written at the end", src->path);
	return STATUS_GOOD;
}
