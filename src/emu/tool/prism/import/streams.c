/* SPDX-License-Identifier: MIT */
/* streams: the files of each thread. */
#include "import.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

enum {
	END = PRISM_END << 5,
	BEGIN_EVENTS = 2, /* levels of detail */
};

const char import_no_thread[] = "the id of a thread or process is 0, or above 2147483647";
const char import_too_many[] = "there are more than 4096 threads";
const char import_goes_back[] = "the time of the thread goes back";
const char import_no_room[] = "memory is exhausted";

/* The first events of a stream. */
static void
begin(struct import *im, struct import_stream *s)
{
	const uint8_t bytes[] = { PRISM_CFG << 5 | PRISM_MEM << 2, im->format->mem, PRISM_CFG << 5 | PRISM_COMP << 2, 0 };
	wbuf_put(s->bytes, bytes, sizeof(bytes));
}

/* One failure is told: the others have the same cause. Returns -1. */
static int
fail(struct import *im, const char *verb, const char *path, int error)
{
	if (!im->failed && error == ENOMEM)
		(void)conv_no_memory(&im->tool->conv);
	else if (!im->failed)
		(void)conv_error(&im->tool->conv, "write", "cannot %s %s: %s", verb, path, strerror(error));
	im->failed = true;
	return -1;
}

static int
open_file(struct import *im, struct wbuf *w, const char *path)
{
	int rc = wbuf_open(w, path);
	return rc < 0 ? fail(im, "open", path, -rc) : 0;
}

int
importstream_open_table(struct import *im)
{
	im->table_path = arena_printf(&im->tool->arena, "%s/stream.names", im->dir);
	if (!im->table_path)
		(void)conv_no_memory(&im->tool->conv);
	im->failed = !im->table_path || open_file(im, &im->table, im->table_path) < 0;
	return im->failed ? -1 : 0;
}

static int
open_stream(struct import *im, struct import_stream *s)
{
	struct arena *a = &im->tool->arena;
	s->timed = im->format->timed;
	s->bytes = &s->own;
	if (!im->dir) {
		s->bytes = &im->tool->conv.out;
		return conv_open_output(&im->tool->conv, "-");
	}
	s->path = arena_printf(a, "%s/stream-%05" PRIu32 ".prism", im->dir, im->nstreams);
	s->times_path = arena_printf(a, "%s/stream-%05" PRIu32 ".times", im->dir, im->nstreams);
	s->json_path = arena_printf(a, "%s/stream-%05" PRIu32 ".json", im->dir, im->nstreams);
	if (!s->path || !s->times_path || !s->json_path)
		return conv_no_memory(&im->tool->conv);
	int rc = open_file(im, &s->own, s->path);
	return rc == 0 && s->timed ? open_file(im, &s->times, s->times_path) : rc;
}

struct import_stream *
importstream_add(struct import *im, uint64_t key, int64_t process, uint64_t thread)
{
	if (im->nstreams == IMPORT_THREADS || im->failed)
		return NULL;
	struct import_stream *s = arena_new(&im->tool->arena, struct import_stream, 1);
	if (!s || idmap_add(&im->threads, &im->tool->arena, key, s) < 0) {
		im->failed = true;
		(void)conv_no_memory(&im->tool->conv);
		return NULL;
	}
	s->process = process;
	s->thread = thread;
	im->failed = open_stream(im, s) < 0;
	*im->last = s;
	im->last = &s->next;
	if (im->failed)
		return NULL;
	im->nstreams++;
	begin(im, s);
	return s;
}

void
importstream_begin(struct import_stream *s, uint64_t ns)
{
	const uint64_t stamps[BEGIN_EVENTS] = { ns, ns };
	wbuf_put(&s->times, stamps, sizeof(stamps));
	s->begun = true;
}

bool
importstream_good(const struct import *im)
{
	bool good = !im->failed && !wbuf_failed(&im->table);
	for (const struct import_stream *s = im->first; s && good; s = s->next)
		good = !wbuf_failed(s->bytes) && !wbuf_failed(&s->times);
	return good;
}

/* rc, or <0 (reported). */
static int
close_file(struct import *im, struct wbuf *w, const char *path, int rc)
{
	int written = wbuf_close(w);
	return written < 0 ? fail(im, "write", path, -written) : rc;
}

/* rc, or <0 (reported). */
static int
describe(struct import *im, const struct import_stream *s, int rc)
{
	struct prism_source source;
	struct wbuf w = { 0 };
	prismdesc_default(&source);
	source.process = (int)s->process;
	source.first_thread = (uint32_t)s->thread;
	source.clock = s->timed ? PRISM_CLOCK_TIMESTAMPS : PRISM_CLOCK_INSTR;
	if (open_file(im, &w, s->json_path) < 0)
		return -1;
	size_t dir = strlen(im->dir) + 1;
	source.name_size = IMPORT_NUMBER;
	ptool_put_description(&w, &source, s->path + dir, s->timed ? s->times_path + dir : NULL, im->table_path ? im->table_path + dir : NULL);
	if (close_file(im, &w, s->json_path, 0) == 0)
		return rc;
	(void)unlink(s->json_path);
	return -1;
}

/* rc, or <0 (reported). */
static int
close_stream(struct import *im, struct import_stream *s, int rc)
{
	bool whole = s->own.data && (!s->timed || s->times.data);
	bool begun = s->own.data;
	rc = close_file(im, &s->own, s->path, rc);
	rc = close_file(im, &s->times, s->times_path, rc);
	if (begun && !whole)
		(void)unlink(s->path);
	return whole ? describe(im, s, rc) : rc;
}

int
importstream_close(struct import *im, int rc)
{
	static const uint8_t end = END;
	for (struct import_stream *s = im->first; s; s = s->next) {
		if (s->timed && !s->begun && s->times.data)
			importstream_begin(s, 0);
		if (s->bytes->data)
			wbuf_put(s->bytes, &end, 1);
		if (im->dir)
			rc = close_stream(im, s, rc);
		block_free(s->frames);
		s->frames = NULL;
	}
	prismtable_finish(&im->names);
	return close_file(im, &im->table, im->table_path, rc);
}
