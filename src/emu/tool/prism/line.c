/* SPDX-License-Identifier: MIT */
#include "line.h"

#include "kit/safe.h"

const char *const ptline_kinds[PRISM_KINDS] = { "mem", "comp", "sync", "cxt", "cf" };

static void
put_text(struct wbuf *w, const char *text)
{
	wbuf_put(w, text, strlen(text));
}

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
	put_text(w, field);
	safe_put_u64(w, v);
}

/* What has a name is told by it, what has none by its number. */
static void
put_type(struct wbuf *w, const char *name, unsigned type)
{
	put_text(w, " ");
	if (*name == '?')
		safe_put_u64(w, type);
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
		safe_put_u64(w, v);
	else
		ptline_put_hex(w, v);
}

static void
put_quoted(struct wbuf *w, const char *text, size_t n)
{
	put_text(w, " \"");
	while (n) {
		size_t k = 0;
		while (k < n && text[k] != '"' && text[k] != '\\')
			k++;
		safe_put(w, SAFE_TEXT, text, k);
		if (k < n) {
			put_text(w, "\\");
			wbuf_put(w, text + k, 1);
			k++;
		}
		text += k;
		n -= k;
	}
	put_text(w, "\"");
}

static void
put_mem(struct wbuf *w, const struct prism_mem *m)
{
	put_text(w, "mem");
	if (m->has & PRISM_HAS_TYPE)
		put_type(w, prism_mem_name(m->type), m->type);
	if (m->has & PRISM_HAS_SIZE)
		put_field(w, " size=", m->bytes);
	if (m->has & PRISM_HAS_ADDR) {
		put_text(w, " addr=");
		ptline_put_hex(w, m->addr);
	}
	if (m->has & PRISM_HAS_ID)
		put_field(w, " id=", m->id);
}

static void
put_comp(struct wbuf *w, const struct prism_comp *c)
{
	put_text(w, "comp");
	if (c->has & PRISM_HAS_FORMAT)
		put_type(w, prism_format_name(c->format), c->format);
	if (c->has & PRISM_HAS_SIZE)
		put_field(w, " size=", c->bytes);
	if (c->has & PRISM_HAS_OP) {
		put_text(w, " op=");
		if (c->op < PRISM_OPS)
			put_word(w, prism_op_name(c->op));
		else
			safe_put_u64(w, c->op);
	}
	if (c->has & PRISM_HAS_ARITY)
		put_field(w, " arity=", c->arity);
	for (unsigned i = 0; i < c->nids; i++)
		put_field(w, i ? "," : " ids=", c->ids[i]);
}

static void
put_sync(struct wbuf *w, const struct prism_sync *s)
{
	put_text(w, "sync");
	if (s->has & PRISM_HAS_TYPE)
		put_type(w, prism_sync_name(s->type), s->type);
	for (unsigned i = 0; i < s->nargs; i++) {
		put_text(w, " ");
		put_number(w, is_decimal_sync(s->type), s->arg[i]);
	}
}

static void
put_cxt(struct wbuf *w, const struct prism_cxt *c)
{
	put_text(w, "cxt");
	if (c->has & PRISM_HAS_TYPE)
		put_type(w, prism_cxt_name(c->type), c->type);
	if (c->has & PRISM_HAS_NAME)
		put_quoted(w, c->name, c->name_len);
	if (c->has & PRISM_HAS_ID) {
		put_text(w, " ");
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
	case PRISM_END: put_text(w, "end"); break;
	default:
		if (ev->cfg.target >= PRISM_KINDS) {
			put_text(w, "# a config event for a kind that has none");
			break;
		}
		put_text(w, "config ");
		put_text(w, ptline_kinds[ev->cfg.target]);
		put_text(w, " ");
		ptline_put_hex(w, ev->cfg.after);
		break;
	}
}

/* ---- JSON. ---- */

static void
json_word(struct wbuf *w, const char *key, const char *name, unsigned type)
{
	put_text(w, key);
	if (*name == '?') {
		safe_put_u64(w, type);
		return;
	}
	put_text(w, "\"");
	put_text(w, name);
	put_text(w, "\"");
}

/* What may be above 2^53 is a text. */
static void
json_hex(struct wbuf *w, const char *key, uint64_t v)
{
	put_text(w, key);
	put_text(w, "\"");
	ptline_put_hex(w, v);
	put_text(w, "\"");
}

static void
json_comp(struct wbuf *w, const struct prism_comp *c)
{
	if (c->has & PRISM_HAS_FORMAT)
		json_word(w, ",\"format\":", prism_format_name(c->format), c->format);
	if (c->has & PRISM_HAS_SIZE)
		put_field(w, ",\"size\":", c->bytes);
	if (c->has & PRISM_HAS_OP)
		json_word(w, ",\"op\":", c->op < PRISM_OPS ? prism_op_name(c->op) : "?", c->op);
	if (c->has & PRISM_HAS_ARITY)
		put_field(w, ",\"arity\":", c->arity);
	for (unsigned i = 0; i < c->nids; i++)
		put_field(w, i ? "," : ",\"ids\":[", c->ids[i]);
	if (c->nids)
		put_text(w, "]");
}

static void
json_cxt(struct wbuf *w, const struct prism_cxt *c)
{
	if (c->has & PRISM_HAS_TYPE)
		json_word(w, ",\"type\":", prism_cxt_name(c->type), c->type);
	if (c->has & PRISM_HAS_ID)
		json_hex(w, ",\"id\":", c->id);
	if (c->has & PRISM_HAS_NAME) {
		put_text(w, ",\"name\":\"");
		safe_put(w, SAFE_JSON, c->name, c->name_len);
		put_text(w, "\"");
	}
}

void
ptline_put_json(struct wbuf *w, const struct prism_event *ev)
{
	json_word(w, "\"event\":", prism_kind_name(ev->kind), ev->kind);
	switch (ev->kind) {
	case PRISM_MEM:
		if (ev->mem.has & PRISM_HAS_TYPE)
			json_word(w, ",\"type\":", prism_mem_name(ev->mem.type), ev->mem.type);
		if (ev->mem.has & PRISM_HAS_SIZE)
			put_field(w, ",\"size\":", ev->mem.bytes);
		if (ev->mem.has & PRISM_HAS_ADDR)
			json_hex(w, ",\"addr\":", ev->mem.addr);
		if (ev->mem.has & PRISM_HAS_ID)
			put_field(w, ",\"id\":", ev->mem.id);
		break;
	case PRISM_COMP: json_comp(w, &ev->comp); break;
	case PRISM_SYNC:
		if (ev->sync.has & PRISM_HAS_TYPE)
			json_word(w, ",\"type\":", prism_sync_name(ev->sync.type), ev->sync.type);
		for (unsigned i = 0; i < ev->sync.nargs; i++)
			json_hex(w, i ? "," : ",\"args\":[", ev->sync.arg[i]);
		if (ev->sync.nargs)
			put_text(w, "]");
		break;
	case PRISM_CXT: json_cxt(w, &ev->cxt); break;
	case PRISM_CF: put_field(w, ",\"type\":", ev->cf.type); break;
	case PRISM_CFG:
		if (ev->cfg.target < PRISM_KINDS) {
			json_word(w, ",\"target\":", prism_kind_name(ev->cfg.target), ev->cfg.target);
			json_hex(w, ",\"before\":", ev->cfg.before);
			json_hex(w, ",\"after\":", ev->cfg.after);
		}
		break;
	default: break;
	}
}
