/* SPDX-License-Identifier: MIT */
/* recover: a complete file out of one whose writer did not finish, or that is damaged. */
#include "fileout.h"
#include "framein.h"
#include "pyramid.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct recover {
	struct uscope_reader *r;
	uscope_recovery_t report;
	uint64_t *sums;        /* of the segments in the new file */
	uint8_t *kept;         /* a bit per segment of the old file */
	uint64_t preamble_end; /* in the new one */
	uint64_t tail;         /* offset of the last segment in the new one */
	uint64_t last;         /* time of the last frame */
	uint64_t deltas;       /* bytes of them in the file */
	bool has_frames;
	bool lost; /* the last segment was left out */

	/* Summary. */
	struct pyramid pyramid;
	int32_t *counter_of;
	int32_t density_storage, density_field;
	bool copy_summary; /* no segment is lost: the old one is still right */
	bool copy_extra;   /* nor is any byte: sections of applications are, too */

	struct xxh64 rest; /* sum of what lies in the file besides segments */
	struct fileout out;
	uint8_t buf[READ_WINDOW];
};

static int
no_memory(struct uscope_reader *r)
{
	return status_set(&r->error, USCOPE_E_NOMEM, NO_SEGMENT, 0, "out of memory");
}

static int
cannot_write(struct uscope_reader *r)
{
	return status_set(&r->error, USCOPE_E_IO, NO_SEGMENT, 0, "cannot write: %s", strerror(errno));
}

static int
copy(struct recover *c, uint64_t offset, uint64_t n)
{
	while (n > 0) {
		size_t k = n < sizeof(c->buf) ? (size_t)n : sizeof(c->buf);
		int status = reader_read(c->r, offset, c->buf, k);
		if (status)
			return status;
		fileout_put(&c->out, c->buf, k);
		if (c->out.status)
			return cannot_write(c->r);
		offset += k;
		n -= k;
	}
	return 0;
}

/* ---- Segments. ---- */

/* Counts an operation in the new summary, by the rules of the writer. */
static int
count_op(struct recover *c, const uscope_item_t *item)
{
	const uscope_storage_t *st = &c->r->schema->storages[item->storage];
	uint32_t n = c->counter_of[item->storage] >= 0;
	if (item->action == USCOPE_SLOT_ADD && n)
		return pyramid_add(&c->pyramid, (uint32_t)c->counter_of[item->storage], item->time_ps, item->value);
	if (item->action == USCOPE_SLOT_SET && item->storage == c->density_storage && item->field == c->density_field && item->slot < st->num_slots)
		return pyramid_density(&c->pyramid, item->time_ps, 1);
	return 0;
}

/* The frames of a segment that is known to be good. */
static int
count_segment(struct recover *c, uint32_t i, const uscope_segment_t *s)
{
	struct framein f;
	int status = framein_open(&f, c->r, i, s, false);
	if (status)
		return status;
	uscope_item_t item;
	while ((status = framein_next(&f, &item)) > 0) {
		if (item.kind == USCOPE_ITEM_FRAME && (!c->has_frames || item.time_ps > c->last)) {
			c->last = item.time_ps;
			c->has_frames = true;
		}
		if (item.kind == USCOPE_ITEM_OP && !item.bad && !c->copy_summary && count_op(c, &item)) {
			status = no_memory(c->r);
			break;
		}
	}
	framein_close(&f);
	return status;
}

static int
copy_segment(struct recover *c, const uscope_segment_t *s)
{
	uint8_t head[SEGMENT_HEADER_SIZE];
	int status = reader_read(c->r, s->offset, head, sizeof(head));
	if (status)
		return status;
	store64(head + SEG_PREV, c->tail);
	c->deltas += s->compressed_size;
	struct xxh64 sum;
	xxh64_init(&sum);
	fileout_sum(&c->out, &sum);
	fileout_align(&c->out);
	c->tail = c->out.at;
	fileout_put(&c->out, head, sizeof(head));
	status = copy(c, s->offset + sizeof(head), segment_size(s) - sizeof(head));
	fileout_sum(&c->out, &c->rest);
	c->sums[c->report.segments] = xxh64_sum(&sum);
	return status;
}

static int
copy_segments(struct recover *c)
{
	struct uscope_reader *r = c->r;
	for (uint32_t i = 0; i < r->segments.num; i++) {
		uscope_segment_t s;
		int status = segment_check(r, i, &s);
		if (is_ours(status))
			return status;
		if (status) {
			c->report.holes += !c->lost;
			c->report.discarded += seglist_get(r, i, &s) ? 0 : segment_size(&s);
			c->lost = true;
			continue;
		}
		c->lost = false;
		if ((status = count_segment(c, i, &s)) || (status = copy_segment(c, &s)))
			return status;
		c->kept[i / 8] |= (uint8_t)(1u << i % 8);
		c->report.segments++;
	}
	return 0;
}

/* Writes the table of the segments, whose offsets follow from their sizes. */
static int
write_table(struct recover *c, uint64_t at)
{
	for (uint32_t i = 0; i < c->r->segments.num; i++) {
		uscope_segment_t s;
		if (!(c->kept[i / 8] >> i % 8 & 1))
			continue;
		int status = seglist_get(c->r, i, &s);
		if (status)
			return status;
		at = align8(at);
		fileout_number(&c->out, 8, at);
		fileout_number(&c->out, 8, s.time_start_ps);
		fileout_number(&c->out, 8, s.time_end_ps);
		at += segment_size(&s);
	}
	return 0;
}

/* ---- The rest. ---- */

static int
copy_section(struct recover *c, uint16_t type, const uscope_section_t *old)
{
	fileout_begin(&c->out, type);
	int status = copy(c, old->offset, old->size);
	fileout_end(&c->out);
	return status;
}

/* Copies the sections of applications, which nobody here can read. */
static int
copy_extra(struct recover *c)
{
	uscope_section_t s;
	int status = 0;
	unsigned n = 0;
	for (uint32_t i = 0; !status && n < SECTIONS_EXTRA && uscope_section_info(c->r, i, &s); i++) {
		if (s.type < SECTION_FIRST_EXTRA || s.type == USCOPE_SECTION_CHECKSUMS)
			continue;
		status = copy_section(c, s.type, &s);
		n++;
	}
	return status;
}

/* *last: offset of the last checksum. */
static int
write_sections(struct recover *c, uint64_t first, uint64_t *last)
{
	struct uscope_reader *r = c->r;
	bool summary = false;
	int status = r->strings.num ? copy_section(c, USCOPE_SECTION_STRINGS, &r->strings_section) : 0;
	if (!status && c->copy_summary)
		status = copy_section(c, USCOPE_SECTION_COUNTER_SUMMARY, &r->summary_section);
	else if (!status && c->has_frames && pyramid_close(&c->pyramid, c->last, c->deltas, &summary))
		status = no_memory(r);
	if (status)
		return status;
	if (summary) {
		fileout_begin(&c->out, USCOPE_SECTION_COUNTER_SUMMARY);
		pyramid_write(&c->pyramid, &c->out);
		fileout_end(&c->out);
	}
	fileout_begin(&c->out, USCOPE_SECTION_SEGMENTS);
	status = write_table(c, first);
	fileout_end(&c->out);
	if (status || (c->copy_extra && (status = copy_extra(c))))
		return status;
	fileout_begin(&c->out, USCOPE_SECTION_CHECKSUMS);
	for (uint32_t i = 0; i < c->report.segments; i++)
		fileout_number(&c->out, 8, c->sums[i]);
	*last = fileout_end_checksums(&c->out);
	return 0;
}

/* The header of a file that is not complete yet, or is. */
static void
make_header(const struct recover *c, bool complete, uint64_t table, uint8_t *p)
{
	const struct uscope_reader *r = c->r;
	uint64_t flags = r->header.flags & ~(uint64_t)(USCOPE_F_COMPLETE | USCOPE_F_HAS_STRINGS);
	memset(p, 0, FILE_HEADER_SIZE);
	store32(p, load32((const uint8_t *)FILE_MAGIC));
	store16(p + AT_MAJOR, r->header.version_major);
	store16(p + AT_MINOR, r->header.version_minor);
	store32(p + AT_PREAMBLE_END, (uint32_t)c->preamble_end);
	if (complete) {
		flags |= USCOPE_F_COMPLETE | (r->strings.num ? USCOPE_F_HAS_STRINGS : 0);
		uint64_t total = c->last;
		if (r->complete && r->header.total_time_ps > total)
			total = r->header.total_time_ps;
		store64(p + AT_TOTAL_TIME, total);
		store32(p + AT_NUM_SEGMENTS, c->report.segments);
		store64(p + AT_SECTION_TABLE, table);
		store64(p + AT_TAIL, c->tail);
	}
	store64(p + AT_FLAGS, flags);
}

static int
write_all(struct recover *c)
{
	struct uscope_reader *r = c->r;
	uint8_t head[FILE_HEADER_SIZE];
	static const uint8_t end[CHUNK_HEADER_SIZE]; /* CHUNK_END, empty */
	c->preamble_end = r->preamble_end + (r->open_preamble ? sizeof(end) : 0);
	if (c->preamble_end > UINT32_MAX)
		return status_set(&r->error, USCOPE_E_LIMIT, NO_SEGMENT, r->preamble_end, "a preamble of more than 4 GiB");
	make_header(c, false, 0, head);
	fileout_put(&c->out, head, sizeof(head));
	xxh64_init(&c->rest);
	fileout_sum(&c->out, &c->rest);
	int status = copy(c, FILE_HEADER_SIZE, r->preamble_end - FILE_HEADER_SIZE);
	if (r->open_preamble)
		fileout_put(&c->out, end, sizeof(end));
	uint64_t first = c->out.at;
	if (status || (status = copy_segments(c)))
		return status;
	if (c->copy_summary && c->report.holes)
		return status_set(&r->error, USCOPE_E_TRUNCATED, NO_SEGMENT, 0, "the file has become shorter");
	uint64_t last;
	if ((status = write_sections(c, first, &last)))
		return status;
	uint64_t table = fileout_table(&c->out);
	make_header(c, true, table, head);
	(void)fileout_flush(&c->out);
	xxh64_add(&c->rest, head, sizeof(head));
	if (c->out.status || file_number(&c->out.to, 8, xxh64_sum(&c->rest), last) || file_write(&c->out.to, head, sizeof(head), 0))
		return cannot_write(c->r);
	return 0;
}

static int
start(struct recover *c, struct uscope_reader *r, int fd)
{
	c->r = r;
	c->report = r->recovery;
	c->report.segments = 0;
	fileout_init(&c->out, (struct file_to){ .fd = fd }, 0);
	c->kept = calloc((size_t)r->segments.num / 8 + 1, 1);
	c->sums = calloc((size_t)r->segments.num + 1, sizeof(*c->sums));
	c->counter_of = calloc((size_t)r->schema->num_storages + 1, sizeof(*c->counter_of));
	if (!c->kept || !c->sums || !c->counter_of || pyramid_init(&c->pyramid, r->schema, 0, 0, 0) ||
		pyramid_auto(&c->pyramid, r->schema, c->counter_of, &c->density_storage, &c->density_field))
		return no_memory(r);
	return 0;
}

/* Finds out what of the old file is right for the new one, which has no segment less. Decodes them all. */
static int
check_whole(struct recover *c, struct uscope_reader *r)
{
	bool good = r->complete && r->recovery.holes == 0;
	for (uint32_t i = 0; i < r->segments.num && good; i++) {
		uscope_segment_t s;
		int status = segment_check(r, i, &s);
		if (is_ours(status))
			return status;
		good = !status;
	}
	int findings = good ? uscope_verify_bytes(r, NULL, NULL) : 0;
	c->copy_summary = good && r->summary;
	c->copy_extra = good && findings == 0;
	return findings < 0 ? findings : 0;
}

static int
rewrite(struct uscope_reader *r, int fd, uscope_recovery_t *report)
{
	struct recover *c = calloc(1, sizeof(*c));
	if (!c)
		return no_memory(r);
	int status = check_whole(c, r);
	if (!status && !(status = start(c, r, fd)))
		status = write_all(c);
	*report = c->report;
	pyramid_finish(&c->pyramid);
	free(c->kept);
	free(c->sums);
	free(c->counter_of);
	free(c);
	return status;
}

static int
recover(struct uscope_reader *r, const char *out, uscope_recovery_t *report)
{
	struct stat a, b;
	if (stat(out, &b) == 0 && fstat(r->fd, &a) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		return status_set(&r->error, USCOPE_E_ARG, NO_SEGMENT, 0, "a file cannot be recovered into itself");
	int fd = open(out, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return status_set(&r->error, USCOPE_E_IO, NO_SEGMENT, 0, "cannot create the new file: %s", strerror(errno));
	int status = rewrite(r, fd, report);
	if (close(fd) != 0 && !status)
		status = cannot_write(r);
	if (status)
		(void)unlink(out);
	return status;
}

int
uscope_recover(const char *in, const char *out, uscope_recovery_t *report, uscope_error_t *error)
{
	uscope_error_t unused;
	uscope_recovery_t unseen;
	error = error ? error : &unused;
	report = report ? report : &unseen;
	*report = (uscope_recovery_t){ 0 };
	uscope_reader_options_t options = { .mode = USCOPE_RECOVER };
	if (!in || !out)
		return status_set(error, USCOPE_E_ARG, NO_SEGMENT, 0, "no path");
	uscope_reader_t *r = uscope_reader_open_ex(in, &options, error);
	if (!r)
		return error->status;
	int status = recover(r, out, report);
	if (!status)
		reader_clear(r);
	*error = r->error;
	uscope_reader_close(r);
	return status;
}
