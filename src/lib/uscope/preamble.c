/* SPDX-License-Identifier: MIT */
/* preamble: the header of a file, and the chunks behind it. */
#include "reader.h"

#include <stdlib.h>

enum {
	FLAGS_KNOWN = 0xff,
	CONFIG_SIZE = 8,
};

int
header_read(struct uscope_reader *r, uscope_file_header_t *h)
{
	uint8_t p[FILE_HEADER_SIZE];
	if (r->size < sizeof(p))
		return status_set(&r->error, USCOPE_E_TRUNCATED, NO_SEGMENT, r->size, "the file ends in its header");
	int status = reader_read(r, 0, p, sizeof(p));
	if (status)
		return status;
	if (memcmp(p, FILE_MAGIC, 4) != 0)
		return status_set(&r->error, USCOPE_E_MAGIC, NO_SEGMENT, 0, "not a µScope file");
	/* The flag that a file is complete is written last: what it tells is there when it is. */
	if ((load64(p + AT_FLAGS) & USCOPE_F_COMPLETE) && (status = reader_read(r, 0, p, sizeof(p))))
		return status;
	*h = (uscope_file_header_t){
		.version_major = load16(p + AT_MAJOR),
		.version_minor = load16(p + AT_MINOR),
		.flags = load64(p + AT_FLAGS),
		.total_time_ps = load64(p + AT_TOTAL_TIME),
		.num_segments = load32(p + AT_NUM_SEGMENTS),
		.preamble_end = load32(p + AT_PREAMBLE_END),
		.section_table_offset = load64(p + AT_SECTION_TABLE),
		.tail_offset = load64(p + AT_TAIL),
	};
	return 0;
}

int
header_check(struct uscope_reader *r, const uscope_file_header_t *h)
{
	if (h->version_major != VERSION_MAJOR || h->version_minor > VERSION_MINOR)
		return status_set(&r->error, USCOPE_E_VERSION, NO_SEGMENT, AT_MAJOR, "version %u.%u, and %d.%d is the highest that is known",
			h->version_major, h->version_minor, VERSION_MAJOR, VERSION_MINOR);
	if (h->flags & ~(uint64_t)FLAGS_KNOWN)
		return status_set(&r->error, USCOPE_E_FLAGS, NO_SEGMENT, AT_FLAGS, "flags that are not known: %#llx", (unsigned long long)h->flags);
	if ((h->flags & USCOPE_F_COMP_METHOD) >> 3 > 1)
		return status_set(&r->error, USCOPE_E_FLAGS, NO_SEGMENT, AT_FLAGS, "compression method %u is not known", (unsigned)(h->flags & USCOPE_F_COMP_METHOD) >> 3);
	if (h->preamble_end > r->size)
		return status_set(&r->error, USCOPE_E_TRUNCATED, NO_SEGMENT, r->size, "the file ends in its preamble");
	if (h->preamble_end == 0 && h->tail_offset != 0)
		return status_set(&r->error, USCOPE_E_PREAMBLE, NO_SEGMENT, AT_PREAMBLE_END, "segments without an end of the preamble");
	return 0;
}

struct preamble {
	uint64_t end;   /* as far as chunks may go */
	bool unset;     /* the header has no end: what is cut off is still being written */
	uint64_t found; /* where CHUNK_END ended */
	uint8_t *chunk[CHUNK_CONFIG + 1];
	uint32_t size[CHUNK_CONFIG + 1];
	uint64_t at[CHUNK_CONFIG + 1]; /* of the payload */
};

static int
cut_off(struct uscope_reader *r, const struct preamble *p, uint64_t at, const char *why)
{
	return status_set(&r->error, p->unset ? USCOPE_E_TRUNCATED : USCOPE_E_PREAMBLE, NO_SEGMENT, at, "%s", why);
}

static int
keep_chunk(struct uscope_reader *r, struct preamble *p, uint16_t type, uint64_t at, uint32_t size)
{
	if (p->chunk[type])
		return status_set(&r->error, USCOPE_E_PREAMBLE, NO_SEGMENT, at, "a second chunk of type %u", type);
	if (size > r->limits.max_chunk)
		return status_set(&r->error, USCOPE_E_LIMIT, NO_SEGMENT, at, "a chunk of %u bytes", size);
	p->chunk[type] = malloc((size_t)size + 1);
	if (!p->chunk[type])
		return status_set(&r->error, USCOPE_E_NOMEM, NO_SEGMENT, at, "out of memory");
	p->size[type] = size;
	p->at[type] = at;
	return reader_read(r, at, p->chunk[type], size);
}

static int
read_chunks(struct uscope_reader *r, struct preamble *p)
{
	uint64_t at = FILE_HEADER_SIZE;
	for (;;) {
		uint8_t head[CHUNK_HEADER_SIZE];
		if (at == p->end && p->unset) {
			r->open_preamble = true;
			break;
		}
		if (at > p->end || sizeof(head) > p->end - at)
			return cut_off(r, p, at, "the preamble has no end");
		int status = reader_read(r, at, head, sizeof(head));
		if (status)
			return status;
		uint16_t type = load16(head);
		uint32_t size = load32(head + 4);
		at += sizeof(head);
		if (align8(size) > p->end - at)
			return cut_off(r, p, at, "a chunk passes the end of the preamble");
		if (load16(head + 2))
			r->diag[USCOPE_N_CHUNK_FLAGS]++;
		r->checksums = r->checksums || type == CHUNK_CHECKSUMS;
		if (type >= CHUNK_DUT && type <= CHUNK_CONFIG && (status = keep_chunk(r, p, type, at, size)))
			return status;
		at += align8(size);
		if (type == CHUNK_END)
			break;
	}
	p->found = at;
	return 0;
}

static int
use_chunks(struct uscope_reader *r, struct preamble *p)
{
	static const char *const names[] = { "", "description of the DUT", "schema", "trace configuration" };
	for (unsigned type = CHUNK_DUT; type <= CHUNK_CONFIG; type++)
		if (!p->chunk[type])
			return status_set(&r->error, p->unset ? USCOPE_E_TRUNCATED : USCOPE_E_PREAMBLE, NO_SEGMENT, p->found, "the preamble has no %s", names[type]);
	if (p->size[CHUNK_CONFIG] < CONFIG_SIZE)
		return status_set(&r->error, USCOPE_E_PREAMBLE, NO_SEGMENT, p->at[CHUNK_CONFIG], "the trace configuration is cut off");
	r->interval = load64(p->chunk[CHUNK_CONFIG]);
	struct schema_bytes bytes = {
		.dut = p->chunk[CHUNK_DUT],
		.schema = p->chunk[CHUNK_SCHEMA],
		.dut_size = p->size[CHUNK_DUT],
		.schema_size = p->size[CHUNK_SCHEMA],
	};
	return schema_decode(&bytes, r->header.version_minor, p->at[CHUNK_SCHEMA], r->diag, &r->schema, &r->dut, &r->error);
}

int
preamble_read(struct uscope_reader *r)
{
	struct preamble p = {
		.end = r->header.preamble_end ? r->header.preamble_end : r->size,
		.unset = r->header.preamble_end == 0,
	};
	int status = read_chunks(r, &p);
	if (!status)
		status = use_chunks(r, &p);
	for (unsigned type = CHUNK_DUT; type <= CHUNK_CONFIG; type++)
		free(p.chunk[type]);
	r->preamble_end = p.unset ? p.found : p.end;
	if (!status && !p.unset && p.found < p.end)
		r->diag[USCOPE_N_PREAMBLE_TAIL]++;
	return status;
}
