/* SPDX-License-Identifier: MIT */
/* stream: the stream format of libovni: one thread a stream, metadata beside it.
 * Bytes in wire.h, the whole in doc/format/trace.md. */
#include "codec.h"
#include "input/inputs.h"
#include "parts.h"
#include "window.h"

#include <string.h>
#include <unistd.h>

static int
probe(struct trace *t)
{
	struct found *f = arena_new(&t->arena, struct found, 1);
	if (!f)
		return diag_no_memory(t->diag);
	t->found = f;
	int rc = find_streams(t, f);
	if (rc == 0 && t->options.mend)
		rc = mend_find(t, f);
	if (rc == 0 && !t->options.events_only && !t->options.strict)
		rc = runs_look(t, f);
	bool bare = t->options.events_only && f->obs.n;
	return rc < 0 ? rc : bare || f->json.n + f->old.n > 0;
}

/* stream.obs, or a compressed one, beside a stream.json. */
static int
obs_beside(struct trace *t, const struct stream_file *json, struct stream_file *obs)
{
	size_t n = strlen(json->path) - strlen("stream.json");
	size_t rel = strlen(json->relpath) - strlen("stream.json");
	obs->relpath = arena_strndup(&t->arena, json->relpath, rel ? rel - 1 : 0);
	if (!obs->relpath)
		return diag_no_memory(t->diag);
	obs->beside = json->beside;
	for (int i = 0; i < CODEC_KINDS; i++) {
		obs->path = arena_printf(&t->arena, "%.*sstream.obs%s", (int)n, json->path, codec_ends[i]);
		if (!obs->path)
			return diag_no_memory(t->diag);
		if (obs->beside & BESIDE_OBS || access(obs->path, F_OK) == 0)
			return 0;
	}
	return diag_error(t->diag, ERR_READ, &(struct place){ .file = json->relpath },
		"there is no stream.obs (nor .zst, .lz4, .gz) beside the stream.json");
}

/* The header of a stream. One that is cut inside it has no events. */
static int
check_header(struct stream *s)
{
	struct diag *d = s->trace->diag;
	static const uint8_t good[WIRE_STREAM_HEADER] = { 'o', 'v', 'n', 'i', WIRE_STREAM_VERSION };
	struct reader *r = &s->in;
	int rc = reader_fill(r, WIRE_STREAM_HEADER);
	if (rc < 0)
		return rc;
	size_t have = (size_t)(r->end - r->p);
	size_t n = have < WIRE_STREAM_HEADER ? have : WIRE_STREAM_HEADER;
	struct place at = { .file = s->relpath, .has_offset = true };
	if (memcmp(r->p, WIRE_MAGIC, n < 4 ? n : 4) != 0)
		return diag_error(d, ERR_STREAM_HEADER, &at, "not a stream: it must begin with \"%s\"", WIRE_MAGIC);
	if (n == WIRE_STREAM_HEADER && __builtin_bswap32(wire_u32(r->p + 4)) == WIRE_STREAM_VERSION)
		return diag_error(d, ERR_STREAM_HEADER, &at, "the stream was written on a big-endian machine: only little-endian ones are read");
	if (n == WIRE_STREAM_HEADER && memcmp(r->p, good, n) != 0)
		return diag_error(d, ERR_STREAM_HEADER, &at, "stream version %u is not known, only %d",
			wire_u32(r->p + 4), WIRE_STREAM_VERSION);
	if (n < WIRE_STREAM_HEADER) {
		if (s->trace->options.strict || s->meta.finished == FINISHED_YES)
			return diag_error(d, ERR_STREAM_HEADER, &at, "the stream has %zu bytes, less than its header of %d",
				n, WIRE_STREAM_HEADER);
		r->p = r->end;
		r->eof = true;
		s->was_cut = true;
	}
	r->p += n == WIRE_STREAM_HEADER ? WIRE_STREAM_HEADER : 0;
	return 0;
}

static int
open_v3(struct trace *t, struct found *f)
{
	struct stream_file *obs = arena_new(&t->arena, struct stream_file, f->json.n);
	if (!obs)
		return diag_no_memory(t->diag);
	int rc = 0;
	for (size_t i = 0; i < f->json.n && rc == 0; i++)
		rc = obs_beside(t, &f->json.files[i], &obs[i]);
	if (rc == 0)
		rc = trace_open_streams(t, obs, f->json.n);
	t->metadata_version = 3;
	/* Not before: where a process has threads, Linux takes its time to make the table of open files larger. */
	struct early *early = rc == 0 && !t->options.mend ? early_begin(t, f->json.files, f->json.n) : NULL;
	for (size_t i = 0; i < t->nstreams && rc == 0; i++) {
		struct stream *s = &t->streams[i];
		char *json = arena_printf(&t->arena, "%s/%s%sstream.json", t->dir, s->relpath, *s->relpath ? "/" : "");
		if (!json)
			rc = diag_no_memory(t->diag);
		else
			rc = t->options.mend ? mend_load(s, json) : tmeta_load_v3(s, json, early_take(early, json));
		if (rc == 0 && (obs[i].beside & (BESIDE_LISTED | BESIDE_BUFFER)) != BESIDE_LISTED)
			rc = tail_apply(s);
		if (!*s->relpath)
			s->relpath = s->in.name = "."; /* the trace directory itself is the stream */
	}
	early_end(early);
	return rc == 0 && t->options.mend ? mend_processes(t) : rc;
}

static int
open_trace(struct trace *t)
{
	struct found *f = t->found;
	int rc;
	if (f->json.n && f->old.n)
		return diag_error(t->diag, ERR_METADATA_VERSION, &(struct place){ .file = f->old.files[0].relpath },
			"the trace mixes streams with a stream.json (version 3) and older ones");
	if (f->json.n) {
		rc = open_v3(t, f);
	} else {
		rc = trace_open_streams(t, f->old.files, f->old.n);
		if (rc == 0)
			rc = tmeta_load_old(t);
	}
	for (size_t i = 0; i < t->nstreams && rc == 0; i++)
		rc = check_header(&t->streams[i]);
	if (rc == 0 && t->options.unsorted && *t->options.unsorted)
		rc = sorted_install(t);
	if (rc == 0 && !t->options.raw_clocks)
		rc = clkoff_apply(t);
	return rc < 0 ? rc : windows_share(t);
}

static int
open_events(struct trace *t)
{
	int rc = bare_open(t, t->found);
	for (size_t i = 0; i < t->nstreams && rc == 0; i++) {
		struct stream *s = &t->streams[i];
		int bad = s->failed ? 0 : check_header(s);
		if (bad == -ERR_MEMORY)
			rc = bad;
		if (bad < 0)
			stream_fail(s);
	}
	return rc < 0 || t->options.raw_clocks ? rc : clkoff_apply(t);
}

/* The stream ends before the event does. */
static int
truncated(struct stream *s, uint64_t size)
{
	struct diag *d = s->trace->diag;
	struct reader *r = &s->in;
	size_t have = (size_t)(r->end - r->p);
	struct place at = stream_place(s, NULL);
	if (have >= 4)
		at.mcv = r->p + 1;
	char need[64] = "";
	if (size)
		(void)snprintf(need, sizeof(need), " of %llu bytes", (unsigned long long)size);
	uint64_t left = reader_left(r);
	if (left == UINT64_MAX)
		left = have;
	if (s->trace->options.strict || s->meta.finished == FINISHED_YES)
		return diag_error(d, ERR_STREAM_TRUNCATED, &at,
			"the stream ends with an incomplete event%s: only %llu bytes are left\n"
			"hint: was the disk full, or the copy of the trace cut short?",
			need, (unsigned long long)left);
	diag_warn(d, &at, "the stream ends with an incomplete event%s, which is left out", need);
	r->p = r->end;
	r->eof = true;
	s->was_cut = true;
	return 0;
}

static int
next(struct stream *s, struct event *ev)
{
	if (window_next(s, ev))
		return 1;
	uint64_t size;
	int rc = window_fill(s, &size);
	if (rc == WINDOW_CUT)
		return truncated(s, size);
	return rc <= 0 ? rc : window_take(s, ev, size);
}

const struct stream_format runtime_format = {
	.name = "runtime",
	.holds = "loom.*/proc.*/thread.* with stream.json and stream.obs (or thread.*.obs in old ones)",
	.probe = probe,
	.open = open_trace,
	.open_events = open_events,
	.next = next,
	.wire = true,
};
