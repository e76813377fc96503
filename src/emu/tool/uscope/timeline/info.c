/* SPDX-License-Identifier: MIT */
/* info: what a timeline is. */
#include "uscope/puttext.h"
#include "uscope/show.h"
#include "timeline.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

static const char *
property(const struct timeline *t, const char *key)
{
	const char *value = uscope_dut_property(t->file.src->reader, key);
	return value ? value : "";
}

static int
print_json(const struct timeline *t)
{
	const struct tlfile *f = &t->file;
	struct wbuf *w = &t->tool->out;
	put_str(w, "{\"kind\":\"timeline\",\"trace\":");
	put_json_str(w, property(t, "dut_name"));
	put_str(w, ",\"view\":");
	put_json_str(w, property(t, "ovni.view"));
	put_str(w, ",\"models\":");
	put_json_str(w, property(t, "ovni.models"));
	put_str(w, ",\"first_clock_ns\":");
	put_json_str(w, property(t, "ovni.first_clock_ns"));
	wbuf_printf(w, ",\"end_ps\":%" PRIu64 ",\"complete\":%s}\n", f->end_ps, uscope_is_complete(f->src->reader) ? "true" : "false");
	for (int k = 0; k < TL_CLASSES; k++)
		for (uint32_t i = 0; i < f->classes[k].nrows && !utool_stop(t->tool); i++) {
			put_str(w, "{\"kind\":\"row\",");
			tltext_json_row(w, f, (enum tl_class)k, i);
			put_str(w, "}\n");
		}
	for (uint32_t i = 0; i < f->nchannels && !utool_stop(t->tool); i++) {
		const struct tlchannel *ch = &f->channels[i];
		wbuf_printf(w, "{\"kind\":\"channel\",\"class\":\"%s\",", f->classes[ch->class].name);
		tltext_json_channel(w, ch);
		put_str(w, ",\"label\":");
		if (ch->label)
			put_json_str(w, ch->label);
		else
			put_str(w, "null");
		put_str(w, "}\n");
	}
	return STATUS_GOOD;
}

/* Names of the first rows. */
static void
print_rows(struct wbuf *w, const struct tlclass *c)
{
	enum {
		SHOWN = 4,
	};
	wbuf_printf(w, "%-12s %" PRIu32 " row%s", c->name, c->nrows, c->nrows == 1 ? "" : "s");
	for (uint32_t i = 0; i < c->nrows && i < SHOWN; i++) {
		put_str(w, i ? ", " : ": ");
		put_text(w, c->names[i], strlen(c->names[i]));
	}
	put_str(w, c->nrows > SHOWN ? "...\n" : "\n");
}

int
timeline_info(struct timeline *t)
{
	const struct tlfile *f = &t->file;
	struct wbuf *w = &t->tool->out;
	if (t->tool->json)
		return print_json(t);
	static const char *const lines[][2] = {
		{ "trace        ", "dut_name" },
		{ "models       ", "ovni.models" },
		{ "view         ", "ovni.view" },
		{ "first clock  ", "ovni.first_clock_ns" },
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *value = property(t, lines[i][1]);
		if (!*value)
			continue;
		put_str(w, lines[i][0]);
		put_text(w, value, strlen(value));
		put_str(w, i == 3 ? " ns\n" : "\n");
	}
	put_str(w, "end          ");
	show_time(w, f->end_ps);
	put_str(w, uscope_is_complete(f->src->reader) ? "\n" : "; the file is not finished: there are no labels yet\n");
	size_t width = 0;
	for (uint32_t i = 0; i < f->nchannels; i++) {
		size_t n = tltext_width(f->channels[i].name);
		width = n > width ? n : width;
	}
	for (int k = 0; k < TL_CLASSES && !utool_stop(t->tool); k++) {
		const struct tlclass *c = &f->classes[k];
		if (!c->exists)
			continue;
		put_str(w, "\n");
		print_rows(w, c);
		for (uint32_t i = 0; i < c->nchannels; i++) {
			const struct tlchannel *ch = c->channels[i];
			put_str(w, "  ");
			tltext_pad(w, ch->name, width, false);
			wbuf_printf(w, "  %5u", ch->type);
			put_str(w, ch->label ? "  " : "");
			if (ch->label)
				put_text(w, ch->label, strlen(ch->label));
			put_str(w, "\n");
		}
	}
	put_str(w, "\nThe state at a time: --at TIME. Intervals: --row, --channel, --from, --to. Sums: --profile.\n");
	return STATUS_GOOD;
}
