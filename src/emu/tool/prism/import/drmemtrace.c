/* SPDX-License-Identifier: MIT */
/* drmemtrace: what the tool "view" of DynamoRIO's drmemtrace prints:
 *
 *   <record> <instruction>: <thread> ifetch  5 byte(s) @ 0x0000000000404a83 be 18 00 00 00 mov ...
 *   <record> <instruction>: <thread> read    8 byte(s) @ 0x00007fdf64e2adc8 by PC 0x0000000000404a7e
 *   <record> <instruction>: <thread> <marker: timestamp 13334804716609227>
 *
 * A thread may have a workload, "W0.T2765543", or only the T; early versions have no number of the instruction.
 * Timestamps are microseconds, one for a buffer of some thousand records: between two of them each instruction takes
 * a nanosecond. Bytes of a long instruction go on in a line that has blanks behind the thread. */
#include "import.h"
#include "scan.h"

static const char no_line[] = "this is no line of the view of drmemtrace";

struct drmemtrace {
	uint64_t first; /* timestamp, of all threads */
	bool timed;
};

/* Takes what is in front of the record: numbers and the thread. *key: workload and thread. */
static const char *
take_prefix(const char *p, const char *end, uint64_t *key)
{
	uint64_t number;
	uint64_t workload = 0;
	p = scan_blanks(p, end);
	if (!scan_dec(&p, &number))
		return NULL;
	if (*p != ':') {
		p = scan_blanks(p, end);
		if (!scan_dec(&p, &number) || *p != ':')
			return NULL;
	}
	p = scan_blanks(p + 1, end);
	if (*p == 'W') {
		p++;
		if (!scan_dec(&p, &workload) || *p++ != '.' || workload >= INT32_MAX)
			return NULL;
	}
	p += *p == 'T';
	if (!scan_dec(&p, &number) || number > UINT32_MAX || p == end || *p != ' ')
		return NULL;
	*key = workload << 32 | number;
	return p + 1;
}

/* Text in front of the records and behind them. */
static bool
is_around(const char *p, const char *end)
{
	static const char *const words[] = { "Output format:", "<--record#->", "------", "View tool results:", "======" };
	if (p == end)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *s = p;
		if (scan_word(&s, end, words[i]))
			return true;
	}
	uint64_t number;
	p = scan_blanks(p, end);
	return scan_dec(&p, &number) && scan_word(&p, end, " : total instructions");
}

static const char *
take_marker(struct import *im, struct import_stream *s, const char *p, const char *end)
{
	struct drmemtrace *d = im->state;
	uint64_t us;
	if (!scan_word(&p, end, "<marker: timestamp "))
		return NULL;
	if (!scan_dec(&p, &us) || *p != '>')
		return no_line;
	d->first = d->timed ? d->first : us;
	d->timed = true;
	if (us < d->first)
		return NULL;
	if (us - d->first > INT64_MAX / 2000)
		return "the time does not fit in 63 bits of nanoseconds";
	uint64_t ns = (us - d->first) * 1000;
	return import_at(s, ns > s->now ? ns : s->now);
}

/* "ifetch  5 byte(s) @ 0x0000000000404a83". Returns what is behind the name of the record; NULL: it is none. */
static bool
take_access(const char *p, const char *end, const char **name_end, uint64_t *size, uint64_t *addr)
{
	*name_end = scan_end(p, end);
	p = scan_blanks(*name_end, end);
	return scan_dec(&p, size) && scan_word(&p, end, " byte(s) @ 0x") && scan_hex(&p, addr);
}

static const char *
take(struct import *im, const char *line, const char *end)
{
	uint64_t key, size, addr;
	const char *behind;
	const char *p = take_prefix(line, end, &key);
	if (!p)
		return is_around(line, end) ? NULL : no_line;
	uint64_t thread = key & UINT32_MAX;
	if (p == end || *p == ' ' || thread == 0)
		return NULL;
	if (thread > IMPORT_THREAD_MAX)
		return import_no_thread;
	struct import_stream *s = import_thread(im, key, (int64_t)(key >> 32) + 1, thread);
	if (!s)
		return import_too_many;
	if (*p == '<')
		return take_marker(im, s, p, end);
	if (!take_access(p, end, &behind, &size, &addr))
		return no_line;
	if (size > IMPORT_SIZE_MAX)
		return "no access has this size";
	size_t n = (size_t)(behind - p);
	bool insn = n == 6 && memcmp(p, "ifetch", 6) == 0;
	bool load = n == 4 && memcmp(p, "read", 4) == 0;
	bool store = n == 5 && memcmp(p, "write", 5) == 0;
	const char *problem = import_at(s, s->now + insn);
	if (insn)
		import_instruction(im, s, addr);
	else if (load || store)
		import_access(im, s, load ? PRISM_LOAD : PRISM_STORE, addr, size);
	else
		im->left++; /* prefetches and flushes */
	return problem;
}

static bool
is(const char *p, const char *end)
{
	uint64_t key, size, addr;
	const char *behind;
	p = take_prefix(p, end, &key);
	return p && p < end && (scan_word(&p, end, "<marker: ") || take_access(p, end, &behind, &size, &addr));
}

const struct import_format import_drmemtrace = {
	.name = "drmemtrace",
	.mem = 0xe0,
	.timed = true,
	.state = sizeof(struct drmemtrace),
	.take = take,
	.is = is,
};
