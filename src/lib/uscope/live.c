/* SPDX-License-Identifier: MIT */
/* live: a file that grows. Segments exist when tail_offset leads to them, as the writer stores it last. */
#include "reader.h"

#include <errno.h>
#include <sys/stat.h>

static int
replaced(const char *why, uscope_error_t *error)
{
	return status_set(error, USCOPE_E_SEGMENT, NO_SEGMENT, 0, "another file is in its place: %s", why);
}

/* Checks that a header that was read again is of the same trace. */
static int
compare(const struct uscope_reader *r, const file_header_t *h, uscope_error_t *error)
{
	const file_header_t *was = &r->header;
	uint64_t closing = USCOPE_F_COMPLETE | USCOPE_F_HAS_STRINGS;
	if (h->version_major != was->version_major || h->version_minor != was->version_minor || (h->flags | closing) != (was->flags | closing))
		return replaced("its version or its flags have changed", error);
	if (h->preamble_end != was->preamble_end && (was->preamble_end || h->preamble_end < r->preamble_end || h->preamble_end > r->size))
		return replaced("its preamble has changed", error);
	if (h->tail_offset < (r->segments.num ? r->segments.offsets[r->segments.num - 1] : 0))
		return replaced("its last segment is before the one seen last", error);
	return 0;
}

/* Reads the tables. Diagnostics that they raise belong to no segment. */
static int
finalize(struct uscope_reader *r, uscope_error_t *error)
{
	uint64_t before[USCOPE_NUM_DIAGS];
	memcpy(before, r->diag, sizeof(before));
	int status = sections_read(r, false, error);
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
poll_file(struct uscope_reader *r, uscope_error_t *error)
{
	file_header_t h;
	struct stat st;
	if (fstat(r->fd, &st) != 0)
		return status_set(error, USCOPE_E_IO, NO_SEGMENT, 0, "cannot inspect: %s", strerror(errno));
	r->size = (uint64_t)st.st_size;
	int status = header_read(r, &h, error);
	if (status == USCOPE_E_TRUNCATED || status == USCOPE_E_MAGIC)
		return replaced("it has no header", error);
	if (status || (status = compare(r, &h, error)))
		return status;
	/* The header is newer than the size. */
	if (fstat(r->fd, &st) == 0)
		r->size = (uint64_t)st.st_size;
	if (h.preamble_end)
		r->preamble_end = h.preamble_end;

	uint64_t known = r->segments.num ? r->segments.offsets[r->segments.num - 1] : 0;
	if (h.tail_offset != known) {
		status = seglist_chain(r, h.tail_offset, error);
		if (status == USCOPE_E_STATE)
			return replaced("the last segment does not lead to those seen before", error);
		if (status == USCOPE_E_NOMEM || status == USCOPE_E_IO)
			return status;
		if (status) {
			/* Not all there yet: the next poll looks again. */
			*error = (uscope_error_t){ .segment = NO_SEGMENT };
			return 0;
		}
	}
	file_header_t was = r->header;
	r->header = h;
	if (h.flags & USCOPE_F_COMPLETE && (status = finalize(r, error)))
		r->header = was;
	return status;
}

bool
uscope_poll_new_segments(uscope_reader_t *r)
{
	uscope_error_t error = { .segment = NO_SEGMENT };
	uint32_t before = r->segments.num;
	if (r->live)
		(void)poll_file(r, &error);
	r->error = error;
	return r->segments.num > before;
}
