/* SPDX-License-Identifier: MIT */
#include "line.h"

#include "jsonout.h"

#define AT(member) .at = offsetof(struct prism_event, member), .size = sizeof(((struct prism_event *)0)->member)
#define TYPE(field, key, member, names, n, many)                              \
	{                                                                     \
		field, PTFORM_WORD, key, true, AT(member), names, n, (many)-1 \
	}
#define SIZE(member)                                                                 \
	{                                                                            \
		PRISM_HAS_SIZE, PTFORM_NUMBER, "size", false, AT(member), .max = 128 \
	}

/* By kind; the first is the type. */
static const struct ptfield fields[][6] = {
	[PRISM_MEM] = {
		TYPE(PRISM_HAS_TYPE, "type", mem.type, prism_mem_name, 3, 3),
		SIZE(mem.bytes),
		{ PRISM_HAS_ADDR, PTFORM_HEX, "addr", false, AT(mem.addr), .max = UINT64_MAX },
		{ PRISM_HAS_ID, PTFORM_NUMBER, "id", false, AT(mem.id), .max = UINT8_MAX },
	},
	[PRISM_COMP] = {
		TYPE(PRISM_HAS_FORMAT, "format", comp.format, prism_format_name, 3, 3),
		SIZE(comp.bytes),
		{ PRISM_HAS_OP, PTFORM_WORD, "op", false, AT(comp.op), prism_op_name, PRISM_OPS, UINT8_MAX },
		{ PRISM_HAS_ARITY, PTFORM_NUMBER, "arity", false, AT(comp.arity), .max = 4 },
		{ PRISM_HAS_ARGS, PTFORM_IDS, "ids", false },
	},
	[PRISM_SYNC] = {
		TYPE(PRISM_HAS_TYPE, "type", sync.type, prism_sync_name, PRISM_SYNCS, 32),
		{ PRISM_HAS_ARGS, PTFORM_ARGS, "args", true },
	},
	[PRISM_CXT] = {
		TYPE(PRISM_HAS_TYPE, "type", cxt.type, prism_cxt_name, PRISM_CXTS, 32),
		{ PRISM_HAS_ID, PTFORM_CONTEXT, "id", true, AT(cxt.id) },
		{ PRISM_HAS_NAME, PTFORM_NAME, "name", true },
	},
	[PRISM_CF] = {
		{ PRISM_HAS_TYPE, PTFORM_NUMBER, "type", true, AT(cf.type), .max = 31 },
	},
};

const struct ptfield *
ptline_fields(unsigned kind)
{
	return fields[kind];
}

uint32_t
ptline_has(const struct prism_event *ev)
{
	switch (ev->kind) {
	case PRISM_MEM: return ev->mem.has;
	case PRISM_COMP: return ev->comp.has;
	case PRISM_SYNC: return ev->sync.has;
	case PRISM_CXT: return ev->cxt.has;
	default: return PRISM_HAS_TYPE;
	}
}

uint64_t
ptline_value(const struct ptfield *f, const struct prism_event *ev)
{
	const char *p = (const char *)ev + f->at;
	uint16_t half;
	uint64_t whole;
	switch (f->size) {
	case 2: memcpy(&half, p, sizeof(half)); return half;
	case 8: memcpy(&whole, p, sizeof(whole)); return whole;
	default: return *(const uint8_t *)p;
	}
}

/* ---- Text. ---- */

/* A name of the library as one word, or a number that has none. */
static void
put_word(struct wbuf *w, const char *name, uint64_t v)
{
	char word[40];
	size_t n = 0;
	for (; name[n] && n < sizeof(word); n++)
		word[n] = name[n] == ' ' ? '-' : name[n];
	if (*name == '?')
		put_u64(w, v);
	else
		wbuf_put(w, word, n);
}

static void
put_hex(struct wbuf *w, uint64_t v)
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

static void
put_number(struct wbuf *w, bool decimal, uint64_t v)
{
	if (decimal)
		put_u64(w, v);
	else
		put_hex(w, v);
}

static void
put_value(struct wbuf *w, const struct ptfield *f, const struct prism_event *ev)
{
	uint64_t v = ptline_value(f, ev);
	switch (f->form) {
	case PTFORM_WORD: put_word(w, f->name((unsigned)v), v); break;
	case PTFORM_NUMBER: put_u64(w, v); break;
	case PTFORM_HEX: put_hex(w, v); break;
	case PTFORM_CONTEXT: put_number(w, ev->cxt.type == PRISM_BB || ev->cxt.type == PRISM_THREAD, v); break;
	case PTFORM_IDS:
		for (unsigned i = 0; i < ev->comp.nids; i++) {
			put_str(w, i ? "," : "");
			put_u64(w, ev->comp.ids[i]);
		}
		break;
	case PTFORM_ARGS:
		for (unsigned i = 0; i < ev->sync.nargs; i++) {
			put_str(w, i ? " " : "");
			put_number(w, ev->sync.type == PRISM_SWAP, ev->sync.arg[i]);
		}
		break;
	case PTFORM_NAME:
		put_str(w, "\"");
		put_form(w, TEXT_WORD, ev->cxt.name, ev->cxt.name_len);
		put_str(w, "\"");
		break;
	}
}

void
ptline_put(struct wbuf *w, const struct prism_event *ev)
{
	if (ev->kind == PRISM_END) {
		put_str(w, "end");
		return;
	}
	if (ev->kind == PRISM_CFG && ev->cfg.target >= PRISM_KINDS) {
		put_str(w, "# a config event for a kind that has none");
		return;
	}
	if (ev->kind == PRISM_CFG) {
		put_str(w, "config ");
		put_str(w, prism_kind_words[ev->cfg.target]);
		put_str(w, " ");
		put_hex(w, ev->cfg.after);
		return;
	}
	put_str(w, prism_kind_words[ev->kind]);
	for (const struct ptfield *f = fields[ev->kind]; f->has; f++) {
		if (!(ptline_has(ev) & f->has))
			continue;
		put_str(w, " ");
		if (!f->bare) {
			put_str(w, f->key);
			put_str(w, "=");
		}
		put_value(w, f, ev);
	}
}

/* ---- JSON. ---- */

static void
json_word(struct wbuf *w, const char *key, const char *name, uint64_t v)
{
	if (*name == '?')
		json_u64(w, key, v);
	else
		json_str(w, key, name);
}

/* Numbers that may be above 2^53 are texts: readers of JSON would round them. */
static void
json_hex(struct wbuf *w, const char *key, uint64_t v)
{
	json_key(w, key);
	put_str(w, "\"");
	put_hex(w, v);
	put_str(w, "\"");
}

static void
json_value(struct wbuf *w, const struct ptfield *f, const struct prism_event *ev)
{
	uint64_t v = ptline_value(f, ev);
	switch (f->form) {
	case PTFORM_WORD: json_word(w, f->key, f->name((unsigned)v), v); break;
	case PTFORM_NUMBER: json_u64(w, f->key, v); break;
	case PTFORM_HEX:
	case PTFORM_CONTEXT: json_hex(w, f->key, v); break;
	case PTFORM_NAME: json_form(w, f->key, TEXT_JSON_BYTES, ev->cxt.name, ev->cxt.name_len); break;
	case PTFORM_IDS:
		json_open(w, f->key, '[');
		for (unsigned i = 0; i < ev->comp.nids; i++)
			json_u64(w, NULL, ev->comp.ids[i]);
		json_close(w, ']');
		break;
	case PTFORM_ARGS:
		json_open(w, f->key, '[');
		for (unsigned i = 0; i < ev->sync.nargs; i++)
			json_hex(w, NULL, ev->sync.arg[i]);
		json_close(w, ']');
		break;
	}
}

void
ptline_put_json(struct wbuf *w, const struct prism_event *ev)
{
	json_word(w, "event", prism_kind_name(ev->kind), ev->kind);
	if (ev->kind == PRISM_CFG && ev->cfg.target < PRISM_KINDS) {
		json_word(w, "target", prism_kind_name(ev->cfg.target), ev->cfg.target);
		json_hex(w, "before", ev->cfg.before);
		json_hex(w, "after", ev->cfg.after);
	}
	for (const struct ptfield *f = ev->kind <= PRISM_CF ? fields[ev->kind] : NULL; f && f->has; f++)
		if (ptline_has(ev) & f->has)
			json_value(w, f, ev);
}
