/* SPDX-License-Identifier: MIT */
/* The subcommand recode: a stream in another layout, with less detail, or in other buffers. */
#include "input.h"
#include "write.h"

#include <inttypes.h>

struct recoder {
	struct ptool *tool;
	struct ptinput *in;
	struct prism_source target;
	struct ptwrite writer;
	bool owed[PRISM_KINDS]; /* its level of detail must be told before the next event */
	bool other_buffers;     /* Ends are where the output has them */
	bool ended;             /* the last event was one */
};

/* Reports why the current event cannot be written. Returns -1. */
static int
refuse(struct recoder *r, const char *error, const char *code, const char *text, const char *hint)
{
	conv_tell(&r->tool->conv,
		&(struct conv_issue){
			.error = error,
			.code = code,
			.text = text,
			.file = r->in->source.name,
			.offset = r->in->file.in.at,
			.nth = 1,
			.fatal = true,
			.hint = hint,
		});
	return -1;
}

/* The output has other events than the input: the timestamps of that are not those of this. */
static int
differ(struct recoder *r, const char *text)
{
	if (r->in->source.clock != PRISM_CLOCK_TIMESTAMPS || r->tool->to_timestamps)
		return 0;
	return refuse(r, "timestamps", NULL, text, "--to-timestamps=FILE writes those of the output");
}

static void
put_time(struct recoder *r)
{
	uint8_t bytes[8];
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(r->in->clock >> 8 * i);
	wbuf_put(&r->tool->conv.beside[PTOOL_TIMES], bytes, sizeof(bytes));
}

static int
put(struct recoder *r, const struct prism_event *ev)
{
	int code = ptwrite_event(&r->writer, ev);
	if (code == 0) {
		if (r->tool->to_timestamps && ev->kind != PRISM_END)
			put_time(r);
		return 0;
	}
	const char *text = prism_code_text(-code);
	if (-code == PRISM_E_MEMORY)
		return conv_no_memory(&r->tool->conv);
	if (-code == PRISM_E_VALUE)
		return refuse(r, "value", NULL, text,
			ev->kind == PRISM_SYNC          ? "a word is too large for words of 4 bytes"
				: ev->kind == PRISM_CXT ? "the number of a name is too large for 4 bytes"
							: "the packed layout has no operation above 63");
	return refuse(r, "prism", prism_code_name(-code), text, -code == PRISM_PB16 ? "--to-buffer-size must be larger" : NULL);
}

/* An access of another size than a power of two, as half_sizes reads it, becomes several. */
static int
put_access(struct recoder *r, const struct prism_event *ev)
{
	struct prism_event part = *ev;
	unsigned left = ev->mem.bytes;
	uint32_t shown = r->writer.state.seen[PRISM_MEM].has & ev->mem.has;
	if (!(shown & PRISM_HAS_SIZE) || (left & (left - 1)) == 0)
		return put(r, ev);
	int rc = differ(r, "this access becomes several, for which there is one timestamp");
	while (rc == 0 && left) {
		part.mem.bytes = (uint16_t)(1U << (31 - (unsigned)__builtin_clz(left)));
		rc = put(r, &part);
		part.mem.addr += part.mem.bytes;
		left -= part.mem.bytes;
	}
	return rc;
}

static int
put_config(struct recoder *r, unsigned kind, uint8_t detail)
{
	struct prism_event ev = { .kind = PRISM_CFG, .cfg = { .target = (uint8_t)kind, .after = detail & r->tool->mask[kind] } };
	if (kind == PRISM_CF)
		ev.cfg.after = detail;
	r->owed[kind] = false;
	return put(r, &ev);
}

/* Before the first event of a stream its levels of detail are told, unless it tells them. */
static int
put_owed(struct recoder *r)
{
	int rc = 0;
	for (unsigned kind = 0; kind < PRISM_KINDS && rc == 0; kind++)
		if (r->owed[kind]) {
			rc = differ(r, "a config event has to be added here, for which there is no timestamp");
			if (rc == 0)
				rc = put_config(r, kind, r->in->source.settings.detail[kind]);
		}
	return rc;
}

/* Writes a context. One of the same table as before keeps its number. */
static int
put_context(struct recoder *r, const struct prism_event *ev)
{
	struct prism_event same = *ev;
	if (!(ev->cxt.has & PRISM_HAS_NAME) || !r->in->source.names || r->tool->to_names)
		return put(r, ev);
	same.cxt.has |= PRISM_HAS_NUMBER;
	for (unsigned i = 0; i < r->in->source.name_size; i++)
		same.cxt.id |= (uint64_t)r->in->bytes[1 + i] << 8 * i;
	return put(r, &same);
}

static int
take(struct recoder *r, const struct prism_event *ev)
{
	static const char *const skipped = "this event is left out, and its timestamp is not";
	if (ev->kind == PRISM_CFG)
		return ev->cfg.target < PRISM_KINDS ? put_config(r, ev->cfg.target, ev->cfg.after) : differ(r, skipped);
	r->ended = ev->kind == PRISM_END;
	if (r->ended && r->other_buffers)
		return 0;
	int rc = put_owed(r);
	if (rc == 0 && ev->kind == PRISM_SYNC && (ev->sync.has & PRISM_HAS_TYPE) && (ev->sync.type == 0 || ev->sync.type >= PRISM_SYNCS))
		return differ(r, skipped); /* it was told */
	if (rc == 0)
		rc = ev->kind == PRISM_MEM ? put_access(r, ev) : ev->kind == PRISM_CXT ? put_context(r, ev)
										       : put(r, ev);
	return rc;
}

static void
begin(struct recoder *r)
{
	struct ptool *t = r->tool;
	struct prism_source *s = &r->target;
	struct prism_source usual;
	prismdesc_default(&usual);
	*s = r->in->source;
	if (t->to_layout >= 0)
		s->settings.layout = (enum prism_layout)t->to_layout;
	if (t->to_word_size >= 0)
		s->settings.word_size = t->to_word_size ? 8 : 4;
	if (t->to_buffer_size != UINT64_MAX)
		s->buffer_size = t->to_buffer_size;
	ptool_set_names(t, s);
	if (t->to_timestamps) {
		s->clock = PRISM_CLOCK_TIMESTAMPS;
		s->timestamps = t->to_timestamps;
	}
	r->other_buffers = s->buffer_size != r->in->source.buffer_size;
	/* The output says all by itself. */
	for (unsigned kind = 0; kind < PRISM_KINDS; kind++) {
		uint8_t detail = s->settings.detail[kind] & t->mask[kind];
		s->settings.detail[kind] = usual.settings.detail[kind];
		r->owed[kind] = kind == PRISM_MEM || kind == PRISM_COMP || (kind != PRISM_CF && detail != usual.settings.detail[kind]);
	}
	ptwrite_begin(&r->writer, &t->conv, &s->settings, s->buffer_size);
}

static int
recode(struct recoder *r, const char *out)
{
	struct ptool *t = r->tool;
	int rc;
	begin(r);
	while ((rc = ptinput_next(r->in)) > 0) {
		rc = take(r, &r->in->file.rec.ev);
		if (rc < 0 || conv_stop(&t->conv))
			break;
	}
	if (rc == 0 && r->other_buffers && r->ended)
		rc = put(r, &(struct prism_event){ .kind = PRISM_END });
	if (rc == 0 && prismclock_left(&r->in->file.time) > 0)
		rc = differ(r, "the stream ends here, and its timestamps do not");
	if (rc == 0)
		rc = ptool_describe(t, out, &r->target);
	return rc < 0 ? rc : 0;
}

static int
run_recode(struct conv *c, int argc, char **argv)
{
	struct ptool *t = ptool_of(c);
	struct recoder r = { .tool = t };
	const char *out;
	int rc = ptinput_open_pair(t, argc, argv, &out);
	if (rc == 0 && t->to_timestamps)
		rc = conv_open_beside(c, PTOOL_TIMES, t->to_timestamps);
	if (rc == 0 && ptool_writes_names(t))
		rc = conv_open_beside(c, PTOOL_NAMES, t->to_names);
	if (rc != 0)
		return rc;
	r.in = t->inputs;
	rc = recode(&r, out);
	ptwrite_finish(&r.writer);
	return rc;
}

const struct conv_command pcommand_recode = {
	.name = "recode",
	.synopsis = "[options] [FILE [OUTFILE]]",
	.brief = "another layout, less detail, other buffers, names once",
	.about = "Write a stream in another layout, with less detail, in other buffers, or with\neach name once.",
	.with = CONV_WITH_OUTPUT | PTOOL_WITH_INPUT | PTOOL_WITH_RECODE | PTOOL_WITH_DESCRIBE,
	.max_args = 2,
	.run = run_recode,
};
