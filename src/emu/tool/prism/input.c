/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files. ---- */

enum {
	LOOK_MS = 200, /* between two looks at signals: one may come just before the wait */
};

/* Waits for a buffer, or a while. Returns 0, or -errno. */
static int
await_buffer(const struct ptinput *in)
{
	struct pollfd p = { .fd = in->reader.fd, .events = POLLIN };
	return poll(&p, 1, LOOK_MS) < 0 && errno != EINTR ? -errno : 0;
}

/* More bytes of a pipe or the like. */
static int
fill(struct prism_file *f)
{
	struct ptinput *in = (struct ptinput *)f;
	struct conv *c = &in->tool->conv;
	(void)wbuf_flush(&c->out);
	if (wbuf_failed(&c->out) || conv_interrupted())
		return -1; /* nobody would see what comes; the end of the run tells */
	int rc = in->source.ipc ? await_buffer(in) : 0;
	if (rc == 0)
		rc = prismfile_read(f);
	if (rc == -EPROTO)
		return -1;
	return rc < 0 ? conv_error(c, "read", "cannot read %s: %s", in->source.name, strerror(-rc)) : 0;
}

static int
open_source(struct ptinput *in, struct ptool *t)
{
	struct prism_source *s = &in->source;
	uint64_t size = 0;
	in->tool = t;
	s->settings.lenient = t->conv.lenient;
	if (s->ipc) {
		int rc = prismfile_buffers(&in->file, &in->reader, &t->readers, s);
		return rc < 0 ? rc : prismfile_open(&in->file, &in->reader, &t->readers, s, s->timestamps, fill);
	}
	s->name = conv_input_name(s->events);
	int rc = conv_open_input(&t->conv, s->events, &size);
	/* A file that we can open again; the standard input has no name, even if it is one. */
	s->live = size == 0 || strcmp(s->events, "-") == 0;
	if (rc >= 0 && s->live)
		rc = prismfile_live(&in->reader, &t->readers, rc, s->events, s->name);
	else if (rc >= 0)
		conv_release_input(&t->conv); /* the reader closes files when descriptors are scarce */
	if (rc >= 0 && s->json)
		rc = conv_note_input(&t->conv, s->json);
	if (rc >= 0 && s->names)
		rc = conv_note_input(&t->conv, s->names);
	if (rc >= 0 && s->timestamps)
		rc = conv_note_input(&t->conv, s->timestamps);
	return rc < 0 ? rc : prismfile_open(&in->file, &in->reader, &t->readers, s, s->timestamps, s->live ? fill : NULL);
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
	struct prism_sources found = t->sources;
	found.dir = path;
	int rc = ptool_status(prismfiles_find(&found, NULL, 0));
	if (rc == 0 && found.n == 0)
		rc = conv_error(&t->conv, "no-stream", "there is no stream in %s", path);
	if (rc == 0)
		rc = add(t, found.n);
	t->sources.heaps = found.heaps;
	for (uint32_t i = 0; i < found.n && rc == 0; i++)
		t->inputs[t->ninputs++].source = found.list[i];
	return rc;
}

static int
add_input(struct ptool *t, const char *path)
{
	struct stat st;
	if (t->conv.command->max_args < 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return add_directory(t, path);
	int rc = add(t, 1);
	if (rc != 0)
		return rc;
	struct prism_source *s = &t->inputs[t->ninputs++].source;
	rc = ptool_source(t, path, s);
	if (rc == 0 && prismfiles_ipc(path))
		rc = ptool_status(prismfiles_take_ipc(&t->sources, path, s, &t->inputs[0].source, t->ninputs - 1, sizeof(*t->inputs)));
	return rc;
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
	reader_pool_init(&t->readers, &t->diag, t->ninputs * 2);
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

void
ptinput_close(struct ptinput *in)
{
	if (in->source.live && !in->source.ipc)
		in->reader.fd = -1; /* that of conv.h */
	prismfile_close(&in->file);
}

uint64_t
ptinput_read(const struct ptinput *in)
{
	return in->source.live ? in->file.in.offset : in->reader.file_pos;
}

/* ---- Times. ---- */

/* Sets the time of the current event. Returns 1, 0 the stream ends before it, <0 (reported). */
static int
take_time(struct ptinput *in)
{
	int code = prismclock_take(&in->file.time, &in->file.rec.ev);
	int rc = code < 0 ? code : 1;
	if (code == PRISM_E_VALUE)
		rc = conv_error(&in->tool->conv, "prism", "%s, byte %" PRIu64 ": the time does not fit in 63 bits of nanoseconds", in->source.name, in->file.in.at);
	else if (code > 0)
		rc = ptool_issue(in->tool, in->source.name, in->file.in.at, code) < 0 ? -1 : code != PRISM_PT01;
	in->ended = rc <= 0;
	in->clock = in->file.time.now;
	return rc;
}

/* ---- Events. ---- */

static int
take_issues(struct ptinput *in, uint32_t issues)
{
	int rc = 0;
	for (; issues && rc == 0; issues &= issues - 1)
		rc = ptool_issue(in->tool, in->source.name, in->file.in.at, __builtin_ctz(issues));
	return rc;
}

/* The end of the stream. */
static int
finish(struct ptinput *in)
{
	in->ended = true;
	if (in->reader.torn && !in->tool->conv.lenient)
		return conv_error(&in->tool->conv, "read", "%s ends inside a frame of its compression", in->source.name);
	if (in->reader.torn)
		conv_warn(&in->tool->conv, "%s ends inside a frame of its compression", in->source.name);
	int rc = prismclock_left(&in->file.time);
	return rc > 0 ? ptool_issue(in->tool, in->source.name, in->file.in.at, PRISM_PT01) : rc;
}

int
ptinput_next(struct ptinput *in)
{
	struct prism_got got;
	if (in->ended)
		return 0;
	int rc = prismfile_next(&in->file, &got);
	if (rc < 0)
		return rc;
	if (got.code) {
		in->ended = true;
		return ptool_issue(in->tool, in->source.name, in->file.in.at, (int)got.code);
	}
	int told = got.issues ? take_issues(in, got.issues) : 0;
	if (told < 0 || rc == 0)
		return told < 0 ? told : finish(in);
	in->size = (size_t)(in->file.in.offset - in->file.in.at);
	in->bytes = in->reader.p - in->size;
	return take_time(in);
}

int
ptinput_has_insns(const struct ptinput *in, bool *has)
{
	struct ptinput look = { .tool = in->tool, .source = in->source };
	const struct prism_event *ev = &look.file.rec.ev;
	struct prism_got got;
	*has = false;
	if (in->source.live)
		return 0;
	look.source.clock = PRISM_CLOCK_EVENT; /* times are not looked at */
	int rc = prismfile_open(&look.file, &look.reader, &look.tool->readers, &look.source, NULL, NULL);
	while (rc == 0 && !*has && prismfile_next(&look.file, &got) > 0)
		*has = ev->kind == PRISM_CXT && ev->cxt.type == PRISM_INSN;
	ptinput_close(&look);
	return rc;
}
