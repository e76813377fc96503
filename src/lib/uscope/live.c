/* SPDX-License-Identifier: MIT */
/* live: a file that grows. Segments exist when tail_offset leads to them, as the writer stores it last. */
#include "reader.h"

#include <errno.h>
#include <sys/stat.h>

static int
replaced(struct uscope_reader *r, const char *why)
{
	return status_set(&r->error, USCOPE_E_SEGMENT, NO_SEGMENT, 0, "another file is in its place: %s", why);
}

/* Checks that a header that was read again is of the same trace. */
static int
compare(struct uscope_reader *r, const uscope_file_header_t *h)
{
	const uscope_file_header_t *was = &r->header;
	uint64_t closing = USCOPE_F_COMPLETE | USCOPE_F_HAS_STRINGS;
	if (h->version_major != was->version_major || h->version_minor != was->version_minor || (h->flags | closing) != (was->flags | closing))
		return replaced(r, "its version or its flags have changed");
	if (h->preamble_end != was->preamble_end && (was->preamble_end || h->preamble_end < r->preamble_end || h->preamble_end > r->size))
		return replaced(r, "its preamble has changed");
	if (h->tail_offset < (r->segments.num ? r->segments.offsets[r->segments.num - 1] : 0))
		return replaced(r, "its last segment is before the one seen last");
	return 0;
}

/* Reads the tables. Diagnostics that they raise belong to no segment. */
static int
finalize(struct uscope_reader *r)
{
	uint64_t before[USCOPE_NUM_DIAGS];
	memcpy(before, r->diag, sizeof(before));
	int status = sections_read(r, false);
	if (status) {
		memcpy(r->diag, before, sizeof(before));
		return status;
	}
	r->complete = true;
	r->live = false;
	r->diag[USCOPE_V_COUNT] += r->header.num_segments != r->segments.num;
	for (unsigned id = 0; id < USCOPE_NUM_DIAGS; id++)
		r->opened[id] += r->diag[id] - before[id];
	return 0;
}

static int
poll_file(struct uscope_reader *r)
{
	uscope_file_header_t h;
	struct stat st;
	if (fstat(r->fd, &st) != 0)
		return status_set(&r->error, USCOPE_E_IO, NO_SEGMENT, 0, "cannot inspect: %s", strerror(errno));
	r->size = (uint64_t)st.st_size;
	int status = header_read(r, &h);
	if (status == USCOPE_E_TRUNCATED || status == USCOPE_E_MAGIC)
		return replaced(r, "it has no header");
	if (status || (status = compare(r, &h)))
		return status;
	/* The header is newer than the size. */
	if (fstat(r->fd, &st) == 0)
		r->size = (uint64_t)st.st_size;
	if (h.preamble_end)
		r->preamble_end = h.preamble_end;

	uint64_t known = r->segments.num ? r->segments.offsets[r->segments.num - 1] : 0;
	if (h.tail_offset != known) {
		status = seglist_chain(r, h.tail_offset);
		if (status == USCOPE_E_STATE)
			return replaced(r, "the last segment does not lead to those seen before");
		if (is_ours(status))
			return status;
		if (status) {
			/* Not all there yet: the next poll looks again. */
			reader_clear(r);
			return 0;
		}
	}
	uscope_file_header_t was = r->header;
	r->header = h;
	if (h.flags & USCOPE_F_COMPLETE && (status = finalize(r)))
		r->header = was;
	return status;
}

bool
uscope_poll_new_segments(uscope_reader_t *r)
{
	uint32_t before = r->segments.num;
	reader_clear(r);
	if (r->live)
		(void)poll_file(r);
	return r->segments.num > before;
}
