/* SPDX-License-Identifier: MIT */
/* write: the repaired files of a trace, in place or in another directory. */
#include "fix.h"

#include "kit/outdir.h"
#include "kit/replace.h"
#include "tail.h"
#include "window.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Walks over the whole events of a stream, from its header on, and writes them to `out`, if it is one. */
static int
walk(const struct stream *s, struct replace *out, uint64_t *whole, uint64_t *torn)
{
	static const uint8_t header[WIRE_STREAM_HEADER] = { 'o', 'v', 'n', 'i', WIRE_STREAM_VERSION };
	struct stream copy = *s;
	struct reader *r = &copy.in;
	uint64_t size = WIRE_STREAM_HEADER;
	copy.in = (struct reader){ 0 };
	int rc = reader_open_again(r, &s->trace->readers, &s->in);
	if (rc == 0)
		rc = reader_fill(r, size);
	*whole = *torn = 0;
	if (rc == 0) {
		*torn = (uint64_t)(r->end - r->p);
		if (out)
			replace_put(out, header, sizeof(header));
	}
	while (rc == 1 && !(out && replace_failed(out))) {
		if (out)
			replace_put(out, r->p, (size_t)size);
		r->p += size;
		*whole = reader_offset(r);
		rc = window_fill(&copy, &size);
		uint64_t left = reader_left(r);
		if (rc == WINDOW_CUT)
			*torn = left == UINT64_MAX ? (uint64_t)(r->end - r->p) : left;
	}
	reader_close(r);
	return rc < 0 ? rc : 0;
}

int
fix_measure(const struct stream *s, uint64_t *whole, uint64_t *torn)
{
	return walk(s, NULL, whole, torn);
}

int
fix_first_clock(const struct stream *s, int64_t *clock)
{
	struct reader r = { 0 };
	int rc = reader_open_again(&r, &s->trace->readers, &s->in);
	if (rc == 0)
		rc = reader_fill(&r, WIRE_STREAM_HEADER + WIRE_EVENT_HEADER);
	*clock = rc > 0 ? wire_i64(r.p + WIRE_STREAM_HEADER + 4) : 0;
	reader_close(&r);
	return rc < 0 ? rc : 0;
}

/* Where a file of a stream is written: beside it, or below the other directory. NULL without memory (reported). */
static const char *
place(struct fix *f, const struct stream *s, const char *name)
{
	const char *slash = strrchr(s->in.path, '/');
	const char *path = f->outdir ? arena_printf(&f->arena, "%s/%s/%s", f->outdir, s->relpath, name)
				     : arena_printf(&f->arena, "%.*s%s", slash ? (int)(slash + 1 - s->in.path) : 0, s->in.path, name);
	if (!path)
		(void)diag_no_memory(f->diag);
	return path;
}

static int
write_stream(struct fix *f, const struct stream *s)
{
	const struct fix_stream *fs = &f->streams[s->rank];
	const char *slash = strrchr(s->in.path, '/');
	const char *to = place(f, s, slash ? slash + 1 : s->in.path);
	struct replace out;
	uint64_t whole, torn;
	int rc = to ? replace_open(&out, f->diag, to, f->outdir ? s->in.path : NULL, "repaired") : -ERR_MEMORY;
	if (rc < 0)
		return rc;
	rc = walk(s, &out, &whole, &torn);
	replace_put(&out, fs->ends, fs->nends);
	if (rc == 0)
		rc = replace_commit(&out);
	else
		replace_abandon(&out);
	if (rc == 0)
		diag_debug(f->diag, "wrote %s", to);
	return rc;
}

/* Writes a file as it is. */
static int
copy_file(struct fix *f, const char *from, const char *to)
{
	struct replace out;
	char buf[65536];
	int fd = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return diag_io(f->diag, ERR_READ, "open", from, errno);
	int rc = replace_open(&out, f->diag, to, from, "copied");
	ssize_t n = 0;
	while (rc == 0 && !replace_failed(&out) && (n = read(fd, buf, sizeof(buf))) > 0)
		replace_put(&out, buf, (size_t)n);
	if (rc == 0 && n < 0)
		rc = diag_io(f->diag, ERR_READ, "read", from, errno);
	if (rc == 0)
		rc = replace_commit(&out);
	else if (n < 0)
		replace_abandon(&out);
	(void)close(fd);
	return rc;
}

/* Metadata that is damaged is kept under another name. */
static int
write_meta(struct fix *f, const struct stream *s)
{
	struct stat st;
	const char *to = place(f, s, "stream.json");
	const char *kept = place(f, s, "stream.json.damaged");
	const char *slash = strrchr(s->in.path, '/');
	const char *from = arena_printf(&f->arena, "%.*sstream.json", slash ? (int)(slash + 1 - s->in.path) : 0, s->in.path);
	if (!to || !kept || !from)
		return -ERR_MEMORY;
	bool is_new = lstat(to, &st) != 0;
	int rc;
	if (!is_new && s->meta.made_up & MADE_UP_ALL && link(to, kept) != 0 && errno != EEXIST)
		return diag_io(f->diag, ERR_WRITE, "keep the damaged metadata as", kept, errno);
	if (f->streams[s->rank].meta)
		rc = fix_write_meta(f, s->rank, to, is_new);
	else
		rc = copy_file(f, from, to);
	if (rc == 0)
		diag_debug(f->diag, "wrote %s", to);
	return rc;
}

/* The events of the tail are in the stream now. */
static int
remove_tail(struct fix *f, const struct stream *s)
{
	const char *path = place(f, s, TAIL_NAME);
	const char *ring = place(f, s, RING_NAME);
	if (!path || !ring)
		return -ERR_MEMORY;
	if (unlink(path) != 0 && errno == ENOENT)
		path = ring;
	if (path == ring && unlink(path) != 0 && errno != ENOENT)
		return diag_io(f->diag, ERR_WRITE, "remove", path, errno);
	diag_debug(f->diag, "removed %s", path);
	return 0;
}

/* Whether somebody may write the file: the kernel gives no lease for reading then. Where it knows none, nobody does. */
static bool
is_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool busy = fd >= 0 && fcntl(fd, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;
	if (fd >= 0)
		(void)close(fd);
	return busy;
}

/* A program that still runs would write to files that are not there any more. */
static int
refuse_running(struct fix *f)
{
	const struct trace *t = &f->emu.plan->trace;
	for (size_t i = 0; i < t->nstreams; i++) {
		const struct stream *s = &t->streams[i];
		const struct fix_stream *fs = &f->streams[i];
		if (!fs->stream && !fs->meta && !s->has_tail)
			continue;
		const char *tail = place(f, s, TAIL_NAME);
		const char *ring = place(f, s, RING_NAME);
		if (!tail || !ring)
			return -ERR_MEMORY;
		if (is_open(s->in.path) || is_open(tail) || is_open(ring))
			return diag_error(f->diag, ERR_WRITE, &(struct place){ .file = s->relpath },
				"a program has the stream open to write it: nothing is changed\n"
				"hint: wait until it has ended, or end it");
	}
	return 0;
}

/* Tells that a stream has no begin, before its ring goes. It is not finished before it has its end. */
static int
write_ring(struct fix *f, const struct stream *s)
{
	bool stays_open = f->stays_open;
	f->stays_open = true;
	int rc = write_meta(f, s);
	f->stays_open = stays_open;
	return rc;
}

/* Prepares the other directory. */
static int
open_outdir(struct fix *f)
{
	const struct trace *t = &f->emu.plan->trace;
	const char *table = arena_printf(&f->arena, "%s/clock-offsets.txt", t->dir);
	const char *to = arena_printf(&f->arena, "%s/clock-offsets.txt", f->outdir);
	if (!table || !to)
		return diag_no_memory(f->diag);
	int rc = access(table, R_OK) == 0 ? copy_file(f, table, to) : 0;
	for (size_t i = 0; i < t->nstreams && rc == 0; i++) {
		const char *dir = place(f, &t->streams[i], "");
		rc = dir ? outdir_make(f->diag, dir) : -ERR_MEMORY;
	}
	return rc;
}

int
fix_write(struct fix *f)
{
	const struct trace *t = &f->emu.plan->trace;
	int rc = f->outdir ? open_outdir(f) : refuse_running(f);
	for (size_t i = 0; i < t->nstreams && rc == 0; i++) {
		const struct stream *s = &t->streams[i];
		if (!f->outdir && s->has_tail && s->meta.ring && !s->meta.made_up)
			rc = write_ring(f, s);
		if (rc == 0 && (f->outdir || f->streams[i].stream))
			rc = *f->stop ? -ERR_INTERRUPTED : write_stream(f, s);
		if (rc == 0 && !f->outdir && s->has_tail)
			rc = remove_tail(f, s);
	}
	for (size_t i = 0; i < t->nstreams && rc == 0; i++)
		if (f->outdir || f->streams[i].meta)
			rc = *f->stop ? -ERR_INTERRUPTED : write_meta(f, &t->streams[i]);
	return rc;
}
