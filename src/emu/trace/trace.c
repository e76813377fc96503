/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include "window.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void
take_input(struct trace *t, const struct trace_input *in)
{
	t->format = t->base = in->format;
	t->format_options = in->options;
}

/* Says how to know a trace. The last input is the common one. */
static int
find_none(const struct trace *t)
{
	char text[1024];
	const struct trace_input *in = t->options.inputs;
	size_t n = 0;
	while (in[n].format)
		n++;
	size_t at = (size_t)snprintf(text, sizeof(text), "%s", in[n - 1].format->holds);
	for (size_t i = 0; i + 1 < n && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i == 0 ? "; " : i + 2 == n ? ", and "
													: ", ",
			in[i].format->holds);
	return diag_error(t->diag, ERR_NO_STREAM, NULL, "no stream in '%s'\nhint: a trace holds %s", t->dir, text);
}

static int
find_format(struct trace *t)
{
	for (const struct trace_input *in = t->options.inputs; in->format; in++) {
		int rc = in->format->probe(t);
		if (rc > 0)
			take_input(t, in);
		if (rc != 0)
			return rc < 0 ? rc : 0;
	}
	return find_none(t);
}

/* A file in the place of a directory: where an option reads such files, its name. */
static int
refuse_file(const struct trace *t)
{
	for (const struct trace_input *in = t->options.inputs; in->format; in++) {
		const struct format_options *o = in->format->options;
		const char *name = in->options && o->takes ? o->takes(t->dir) : NULL;
		if (name)
			return diag_error(t->diag, ERR_NO_TRACE, NULL, "'%s' is not a directory\nhint: a file as this one is read with --%s %s",
				t->dir, name, t->dir);
	}
	return diag_error(t->diag, ERR_NO_TRACE, NULL,
		"'%s' is not a directory\nhint: give the directory of the trace, not one of its files", t->dir);
}

static int
open_dir(struct trace *t, const char *dir)
{
	struct diag *d = t->diag;
	size_t n = strlen(dir);
	while (n > 1 && dir[n - 1] == '/')
		n--;
	t->dir = arena_strndup(&t->arena, dir, n);
	if (!t->dir)
		return diag_no_memory(d);
	struct stat st;
	if (stat(t->dir, &st) != 0)
		return diag_io(d, ERR_NO_TRACE, "open the trace directory", t->dir, errno);
	if (!S_ISDIR(st.st_mode))
		return refuse_file(t);
	return find_format(t);
}

int
trace_open(struct trace *t, struct diag *d, const char *dir, const struct trace_options *o)
{
	*t = (struct trace){ .diag = d, .options = *o };
	int rc = dir ? open_dir(t, dir) : 0;
	for (const struct trace_input *in = o->inputs; !dir && in->format; in++)
		if (trace_named_by(in))
			take_input(t, in);
	if (rc < 0)
		return rc;
	bool loose = o->events_only && t->format->open_events;
	return loose ? t->format->open_events(t) : t->format->open(t);
}

static int
by_relpath(const void *a, const void *b)
{
	const struct stream_file *x = a;
	const struct stream_file *y = b;
	return strcmp(x->relpath, y->relpath);
}

int
trace_open_streams(struct trace *t, struct stream_file *files, size_t n)
{
	if (n)
		qsort(files, n, sizeof(*files), by_relpath);
	reader_pool_init(&t->readers, t->diag, n);
	t->streams = arena_new(&t->arena, struct stream, n);
	if (!t->streams)
		return diag_no_memory(t->diag);
	int bad = reader_pool_add_block(&t->readers, &t->arena, n);
	if (bad < 0)
		return bad;
	for (size_t i = 0; i < n; i++) {
		struct stream *s = &t->streams[i];
		s->trace = t;
		s->rank = (uint32_t)i;
		s->relpath = files[i].relpath;
		s->meta.rank = -1;
		int rc = reader_open(&s->in, &t->readers, files[i].path, s->relpath);
		if (rc < 0 && (!t->options.events_only || rc == -ERR_MEMORY))
			return rc;
		t->nstreams = i + 1;
		if (rc < 0)
			stream_fail(s);
		t->bytes += s->in.file_size;
	}
	return 0;
}

int
trace_make_streams(struct trace *t, size_t n, const char *loom, size_t ncpus, const struct require_meta *model)
{
	struct cpu_meta *cpus = arena_new(&t->arena, struct cpu_meta, ncpus);
	struct require_meta *require = arena_new(&t->arena, struct require_meta, 1);
	t->streams = arena_new(&t->arena, struct stream, n);
	if (!t->streams || !cpus || !require)
		return diag_no_memory(t->diag);
	*require = *model;
	for (size_t i = 0; i < ncpus; i++)
		cpus[i] = (struct cpu_meta){ .index = (int)i, .phyid = (int)i };
	for (size_t i = 0; i < n; i++)
		t->streams[i] = (struct stream){
			.trace = t,
			.rank = (uint32_t)i,
			.in.fd = -1,
			.meta = { .part = model->model, .loom = loom, .rank = -1, .has_require = true, .require = require, .nrequire = 1 },
		};
	t->streams[0].meta.cpus = cpus;
	t->streams[0].meta.ncpus = ncpus;
	t->nstreams = n;
	t->metadata_version = 3;
	return 0;
}

size_t
trace_nstreams(const struct trace *t)
{
	size_t n = 0;
	for (size_t i = 0; i < t->nstreams; i++)
		n += !t->streams[i].silent;
	return n;
}

void
trace_forget_attrs(struct trace *t)
{
	for (size_t i = 0; i < t->nstreams; i++) {
		cJSON_Delete(t->streams[i].meta.attrs);
		t->streams[i].meta.attrs = NULL;
	}
}

void
trace_close(struct trace *t)
{
	trace_forget_attrs(t);
	if (t->format && t->format->close)
		t->format->close(t);
	for (size_t i = 0; i < t->nstreams; i++)
		reader_close(&t->streams[i].in);
	arena_finish(&t->arena);
	*t = (struct trace){ 0 };
}

int
stream_bad_clock(struct stream *s, const struct event *ev, bool overflow)
{
	struct diag *d = s->trace->diag;
	struct place at = stream_place(s, ev);
	if (overflow || ev->clock < 0) {
		at.has_clock = !overflow;
		return diag_error(d, ERR_CLOCK_NEGATIVE, &at,
			"the corrected clock is negative or out of range (clock offset %" PRId64 " ns)\n"
			"hint: check the clock offset table, or whether the stream is damaged",
			s->clock_offset);
	}
	bool *unsorted = s->trace->options.unsorted;
	if (unsorted && !*unsorted && s->trace->base->wire) {
		*unsorted = true;
		return TRACE_AGAIN;
	}
	return diag_error(d, ERR_CLOCK_BACKWARDS, &at,
		"the clock goes backwards by %" PRId64 " ns, from %" PRId64 "\n"
		"hint: if the program marked unordered regions (OU[ OU]), run ovnisort on the trace",
		s->last_clock - ev->clock, s->last_clock);
}

struct place
stream_place_at(const struct stream *s, const struct event *ev, uint64_t offset)
{
	struct place at = { .file = s->relpath, .has_offset = true, .offset = offset };
	if (ev) {
		at.has_clock = true;
		at.clock = ev->clock;
		at.mcv = ev->mcv;
	}
	if (s->trace->format->place)
		s->trace->format->place(s, &at);
	return at;
}

struct place
stream_place(const struct stream *s, const struct event *ev)
{
	/* Events of a window may have been taken before they are due. */
	if (ev && window_is(s->trace) && ev->payload > s->in.buf && ev->payload <= s->in.end)
		return stream_place_at(s, ev, s->in.base + (uint64_t)(ev->payload - WIRE_EVENT_HEADER - s->in.buf));
	return stream_place_at(s, ev, reader_offset(&s->in) - (ev ? ev->length : 0));
}

int
stream_has_lost(struct stream *s, uint64_t n, int64_t since)
{
	struct trace *t = s->trace;
	if (!t->losses && !(t->losses = arena_new(&t->arena, struct loss, t->nstreams)))
		return diag_no_memory(t->diag);
	struct loss *l = &t->losses[s->rank];
	if (n > l->n)
		*l = (struct loss){ n, since };
	return 0;
}

void
stream_warn_empty(const struct stream *s)
{
	if (!s->failed && !s->silent)
		diag_warn(s->trace->diag, &(struct place){ .file = s->relpath },
			s->was_cut ? "the stream is cut before its first event" : "the stream has no events");
}

void
stream_fail(struct stream *s)
{
	s->failed = true;
	s->in.p = s->in.end;
	s->in.eof = true;
}

uint64_t
stream_consumed(const struct stream *s)
{
	const struct reader *r = &s->in;
	return r->codec ? r->file_pos : reader_offset(r);
}
