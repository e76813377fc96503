/* SPDX-License-Identifier: MIT */
#include "reader.h"

#include "blob.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CHUNK_DEFAULT = 16 * 1024 * 1024,
	LIMIT_DEFAULT = 1024 * 1024 * 1024,
};

/* ---- Open and close. ---- */

static int
open_file(struct uscope_reader *r, const char *path)
{
	struct stat st;
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (r->fd < 0 || fstat(r->fd, &st) != 0)
		return status_set(&r->error, USCOPE_E_IO, NO_SEGMENT, 0, "cannot open: %s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return status_set(&r->error, USCOPE_E_IO, NO_SEGMENT, 0, "not a regular file");
	r->size = (uint64_t)st.st_size;
	return 0;
}

static int
find_segments(struct uscope_reader *r)
{
	const uscope_file_header_t *h = &r->header;
	int status;
	if (h->flags & USCOPE_F_COMPLETE) {
		if ((status = sections_read(r, true)))
			return status;
		if (!r->segments.table && (status = seglist_chain(r, h->tail_offset)))
			return status;
		r->diag[USCOPE_V_COUNT] += h->num_segments != r->segments.num;
		return 0;
	}
	if ((status = seglist_chain(r, h->tail_offset)))
		return status;
	uint64_t end = r->preamble_end;
	uscope_segment_t last;
	if (r->segments.num) {
		if ((status = seglist_get(r, r->segments.num - 1, &last)))
			return status;
		end = last.offset + segment_size(&last);
	}
	r->diag[USCOPE_N_TAIL] += end < r->size;
	return 0;
}

/* Recover mode takes no list on trust. */
static int
check_headers(struct uscope_reader *r)
{
	uscope_segment_t s;
	int status = 0;
	for (uint32_t i = 0; i < r->segments.num && !status; i++)
		status = seglist_get(r, i, &s);
	return status;
}

static int
open_segments(struct uscope_reader *r)
{
	bool complete = r->header.flags & USCOPE_F_COMPLETE;
	int status = USCOPE_E_SEGMENT;
	if (r->mode != USCOPE_RECOVER) {
		r->live = !complete;
		r->complete = complete;
		return find_segments(r);
	}
	if (complete && !(status = find_segments(r)))
		status = check_headers(r);
	if (is_ours(status))
		return status;
	r->complete = complete && !status;
	return status ? scan_segments(r) : 0;
}

/* The first rule broken is an error. */
static int
check_rules(struct uscope_reader *r, int64_t segment, uint64_t offset)
{
	for (unsigned id = 0; id < USCOPE_N_POOL_GAP; id++)
		if (r->diag[id])
			return status_set(&r->error, USCOPE_E_STRICT, segment, offset, "%s: %s", uscope_diag_name(id), uscope_diag_text(id));
	return 0;
}

static int
open_strict(struct uscope_reader *r)
{
	int status = check_rules(r, NO_SEGMENT, 0);
	uscope_segment_t s;
	for (uint32_t i = 0; i < r->segments.num && !status; i++)
		if (!(status = segment_check(r, i, &s)))
			status = check_rules(r, i, s.offset);
	return status;
}

static int
open_all(struct uscope_reader *r, const char *path)
{
	struct stat st;
	int status = open_file(r, path);
	if (status || (status = header_read(r, &r->header)))
		return status;
	/* The header is newer than the size, in a file that grows. */
	if (fstat(r->fd, &st) == 0)
		r->size = (uint64_t)st.st_size;
	if ((status = header_check(r, &r->header)) ||
		(status = preamble_read(r)) || (status = open_segments(r)))
		return status;
	memcpy(r->opened, r->diag, sizeof(r->opened));
	return r->mode == USCOPE_STRICT ? open_strict(r) : 0;
}

uscope_reader_t *
uscope_reader_open_ex(const char *path, const uscope_reader_options_t *options, uscope_error_t *error)
{
	static const uscope_reader_options_t none = { .mode = USCOPE_TOLERANT };
	uscope_error_t unused;
	error = error ? error : &unused;
	options = options ? options : &none;
	if (!path || (unsigned)options->mode > USCOPE_RECOVER) {
		(void)status_set(error, USCOPE_E_ARG, NO_SEGMENT, 0, path ? "no such mode" : "no path");
		return NULL;
	}
	struct uscope_reader *r = calloc(1, sizeof(*r));
	if (!r) {
		(void)status_set(error, USCOPE_E_NOMEM, NO_SEGMENT, 0, "out of memory");
		return NULL;
	}
	r->fd = -1;
	r->mode = options->mode;
	reader_clear(r);
	r->limits = (uscope_reader_options_t){
		.max_raw = options->max_raw ? options->max_raw : LIMIT_DEFAULT,
		.max_checkpoint = options->max_checkpoint ? options->max_checkpoint : LIMIT_DEFAULT,
		.max_state = options->max_state ? options->max_state : LIMIT_DEFAULT,
		.max_chunk = options->max_chunk ? options->max_chunk : CHUNK_DEFAULT,
	};
	int status = open_all(r, path);
	if (!status)
		reader_clear(r);
	*error = r->error;
	if (!status)
		return r;
	uscope_reader_close(r);
	return NULL;
}

uscope_reader_t *
uscope_reader_open(const char *path)
{
	return uscope_reader_open_ex(path, NULL, NULL);
}

void
uscope_reader_close(uscope_reader_t *r)
{
	if (!r)
		return;
	blob_forget(r);
	free(r->packed);
	free(r->extra);
	free(r->strings.last.text);
	summary_close(r->summary);
	seglist_finish(&r->segments);
	uscope_schema_free(r->schema);
	if (r->fd >= 0)
		(void)close(r->fd);
	free(r);
}

/* ---- What it holds. ---- */

int
uscope_reader_status(const uscope_reader_t *r)
{
	return r->error.status;
}

const uscope_error_t *
uscope_reader_error(const uscope_reader_t *r)
{
	return &r->error;
}

uint64_t
uscope_reader_diag(const uscope_reader_t *r, enum uscope_diag id)
{
	return (unsigned)id < USCOPE_NUM_DIAGS ? r->diag[id] : 0;
}

const uscope_file_header_t *
uscope_header(const uscope_reader_t *r)
{
	return &r->header;
}

const uscope_dut_desc_t *
uscope_dut_desc(const uscope_reader_t *r)
{
	return &r->dut;
}

const uscope_schema_t *
uscope_schema(const uscope_reader_t *r)
{
	return r->schema;
}

uint64_t
uscope_checkpoint_interval(const uscope_reader_t *r)
{
	return r->interval;
}

const char *
uscope_scope_protocol(const uscope_reader_t *r, uint16_t scope)
{
	return scope < r->schema->num_scopes ? r->schema->scopes[scope].protocol : NULL;
}

const char *
uscope_dut_property(const uscope_reader_t *r, const char *key)
{
	for (uint32_t i = 0; i < r->dut.num_properties; i++)
		if (strcmp(r->dut.properties[i].key, key) == 0)
			return r->dut.properties[i].value;
	return NULL;
}

bool
uscope_is_complete(const uscope_reader_t *r)
{
	return r->complete;
}

void
uscope_reader_recovery(const uscope_reader_t *r, uscope_recovery_t *report)
{
	*report = r->recovery;
}

uint32_t
uscope_num_segments(const uscope_reader_t *r)
{
	return r->segments.num;
}

int
uscope_segment_info(uscope_reader_t *r, uint32_t i, uscope_segment_t *segment)
{
	reader_clear(r);
	return seglist_get(r, i, segment);
}
