/* SPDX-License-Identifier: MIT */
/* info: what a timeline is. */
#include "jsonout.h"
#include "uscope/show.h"
#include "timeline.h"

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
	struct wbuf *w = &t->tool->conv.out;
	json_open(w, NULL, '{');
	json_str(w, "kind", "timeline");
	json_str(w, "trace", property(t, "dut_name"));
	json_str(w, "view", property(t, "ovni.view"));
	json_str(w, "models", property(t, "ovni.models"));
	json_str(w, "first_clock_ns", property(t, "ovni.first_clock_ns"));
	json_u64(w, "end_ps", f->end_ps);
	json_bool(w, "complete", uscope_is_complete(f->src->reader));
	json_end(w);
	for (int k = 0; k < TL_CLASSES; k++)
		for (uint32_t i = 0; i < f->classes[k].nrows && !utool_stop(t->tool); i++) {
			json_open(w, NULL, '{');
			json_str(w, "kind", "row");
			tltext_json_row(w, f, (enum tl_class)k, i);
			json_end(w);
		}
	for (uint32_t i = 0; i < f->nchannels && !utool_stop(t->tool); i++) {
		const struct tlchannel *ch = &f->channels[i];
		json_open(w, NULL, '{');
		json_str(w, "kind", "channel");
		json_str(w, "class", f->classes[ch->class].name);
		tltext_json_channel(w, ch);
		json_str(w, "label", ch->label);
		json_end(w);
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
	struct wbuf *w = &t->tool->conv.out;
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
	for (uint32_t i = 0; i < f->nchannels; i++)
		tltext_widen(&width, f->channels[i].name);
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
