/* SPDX-License-Identifier: MIT */
#include "file.h"

#include "arena.h"
#include "diag.h"
#include "prism/prism_ipc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	LIVE_WINDOW = 128 * 1024,
};

/* ---- Live. ---- */

int
prismfile_live(struct reader *r, struct reader_pool *pool, int fd, const char *path, const char *name)
{
	*r = (struct reader){ .pool = pool, .path = path, .name = name, .fd = fd, .keep_open = true };
	r->cap = LIVE_WINDOW;
	r->p = r->end = r->buf = block_alloc(r->cap);
	return r->buf ? 0 : diag_no_memory(pool->diag);
}

int
prismfile_buffers(struct prism_file *f, struct reader *r, struct reader_pool *pool, const struct prism_source *s)
{
	int fd = prismipc_open(&f->ipc, pool->diag, s->ipc, s->number);
	int rc = fd < 0 ? fd : prismfile_live(r, pool, fd, s->events, s->name);
	f->bytes = r;
	if (rc < 0)
		prismipc_close(&f->ipc);
	return rc;
}

/* Room for n more bytes. */
static int
make_room(struct reader *r, size_t n)
{
	size_t have = (size_t)(r->end - r->p);
	if ((size_t)(r->buf + r->cap - r->end) >= n)
		return 0;
	if (have > r->cap / 2 || have + n > r->cap) {
		size_t cap = r->cap * 2 > have + n ? r->cap * 2 : (have + n) * 2;
		uint8_t *buf = block_resize(r->buf, cap);
		if (!buf)
			return -ENOMEM;
		r->p = buf + (r->p - r->buf);
		r->buf = buf;
		r->cap = cap;
	}
	r->base += (uint64_t)(r->p - r->buf);
	memmove(r->buf, r->p, have);
	r->p = r->buf;
	r->end = r->buf + have;
	return 0;
}

int
prismfile_read(struct prism_file *f)
{
	struct reader *r = f->bytes;
	int rc = make_room(r, f->ipc.open ? PRISM_IPC_SIZE : 1);
	if (rc < 0)
		return rc;
	if (f->ipc.open)
		return prismipc_read(&f->ipc, r, f->in.state.lenient);
	ssize_t k = read(r->fd, r->buf + (r->end - r->buf), (size_t)(r->buf + r->cap - r->end));
	if (k < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	r->eof = k == 0;
	r->end += k;
	r->file_pos += (uint64_t)k;
	return 0;
}

/* ---- Events. ---- */

int
prismfile_open(struct prism_file *f, struct reader *r, struct reader_pool *pool, const struct prism_source *s, const char *stamps,
	int (*fill)(struct prism_file *f))
{
	f->bytes = r;
	f->fill = fill;
	f->heap = s->heap;
	f->plain = !fill && !s->heap;
	prismread_begin(&f->in, &s->settings, s->ipc ? PRISM_IPC_SIZE : s->buffer_size);
	int rc = fill ? 0 : reader_open(r, pool, s->events, s->name);
	if (rc == 0)
		rc = prismclock_open(&f->time, s->clock, s->start, s->tick_ns, pool, s->timestamps, stamps);
	f->rec = (struct prism_record){ .clock_ns = f->time.now };
	return rc;
}

void
prismfile_close(struct prism_file *f)
{
	if (f->bytes)
		reader_close(f->bytes);
	prismipc_close(&f->ipc);
	prismclock_close(&f->time);
}

/* The name of a context stays where it is while other streams are waited for. */
static void
keep_name(struct prism_file *f)
{
	struct prism_cxt *c = &f->rec.ev.cxt;
	if (f->rec.ev.kind != PRISM_CXT || !(c->has & PRISM_HAS_NAME))
		return;
	memcpy(f->name, c->name, c->name_len);
	c->name = f->name;
}

int
prismfile_name(const struct prism_file *f, struct prism_event *ev, char *own)
{
	struct prism_cxt *c = &ev->cxt;
	const struct prismheap_name *name;
	if (!f->heap || ev->kind != PRISM_CXT || !(c->has & PRISM_HAS_NUMBER))
		return 1;
	int rc = prismheap_find(f->heap, c->id, &name);
	if (rc < 0 || (rc == 0 && !f->in.state.lenient))
		return rc;
	c->name = rc > 0 ? name->text : own;
	c->name_len = rc > 0 ? name->len : (uint32_t)snprintf(own, PRISM_NAME_MAX, "#%" PRIu64, c->id);
	ev->issues |= rc == 0 ? 1U << PRISM_PN01 : name->is_text ? 0
								 : 1U << PRISM_PB13;
	c->has ^= PRISM_HAS_NUMBER | PRISM_HAS_NAME;
	c->id = 0;
	return 1;
}

/* Gives the current event its name. Returns 1, 0 at the end, <0 (reported). */
static int
find_name(struct prism_file *f, struct prism_got *got)
{
	int rc = prismfile_name(f, &f->rec.ev, f->name);
	if (rc == 0) {
		got->code = PRISM_PN01;
		f->in.ended = true;
	} else {
		got->issues |= f->rec.ev.issues;
	}
	return rc;
}

int
prismfile_more(struct prism_file *f)
{
	struct reader *r = f->bytes;
	return f->fill ? f->fill(f) : reader_fill(r, (uint64_t)(r->end - r->p) + 1);
}

int
prismfile_go_on(struct prism_file *f, struct prism_got *got)
{
	for (;; prismfile_try(f, got)) {
		if (got->rc < 0)
			got->code = (enum prism_code)(-got->rc);
		else
			got->issues |= f->rec.ev.issues;
		if (got->rc > 0 && f->fill)
			keep_name(f);
		if (got->rc > 0 && f->heap)
			return find_name(f, got);
		if (got->rc != 0 || f->in.ended)
			return got->rc > 0;
		int rc = prismfile_more(f);
		if (rc < 0)
			return rc;
	}
}
