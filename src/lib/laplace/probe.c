/* SPDX-License-Identifier: MIT */
#include "probe.h"

#include "kernel.h"
#include "ref.h"

enum lap_format
lapprobe_name(const char *name)
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
	size_t n = strlen(name);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t k = strlen(known[i].suffix);
		if (n >= k && strcmp(name + n - k, known[i].suffix) == 0)
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
	return code == 0 || code == LAP_LK02 || code == LAP_LK03;
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
