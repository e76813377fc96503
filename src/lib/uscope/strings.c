/* SPDX-License-Identifier: MIT */
/* strings: the string table of a finalized file. Texts are read when they are asked for. */
#include "reader.h"

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

int
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
	if (*length > TEXT_MAX)
		return status_set(&r->error, USCOPE_E_LIMIT, NO_SEGMENT, entry, "a string of %u bytes", *length);
	/* Checked when it was opened; the file may have changed since. */
	if (offset > t->data_size || *length > t->data_size - offset)
		return status_set(&r->error, USCOPE_E_SECTION, NO_SEGMENT, entry, "a string outside of the table");
	if (!reader_room(&t->text, &t->cap, (size_t)*length + 1))
		return status_set(&r->error, USCOPE_E_NOMEM, NO_SEGMENT, entry, "out of memory");
	t->text[*length] = '\0';
	return reader_read(r, t->data + offset, t->text, *length);
}

const char *
uscope_string(uscope_reader_t *r, uint32_t index, uint32_t *length)
{
	uint32_t n = 0;
	reader_clear(r);
	int status = read_text(r, index, &n);
	if (length)
		*length = status ? 0 : n;
	return status ? NULL : r->strings.text;
}

uint32_t
uscope_num_strings(const uscope_reader_t *r)
{
	return r->strings.num;
}
