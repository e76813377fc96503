/* SPDX-License-Identifier: MIT */
/* check: whether a file keeps all rules of the format; all that is wrong, not only
 * the first. */
#include "cpuscope.h"
#include "show.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
	FINDINGS_MAX = 100, /* that are printed */
};

struct check {
	struct source *src;
	uint64_t findings;
	uint64_t frames, operations, events;
	struct cpuscope cpu; /* the first processor */
	uint64_t *set;       /* by slot of its entities: the last frame that sets it; NULL: orders are known */
	uint64_t unordered;
};

/* Frames of version 0.1 have operations first and then events. What of a flush and a SET of one entity came first
 * is not in the file, and whether the flush ended the life before or the one that begins there. */
static void
begin_orders(struct check *c)
{
	if (!(uscope_header(c->src->reader)->flags & USCOPE_F_INTERLEAVED) && cpuscope_find(&c->cpu, &c->src->paths, NULL))
		c->set = calloc(SLOTS, sizeof(*c->set)); /* a note less if there is no memory */
}

static void
look_at_order(struct check *c, const uscope_item_t *item)
{
	struct step s;
	if (!cpuscope_step(&c->cpu, item, &s))
		return;
	if (s.kind == STEP_SET ? c->cpu.id == NO_FIELD || s.field == c->cpu.id : s.kind == STEP_ADD && c->cpu.id == NO_FIELD)
		c->set[s.slot] = c->frames;
	c->unordered += s.kind == STEP_FLUSH && c->set[s.slot] == c->frames;
}

static bool
on_finding(const uscope_error_t *e, void *user)
{
	struct check *c = user;
	struct wbuf *w = &c->src->tool->conv.out;
	const char *reason = *e->reason ? e->reason : uscope_status_text(e->status);
	if (++c->findings > FINDINGS_MAX)
		return !utool_stop(c->src->tool);
	if (c->src->tool->json) {
		json_open(w, NULL, '{');
		json_str(w, "status", uscope_status_name(e->status));
		if (e->segment < 0)
			json_str(w, "segment", NULL);
		else
			json_i64(w, "segment", e->segment);
		json_u64(w, "offset", e->offset);
		json_bool(w, "decompressed", e->raw_offset);
		json_str(w, "reason", reason);
		json_close(w, '}');
		return true;
	}
	wbuf_printf(w, "%s: ", uscope_status_name(e->status));
	put_text(w, reason, strlen(reason));
	if (e->segment >= 0)
		wbuf_printf(w, ", segment %" PRId64, e->segment);
	if (e->segment >= 0 || e->offset)
		wbuf_printf(w, ", offset 0x%" PRIx64 "%s", e->offset, e->raw_offset ? " of its decompressed deltas" : "");
	put_str(w, "\n");
	return !utool_stop(c->src->tool);
}

static void
check_segment(struct check *c, uint32_t i)
{
	uscope_reader_t *r = c->src->reader;
	uscope_segment_t seg;
	if (uscope_segment_info(r, i, &seg) < 0) {
		(void)on_finding(uscope_reader_error(r), c);
		return;
	}
	/* A segment with a bad checkpoint is of no use: its items are not looked at. */
	uscope_state_t *state = uscope_segment_checkpoint(r, i);
	if (!state) {
		(void)on_finding(uscope_reader_error(r), c);
		return;
	}
	uscope_state_free(state);

	uscope_item_iter_t *it = uscope_segment_items(r, i);
	uscope_item_t item;
	while (it && uscope_item_next(it, &item)) {
		c->frames += item.kind == USCOPE_ITEM_FRAME;
		c->operations += item.kind == USCOPE_ITEM_OP;
		c->events += item.kind == USCOPE_ITEM_EVENT;
		if (c->set)
			look_at_order(c, &item);
	}
	if (!it || uscope_item_iter_status(it) < 0)
		(void)on_finding(uscope_reader_error(r), c);
	uscope_item_iter_free(it);
}

/* Rules that are broken are counted already. */
static bool
on_verify(const uscope_error_t *e, void *user)
{
	return e->status == USCOPE_E_STRICT || on_finding(e, user);
}

static int
put_result(struct check *c)
{
	struct wbuf *w = &c->src->tool->conv.out;
	uint32_t segments = uscope_num_segments(c->src->reader);
	bool complete = uscope_is_complete(c->src->reader);
	show_close(c->src, ']', "");
	uint64_t broken = show_diags(c->src, "violations", "V", "", "");
	(void)show_diags(c->src, "notes", "N", "", "note ");
	bool good = broken == 0 && c->findings == 0;
	if (c->src->tool->json) {
		json_bool(w, "good", good);
		json_bool(w, "complete", complete);
		json_u64(w, "segments", segments);
		json_u64(w, "frames", c->frames);
		json_u64(w, "operations", c->operations);
		json_u64(w, "events", c->events);
		if (c->unordered)
			json_u64(w, "unordered_flushes", c->unordered);
		json_end(w);
		return good ? STATUS_GOOD : STATUS_BAD;
	}
	if (c->unordered)
		wbuf_printf(w, "note: frames of version 0.1 flush entities that they also set, and do not say in which order: instructions of `konata` may be too many (%" PRIu64 ")\n",
			c->unordered);
	if (c->findings > FINDINGS_MAX)
		wbuf_printf(w, "and %" PRIu64 " more\n", c->findings - FINDINGS_MAX);
	put_text(w, c->src->path, strlen(c->src->path));
	wbuf_printf(w, ": %s%s, %" PRIu32 " segment%s, %" PRIu64 " frames, %" PRIu64 " operations, %" PRIu64 " events\n", good ? "good" : "NOT good",
		complete ? "" : ", not finished", segments, segments == 1 ? "" : "s", c->frames, c->operations, c->events);
	return good ? STATUS_GOOD : STATUS_BAD;
}

/* A file that cannot be opened is a finding too, for programs. */
static void
put_unreadable(struct check *c, const char *path, const uscope_error_t *e)
{
	struct wbuf *w = &c->src->tool->conv.out;
	c->src->path = path;
	if (c->src->tool->json) {
		json_open(w, NULL, '{');
		json_open(w, "errors", '[');
		(void)on_finding(e, c);
		json_close(w, ']');
		json_open(w, "violations", '{');
		json_close(w, '}');
		json_open(w, "notes", '{');
		json_close(w, '}');
		json_bool(w, "good", false);
		json_end(w);
	}
	(void)utool_fail(c->src->tool, c->src, e);
}

int
run_check(struct conv *conv, int argc, char **argv)
{
	struct tool *t = utool_of(conv);
	struct check c = { .src = &t->in[0] };
	bool verify = false;
	const struct cli_option own[] = {
		{ 0, "verify", NULL, "replay: checkpoints and summary fit what is before", CLI_FLAG, &verify },
	};
	t->own_report = true;
	if (!utool_ready(t, conv_next(&t->conv, UTOOL_OPTIONS(own), argc, argv), argc, argv, 1))
		return t->status;
	uscope_error_t e = { .segment = -1 };
	uscope_reader_options_t options = { .mode = t->mode };
	uscope_reader_t *r = uscope_reader_open_ex(argv[optind], &options, &e);
	if (!r) {
		put_unreadable(&c, argv[optind], &e);
		return STATUS_BAD;
	}
	if (!utool_adopt(t, c.src, argv[optind], r))
		return t->status;

	begin_orders(&c);
	show_open(c.src, NULL, '{', "");
	show_open(c.src, "errors", '[', "");
	uint32_t n = uscope_num_segments(r);
	uint32_t parts = verify ? 2 * n : n;
	for (uint32_t i = 0; i < n && !utool_stop(t); i++) {
		check_segment(&c, i);
		utool_progress(t, i + 1, parts);
	}
	/* A replay through damage would only tell of the damage again. */
	int rc = c.findings == 0 ? (verify ? uscope_verify : uscope_verify_bytes)(r, on_verify, &c) : 0;
	free(c.set);
	if (rc < 0)
		return utool_failed(t, c.src);
	utool_progress(t, 1, 1);
	return put_result(&c);
}
