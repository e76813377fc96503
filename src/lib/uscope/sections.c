/* SPDX-License-Identifier: MIT */
/* sections: the table at the end of a finalized file, and that of the strings. Both stay on disk; texts
 * are read when they are asked for. */
#include "extra.h"
#include "reader.h"

static void
take_entry(const uint8_t *p, uscope_section_t *s)
{
	*s = (uscope_section_t){
		.type = load16(p),
		.flags = load16(p + 2),
		.offset = load64(p + 8),
		.size = load64(p + 16),
	};
}

enum {
	FOUND_TYPES = USCOPE_SECTION_COUNTER_SUMMARY + 1,
};

/* found: by type, the first section of it. */
static int
read_table(struct uscope_reader *r, uint64_t offset, uscope_section_t *found)
{
	if (offset > r->size)
		return status_set(&r->error, USCOPE_E_SECTION, NO_SEGMENT, offset, "the section table is behind the end of the file");
	struct window *w = &r->window;
	window_open(w, r, offset, r->size - offset);
	r->diag[USCOPE_V_ALIGN] += offset % 8 != 0;
	for (uint32_t n = 0;; n++) {
		uscope_section_t s;
		uint64_t at = offset + (uint64_t)n * SECTION_ENTRY_SIZE;
		const uint8_t *p = window_next(w, SECTION_ENTRY_SIZE);
		if (w->status)
			return w->status;
		if (!p || n == UINT32_MAX)
			return status_set(&r->error, USCOPE_E_SECTION, NO_SEGMENT, at, "the section table has no end");
		take_entry(p, &s);
		if (s.type == 0) {
			r->num_sections = n;
			return 0;
		}
		if (s.offset > r->size || s.size > r->size - s.offset)
			return status_set(&r->error, USCOPE_E_SECTION, NO_SEGMENT, at, "section %u passes the end of the file", n);
		r->diag[USCOPE_V_ALIGN] += s.offset % 8 != 0;
		uscope_section_t *to = s.type < FOUND_TYPES ? &found[s.type] : s.type == USCOPE_SECTION_CHECKSUMS ? &r->checksums_section
														  : NULL;
		if (to && !to->type)
			*to = s;
	}
}

/* A section of the type of old summaries is used if it has the bytes of a new one. */
static int
choose_summary(struct uscope_reader *r, const uscope_section_t *found)
{
	const uscope_section_t *old = &found[USCOPE_SECTION_SUMMARY];
	uint8_t magic[4];
	r->summary_section = found[USCOPE_SECTION_COUNTER_SUMMARY];
	if (r->summary_section.type || !old->type || old->size < sizeof(magic))
		return 0;
	int status = reader_read(r, old->offset, magic, sizeof(magic));
	if (!status && (memcmp(magic, "TSUM", 4) == 0 || memcmp(magic, "CSUM", 4) == 0))
		r->summary_section = *old;
	return status;
}

/* Entries must lie inside the data. *good: they do. */
static int
check_entries(struct uscope_reader *r, const struct strings *t, bool *good)
{
	struct window *w = &r->window;
	window_open(w, r, t->offset, t->data - t->offset);
	const uint8_t *p;
	while ((p = window_next(w, STRING_ENTRY_SIZE))) {
		uint32_t offset = load32(p);
		if (offset > t->data_size || load32(p + 4) > t->data_size - offset) {
			*good = false;
			return 0;
		}
	}
	return w->status;
}

/* Damage is counted, and leaves the reader without strings. */
static int
strings_open(struct uscope_reader *r)
{
	const uscope_section_t *s = &r->strings_section;
	uint8_t head[STRINGS_HEADER_SIZE];
	bool good = s->size >= sizeof(head);
	int status = good ? reader_read(r, s->offset, head, sizeof(head)) : 0;
	if (status)
		return status;
	struct strings t = { .offset = s->offset + sizeof(head) };
	if (good) {
		uint64_t left = s->size - sizeof(head);
		t.num = load32(head);
		good = t.num <= left / STRING_ENTRY_SIZE;
		t.data = t.offset + (uint64_t)t.num * STRING_ENTRY_SIZE;
		t.data_size = left - (uint64_t)t.num * STRING_ENTRY_SIZE;
	}
	if (good && (status = check_entries(r, &t, &good)))
		return status;
	if (good)
		r->strings = t;
	else
		r->diag[USCOPE_V_STRINGS]++;
	return 0;
}

int
sections_read(struct uscope_reader *r, bool segments)
{
	uscope_section_t found[FOUND_TYPES] = { 0 };
	const uscope_section_t *segment_table = &found[USCOPE_SECTION_SEGMENTS];
	const uscope_file_header_t *h = &r->header;
	int status;
	if (h->section_table_offset == 0)
		r->diag[USCOPE_V_NOSECT]++;
	else if ((status = read_table(r, h->section_table_offset, found)))
		return status;
	r->strings_section = found[USCOPE_SECTION_STRINGS];
	r->diag[USCOPE_V_STRFLAG] += !(h->flags & USCOPE_F_HAS_STRINGS) != !r->strings_section.type;
	if ((r->strings_section.type && (status = strings_open(r))) || (status = choose_summary(r, found)) ||
		(r->summary_section.type && (status = summary_open(r))))
		return status;
	return segments && segment_table->type ? seglist_table(r, segment_table->offset, segment_table->size) : 0;
}

uint32_t
uscope_num_sections(const uscope_reader_t *r)
{
	return r->num_sections;
}

bool
uscope_section_info(const uscope_reader_t *reader, uint32_t i, uscope_section_t *section)
{
	struct uscope_reader *r = (struct uscope_reader *)reader; /* for its last error */
	uint8_t p[SECTION_ENTRY_SIZE];
	if (i >= r->num_sections || reader_read(r, r->header.section_table_offset + (uint64_t)i * SECTION_ENTRY_SIZE, p, sizeof(p)))
		return false;
	take_entry(p, section);
	return true;
}

const uint8_t *
uscope_section_bytes(uscope_reader_t *r, uint16_t type, size_t *n)
{
	for (uint32_t i = 0; i < r->num_sections; i++) {
		uscope_section_t s;
		if (!uscope_section_info(r, i, &s))
			return NULL;
		if (s.type != type)
			continue;
		if (s.size > LEVEL_MAX || !reader_room(&r->extra, &r->extra_cap, (size_t)s.size + 1) ||
			reader_read(r, s.offset, r->extra, (size_t)s.size))
			return NULL;
		*n = (size_t)s.size;
		return r->extra;
	}
	return NULL;
}

static int
read_text(uscope_reader_t *r, uint32_t index, uint32_t *length)
{
	struct strings *t = &r->strings;
	uint8_t p[STRING_ENTRY_SIZE];
	if (index >= t->num)
		return status_set(&r->error, USCOPE_E_RANGE, NO_SEGMENT, 0, "there is no string %u", index);
	uint64_t entry = t->offset + (uint64_t)index * STRING_ENTRY_SIZE;
	int status = reader_read(r, entry, p, sizeof(p));
	if (status)
		return status;
	uint32_t offset = load32(p);
	*length = load32(p + 4);
	/* Checked when it was opened; the file may have changed since. */
	if (offset > t->data_size || *length > t->data_size - offset)
		return status_set(&r->error, USCOPE_E_SECTION, NO_SEGMENT, entry, "a string outside of the table");
	return reader_text(r, &t->last, t->data + offset, *length, "string", entry);
}

const char *
uscope_string(uscope_reader_t *r, uint32_t index, uint32_t *length)
{
	uint32_t n = 0;
	reader_clear(r);
	int status = read_text(r, index, &n);
	if (length)
		*length = status ? 0 : n;
	return status ? NULL : r->strings.last.text;
}

uint32_t
uscope_num_strings(const uscope_reader_t *r)
{
	return r->strings.num;
}
