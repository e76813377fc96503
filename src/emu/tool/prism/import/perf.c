/* SPDX-License-Identifier: MIT */
/* perf: what `perf script` prints. A sample is a line, or, when it has a stack, that line, a line for each function, the
 * innermost first, and an empty line:
 *
 *   COMMAND PID/TID [CPU] SECONDS.MICROS: PERIOD EVENT: ADDRESS FUNCTION+0xOFFSET (FILE)
 *   COMMAND PID/TID [CPU] SECONDS.MICROS: PERIOD EVENT:
 *   <tab>   ADDRESS FUNCTION+0xOFFSET (FILE)
 *
 * PID, CPU, PERIOD, OFFSET and FILE may be missing, the command may have blanks. `perf mem` has an address of data in
 * front of the other, and words between bars: "ADDRESS WORD |OP LOAD|LVL L1 hit|... WEIGHT ADDRESS FUNCTION".
 *
 * The functions of two samples of a thread that follow each other are compared, from the outermost on: those that differ
 * are left and entered at the time of the second. */
#include "import.h"
#include "scan.h"

static const char no_line[] = "this is no line of perf script";

enum {
	CHAIN = 1024, /* functions of a sample; those farther out are not looked at */
};

struct perf {
	bool open;      /* a sample has begun, */
	bool deep;      /* and has functions in lines of their own */
	bool has_ip;    /* the address of the instruction is known */
	bool has_data;  /* and that of data */
	uint8_t access; /* enum prism_mem_type */
	uint64_t ip;
	uint64_t data;
	struct import_stream *stream; /* NULL: of no thread */
	size_t n;
	const struct import_name *chain[CHAIN]; /* the innermost first */
};

/* A line in front of its event. */
struct head {
	int64_t process;
	int64_t thread;
	uint64_t ns;
	const char *rest; /* behind the time */
};

/* ---- Addresses and functions. ---- */

struct spot {
	uint64_t ip;
	const char *name; /* NULL: none */
	size_t n;
};

/* The end of the function's name. */
static const char *
find_name_end(const char *p, const char *end)
{
	/* In front of its offset, */
	for (const char *s = p; (s = memchr(s, '+', (size_t)(end - s))); s++) {
		const char *behind = s + 3;
		if (end - s < 4 || s[1] != '0' || s[2] != 'x')
			continue;
		while (behind < end && scan_digits[(uint8_t)*behind])
			behind++;
		if (behind > s + 3 && (behind == end || (*behind == ' ' && behind + 1 < end && behind[1] == '(')))
			return s;
	}
	/* or of the file, which is in the last parentheses behind a blank. */
	const char *file = end;
	for (const char *s = p; (s = memchr(s, '(', (size_t)(end - s))); s++)
		file = s > p && s[-1] == ' ' ? s : file;
	while (file > p && file[-1] == ' ')
		file--;
	return file;
}

/* Reads "[ADDRESS...] ADDRESS FUNCTION+0xOFFSET (FILE)". Addresses are 16 characters wide and the function is behind one
 * blank: what looks like a number there is its name. false: there is no address. */
static bool
take_spot(const char *p, const char *end, struct spot *to)
{
	bool found = false;
	end = find_name_end(p, end);
	for (;;) {
		uint64_t v;
		const char *from = scan_blanks(p, end);
		const char *s = from;
		bool number = from < end && scan_hex(&s, &v) && (s == end || *s == ' ') && (!found || from - p > 1 || s - from == 16);
		p = from;
		if (!number)
			break;
		to->ip = v;
		found = true;
		p = s;
	}
	to->name = p < end ? p : NULL;
	to->n = (size_t)(end - p);
	return found;
}

/* ---- Samples. ---- */

static const char *
finish_sample(struct import *im)
{
	struct perf *f = im->state;
	struct import_stream *s = f->stream;
	const char *problem = NULL;
	bool empty = f->n == 0 && !f->has_ip;
	im->left += f->open && (!s || empty);
	if (!f->open || !s || empty) {
		f->open = false;
		return NULL;
	}
	f->open = false;
	size_t same = 0;
	while (same < s->nframes && same < f->n && s->frames[same].name == f->chain[f->n - 1 - same])
		same++;
	if (f->n)
		import_leave(im, s, same);
	for (size_t i = f->n - same; i > 0 && f->n && !problem; i--)
		problem = import_enter(im, s, f->chain[i - 1], (uint32_t)s->nframes);
	if (f->has_ip)
		import_instruction(im, s, f->ip);
	if (f->has_data)
		import_touch(im, s, f->access, f->data);
	return problem;
}

static const char *
add_function(struct import *im, const char *p, const char *end, bool first)
{
	struct perf *f = im->state;
	struct spot at;
	if (!take_spot(p, end, &at))
		return no_line;
	if (first && !f->has_ip) {
		f->has_ip = true;
		f->ip = at.ip;
	}
	if (!f->stream || !at.name || f->n == CHAIN)
		return NULL;
	f->chain[f->n] = import_name(im, at.name, at.n);
	if (!f->chain[f->n])
		return "there are more than 1048576 functions";
	f->n++;
	return NULL;
}

/* Words of `perf mem`: the address of data, what was done with it. *p: behind them. */
static void
take_data(struct perf *f, const char **p, const char *end)
{
	const char *bar = memchr(*p, '|', (size_t)(end - *p));
	const char *s = bar;
	if (!bar || !scan_word(&s, end, "|OP "))
		return;
	const char *addr = scan_blanks(*p, end);
	f->has_data = scan_hex(&addr, &f->data);
	f->access = scan_word(&s, end, "LOAD") ? PRISM_LOAD : scan_word(&s, end, "STORE") ? PRISM_STORE
											  : PRISM_MEM_UNDEFINED;
	for (const char *next; (next = memchr(s, '|', (size_t)(end - s))); s = next + 1)
		;
	/* Words of the last part, up to a number. */
	for (;;) {
		uint64_t v;
		s = scan_blanks(s, end);
		const char *word = s;
		if (s == end || (scan_hex(&word, &v) && (word == end || *word == ' ')))
			break;
		s = scan_end(s, end);
	}
	*p = s;
}

/* What is behind the time. */
static const char *
take_event(struct import *im, const char *p, const char *end)
{
	struct perf *f = im->state;
	/* The name of the event ends with a colon and a blank, or the line. */
	for (const char *colon = p; (colon = memchr(colon, ':', (size_t)(end - colon))); colon++)
		if (colon + 1 == end || colon[1] == ' ') {
			p = colon + 1;
			break;
		}
	take_data(f, &p, end);
	/* "ADDRESS FUNCTION => ADDRESS FUNCTION" of a branch: where it is. */
	for (const char *s = p; (s = memchr(s, '=', (size_t)(end - s))); s++)
		if (s > p && s[-1] == ' ' && end - s > 2 && s[1] == '>' && s[2] == ' ') {
			end = s - 1;
			break;
		}
	struct spot at;
	if (scan_blanks(p, end) == end || !take_spot(p, end, &at))
		return NULL;
	return add_function(im, p, end, true);
}

/* ---- Lines. ---- */

/* The number of a process or a thread, which may be -1. */
static bool
take_id(const char **p, int64_t *to)
{
	uint64_t v;
	bool less = **p == '-';
	*p += less;
	if (!scan_dec(p, &v) || v > INT64_MAX)
		return false;
	*to = less ? -(int64_t)v : (int64_t)v;
	return true;
}

/* "TID" or "PID/TID", from p to end. */
static bool
take_ids(const char *p, const char *end, struct head *h)
{
	h->process = 1;
	if (!take_id(&p, &h->thread))
		return false;
	if (*p == '/') {
		p++;
		h->process = h->thread;
		if (!take_id(&p, &h->thread))
			return false;
	}
	return p == end;
}

/* The words in front of the time, which is the first one like "12.345678:". */
static bool
take_head(const char *line, const char *end, struct head *h)
{
	enum { WORDS = 4 };
	const char *from[WORDS]; /* the last words, */
	const char *to[WORDS];
	size_t n = 0; /* of so many */
	for (const char *p = scan_blanks(line, end); p < end; p = scan_blanks(p, end)) {
		const char *s = p;
		const char *behind = scan_end(p, end);
		if (behind[-1] == ':' && *p >= '0' && *p <= '9' && memchr(p, '.', (size_t)(behind - p)) && scan_time(&s, 1000000000, &h->ns) && s == behind - 1) {
			h->rest = behind;
			for (size_t back = 1; back <= WORDS && back <= n; back++)
				if (take_ids(from[(n - back) % WORDS], to[(n - back) % WORDS], h))
					return true;
			return false;
		}
		from[n % WORDS] = p;
		to[n % WORDS] = behind;
		n++;
		p = behind;
	}
	return false;
}

static const char *
take_sample(struct import *im, const char *line, const char *end)
{
	struct perf *f = im->state;
	struct head h;
	if (!take_head(line, end, &h))
		return no_line;
	const char *p = scan_blanks(h.rest, end);
	if (scan_word(&p, end, "PERF_RECORD_"))
		return NULL;
	if (h.thread > IMPORT_THREAD_MAX || h.process > IMPORT_THREAD_MAX)
		return import_no_thread;
	f->open = true;
	f->deep = f->has_ip = f->has_data = false;
	f->n = 0;
	f->stream = NULL;
	/* Nothing is known of thread and process -1, and those of 0 are none. */
	if (h.thread > 0 && h.process > 0) {
		f->stream = import_thread(im, (uint64_t)h.thread, h.process, (uint64_t)h.thread);
		if (!f->stream)
			f->open = false;
		if (!f->stream)
			return import_too_many;
		const char *problem = import_at(f->stream, h.ns);
		if (problem) {
			f->stream = NULL;
			return problem;
		}
	}
	return take_event(im, p, end);
}

static const char *
take(struct import *im, const char *p, const char *end)
{
	struct perf *f = im->state;
	if (p < end && *p == '\t') {
		if (!f->open)
			return no_line;
		bool first = !f->deep;
		f->deep = true;
		return add_function(im, p + 1, end, first);
	}
	const char *problem = finish_sample(im);
	if (problem || scan_blanks(p, end) == end || *p == '#')
		return problem;
	return take_sample(im, p, end);
}

static const char *
finish(struct import *im)
{
	const struct perf *f = im->state;
	return f->open && f->deep ? "the file ends inside a sample" : finish_sample(im);
}

static bool
is(const char *p, const char *end)
{
	struct head h;
	return p < end && *p != '\t' && *p != '#' && take_head(p, end, &h) && memchr(h.rest, ':', (size_t)(end - h.rest));
}

const struct import_format import_perf = {
	.name = "perf",
	.mem = 0xa0,
	.timed = true,
	.state = sizeof(struct perf),
	.take = take,
	.finish = finish,
	.is = is,
};
