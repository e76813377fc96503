/* SPDX-License-Identifier: MIT */
#ifndef FILEINFO_H
#define FILEINFO_H

/* fileinfo: what `uscope info` tells of a file, gathered without decoding its segments. */

#include "show.h"

struct fileinfo {
	uint64_t size; /* bytes of the file */
	uint64_t checkpoints;
	uint64_t compressed;
	uint64_t raw;
	uint64_t frames;
	uint64_t active; /* frames with content */
	uint64_t begin_ps;
	uint64_t end_ps; /* exclusive */
	uint32_t segments;
	uint32_t bad; /* segments with a bad header */
};

void fileinfo_get(const struct source *src, struct fileinfo *info);
const char *frames_name(uint64_t flags);      /* "interleaved", "compact", "wide" */
const char *compression_name(uint64_t flags); /* "LZ4", "ZSTD", "none" */
/* "strings"...; NULL: unknown. */
const char *section_name(uint16_t type);

/* Members of an object that tells of a segment. */
void json_segment(struct wbuf *w, const uscope_segment_t *seg);
void info_json(const struct show *s, const struct fileinfo *info, bool segments);
/* The schema: clocks, scopes with all they hold, enumerations. */
void info_schema(const struct show *s);

#endif
