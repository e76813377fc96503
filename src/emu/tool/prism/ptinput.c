/* SPDX-License-Identifier: MIT */
#include "ptinput.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	WINDOW = 256 * 1024,
};

/* ---- Files. ---- */

static int
open_bytes(struct ptinput *in)
{
	struct ptool *t = in->tool;
	uint64_t size = 0;
	in->fd = conv_open_input(&t->conv, in->source.events, &size);
	if (in->fd < 0)
		return in->fd;
	if (size > 0) {
		in->fd = -1;
		return reader_open(&in->file_in, &t->trace.readers, in->source.events, in->file);
	}
	in->window = malloc(WINDOW);
	in->p = in->end = in->window;
	return in->window ? 0 : conv_no_memory(&t->conv);
}

static int
open_source(struct ptinput *in, struct ptool *t)
{
	in->tool = t;
	in->source.settings.lenient = t->conv.lenient;
	in->file = conv_input_name(in->source.events);
	in->clock = in->source.clock == PRISM_CLOCK_TIMESTAMPS ? 0 : in->source.start;
	int rc = open_bytes(in);
	if (rc < 0)
		return rc;
	prismread_begin(&in->in, &in->source.settings, in->source.buffer_size);
	if (in->source.clock != PRISM_CLOCK_TIMESTAMPS)
		return 0;
	return reader_open(&in->stamps, &t->trace.readers, in->source.timestamps, in->source.timestamps);
}

/* Room for n more. */
static int
add(struct ptool *t, size_t n)
{
	struct ptinput *inputs = realloc(t->inputs, (t->ninputs + n) * sizeof(*inputs));
	if (!inputs)
		return conv_no_memory(&t->conv);
	memset(inputs + t->ninputs, 0, n * sizeof(*inputs));
	t->inputs = inputs;
	return 0;
}

/* Streams of a directory. */
static int
add_directory(struct ptool *t, const char *path)
{
	struct prism found = { .trace = &t->trace, .options = &t->no_options };
	t->trace.dir = path;
	int rc = prismfiles_find(&found);
	t->trace.dir = NULL;
	if (rc == 0 && found.nstreams == 0)
		rc = conv_error(&t->conv, "no-stream", "there is no stream in %s", path);
	if (rc == 0)
		rc = add(t, found.nstreams);
	for (uint32_t i = 0; i < found.nstreams && rc == 0; i++) {
		struct prism_source *s = &t->inputs[t->ninputs++].source;
		*s = found.streams[i].source;
		rc = ptool_apply(t, s);
	}
	return rc;
}

static int
add_input(struct ptool *t, const char *path)
{
	struct stat st;
	if (t->conv.command->max_args < 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return add_directory(t, path);
	int rc = add(t, 1);
	return rc < 0 ? rc : ptool_source(t, path, &t->inputs[t->ninputs++].source);
}

int
ptinput_open_all(struct ptool *t, int n, char **paths)
{
	int rc = 0;
	ptool_ready(t);
	for (int i = 0; i < n && rc == 0; i++)
		rc = add_input(t, paths[i]);
	if (n == 0)
		rc = add_input(t, "-");
	reader_pool_init(&t->trace.readers, &t->diag, t->ninputs * 2);
	for (size_t i = 0; i < t->ninputs && rc == 0; i++)
		rc = open_source(&t->inputs[i], t);
	return rc;
}

void
ptinput_close(struct ptinput *in)
{
	free(in->window);
	reader_close(&in->file_in);
	reader_close(&in->stamps);
}

uint64_t
ptinput_read(const struct ptinput *in)
{
	return in->window ? in->in.offset : in->file_in.file_pos;
}

/* ---- Times. ---- */

/* The next of the file of timestamps. Returns 1, 0 there is none, <0 (reported). */
static int
next_stamp(struct ptinput *in, uint64_t *stamp)
{
	struct reader *r = &in->stamps;
	int rc = r->end - r->p >= 8 ? 1 : reader_fill(r, 8);
	*stamp = 0;
	for (unsigned i = 0; rc > 0 && i < 8; i++)
		*stamp |= (uint64_t)r->p[i] << (8 * i);
	r->p += rc > 0 ? 8 : 0;
	return rc;
}

static int
take_stamp(struct ptinput *in)
{
	uint64_t stamp;
	int rc = next_stamp(in, &stamp);
	if (rc == 0) {
		in->ended = true;
		return ptool_issue(in->tool, in->file, in->in.at, PRISM_PT01);
	}
	if (rc < 0)
		return rc;
	if (stamp < in->clock) {
		rc = ptool_issue(in->tool, in->file, in->in.at, PRISM_PT02);
		stamp = in->clock;
	}
	in->clock = stamp;
	return rc < 0 ? rc : 1;
}

static uint64_t
after_ticks(const struct ptinput *in, uint64_t n)
{
	uint64_t ns;
	if (__builtin_mul_overflow(n, in->source.tick_ns, &ns) || __builtin_add_overflow(ns, in->source.start, &ns))
		return INT64_MAX;
	return ns < INT64_MAX ? ns : INT64_MAX;
}

/* Sets the time of the current event. Returns 1, 0 the stream ends before it, <0 (reported). */
static int
take_time(struct ptinput *in)
{
	const struct prism_event *ev = &in->ev;
	switch (in->source.clock) {
	case PRISM_CLOCK_TIMESTAMPS:
		return ev->kind == PRISM_END ? 1 : take_stamp(in);
	case PRISM_CLOCK_INSTR:
		in->ticks += ev->kind == PRISM_CXT && ev->cxt.type == PRISM_INSN;
		in->clock = after_ticks(in, in->ticks);
		return 1;
	default:
		/* A config event has the time of what comes next. */
		in->clock = after_ticks(in, in->ticks);
		in->ticks += ev->kind != PRISM_CFG && ev->kind != PRISM_END;
		return 1;
	}
}

/* ---- Events. ---- */

static int
fill_window(struct ptinput *in)
{
	size_t have = (size_t)(in->end - in->p);
	ssize_t n;
	(void)wbuf_flush(&in->tool->conv.out);
	memmove(in->window, in->p, have);
	in->p = in->window;
	do
		n = read(in->fd, in->window + have, WINDOW - have);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return conv_error(&in->tool->conv, "read", "cannot read %s: %s", in->file, strerror(errno));
	in->eof = n == 0;
	in->end = in->window + have + n;
	return 0;
}

/* Bytes behind those that are there. Returns 0, or <0 (reported). */
static int
fill(struct ptinput *in)
{
	if (in->window)
		return fill_window(in);
	struct reader *r = &in->file_in;
	r->p = in->p ? in->p : r->p;
	int rc = reader_fill(r, (uint64_t)(r->end - r->p) + 1);
	in->p = r->p;
	in->end = r->end;
	in->eof = rc == 0;
	return rc < 0 ? rc : 0;
}

static int
take_issues(struct ptinput *in, uint32_t issues)
{
	int rc = 0;
	for (; issues && rc == 0; issues &= issues - 1)
		rc = ptool_issue(in->tool, in->file, in->in.at, __builtin_ctz(issues));
	return rc;
}

/* The end of the stream. */
static int
finish(struct ptinput *in)
{
	uint64_t stamp;
	in->ended = true;
	if (in->source.clock != PRISM_CLOCK_TIMESTAMPS)
		return 0;
	int rc = next_stamp(in, &stamp);
	return rc > 0 ? ptool_issue(in->tool, in->file, in->in.at, PRISM_PT01) : rc;
}

int
ptinput_next(struct ptinput *in)
{
	while (!in->ended) {
		size_t used = 0;
		int rc = prismread_next(&in->in, in->p, (size_t)(in->end - in->p), in->eof, &used, &in->ev);
		in->p += used;
		if (rc < 0) {
			in->ended = true;
			return ptool_issue(in->tool, in->file, in->in.at, -rc);
		}
		int told = in->ev.issues ? take_issues(in, in->ev.issues) : 0;
		if (told < 0)
			return told;
		if (rc > 0) {
			in->size = (size_t)(in->in.offset - in->in.at);
			in->bytes = in->p - in->size;
			return take_time(in);
		}
		if (in->in.ended)
			return finish(in);
		rc = fill(in);
		if (rc < 0)
			return rc;
	}
	return 0;
}
