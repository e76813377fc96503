/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <errno.h>
#include <inttypes.h>
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
	/* A file that we can open again; the standard input has no name, even if it is one. */
	if (size > 0 && strcmp(in->source.events, "-") != 0) {
		/* The reader closes files when descriptors are scarce. */
		conv_release_input(&t->conv);
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
	const struct prism_source *s = &in->source;
	int rc = open_bytes(in);
	if (rc == 0 && s->json)
		rc = conv_note_input(&t->conv, s->json);
	if (rc == 0 && s->timestamps)
		rc = conv_note_input(&t->conv, s->timestamps);
	if (rc < 0)
		return rc;
	prismread_begin(&in->in, &s->settings, s->buffer_size);
	return prismclock_open(&in->time, s->clock, s->start, s->tick_ns, &t->trace.readers, s->timestamps, s->timestamps);
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
	struct prism found = { .trace = &t->trace, .options = &t->options };
	t->trace.dir = path;
	int rc = ptool_status(prismfiles_find(&found));
	t->trace.dir = NULL;
	if (rc == 0 && found.nstreams == 0)
		rc = conv_error(&t->conv, "no-stream", "there is no stream in %s", path);
	if (rc == 0)
		rc = add(t, found.nstreams);
	for (uint32_t i = 0; i < found.nstreams && rc == 0; i++)
		t->inputs[t->ninputs++].source = found.streams[i].source;
	return rc;
}

static int
add_input(struct ptool *t, const char *path)
{
	struct stat st;
	if (t->conv.command->max_args < 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return add_directory(t, path);
	int rc = add(t, 1);
	return rc != 0 ? rc : ptool_source(t, path, &t->inputs[t->ninputs++].source);
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

int
ptinput_open_pair(struct ptool *t, int argc, char **argv, const char **out)
{
	const char *in;
	int rc = conv_in_and_out(&t->conv, argc, argv, &in, out);
	if (rc == 0)
		rc = ptinput_open_all(t, argc > 0, argv);
	if (rc == 0)
		rc = ptool_check_outputs(t, *out);
	return rc != 0 ? rc : conv_open_output(&t->conv, *out);
}

int
ptinput_again(struct ptinput *in, const struct ptinput *of)
{
	*in = (struct ptinput){ .tool = of->tool, .file = of->file, .source = of->source, .fd = -1 };
	if (of->window)
		return 1;
	prismread_begin(&in->in, &in->source.settings, in->source.buffer_size);
	return reader_open(&in->file_in, &in->tool->trace.readers, in->source.events, in->file);
}

void
ptinput_close(struct ptinput *in)
{
	free(in->window);
	reader_close(&in->file_in);
	prismclock_close(&in->time);
}

uint64_t
ptinput_read(const struct ptinput *in)
{
	return in->window ? in->in.offset : in->file_in.file_pos;
}

/* ---- Times. ---- */

/* Sets the time of the current event. Returns 1, 0 the stream ends before it, <0 (reported). */
static int
take_time(struct ptinput *in)
{
	int code = prismclock_take(&in->time, &in->ev);
	int rc = code < 0 ? code : 1;
	if (code == PRISM_E_VALUE)
		rc = conv_error(&in->tool->conv, "prism", "%s, byte %" PRIu64 ": the time does not fit in 63 bits of nanoseconds", in->file, in->in.at);
	else if (code > 0)
		rc = ptool_issue(in->tool, in->file, in->in.at, code) < 0 ? -1 : code != PRISM_PT01;
	in->ended = rc <= 0;
	in->clock = in->time.now;
	return rc;
}

/* ---- Events. ---- */

static int
fill_window(struct ptinput *in)
{
	size_t have = (size_t)(in->end - in->p);
	ssize_t n;
	(void)wbuf_flush(&in->tool->conv.out);
	if (wbuf_failed(&in->tool->conv.out))
		return -1; /* nobody would see what comes; the end of the run tells */
	memmove(in->window, in->p, have);
	in->p = in->window;
	do
		n = read(in->fd, in->window + have, WINDOW - have);
	while (n < 0 && errno == EINTR && !conv_interrupted());
	if (n < 0)
		return conv_interrupted() ? -1 : conv_error(&in->tool->conv, "read", "cannot read %s: %s", in->file, strerror(errno));
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

static void
take(struct ptinput *in, size_t used)
{
	/* Before the first bytes there are none to point to. */
	if (used)
		in->p += used;
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
	in->ended = true;
	if (in->file_in.torn && !in->tool->conv.lenient)
		return conv_error(&in->tool->conv, "read", "%s ends inside a frame of its compression", in->file);
	if (in->file_in.torn)
		conv_warn(&in->tool->conv, "%s ends inside a frame of its compression", in->file);
	int rc = prismclock_left(&in->time);
	return rc > 0 ? ptool_issue(in->tool, in->file, in->in.at, PRISM_PT01) : rc;
}

int
ptinput_next(struct ptinput *in)
{
	while (!in->ended) {
		size_t used = 0;
		int rc = prismread_next(&in->in, in->p, (size_t)(in->end - in->p), in->eof, &used, &in->ev);
		take(in, used);
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

bool
ptinput_peek(struct ptinput *in, struct prism_event *ev)
{
	for (;;) {
		size_t used = 0;
		int rc = prismread_next(&in->in, in->p, (size_t)(in->end - in->p), in->eof, &used, ev);
		take(in, used);
		if (rc != 0 || in->in.ended)
			return rc > 0;
		if (fill(in) < 0)
			return false;
	}
}
