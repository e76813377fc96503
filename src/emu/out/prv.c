/* SPDX-License-Identifier: MIT */
#include "prv.h"

enum {
	ENOUGH = TEXTBUF_SIZE / 2, /* bytes: write them; of a compressed file GZIP_ENOUGH */
};

int
prv_start(struct prv *p, const struct prv_options *o)
{
	*p = (struct prv){ .file = { .diag = o->diag } };
	if (prv_texts_init(&p->texts, &p->arena, o) < 0 || prvform_init(&p->form, &p->arena, &p->texts, NULL) < 0 || textbuf_init(&p->form.lines.out) < 0)
		return diag_no_memory(o->diag);
	if (o->gzip && gzip_init(&p->gzip) < 0)
		return diag_no_memory(o->diag);
	return prvfile_open(&p->file, o);
}

static int
put(struct prv *p)
{
	if (p->file.gzip)
		gzip_pack(&p->gzip, &p->form.lines.out);
	return prvfile_put(&p->file, &p->form.lines.out) < 0 ? prvfile_check(&p->file) : 0;
}

int
prv_put(struct prv *p, const struct record *r)
{
	prvform_put(&p->form, r);
	return p->form.lines.out.used >= (p->file.gzip ? GZIP_ENOUGH : ENOUGH) || p->form.lines.out.failed ? put(p) : 0;
}

int
prv_release(struct prv *p, int64_t time)
{
	prvform_release(&p->form, time);
	return put(p);
}

void
prv_set_rows(struct prv *p, uint32_t n)
{
	p->file.nknown = n;
}

int
prv_finish(struct prv *p, int64_t duration)
{
	if (p->file.out.data) {
		prvform_settle(&p->form);
		(void)put(p); /* prvfile_close() returns its failure */
		prvline_finish(&p->form.lines, &p->texts);
	}
	int rc = prvfile_close(&p->file, &p->texts, duration);
	gzip_finish(&p->gzip);
	textbuf_finish(&p->form.lines.out);
	arena_finish(&p->arena);
	return rc;
}
