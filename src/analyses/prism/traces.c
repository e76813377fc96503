/* SPDX-License-Identifier: MIT */
#include "traces.h"

#include "fmt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	ENOUGH = 48 * 1024, /* bytes of text that are compressed at once */
	NAME = 64,
	HEX = 18, /* characters, with 0x */
};

/* ---- Text. ---- */

void
trace_put(struct textbuf *b, const char *text)
{
	textbuf_commit(b, stpcpy(textbuf_reserve(b, strlen(text) + 1), text));
}

void
trace_put_u64(struct textbuf *b, uint64_t v)
{
	textbuf_commit(b, fmt_u64(textbuf_reserve(b, FMT_MAX), v));
}

void
trace_put_hex(struct textbuf *b, uint64_t v)
{
	char *p = textbuf_reserve(b, HEX);
	unsigned digits = 1;
	while (digits < 16 && v >> 4 * digits)
		digits++;
	*p++ = '0';
	*p++ = 'x';
	while (digits--)
		*p++ = "0123456789abcdef"[v >> 4 * digits & 15];
	textbuf_commit(b, p);
}

static void
put_range(struct textbuf *b, uint64_t from, uint64_t to)
{
	trace_put_hex(b, from);
	trace_put(b, " ");
	trace_put_hex(b, to);
	trace_put(b, " ");
}

/* ---- Events. ---- */

static void
end_event(struct trace *t)
{
	trace_put(&t->text, "\n");
	t->full = ++t->events == 0 || t->full;
}

static int
by_from(const void *a, const void *b)
{
	const struct trace_range *r = a;
	const struct trace_range *s = b;
	return r->from != s->from ? (r->from < s->from ? -1 : 1) : (r->to > s->to) - (r->to < s->to);
}

/* Each byte stands in one range only. */
static void
put_ranges(struct textbuf *b, const char *sign, struct trace_range *list, size_t n)
{
	if (n)
		qsort(list, n, sizeof(*list), by_from);
	for (size_t i = 0; i < n;) {
		struct trace_range r = list[i++];
		for (; i < n && (list[i].from <= r.to || list[i].from == r.to + 1); i++)
			r.to = list[i].to > r.to ? list[i].to : r.to;
		trace_put(b, sign);
		put_range(b, r.from, r.to);
	}
}

void
trace_end_compute(struct trace *t)
{
	static const char *const signs[] = { [TRACE_WRITTEN] = "$ ", [TRACE_READ] = "* " };
	const uint64_t counts[] = { t->iops, t->flops, t->count[TRACE_READ], t->count[TRACE_WRITTEN] };
	if (!t->computes)
		return;
	for (unsigned i = 0; i < 4; i++) {
		trace_put(&t->text, i ? "," : "@ ");
		trace_put_u64(&t->text, counts[i]);
	}
	trace_put(&t->text, " ");
	for (unsigned side = 0; side < TRACE_SIDES; side++) {
		put_ranges(&t->text, signs[side], t->ranges[side], t->n[side]);
		t->n[side] = 0;
		t->count[side] = 0;
	}
	t->iops = t->flops = 0;
	t->computes = false;
	t->total.compute++;
	end_event(t);
}

void
trace_end_communication(struct trace *t)
{
	if (!t->nedges)
		return;
	for (size_t i = 0; i < t->nedges; i++) {
		const struct trace_edge *e = &t->edges[i];
		trace_put(&t->text, "# ");
		trace_put_u64(&t->text, e->thread);
		trace_put(&t->text, " ");
		trace_put_u64(&t->text, e->event);
		trace_put(&t->text, " ");
		put_range(&t->text, e->from, e->to);
		t->total.communicated += e->to - e->from + 1;
	}
	t->nedges = 0;
	t->total.communication++;
	end_event(t);
}

void
trace_sync(struct trace *t, unsigned type, const uint64_t *args, unsigned n)
{
	trace_end_compute(t);
	trace_end_communication(t);
	trace_put(&t->text, "^ ");
	trace_put_u64(&t->text, type);
	for (unsigned i = 0; i < n; i++) {
		trace_put(&t->text, i ? "&" : "^");
		trace_put_hex(&t->text, args[i]);
	}
	t->total.sync++;
	end_event(t);
}

void
trace_insn(struct trace *t)
{
	if (++t->total.insns % TRACE_INSNS)
		return;
	trace_put(&t->text, "! ");
	trace_put_u64(&t->text, TRACE_INSNS);
	trace_put(&t->text, "\n");
}

/* ---- Files. ---- */

int
traces_begin(struct traces *s, struct kit *k, const char *dir)
{
	*s = (struct traces){ .kit = k, .dir = -1, .path = dir };
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return prism_fail(k->run, "the directory %s cannot be made: %s", dir, strerror(errno));
	s->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		return prism_fail(k->run, "the directory %s cannot be opened: %s", dir, strerror(errno));
	return gzip_init(&s->gzip) < 0 ? kit_no_memory(k) : 0;
}

static void
name_of(char name[NAME], const struct trace *t)
{
	(void)snprintf(name, NAME, "sigil.events.out-%" PRIu32 ".gz", t->number);
}

/* Appends to a file, which `flags` may make. Returns 0, or <0 (reported). */
static int
append(const struct traces *s, const char *name, int flags, const char *bytes, size_t n)
{
	int fd = openat(s->dir, name, O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0666);
	int error = fd < 0 ? errno : 0;
	while (n && !error) {
		ssize_t k = write(fd, bytes, n);
		if (k < 0)
			error = errno == EINTR ? 0 : errno;
		bytes += k > 0 ? k : 0;
		n -= k > 0 ? (size_t)k : 0;
	}
	if (fd >= 0 && close(fd) < 0)
		error = error ? error : errno;
	return error ? prism_fail(s->kit->run, "%s/%s cannot be written: %s", s->path, name, strerror(error)) : 0;
}

struct trace *
traces_add(struct traces *s)
{
	char name[NAME];
	struct trace *t = kit_room(&s->list, &s->cap, s->n + 1, sizeof(struct trace *)) ? block_alloc(sizeof(*t)) : NULL;
	if (!t || textbuf_init(&t->text) < 0) {
		block_free(t);
		(void)kit_no_memory(s->kit);
		return NULL;
	}
	s->list[s->n++] = t;
	t->number = (uint32_t)s->n;
	name_of(name, t);
	return append(s, name, O_CREAT | O_EXCL, NULL, 0) < 0 ? NULL : t;
}

int
traces_write(struct traces *s, struct trace *t, bool all)
{
	char name[NAME];
	if (t->full)
		return prism_fail(s->kit->run, "thread %" PRIu32 " has more than 2^32 events", t->number);
	if (t->text.used < ENOUGH && (!all || !t->text.used) && !t->text.failed)
		return 0;
	gzip_pack(&s->gzip, &t->text);
	if (t->text.failed)
		return kit_no_memory(s->kit);
	name_of(name, t);
	int rc = append(s, name, 0, t->text.data, t->text.used);
	t->text.used = 0;
	return rc;
}

int
traces_write_text(const struct traces *s, const char *name, const struct textbuf *text)
{
	return text->failed ? kit_no_memory(s->kit) : append(s, name, O_CREAT | O_EXCL, text->data, text->used);
}

void
traces_finish(struct traces *s)
{
	for (size_t i = 0; i < s->n; i++) {
		textbuf_finish(&s->list[i]->text);
		block_free(s->list[i]);
	}
	block_free(s->list);
	gzip_finish(&s->gzip);
	if (s->dir >= 0)
		(void)close(s->dir);
	*s = (struct traces){ .dir = -1 };
}
