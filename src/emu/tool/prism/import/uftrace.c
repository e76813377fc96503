/* SPDX-License-Identifier: MIT */
/* uftrace: what `uftrace dump` prints, a thread behind the other:
 *
 *   reading 4711.dat
 *   105430.415350255   4711: [entry] main(4004d0) depth: 0
 *   105430.415351178   4711: [exit ] main(4004d0) depth: 0
 *
 * Records of the kernel and of perf come behind all threads, though they lie between the others: they are left out, and so
 * are events, arguments and results. */
#include "import.h"
#include "scan.h"

static const char no_line[] = "this is no line of uftrace dump";

struct uftrace {
	bool others; /* records of the kernel or of perf follow */
};

struct record {
	uint64_t ns, thread, depth;
	const char *kind; /* five characters */
	const char *name; /* NULL: not of a function */
	size_t n;
};

/* Reads a line from its time on. */
static bool
take_record(const char *p, const char *end, struct record *r)
{
	if (!scan_time(&p, 1000000000, &r->ns))
		return false;
	p = scan_blanks(p, end);
	if (!scan_dec(&p, &r->thread) || !scan_word(&p, end, ": [") || end - p < 6)
		return false;
	r->kind = p;
	r->name = NULL;
	p = memchr(p, ']', (size_t)(end - p));
	if (!p || (memcmp(r->kind, "entry", 5) != 0 && memcmp(r->kind, "exit ", 5) != 0))
		return p;
	r->name = scan_blanks(p + 1, end);
	/* From the end: the name may have anything. */
	const char *s = end;
	while (s > r->name && s[-1] >= '0' && s[-1] <= '9')
		s--;
	const char *depth = s;
	static const char before[] = ") depth: ";
	if (s - r->name < (ptrdiff_t)sizeof(before) || memcmp(s - sizeof(before) + 1, before, sizeof(before) - 1) != 0)
		return false;
	s -= sizeof(before) - 1;
	while (s > r->name && scan_digits[(uint8_t)s[-1]])
		s--;
	if (s == r->name || s[-1] != '(')
		return false;
	r->n = (size_t)(s - 1 - r->name);
	return scan_dec(&depth, &r->depth) && r->depth < IMPORT_DEPTH;
}

/* Lines that are no records. */
static bool
is_other(struct uftrace *u, const char *p, const char *end)
{
	if (p == end || *p == ' ')
		return true;
	if (scan_word(&p, end, "reading ")) {
		u->others = *p < '0' || *p > '9';
		return true;
	}
	return scan_word(&p, end, "uftrace file header: ");
}

static const char *
take(struct import *im, const char *p, const char *end)
{
	struct uftrace *u = im->state;
	struct record r;
	if (is_other(u, p, end))
		return NULL;
	if (!take_record(p, end, &r))
		return no_line;
	if (u->others || !r.name || r.thread == 0) {
		im->left++;
		return NULL;
	}
	if (r.thread > IMPORT_THREAD_MAX)
		return import_no_thread;
	struct import_stream *s = import_thread(im, r.thread, 1, r.thread);
	if (!s)
		return import_too_many;
	const char *problem = import_at(s, r.ns);
	if (problem)
		return problem;
	if (r.kind[1] == 'n') {
		const struct import_name *name = import_name(im, r.name, r.n);
		return name ? import_enter(im, s, name, (uint32_t)r.depth) : "there are more than 1048576 functions";
	}
	size_t keep = s->nframes;
	while (keep && s->frames[keep - 1].depth > r.depth)
		keep--;
	if (keep && s->frames[keep - 1].depth == r.depth)
		keep--;
	else
		im->left++; /* it was entered before the recording began */
	import_leave(im, s, keep);
	return NULL;
}

static bool
is(const char *p, const char *end)
{
	struct record r;
	const char *s = p;
	return scan_word(&s, end, "uftrace file header: ") || (take_record(p, end, &r) && r.name);
}

const struct import_format import_uftrace = {
	.name = "uftrace",
	.timed = true,
	.state = sizeof(struct uftrace),
	.take = take,
	.is = is,
};
