/* SPDX-License-Identifier: MIT */
/* info: what a file is and what it can hold, told without decoding its segments. */
#include "show.h"

#include "uscope/extra.h"

#include <inttypes.h>
#include <sys/stat.h>

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

static void
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

static const char *
frames_name(uint64_t flags)
{
	return flags & USCOPE_F_INTERLEAVED ? "interleaved" : flags & USCOPE_F_COMPACT_DELTAS ? "compact"
											      : "wide";
}

static const char *
compression_name(uint64_t flags)
{
	return !(flags & USCOPE_F_COMPRESSED) ? "none" : flags & USCOPE_F_COMP_METHOD ? "ZSTD"
										      : "LZ4";
}

/* ---- Lists, in both forms. ---- */

void
json_segment(struct wbuf *w, const uscope_segment_t *seg)
{
	json_u64(w, "offset", seg->offset);
	json_u64(w, "time_start_ps", seg->time_start_ps);
	json_u64(w, "time_end_ps", seg->time_end_ps);
	json_u64(w, "checkpoint_size", seg->checkpoint_size);
	json_u64(w, "compressed_size", seg->compressed_size);
	json_u64(w, "raw_size", seg->raw_size);
	json_u64(w, "frames", seg->num_frames);
}

static void
put_segments(const struct source *s)
{
	show_open(s, "segment_list", '[', "\nsegments:\n");
	for (uint32_t i = 0; i < uscope_num_segments(s->reader) && !utool_stop(s->tool); i++) {
		uscope_segment_t seg;
		int rc = uscope_segment_info(s->reader, i, &seg);
		if (s->tool->json) {
			json_open(s->w, NULL, '{');
			if (rc < 0) {
				json_str(s->w, "status", uscope_status_name(rc));
			} else {
				json_segment(s->w, &seg);
				json_u64(s->w, "frames_active", seg.num_frames_active);
			}
			json_close(s->w, '}');
			continue;
		}
		wbuf_printf(s->w, "  %" PRIu32 " ", i);
		if (rc < 0) {
			wbuf_printf(s->w, "%s\n", uscope_status_name(rc));
			continue;
		}
		show_time(s->w, seg.time_start_ps);
		put_str(s->w, " to ");
		show_time(s->w, seg.time_end_ps);
		wbuf_printf(s->w, " at 0x%" PRIx64 ": checkpoint %" PRIu32 " bytes, deltas %" PRIu32 " (%" PRIu32 " stored), frames %" PRIu32 "\n",
			seg.offset, seg.checkpoint_size, seg.raw_size, seg.compressed_size, seg.num_frames);
	}
	show_close(s, ']', "");
}

static const char *
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
	case USCOPE_SECTION_CHECKSUMS:
		return "checksums";
	case USCOPE_SECTION_STATE_TIMES:
		return "times of states";
	default:
		return NULL;
	}
}

static void
put_sections(const struct source *s)
{
	uint32_t n = uscope_num_sections(s->reader);
	show_open(s, "sections", '[', n ? "sections     " : "");
	for (uint32_t i = 0; i < n && !utool_stop(s->tool); i++) {
		uscope_section_t section;
		if (!uscope_section_info(s->reader, i, &section))
			continue;
		const char *name = section_name(section.type);
		if (s->tool->json) {
			json_open(s->w, NULL, '{');
			json_u64(s->w, "type", section.type);
			json_u64(s->w, "offset", section.offset);
			json_u64(s->w, "size", section.size);
			json_close(s->w, '}');
		} else if (name) {
			wbuf_printf(s->w, "%s%s %" PRIu64, i ? ", " : "", name, section.size);
		} else {
			wbuf_printf(s->w, "%sunknown 0x%04x %" PRIu64, i ? ", " : "", section.type, section.size);
		}
	}
	show_close(s, ']', n ? " bytes\n" : "");
}

static void
put_properties(const struct source *s)
{
	const uscope_dut_desc_t *dut = uscope_dut_desc(s->reader);
	show_open(s, "properties", '[', dut->num_properties ? "\nproperties:\n" : "");
	for (uint32_t i = 0; i < dut->num_properties; i++) {
		const char *key = dut->properties[i].key;
		const char *value = dut->properties[i].value;
		if (s->tool->json) {
			json_open(s->w, NULL, '{');
			json_str(s->w, "key", key);
			json_str(s->w, "value", value);
			json_close(s->w, '}');
			continue;
		}
		put_str(s->w, "  ");
		put_text(s->w, key, strlen(key));
		put_str(s->w, " = ");
		put_text(s->w, value, strlen(value));
		put_str(s->w, "\n");
	}
	show_close(s, ']', "");
}

/* ---- The head. ---- */

static void
put_summary(const struct source *s)
{
	uscope_summary_t sum;
	if (!uscope_summary_info(s->reader, &sum))
		return;
	wbuf_printf(s->w, "summary      %" PRIu32 " counter%s%s, from %" PRIu32 " cycles a bucket\n", sum.num_counters,
		sum.num_counters == 1 ? "" : "s", sum.legacy ? "" : " and the density", sum.base_interval_cycles);
}

static void
put_head(const struct source *s, const struct fileinfo *info)
{
	const uscope_file_header_t *h = uscope_header(s->reader);
	put_str(s->w, "file         ");
	put_text(s->w, s->path, strlen(s->path));
	wbuf_printf(s->w, ", %" PRIu64 " bytes\nformat       %u.%u, %s frames, compression %s\n", info->size,
		h->version_major, h->version_minor, frames_name(h->flags), compression_name(h->flags));
	wbuf_printf(s->w, "state        %s\n", uscope_is_complete(s->reader) ? "complete" : "not finished: it is being written, or its writer was stopped");
	put_str(s->w, "checkpoints  ");
	uint64_t interval = uscope_checkpoint_interval(s->reader);
	put_str(s->w, interval ? "every " : "where the size of the segments wants them");
	if (interval)
		show_time(s->w, interval);
	wbuf_printf(s->w, "\nsegments     %" PRIu32, info->segments);
	if (info->segments) {
		put_str(s->w, ", from ");
		show_time(s->w, info->begin_ps);
		put_str(s->w, " to ");
		show_time(s->w, info->end_ps);
	}
	if (info->bad)
		wbuf_printf(s->w, ", %" PRIu32 " with a bad header", info->bad);
	if (h->total_time_ps) {
		put_str(s->w, "\nend          ");
		show_time(s->w, h->total_time_ps);
	}
	wbuf_printf(s->w, "\nframes       %" PRIu64 ", %" PRIu64 " with content\nbytes        deltas %" PRIu64 " (%" PRIu64 " stored), checkpoints %" PRIu64 "\n",
		info->frames, info->active, info->raw, info->compressed, info->checkpoints);
	wbuf_printf(s->w, "strings      %" PRIu32 "\n", uscope_num_strings(s->reader));
	put_summary(s);
}

static void
json_head(const struct source *s, const struct fileinfo *info)
{
	const uscope_file_header_t *h = uscope_header(s->reader);
	struct wbuf *w = s->w;
	uscope_summary_t sum;
	json_open(w, NULL, '{');
	json_str(w, "file", s->path);
	json_u64(w, "size", info->size);
	json_printf(w, "version", "%u.%u", h->version_major, h->version_minor);
	json_u64(w, "flags", h->flags);
	json_str(w, "frame_format", frames_name(h->flags));
	json_str(w, "compression", compression_name(h->flags));
	json_bool(w, "complete", uscope_is_complete(s->reader));
	json_u64(w, "total_time_ps", h->total_time_ps);
	json_u64(w, "checkpoint_interval_ps", uscope_checkpoint_interval(s->reader));
	json_u64(w, "segments", info->segments);
	json_u64(w, "bad_segments", info->bad);
	json_u64(w, "time_start_ps", info->begin_ps);
	json_u64(w, "time_end_ps", info->end_ps);
	json_u64(w, "frames", info->frames);
	json_u64(w, "frames_active", info->active);
	json_u64(w, "raw_bytes", info->raw);
	json_u64(w, "compressed_bytes", info->compressed);
	json_u64(w, "checkpoint_bytes", info->checkpoints);
	json_u64(w, "strings", uscope_num_strings(s->reader));
	json_bool(w, "summary", uscope_summary_info(s->reader, &sum));
}

int
run_info(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	bool segments = false;
	const struct cli_option own[] = {
		{ 0, "segments", NULL, "also each segment", CLI_FLAG, &segments },
	};
	struct source *src = &t->in[0];
	t->own_report = true;
	if (!utool_begin(t, UTOOL_OPTIONS(own), argc, argv))
		return t->status;
	struct fileinfo info;
	fileinfo_get(src, &info);
	if (t->json)
		json_head(src, &info);
	else
		put_head(src, &info);
	put_sections(src);
	(void)show_diags(src, "diagnostics", "VN", "breaks       ", "note         ");
	put_properties(src);
	show_schema(src);
	if (segments)
		put_segments(src);
	if (t->json)
		json_end(&t->conv.out);
	return STATUS_GOOD;
}
