/* SPDX-License-Identifier: MIT */
/* writeropen: options, the first bytes of the file, and the memory of a writer. */
#include "fileout.h"
#include "status.h"
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <lz4.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

enum {
	MAX_RAW_LOW = 1 << 20,  /* the default is between these, */
	MAX_RAW_MEAN = 4 << 20, /* and at most this if the checkpoints are a small part of it */
	MAX_RAW_HIGH = 64 << 20,
	CHECKPOINTS = 64, /* that the deltas of a segment are, as they are compressed and checkpoints are not */
	CHECKPOINTS_LEAST = 16,
	DEFAULT_ZSTD_LEVEL = 3,
	FIRST_RAW = 64 * 1024,
	COMPACT_STORAGES = 256, /* that a compact operation can name */
};

/* ---- Options. ---- */

static size_t
most_raw(const uscope_writer_options_t *o)
{
	return o->compression == USCOPE_LZ4 ? LZ4_MAX_INPUT_SIZE : UINT32_MAX;
}

static int
refuse(uscope_error_t *error, int status, const char *why)
{
	return status_set(error, status, -1, 0, "%s", why);
}

/* Puts in the defaults. 0, E_ARG, E_RANGE. */
static int
check_options(uscope_writer_options_t *o, uscope_error_t *error)
{
	if ((unsigned)o->frames > USCOPE_COMPACT)
		return refuse(error, USCOPE_E_ARG, "options: there are no such frames");
	if ((unsigned)o->compression > USCOPE_RAW)
		return refuse(error, USCOPE_E_ARG, "options: there is no such compression");
	if (o->compression == USCOPE_LZ4 && o->level < 0)
		return refuse(error, USCOPE_E_ARG, "options: the level of LZ4 is negative");
	if (o->compression == USCOPE_ZSTD && (o->level < ZSTD_minCLevel() || o->level > ZSTD_maxCLevel()))
		return refuse(error, USCOPE_E_ARG, "options: ZSTD has no such level");
	if (o->level == 0 && o->compression == USCOPE_ZSTD)
		o->level = DEFAULT_ZSTD_LEVEL;
	if (o->level == 0 && o->frames != USCOPE_INTERLEAVED)
		o->level = 1;
	if (o->origin_ps > MAX_TIME)
		return refuse(error, USCOPE_E_RANGE, "options: the origin is after the last possible time");
	if (o->max_raw > most_raw(o))
		return refuse(error, USCOPE_E_ARG, "options: max_raw is more than a segment can have");
	if (!o->no_summary && o->summary_fan_out == 1)
		return refuse(error, USCOPE_E_ARG, "options: a summary with a fan-out of 1 has no end");
	return USCOPE_OK;
}

/* Small segments: a state is found soon, and a writer that is killed loses little. */
static uint64_t
default_max_raw(const uscope_schema_t *schema)
{
	uint64_t checkpoint = state_checkpoint_max(schema);
	if (CHECKPOINTS * checkpoint <= MAX_RAW_MEAN)
		return CHECKPOINTS * checkpoint < MAX_RAW_LOW ? MAX_RAW_LOW : CHECKPOINTS * checkpoint;
	uint64_t least = CHECKPOINTS_LEAST * checkpoint;
	return least < MAX_RAW_MEAN ? MAX_RAW_MEAN : least < MAX_RAW_HIGH ? least
									  : MAX_RAW_HIGH;
}

static uint64_t
flags_of(const uscope_writer_options_t *o)
{
	uint64_t flags = 0;
	if (o->compression != USCOPE_RAW)
		flags |= USCOPE_F_COMPRESSED;
	if (o->compression == USCOPE_ZSTD)
		flags |= 1 << 3; /* the method */
	if (o->frames == USCOPE_INTERLEAVED)
		flags |= USCOPE_F_INTERLEAVED;
	if (o->frames == USCOPE_COMPACT)
		flags |= USCOPE_F_COMPACT_DELTAS;
	return flags;
}

/* ---- Header and preamble. ---- */

static uint8_t *
put_chunk(uint8_t *p, uint16_t type, const uint8_t *payload, size_t n)
{
	store16(p, type);
	store16(p + 2, 0);
	store32(p + 4, (uint32_t)n);
	p += CHUNK_HEADER_SIZE;
	if (n)
		memcpy(p, payload, n);
	memset(p + n, 0, (size_t)align8(n) - n);
	return p + align8(n);
}

/* One write, so that nobody sees a half. *size: its bytes. */
static int
write_preamble(uscope_writer_t *w, const struct schema_bytes *bytes, size_t *size)
{
	uint8_t interval[8];
	*size = FILE_HEADER_SIZE + (size_t)CHUNK_HEADER_SIZE * (w->options.no_checksums ? 4 : 5) + (size_t)align8(bytes->dut_size) +
		(size_t)align8(bytes->schema_size) + sizeof(interval);
	uint8_t *h = calloc(1, *size);
	if (!h)
		return USCOPE_E_NOMEM;
	store32(h + AT_MAGIC, load32((const uint8_t *)FILE_MAGIC));
	store16(h + AT_MAJOR, VERSION_MAJOR);
	store16(h + AT_MINOR, VERSION_MINOR);
	store64(h + AT_FLAGS, flags_of(&w->options));
	store32(h + AT_PREAMBLE_END, (uint32_t)*size);
	store64(interval, w->options.interval_ps);
	uint8_t *p = h + FILE_HEADER_SIZE;
	p = put_chunk(p, CHUNK_DUT, bytes->dut, bytes->dut_size);
	p = put_chunk(p, CHUNK_SCHEMA, bytes->schema, bytes->schema_size);
	p = put_chunk(p, CHUNK_CONFIG, interval, sizeof(interval));
	if (!w->options.no_checksums)
		p = put_chunk(p, CHUNK_CHECKSUMS, NULL, 0);
	(void)put_chunk(p, CHUNK_END, NULL, 0);
	memcpy(w->head, h, sizeof(w->head));
	xxh64_init(&w->rest);
	xxh64_add(&w->rest, h + sizeof(w->head), *size - sizeof(w->head));
	int status = file_write(&w->to, h, *size, 0);
	free(h);
	return status;
}

/* ---- Memory. ---- */

static void
mark_fields(const struct state_field *fields, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		mark_field((struct state_field *)&fields[i]); /* of our own state */
}

static int
make_summary(uscope_writer_t *w)
{
	const uscope_writer_options_t *o = &w->options;
	if (o->no_summary)
		return USCOPE_OK;
	w->summary = calloc(1, sizeof(*w->summary));
	w->counter_of = malloc(((size_t)w->nstorages + 1) * sizeof(*w->counter_of));
	if (!w->summary || !w->counter_of)
		return USCOPE_E_NOMEM;
	int status = pyramid_init(w->summary, w->schema, o->summary_base, o->summary_fan_out, o->summary_budget);
	if (status || o->no_auto_summary)
		return status;
	int32_t storage;
	int32_t field;
	status = pyramid_auto(w->summary, w->schema, w->counter_of, &storage, &field);
	if (status)
		return status;
	for (uint32_t i = 0; i < w->nstorages; i++)
		if (w->counter_of[i] >= 0)
			((struct state_field *)w->storages[i].fields)->mark |= MARK_COUNTER;
	if (storage >= 0)
		((struct state_field *)&w->storages[storage].fields[field])->mark |= MARK_DENSITY;
	return USCOPE_OK;
}

static int
make_segments(uscope_writer_t *w)
{
	size_t checkpoint = SEGMENT_LEAD + (size_t)state_checkpoint_max(w->schema);
	for (int i = 0; i < (w->options.background ? 2 : 1); i++) {
		struct segment *g = &w->segments[i];
		g->raw = malloc(FIRST_RAW);
		g->raw_cap = FIRST_RAW;
		g->checkpoint = malloc(checkpoint);
		if (!g->raw || !g->checkpoint)
			return USCOPE_E_NOMEM;
		if (w->options.compression == USCOPE_LZ4 && w->options.level == 0 && !(g->lz4 = calloc(1, sizeof(*g->lz4))))
			return USCOPE_E_NOMEM;
	}
	w->segment = &w->segments[0];
	w->segment->start = w->options.origin_ps;
	w->p = w->segment->raw;
	w->position = w->latest.since = LZ4_FAR; /* 0 is before all */
	return USCOPE_OK;
}

/* Puts what a SET needs of each field into w->plain. */
static bool
make_plain(uscope_writer_t *w)
{
	uint32_t n = w->nplain + w->ncompared; /* one of them is 0 */
	size_t nfields = 0;
	for (uint32_t i = 0; i < n; i++)
		nfields += w->storages[i].num_fields;
	struct plain_field *f = malloc((nfields + 1) * sizeof(*f));
	w->plain = malloc((n + 1) * sizeof(*w->plain));
	w->plain_fields = f;
	if (!f || !w->plain)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct state_storage *st = &w->storages[i];
		w->plain[i] = (struct plain_storage){ f, st->num_fields };
		for (uint32_t k = 0; k < st->num_fields; k++) {
			uint64_t most = st->fields[k].mark & MARK_DENSITY ? 0 : UINT64_C(1) + UINT16_MAX;
			*f++ = (struct plain_field){
				.data = st->slots + st->fields[k].offset,
				.valid = st->valid,
				.num_valid = &w->storages[i].num_valid,
				.head = TAG_COMPACT | USCOPE_SLOT_SET << 8 | i << 16 | (uint64_t)k << 40,
				.slot_size = st->slot_size,
				.num_slots = st->num_slots,
				.most = (uint32_t)(most <= ~st->fields[k].cut ? most : ~st->fields[k].cut + 1),
				.size = st->fields[k].size,
			};
		}
	}
	return true;
}

static int
make_state(uscope_writer_t *w)
{
	w->state = state_new(w->schema);
	if (!w->state)
		return USCOPE_E_NOMEM;
	w->storages = w->state->storages;
	w->nstorages = w->state->num_storages;
	uint32_t compact = w->nstorages < COMPACT_STORAGES ? w->nstorages : COMPACT_STORAGES;
	w->nplain = w->v01 || w->options.only_changes ? 0 : compact;
	w->ncompared = w->v01 || !w->options.only_changes ? 0 : compact;
	for (uint32_t i = 0; i < w->nstorages; i++) {
		mark_fields(w->storages[i].fields, w->storages[i].num_fields);
		mark_fields(w->storages[i].properties, w->storages[i].num_properties);
	}
	(void)uscope_set_tick(w, 1);
	int status = make_summary(w);
	if (!status && !make_plain(w))
		status = USCOPE_E_NOMEM;
	return status ? status : make_segments(w);
}

void
writer_free(uscope_writer_t *w)
{
	if (w->out)
		segmentout_close(w->out);
	free(w->out);
	if (w->to.fd >= 0)
		(void)close(w->to.fd);
	for (int i = 0; i < 2; i++) {
		free(w->segments[i].raw);
		free(w->segments[i].checkpoint);
		if (w->segments[i].lz4)
			lz4frames_finish(w->segments[i].lz4);
		free(w->segments[i].lz4);
	}
	if (w->summary)
		pyramid_finish(w->summary);
	free(w->summary);
	free(w->counter_of);
	free(w->events);
	latest_finish(&w->latest);
	textset_finish(&w->strings);
	for (int i = 0; i < w->nextra; i++)
		free(w->extra[i].bytes);
	uscope_state_free(w->state);
	free(w->plain);
	free(w->plain_fields);
	if (w->schema)
		uscope_schema_free((uscope_schema_t *)w->schema);
	free(w);
}

/* ---- Open. ---- */

/* The file is touched only when all else is well. */
static int
open_file(uscope_writer_t *w, const char *path, const struct schema_bytes *bytes)
{
	if (path && ((w->to.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0 || lseek(w->to.fd, 0, SEEK_SET) < 0))
		return USCOPE_E_IO;
	size_t size;
	int status = write_preamble(w, bytes, &size);
	if (!status) {
		w->out = malloc(sizeof(*w->out));
		status = w->out ? segmentout_open(w->out, w->to, &w->options, size) : USCOPE_E_NOMEM;
	}
	return status;
}

static int
open_all(uscope_writer_t *w, const char *path, const uscope_dut_desc_t *dut, const uscope_schema_t *schema, uscope_error_t *error)
{
	int status = check_options(&w->options, error);
	if (status || (status = schema_check(schema, error)))
		return status;
	if (state_checkpoint_max(schema) > UINT32_MAX)
		return refuse(error, USCOPE_E_LIMIT, "a checkpoint of all storages needs more than 4 GiB");
	if (w->options.max_raw == 0)
		w->options.max_raw = default_max_raw(schema);
	w->schema = schema_ref(schema);
	w->most = most_raw(&w->options);
	w->min_time = w->options.origin_ps;
	w->next_grid = UINT64_MAX;
	if (w->options.interval_ps && w->options.interval_ps <= UINT64_MAX - w->options.origin_ps)
		w->next_grid = w->options.origin_ps + w->options.interval_ps;
	w->v01 = w->options.frames != USCOPE_INTERLEAVED;
	frame_form(w, w->options.frames == USCOPE_WIDE);
	status = make_state(w);
	if (status)
		return status;

	struct schema_bytes bytes;
	status = schema_encode(schema, dut, &bytes, error);
	if (status)
		return status;
	status = open_file(w, path, &bytes);
	int saved = errno;
	free(bytes.dut);
	free(bytes.schema);
	errno = saved;
	return status;
}

uscope_writer_t *
uscope_writer_open_to(const char *path, const struct uscope_taker *to, const uscope_dut_desc_t *dut, const uscope_schema_t *schema,
	const uscope_writer_options_t *options, int *status)
{
	uscope_error_t error = { .segment = -1 };
	bool somewhere = path || to;
	uscope_writer_t *w = somewhere && schema ? calloc(1, sizeof(*w)) : NULL;
	int rc = USCOPE_E_NOMEM;
	if (!somewhere || !schema) {
		rc = refuse(&error, USCOPE_E_ARG, somewhere ? "there is no schema" : "there is no path");
	} else if (w) {
		w->to.fd = -1;
		if (to)
			w->to.app = *to;
		w->mode = MODE_IDLE;
		if (options)
			w->options = *options;
		w->options.error = NULL; /* of the caller, for this call only */
		rc = open_all(w, path, dut, schema, &error);
	}
	int saved = errno;
	if (rc && !error.status)
		(void)refuse(&error, rc, rc == USCOPE_E_IO ? strerror(saved) : uscope_status_text(rc));
	if (rc && w) {
		writer_free(w);
		w = NULL;
	}
	if (options && options->error)
		*options->error = error;
	if (status)
		*status = error.status;
	errno = saved;
	return w;
}

uscope_writer_t *
uscope_writer_open_ex(const char *path, const uscope_dut_desc_t *dut, const uscope_schema_t *schema,
	const uscope_writer_options_t *options, int *status)
{
	return uscope_writer_open_to(path, NULL, dut, schema, options, status);
}

uscope_writer_t *
uscope_writer_open(const char *path, const uscope_dut_desc_t *dut, const uscope_schema_t *schema, uint64_t checkpoint_interval_ps)
{
	const uscope_writer_options_t options = { .interval_ps = checkpoint_interval_ps };
	return uscope_writer_open_ex(path, dut, schema, &options, NULL);
}
