/* SPDX-License-Identifier: MIT */
/* bytes: the bytes of streams, and the events in them.
 *
 * Plain files go through their reader. What is live (a FIFO, a pipe, a terminal) is read as
 * it comes, into the buffer of the reader. While one stream is waited for the others are
 * read too, as the program that writes them may wait until somebody does. */
#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	LIVE_WINDOW = 128 * 1024,
	LIVE_AHEAD = 64 * 1024 * 1024, /* bytes that are kept of a stream nobody waits for */
	LIVE_LOOK_MS = 200,            /* between two looks at signals */
	LIVE_IDLE_MS = 500,            /* between two times that the outputs are brought up to date */
};

static struct reader *
reader_of(const struct prism *p, uint32_t n)
{
	return &p->trace->streams[n + 1].in;
}

/* ---- Live. ---- */

static int
open_live(struct prism *p, uint32_t n)
{
	struct prism_source *s = &p->streams[n].source;
	struct reader *r = reader_of(p, n);
	*r = (struct reader){ .pool = &p->trace->readers, .path = s->events, .name = s->name, .fd = STDIN_FILENO, .keep_open = true };
	/* Otherwise it would wait here for the first who writes. */
	if (strcmp(s->events, "-") != 0)
		r->fd = open(s->events, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (r->fd < 0)
		return diag_io(p->trace->diag, ERR_READ, "open", s->events, errno);
	r->cap = LIVE_WINDOW;
	r->p = r->end = r->buf = block_alloc(r->cap);
	return r->buf ? 0 : diag_no_memory(p->trace->diag);
}

/* Room for more bytes. */
static int
make_room(struct reader *r)
{
	size_t have = (size_t)(r->end - r->p);
	if (r->end < r->buf + r->cap)
		return 0;
	if (have > r->cap / 2) {
		uint8_t *buf = block_resize(r->buf, r->cap * 2);
		if (!buf)
			return diag_no_memory(r->pool->diag);
		r->p = buf + (r->p - r->buf);
		r->buf = buf;
		r->cap *= 2;
	}
	r->base += (uint64_t)(r->p - r->buf);
	memmove(r->buf, r->p, have);
	r->p = r->buf;
	r->end = r->buf + have;
	return 0;
}

/* What is there; something is, or the end. */
static int
read_live(struct reader *r)
{
	int rc = make_room(r);
	if (rc < 0)
		return rc;
	ssize_t k = read(r->fd, r->buf + (r->end - r->buf), (size_t)(r->buf + r->cap - r->end));
	if (k < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : diag_io(r->pool->diag, ERR_READ, "read", r->path, errno);
	r->eof = k == 0;
	r->end += k;
	r->file_pos += (uint64_t)k;
	return 0;
}

/* While we wait. 0, <0 stop (reported). */
static int
be_idle(struct prism *p)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	int64_t now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
	if (now - p->idle_ms < LIVE_IDLE_MS || !p->trace->idle)
		return 0;
	p->idle_ms = now;
	return p->trace->idle(p->trace->live_arg);
}

/* Waits for bytes of stream n, or for its end. */
static int
fill_live(struct prism *p, uint32_t n)
{
	const volatile sig_atomic_t *stop = p->trace->options.stop;
	const struct reader *mine = reader_of(p, n);
	size_t had = (size_t)(mine->end - mine->p);
	while (!mine->eof && (size_t)(mine->end - mine->p) == had) {
		nfds_t nfds = 0;
		for (uint32_t i = 0; i < p->nstreams; i++) {
			const struct reader *r = reader_of(p, i);
			bool wanted = p->streams[i].source.live && !r->eof && p->streams[i].phase < PRISM_ENDING;
			if (i != n && (!wanted || r->end - r->p >= LIVE_AHEAD))
				continue;
			p->polls[nfds] = (struct pollfd){ .fd = r->fd, .events = POLLIN };
			p->polled[nfds++] = i;
		}
		if (stop && *stop)
			return -ERR_INTERRUPTED;
		int got = poll(p->polls, nfds, 0);
		if (got == 0) {
			int rc = be_idle(p);
			if (rc < 0)
				return rc;
			got = poll(p->polls, nfds, LIVE_LOOK_MS);
		}
		if (got < 0 && errno != EINTR)
			return diag_io(p->trace->diag, ERR_READ, "wait for", mine->path, errno);
		for (nfds_t k = 0; got > 0 && k < nfds; k++) {
			int rc = p->polls[k].revents ? read_live(reader_of(p, p->polled[k])) : 0;
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

/* ---- Both. ---- */

int
prismbytes_open(struct prism *p, uint32_t n)
{
	struct prism_stream *s = &p->streams[n];
	struct reader_pool *pool = &p->trace->readers;
	prismread_begin(&s->in, &s->source.settings, s->source.buffer_size);
	s->phase = PRISM_READING;
	s->rec.seq = s->rec.offset = 0;
	int rc = s->source.live ? open_live(p, n) : reader_open(reader_of(p, n), pool, s->source.events, s->source.name);
	const char *stamps = s->source.timestamps;
	if (rc == 0)
		rc = prismclock_open(&s->time, s->source.clock, s->source.start, s->source.tick_ns, pool, stamps,
			stamps ? prismfiles_name(p->trace, stamps) : NULL);
	s->rec.clock_ns = s->time.now;
	return rc;
}

void
prismbytes_close(struct prism *p, uint32_t n)
{
	struct reader *r = reader_of(p, n);
	if (r->fd == STDIN_FILENO && p->streams[n].source.live)
		r->fd = -1; /* not ours */
	reader_close(r);
	prismclock_close(&p->streams[n].time);
}

/* The name of a context stays where it is while other streams are waited for. */
static void
keep_name(struct prism_stream *s)
{
	struct prism_cxt *c = &s->rec.ev.cxt;
	if (s->rec.ev.kind != PRISM_CXT || !(c->has & PRISM_HAS_NAME))
		return;
	memcpy(s->name, c->name, c->name_len);
	c->name = s->name;
}

int
prismbytes_go_on(struct prism *p, uint32_t n, struct prism_got *got)
{
	struct prism_stream *s = &p->streams[n];
	struct reader *r = reader_of(p, n);
	for (;; prismbytes_try(s, r, got)) {
		if (got->rc < 0)
			got->code = (enum prism_code)(-got->rc);
		else
			got->issues |= s->rec.ev.issues;
		if (got->rc > 0 && s->source.live)
			keep_name(s);
		if (got->rc != 0 || s->in.ended)
			return got->rc > 0;
		int rc = s->source.live ? fill_live(p, n) : reader_fill(r, (uint64_t)(r->end - r->p) + 1);
		if (rc < 0)
			return rc;
	}
}
