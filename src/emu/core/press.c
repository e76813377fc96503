/* SPDX-License-Identifier: MIT */
#include "press.h"

#include "arena.h"
#include "flowing.h"

static struct piece *
piece_of(const struct press *p, uint64_t number)
{
	return &p->pieces[number % p->flow->nchunks];
}

static void
fail(struct press *p, int rc)
{
	int none = 0;
	if (rc < 0 && atomic_compare_exchange_strong(&p->rc, &none, rc))
		flow_fail(p->flow);
}

/* ---- Formatting. ---- */

static void *
open_formatter(struct press *p)
{
	void *formatter = block_alloc(p->ops->formatter);
	int rc = formatter ? p->ops->format_open(formatter, p->self) : diag_no_memory(p->flow->diag);
	if (rc == 0)
		return formatter;
	block_free(formatter);
	fail(p, rc);
	return NULL;
}

static void
find_formatter(struct press *p, struct piece *piece)
{
	crew_lock(&p->flow->crew);
	if (p->nidle)
		piece->formatter = p->idle[--p->nidle];
	crew_unlock(&p->flow->crew);
	if (!piece->formatter)
		piece->formatter = open_formatter(p);
}

static void
format(struct job *job)
{
	struct piece *piece = (struct piece *)job;
	struct press *p = piece->press;
	const struct batch *b = &flow_chunk(p->flow, job->age)->batch;
	if (atomic_load(&p->rc) < 0 || b->elsewhere)
		return;
	if (!piece->formatter)
		find_formatter(p, piece);
	if (piece->formatter)
		fail(p, p->ops->format(piece->formatter, b, piece->texts));
}

/* Adds the job of a file, if it is not at it and the text that comes next is there. */
static void
write_on(struct press_file *file)
{
	uint64_t next = file->job.age;
	if (file->busy || next == file->press->flow->given || !piece_of(file->press, next)->formatted)
		return;
	file->busy = true;
	crew_add(&file->press->flow->crew, &file->job);
}

static void
pass_formatter(struct press *p, struct piece *piece)
{
	struct flow *f = p->flow;
	uint64_t next = piece->job.age + 1;
	if (flow_chunk(f, next - 1)->batch.apart) {
		if (piece->formatter)
			p->idle[p->nidle++] = piece->formatter;
	} else if (next < f->given) {
		piece_of(p, next)->formatter = piece->formatter;
		crew_add(&f->crew, &piece_of(p, next)->job);
	} else {
		p->waits = true;
		p->waiting = piece->formatter;
	}
	piece->formatter = NULL;
}

static void
formatted(struct job *job)
{
	struct piece *piece = (struct piece *)job;
	struct press *p = piece->press;
	piece->formatted = true;
	for (unsigned i = 0; p->flow->crew.stats && i < p->ops->nfiles; i++)
		job->stage->bytes += piece->texts[i].used;
	pass_formatter(p, piece);
	for (unsigned i = 0; i < p->ops->nfiles; i++)
		write_on(&p->files[i]);
}

void
press_take(struct press *p)
{
	struct flow *f = p->flow;
	uint64_t number = f->given - 1;
	struct piece *piece = piece_of(p, number);
	piece->job.age = number;
	piece->formatted = false;
	piece->nwriters = p->ops->nfiles;
	if (!p->joined || p->waits) {
		piece->formatter = p->waiting;
		crew_add(&f->crew, &piece->job);
		p->waits = false;
		p->waiting = NULL;
	}
	p->joined = !flow_chunk(f, number)->batch.apart;
}

/* ---- Writing. ---- */

static void
put(struct job *job)
{
	struct press_file *file = (struct press_file *)job;
	struct press *p = file->press;
	struct piece *piece = piece_of(p, job->age);
	unsigned i = (unsigned)(file - p->files);
	if (file->rc < 0 || atomic_load(&p->rc) < 0)
		return;
	file->rc = p->flow->team ? keep_text(&file->keep, &piece->texts[i]) : p->ops->put(p->self, i, &piece->texts[i]);
	if (file->rc < 0)
		flow_fail(p->flow);
}

static void
written(struct job *job)
{
	struct press_file *file = (struct press_file *)job;
	struct press *p = file->press;
	if (--piece_of(p, job->age)->nwriters == 0)
		flow_chunk(p->flow, job->age)->nusers--;
	job->age++;
	file->busy = false;
	write_on(file);
}

/* ---- Life. ---- */

int
press_init(struct press *p, struct flow *f, const struct sink_ops *ops, void *self, unsigned nchunks)
{
	*p = (struct press){ .flow = f, .ops = ops, .self = self };
	struct stats *stats = f->crew.stats;
	struct stage *formats = stats ? stats_add(stats, "formatting", 0) : NULL;
	struct stage *writes = stats ? stats_add(stats, "writing", ops->nfiles) : NULL;
	p->pieces = block_alloc(nchunks * sizeof(struct piece));
	p->idle = block_alloc(nchunks * sizeof(void *));
	if (!p->pieces || !p->idle)
		return -1;
	for (unsigned i = 0; i < ops->nfiles; i++) {
		p->files[i] = (struct press_file){ .job = { .run = put, .done = written, .stage = writes }, .press = p };
		keep_init(&p->files[i].keep, p, i);
		p->files[i].keep.job.stage = writes;
	}
	for (unsigned i = 0; i < nchunks; i++) {
		struct piece *piece = &p->pieces[i];
		*piece = (struct piece){ .job = { .run = format, .done = formatted, .stage = formats }, .press = p };
		for (unsigned k = 0; k < ops->nfiles; k++)
			if (textbuf_init(&piece->texts[k]) < 0)
				return -1;
	}
	return 0;
}

static void
close_formatter(struct press *p, void *formatter)
{
	if (formatter)
		p->ops->format_close(formatter, p->self);
	block_free(formatter);
}

void
press_close_idle(struct press *p)
{
	while (p->nidle)
		close_formatter(p, p->idle[--p->nidle]);
}

int
press_finish(struct press *p)
{
	int rc = atomic_load(&p->rc);
	for (unsigned i = 0; i < SINK_FILES; i++) {
		rc = rc ? rc : p->files[i].rc ? p->files[i].rc
					      : p->files[i].keep.rc;
		keep_finish(&p->files[i].keep);
	}
	close_formatter(p, p->waiting);
	press_close_idle(p);
	for (unsigned i = 0; p->pieces && i < p->flow->nchunks; i++)
		for (unsigned k = 0; k < SINK_FILES; k++)
			textbuf_finish(&p->pieces[i].texts[k]);
	block_free(p->pieces);
	block_free(p->idle);
	*p = (struct press){ 0 };
	return rc;
}
