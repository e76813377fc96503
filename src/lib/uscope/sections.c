/* SPDX-License-Identifier: MIT */
/* sections: the table at the end of a finalized file. It stays on disk. */
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

/* The sections that the reader uses; of several of one type the first. */
struct found {
	uscope_section_t strings, counters, summary, segments;
};

static void
sort_section(struct found *found, const uscope_section_t *s)
{
	uscope_section_t *to;
	switch (s->type) {
	case USCOPE_SECTION_STRINGS:
		to = &found->strings;
		break;
	case USCOPE_SECTION_COUNTER_SUMMARY:
		to = &found->counters;
		break;
	case USCOPE_SECTION_SUMMARY:
		to = &found->summary;
		break;
	case USCOPE_SECTION_SEGMENTS:
		to = &found->segments;
		break;
	default:
		return;
	}
	if (!to->type)
		*to = *s;
}

static int
read_table(struct uscope_reader *r, uint64_t offset, struct found *found, uscope_error_t *error)
{
	if (offset > r->size)
		return status_set(error, USCOPE_E_SECTION, NO_SEGMENT, offset, "the section table is behind the end of the file");
	struct window *w = &r->window;
	window_open(w, r, offset, r->size - offset);
	r->diag[USCOPE_V_ALIGN] += offset % 8 != 0;
	int status = 0;
	for (uint32_t n = 0;; n++) {
		const uint8_t *p;
		uscope_section_t s;
		uint64_t at = offset + (uint64_t)n * SECTION_ENTRY_SIZE;
		if ((status = window_next(w, SECTION_ENTRY_SIZE, &p, error)))
			break;
		if (!p || n == UINT32_MAX) {
			status = status_set(error, USCOPE_E_SECTION, NO_SEGMENT, at, "the section table has no end");
			break;
		}
		take_entry(p, &s);
		r->num_sections = n;
		if (s.type == 0)
			break;
		if (s.offset > r->size || s.size > r->size - s.offset) {
			status = status_set(error, USCOPE_E_SECTION, NO_SEGMENT, at, "section %u passes the end of the file", n);
			break;
		}
		r->diag[USCOPE_V_ALIGN] += s.offset % 8 != 0;
		sort_section(found, &s);
	}
	if (status)
		r->num_sections = 0;
	return status;
}

/* A section of the type of old summaries is used if it has the bytes of a new one. */
static int
choose_summary(struct uscope_reader *r, const struct found *found, uscope_error_t *error)
{
	uint8_t magic[4];
	r->summary_section = found->counters;
	if (found->counters.type || !found->summary.type || found->summary.size < sizeof(magic))
		return 0;
	int status = reader_read(r, found->summary.offset, magic, sizeof(magic), error);
	if (!status && (memcmp(magic, "TSUM", 4) == 0 || memcmp(magic, "CSUM", 4) == 0))
		r->summary_section = found->summary;
	return status;
}

int
sections_read(struct uscope_reader *r, bool segments, uscope_error_t *error)
{
	struct found found = { 0 };
	const file_header_t *h = &r->header;
	int status;
	if (h->section_table_offset == 0)
		r->diag[USCOPE_V_NOSECT]++;
	else if ((status = read_table(r, h->section_table_offset, &found, error)))
		return status;
	r->diag[USCOPE_V_STRFLAG] += !(h->flags & USCOPE_F_HAS_STRINGS) != !found.strings.type;
	r->strings_section = found.strings;
	if ((found.strings.type && (status = strings_open(r, error))) || (status = choose_summary(r, &found, error)) ||
		(r->summary_section.type && (status = summary_open(r, error))))
		return status;
	if (segments && found.segments.type)
		return seglist_table(r, found.segments.offset, found.segments.size, error);
	return 0;
}

uint32_t
uscope_num_sections(const uscope_reader_t *r)
{
	return r->num_sections;
}

bool
uscope_section_info(const uscope_reader_t *r, uint32_t i, uscope_section_t *section)
{
	uint8_t p[SECTION_ENTRY_SIZE];
	uscope_error_t error;
	if (i >= r->num_sections)
		return false;
	if (reader_read(r, r->header.section_table_offset + (uint64_t)i * SECTION_ENTRY_SIZE, p, sizeof(p), &error))
		return false;
	take_entry(p, section);
	return true;
}
