/* SPDX-License-Identifier: MIT */
#include "prismkit.h"
#include "kit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

size_t
prismkit_hex(uint8_t *out, size_t cap, const char *hex)
{
	size_t n = 0;
	while (*hex) {
		char digits[3] = { hex[0], hex[0] == ' ' ? '\0' : hex[1], '\0' };
		hex += digits[1] ? 2 : 1;
		if (digits[0] == ' ')
			continue;
		char *end;
		CHECK(n < cap);
		out[n++] = (uint8_t)strtoul(digits, &end, 16);
		CHECK(end == digits + 2);
	}
	return n;
}

void
prismkit_unhex(char *out, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out += sprintf(out, i ? " %02x" : "%02x", p[i]);
	*out = '\0';
}

/* ---- Text. ---- */

struct text {
	char *p;
};

static void add(struct text *t, bool has, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void
add(struct text *t, bool has, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (has)
		t->p += vsprintf(t->p, fmt, ap);
	va_end(ap);
}

static void
add_mem(struct text *t, const struct prism_mem *m)
{
	add(t, m->has & PRISM_HAS_TYPE, " type=%s", prism_mem_name(m->type));
	add(t, m->has & PRISM_HAS_SIZE, " bytes=%u", m->bytes);
	add(t, m->has & PRISM_HAS_ADDR, " addr=%" PRIx64, m->addr);
	add(t, m->has & PRISM_HAS_ID, " id=%x", m->id);
}

static void
add_comp(struct text *t, const struct prism_comp *c)
{
	add(t, c->has & PRISM_HAS_FORMAT, " format=%s", prism_format_name(c->format));
	add(t, c->has & PRISM_HAS_SIZE, " bytes=%u", c->bytes);
	add(t, c->has & PRISM_HAS_OP, " op=%s", prism_op_name(c->op));
	add(t, c->has & PRISM_HAS_ARITY, " arity=%u", c->arity);
	add(t, c->has & PRISM_HAS_ARGS, " ids=");
	for (unsigned i = 0; i < c->nids && c->has & PRISM_HAS_ARGS; i++)
		add(t, true, i ? ",%x" : "%x", c->ids[i]);
}

static void
add_sync(struct text *t, const struct prism_sync *s)
{
	add(t, s->has & PRISM_HAS_TYPE, " type=%s", prism_sync_name(s->type));
	for (unsigned i = 0; i < s->nargs && s->has & PRISM_HAS_ARGS; i++)
		add(t, true, i ? ",%" PRIx64 : " args=%" PRIx64, s->arg[i]);
}

static void
add_cxt(struct text *t, const struct prism_cxt *c)
{
	add(t, c->has & PRISM_HAS_TYPE, " type=%s", prism_cxt_name(c->type));
	add(t, c->has & PRISM_HAS_ID, " id=%" PRIx64, c->id);
	add(t, c->has & PRISM_HAS_NUMBER, " number=%" PRIx64, c->id);
	add(t, c->has & PRISM_HAS_NAME, " name=%.*s", (int)c->name_len, c->name);
}

void
prismkit_text(char *out, const struct prism_event *ev)
{
	struct text t = { out };
	add(&t, true, "%s", prism_kind_name(ev->kind));
	switch (ev->kind) {
	case PRISM_MEM: add_mem(&t, &ev->mem); break;
	case PRISM_COMP: add_comp(&t, &ev->comp); break;
	case PRISM_SYNC: add_sync(&t, &ev->sync); break;
	case PRISM_CXT: add_cxt(&t, &ev->cxt); break;
	case PRISM_CF: add(&t, true, " type=%u", ev->cf.type); break;
	case PRISM_CFG: add(&t, true, " %s %02x to %02x", prism_kind_name(ev->cfg.target), ev->cfg.before, ev->cfg.after); break;
	default: break;
	}
	for (unsigned code = 1; code < PRISM_CODES; code++)
		add(&t, ev->issues >> code & 1, " %s", prism_code_name((int)code));
}

/* ---- The same? ---- */

static bool
is_same_comp(const struct prism_comp *a, const struct prism_comp *b)
{
	return a->has == b->has && a->format == b->format && a->op == b->op && a->arity == b->arity &&
		a->nids == b->nids && memcmp(a->ids, b->ids, sizeof(a->ids)) == 0 && a->bytes == b->bytes;
}

static bool
is_same_cxt(const struct prism_cxt *a, const struct prism_cxt *b)
{
	return a->has == b->has && a->type == b->type && a->id == b->id && a->name_id == b->name_id &&
		a->name_len == b->name_len && (a->name_len == 0 || memcmp(a->name, b->name, a->name_len) == 0);
}

bool
prismkit_same(const struct prism_event *a, const struct prism_event *b)
{
	if (a->kind != b->kind || a->issues != b->issues)
		return false;
	switch (a->kind) {
	case PRISM_MEM:
		return a->mem.has == b->mem.has && a->mem.type == b->mem.type && a->mem.id == b->mem.id &&
			a->mem.bytes == b->mem.bytes && a->mem.addr == b->mem.addr;
	case PRISM_COMP: return is_same_comp(&a->comp, &b->comp);
	case PRISM_SYNC:
		return a->sync.has == b->sync.has && a->sync.type == b->sync.type && a->sync.nargs == b->sync.nargs &&
			a->sync.arg[0] == b->sync.arg[0] && a->sync.arg[1] == b->sync.arg[1];
	case PRISM_CXT: return is_same_cxt(&a->cxt, &b->cxt);
	case PRISM_CF: return a->cf.type == b->cf.type;
	case PRISM_CFG:
		return a->cfg.target == b->cfg.target && a->cfg.before == b->cfg.before && a->cfg.after == b->cfg.after;
	default: return true;
	}
}

bool
prismkit_same_state(const struct prism_state *a, const struct prism_state *b)
{
	bool same = memcmp(a->detail, b->detail, sizeof(a->detail)) == 0 && a->layout == b->layout &&
		a->word_size == b->word_size && a->name_size == b->name_size && a->control_flow == b->control_flow && a->lenient == b->lenient;
	for (int i = 0; i < 2; i++)
		same = same && a->seen[i].has == b->seen[i].has && a->seen[i].size == b->seen[i].size && a->seen[i].off == b->seen[i].off;
	return same;
}

uint8_t *
prismkit_guard(void)
{
	static uint8_t *guard;
	if (!guard) {
		size_t page = (size_t)sysconf(_SC_PAGESIZE);
		size_t room = (PRISMKIT_ROOM + page - 1) / page * page;
		uint8_t *p = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(p != MAP_FAILED && mprotect(p + room, page, PROT_NONE) == 0);
		guard = p + room;
	}
	return guard;
}

/* ---- By chance. ---- */

struct prism_settings
prismkit_settings(uint64_t *seed)
{
	struct prism_settings s = {
		.layout = kit_below(seed, 2) ? PRISM_PACKED : PRISM_WIDE,
		.word_size = kit_below(seed, 3) ? 8 : 4,
		.control_flow = kit_below(seed, 2),
		.lenient = kit_below(seed, 2),
		.has_detail = kit_below(seed, 3),
		.name_size = (uint8_t)(4 * kit_below(seed, 3)),
	};
	for (unsigned kind = 0; kind < PRISM_KINDS; kind++)
		s.detail[kind] = (uint8_t)(kit_random(seed) | (kind > PRISM_COMP && kit_below(seed, 2) ? 0xc0 : 0));
	return s;
}

/* 56 or 32 bits of any length, now and then with all bits above set. */
static uint64_t
any_number(uint64_t *seed, unsigned bits)
{
	uint64_t v = kit_random(seed) >> kit_below(seed, 64);
	if (kit_below(seed, 4) == 0)
		v = ~v;
	return v & (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1);
}

static uint32_t
any_name(uint64_t *seed, char *name)
{
	static const char *const parts[] = { "f", "::operator()", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x90\x8e", "\n", "<T>" };
	static const uint32_t lengths[] = { 1, 2, 254, 255, 256 };
	uint32_t want = kit_below(seed, 4) ? 1 + (uint32_t)kit_below(seed, 40) : lengths[kit_below(seed, 5)];
	uint32_t n = 0;
	while (n < want) {
		const char *part = parts[kit_below(seed, 7)];
		if (n + strlen(part) > want)
			part = "x";
		while (*part)
			name[n++] = *part++;
	}
	return n;
}

void
prismkit_random(uint64_t *seed, const struct prism_state *st, struct prism_event *ev)
{
	static char name[PRISM_NAME_MAX];
	memset(ev, 0, sizeof(*ev));
	do {
		ev->kind = (uint8_t)kit_below(seed, PRISM_END + 1);
	} while (ev->kind == PRISM_CF && !st->control_flow);
	uint16_t bytes = (uint16_t)(1U << kit_below(seed, 8));
	switch (ev->kind) {
	case PRISM_MEM:
		ev->mem = (struct prism_mem){ .has = UINT32_MAX, .type = (uint8_t)kit_below(seed, 3), .bytes = bytes };
		ev->mem.addr = prism_address(any_number(seed, 56));
		ev->mem.id = (uint8_t)kit_random(seed);
		break;
	case PRISM_COMP:
		ev->comp = (struct prism_comp){ .has = UINT32_MAX, .format = (uint8_t)kit_below(seed, 3), .bytes = bytes };
		ev->comp.op = (uint8_t)kit_below(seed, PRISM_OPS);
		ev->comp.arity = ev->comp.nids = (uint8_t)(1 + kit_below(seed, 4));
		for (unsigned i = 0; i < ev->comp.nids; i++)
			ev->comp.ids[i] = (uint8_t)kit_random(seed);
		break;
	case PRISM_SYNC:
		ev->sync = (struct prism_sync){ .has = UINT32_MAX, .type = (uint8_t)(1 + kit_below(seed, PRISM_SYNCS - 1)) };
		ev->sync.nargs = ev->sync.type == PRISM_COND_WAIT ? 2 : 1;
		for (unsigned i = 0; i < ev->sync.nargs; i++)
			ev->sync.arg[i] = any_number(seed, 8U * st->word_size);
		break;
	case PRISM_CXT:
		ev->cxt = (struct prism_cxt){ .has = PRISM_HAS_TYPE, .type = (uint8_t)(1 + kit_below(seed, PRISM_CXTS - 1)) };
		if (ev->cxt.type == PRISM_INSN || ev->cxt.type == PRISM_BB || ev->cxt.type == PRISM_THREAD) {
			ev->cxt.has |= PRISM_HAS_ID;
			ev->cxt.id = any_number(seed, 56);
		} else if (st->name_size) {
			ev->cxt.has |= PRISM_HAS_NUMBER;
			ev->cxt.id = any_number(seed, 8U * st->name_size);
		} else {
			ev->cxt.has |= PRISM_HAS_NAME;
			ev->cxt.name = name;
			ev->cxt.name_len = any_name(seed, name);
		}
		break;
	case PRISM_CF: ev->cf.type = (uint8_t)kit_below(seed, 32); break;
	case PRISM_CFG: {
		static const uint8_t bits[PRISM_KINDS] = { 0xf0, 0xf8, 0xc0, 0xc0, 0xff };
		ev->cfg.target = (uint8_t)kit_below(seed, PRISM_KINDS);
		ev->cfg.before = st->detail[ev->cfg.target];
		ev->cfg.after = (uint8_t)kit_random(seed) & bits[ev->cfg.target];
		break;
	}
	default: break;
	}
}

void
prismkit_shown(const struct prism_state *st, const struct prism_event *ev, struct prism_event *shown)
{
	uint8_t d = ev->kind < PRISM_KINDS ? st->detail[ev->kind] : 0;
	*shown = *ev;
	shown->issues = 0;
	if (ev->kind == PRISM_MEM) {
		struct prism_mem *m = &shown->mem;
		m->has = (d & 0x80 ? 1U : 0) | (d & 0x40 ? 2U : 0) | (d & 0x20 ? 4U : 0) | (d & 0x10 ? 8U : 0);
		m->type = d & 0x80 ? m->type : 0;
		m->bytes = d & 0x40 ? m->bytes : 0;
		m->addr = d & 0x20 ? m->addr : 0;
		m->id = d & 0x10 ? m->id : 0;
	} else if (ev->kind == PRISM_COMP) {
		struct prism_comp *c = &shown->comp;
		bool ids = (d & 0x18) == 0x18;
		c->has = (d & 0x80 ? 16U : 0) | (d & 0x40 ? 2U : 0) | (d & 0x20 ? 32U : 0) | (d & 0x10 ? 64U : 0) | (ids ? 128U : 0);
		c->format = d & 0x80 ? c->format : 0;
		c->bytes = d & 0x40 ? c->bytes : 0;
		c->op = d & 0x20 ? c->op : 0;
		c->arity = d & 0x10 ? c->arity : 0;
		c->nids = ids ? c->nids : 0;
		if (!ids)
			memset(c->ids, 0, sizeof(c->ids));
	} else if (ev->kind == PRISM_SYNC && (d & 0xc0) != 0xc0) {
		shown->sync = (struct prism_sync){ .has = d & 0x80 ? 1 : 0, .type = d & 0x80 ? ev->sync.type : 0 };
	} else if (ev->kind == PRISM_SYNC) {
		shown->sync.has = PRISM_HAS_TYPE | PRISM_HAS_ARGS;
	} else if (ev->kind == PRISM_CXT && (d & 0xc0) != 0xc0) {
		shown->cxt = (struct prism_cxt){ .has = d & 0x80 ? 1 : 0, .type = d & 0x80 ? ev->cxt.type : 0 };
	}
}
