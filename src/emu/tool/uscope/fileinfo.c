/* SPDX-License-Identifier: MIT */
#include "fileinfo.h"

#include <sys/stat.h>

void
fileinfo_get(const struct source *src, struct fileinfo *info)
{
	*info = (struct fileinfo){ .segments = uscope_num_segments(src->reader) };
	struct stat st;
	if (stat(src->path, &st) == 0)
		info->size = (uint64_t)st.st_size;
	for (uint32_t i = 0; i < info->segments; i++) {
		uscope_segment_t seg;
		if (uscope_segment_info(src->reader, i, &seg) < 0) {
			info->bad++;
			continue;
		}
		if (i == info->bad)
			info->begin_ps = seg.time_start_ps;
		info->end_ps = seg.time_end_ps;
		info->checkpoints += seg.checkpoint_size;
		info->compressed += seg.compressed_size;
		info->raw += seg.raw_size;
		info->frames += seg.num_frames;
		info->active += seg.num_frames_active;
	}
}

const char *
frames_name(uint64_t flags)
{
	return flags & USCOPE_F_INTERLEAVED ? "interleaved" : flags & USCOPE_F_COMPACT_DELTAS ? "compact"
											      : "wide";
}

const char *
compression_name(uint64_t flags)
{
	return !(flags & USCOPE_F_COMPRESSED) ? "none" : flags & USCOPE_F_COMP_METHOD ? "ZSTD"
										      : "LZ4";
}

const char *
section_name(uint16_t type)
{
	switch (type) {
	case USCOPE_SECTION_SUMMARY:
		return "summary of old";
	case USCOPE_SECTION_STRINGS:
		return "strings";
	case USCOPE_SECTION_SEGMENTS:
		return "segments";
	case USCOPE_SECTION_COUNTER_SUMMARY:
		return "summary";
	default:
		return NULL;
	}
}
