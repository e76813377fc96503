/* SPDX-License-Identifier: MIT */
/* closeout: what stands behind the segments: strings and summary are collected while the
 * trace is written, and go to the file with the tables when it is finished. */
#include "extra.h"
#include "fileout.h"
#include "status.h"
#include "utf8.h"
#include "writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

uint32_t
uscope_string_insert(uscope_writer_t *w, const char *text)
{
	if (!w || w->fatal)
		return UINT32_MAX;
	if (w->mode == MODE_DONE) {
		(void)writer_misuse(w, USCOPE_E_STATE, "string_insert after finish");
		return UINT32_MAX;
	}
	if (!text || !utf8_is_text(text)) {
		(void)writer_misuse(w, USCOPE_E_ARG, "a string that is not UTF-8");
		return UINT32_MAX;
	}
	int64_t i = textset_add(&w->strings, text, UINT32_MAX);
	if (i >= 0)
		return (uint32_t)i;
	(void)writer_fail(w, (int)i, i == USCOPE_E_LIMIT ? "the strings need more than 4 GiB" : "out of memory for strings");
	return UINT32_MAX;
}

static void
write_strings(const struct textset *t, struct fileout *out)
{
	fileout_number(out, 4, t->n);
	fileout_number(out, 4, 0);
	for (uint32_t i = 0; i < t->n; i++) {
		fileout_number(out, 4, t->entries[i].offset);
		fileout_number(out, 4, t->entries[i].length);
	}
	fileout_put(out, t->data, t->size);
}

/* Whether an addition to a counter is taken: w->summary is there then. */
static bool
enter(uscope_writer_t *w, const char *what, int counter)
{
	if (!w || w->fatal)
		return false;
	if (w->mode == MODE_DONE)
		(void)writer_misuse(w, USCOPE_E_STATE, "%s after finish", what);
	else if (w->summary && (counter < 0 || (uint32_t)counter >= w->summary->ncounters))
		(void)writer_misuse(w, USCOPE_E_RANGE, "%s: there is no counter %d", what, counter);
	else
		return w->summary;
	return false;
}

static void
done(uscope_writer_t *w, int status)
{
	if (status)
		(void)writer_fail(w, status, "out of memory for the summary");
}

int
uscope_summary_counter(uscope_writer_t *w, const char *name, uint16_t storage)
{
	if (!w || w->fatal)
		return w ? w->error.status : USCOPE_E_ARG;
	if (w->has_cycles || w->mode == MODE_DONE)
		return writer_misuse(w, USCOPE_E_STATE, "summary_counter after the first cycle");
	if (!name || !utf8_is_text(name))
		return writer_misuse(w, USCOPE_E_ARG, "summary_counter with a name that is not UTF-8");
	if (storage >= w->nstorages)
		return writer_misuse(w, USCOPE_E_RANGE, "summary_counter: there is no storage %u", storage);
	if (!w->summary)
		return 0; /* any number will do */
	int id = pyramid_counter(w->summary, name, storage);
	if (id == USCOPE_E_STATE)
		return writer_misuse(w, id, "summary_counter after a value was added");
	if (id < 0)
		done(w, id);
	return id;
}

void
uscope_summary_add(uscope_writer_t *w, int counter, uint64_t time_ps, uint64_t delta)
{
	if (enter(w, "summary_add", counter))
		done(w, pyramid_add(w->summary, (uint32_t)counter, time_ps, delta));
}

void
uscope_summary_span(uscope_writer_t *w, int counter, uint64_t t0_ps, uint64_t t1_ps)
{
	if (enter(w, "summary_span", counter))
		done(w, pyramid_span(w->summary, (uint32_t)counter, t0_ps, t1_ps));
}

void
uscope_summary_density(uscope_writer_t *w, uint64_t time_ps, uint32_t n)
{
	if (!w || w->fatal)
		return;
	if (w->mode == MODE_DONE)
		(void)writer_misuse(w, USCOPE_E_STATE, "summary_density after finish");
	else if (w->summary)
		done(w, pyramid_density(w->summary, time_ps, n));
}

int
uscope_add_section(uscope_writer_t *w, uint16_t type, const void *bytes, size_t n)
{
	if (!w || type < SECTION_FIRST_EXTRA || type == USCOPE_SECTION_CHECKSUMS)
		return USCOPE_E_ARG;
	if (w->mode == MODE_DONE)
		return USCOPE_E_STATE;
	if (w->nextra == SECTIONS_EXTRA)
		return USCOPE_E_LIMIT;
	struct extra *e = &w->extra[w->nextra];
	e->bytes = malloc(n + 1);
	if (!e->bytes)
		return USCOPE_E_NOMEM;
	memcpy(e->bytes, bytes, n);
	e->n = n;
	e->type = type;
	w->nextra++;
	return USCOPE_OK;
}

/* All sections and their table. *last: offset of the last checksum. Returns that of the table. */
static uint64_t
write_sections(uscope_writer_t *w, struct fileout *out, bool summary, uint64_t *last)
{
	if (w->strings.n) {
		fileout_begin(out, USCOPE_SECTION_STRINGS);
		write_strings(&w->strings, out);
		fileout_end(out);
	}
	if (summary) {
		fileout_begin(out, USCOPE_SECTION_COUNTER_SUMMARY);
		pyramid_write(w->summary, out);
		fileout_end(out);
	}
	fileout_begin(out, USCOPE_SECTION_SEGMENTS);
	const struct segment_entry *e = w->out->table;
	for (uint32_t i = 0; i < w->out->n; i++, e++) {
		fileout_number(out, 8, e->offset);
		fileout_number(out, 8, e->start);
		fileout_number(out, 8, e->end);
	}
	fileout_end(out);
	for (int i = 0; i < w->nextra; i++) {
		fileout_begin(out, w->extra[i].type);
		fileout_put(out, w->extra[i].bytes, w->extra[i].n);
		fileout_end(out);
	}
	if (!w->options.no_checksums) {
		fileout_begin(out, USCOPE_SECTION_CHECKSUMS);
		for (uint32_t i = 0; i < w->out->n; i++)
			fileout_number(out, 8, w->out->table[i].sum);
		*last = fileout_end_checksums(out);
	}
	return fileout_table(out);
}

/* The flags are last: who sees F_COMPLETE sees everything. */
static int
write_header(uscope_writer_t *w, uint64_t total, uint64_t table, uint64_t last)
{
	uint8_t *h = w->head;
	store64(h + AT_FLAGS, load64(h + AT_FLAGS) | USCOPE_F_COMPLETE | (w->strings.n ? USCOPE_F_HAS_STRINGS : 0));
	store64(h + AT_TOTAL_TIME, total);
	store32(h + AT_NUM_SEGMENTS, w->out->n);
	store64(h + AT_SECTION_TABLE, table);
	store64(h + AT_TAIL, w->out->tail);
	xxh64_add(&w->rest, h, sizeof(w->head));
	bool sync = w->options.sync && w->to.fd >= 0;
	bool failed = (last && file_number(&w->to, 8, xxh64_sum(&w->rest), last)) || (sync && fsync(w->to.fd) != 0) ||
		file_write(&w->to, h + AT_TOTAL_TIME, AT_PREAMBLE_END - AT_TOTAL_TIME, AT_TOTAL_TIME) ||
		file_write(&w->to, h + AT_SECTION_TABLE, 8, AT_SECTION_TABLE) || (sync && fsync(w->to.fd) != 0) ||
		file_write(&w->to, h + AT_FLAGS, 8, AT_FLAGS) || (sync && fsync(w->to.fd) != 0);
	return failed ? USCOPE_E_IO : USCOPE_OK;
}

int
closeout_write(uscope_writer_t *w, uint64_t total)
{
	bool summary = false;
	if (w->summary && w->has_frames) {
		int status = pyramid_close(w->summary, w->last_frame, w->out->packed_bytes, &summary);
		if (status)
			return writer_fail(w, status, "out of memory for the summary");
	}
	struct fileout *out = malloc(sizeof(*out));
	if (!out)
		return writer_fail(w, USCOPE_E_NOMEM, "out of memory for the tables");
	uint64_t last = 0;
	fileout_init(out, w->to, w->out->end);
	fileout_sum(out, &w->rest);
	uint64_t table = write_sections(w, out, summary, &last);
	int status = fileout_flush(out);
	if (!status)
		status = write_header(w, total, table, last);
	free(out);
	if (status) {
		char reason[100];
		(void)snprintf(reason, sizeof(reason), "cannot write the tables: %s", strerror(errno));
		(void)writer_fail(w, status, reason);
		segmentout_truncate(w->out);
	}
	return status;
}
