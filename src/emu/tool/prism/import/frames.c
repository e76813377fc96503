/* SPDX-License-Identifier: MIT */
/* frames: the functions that each thread has entered. */
#include "import.h"

static const char too_deep[] = "more than 65536 functions are entered";

/* The bytes of a name that a stream keeps: no character is cut in two. */
static size_t
cut(const char *text, size_t n)
{
	if (n <= PRISM_NAME_MAX)
		return n;
	n = PRISM_NAME_MAX;
	while (n > PRISM_NAME_MAX - 4 && ((uint8_t)text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

const struct import_name *
import_name(struct import *im, const char *text, size_t n)
{
	static const char none[] = "?";
	text = n ? text : none;
	n = cut(text, n ? n : 1);
	if (im->names.n == IMPORT_NAMES)
		return prismtable_find(&im->names, text, (uint32_t)n);
	if (!im->table_path && importstream_open_table(im) < 0)
		return NULL;
	uint32_t had = im->names.n;
	struct import_name *name = prismtable_get(&im->names, text, (uint32_t)n);
	if (!name) {
		im->failed = true;
		(void)conv_no_memory(&im->tool->conv);
		return NULL;
	}
	if (im->names.n > had) {
		const uint8_t first = (uint8_t)(n - 1);
		name->number = im->table_size;
		im->table_size += 1 + (uint32_t)n;
		wbuf_put(&im->table, &first, 1);
		wbuf_put(&im->table, text, n);
	}
	return name;
}

static void
put(struct import *im, struct import_stream *s, unsigned type, const struct import_name *name)
{
	char *p = wbuf_reserve(s->bytes, 1 + IMPORT_NUMBER);
	p[0] = (char)(PRISM_CXT << 5 | type);
	memcpy(p + 1, &name->number, IMPORT_NUMBER);
	wbuf_commit(s->bytes, p + 1 + IMPORT_NUMBER);
	import_count(im, s);
}

/* Room for one more frame. NULL, or the problem. */
static const char *
grow(struct import *im, struct import_stream *s)
{
	if (s->nframes < s->room)
		return NULL;
	if (s->room == IMPORT_DEPTH)
		return too_deep;
	size_t room = s->room ? s->room * 2 : 64;
	struct import_frame *frames = block_resize(s->frames, room * sizeof(*frames));
	if (!frames) {
		im->failed = true;
		(void)conv_no_memory(&im->tool->conv);
		return import_no_room;
	}
	s->frames = frames;
	s->room = room;
	return NULL;
}

void
import_leave(struct import *im, struct import_stream *s, size_t keep)
{
	while (s->nframes > keep)
		put(im, s, PRISM_FUNC_EXIT, s->frames[--s->nframes].name);
}

const char *
import_enter(struct import *im, struct import_stream *s, const struct import_name *name, uint32_t depth)
{
	size_t keep = s->nframes;
	while (keep && s->frames[keep - 1].depth >= depth)
		keep--;
	import_leave(im, s, keep);
	const char *problem = grow(im, s);
	if (problem)
		return problem;
	s->frames[s->nframes++] = (struct import_frame){ name, depth };
	put(im, s, PRISM_FUNC_ENTER, name);
	return NULL;
}
