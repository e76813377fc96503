/* SPDX-License-Identifier: MIT */
/* The subcommand header: functions that emit the events of a model. */
#include "name.h"

#include "idmap.h"
#include "puttext.h"
#include "tool.h"
#include "wire.h"

#include <ctype.h>
#include <inttypes.h>

enum {
	JUMBO_BYTES = 1024, /* of what a function keeps on its stack */
};

struct header {
	struct conv *conv;
	struct wbuf *w;
	const struct model *model;
	char prefix[NAME_MAX_BYTES];
	struct idmap names; /* by hash: the header itself, or something else if several events have the name */
};

/* Words in a comment, which none of them may end. */
static void
put_comment(struct wbuf *w, const char *text)
{
	char last = 0;
	for (; *text; last = *text++) {
		bool joins = (last == '*' && *text == '/') || (last == '/' && *text == '*');
		if (joins)
			put_str(w, " ");
		wbuf_printf(w, "%c", isprint((unsigned char)*text) || (*text & 0x80) ? *text : ' ');
	}
}

/* What an event means, with the names of the arguments in place of their values. */
static void
put_meaning(struct wbuf *w, const char *text)
{
	char plain[CATALOG_MEANING];
	size_t at = 0;
	for (const char *p = text; *p; p++) {
		size_t open = *p == '%' ? strcspn(p, "{ ") : 0;
		size_t n = open && p[open] == '{' ? strcspn(p + open, "}") : 0;
		if (n && p[open + n]) {
			memcpy(plain + at, p + open + 1, n - 1);
			at += n - 1;
			p += open + n;
			continue;
		}
		p += *p == '%' && p[1] == '%';
		plain[at++] = *p;
	}
	plain[at] = 0;
	put_comment(w, plain);
}

/* The letters as a string of C. */
static void
put_mcv(struct wbuf *w, const char *mcv)
{
	put_str(w, "\"");
	for (; *mcv; mcv++)
		wbuf_printf(w, strchr("\"\\?", *mcv) ? "\\%c" : isprint((unsigned char)*mcv) ? "%c"
											     : "\\%03o",
			(unsigned char)*mcv);
	put_str(w, "\"");
}

static void
put_type(struct wbuf *w, const struct sig_arg *a)
{
	if (a->type == SIG_STR)
		put_str(w, "const char *");
	else
		wbuf_printf(w, "%sint%u_t ", a->type < SIG_I8 ? "u" : "", a->size * 8);
}

/* Statements that copy the arguments, the first `fixed` bytes of them, into `bytes`. */
static void
put_copies(struct wbuf *w, const struct sig *s)
{
	char name[NAME_MAX_BYTES];
	uint32_t at = s->jumbo ? 4 : 0;
	for (size_t i = 0; i < s->nargs && s->args[i].type != SIG_STR; i++) {
		name_arg(name, sizeof(name), s->args[i].name);
		wbuf_printf(w, "\tmemcpy(bytes + %u, &%s, sizeof(%s));\n", s->args[i].at - at, name, name);
	}
}

/* The statement that sends what is in `bytes`. */
static void
put_send(struct wbuf *w, const struct sig *s, const char *size)
{
	if (s->jumbo) {
		put_str(w, "\tovni_ev_set_clock(&ev, ovni_clock_now());\n\tovni_ev_set_mcv(&ev, ");
		put_mcv(w, s->mcv);
		wbuf_printf(w, ");\n\tovni_ev_jumbo_emit(&ev, bytes, %s);\n", size);
		return;
	}
	put_str(w, "\tovni_emit_payload(");
	put_mcv(w, s->mcv);
	wbuf_printf(w, ", ovni_clock_now(), bytes, %s);\n", size);
}

static void
put_body(struct wbuf *w, const struct sig *s)
{
	const struct sig_arg *last = s->nargs ? &s->args[s->nargs - 1] : NULL;
	uint32_t fixed = s->size - (s->jumbo ? 4 : 0);
	char name[NAME_MAX_BYTES];
	char size[64];
	if (s->jumbo)
		put_str(w, "\tstruct ovni_ev ev;\n");
	if (!s->jumbo && !last) {
		put_str(w, "\tovni_emit(");
		put_mcv(w, s->mcv);
		put_str(w, ", ovni_clock_now());\n");
		return;
	}
	bool text = last && last->type == SIG_STR;
	/* A plain event of one byte cannot be: it gets a second one, which is 0. */
	uint32_t least = s->jumbo || fixed > 1 ? fixed : 2;
	uint32_t room = !text ? least : s->jumbo ? JUMBO_BYTES
						 : WIRE_PAYLOAD_MAX;
	wbuf_printf(w, "\tuint8_t bytes[%u]%s;\n", room ? room : 1, least > fixed || !fixed ? " = { 0 }" : "");
	if (text) {
		name_arg(name, sizeof(name), last->name);
		wbuf_printf(w, "\tsize_t length = strlen(%s);\n\tif (length > sizeof(bytes) - %u)\n\t\tlength = sizeof(bytes) - %u;\n", name, fixed, fixed);
	}
	if (s->jumbo)
		put_str(w, "\tmemset(&ev, 0, sizeof(ev));\n");
	put_copies(w, s);
	if (text)
		wbuf_printf(w, "\tmemcpy(bytes + %u, %s, length);\n\tbytes[%u + length] = 0;\n", fixed - 1, name, fixed - 1);
	if (text)
		(void)snprintf(size, sizeof(size), least > fixed ? "(unsigned)length + (length ? 1 : 2)" : "%s(length + %u)", s->jumbo ? "(uint32_t)" : "(unsigned)", fixed);
	else
		(void)snprintf(size, sizeof(size), "%u", least);
	put_send(w, s, size);
}

/* ---- Names. ---- */

static uint64_t
hash(const char *name)
{
	uint64_t h = UINT64_C(14695981039346656037);
	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * UINT64_C(1099511628211);
	return h;
}

/* Events that the header cannot have: a plain one holds 16 bytes. */
static bool
is_left_out(const struct catalog_item *item)
{
	return item->unlisted || (!item->sig.jumbo && item->sig.size > WIRE_PAYLOAD_MAX);
}

static int
count_names(struct header *h)
{
	static int seen;
	struct mtool *t = mtool_of(h->conv);
	struct catalog_item item;
	int rc;
	for (size_t at = 0; (rc = catalog_next(h->model, &at, &item, &h->conv->diag)) > 0;) {
		char name[NAME_MAX_BYTES];
		name_event(name, sizeof(name), &item);
		struct idmap_slot *slot = idmap_slot(&h->names, &t->arena, hash(name));
		if (!slot)
			return diag_no_memory(&h->conv->diag);
		/* Whether one had the name before. */
		slot->value = slot->value ? (void *)&seen : (void *)h;
	}
	return rc;
}

static void
put_name(struct header *h, const struct catalog_item *item)
{
	char name[NAME_MAX_BYTES];
	char letters[16];
	name_event(name, sizeof(name), item);
	name_letters(letters, sizeof(letters), item->sig.mcv);
	bool shared = idmap_find(&h->names, hash(name)) != h;
	wbuf_printf(h->w, "%s_%s%s%s", h->prefix, name, shared ? "_" : "", shared ? letters : "");
}

static void
put_function(struct header *h, const struct catalog_item *item)
{
	struct wbuf *w = h->w;
	const struct sig *s = &item->sig;
	put_str(w, "\n/* ");
	put_comment(w, s->mcv);
	put_str(w, ": ");
	put_meaning(w, item->meaning);
	put_str(w, ". */\nstatic inline void\n");
	put_name(h, item);
	put_str(w, s->nargs ? "(" : "(void");
	for (size_t i = 0; i < s->nargs; i++) {
		char name[NAME_MAX_BYTES];
		name_arg(name, sizeof(name), s->args[i].name);
		put_str(w, i ? ", " : "");
		put_type(w, &s->args[i]);
		put_str(w, name);
	}
	put_str(w, ")\n{\n");
	put_body(w, s);
	put_str(w, "}\n");
}

static int
put_header(struct header *h)
{
	struct wbuf *w = h->w;
	const struct model *m = h->model;
	char guard[NAME_MAX_BYTES];
	name_plain(guard, sizeof(guard), m->name);
	for (char *p = guard; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	wbuf_printf(w,
		"/* %s %s: functions that emit its events. Made by ovniscope-model header: do not edit.\n"
		" *\n"
		" * A thread calls %s_require() once, behind ovni_thread_init(), and then the others. A string that\n"
		" * does not fit in an event (%d bytes if it is jumbo) is cut. */\n"
		"#ifndef OVNISCOPE_EMIT_%s_H\n"
		"#define OVNISCOPE_EMIT_%s_H\n"
		"\n"
		"#include <ovni_emit.h>\n"
		"#include <stdint.h>\n"
		"#include <string.h>\n"
		"\n"
		"#ifdef __cplusplus\n"
		"extern \"C\" {\n"
		"#endif\n"
		"\n"
		"/* The thread that calls has events of the model. */\n"
		"static inline void\n"
		"%s_require(void)\n"
		"{\n"
		"\tovni_thread_require(\"%s\", \"%s\");\n"
		"}\n",
		m->name, m->version, h->prefix, JUMBO_BYTES, guard, guard, h->prefix, m->name, m->version);
	struct catalog_item item;
	struct often left_out = { 0 };
	int rc;
	for (size_t at = 0; (rc = catalog_next(m, &at, &item, &h->conv->diag)) > 0;)
		if (!is_left_out(&item))
			put_function(h, &item);
		else if (!item.unlisted)
			often_add(&left_out, NULL, "%s has %" PRIu32 " bytes of arguments, and an event holds %d: the header is without it", item.sig.mcv, item.sig.size, WIRE_PAYLOAD_MAX);
	if (!h->conv->quiet)
		often_report(&h->conv->diag, &left_out, "events");
	put_str(w, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
	return rc;
}

static int
run(struct conv *c, int argc, char **argv)
{
	struct header h = { .conv = c, .w = &c->out };
	const struct owned_model *model;
	int rc = mtool_pick(c, argc, argv, &model);
	if (rc != 0)
		return rc;
	h.model = model->model;
	name_plain(h.prefix, sizeof(h.prefix), h.model->name);
	rc = count_names(&h);
	if (rc == 0)
		rc = conv_open_output(c, c->out_path);
	return rc == 0 ? put_header(&h) : rc;
}

const struct conv_command mcommand_header = {
	.name = "header",
	.synopsis = "[options] MODEL|FILE",
	.brief = "print functions that emit its events, in C",
	.about = "Print a header for C and C++: a function for each event of a model.",
	.with = MTOOL_WITH_MODEL | CONV_WITH_OUTPUT,
	.max_args = 1,
	.run = run,
};
