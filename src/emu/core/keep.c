/* SPDX-License-Identifier: MIT */
#include "keep.h"

#include "arena.h"
#include "flowing.h"
#include "team.h"

/* ---- Texts of a file. ---- */

/* Writes a text at its place, and empties it. */
static int
put(struct keep *k, struct textbuf *text)
{
	const struct press *p = k->press;
	int rc = p->ops->place(p->self, k->file, text, k->at);
	k->at += text->used;
	text->used = 0;
	return rc;
}

static void
run(struct job *job)
{
	struct keep *k = (struct keep *)job;
	for (unsigned i = 0; i < k->leaving.n; i++) {
		if (k->rc == 0)
			k->rc = put(k, &k->leaving.texts[i]);
		k->leaving.texts[i].used = 0;
	}
	k->leaving.n = 0;
	k->leaving.size = 0;
	if (k->rc < 0)
		flow_fail(k->press->flow);
}

static void
done(struct job *job)
{
	((struct keep *)job)->busy = false;
}

void
keep_init(struct keep *k, struct press *press, unsigned file)
{
	*k = (struct keep){ .job = { .run = run, .done = done }, .press = press, .file = file, .at = press->ops->begun(press->self, file) };
}

static void
finish(struct texts *k)
{
	for (unsigned i = 0; i < k->cap; i++)
		textbuf_finish(&k->texts[i]);
	block_free(k->texts);
}

void
keep_finish(struct keep *k)
{
	finish(&k->kept);
	finish(&k->leaving);
	*k = (struct keep){ 0 };
}

/* Returns an empty text behind those that are kept; NULL without memory. */
static struct textbuf *
find_empty(struct texts *k)
{
	if (k->n == k->cap) {
		unsigned cap = k->cap ? k->cap * 2 : 4;
		struct textbuf *texts = block_resize(k->texts, cap * sizeof(*texts));
		if (!texts)
			return NULL;
		for (unsigned i = k->cap; i < cap; i++)
			texts[i] = (struct textbuf){ 0 };
		k->texts = texts;
		k->cap = cap;
	}
	struct textbuf *text = &k->texts[k->n];
	return text->data || textbuf_init(text) == 0 ? text : NULL;
}

int
keep_text(struct keep *k, struct textbuf *text)
{
	size_t n = text->used;
	bool is_first = k->press->flow->team->rank == 0;
	struct textbuf *to = text->failed || is_first ? NULL : find_empty(&k->kept);
	if (text->failed || (!is_first && !to))
		return -ERR_MEMORY;
	k->kept.size += n;
	if (is_first)
		return put(k, text);
	struct textbuf empty = *to;
	*to = *text;
	*text = empty;
	k->kept.n++;
	return 0;
}

/* ---- Of a flow. ---- */

/* The press of a flow; NULL: there is none. */
static struct press *
find_press(const struct flow *f)
{
	for (size_t i = 0; i < f->nstations; i++)
		if (f->stations[i].takes && f->stations[i].ops->formatter)
			return (struct press *)&f->stations[i].press;
	return NULL;
}

void
flow_begun(const struct flow *f, flow_sizes sizes)
{
	const struct press *p = find_press(f);
	for (unsigned i = 0; i < SINK_FILES; i++)
		sizes[i] = p && i < p->ops->nfiles ? p->ops->begun(p->self, i) : 0;
}

static bool
is_settled(void *flow)
{
	const struct flow *f = flow;
	const struct press *p = find_press(f);
	for (unsigned i = 0; p && i < p->ops->nfiles; i++)
		if (p->files[i].job.age < f->given || p->files[i].keep.busy)
			return false;
	return true;
}

void
flow_settle(struct flow *f)
{
	crew_lock(&f->crew);
	flow_hand_over(f);
	crew_wait(&f->crew, is_settled, f, false);
	crew_unlock(&f->crew);
}

void
flow_kept(const struct flow *f, flow_sizes sizes)
{
	const struct press *p = find_press(f);
	for (unsigned i = 0; i < SINK_FILES; i++)
		sizes[i] = p ? p->files[i].keep.kept.size : 0;
}

void
flow_place(struct flow *f, const flow_sizes at, unsigned rank)
{
	struct press *p = find_press(f);
	crew_lock(&f->crew);
	for (unsigned n = 0; p && n < p->ops->nfiles; n++) {
		unsigned i = (rank + n) % p->ops->nfiles;
		struct keep *k = &p->files[i].keep;
		struct texts empty = k->leaving;
		k->leaving = k->kept;
		k->kept = empty;
		k->at = at[i];
		k->busy = true;
		k->job.age = rank % 2 ? 0 : f->given;
		crew_add(&f->crew, &k->job);
	}
	crew_unlock(&f->crew);
}

bool
flow_lacks_text(const struct flow *f)
{
	const struct press *p = find_press(f);
	bool lacks = p && atomic_load(&p->rc) < 0;
	for (unsigned i = 0; p && i < p->ops->nfiles; i++)
		lacks = lacks || p->files[i].rc < 0 || p->files[i].keep.rc < 0;
	return lacks;
}

bool
flow_wants_all(const struct flow *f)
{
	bool wants = false;
	for (size_t i = 0; i < f->nstations; i++)
		wants = wants || (f->stations[i].takes && !f->stations[i].ops->formatter);
	return wants;
}

void
flow_unite(struct flow *f, struct team *t)
{
	struct press *p = find_press(f);
	if (!p)
		return;
	press_close_idle(p);
	p->ops->unite(p->self, t);
}
