/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include "ref.h"

/* ---- Tables. ---- */

const char *const lap_dialect_names[LAP_DIALECTS + 1] = {
	[LAP_LAPLACE] = "laplace",
	[LAP_KVMTRACE_04] = "kvmtrace-0.4",
	[LAP_KVMTRACE_05] = "kvmtrace-0.5",
	[LAP_KVMTRACE_06] = "kvmtrace-0.6",
};

#define ALL LAP_LAPLACE, LAP_KVMTRACE_06

const struct lap_field_info lap_fields[LAP_FIELDS] = {
	[LAP_PID] = { "pid", 8, 8, ALL },
	[LAP_PARENT] = { "parent", 8, 8, ALL },
	[LAP_CONTEXT] = { "context", 8, 16, ALL },
	[LAP_DUP] = { "dup", 8, 16, ALL },
	[LAP_START] = { "start", 8, 16, ALL },
	[LAP_STOP] = { "end", 8, 16, ALL },
	[LAP_ADDRESS] = { "address", 8, 16, ALL },
	[LAP_LENGTH] = { "length", 8, 16, ALL },
	[LAP_OLD_ADDRESS] = { "old_address", 8, 16, ALL },
	[LAP_OLD_LENGTH] = { "old_length", 8, 16, ALL },
	[LAP_END_ADDRESS] = { "end_address", 8, 16, ALL },
	[LAP_INODE] = { "inode", 8, 16, ALL },
	[LAP_MAJOR] = { "major", 8, 8, ALL },
	[LAP_MINOR] = { "minor", 8, 8, LAP_LAPLACE, LAP_KVMTRACE_05 },
	[LAP_OFFSET] = { "offset", 16, 16, ALL },
	[LAP_SHM] = { "shm", 8, 16, ALL },
	[LAP_USER_TIME] = { "user_time", 16, 16, LAP_KVMTRACE_04, LAP_KVMTRACE_06 },
	[LAP_SYSTEM_TIME] = { "system_time", 16, 16, LAP_KVMTRACE_04, LAP_KVMTRACE_06 },
	[LAP_SIZE] = { "size", 16, 16, LAP_KVMTRACE_05, LAP_KVMTRACE_06 },
	[LAP_FILE_TYPE] = { "file_type", 1, 1, LAP_KVMTRACE_05, LAP_KVMTRACE_06 },
	[LAP_NAME] = { "name", 0, 0, ALL },
};

#define PID LAP_OWNER_PID
#define PARENT LAP_OWNER_PARENT
#define RUNNING LAP_OWNER_RUNNING
#define DEVICE LAP_MAJOR, LAP_MINOR

/* Letter, code, owner, range, section, name, text, fields. */
#define TAGS(X)                                                                                                                                                  \
	X('S', 1, PID, NONE, NONE, "schedule", "the processor switches to a task", LAP_PID)                                                                      \
	X('F', 2, PARENT, NONE, PROCESS, "fork", "a task is created", LAP_PID, LAP_PARENT)                                                                       \
	X('X', 3, PID, NONE, PROCESS, "exec", "a task executes a program", LAP_PID, LAP_INODE, DEVICE, LAP_NAME)                                                 \
	X('T', 4, PID, NONE, NONE, "exit", "a task ends", LAP_PID, LAP_USER_TIME, LAP_SYSTEM_TIME)                                                               \
	X('A', 5, PID, NONE, PROCESS, "assign context", "a task gets a new address space", LAP_PID, LAP_CONTEXT)                                                 \
	X('D', 6, RUNNING, STOP, MEMORY, "duplicate range", "a range is copied to another address space", LAP_CONTEXT, LAP_DUP, LAP_START, LAP_STOP)             \
	X('M', 7, PID, LENGTH, MEMORY, "map file", "a file is mapped", LAP_PID, LAP_ADDRESS, LAP_LENGTH, LAP_INODE, DEVICE, LAP_OFFSET, LAP_FILE_TYPE, LAP_NAME) \
	X('m', 8, PID, LENGTH, MEMORY, "map anonymous", "anonymous memory is mapped", LAP_PID, LAP_ADDRESS, LAP_LENGTH)                                          \
	X('@', 9, PID, MOVE, MEMORY, "remap", "a mapping moves", LAP_PID, LAP_ADDRESS, LAP_LENGTH, LAP_OLD_ADDRESS, LAP_OLD_LENGTH)                              \
	X('U', 10, PID, LENGTH, MEMORY, "unmap", "a range is unmapped", LAP_PID, LAP_ADDRESS, LAP_LENGTH)                                                        \
	X('u', 11, RUNNING, NONE, MEMORY, "unmap all", "an address space ends", LAP_CONTEXT)                                                                     \
	X('C', 12, PID, NONE, FAULT, "copy on write", "a task gets its own copy of a page", LAP_PID, LAP_ADDRESS)                                                \
	X('s', 13, PID, LENGTH, SEGMENT, "attach segment", "a shared segment is mapped", LAP_PID, LAP_ADDRESS, LAP_LENGTH, LAP_SHM)                              \
	X('/', 14, PID, NONE, SEGMENT, "destroy segment", "a shared segment ends", LAP_PID, LAP_SHM)                                                             \
	X('(', 15, PID, NONE, FILE, "open", "a file is opened", LAP_PID, LAP_INODE, DEVICE, LAP_SIZE, LAP_FILE_TYPE, LAP_NAME)                                   \
	X(')', 16, PID, NONE, FILE, "close", "a file is closed", LAP_PID, LAP_INODE, DEVICE)                                                                     \
	X('<', 17, PID, OFFSET, FILE, "read", "a file is read", LAP_PID, LAP_INODE, DEVICE, LAP_OFFSET, LAP_LENGTH)                                              \
	X('>', 18, PID, OFFSET, FILE, "write", "a file is written", LAP_PID, LAP_INODE, DEVICE, LAP_OFFSET, LAP_LENGTH)                                          \
	X('-', 19, RUNNING, NONE, FILE, "delete", "the last link of a file is gone", LAP_INODE, DEVICE)                                                          \
	X('t', 20, RUNNING, NONE, FILE, "truncate", "a file gets a new size", LAP_INODE, DEVICE, LAP_LENGTH)                                                     \
	X('a', 21, PID, NONE, SOCKET, "accept", "a task waits for a connection", LAP_PID)                                                                        \
	X('e', 22, RUNNING, NONE, NONE, "end", "the trace ends", LAP_END)                                                                                        \
	X('&', 23, PID, NONE, NONE, "debug", "nothing", LAP_PID, LAP_ADDRESS, LAP_END_ADDRESS, LAP_LENGTH)

const struct lap_tag lap_tags[LAP_OTHER] = {
#define X(tag, code, owner, range, section, name, text, ...) { tag, code, owner, LAP_RANGE_##range, LAP_SECTION_##section, { __VA_ARGS__ }, name, text },
	TAGS(X)
#undef X
		[LAP_OTHER - 1] = { '?', LAP_OTHER, RUNNING, LAP_RANGE_NONE, LAP_SECTION_NONE, { LAP_NAME }, "unknown tag", "an event that is not known" },
};

const uint8_t lap_tag_codes[256] = {
#define X(tag, code, ...) [tag] = code,
	TAGS(X)
#undef X
};

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

static int
take_file_type(struct lap_cursor *c, uint64_t *type)
{
	const char *text;
	size_t n = lapref_field(c, &text);
	if (n == 0)
		return LAP_LT01;
	*type = (uint8_t)text[0];
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

	rc = lapref_take(&c, 16, &ev->ts);
	if (rc == 0 && dialect != LAP_LAPLACE)
		rc = lapref_take(&c, 16, &ev->refs);
	if (rc)
		return rc;
	for (size_t i = 0; tag->fields[i]; i++) {
		unsigned f = tag->fields[i];
		if (!lap_has_field(dialect, f))
			continue;
		if (f == LAP_NAME)
			rc = take_name(&c, line + n, ev);
		else if (f == LAP_FILE_TYPE)
			rc = take_file_type(&c, &ev->arg[f]);
		else
			rc = lapref_take(&c, digits_of(dialect, f), &ev->arg[f]);
		if (rc && rc != LAP_LK02)
			return rc;
	}
	return !has_good_range(tag, dialect, ev) ? LAP_LK03 : rc;
}

bool
lapkernel_take_other(const char *line, size_t n, struct lap_event *ev)
{
	struct lap_cursor c = { line, line + n };
	*ev = (struct lap_event){ .code = LAP_OTHER, .name = line, .name_len = n };
	if (lapref_first(&c, &ev->tag) != 0 || lapref_take(&c, 16, &ev->ts) != 0)
		return false;
	bool printable = ev->tag > ' ' && ev->tag < 0x7f;
	return printable && ev->tag != '!' && !lap_kinds[ev->tag] && !lap_tag_codes[ev->tag];
}

/* ---- Writing. ---- */

static char *
put_bytes(char *p, const char *from, size_t n)
{
	memcpy(p, from, n);
	return p + n;
}

static int
format_other(char *to, const struct lap_event *ev)
{
	const char *end = ev->name + ev->name_len;
	struct lap_cursor c = { ev->name, end };
	uint8_t tag;
	uint64_t ts;
	char *p = to;
	if (lapref_first(&c, &tag) == 0 && lapref_take(&c, 16, &ts) == 0 && ts != ev->ts) {
		*p++ = (char)tag;
		*p++ = ' ';
		p = hex_put64(p, ev->ts);
		if (c.p < end)
			*p++ = ' ';
		p = put_bytes(p, c.p, (size_t)(end - c.p));
	} else {
		p = put_bytes(p, ev->name, ev->name_len);
	}
	*p++ = '\n';
	return (int)(p - to);
}

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
	if (ev->code < 1 || ev->code > LAP_OTHER)
		return -LAP_LK01;
	if (ev->code == LAP_OTHER)
		return format_other(to, ev);
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

const char *
lapkernel_fault(enum lap_dialect dialect, const struct lap_event *ev)
{
	if (ev->code < 1 || ev->code > LAP_OTHER)
		return "there is no such tag";
	if (ev->code == LAP_OTHER) {
		struct lap_event is;
		bool good = ev->name && ev->name_len <= LAP_LINE_MAX && !memchr(ev->name, '\n', ev->name_len) && !memchr(ev->name, 0, ev->name_len) &&
			lapkernel_take_other(ev->name, ev->name_len, &is) && is.tag == ev->tag;
		return good ? NULL : "its line is none of its tag, or too long";
	}
	const struct lap_tag *tag = &lap_tags[ev->code - 1];
	for (size_t i = 0; tag->fields[i]; i++) {
		unsigned f = tag->fields[i];
		if (!lap_has_field(dialect, f))
			continue;
		if (f == LAP_NAME && !is_name(ev->name, ev->name_len))
			return "the name is missing, too long, or no part of a line";
		if (f == LAP_FILE_TYPE && ev->arg[f] && (ev->arg[f] > 'z' || !strchr("fpdso", (int)ev->arg[f])))
			return "the type of the file is none of f p d s o";
		unsigned digits = f == LAP_NAME || f == LAP_FILE_TYPE ? 16 : digits_of(dialect, f);
		if (digits < 16 && ev->arg[f] >> 4 * digits)
			return "a field has too many digits";
	}
	return has_good_range(tag, dialect, ev) ? NULL : "a range is empty or wraps";
}
