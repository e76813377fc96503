/* SPDX-License-Identifier: MIT */
#include "kit.h"

#include "fmt.h"
#include "idmap.h"
#include "when.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- Arguments and output. ---- */

int
kit_no_memory(struct kit *k)
{
	return prism_fail(k->run, "memory is exhausted");
}

int
kit_begin(struct kit *k, struct prism_run *r)
{
	static const char *const formats[] = { "text", "json", NULL };
	int format = 0;
	*k = (struct kit){ .run = r };
	if (prism_argument_word(r, "format", formats, &format) < 0)
		return -1;
	k->json = format == 1;
	k->path = prism_argument(r, "out");
	return k->path && !*k->path ? prism_fail(r, "the argument out needs a file") : 0;
}

int
kit_open(struct kit *k)
{
	int fd = k->path ? -1 : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	int rc = k->path ? wbuf_open(&k->out, k->path) : fd < 0 ? -errno
								: wbuf_attach(&k->out, fd, "stdout");
	if (rc >= 0)
		return 0;
	if (fd >= 0)
		(void)close(fd);
	return prism_fail(k->run, "%s cannot be opened: %s", k->path ? k->path : "stdout", strerror(-rc));
}

int
kit_finish(struct kit *k)
{
	const char *path = k->out.path;
	int rc = k->out.data ? wbuf_close(&k->out) : 0;
	return rc < 0 ? prism_fail(k->run, "%s cannot be written: %s", path, strerror(-rc)) : 0;
}

void
kit_release(struct kit *k)
{
	(void)wbuf_close(&k->out);
}

void
kit_open_json(struct kit *k, const char *analysis)
{
	json_open(&k->out, NULL, '{');
	json_str(&k->out, "analysis", analysis);
	json_u64(&k->out, "version", 1);
}

void
kit_close_json(struct kit *k)
{
	json_end(&k->out);
}

int
kit_power(struct kit *k, const char *key, uint64_t max, uint64_t *to)
{
	if (prism_argument_number(k->run, key, 1, max, to) < 0)
		return -1;
	return *to & (*to - 1) ? prism_fail(k->run, "the argument %s=%" PRIu64 " is no power of two", key, *to) : 0;
}

int
kit_time(struct kit *k, const char *key, uint64_t *ns)
{
	const char *text = prism_argument(k->run, key);
	const char *why = "a time begins with a digit";
	struct when w = { 0 };
	if (!text)
		return 0;
	if (*text < '0' || *text > '9' || !when_parse(text, &w, &why))
		return prism_fail(k->run, "the argument %s=%s: %s", key, text, why);
	*ns = (uint64_t)w.ns;
	return w.ns > 0 ? 0 : prism_fail(k->run, "the argument %s=%s is no time", key, text);
}

bool
kit_room(void *table, size_t *cap, size_t n, size_t size)
{
	char *items;
	size_t want = *cap ? *cap : 16;

	if (n <= *cap)
		return true;
	while (want < n)
		want *= 2;
	memcpy(&items, table, sizeof(items));
	items = block_resize(items, want * size);
	if (!items)
		return false;
	memset(items + *cap * size, 0, (want - *cap) * size);
	memcpy(table, &items, sizeof(items));
	*cap = want;
	return true;
}

/* ---- Threads. ---- */

uint32_t
kit_process(struct kit_processes *p, uint32_t id)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->ids[i] == id)
			return i;
	if (!kit_room(&p->ids, &p->cap, p->n + 1, sizeof(*p->ids)))
		return UINT32_MAX;
	p->ids[p->n] = id;
	return (uint32_t)p->n++;
}

uint32_t
kit_find_thread(struct kit_threads *t, const struct prism_at *at)
{
	uint32_t process = kit_process(&t->processes, at->process);
	if (process == UINT32_MAX || !kit_room(&t->last, &t->last_cap, at->stream + (size_t)1, sizeof(*t->last)) ||
		!kit_room(&t->ids, &t->ids_cap, process + (size_t)1, sizeof(*t->ids)))
		return UINT32_MAX;
	struct idmap_slot *slot = idmap_slot(&t->ids[process], &t->arena, at->thread);
	if (!slot || (!slot->number && !kit_room(&t->list, &t->cap, t->n + 1, sizeof(*t->list))))
		return UINT32_MAX;
	if (!slot->number) {
		t->list[t->n++] = (struct kit_thread){ .process = at->process, .id = at->thread };
		slot->number = t->n;
	}
	t->last[at->stream] = (uint32_t)slot->number;
	return t->last[at->stream] - 1;
}

void
kit_put_thread(struct kit *k, const struct kit_threads *t, uint32_t thread)
{
	const struct kit_thread *of = &t->list[thread];
	if (t->processes.n > 1)
		wbuf_printf(&k->out, "process %" PRIu32 " ", of->process);
	wbuf_printf(&k->out, "thread %" PRIu32, of->id);
}

void
kit_json_thread(struct kit *k, const char *key, const struct kit_threads *t, uint32_t thread)
{
	json_open(&k->out, key, '{');
	json_u64(&k->out, "process", t->list[thread].process);
	json_u64(&k->out, "thread", t->list[thread].id);
	json_close(&k->out, '}');
}

void
kit_finish_threads(struct kit_threads *t)
{
	arena_finish(&t->arena);
	block_free(t->list);
	block_free(t->last);
	block_free(t->ids);
	block_free(t->processes.ids);
	*t = (struct kit_threads){ 0 };
}

/* ---- Streams. ---- */

void *
kit_find_stream(struct kit_streams *s, uint32_t stream)
{
	if (!kit_room(&s->list, &s->cap, stream + (size_t)1, sizeof(*s->list)))
		return NULL;
	void *all = s->n == 1 ? s->copy(s->all) : s->all;
	void *one = all || s->n == 0 ? s->start() : NULL;
	if (!one)
		return NULL;
	s->all = all ? all : one;
	s->n++;
	return s->list[stream] = one;
}

void
kit_put_streams(const struct kit_streams *s, void (*put)(void *, const char *stream))
{
	char number[FMT_MAX + 1];
	if (s->all)
		put(s->all, NULL);
	for (size_t i = 0; i < s->cap && s->n > 1; i++) {
		if (!s->list[i])
			continue;
		*fmt_u64(number, i) = 0;
		put(s->list[i], number);
	}
}

void
kit_finish_streams(struct kit_streams *s, void (*drop)(void *))
{
	if (s->n > 1)
		drop(s->all);
	for (size_t i = 0; i < s->cap; i++)
		if (s->list[i])
			drop(s->list[i]);
	block_free(s->list);
}

/* ---- Functions. ---- */

bool
kit_function(struct kit_functions *f, uint32_t id, const char *name, uint32_t len)
{
	if (!kit_room(&f->list, &f->cap, id + (size_t)1, sizeof(*f->list)))
		return false;
	f->n = id >= f->n ? id + (size_t)1 : f->n;
	f->list[id] = (struct kit_function){ name, len };
	return true;
}

void
kit_put_function(struct kit *k, const struct kit_functions *f, uint32_t id)
{
	if (id == 0)
		put_str(&k->out, "(no function)");
	else
		put_form(&k->out, TEXT_SHOWN, f->list[id].name, f->list[id].len);
}

void
kit_json_function(struct kit *k, const char *key, const struct kit_functions *f, uint32_t id)
{
	if (id == 0)
		json_str(&k->out, key, NULL);
	else
		json_form(&k->out, key, TEXT_JSON_BYTES, f->list[id].name, f->list[id].len);
}
