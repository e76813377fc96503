/* SPDX-License-Identifier: MIT */
/* The subcommand stat: what is in streams, in numbers. */
#include "input.h"
#include "jsonout.h"
#include "line.h"

#include "idmap.h"
#include "prism/names.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	TYPES = 32,
	KEY_MAX = 40,
};

static const char *const name_kinds[PRISM_STACKS] = { "functions", "operators", "nets" };

struct stats {
	struct ptool *tool;
	struct wbuf *out;
	uint64_t kinds[PRISM_END + 1];
	uint64_t types[PRISM_END + 1][TYPES]; /* of events that show it */
	uint64_t bytes[4];                    /* of memory, by type */
	uint64_t ops[PRISM_OPS + 1];          /* the last: others */
	uint64_t size;                        /* bytes of events */
	uint64_t first, last;                 /* ns */
	/* Distinct threads, blocks and names. */
	struct idmap threads;
	struct idmap blocks;
	struct prismtable names;
	uint64_t nnames[PRISM_STACKS];
	struct arena arena;
};

/* Something that may have been there before. */
static int
note(struct stats *s, struct idmap *in, uint64_t key)
{
	struct idmap_slot *slot = idmap_slot(in, &s->arena, key);
	if (!slot)
		return conv_no_memory(&s->tool->conv);
	slot->value = s;
	return 0;
}

static int
note_context(struct stats *s, const struct prism_cxt *c)
{
	if (c->has & PRISM_HAS_NAME) {
		unsigned kind = prism_stack_of(c->type);
		struct prism_name *name = prismnames_get(&s->names, c->name, c->name_len);
		if (!name)
			return conv_no_memory(&s->tool->conv);
		s->nnames[kind] += name->user[kind] == 0;
		name->user[kind] = 1;
		return 0;
	}
	if (!(c->has & PRISM_HAS_ID) || (c->type != PRISM_BB && c->type != PRISM_THREAD))
		return 0;
	return note(s, c->type == PRISM_BB ? &s->blocks : &s->threads, c->id);
}

static int
count(struct stats *s, const struct ptinput *in)
{
	const struct prism_event *ev = &in->file.rec.ev;
	if (s->size == 0)
		s->first = in->clock;
	s->last = in->clock;
	s->size += in->size;
	s->kinds[ev->kind]++;
	if (ev->kind <= PRISM_CF && ptline_has(ev) & ptline_fields(ev->kind)->has)
		s->types[ev->kind][ptline_value(ptline_fields(ev->kind), ev)]++;
	switch (ev->kind) {
	case PRISM_MEM: s->bytes[ev->mem.type] += ev->mem.bytes; return 0;
	case PRISM_COMP: s->ops[ev->comp.op < PRISM_OPS ? ev->comp.op : PRISM_OPS] += (ev->comp.has & PRISM_HAS_OP) != 0; return 0;
	case PRISM_SYNC: return ev->sync.type == PRISM_SWAP && ev->sync.nargs ? note(s, &s->threads, ev->sync.arg[0]) : 0;
	case PRISM_CXT: return note_context(s, &ev->cxt);
	default: return 0;
	}
}

/* ---- Output, as text or as JSON. ---- */

/* The key of a row, whose name may have blanks. Returns buf. */
static const char *
key_of(char buf[KEY_MAX], const char *name)
{
	size_t n = 0;
	for (; name[n] && n < KEY_MAX - 1; n++)
		buf[n] = name[n] == ' ' ? '_' : name[n];
	buf[n] = 0;
	return buf;
}

static void
put_row(struct stats *s, unsigned indent, const char *name, uint64_t n)
{
	char buf[KEY_MAX];
	if (s->tool->json)
		json_u64(s->out, key_of(buf, name), n);
	else
		wbuf_printf(s->out, "%*s%-*s %" PRIu64 "\n", (int)indent, "", 22 - (int)indent, name, n);
}

/* Rows of a kind, behind its total. */
static void
begin_group(struct stats *s, const char *name, uint64_t n)
{
	char buf[KEY_MAX];
	if (s->tool->json)
		json_open(s->out, key_of(buf, name), '{');
	put_row(s, 0, s->tool->json ? "events" : name, n);
}

static void
put_types(struct stats *s, unsigned kind)
{
	const char *(*name)(unsigned) = ptline_fields(kind)->name;
	uint64_t shown = 0;
	for (unsigned i = 0; i < TYPES; i++) {
		uint64_t n = s->types[kind][i];
		char number[24];
		(void)snprintf(number, sizeof(number), "type %u", i);
		if (n)
			put_row(s, 2, name && *name(i) != '?' ? name(i) : number, n);
		shown += n;
	}
	if (shown < s->kinds[kind])
		put_row(s, 2, "type not shown", s->kinds[kind] - shown);
}

/* What memory or compute events have in all. */
static void
put_sums(struct stats *s, unsigned kind)
{
	if (kind == PRISM_MEM && s->bytes[PRISM_LOAD])
		put_row(s, 2, "bytes loaded", s->bytes[PRISM_LOAD]);
	if (kind == PRISM_MEM && s->bytes[PRISM_STORE])
		put_row(s, 2, "bytes stored", s->bytes[PRISM_STORE]);
	for (unsigned i = 0; i <= PRISM_OPS && kind == PRISM_COMP; i++) {
		char name[32];
		(void)snprintf(name, sizeof(name), "op %s", i < PRISM_OPS ? prism_op_name(i) : "other");
		if (s->ops[i])
			put_row(s, 2, name, s->ops[i]);
	}
}

static void
put_counts(struct stats *s)
{
	const uint64_t *n = s->kinds;
	for (unsigned kind = PRISM_MEM; kind <= PRISM_CF; kind++) {
		if (kind == PRISM_CF && !n[kind])
			continue;
		begin_group(s, prism_kind_name(kind), n[kind]);
		put_types(s, kind);
		put_sums(s, kind);
		if (s->tool->json)
			json_close(s->out, '}');
	}
	put_row(s, 0, prism_kind_name(PRISM_CFG), n[PRISM_CFG]);
	put_row(s, 0, "end of buffer", n[PRISM_END]);
	if (s->threads.n)
		put_row(s, 0, "threads", s->threads.n);
	for (unsigned i = 0; i < PRISM_STACKS; i++)
		if (s->nnames[i])
			put_row(s, 0, name_kinds[i], s->nnames[i]);
	if (s->blocks.n)
		put_row(s, 0, "basic blocks", s->blocks.n);
}

static void
put_stats(struct stats *s, const struct ptinput *in)
{
	uint64_t all = 0;
	for (unsigned i = 0; i <= PRISM_END; i++)
		all += s->kinds[i];
	if (s->tool->json) {
		json_open(s->out, NULL, '{');
		json_form(s->out, "stream", TEXT_JSON_BYTES, in->source.name, strlen(in->source.name));
	} else {
		wbuf_printf(s->out, "%s%-22s ", in == s->tool->inputs ? "" : "\n", "stream");
		put_form(s->out, TEXT_PLAIN, in->source.name, strlen(in->source.name));
		put_str(s->out, "\n");
	}
	put_row(s, 0, "events", all);
	put_row(s, 0, "bytes", s->size);
	if (!s->tool->json && all)
		wbuf_printf(s->out, "%-22s %.2f\n", "bytes an event", (double)s->size / (double)all);
	put_row(s, 0, "first ns", s->first);
	put_row(s, 0, "last ns", s->last);
	put_counts(s);
	if (s->tool->json)
		json_end(s->out);
}

static int
stat_one(struct ptool *t, struct ptinput *in)
{
	struct stats s = { .tool = t, .out = &t->conv.out };
	int rc;
	while ((rc = ptinput_next(in)) > 0) {
		rc = count(&s, in);
		if (rc == 0 && conv_stop(&t->conv))
			rc = -1;
		if (rc < 0)
			break;
	}
	if (rc == 0)
		put_stats(&s, in);
	prismtable_finish(&s.names);
	arena_finish(&s.arena);
	return rc;
}

static int
run_stat(struct conv *c, int argc, char **argv)
{
	struct ptool *t = ptool_of(c);
	int rc = ptinput_open_all(t, argc, argv);
	if (rc == 0)
		rc = conv_open_output(c, c->out_path);
	for (size_t i = 0; i < t->ninputs && rc == 0; i++)
		rc = stat_one(t, &t->inputs[i]);
	return rc;
}

const struct conv_command pcommand_stat = {
	.name = "stat",
	.synopsis = "[options] [FILE...]",
	.brief = "counts of events, and of threads and functions",
	.about = "Count events by kind and type, threads, and functions.",
	.with = CONV_WITH_OUTPUT | PTOOL_WITH_INPUT | PTOOL_WITH_CLOCK | PTOOL_WITH_JSON,
	.max_args = -1,
	.run = run_stat,
};
