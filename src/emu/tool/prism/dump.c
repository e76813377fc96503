/* SPDX-License-Identifier: MIT */
/* The subcommand dump: the events of a stream as text, or as JSON. */
#include "input.h"
#include "jsonout.h"
#include "line.h"

#include <inttypes.h>

enum {
	COLUMN = 48, /* where comments begin */
};

/* Settings that are not the defaults, as `encode` wants to know them. */
static void
put_settings(struct wbuf *w, const struct prism_source *s)
{
	struct prism_source usual;
	prismdesc_default(&usual);
	wbuf_printf(w, "stream compute_layout=%s", prism_layout_words[s->settings.layout]);
	if (s->settings.word_size == 4)
		wbuf_printf(w, " word_size=4");
	if (s->buffer_size)
		wbuf_printf(w, " buffer_size=%" PRIu64, s->buffer_size);
	if (s->settings.control_flow)
		wbuf_printf(w, " control_flow=true");
	const char *before = " initial_config=";
	for (unsigned i = 0; i < PRISM_CF; i++)
		if (s->settings.detail[i] != usual.settings.detail[i]) {
			wbuf_printf(w, "%s%s=%02x", before, prism_kind_words[i], s->settings.detail[i]);
			before = ",";
		}
	wbuf_put(w, "\n", 1);
}

static void
put_bytes(struct wbuf *w, const struct ptinput *in)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < in->size; i++) {
		const char text[] = { ' ', digits[in->bytes[i] >> 4], digits[in->bytes[i] & 15] };
		wbuf_put(w, text, sizeof(text));
	}
}

/* Where the event is, when, and its bytes. */
static void
put_comment(struct wbuf *w, const struct ptinput *in, uint64_t from)
{
	uint64_t at = w->written + w->used - from;
	wbuf_printf(w, "%*s # %" PRIu64 ", %" PRIu64 " ns:", at < COLUMN ? (int)(COLUMN - at) : 0, "", in->file.in.at, in->clock);
	put_bytes(w, in);
}

static void
put_line(struct ptool *t, const struct ptinput *in)
{
	struct wbuf *w = &t->conv.out;
	uint64_t from = w->written + w->used;
	ptline_put(w, &in->file.rec.ev);
	if (t->bytes)
		put_comment(w, in, from);
	wbuf_put(w, "\n", 1);
}

static void
put_json(struct ptool *t, const struct ptinput *in)
{
	struct wbuf *w = &t->conv.out;
	json_open(w, NULL, '{');
	json_u64(w, "offset", in->file.in.at);
	json_u64(w, "clock", in->clock);
	ptline_put_json(w, &in->file.rec.ev);
	if (t->bytes) {
		json_key(w, "bytes");
		put_str(w, "\"");
		put_bytes(w, in);
		put_str(w, "\"");
	}
	json_end(w);
}

static int
run_dump(struct conv *c, int argc, char **argv)
{
	struct ptool *t = ptool_of(c);
	const char *out;
	int rc = ptinput_open_pair(t, argc, argv, &out);
	if (rc != 0)
		return rc;
	if (!t->json)
		put_settings(&c->out, &t->inputs->source);
	while ((rc = ptinput_next(t->inputs)) > 0) {
		if (t->json)
			put_json(t, t->inputs);
		else
			put_line(t, t->inputs);
		if (conv_stop(c))
			break;
	}
	return rc < 0 ? rc : 0;
}

const struct conv_command pcommand_dump = {
	.name = "dump",
	.synopsis = "[options] [FILE [OUTFILE]]",
	.brief = "events as text or JSON",
	.about = "Print the events of a stream, a line each, as text that `encode` reads.",
	.with = CONV_WITH_OUTPUT | PTOOL_WITH_INPUT | PTOOL_WITH_CLOCK | PTOOL_WITH_JSON | PTOOL_WITH_BYTES,
	.max_args = 2,
	.run = run_dump,
};
