/* SPDX-License-Identifier: MIT */
#include "read.h"

#include "kernel.h"
#include "ref.h"

#include <stdlib.h>
#include <string.h>

void
lapread_close(struct lapread *r)
{
	lapsource_close(&r->source);
	free(r->name);
	*r = (struct lapread){ 0 };
}

static int
fail_read(struct lapread *r)
{
	const struct lapsource *s = &r->source;
	const char *why = s->input.why ? *s->input.why : NULL;
	r->at.offset = lapsource_offset(s);
	return lap_raise(r->log, &r->at, LAP_E_IO, "%s", why ? why : strerror(s->error));
}

enum lap_format
lapprobe_name(const char *name, size_t n)
{
	static const struct {
		const char *suffix;
		enum lap_format format;
	} known[] = {
		{ ".lrb", LAP_BINARY },
		{ ".lrt", LAP_TEXT },
		{ ".lkt", LAP_KERNEL },
		{ ".lmt", LAP_MIXED },
		{ ".lbm", LAP_BASIC },
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t k = strlen(known[i].suffix);
		if (n >= k && memcmp(name + n - k, known[i].suffix, k) == 0)
			return known[i].format;
	}
	return LAP_AUTO;
}

/* Whether the line is a record or empty; wrong values in it are found later. */
static bool
is_line(const char *line, size_t n, enum lap_dialect dialect)
{
	struct lap_record rec;
	struct lap_event ev;
	uint64_t last;
	if (n && line[n - 1] == '\r')
		n--;
	if (n == 0 || line[0] == '#')
		return !memchr(line, 0, n);
	if (memchr(line, 0, n))
		return false;
	if (lap_kinds[(uint8_t)line[0]])
		return lapref_parse(line, n, 8, &rec, &last) == 0;
	int code = lapkernel_parse(line, n, dialect, &ev);
	return code == 0 || code == LAP_LK02 || code == LAP_LK03 || (code == LAP_LK01 && lapkernel_take_other(line, n, &ev));
}

enum lap_format
lapprobe_bytes(const uint8_t *head, size_t n, uint64_t size, enum lap_dialect dialect)
{
	const char *p = (const char *)head;
	const char *end = p + n;
	int lines = 0;
	bool text = true;
	while (text && lines < 2 && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl ? nl : end) - p);
		text = is_line(p, len, dialect);
		p += nl ? len + 1 : len;
		lines++;
	}
	if (text)
		return LAP_MIXED;
	return lap_kinds[head[0]] && size % LAP_RECORD_SIZE == 0 ? LAP_BINARY : LAP_AUTO;
}

/* Whether bytes behind these change nothing: there are two lines, or a byte that no text has. */
static bool
tells_format(const uint8_t *head, size_t n)
{
	const uint8_t *line = n ? memchr(head, '\n', n) : NULL;
	bool two = line && memchr(line + 1, '\n', n - (size_t)(line + 1 - head));
	return two || n >= LAPPROBE_HEAD || (n && memchr(head, 0, n));
}

static int
probe(struct lapread *r)
{
	struct lapsource *s = &r->source;
	int rc = 1;
	/* A pipe may bring no more before it sees what is made of this. */
	while (rc > 0 && !tells_format(s->p, (size_t)(s->end - s->p)))
		rc = lapsource_more(s);
	if (rc < 0)
		return fail_read(r);
	r->options.format = lapprobe_bytes(s->p, (size_t)(s->end - s->p), r->options.size, r->options.dialect);
	if (r->options.format == LAP_AUTO)
		return lap_raise(r->log, &r->at, LAP_E_FORMAT, "neither text nor references of %d bytes", LAP_RECORD_SIZE);
	return 0;
}

int
lapread_open(struct lapread *r, struct lap_log *log, const struct lap_input *input,
	const struct lapread_options *options)
{
	*r = (struct lapread){ .log = log, .options = *options, .at = { .file = options->file, .cpu = options->cpu } };
	if (options->format >= LAP_FORMATS || options->dialect >= LAP_DIALECTS)
		return lap_raise(log, &r->at, LAP_E_FORMAT, "there is no such format or dialect");
	if (lapsource_open(&r->source, input) < 0)
		return lap_raise(log, &r->at, LAP_E_MEMORY, "out of memory");
	int rc = options->format == LAP_AUTO ? probe(r) : 0;
	r->plain = r->options.format == LAP_BINARY && !options->filter;
	return rc;
}

/* ---- All forms. ---- */

/* Checks that a stamp is not below the last one, to which a lenient reader raises it.
 * Returns 1, or <0 a code. */
static int
check_order(struct lapread *r, uint64_t *ts)
{
	if (__builtin_expect(*ts < r->last_ts, 0)) {
		int rc = lap_raise(r->log, &r->at, LAP_LR05, "the timestamp %llx is lower than %llx before it",
			(unsigned long long)*ts, (unsigned long long)r->last_ts);
		if (rc)
			return rc;
		*ts = r->last_ts;
	}
	r->last_ts = *ts;
	return 1;
}

/* Gives a reference without faults, as nearly all are: 1. Otherwise 0, and give_ref() tells of the fault. */
static inline int
give_good_ref(struct lapread *r, struct lap_record *rec)
{
	/* A length of 0 wraps to a large number. */
	if (__builtin_expect((uint64_t)rec->length - 1 > UINT32_MAX - rec->addr || rec->ts < r->last_ts, 0))
		return 0;
	r->last_ts = rec->ts;
	r->records++;
	rec->type = LAP_REF;
	rec->page = 0;
	rec->event = NULL;
	return 1;
}

/* Checks length, end and order of a reference. Returns 1: good, or mended, 0: skip it, <0 a code. */
static __attribute__((noinline)) int
give_ref(struct lapread *r, struct lap_record *rec, enum lap_type type)
{
	uint32_t room = UINT32_MAX - rec->addr; /* behind the first byte */
	rec->type = (uint8_t)type;
	if (type == LAP_REF)
		rec->page = 0;
	rec->event = NULL;
	if (rec->length == 0)
		return lap_raise(r->log, &r->at, LAP_LR03, "the length is 0");
	if ((uint32_t)rec->length - 1 > room) {
		int rc = lap_raise(r->log, &r->at, LAP_LR04, "%u bytes at %x go beyond ffffffff", rec->length, rec->addr);
		if (rc)
			return rc;
		rec->length = (uint8_t)(room + 1);
	}
	int rc = check_order(r, &rec->ts);
	r->records += rc > 0;
	return rc;
}

/* ---- Binary form. ---- */

/* Inlined into both callers: without a filter this is nearly all of a record's time. */
static inline __attribute__((always_inline)) int
next_binary(struct lapread *r, struct lap_record *rec)
{
	for (;;) {
		struct lapsource *s = &r->source;
		if (__builtin_expect(s->end - s->p < LAP_RECORD_SIZE, 0)) {
			int rc = lapsource_fill(s, LAP_RECORD_SIZE);
			if (rc < 0)
				return fail_read(r);
			if (rc == 0 && s->p == s->end)
				return 0;
			if (rc == 0) {
				r->at.offset = lapsource_offset(s);
				rc = lap_raise(r->log, &r->at, LAP_LR01, "the file ends %d bytes into a record of %d", (int)(s->end - s->p), LAP_RECORD_SIZE);
				s->p = s->end;
				return rc;
			}
		}
		lapref_decode(s->p, r->options.endian, rec);
		r->at.offset = lapsource_offset(s);
		s->p += LAP_RECORD_SIZE;
		bool known = lap_kinds[rec->kind];
		if (__builtin_expect(known, 1) && give_good_ref(r, rec))
			return 1;
		int rc = known ? give_ref(r, rec, LAP_REF)
			       : lap_raise(r->log, &r->at, LAP_LR02, "the kind is 0x%02x, not one of r w i R W I", rec->kind);
		if (rc)
			return rc;
	}
}

/* ---- Lines. ---- */

/* Skips the rest of a line that is too long, in pieces. */
static int
skip_long_line(struct lapread *r)
{
	struct lapsource *s = &r->source;
	for (;;) {
		const uint8_t *nl = memchr(s->p, '\n', (size_t)(s->end - s->p));
		if (nl) {
			s->p = nl + 1;
			return 0;
		}
		s->p = s->end;
		int rc = lapsource_fill(s, 1);
		if (rc <= 0)
			return rc < 0 ? fail_read(r) : 0;
	}
}

/* A line: *n bytes at *line, without newline and return. 1: there is one; 0: end of file;
 * 2: skip it. The line stays until the next call. */
static int
next_line(struct lapread *r, const char **line, size_t *n)
{
	struct lapsource *s = &r->source;
	r->at.offset = lapsource_offset(s);
	r->at.line++;
	size_t seen = 0;
	int rc = 1;
	const uint8_t *nl;
	while (!(nl = memchr(s->p + seen, '\n', (size_t)(s->end - s->p) - seen)) && rc > 0) {
		seen = (size_t)(s->end - s->p);
		if (seen > LAP_LINE_MAX)
			break;
		rc = lapsource_more(s);
	}
	if (rc < 0)
		return fail_read(r);
	if (s->p == s->end) {
		r->at.line--;
		return 0;
	}
	size_t len = (size_t)((nl ? nl : s->end) - s->p);
	if (len > LAP_LINE_MAX) {
		rc = lap_raise(r->log, &r->at, LAP_LT05, "the line is longer than %d bytes", LAP_LINE_MAX);
		if (rc == 0)
			rc = skip_long_line(r);
		return rc < 0 ? rc : 2;
	}
	*line = (const char *)s->p;
	*n = len;
	s->p = nl ? nl + 1 : s->end;
	if (memchr(*line, 0, len)) {
		rc = lap_raise(r->log, &r->at, LAP_LT05, "the line holds a NUL");
		return rc < 0 ? rc : 2;
	}
	if (!nl)
		(void)lap_raise(r->log, &r->at, LAP_LT06, "the last line has no newline");
	if (len && (*line)[len - 1] == '\r')
		--*n;
	return 1;
}

/* Whether a line is blank or a comment. */
static bool
is_empty(const char *line, size_t n)
{
	if (n && line[0] == '#')
		return true;
	for (size_t i = 0; i < n; i++)
		if (line[i] != ' ' && line[i] != '\t')
			return false;
	return true;
}

/* Raises an issue of a line, with its beginning. */
static int
fail_line(struct lapread *r, int code, const char *line, size_t n)
{
	return lap_raise(r->log, &r->at, code, "%s: \"%.*s\"%s", lap_code(code)->text, (int)(n < 60 ? n : 60), line, n < 60 ? "" : "...");
}

/* Takes an event whose tag is not in the catalogue, if the reader passes such on. Returns whether it does. */
static bool
take_other(struct lapread *r, const char *line, size_t n)
{
	struct lap_event *ev = &r->event;
	/* A return at the end was left out of the line, and belongs to what is passed on. */
	if (!r->options.pass_unknown || !lapkernel_take_other(line, n, ev))
		return false;
	ev->name_len += line[n] == '\r';
	if (r->log->unknown[ev->tag]++ == 0)
		lap_note(r->log, &r->at, LAP_LK01, "the tag '%c' is not known: events with it are passed on as they are", ev->tag);
	return true;
}

static int
give_event(struct lapread *r, struct lap_record *rec, const char *line, size_t n)
{
	struct lap_event *ev = &r->event;
	int code = lapkernel_parse(line, n, r->options.dialect, ev);
	if (code && !(code == LAP_LK01 && take_other(r, line, n))) {
		int rc = fail_line(r, code, line, n);
		if (rc || code != LAP_LK02)
			return rc;
	}
	if (r->ended) {
		int rc = fail_line(r, LAP_LK04, line, n);
		if (rc <= 0)
			return rc;
	}
	int rc = check_order(r, &ev->ts);
	if (rc <= 0)
		return rc;
	r->ended = ev->tag == 'e';
	*rec = (struct lap_record){ .ts = ev->ts, .type = LAP_EVENT, .kind = ev->tag, .event = ev };
	r->records++;
	return 1;
}

/* "kind ts length space addr", or, of a per-process merge, "kind ts length vpage cpage" */
static int
give_ref_line(struct lapread *r, struct lap_record *rec, const char *line, size_t n, enum lap_type type)
{
	uint64_t last = 0;
	bool page = type == LAP_PAGE;
	*rec = (struct lap_record){ 0 };
	int code = lapref_parse(line, n, page ? 16 : 8, rec, &last);
	if (!code && page && rec->space > UINT32_MAX >> LAP_PAGE_SHIFT)
		code = LAP_LT03;
	if (code)
		return fail_line(r, code, line, n);
	rec->page = last;
	rec->addr = page ? rec->space << LAP_PAGE_SHIFT : (uint32_t)last;
	rec->space = page ? r->options.space : rec->space;
	return give_ref(r, rec, type);
}

/* "kind cpage": record k has the timestamp k. */
static int
give_basic_line(struct lapread *r, struct lap_record *rec, const char *line, size_t n)
{
	struct lap_cursor c = { line, line + n };
	*rec = (struct lap_record){ .type = LAP_PAGE, .length = 1, .ts = r->records };
	int code = lapref_first(&c, &rec->kind);
	if (!code && !lap_kinds[rec->kind])
		code = LAP_LR02;
	if (!code)
		code = lapref_take(&c, 16, &rec->page);
	if (!code && c.p != c.end) {
		int rc = fail_line(r, LAP_LT01, line, n);
		if (rc)
			return rc;
	}
	if (code)
		return fail_line(r, code, line, n);
	rec->kind |= 0x20;
	r->records++;
	return 1;
}

static int
give_line(struct lapread *r, struct lap_record *rec, const char *line, size_t n)
{
	bool is_ref = lap_kinds[(uint8_t)line[0]];
	switch (r->options.format) {
	case LAP_TEXT: return give_ref_line(r, rec, line, n, LAP_REF);
	case LAP_KERNEL: return give_event(r, rec, line, n);
	case LAP_BASIC: return give_basic_line(r, rec, line, n);
	case LAP_PROCESS: return is_ref ? give_ref_line(r, rec, line, n, LAP_PAGE) : give_event(r, rec, line, n);
	default: return is_ref ? give_ref_line(r, rec, line, n, LAP_REF) : give_event(r, rec, line, n);
	}
}

static __attribute__((noinline)) int
next_text(struct lapread *r, struct lap_record *rec)
{
	bool plain = r->options.format == LAP_TEXT || r->options.format == LAP_MIXED;
	for (;;) {
		struct lapsource *s = &r->source;
		/* Nearly all lines are in writer's form. A line that ends behind the window
		 * does not match: zeros follow. */
		if (plain && lap_kinds[*s->p]) {
			unsigned taken = lapref_scan(s->p, rec);
			if (taken) {
				r->at.offset = lapsource_offset(s);
				r->at.line++;
				s->p += taken;
				if (give_good_ref(r, rec))
					return 1;
				int rc = give_ref(r, rec, LAP_REF);
				if (rc)
					return rc;
				continue;
			}
		}
		const char *line = "";
		size_t n = 0;
		int rc = next_line(r, &line, &n);
		if (rc <= 0)
			return rc;
		if (rc == 2 || is_empty(line, n))
			continue;
		rc = give_line(r, rec, line, n);
		if (rc)
			return rc;
	}
}

/* Copies the name that a filter gave to the event: it lives until the filter is called for another record, also of another
 * file, and this one waits until its turn comes in the merge. */
static int
keep_name(struct lapread *r)
{
	if (!r->name && !(r->name = malloc(LAP_LINE_MAX)))
		return lap_raise(r->log, &r->at, LAP_E_MEMORY, "out of memory");
	memcpy(r->name, r->event.name, r->event.name_len);
	r->event.name = r->name;
	return 1;
}

/* Gives what the filter lets pass. */
static int
next_filtered(struct lapread *r, struct lap_record *rec)
{
	const struct lap_filter *f = r->options.filter;
	int rc;
	while ((rc = r->options.format == LAP_BINARY ? next_binary(r, rec) : next_text(r, rec)) > 0) {
		const char *name = rec->type == LAP_EVENT ? r->event.name : NULL;
		rc = f->take(f->self, &r->at, r->options.dialect, r->given_ts, rec, rec->type == LAP_EVENT ? &r->event : NULL);
		if (rc > 0)
			r->given_ts = rec->ts;
		if (rc > 0 && name && r->event.name != name)
			return keep_name(r);
		if (rc != 0)
			return rc;
	}
	return rc;
}

/* All but plain references of 18 bytes. */
static __attribute__((noinline)) int
next_other(struct lapread *r, struct lap_record *rec)
{
	return r->options.filter ? next_filtered(r, rec) : next_text(r, rec);
}

int
lapread_next(struct lapread *r, struct lap_record *rec)
{
	return r->plain ? next_binary(r, rec) : next_other(r, rec);
}
