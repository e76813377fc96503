/* SPDX-License-Identifier: MIT */
#ifndef PRVFILE_H
#define PRVFILE_H

/* prvfile: a Paraver trace as a file: its header, then lines that are made elsewhere. In a compressed file each is a
 * member of gzip, and so are the lines that are put at once. Bytes in doc/format/prv.md. */

#include "diag.h"
#include "prvline.h"
#include "wbuf.h"

struct prv_file {
	struct diag *diag;
	struct wbuf out;
	uint32_t nrows;  /* as prv_options.nrows, */
	uint32_t nknown; /* and how many of them have come, for the header in the end */
	bool gzip;
	uint64_t whole; /* bytes of the file up to the end of its last whole member */
	bool told;      /* that it cannot be written */
	bool joins;     /* another process has created it, and completes it */
	bool warns;
};

/* Creates the file, and removes the one of an earlier run that is compressed where this one is not, or the other way round, as
 * names and rows are those of this run. Returns 0, or <0 (reported); prvfile_close() is due in both cases. */
int prvfile_open(struct prv_file *f, const struct prv_options *o);

/* Writes lines, or a member of them, and empties the buffer. Returns 0, or <0: prvfile_check() tells why. */
int prvfile_put(struct prv_file *f, struct textbuf *lines);

/* Where several processes write the file: writes lines at their place. Returns 0, or <0 (not reported). */
int prvfile_place(struct prv_file *f, struct textbuf *lines, uint64_t at);

/* Whether lines were written. Returns 0, or <0 (reported once). */
int prvfile_check(struct prv_file *f);

/* Completes the header. After a failed write the file is cut behind its last whole line or member. Returns 0, or <0 (reported).
 * Accepts a zeroed object. */
int prvfile_close(struct prv_file *f, const struct prv_texts *texts, int64_t duration);

#endif
