/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include "ref.h"

static unsigned
digits_of(enum lap_dialect dialect, unsigned field)
{
	const struct lap_field_info *f = &lap_fields[field];
	return dialect >= LAP_KVMTRACE_06 ? f->digits_06 : f->digits;
}

/* ---- Reading. ---- */

static bool
is_file_type(char c)
{
	return c == 'f' || c == 'p' || c == 'd' || c == 's' || c == 'o';
}

/* Takes a field other than a name. */
static int
take_field(struct lap_cursor *c, enum lap_dialect dialect, unsigned field, struct lap_event *ev)
{
	const char *text;
	size_t n = lapref_field(c, &text);
	if (n == 0)
		return LAP_LT01;
	if (field != LAP_FILE_TYPE)
		return lapref_number(text, n, digits_of(dialect, field), &ev->arg[field]);
	ev->arg[field] = (uint8_t)text[0];
	return n > 1 ? LAP_LT03 : is_file_type(text[0]) ? 0
							: LAP_LT02;
}

/* Takes the rest of the line as a name: the cursor ends in front of trailing blanks, a name
 * may have them. */
static int
take_name(struct lap_cursor *c, const char *end, struct lap_event *ev)
{
	if (c->p == c->end) {
		ev->name = "?";
		ev->name_len = 1;
		return LAP_LK02;
	}
	ev->name = c->p;
	ev->name_len = (size_t)(end - c->p);
	if (ev->name_len <= LAP_NAME_MAX)
		return 0;
	ev->name_len = LAP_NAME_MAX;
	return LAP_LK02;
}

/* Whether [first, first + n) is not empty and ends within the addresses of `digits`. */
static bool
is_range(uint64_t first, uint64_t n, unsigned digits)
{
	uint64_t last = first + n - 1;
	return n > 0 && last >= first && (digits >= 16 || last >> 4 * digits == 0);
}

static bool
has_good_range(const struct lap_tag *tag, enum lap_dialect dialect, const struct lap_event *ev)
{
	unsigned digits = digits_of(dialect, LAP_ADDRESS);
	const uint64_t *arg = ev->arg;
	switch (tag->range) {
	case LAP_RANGE_LENGTH: return is_range(arg[LAP_ADDRESS], arg[LAP_LENGTH], digits);
	case LAP_RANGE_MOVE:
		return is_range(arg[LAP_ADDRESS], arg[LAP_LENGTH], digits) &&
			is_range(arg[LAP_OLD_ADDRESS], arg[LAP_OLD_LENGTH], digits);
	case LAP_RANGE_STOP: return arg[LAP_START] < arg[LAP_STOP];
	case LAP_RANGE_OFFSET: return is_range(arg[LAP_OFFSET], arg[LAP_LENGTH], 16);
	default: return true;
	}
}

/* Checks the number of fields against the table. A name takes the rest of the line. */
static int
check_count(struct lap_cursor c, const struct lap_tag *tag, enum lap_dialect dialect)
{
	const char *field;
	size_t have = 0;
	size_t want = dialect == LAP_LAPLACE ? 1 : 2;
	bool name = false;
	for (size_t i = 0; tag->fields[i]; i++) {
		if (tag->fields[i] == LAP_NAME)
			name = true;
		else if (lap_has_field(dialect, tag->fields[i]))
			want++;
	}
	while (have <= want && lapref_field(&c, &field))
		have++;
	return have < want || (have > want && !name) ? LAP_LT01 : 0;
}

int
lapkernel_parse(const char *line, size_t n, enum lap_dialect dialect, struct lap_event *ev)
{
	struct lap_cursor c = { line, line + n };
	*ev = (struct lap_event){ 0 };
	int rc = lapref_first(&c, &ev->tag);
	if (rc)
		return rc;
	ev->code = lap_tag_codes[ev->tag];
	if (!ev->code)
		return LAP_LK01;
	const struct lap_tag *tag = &lap_tags[ev->code - 1];
	rc = check_count(c, tag, dialect);
	if (rc)
		return rc;

	const char *field;
	size_t len = lapref_field(&c, &field);
	rc = lapref_number(field, len, 16, &ev->ts);
	if (rc)
		return rc;
	if (dialect != LAP_LAPLACE) {
		len = lapref_field(&c, &field);
		rc = lapref_number(field, len, 16, &ev->refs);
		if (rc)
			return rc;
	}
	for (size_t i = 0; tag->fields[i]; i++) {
		unsigned f = tag->fields[i];
		if (f == LAP_NAME)
			rc = take_name(&c, line + n, ev);
		else if (lap_has_field(dialect, f))
			rc = take_field(&c, dialect, f, ev);
		if (rc && rc != LAP_LK02)
			return rc;
	}
	return !has_good_range(tag, dialect, ev) ? LAP_LK03 : rc;
}

/* ---- Writing. ---- */

static bool
is_name(const char *name, size_t n)
{
	if (!name || n == 0 || n > LAP_NAME_MAX || name[0] == ' ' || name[0] == '\t' || name[n - 1] == '\r')
		return false;
	return !memchr(name, '\n', n) && !memchr(name, 0, n);
}

int
lapkernel_format(char *to, enum lap_dialect dialect, const struct lap_event *ev)
{
	if (ev->code < 1 || ev->code > LAP_TAGS)
		return -LAP_LK01;
	const struct lap_tag *tag = &lap_tags[ev->code - 1];
	char *p = to;
	*p++ = (char)tag->tag;
	*p++ = ' ';
	p = hex_put64(p, ev->ts);
	if (dialect != LAP_LAPLACE) {
		*p++ = ' ';
		p = hex_put64(p, ev->refs);
	}
	for (size_t i = 0; tag->fields[i]; i++) {
		unsigned f = tag->fields[i];
		if (!lap_has_field(dialect, f))
			continue;
		*p++ = ' ';
		if (f == LAP_NAME) {
			if (!is_name(ev->name, ev->name_len))
				return -LAP_LK02;
			memcpy(p, ev->name, ev->name_len);
			p += ev->name_len;
		} else if (f == LAP_FILE_TYPE) {
			*p++ = ev->arg[f] ? (char)ev->arg[f] : 'o';
		} else {
			p = hex_put64(p, ev->arg[f]);
		}
	}
	*p++ = '\n';
	return (int)(p - to);
}
