/* SPDX-License-Identifier: MIT */
#include "line.h"

#include "jsonout.h"

const char *const ptline_kinds[PRISM_KINDS] = { "mem", "comp", "sync", "cxt", "cf" };

/* A name of the library as one word. */
static void
put_word(struct wbuf *w, const char *name)
{
	char word[40];
	size_t n = 0;
	for (; name[n] && n < sizeof(word); n++)
		word[n] = name[n] == ' ' ? '-' : name[n];
	wbuf_put(w, word, n);
}

void
ptline_put_hex(struct wbuf *w, uint64_t v)
{
	static const char digits[] = "0123456789abcdef";
	char text[18];
	size_t at = sizeof(text);
	do
		text[--at] = digits[v & 15];
	while (v >>= 4);
	text[--at] = 'x';
	text[--at] = '0';
	wbuf_put(w, text + at, sizeof(text) - at);
}

/* " size=" and the number. */
static void
put_field(struct wbuf *w, const char *field, uint64_t v)
{
	put_str(w, field);
	put_u64(w, v);
}

/* A type by its name, or by its number when it has none. */
static void
put_type(struct wbuf *w, const char *name, unsigned type)
{
	put_str(w, " ");
	if (*name == '?')
		put_u64(w, type);
	else
		put_word(w, name);
}

static bool
is_decimal_sync(unsigned type)
{
	return type == PRISM_SWAP;
}

static bool
is_decimal_cxt(unsigned type)
{
	return type == PRISM_BB || type == PRISM_THREAD;
}

static void
put_number(struct wbuf *w, bool decimal, uint64_t v)
{
	if (decimal)
		put_u64(w, v);
	else
		ptline_put_hex(w, v);
}

static void
put_mem(struct wbuf *w, const struct prism_mem *m)
{
	put_str(w, "mem");
	if (m->has & PRISM_HAS_TYPE)
		put_type(w, prism_mem_name(m->type), m->type);
	if (m->has & PRISM_HAS_SIZE)
		put_field(w, " size=", m->bytes);
	if (m->has & PRISM_HAS_ADDR) {
		put_str(w, " addr=");
		ptline_put_hex(w, m->addr);
	}
	if (m->has & PRISM_HAS_ID)
		put_field(w, " id=", m->id);
}

static void
put_comp(struct wbuf *w, const struct prism_comp *c)
{
	put_str(w, "comp");
	if (c->has & PRISM_HAS_FORMAT)
		put_type(w, prism_format_name(c->format), c->format);
	if (c->has & PRISM_HAS_SIZE)
		put_field(w, " size=", c->bytes);
	if (c->has & PRISM_HAS_OP) {
		put_str(w, " op=");
		if (c->op < PRISM_OPS)
			put_word(w, prism_op_name(c->op));
		else
			put_u64(w, c->op);
	}
	if (c->has & PRISM_HAS_ARITY)
		put_field(w, " arity=", c->arity);
	for (unsigned i = 0; i < c->nids; i++)
		put_field(w, i ? "," : " ids=", c->ids[i]);
}

static void
put_sync(struct wbuf *w, const struct prism_sync *s)
{
	put_str(w, "sync");
	if (s->has & PRISM_HAS_TYPE)
		put_type(w, prism_sync_name(s->type), s->type);
	for (unsigned i = 0; i < s->nargs; i++) {
		put_str(w, " ");
		put_number(w, is_decimal_sync(s->type), s->arg[i]);
	}
}

static void
put_cxt(struct wbuf *w, const struct prism_cxt *c)
{
	put_str(w, "cxt");
	if (c->has & PRISM_HAS_TYPE)
		put_type(w, prism_cxt_name(c->type), c->type);
	if (c->has & PRISM_HAS_NAME) {
		put_str(w, " \"");
		put_form(w, TEXT_WORD, c->name, c->name_len);
		put_str(w, "\"");
	}
	if (c->has & PRISM_HAS_ID) {
		put_str(w, " ");
		put_number(w, is_decimal_cxt(c->type), c->id);
	}
}

void
ptline_put(struct wbuf *w, const struct prism_event *ev)
{
	switch (ev->kind) {
	case PRISM_MEM: put_mem(w, &ev->mem); break;
	case PRISM_COMP: put_comp(w, &ev->comp); break;
	case PRISM_SYNC: put_sync(w, &ev->sync); break;
	case PRISM_CXT: put_cxt(w, &ev->cxt); break;
	case PRISM_CF: put_field(w, "cf ", ev->cf.type); break;
	case PRISM_END: put_str(w, "end"); break;
	default:
		if (ev->cfg.target >= PRISM_KINDS) {
			put_str(w, "# a config event for a kind that has none");
			break;
		}
		put_str(w, "config ");
		put_str(w, ptline_kinds[ev->cfg.target]);
		put_str(w, " ");
		ptline_put_hex(w, ev->cfg.after);
		break;
	}
}

/* ---- JSON. ---- */

static void
json_word(struct wbuf *w, const char *key, const char *name, unsigned type)
{
	if (*name == '?')
		json_u64(w, key, type);
	else
		json_str(w, key, name);
}

/* Numbers that may be above 2^53 are texts: readers of JSON would round them. */
static void
json_hex(struct wbuf *w, const char *key, uint64_t v)
{
	json_key(w, key);
	put_str(w, "\"");
	ptline_put_hex(w, v);
	put_str(w, "\"");
}

static void
json_mem(struct wbuf *w, const struct prism_mem *m)
{
	if (m->has & PRISM_HAS_TYPE)
		json_word(w, "type", prism_mem_name(m->type), m->type);
	if (m->has & PRISM_HAS_SIZE)
		json_u64(w, "size", m->bytes);
	if (m->has & PRISM_HAS_ADDR)
		json_hex(w, "addr", m->addr);
	if (m->has & PRISM_HAS_ID)
		json_u64(w, "id", m->id);
}

static void
json_comp(struct wbuf *w, const struct prism_comp *c)
{
	if (c->has & PRISM_HAS_FORMAT)
		json_word(w, "format", prism_format_name(c->format), c->format);
	if (c->has & PRISM_HAS_SIZE)
		json_u64(w, "size", c->bytes);
	if (c->has & PRISM_HAS_OP)
		json_word(w, "op", c->op < PRISM_OPS ? prism_op_name(c->op) : "?", c->op);
	if (c->has & PRISM_HAS_ARITY)
		json_u64(w, "arity", c->arity);
	if (!c->nids)
		return;
	json_open(w, "ids", '[');
	for (unsigned i = 0; i < c->nids; i++)
		json_u64(w, NULL, c->ids[i]);
	json_close(w, ']');
}

static void
json_sync(struct wbuf *w, const struct prism_sync *s)
{
	if (s->has & PRISM_HAS_TYPE)
		json_word(w, "type", prism_sync_name(s->type), s->type);
	if (!s->nargs)
		return;
	json_open(w, "args", '[');
	for (unsigned i = 0; i < s->nargs; i++)
		json_hex(w, NULL, s->arg[i]);
	json_close(w, ']');
}

static void
json_cxt(struct wbuf *w, const struct prism_cxt *c)
{
	if (c->has & PRISM_HAS_TYPE)
		json_word(w, "type", prism_cxt_name(c->type), c->type);
	if (c->has & PRISM_HAS_ID)
		json_hex(w, "id", c->id);
	if (c->has & PRISM_HAS_NAME)
		json_form(w, "name", TEXT_JSON_BYTES, c->name, c->name_len);
}

void
ptline_put_json(struct wbuf *w, const struct prism_event *ev)
{
	json_word(w, "event", prism_kind_name(ev->kind), ev->kind);
	switch (ev->kind) {
	case PRISM_MEM: json_mem(w, &ev->mem); break;
	case PRISM_COMP: json_comp(w, &ev->comp); break;
	case PRISM_SYNC: json_sync(w, &ev->sync); break;
	case PRISM_CXT: json_cxt(w, &ev->cxt); break;
	case PRISM_CF: json_u64(w, "type", ev->cf.type); break;
	case PRISM_CFG:
		if (ev->cfg.target < PRISM_KINDS) {
			json_word(w, "target", prism_kind_name(ev->cfg.target), ev->cfg.target);
			json_hex(w, "before", ev->cfg.before);
			json_hex(w, "after", ev->cfg.after);
		}
		break;
	default: break;
	}
}
