/* SPDX-License-Identifier: MIT */
/* live: reads FIFOs, pipes, terminals and live buffers. While one stream is awaited the others are read
 * too: their writer may be blocked until they are. */
#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	LIVE_AHEAD = 64 * 1024 * 1024, /* bytes that are kept of a stream nobody waits for */
	LIVE_LOOK_MS = 200,            /* between two looks at signals */
	LIVE_IDLE_MS = 500,            /* between two times that the outputs are brought up to date */
};

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

/* Waits for bytes of a stream, or for its end. */
static int
fill(struct prism_file *f)
{
	struct prism_stream *s = (struct prism_stream *)((char *)f - offsetof(struct prism_stream, file));
	struct prism *p = s->prism;
	uint32_t n = (uint32_t)(s - p->streams);
	const volatile sig_atomic_t *stop = p->trace->options.stop;
	const struct reader *mine = f->bytes;
	size_t had = (size_t)(mine->end - mine->p);
	while (!mine->eof && (size_t)(mine->end - mine->p) == had) {
		nfds_t nfds = 0;
		for (uint32_t i = 0; i < p->nstreams; i++) {
			const struct reader *r = p->streams[i].file.bytes;
			bool wanted = p->streams[i].source->live && !r->eof && p->streams[i].phase < PRISM_ENDING;
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
			struct prism_file *more = &p->streams[p->polled[k]].file;
			int rc = p->polls[k].revents ? prismfile_read(more) : 0;
			if (rc == -EPROTO)
				return -ERR_PRISM;
			if (rc < 0)
				return rc == -ENOMEM ? diag_no_memory(p->trace->diag) : diag_io(p->trace->diag, ERR_READ, "read", more->bytes->path, -rc);
		}
	}
	return 0;
}

static int
open_bytes(struct prism *p, const struct prism_source *s, struct prism_file *f, struct reader *r)
{
	int fd = STDIN_FILENO;
	if (s->ipc)
		return prismfile_buffers(f, r, &p->trace->readers, s);
	/* Without O_NONBLOCK open() would wait for a writer. */
	if (strcmp(s->events, "-") != 0)
		fd = open(s->events, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return diag_io(p->trace->diag, ERR_READ, "open", s->events, errno);
	if (fd == STDIN_FILENO && isatty(fd))
		diag_info(p->trace->diag, STDIN_ON_TERMINAL);
	return prismfile_live(r, &p->trace->readers, fd, s->events, s->name);
}

int
prismlive_open(struct prism *p, uint32_t n)
{
	struct prism_stream *s = &p->streams[n];
	struct reader *r = &p->trace->streams[n + 1].in;
	const char *stamps = s->source->timestamps;
	s->prism = p;
	s->phase = PRISM_READING;
	int rc = s->source->live ? open_bytes(p, s->source, &s->file, r) : 0;
	return rc < 0 ? rc : prismfile_open(&s->file, r, &p->trace->readers, s->source, stamps ? prismfiles_name(p->trace->dir, stamps) : NULL, s->source->live ? fill : NULL);
}

void
prismlive_close(struct prism *p, uint32_t n)
{
	struct reader *r = p->streams[n].file.bytes;
	if (r && r->fd == STDIN_FILENO && p->streams[n].source->live)
		r->fd = -1; /* not closed here */
	prismfile_close(&p->streams[n].file);
}
