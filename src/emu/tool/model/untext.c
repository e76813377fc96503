/* SPDX-License-Identifier: MIT */
/* The subcommand text: a trace as text. */
#include "untext.h"

#include "look/play.h"
#include "puttext.h"
#include "wire.h"

/* The bytes of a stream behind its last whole event. Returns 0, or <0 (reported). */
static int
put_rest(struct untext *u, struct wbuf *w, size_t i, uint64_t from)
{
	struct stream *s = &u->trace->streams[i];
	struct reader r;
	int rc = reader_open_again(&r, &u->trace->readers, &s->in);
	while (rc == 0 && from && reader_fill(&r, 1) > 0) {
		uint64_t have = (uint64_t)(r.end - r.p);
		r.p += have < from ? have : from;
		from -= have < from ? have : from;
	}
	bool any = false;
	while (rc == 0 && (rc = reader_fill(&r, 1)) > 0) {
		if (!any)
			wbuf_printf(w, "%s raw ", u->threads[i].who);
		any = true;
		text_put_hex(w, r.p, (size_t)(r.end - r.p));
		r.p = r.end;
		rc = 0;
	}
	if (any)
		put_str(w, "\n");
	reader_close(&r);
	return rc;
}

static int
put_events(struct untext *u, struct wbuf *w)
{
	struct trace *t = u->trace;
	const struct catalog *c = &u->text.tool->catalog;
	const struct event *ev;
	struct play play;
	uint64_t *ends = arena_new(&t->arena, uint64_t, t->nstreams);
	if (!ends)
		return diag_no_memory(t->diag);
	for (size_t i = 0; i < t->nstreams; i++)
		ends[i] = WIRE_STREAM_HEADER;
	int rc = play_init(&play, t, false);
	while (rc == 0 && play_next(&play, &ev) && !conv_stop(&u->text.tool->conv)) {
		wbuf_printf(w, "%s ", u->threads[ev->stream].who);
		text_put_event(w, c, ev->payload - WIRE_EVENT_HEADER, ev->length);
		put_str(w, "\n");
		ends[ev->stream] += ev->length;
	}
	for (size_t i = 0; i < t->nstreams && rc == 0; i++)
		if ((t->streams[i].was_cut || t->streams[i].failed) && !u->threads[i].header)
			rc = put_rest(u, w, i, ends[i]);
	return rc;
}

static int
put_trace(struct mtool *t, struct trace *trace, const char *dir)
{
	struct conv *c = &t->conv;
	struct untext u = { .text = { .tool = t, .file = dir }, .trace = trace };
	const struct play_options as_written = { 0 };
	int rc = play_open(trace, &c->diag, dir, &as_written);
	if (rc == 0 && !trace->format->wire)
		rc = conv_fail(c, "no-trace", "'%s' is a trace of %s, and only those of libovni have a text", dir, trace->format->name);
	if (rc == 0)
		rc = untext_describe(&u);
	if (rc == 0)
		rc = conv_open_output(c, c->out_path);
	if (rc == 0)
		rc = untext_put_head(&u, &c->out);
	if (rc == 0) {
		put_str(&c->out, "\n");
		rc = put_events(&u, &c->out);
	}
	untext_free(&u);
	return rc;
}

static int
run(struct conv *c, int argc, char **argv)
{
	struct mtool *t = mtool_of(c);
	struct trace trace = { 0 };
	if (argc != 1)
		return conv_usage(c, "a trace is needed");
	int rc = mtool_ready(t);
	if (rc == 0)
		rc = put_trace(t, &trace, argv[0]);
	trace_close(&trace);
	return rc == 0 && c->diag.errors ? 1 : rc;
}

const struct conv_command mcommand_text = {
	.name = "text",
	.synopsis = "[options] TRACEDIR",
	.brief = "print a trace as text",
	.about = "Print the trace in TRACEDIR as text, of which the command trace makes the same\nbytes.",
	.with = MTOOL_WITH_MODEL | CONV_WITH_OUTPUT,
	.max_args = 1,
	.run = run,
};
