/* SPDX-License-Identifier: MIT */
/* chrome: what `uftrace dump --chrome` prints, JSON with an object a line:
 *
 *   {"traceEvents":[
 *   {"ts":105430415350.255,"ph":"B","pid":4711,"tid":4712,"name":"main"},
 *   {"ts":105430415351.178,"ph":"E","pid":4711,"tid":4712,"name":"main"}
 *   ], "displayTimeUnit": "ns", "metadata": {
 *
 * Times are microseconds, and the first thread of a process has no tid. An E leaves the innermost function of that name. */
#include "import.h"
#include "scan.h"

static const char no_line[] = "this is no line of uftrace dump --chrome";

enum {
	NESTED = 64, /* objects and arrays in a value */
};

/* The values of an object as they stand there, strings without their quotes; NULL: not there. */
struct value {
	const char *p, *end;
};

struct object {
	struct value ts, ph, pid, tid, name;
};

/* A string from behind its first quote. Returns what is behind it; NULL: it has no end. */
static const char *
take_string(const char *p, const char *end, struct value *v)
{
	v->p = p;
	for (; p < end && *p != '"'; p++)
		p += *p == '\\' && p + 1 < end;
	v->end = p;
	return p < end ? p + 1 : NULL;
}

/* Any value. */
static const char *
take_value(const char *p, const char *end, struct value *v)
{
	unsigned nested = 0;
	if (p < end && *p == '"')
		return take_string(p + 1, end, v);
	v->p = p;
	for (; p < end && (nested || (*p != ',' && *p != '}')); p++) {
		struct value inside;
		if (*p == '"') {
			p = take_string(p + 1, end, &inside);
			if (!p)
				return NULL;
			p--;
		} else if (*p == '{' || *p == '[') {
			if (++nested > NESTED)
				return NULL;
		} else if (nested && (*p == '}' || *p == ']')) {
			nested--;
		}
	}
	v->end = p;
	return p;
}

static bool
is_key(const struct value *v, const char *key)
{
	size_t n = strlen(key);
	return (size_t)(v->end - v->p) == n && memcmp(v->p, key, n) == 0;
}

/* An object from its brace on, and a comma behind it. */
static bool
take_object(const char *p, const char *end, struct object *o)
{
	*o = (struct object){ 0 };
	p++;
	for (;;) {
		struct value key, value;
		p = scan_blanks(p, end);
		if (p == end || *p != '"' || !(p = take_string(p + 1, end, &key)))
			return false;
		p = scan_blanks(p, end);
		if (p == end || *p != ':')
			return false;
		p = take_value(scan_blanks(p + 1, end), end, &value);
		if (!p)
			return false;
		struct value *to = is_key(&key, "ts") ? &o->ts : is_key(&key, "ph") ? &o->ph
			: is_key(&key, "pid")                                       ? &o->pid
			: is_key(&key, "tid")                                       ? &o->tid
			: is_key(&key, "name")                                      ? &o->name
										    : NULL;
		if (to)
			*to = value;
		p = scan_blanks(p, end);
		if (p < end && *p == '}')
			break;
		if (p == end || *p++ != ',')
			return false;
	}
	p = scan_blanks(p + 1, end);
	return p == end || (*p == ',' && scan_blanks(p + 1, end) == end);
}

static bool
take_number(const struct value *v, uint64_t max, uint64_t *to)
{
	const char *p = v->p;
	return p && scan_dec(&p, to) && p == v->end && *to <= max;
}

/* The number of up to four hexadecimal digits behind *p, which moves to the last one. */
static unsigned
take_hex(const char **p, const char *end)
{
	unsigned c = 0;
	for (unsigned i = 0; i < 4 && end - *p > 1 && scan_digits[(uint8_t)(*p)[1]]; i++) {
		++*p;
		c = c << 4 | (scan_digits[(uint8_t) * *p] - 1U);
	}
	return c;
}

/* The character of an escape, or of a pair of them, from the u on, as UTF-8; half a pair is a question mark. Returns the bytes. */
static size_t
put_character(const char **p, const char *end, char to[4])
{
	unsigned c = take_hex(p, end);
	if (c >> 10 == 0xd800 >> 10 && end - *p > 2 && (*p)[1] == '\\' && (*p)[2] == 'u') {
		const char *q = *p + 2;
		unsigned low = take_hex(&q, end);
		if (low >> 10 == 0xdc00 >> 10) {
			c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
			*p = q;
		}
	}
	c = c == 0 || c >> 11 == 0xd800 >> 11 ? '?' : c;
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	unsigned more = c < 0x800 ? 1 : c < 0x10000 ? 2
						    : 3;
	to[0] = (char)((0xf00U >> (more + 1) & 0xff) | c >> 6 * more);
	for (unsigned i = 1; i <= more; i++)
		to[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
	return more + 1;
}

static const struct import_name *
take_name(struct import *im, const struct value *v)
{
	char text[PRISM_NAME_MAX + 8];
	size_t n = 0;
	for (const char *p = v->p; p < v->end && n < PRISM_NAME_MAX + 4; p++) {
		if (*p == '\\' && p + 1 < v->end && *++p == 'u')
			n += put_character(&p, v->end, text + n);
		else
			text[n++] = *p;
	}
	return import_name(im, text, n);
}

/* An E: leaves the innermost function of the name. */
static void
leave(struct import *im, struct import_stream *s, const struct import_name *name)
{
	size_t keep = s->nframes;
	while (keep && s->frames[keep - 1].name != name)
		keep--;
	if (keep)
		import_leave(im, s, keep - 1);
	else
		im->left++;
}

static const char *
take(struct import *im, const char *p, const char *end)
{
	struct object o;
	uint64_t ns, pid, tid;
	const char *s = p;
	if (p == end || *p == ']' || *p == '}' || *p == '"' || scan_word(&s, end, "{\"traceEvents\":["))
		return NULL;
	if (*p != '{' || !take_object(p, end, &o) || !o.ph.p)
		return no_line;
	if (!is_key(&o.ph, "B") && !is_key(&o.ph, "E")) {
		im->left += !is_key(&o.ph, "M");
		return NULL;
	}
	s = o.ts.p;
	if (!s || !o.name.p || !scan_time(&s, 1000, &ns) || s != o.ts.end || !take_number(&o.pid, UINT32_MAX, &pid))
		return no_line;
	tid = pid;
	if (o.tid.p && !take_number(&o.tid, UINT32_MAX, &tid))
		return no_line;
	if (tid > IMPORT_THREAD_MAX || pid > IMPORT_THREAD_MAX || tid == 0 || pid == 0)
		return import_no_thread;
	struct import_stream *stream = import_thread(im, pid << 32 | tid, (int64_t)pid, tid);
	if (!stream)
		return import_too_many;
	const char *problem = import_at(stream, ns);
	const struct import_name *name = problem ? NULL : take_name(im, &o.name);
	if (!name)
		return problem ? problem : "there are more than 1048576 functions";
	if (*o.ph.p == 'B')
		return import_enter(im, stream, name, (uint32_t)stream->nframes);
	leave(im, stream, name);
	return NULL;
}

static bool
is(const char *p, const char *end)
{
	struct object o;
	const char *s = p;
	return scan_word(&s, end, "{\"traceEvents\":[") || (p < end && *p == '{' && take_object(p, end, &o) && o.ts.p && o.ph.p && o.pid.p);
}

const struct import_format import_uftrace_chrome = {
	.name = "uftrace-chrome",
	.timed = true,
	.take = take,
	.is = is,
};
