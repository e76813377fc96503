/* SPDX-License-Identifier: MIT */
/* info: what a file is and what it can hold. */
#include "fileinfo.h"
#include "puttext.h"

#include <getopt.h>
#include <inttypes.h>

enum {
	OPT_SEGMENTS = OPT_OWN,
};

static const struct cli_option options[] = {
	{ OPT_SEGMENTS, "segments", NULL, "also each segment" },
};

static void
put_segments(const struct show *s)
{
	put_str(s->w, "\nsegments:\n");
	for (uint32_t i = 0; i < uscope_num_segments(s->src->reader) && !utool_stop(s->tool); i++) {
		uscope_segment_t seg;
		int rc = uscope_segment_info(s->src->reader, i, &seg);
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
}

static void
put_summary(const struct show *s)
{
	uscope_summary_t sum;
	if (!uscope_summary_info(s->src->reader, &sum))
		return;
	wbuf_printf(s->w, "summary      %" PRIu32 " counter%s%s, from %" PRIu32 " cycles a bucket\n", sum.num_counters,
		sum.num_counters == 1 ? "" : "s", sum.legacy ? "" : " and the density", sum.base_interval_cycles);
}

static void
put_sections(const struct show *s)
{
	uint32_t n = uscope_num_sections(s->src->reader);
	if (n)
		put_str(s->w, "sections     ");
	for (uint32_t i = 0; i < n && !utool_stop(s->tool); i++) {
		uscope_section_t section;
		if (!uscope_section_info(s->src->reader, i, &section))
			continue;
		const char *name = section_name(section.type);
		if (name)
			wbuf_printf(s->w, "%s%s %" PRIu64, i ? ", " : "", name, section.size);
		else
			wbuf_printf(s->w, "%sunknown 0x%04x %" PRIu64, i ? ", " : "", section.type, section.size);
	}
	if (n)
		put_str(s->w, " bytes\n");
}

/* Rules that the file breaks, as far as opening it has shown. */
static void
put_rules(const struct show *s)
{
	for (int i = 0; i < USCOPE_NUM_DIAGS; i++) {
		uint64_t n = uscope_reader_diag(s->src->reader, (enum uscope_diag)i);
		const char *name = uscope_diag_name((enum uscope_diag)i);
		if (n)
			wbuf_printf(s->w, "%s %s: %s (%" PRIu64 ")\n", name[0] == 'V' ? "breaks      " : "note        ", name,
				uscope_diag_text((enum uscope_diag)i), n);
	}
}

static void
put_head(const struct show *s, const struct fileinfo *info)
{
	const file_header_t *h = uscope_header(s->src->reader);
	put_str(s->w, "file         ");
	put_text(s->w, s->src->path, strlen(s->src->path));
	wbuf_printf(s->w, ", %" PRIu64 " bytes\nformat       %u.%u, %s frames, compression %s\n", info->size,
		h->version_major, h->version_minor, frames_name(h->flags), compression_name(h->flags));
	wbuf_printf(s->w, "state        %s\n", uscope_is_complete(s->src->reader) ? "complete" : "not finished: it is being written, or its writer was stopped");
	put_str(s->w, "checkpoints  ");
	uint64_t interval = uscope_checkpoint_interval(s->src->reader);
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
	wbuf_printf(s->w, "strings      %" PRIu32 "\n", uscope_num_strings(s->src->reader));
	put_summary(s);
	put_sections(s);
	put_rules(s);
}

static void
put_properties(const struct show *s)
{
	const dut_desc_t *dut = uscope_dut_desc(s->src->reader);
	if (dut->num_properties)
		put_str(s->w, "\nproperties:\n");
	for (uint32_t i = 0; i < dut->num_properties; i++) {
		put_str(s->w, "  ");
		put_text(s->w, dut->properties[i].key, strlen(dut->properties[i].key));
		put_str(s->w, " = ");
		put_text(s->w, dut->properties[i].value, strlen(dut->properties[i].value));
		put_str(s->w, "\n");
	}
}

static int
run(struct tool *t, int argc, char **argv)
{
	bool segments = false;
	int opt;
	while ((opt = utool_next(t, argc, argv)) >= 0)
		segments = true;
	struct source *src = &t->in[0];
	t->own_report = true;
	if (!utool_ready(t, opt, argc, argv, 1) || !utool_open(t, src, argv[optind]))
		return t->status;
	struct show show = show_of(t, src);
	struct fileinfo info;
	fileinfo_get(src, &info);
	if (t->json) {
		info_json(&show, &info, segments);
		return STATUS_GOOD;
	}
	put_head(&show, &info);
	put_properties(&show);
	info_schema(&show);
	if (segments)
		put_segments(&show);
	return STATUS_GOOD;
}

const struct command command_info = {
	.name = "info",
	.synopsis = "[options] FILE",
	.brief = "what a file is and what it can hold",
	.about = "Print what a trace is: format, size, times, schema.",
	.with = WITH_JSON | WITH_MODE | WITH_OUTPUT,
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.run = run,
};
