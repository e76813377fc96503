/* SPDX-License-Identifier: MIT */
/* prvfile: the header of a Paraver trace, and what happens when it cannot be written.
 *
 *   #Paraver (19/01/38 at 03:14):<20 digits of duration>_ns:0:1:1(<rows>:1)
 *
 * When rows may come late, their number has leading zeros: as many digits as it may need.
 * The date is fixed, so that the same trace gives the same file. */
#include "prvfile.h"

#include "paraver.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define HEAD "#Paraver (19/01/38 at 03:14):"
#define UNIT "_ns:0:1:1("

enum {
	HEAD_SIZE = sizeof(HEAD) - 1,
	DURATION = 20, /* digits */
	ROWS_AT = HEAD_SIZE + DURATION + sizeof(UNIT) - 1,
};

static void
put_header(struct prv_file *f)
{
	char duration[DURATION];
	(void)fmt_pad20(duration, 0);
	wbuf_put(&f->out, HEAD, HEAD_SIZE);
	wbuf_put(&f->out, duration, sizeof(duration));
	wbuf_printf(&f->out, UNIT "%" PRIu32 ":1)\n", f->nrows);
}

int
prvfile_open(struct prv_file *f, const struct prv_options *o)
{
	*f = (struct prv_file){
		.diag = o->diag,
		.nrows = o->nrows,
		.nknown = o->nrows,
		.late_rows = o->late_rows,
		.warns = o->coalesce && !o->silent,
	};
	int rc = paraver_open(&f->out, o->diag, o->path);
	if (rc < 0)
		return rc;
	put_header(f);
	/* The header reaches the disk now: a viewer can open the file during the run. */
	(void)wbuf_flush(&f->out);
	return 0;
}

int
prvfile_put(struct prv_file *f, struct textbuf *lines)
{
	if (lines->failed && !f->out.error)
		f->out.error = ENOMEM;
	(void)wbuf_pass(&f->out, lines->data, lines->used);
	lines->used = 0;
	return wbuf_failed(&f->out) ? -ERR_WRITE : 0;
}

int
prvfile_check(struct prv_file *f)
{
	if (!wbuf_failed(&f->out))
		return 0;
	if (f->told)
		return -ERR_WRITE;
	f->told = true;
	if (diag_repeats(f->diag, f->out.path, strerror(f->out.error)))
		return -ERR_WRITE;
	return diag_error(f->diag, ERR_WRITE, NULL,
		"cannot write '%s': %s\nhint: the run stops; what was written before can be opened",
		f->out.path, strerror(f->out.error));
}

static void
patch_rows(struct prv_file *f)
{
	char all[FMT_MAX];
	char known[DURATION];
	size_t n = (size_t)(fmt_u64(all, f->nrows) - all);
	(void)fmt_pad20(known, f->nknown);
	wbuf_patch(&f->out, ROWS_AT, known + DURATION - n, n);
}

static void
warn_values(const struct prv_file *f, const struct prv_texts *k)
{
	for (size_t col = 0; col < k->ntypes; col++)
		if (k->odd_types[col])
			diag_warn(f->diag, NULL,
				"%s: type %.*s has values that Paraver cannot label or colour (negative, or above 2147483647)",
				f->out.path, k->types[col].size - 2, k->types[col].text + 1);
}

int
prvfile_close(struct prv_file *f, const struct prv_texts *texts, int64_t duration)
{
	if (!f->out.data) /* it was not opened */
		return 0;
	char digits[DURATION];
	(void)fmt_pad20(digits, (uint64_t)duration);
	if (wbuf_flush(&f->out) < 0) {
		/* The disk is full: cut behind the last whole line, so that the file opens. */
		wbuf_trim(&f->out, '\n');
		if (f->told)
			f->out.error = 0;
	}
	wbuf_patch(&f->out, HEAD_SIZE, digits, sizeof(digits));
	if (f->late_rows)
		patch_rows(f);
	if (f->warns)
		warn_values(f, texts);
	if (!f->told)
		return paraver_close(&f->out, f->diag);
	(void)wbuf_close(&f->out);
	return -ERR_WRITE;
}
