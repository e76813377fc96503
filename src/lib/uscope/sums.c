/* SPDX-License-Identifier: MIT */
/* sums: whether the bytes of a file are those that were written. */
#include "reader.h"
#include "xxh64.h"

#include <stdlib.h>

struct sums {
	struct uscope_reader *r;
	uscope_verify_fn fn;
	void *user;
	int count;
	bool stopped;
	struct window stored; /* the checksums in the file */
	struct window window;
};

static void
tell(struct sums *s, int status, int64_t segment, uint64_t offset, const char *why)
{
	uscope_error_t finding;
	(void)status_set(&finding, status, segment, offset, "%s", why);
	s->count++;
	if (s->fn && !s->fn(&finding, s->user))
		s->stopped = true;
}

/* Adds the bytes [from, to) of the file. */
static int
add_bytes(struct uscope_reader *r, struct window *w, struct xxh64 *sum, uint64_t from, uint64_t to)
{
	window_open(w, r, from, to - from);
	while (window_left(w)) {
		size_t n = window_left(w) < READ_WINDOW ? (size_t)window_left(w) : READ_WINDOW;
		const uint8_t *p = window_next(w, n);
		if (!p)
			return w->status;
		xxh64_add(sum, p, n);
	}
	return 0;
}

/* Compares with the next checksum of the file; `status` is that of adding the bytes, which differ where they end too early.
 * 0, or why the file cannot be read on. */
static int
compare(struct sums *s, int status, const struct xxh64 *sum, bool *differs)
{
	if (is_ours(status))
		return status;
	const uint8_t *p = window_next(&s->stored, 8);
	if (!p)
		return s->stored.status;
	*differs = status || load64(p) != xxh64_sum(sum);
	return 0;
}

/* Compares each segment, with the padding before it. *end: of the last one. */
static int
check_segments(struct sums *s, uint64_t *end)
{
	for (uint32_t i = 0; i < s->r->segments.num && !s->stopped; i++) {
		uscope_segment_t g;
		int status = seglist_get(s->r, i, &g);
		if (status)
			return status;
		uint64_t next = g.offset + segment_size(&g);
		struct xxh64 sum;
		xxh64_init(&sum);
		status = next < *end ? USCOPE_E_SEGMENT : add_bytes(s->r, &s->window, &sum, *end, next);
		bool differs = false;
		status = compare(s, status, &sum, &differs);
		if (status)
			return status;
		if (differs)
			tell(s, USCOPE_E_SEGMENT, i, g.offset, "the bytes are not those that were written: the checksum differs");
		*end = next;
	}
	return 0;
}

/* Compares what lies outside of the segments. The last checksum, which is that of this, counts as 0. */
static int
check_rest(struct sums *s, uint64_t behind)
{
	static const uint8_t zeros[8];
	const uscope_section_t *c = &s->r->checksums_section;
	uint64_t last = c->offset + c->size - sizeof(zeros);
	struct xxh64 sum;
	xxh64_init(&sum);
	int status = behind > last ? USCOPE_E_SECTION : add_bytes(s->r, &s->window, &sum, FILE_HEADER_SIZE, s->r->preamble_end);
	if (!status)
		status = add_bytes(s->r, &s->window, &sum, behind, last);
	xxh64_add(&sum, zeros, sizeof(zeros));
	if (!status)
		status = add_bytes(s->r, &s->window, &sum, last + sizeof(zeros), s->r->size);
	if (!status)
		status = add_bytes(s->r, &s->window, &sum, 0, FILE_HEADER_SIZE);
	bool differs = false;
	status = compare(s, status, &sum, &differs);
	if (differs)
		tell(s, USCOPE_E_SECTION, NO_SEGMENT, 0, "header, preamble or tables are not those that were written: the checksum differs");
	return status;
}

static int
check_all(struct sums *s)
{
	struct uscope_reader *r = s->r;
	const uscope_section_t *c = &r->checksums_section;
	/* The writer marks the file as complete in its last step. */
	if (!(r->header.flags & USCOPE_F_COMPLETE) && r->header.section_table_offset)
		tell(s, USCOPE_E_SECTION, NO_SEGMENT, AT_FLAGS, "there is a section table, but the file is not marked as complete");
	if (!r->complete || (!c->type && !r->checksums))
		return 0;
	if (c->size / 8 != (uint64_t)r->segments.num + 1 || c->size % 8) {
		tell(s, USCOPE_E_SECTION, NO_SEGMENT, c->offset, c->type ? "the checksums are not those of as many segments" : "the section of the checksums is missing");
		return 0;
	}
	window_open(&s->stored, r, c->offset, c->size);
	uint64_t end = r->preamble_end;
	int status = check_segments(s, &end);
	return status || s->stopped ? status : check_rest(s, end);
}

/* Whether there is a checksum for each segment. */
static bool
has_sums(const struct uscope_reader *r)
{
	const uscope_section_t *c = &r->checksums_section;
	return r->complete && c->type && c->size % 8 == 0 && c->size / 8 == (uint64_t)r->segments.num + 1;
}

bool
sums_segment(struct uscope_reader *r, uint32_t i, const uscope_segment_t *s)
{
	uscope_segment_t before;
	uint8_t stored[8];
	struct xxh64 sum;
	uint64_t from = r->preamble_end;
	int status = !has_sums(r) || (i && seglist_get(r, i - 1, &before));
	if (!status && i)
		from = before.offset + segment_size(&before);
	xxh64_init(&sum);
	bool good = !status && from <= s->offset && !reader_read(r, r->checksums_section.offset + 8 * (uint64_t)i, stored, 8) &&
		!add_bytes(r, &r->window, &sum, from, s->offset + segment_size(s)) && load64(stored) == xxh64_sum(&sum);
	reader_clear(r);
	return good;
}

int
uscope_verify_bytes(uscope_reader_t *r, uscope_verify_fn fn, void *user)
{
	struct sums *s = malloc(sizeof(*s));
	if (!s)
		return status_set(&r->error, USCOPE_E_NOMEM, NO_SEGMENT, 0, "out of memory");
	s->r = r;
	s->fn = fn;
	s->user = user;
	s->count = 0;
	s->stopped = false;
	reader_clear(r);
	int status = check_all(s);
	if (status && !is_ours(status)) {
		const uscope_error_t finding = r->error;
		tell(s, finding.status, finding.segment, finding.offset, finding.reason);
		status = 0;
	}
	int count = s->count;
	free(s);
	return status ? status : count;
}
