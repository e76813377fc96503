/* SPDX-License-Identifier: MIT */
/* codec: known bytes of each kind of event, in both directions, whole and byte by byte. */
#include "kit.h"
#include "prismkit.h"

#include <limits.h>
#include <string.h>

/* Bytes of one event at the end of a page: as text; less of it is nothing, and changes nothing. */
static void
check_read(struct prism_state *st, const char *hex, const char *text)
{
	uint8_t bytes[PRISM_EVENT_MAX];
	char line[PRISMKIT_LINE];
	struct prism_event ev;
	size_t n = prismkit_hex(bytes, sizeof(bytes), hex);
	for (size_t have = 0; have < n; have++) {
		struct prism_state before = *st;
		uint8_t *p = prismkit_guard() - have;
		memcpy(p, bytes, have);
		CHECK(prism_decode(p, have, st, &ev) == 0);
		CHECK(prismkit_same_state(&before, st));
	}
	uint8_t *p = prismkit_guard() - n;
	memcpy(p, bytes, n);
	ssize_t size = prism_decode(p, n, st, &ev);
	prismkit_text(line, &ev);
	if (size != (ssize_t)n || strcmp(line, text) != 0)
		(void)fprintf(stderr, "%s: %zd bytes, %s\n  not %s\n", hex, size, line, text);
	CHECK(size == (ssize_t)n && strcmp(line, text) == 0);
}

/* An event as bytes, at the end of a page; with less room nothing is written. */
static void
check_write(struct prism_state *st, const struct prism_event *ev, const char *hex)
{
	uint8_t bytes[PRISM_EVENT_MAX];
	char have[3 * PRISM_EVENT_MAX];
	size_t n = prismkit_hex(bytes, sizeof(bytes), hex);
	for (size_t cap = 0; cap < n; cap++) {
		struct prism_state before = *st;
		uint8_t *p = prismkit_guard() - cap;
		memset(p, 0x5a, cap);
		CHECK(prism_encode(p, cap, st, ev) == 0);
		CHECK(prismkit_same_state(&before, st));
		for (size_t i = 0; i < cap; i++)
			CHECK(p[i] == 0x5a);
	}
	uint8_t *p = prismkit_guard() - n;
	ssize_t size = prism_encode(p, n, st, ev);
	prismkit_unhex(have, p, n);
	if (size != (ssize_t)n || memcmp(p, bytes, n) != 0)
		(void)fprintf(stderr, "%s: %zd bytes, %s\n", hex, size, have);
	CHECK(size == (ssize_t)n && memcmp(p, bytes, n) == 0);
}

/* A state with one level of detail. */
static struct prism_state
state_with(enum prism_layout layout, enum prism_kind kind, unsigned detail)
{
	struct prism_settings s = { .layout = layout, .has_detail = true, .detail = { 0, 0, 0xc0, 0xc0, 0 } };
	struct prism_state st;
	s.detail[kind] = (uint8_t)detail;
	prism_begin(&st, &s);
	return st;
}

/* ---- Memory and compute: the same event under each level of detail. ---- */

static const struct prism_event load = {
	.kind = PRISM_MEM,
	.mem = { .has = 15, .type = PRISM_LOAD, .id = 3, .bytes = 4, .addr = 0x7ffd12345678 },
};
static const struct prism_event store = {
	.kind = PRISM_MEM,
	.mem = { .has = 15, .type = PRISM_STORE, .id = 0xff, .bytes = 8, .addr = 0xffffffff81000010 },
};
static const struct prism_event add = {
	.kind = PRISM_COMP,
	.comp = { .has = 242, .format = PRISM_INTEGER, .op = PRISM_ADD, .arity = 2, .nids = 2, .ids = { 1, 2 }, .bytes = 4 },
};
static const struct prism_event division = {
	.kind = PRISM_COMP,
	.comp = { .has = 242, .format = PRISM_FLOAT, .op = PRISM_DIV, .arity = 1, .nids = 1, .ids = { 7 }, .bytes = 8 },
};
static const struct prism_event quad = {
	.kind = PRISM_COMP,
	.comp = { .has = 242, .format = PRISM_FLOAT, .op = PRISM_MOV, .arity = 4, .nids = 4, .ids = { 1, 2, 3, 4 }, .bytes = 8 },
};

static const struct {
	const struct prism_event *ev;
	uint8_t detail;
	const char *wide;
	const char *packed; /* NULL: the same */
	const char *text;
} sights[] = {
	{ &load, 0x00, "00", NULL, "memory" },
	{ &load, 0x80, "08", NULL, "memory type=load" },
	{ &load, 0xc0, "0a", NULL, "memory type=load bytes=4" },
	{ &load, 0xd0, "0a 03", NULL, "memory type=load bytes=4 id=3" },
	{ &load, 0xe0, "0a 78 56 34 12 fd 7f 00", NULL, "memory type=load bytes=4 addr=7ffd12345678" },
	{ &load, 0xf0, "0a 78 56 34 12 fd 7f 00 03", NULL, "memory type=load bytes=4 addr=7ffd12345678 id=3" },
	{ &store, 0x00, "00", NULL, "memory" },
	{ &store, 0x80, "10", NULL, "memory type=store" },
	{ &store, 0xc0, "13", NULL, "memory type=store bytes=8" },
	{ &store, 0xd0, "13 ff", NULL, "memory type=store bytes=8 id=ff" },
	{ &store, 0xe0, "13 10 00 00 81 ff ff ff", NULL, "memory type=store bytes=8 addr=ffffffff81000010" },
	{ &store, 0xf0, "13 10 00 00 81 ff ff ff ff", NULL, "memory type=store bytes=8 addr=ffffffff81000010 id=ff" },
	{ &store, 0x20, "00 10 00 00 81 ff ff ff", NULL, "memory addr=ffffffff81000010" },
	{ &store, 0x50, "03 ff", NULL, "memory bytes=8 id=ff" },

	{ &add, 0x00, "20", NULL, "compute" },
	{ &add, 0x80, "28", NULL, "compute format=integer" },
	{ &add, 0xc0, "2a", NULL, "compute format=integer bytes=4" },
	{ &add, 0xe0, "2a 01", "2a 04", "compute format=integer bytes=4 op=add" },
	{ &add, 0xd0, "2a 40", "2a 01", "compute format=integer bytes=4 arity=2" },
	{ &add, 0xf0, "2a 01 40", "2a 05", "compute format=integer bytes=4 op=add arity=2" },
	{ &add, 0xf8, "2a 01 40 01 02", "2a 05 01 02", "compute format=integer bytes=4 op=add arity=2 ids=1,2" },
	{ &add, 0xe8, "2a 01", "2a 04", "compute format=integer bytes=4 op=add" },
	{ &add, 0x18, "20 40 01 02", "20 01 01 02", "compute arity=2 ids=1,2" },
	{ &division, 0x00, "20", NULL, "compute" },
	{ &division, 0x80, "30", NULL, "compute format=floating point" },
	{ &division, 0xc0, "33", NULL, "compute format=floating point bytes=8" },
	{ &division, 0xe0, "33 04", "33 10", "compute format=floating point bytes=8 op=div" },
	{ &division, 0xd0, "33 00", "33 00", "compute format=floating point bytes=8 arity=1" },
	{ &division, 0xf0, "33 04 00", "33 10", "compute format=floating point bytes=8 op=div arity=1" },
	{ &division, 0xf8, "33 04 00 07", "33 10 07", "compute format=floating point bytes=8 op=div arity=1 ids=7" },
	{ &division, 0xe8, "33 04", "33 10", "compute format=floating point bytes=8 op=div" },
	{ &quad, 0xf8, "33 06 c0 01 02 03 04", "33 1b 01 02 03 04", "compute format=floating point bytes=8 op=mov arity=4 ids=1,2,3,4" },
	{ &quad, 0x08, "20", NULL, "compute" },
};

static void
test_sights(void)
{
	for (size_t i = 0; i < sizeof(sights) / sizeof(sights[0]); i++) {
		for (int layout = PRISM_WIDE; layout <= PRISM_PACKED; layout++) {
			const char *hex = layout == PRISM_PACKED && sights[i].packed ? sights[i].packed : sights[i].wide;
			struct prism_state st = state_with((enum prism_layout)layout, (enum prism_kind)sights[i].ev->kind, sights[i].detail);
			check_read(&st, hex, sights[i].text);
			check_write(&st, sights[i].ev, hex);
		}
	}
}

/* All levels of detail of memory and compute: how long an event is, and what it has. */
static void
test_details(void)
{
	for (unsigned d = 0; d < 256; d++) {
		unsigned mem = 1U + (d & 0x20 ? 7U : 0U) + (d & 0x10 ? 1U : 0U);
		unsigned wide = 1U + (d & 0x20 ? 1U : 0U) + (d & 0x10 ? 1U : 0U) + ((d & 0x18) == 0x18 ? 4U : 0U);
		unsigned packed = 1U + (d & 0x30 ? 1U : 0U) + ((d & 0x18) == 0x18 ? 4U : 0U);
		uint8_t bytes[16];
		struct prism_event ev;
		struct prism_state st = state_with(PRISM_WIDE, PRISM_MEM, d);
		CHECK(st.detail[PRISM_MEM] == (d & 0xf0));
		CHECK(prism_encode(bytes, sizeof(bytes), &st, &store) == (ssize_t)mem);
		CHECK(prism_decode(bytes, mem, &st, &ev) == (ssize_t)mem && ev.issues == 0);
		CHECK(ev.mem.has == prism_detail_has(PRISM_MEM, d));
		CHECK(ev.mem.type == (d & 0x80 ? PRISM_STORE : 0) && ev.mem.bytes == (d & 0x40 ? 8 : 0));
		CHECK(ev.mem.addr == (d & 0x20 ? store.mem.addr : 0) && ev.mem.id == (d & 0x10 ? 0xff : 0));
		for (int layout = PRISM_WIDE; layout <= PRISM_PACKED; layout++) {
			unsigned n = layout == PRISM_WIDE ? wide : packed;
			st = state_with((enum prism_layout)layout, PRISM_COMP, d);
			CHECK(st.detail[PRISM_COMP] == (d & 0xf8));
			CHECK(prism_encode(bytes, sizeof(bytes), &st, &quad) == (ssize_t)n);
			CHECK(prism_decode(bytes, n, &st, &ev) == (ssize_t)n && ev.issues == 0);
			CHECK(ev.comp.has == prism_detail_has(PRISM_COMP, d));
			CHECK(ev.comp.format == (d & 0x80 ? PRISM_FLOAT : 0) && ev.comp.bytes == (d & 0x40 ? 8 : 0));
			CHECK(ev.comp.op == (d & 0x20 ? PRISM_MOV : 0) && ev.comp.arity == (d & 0x10 ? 4 : 0));
			CHECK(ev.comp.nids == ((d & 0x18) == 0x18 ? 4 : 0) && ev.comp.ids[3] == ev.comp.nids);
		}
		/* The masks, by their definition. */
		CHECK(prism_detail_has(PRISM_MEM, d) == ((d & 0x80 ? PRISM_HAS_TYPE : 0U) | (d & 0x40 ? PRISM_HAS_SIZE : 0U) | (d & 0x20 ? PRISM_HAS_ADDR : 0U) | (d & 0x10 ? PRISM_HAS_ID : 0U)));
		CHECK(prism_detail_has(PRISM_COMP, d) == ((d & 0x80 ? PRISM_HAS_FORMAT : 0U) | (d & 0x40 ? PRISM_HAS_SIZE : 0U) | (d & 0x20 ? PRISM_HAS_OP : 0U) | (d & 0x10 ? PRISM_HAS_ARITY : 0U) | ((d & 0x18) == 0x18 ? PRISM_HAS_ARGS : 0U)));
		CHECK(prism_detail_has(PRISM_SYNC, d) == (d < 0x80 ? 0 : d < 0xc0 ? 1U
										  : 129U));
		CHECK(prism_detail_has(PRISM_CXT, d) == (d < 0x80 ? 0 : d < 0xc0 ? 1U
										 : 265U));
		CHECK(prism_detail_has(PRISM_CF, d) == 0 && prism_detail_has(PRISM_CFG, d) == 0 && prism_detail_has(1000, d) == 0);
	}
}

/* Addresses have the sign of bit 55; ids have none. */
static void
test_signs(void)
{
	static const struct {
		uint64_t addr, read;
		const char *hex;
	} cases[] = {
		{ 0, 0, "00 00 00 00 00 00 00" },
		{ 0x007fffffffffffff, 0x007fffffffffffff, "ff ff ff ff ff ff 7f" },
		{ 0xff80000000000000, 0xff80000000000000, "00 00 00 00 00 00 80" },
		{ UINT64_MAX, UINT64_MAX, "ff ff ff ff ff ff ff" },
		{ 0x00adbeefbaadf00d, 0xffadbeefbaadf00d, "0d f0 ad ba ef be ad" },
		{ 0x1234000000000001, 0x0034000000000001, "01 00 00 00 00 00 34" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char hex[64];
		uint8_t bytes[8];
		struct prism_event ev = { .kind = PRISM_MEM, .mem = { .has = PRISM_HAS_ADDR, .addr = cases[i].addr } };
		struct prism_state st = state_with(PRISM_WIDE, PRISM_MEM, 0x20);
		(void)snprintf(hex, sizeof(hex), "00 %s", cases[i].hex);
		check_write(&st, &ev, hex);
		CHECK(prismkit_hex(bytes, sizeof(bytes), hex) == 8);
		CHECK(prism_decode(bytes, 8, &st, &ev) == 8 && ev.mem.addr == cases[i].read);
		ev = (struct prism_event){ .kind = PRISM_CXT, .cxt = { .has = 9, .type = PRISM_BB, .id = cases[i].addr } };
		(void)snprintf(hex, sizeof(hex), "62 %s", cases[i].hex);
		check_write(&st, &ev, hex);
		CHECK(prismkit_hex(bytes, sizeof(bytes), hex) == 8);
		CHECK(prism_decode(bytes, 8, &st, &ev) == 8 && ev.cxt.id == (cases[i].addr & 0xffffffffffffff));
		CHECK(prism_address(ev.cxt.id) == cases[i].read && prism_address(cases[i].addr) == cases[i].read);
	}
}

/* ---- The other kinds. ---- */

/* sync, context and their level of detail; word size. */
static const struct {
	uint8_t detail;
	uint8_t word_size;
	const char *hex;
	const char *text;
	uint8_t name_size;
} others[] = {
	{ 0xc0, 8, "46 a0 10 60 00 00 00 00 00", "sync type=lock args=6010a0" },
	{ 0xc0, 4, "46 a0 10 60 00", "sync type=lock args=6010a0" },
	{ 0xc0, 4, "4c ff ff ff ff", "sync type=spin unlock args=ffffffff" },
	{ 0xc0, 8, "48 00 11 60 00 00 00 00 00 a0 10 60 00 00 00 00 00", "sync type=condition wait args=601100,6010a0" },
	{ 0xc0, 4, "48 00 11 60 00 a0 10 60 80", "sync type=condition wait args=601100,806010a0" },
	{ 0xc0, 8, "41 00 17 00 aa 00 7f 00 00", "sync type=create args=7f00aa001700" },
	{ 0xc0, 8, "42 01 00 00 00 00 00 00 80", "sync type=join args=8000000000000001" },
	{ 0xc0, 8, "43 01 00 00 00 00 00 00 00", "sync type=barrier args=1" },
	{ 0xc0, 8, "44 01 00 00 00 00 00 00 00", "sync type=sync args=1" },
	{ 0xc0, 8, "45 01 00 00 00 00 00 00 00", "sync type=swap args=1" },
	{ 0xc0, 8, "47 01 00 00 00 00 00 00 00", "sync type=unlock args=1" },
	{ 0xc0, 8, "49 01 00 00 00 00 00 00 00", "sync type=condition signal args=1" },
	{ 0xc0, 8, "4a 01 00 00 00 00 00 00 00", "sync type=condition broadcast args=1" },
	{ 0xc0, 8, "4b 01 00 00 00 00 00 00 00", "sync type=spin lock args=1" },
	{ 0x80, 8, "46", "sync type=lock" },
	{ 0x80, 8, "48", "sync type=condition wait" },
	{ 0x40, 8, "40", "sync" },
	{ 0x00, 8, "40", "sync" },
	{ 0xc0, 8, "63 03 6d 61 69 6e", "context type=function enter name=main" },
	{ 0xc0, 8, "64 03 6d 61 69 6e", "context type=function exit name=main" },
	{ 0xc0, 8, "63 00 66", "context type=function enter name=f" },
	{ 0xc0, 8, "61 26 05 40 00 00 00 00", "context type=instruction id=400526" },
	{ 0xc0, 8, "62 4d 01 00 00 00 00 00", "context type=basic block id=14d" },
	{ 0xc0, 8, "65 02 00 00 00 00 00 00", "context type=thread id=2" },
	{ 0xc0, 8, "65 ff ff ff ff ff ff ff", "context type=thread id=ffffffffffffff" },
	{ 0xc0, 8, "66 02 6e 65 74", "context type=net enter name=net" },
	{ 0xc0, 8, "67 02 6e 65 74", "context type=net exit name=net" },
	{ 0xc0, 8, "68 03 43 6f 6e 76", "context type=operator enter name=Conv" },
	{ 0xc0, 8, "69 03 43 6f 6e 76", "context type=operator exit name=Conv" },
	{ 0xc0, 8, "63 01 02 03 84", "context type=function enter number=84030201", 4 },
	{ 0xc0, 8, "69 01 02 03 04 05 06 07 88", "context type=operator exit number=8807060504030201", 8 },
	{ 0xc0, 8, "64 00 00 00 00", "context type=function exit number=0", 4 },
	{ 0xc0, 8, "65 02 00 00 00 00 00 00", "context type=thread id=2", 4 },
	{ 0x80, 8, "63", "context type=function enter", 4 },
	{ 0x80, 8, "63", "context type=function enter" },
	{ 0x80, 8, "61", "context type=instruction" },
	{ 0x40, 8, "60", "context" },
	{ 0xc0, 8, "80", "control flow type=0" },
	{ 0xc0, 8, "9f", "control flow type=31" },
	{ 0xc0, 8, "c0", "end" },
	{ 0xc0, 8, "a0 f0", "config memory 00 to f0" },
	{ 0xc0, 8, "a4 f8", "config compute 00 to f8" },
	{ 0xc0, 8, "a8 80", "config sync c0 to 80" },
	{ 0xc0, 8, "ac 40", "config context c0 to 40" },
	{ 0xc0, 8, "b0 ff", "config control flow 00 to ff" },
};

static void
test_others(void)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct prism_settings s = { .word_size = others[i].word_size, .control_flow = true, .has_detail = true, .name_size = others[i].name_size };
		struct prism_state st, again;
		struct prism_event ev;
		uint8_t bytes[PRISM_EVENT_MAX];
		s.detail[PRISM_SYNC] = s.detail[PRISM_CXT] = others[i].detail;
		prism_begin(&st, &s);
		again = st;
		check_read(&st, others[i].hex, others[i].text);
		size_t n = prismkit_hex(bytes, sizeof(bytes), others[i].hex);
		st = again;
		CHECK(prism_decode(bytes, n, &st, &ev) == (ssize_t)n);
		check_write(&again, &ev, others[i].hex);
		CHECK(prismkit_same_state(&st, &again));
	}
}

/* Half of the bytes where their logarithm should be, as a front end writes it that does not mask it. */
static void
test_half_sizes(void)
{
	static const struct {
		uint8_t type, size, read_type;
		unsigned bytes;
	} cases[] = {
		{ PRISM_MEM_UNDEFINED, 0, PRISM_MEM_UNDEFINED, 1 },
		{ PRISM_LOAD, 1, PRISM_LOAD, 1 },
		{ PRISM_LOAD, 2, PRISM_LOAD, 2 },
		{ PRISM_STORE, 4, PRISM_STORE, 4 },
		{ PRISM_LOAD, 8, PRISM_LOAD, 8 },
		{ PRISM_STORE, 8, PRISM_STORE, 8 },
		{ PRISM_STORE, 10, PRISM_STORE, 10 },
		{ PRISM_STORE, 16, PRISM_STORE, 16 },
		{ PRISM_STORE, 28, PRISM_STORE, 28 },
		{ PRISM_LOAD, 16, PRISM_LOAD, 1 },
	};
	for (unsigned detail = 0; detail < 16; detail++) {
		struct prism_settings s = { .half_sizes = true, .has_detail = true, .detail = { (uint8_t)(detail << 4) } };
		uint32_t has = prism_detail_has(PRISM_MEM, detail << 4);
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct prism_state st;
			struct prism_event ev;
			uint8_t bytes[9] = { (uint8_t)(cases[i].type << 3 | cases[i].size >> 1), 1, 0, 0, 0, 0, 0, 0, 5 };
			size_t n = 1 + (has & PRISM_HAS_ADDR ? 7U : 0U) + (has & PRISM_HAS_ID ? 1U : 0U);
			prism_begin(&st, &s);
			for (size_t less = 0; less < n; less++)
				CHECK(prism_decode(bytes, less, &st, &ev) == 0);
			CHECK(prism_decode(bytes, n, &st, &ev) == (ssize_t)n && ev.kind == PRISM_MEM && ev.mem.has == has);
			CHECK(ev.mem.addr == (has & PRISM_HAS_ADDR ? 1U : 0U));
			CHECK(ev.mem.id == (has & PRISM_HAS_ID ? bytes[n - 1] : 0));
			if ((has & (PRISM_HAS_TYPE | PRISM_HAS_SIZE)) == (PRISM_HAS_TYPE | PRISM_HAS_SIZE))
				CHECK(ev.issues == 0 && ev.mem.type == cases[i].read_type && ev.mem.bytes == cases[i].bytes);
			else
				CHECK(!(has & PRISM_HAS_SIZE) == !ev.mem.bytes);
		}
	}
}

static void
test_names(void)
{
	static const unsigned lengths[] = { 1, 2, 255, 256 };
	struct prism_state st;
	prism_begin(&st, NULL);
	for (size_t i = 0; i < 4; i++) {
		char name[PRISM_NAME_MAX], hex[3 * PRISM_EVENT_MAX], text[PRISMKIT_LINE];
		uint8_t bytes[PRISM_EVENT_MAX] = { 0x63, (uint8_t)(lengths[i] - 1) };
		for (unsigned k = 0; k < lengths[i]; k++)
			bytes[2 + k] = (uint8_t)(name[k] = (char)('a' + k % 26));
		struct prism_event ev = { .kind = PRISM_CXT };
		ev.cxt = (struct prism_cxt){ .has = 257, .type = PRISM_FUNC_ENTER, .name = name, .name_len = lengths[i] };
		prismkit_unhex(hex, bytes, 2 + lengths[i]);
		(void)snprintf(text, sizeof(text), "context type=function enter name=%.*s", (int)lengths[i], name);
		check_write(&st, &ev, hex);
		check_read(&st, hex, text);
	}
	/* Too long, and none. */
	char name[1000];
	uint8_t bytes[PRISM_EVENT_MAX];
	memset(name, 'n', sizeof(name));
	struct prism_event ev = { .kind = PRISM_CXT };
	ev.cxt = (struct prism_cxt){ .has = 257, .type = PRISM_NET_EXIT, .name = name, .name_len = sizeof(name) };
	CHECK(prism_encode(bytes, sizeof(bytes), &st, &ev) == PRISM_EVENT_MAX);
	CHECK(bytes[0] == 0x67 && bytes[1] == 0xff && memcmp(bytes + 2, name, 256) == 0);
	ev.cxt.name_len = 0;
	check_write(&st, &ev, "67 00 3f");
	ev.cxt.has = PRISM_HAS_TYPE;
	check_write(&st, &ev, "67 00 3f");
	ev.cxt.type = PRISM_INSN;
	check_write(&st, &ev, "61 00 00 00 00 00 00 00");
}

/* What is no text: each is told, and its bytes are there. */
static void
test_bad_names(void)
{
	static const struct {
		const char *hex;
		bool text;
	} cases[] = {
		{ "63 00 00", false },
		{ "63 02 61 00 62", false },
		{ "63 00 1b", true },
		{ "63 00 7f", true },
		{ "63 00 80", false },
		{ "63 00 c3", false },
		{ "63 01 c3 a9", true },
		{ "63 01 c0 80", false },
		{ "63 01 c1 bf", false },
		{ "63 02 e0 9f bf", false },
		{ "63 02 e0 a0 80", true },
		{ "63 02 ed a0 80", false },
		{ "63 02 ed 9f bf", true },
		{ "63 02 e2 82 ac", true },
		{ "63 01 e2 82", false },
		{ "63 02 e2 82 41", false },
		{ "63 03 f0 8f bf bf", false },
		{ "63 03 f0 90 80 80", true },
		{ "63 03 f4 8f bf bf", true },
		{ "63 03 f4 90 80 80", false },
		{ "63 03 f5 80 80 80", false },
		{ "63 00 ff", false },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t bytes[16];
		struct prism_event ev;
		struct prism_state st;
		prism_begin(&st, NULL);
		size_t n = prismkit_hex(bytes, sizeof(bytes), cases[i].hex);
		CHECK(prism_decode(bytes, n, &st, &ev) == (ssize_t)n);
		CHECK(ev.issues == (cases[i].text ? 0 : 1U << PRISM_PB13));
		CHECK(ev.cxt.name_len == n - 2 && memcmp(ev.cxt.name, bytes + 2, n - 2) == 0);
	}
}

/* ---- What is not written. ---- */

static void
test_refused(void)
{
	static const struct {
		int code;
		struct prism_event ev;
	} cases[] = {
		{ PRISM_PB07, { .kind = PRISM_MEM, .mem = { .has = PRISM_HAS_TYPE, .type = 3 } } },
		{ PRISM_PB07, { .kind = PRISM_MEM, .mem = { .has = PRISM_HAS_TYPE, .type = 200 } } },
		{ PRISM_E_VALUE, { .kind = PRISM_MEM, .mem = { .has = PRISM_HAS_SIZE, .bytes = 0 } } },
		{ PRISM_E_VALUE, { .kind = PRISM_MEM, .mem = { .has = PRISM_HAS_SIZE, .bytes = 6 } } },
		{ PRISM_E_VALUE, { .kind = PRISM_MEM, .mem = { .has = PRISM_HAS_SIZE, .bytes = 256 } } },
		{ PRISM_PB08, { .kind = PRISM_COMP, .comp = { .has = PRISM_HAS_FORMAT, .format = 3 } } },
		{ PRISM_E_VALUE, { .kind = PRISM_COMP, .comp = { .has = PRISM_HAS_SIZE, .bytes = 129 } } },
		{ PRISM_E_VALUE, { .kind = PRISM_COMP, .comp = { .has = PRISM_HAS_ARITY, .arity = 0 } } },
		{ PRISM_E_VALUE, { .kind = PRISM_COMP, .comp = { .has = PRISM_HAS_ARITY, .arity = 5 } } },
		{ PRISM_E_VALUE, { .kind = PRISM_COMP, .comp = { .has = PRISM_HAS_OP, .op = 64 } } },
		{ PRISM_PB11, { .kind = PRISM_SYNC, .sync = { .has = PRISM_HAS_TYPE, .type = 0 } } },
		{ PRISM_PB11, { .kind = PRISM_SYNC, .sync = { .has = PRISM_HAS_TYPE, .type = 13 } } },
		{ PRISM_PB11, { .kind = PRISM_SYNC, .sync = { .has = 0, .type = PRISM_LOCK } } },
		{ PRISM_E_VALUE, { .kind = PRISM_SYNC, .sync = { .has = 129, .type = PRISM_LOCK, .nargs = 1, .arg = { 1ULL << 32 } } } },
		{ PRISM_E_VALUE, { .kind = PRISM_SYNC, .sync = { .has = 129, .type = PRISM_COND_WAIT, .nargs = 2, .arg = { 0, 1ULL << 32 } } } },
		{ PRISM_PB12, { .kind = PRISM_CXT, .cxt = { .has = PRISM_HAS_TYPE, .type = 0 } } },
		{ PRISM_PB12, { .kind = PRISM_CXT, .cxt = { .has = PRISM_HAS_TYPE, .type = 10 } } },
		{ PRISM_PB03, { .kind = PRISM_CF } },
		{ PRISM_PB04, { .kind = PRISM_CFG, .cfg = { .target = PRISM_KINDS } } },
		{ PRISM_PB06, { .kind = PRISM_CFG, .cfg = { .target = PRISM_MEM, .after = 0xf8 } } },
		{ PRISM_PB06, { .kind = PRISM_CFG, .cfg = { .target = PRISM_CXT, .after = 0x20 } } },
		{ PRISM_E_VALUE, { .kind = 7 } },
		{ PRISM_E_VALUE, { .kind = 255 } },
	};
	struct prism_settings s = { .layout = PRISM_PACKED, .word_size = 4, .lenient = true, .has_detail = true };
	memcpy(s.detail, (uint8_t[]){ 0xf0, 0xf8, 0xc0, 0xc0, 0 }, PRISM_KINDS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct prism_state st, before;
		uint8_t bytes[PRISM_EVENT_MAX];
		prism_begin(&st, &s);
		before = st;
		CHECK(prism_encode(bytes, sizeof(bytes), &st, &cases[i].ev) == -cases[i].code);
		CHECK(prism_encode(NULL, 0, &st, &cases[i].ev) == -cases[i].code);
		CHECK(prismkit_same_state(&st, &before));
	}
	s.control_flow = true;
	struct prism_state st;
	prism_begin(&st, &s);
	CHECK(prism_encode(NULL, 0, &st, &(struct prism_event){ .kind = PRISM_CF, .cf.type = 32 }) == -PRISM_E_VALUE);

	/* A name where a number must be, and a number that is too large. */
	s.name_size = 4;
	prism_begin(&st, &s);
	struct prism_event named = { .kind = PRISM_CXT, .cxt = { .has = 257, .type = PRISM_FUNC_ENTER, .name = "f", .name_len = 1, .id = 1 } };
	CHECK(prism_encode(NULL, 0, &st, &named) == -PRISM_E_VALUE);
	named.cxt.has |= PRISM_HAS_NUMBER;
	check_write(&st, &named, "63 01 00 00 00");
	named.cxt.id = UINT64_C(1) << 32;
	CHECK(prism_encode(NULL, 0, &st, &named) == -PRISM_E_VALUE);

	/* A value that is not shown is not looked at; one that is missing is zero. */
	static const struct {
		const char *hex;
		struct prism_event ev;
	} blank[] = {
		{ "00 00 00 00 00 00 00 00 00", { .kind = PRISM_MEM, .mem = { .type = 9, .id = 9, .bytes = 9, .addr = 9 } } },
		{ "20 00 00", { .kind = PRISM_COMP, .comp = { .format = 9, .op = 90, .arity = 9, .nids = 9, .bytes = 9 } } },
		{ "20 03 09 08 00 00", { .kind = PRISM_COMP, .comp = { .has = 192, .arity = 4, .nids = 2, .ids = { 9, 8, 7, 6 } } } },
		{ "46 00 00 00 00", { .kind = PRISM_SYNC, .sync = { .has = PRISM_HAS_TYPE, .type = PRISM_LOCK, .nargs = 1, .arg = { ~0ULL } } } },
		{ "46 05 00 00 00", { .kind = PRISM_SYNC, .sync = { .has = 129, .type = PRISM_LOCK, .nargs = 2, .arg = { 5, ~0ULL } } } },
		{ "48 05 00 00 00 00 00 00 00", { .kind = PRISM_SYNC, .sync = { .has = 129, .type = PRISM_COND_WAIT, .nargs = 1, .arg = { 5, ~0ULL } } } },
	};
	for (size_t i = 0; i < sizeof(blank) / sizeof(blank[0]); i++)
		check_write(&st, &blank[i].ev, blank[i].hex);
	prism_begin(&st, NULL);
	CHECK(prism_encode(&(uint8_t){ 0 }, 1, &st, &cases[0].ev) == 1);
	CHECK(prism_encode(&(uint8_t){ 0 }, 1, &st, &cases[5].ev) == 1);
}

/* ---- Settings and names. ---- */

static void
test_settings(void)
{
	struct prism_state st, zeroed;
	memset(&st, 0xff, sizeof(st));
	memset(&zeroed, 0xaa, sizeof(zeroed));
	prism_begin(&st, NULL);
	prism_begin(&zeroed, &(struct prism_settings){ 0 });
	CHECK(prismkit_same_state(&st, &zeroed));
	CHECK(st.layout == PRISM_WIDE && st.word_size == 8 && !st.control_flow && !st.lenient);
	CHECK(memcmp(st.detail, (uint8_t[]){ 0, 0, 0xc0, 0xc0, 0 }, PRISM_KINDS) == 0);
	prism_begin(&st, &(struct prism_settings){ .has_detail = true, .detail = { 0xff, 0xff, 0xff, 0xff, 0xff } });
	CHECK(memcmp(st.detail, (uint8_t[]){ 0xf0, 0xf8, 0xc0, 0xc0, 0xff }, PRISM_KINDS) == 0);
	CHECK(prism_detail_bits(PRISM_MEM) == 0xf0 && prism_detail_bits(PRISM_COMP) == 0xf8);
	CHECK(prism_detail_bits(PRISM_SYNC) == 0xc0 && prism_detail_bits(PRISM_CXT) == 0xc0);
	CHECK(prism_detail_bits(PRISM_CF) == 0 && prism_detail_bits(PRISM_END) == 0 && prism_detail_bits(UINT_MAX) == 0);
}

static void
test_texts(void)
{
	static const char *const(warns[]) = { "PB05", "PB06", "PB09", "PB10", "PB13", "PB14", "PB17", "PM02", "PM03", "PM06" };
	unsigned warned = 0;
	for (int code = 1; code < PRISM_CODES; code++) {
		bool warn = false;
		for (size_t i = 0; i < sizeof(warns) / sizeof(warns[0]); i++)
			warn = warn || strcmp(prism_code_name(code), warns[i]) == 0;
		CHECK(prism_code_warns(code) == warn && prism_code_warns(-code) == warn);
		warned += warn;
		CHECK(strlen(prism_code_name(code)) == 4 && *prism_code_text(code) && *prism_code_lenient(code));
		CHECK(prism_code_name(-code) == prism_code_name(code));
	}
	CHECK(warned == 10 && PRISM_CODES == 28);
	CHECK(strcmp(prism_code_name(1), "PB01") == 0 && strcmp(prism_code_name(17), "PB17") == 0 && strcmp(prism_code_name(26), "PJ01") == 0 && strcmp(prism_code_name(27), "PN01") == 0);
	CHECK(strcmp(prism_code_name(PRISM_E_VALUE), "value") == 0 && !prism_code_warns(PRISM_E_VALUE));
	CHECK(strcmp(prism_code_name(INT_MIN), "OK") == 0 && strcmp(prism_code_text(INT_MAX), "nothing is wrong") == 0);
	CHECK(strcmp(prism_kind_name(PRISM_END), "end") == 0 && strcmp(prism_kind_name(7), "?") == 0);
	CHECK(strcmp(prism_mem_name(3), "invalid") == 0 && strcmp(prism_mem_name(4), "?") == 0);
	CHECK(strcmp(prism_format_name(2), "floating point") == 0 && strcmp(prism_format_name(4), "?") == 0);
	CHECK(strcmp(prism_op_name(6), "mov") == 0 && strcmp(prism_op_name(7), "?") == 0);
	CHECK(strcmp(prism_sync_name(12), "spin unlock") == 0 && strcmp(prism_sync_name(13), "?") == 0);
	CHECK(strcmp(prism_cxt_name(9), "operator exit") == 0 && strcmp(prism_cxt_name(UINT_MAX), "?") == 0);
}

int
main(void)
{
	test_sights();
	test_details();
	test_signs();
	test_others();
	test_half_sizes();
	test_names();
	test_bad_names();
	test_refused();
	test_settings();
	test_texts();
	return 0;
}
