/* SPDX-License-Identifier: MIT */
#include "timeline.h"

#include "jsonout.h"
#include "when.h"

#include <inttypes.h>
#include <string.h>

enum {
	TIME_WIDTH = 14,
	PAD_MAX = 200, /* blanks: longer texts leave their column */
};

size_t
tltext_width(const char *text)
{
	size_t n = 0;
	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

void
tltext_widen(size_t *width, const char *text)
{
	size_t n = tltext_width(text);
	*width = n > *width ? n : *width;
}

static void
blanks(struct wbuf *w, size_t n)
{
	wbuf_printf(w, "%*s", (int)(n < PAD_MAX ? n : PAD_MAX), "");
}

void
tltext_pad(struct wbuf *w, const char *text, size_t width, bool last)
{
	size_t n = tltext_width(text);
	put_text(w, text, strlen(text));
	if (!last && n < width)
		blanks(w, width - n);
}

void
tltext_time(struct wbuf *w, uint64_t ps, size_t width, char mark)
{
	char buf[WHEN_TEXT];
	const char *text = when_text(buf, ps);
	size_t n = strlen(text) + (mark != 0);
	if (n < width)
		blanks(w, width - n);
	if (mark)
		wbuf_put(w, &mark, 1);
	put_str(w, text);
}

void
tltext_json_row(struct wbuf *w, const struct tlfile *f, enum tl_class class, uint32_t row)
{
	const struct tlclass *c = &f->classes[class];
	json_str(w, "class", c->name);
	json_u64(w, "row", row + 1);
	json_str(w, "name", c->names[row]);
}

void
tltext_json_channel(struct wbuf *w, const struct tlchannel *ch)
{
	json_str(w, "channel", ch->name);
	json_u64(w, "type", ch->type);
}

void
tltext_json_state(struct wbuf *w, const struct tlfile *f, const struct tlchannel *ch, const struct tlstate *state)
{
	if (state->unknown)
		json_str(w, "value", NULL);
	else
		json_i64(w, "value", state->value);
	json_str(w, "label", tllabel_of(f, ch, state));
}

static void
json_span(const struct tlfile *f, const struct tlspan *s)
{
	struct wbuf *w = &f->tool->conv.out;
	json_open(w, NULL, '{');
	json_str(w, "kind", s->state.by_value ? "instant" : "interval");
	tltext_json_row(w, f, s->channel->class, s->row);
	tltext_json_channel(w, s->channel);
	json_u64(w, "begin_ps", s->begin_ps);
	json_u64(w, "end_ps", s->end_ps);
	json_u64(w, "duration_ps", s->end_ps - s->begin_ps);
	if (s->cut_begin)
		json_bool(w, "cut_begin", true);
	if (s->cut_end)
		json_bool(w, "cut_end", true);
	tltext_json_state(w, f, s->channel, &s->state);
	json_end(w);
}

void
tltext_span(const struct tlfile *f, const struct tlspan *s, size_t row_width, size_t channel_width)
{
	if (f->tool->json) {
		json_span(f, s);
		return;
	}
	struct wbuf *w = &f->tool->conv.out;
	tltext_time(w, s->begin_ps, TIME_WIDTH, s->cut_begin ? '<' : 0);
	if (s->state.by_value) {
		blanks(w, 2 * (TIME_WIDTH + 1));
	} else {
		put_str(w, " ");
		tltext_time(w, s->end_ps, TIME_WIDTH, s->cut_end ? '>' : 0);
		put_str(w, " ");
		tltext_time(w, s->end_ps - s->begin_ps, TIME_WIDTH, 0);
	}
	put_str(w, "  ");
	tltext_pad(w, f->classes[s->channel->class].names[s->row], row_width, false);
	put_str(w, "  ");
	tltext_pad(w, s->channel->name, channel_width, false);
	put_str(w, "  ");
	char buf[TLLABEL_NUMBER];
	const char *state = tllabel_text(f, s->channel, &s->state, buf);
	put_text(w, state, strlen(state));
	put_str(w, "\n");
}
