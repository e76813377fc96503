/* SPDX-License-Identifier: MIT */
/* reading: whole streams: known ones event by event, buffers and their Ends, and each code
 * that is found in bytes, strict and lenient, with its place. However the bytes come, what is
 * read is the same. */
#include "kit.h"
#include "prismkit.h"

#include <inttypes.h>
#include <string.h>

enum {
	TEXT = 64 * 1024,
};

/* How the bytes of a stream come. */
enum pieces {
	WHOLE,
	SINGLE,     /* bytes */
	SINGLE_END, /* bytes, and that there are no more is known later */
	RANDOM,
	PIECES,
};

/* ---- A stream as text: "offset event" a line, then "offset code" or "offset end". ---- */

struct reader {
	struct prismread r;
	const uint8_t *bytes;
	size_t n, given, used;
	uint64_t events;
};

static bool
are_same(const struct prismread *a, const struct prismread *b)
{
	return a->offset == b->offset && a->seq == b->seq && a->left == b->left && a->closed == b->closed && a->ended == b->ended;
}

/* The quick ways to read, or to skip, events of memory and compute take those that prismread_next() gives, and leave the rest. */
static void
check_quick(const struct prismread *r, const uint8_t *p, size_t have)
{
	char text[2][512];
	struct prismread quick = *r, plain = *r;
	struct prism_event ev, qev;
	size_t used;
	size_t n = prismread_quick(&quick, p, have, &qev);
	int rc = prismread_next(&plain, p, have, false, &used, &ev);
	bool is = rc > 0 && ev.kind <= PRISM_COMP && !ev.issues && !r->closed && r->left;
	CHECK(is == (n > 0));
	if (is) {
		prismkit_text(text[0], &qev);
		prismkit_text(text[1], &ev);
		CHECK(n == used && strcmp(text[0], text[1]) == 0 && quick.at == plain.at);
	}
	CHECK(are_same(&quick, is ? &plain : r));
	size_t skipped, at = 0;
	quick = plain = *r;
	for (uint64_t i = prismread_skip(&quick, p, have, &skipped); i; i--) {
		CHECK(prismread_next(&plain, p + at, have - at, false, &used, &ev) > 0 && ev.kind <= PRISM_COMP);
		at += used;
	}
	CHECK(at == skipped && are_same(&quick, &plain));
	rc = prismread_next(&plain, p + at, have - at, false, &used, &ev);
	CHECK(rc <= 0 || ev.kind > PRISM_COMP || ev.issues || quick.closed || !quick.left);
}

/* Reads with `have` bytes of what is not used yet, at the end of a page. Returns what
 * prismread_next() does; lines are added to out. */
static int
step(struct reader *s, size_t have, bool last, char **out)
{
	struct prism_event ev;
	size_t used;
	uint8_t *p = prismkit_guard() - have;
	memcpy(p, s->bytes + s->used, have);
	check_quick(&s->r, p, have);
	int rc = prismread_next(&s->r, p, have, last, &used, &ev);
	CHECK(used <= have);
	s->used += used;
	CHECK(s->r.offset == s->used);
	if (rc > 0) {
		*out += sprintf(*out, "%" PRIu64 " ", s->r.at);
		prismkit_text(*out, &ev);
		*out += strlen(*out);
		*(*out)++ = '\n';
		CHECK(s->r.seq == ++s->events && s->r.at < s->r.offset);
	} else if (rc < 0) {
		CHECK(s->r.ended);
		*out += sprintf(*out, "%" PRIu64 " %s\n", s->r.at, prism_code_name(rc));
	} else {
		for (int code = 1; code < PRISM_CODES; code++)
			if (ev.issues >> code & 1)
				*out += sprintf(*out, "%" PRIu64 " %s\n", s->r.at, prism_code_name(code));
	}
	**out = '\0';
	return rc;
}

static void
read_all(char *out, const uint8_t *bytes, size_t n, const struct prism_settings *settings, uint64_t buffer_size,
	enum pieces how, uint64_t *seed)
{
	struct reader s = { .bytes = bytes, .n = n };
	prismread_begin(&s.r, settings, buffer_size);
	*out = '\0';
	for (;;) {
		bool last = s.given == n;
		int rc = step(&s, s.given - s.used, last && how != SINGLE_END, &out);
		if (rc < 0)
			return;
		if (rc > 0)
			continue;
		if (last && how == SINGLE_END)
			rc = step(&s, s.given - s.used, true, &out);
		if (rc < 0)
			return;
		if (s.given == n)
			break;
		s.given += how == WHOLE ? n : how == RANDOM ? 1 + kit_below(seed, n - s.given)
							    : 1;
	}
	CHECK(s.r.ended && s.used == n);
	(void)sprintf(out, "%zu end\n", n);
	/* Nothing is told twice. */
	struct prism_event ev;
	size_t used;
	CHECK(prismread_next(&s.r, bytes, n, true, &used, &ev) == 0 && used == n && ev.issues == 0);
}

/* Reads in all ways, and wants the same text of all. */
static void
check_stream(const char *name, const uint8_t *bytes, size_t n, const struct prism_settings *settings, uint64_t buffer_size,
	const char *want)
{
	static char have[TEXT];
	uint64_t seed = 1;
	CHECK(n <= PRISMKIT_ROOM);
	for (int how = WHOLE; how < PIECES; how++) {
		for (int i = 0; i < (how == RANDOM ? 20 : 1); i++) {
			read_all(have, bytes, n, settings, buffer_size, (enum pieces)how, &seed);
			if (strcmp(have, want) != 0) {
				(void)fprintf(stderr, "%s, pieces %d:\n%s  wanted\n%s", name, how, have, want);
				exit(1);
			}
		}
	}
}

static void
check_hex(const char *hex, const struct prism_settings *settings, uint64_t buffer_size, const char *want)
{
	uint8_t bytes[PRISMKIT_ROOM];
	size_t n = prismkit_hex(bytes, sizeof(bytes), hex);
	check_stream(hex, bytes, n, settings, buffer_size, want);
}

/* ---- Known streams. ---- */

static const char *const worked[] = {
	"a0 f0", "a4 f8", "45 01 00 00 00 00 00 00 00", "63 03 6d 61 69 6e", "61 26 05 40 00 00 00 00",
	NULL, /* an add */
	"0a 78 56 34 12 fd 7f 00 03", "a0 c0", "13", "41 00 17 00 aa 00 7f 00 00", "45 02 00 00 00 00 00 00 00",
	"63 05 77 6f 72 6b 65 72", "46 a0 10 60 00 00 00 00 00",
	NULL, /* a multiplication */
	"47 a0 10 60 00 00 00 00 00", "64 05 77 6f 72 6b 65 72", "45 01 00 00 00 00 00 00 00",
	"42 00 17 00 aa 00 7f 00 00", "64 03 6d 61 69 6e", "c0"
};

static const char *const worked_text[] = {
	"config memory 00 to f0",
	"config compute 00 to f8",
	"sync type=swap args=1",
	"context type=function enter name=main",
	"context type=instruction id=400526",
	"compute format=integer bytes=4 op=add arity=2 ids=1,2",
	"memory type=load bytes=4 addr=7ffd12345678 id=3",
	"config memory f0 to c0",
	"memory type=store bytes=8",
	"sync type=create args=7f00aa001700",
	"sync type=swap args=2",
	"context type=function enter name=worker",
	"sync type=lock args=6010a0",
	"compute format=floating point bytes=8 op=mult arity=2 ids=4,5",
	"sync type=unlock args=6010a0",
	"context type=function exit name=worker",
	"sync type=swap args=1",
	"sync type=join args=7f00aa001700",
	"context type=function exit name=main",
	"end",
};

/* Writes again what was read. */
static void
check_again(const uint8_t *bytes, size_t n, const struct prism_settings *settings)
{
	struct prism_state in, out;
	prism_begin(&in, settings);
	prism_begin(&out, settings);
	for (size_t at = 0; at < n;) {
		struct prism_event ev;
		uint8_t copy[PRISM_EVENT_MAX];
		ssize_t size = prism_decode(bytes + at, n - at, &in, &ev);
		CHECK(size > 0 && prism_encode(copy, sizeof(copy), &out, &ev) == size);
		CHECK(memcmp(copy, bytes + at, (size_t)size) == 0);
		at += (size_t)size;
	}
}

static void
test_worked(void)
{
	enum {
		EVENTS = sizeof(worked) / sizeof(worked[0]),
	};
	CHECK(EVENTS == sizeof(worked_text) / sizeof(worked_text[0]));
	for (int layout = PRISM_WIDE; layout <= PRISM_PACKED; layout++) {
		struct prism_settings settings = { .layout = (enum prism_layout)layout };
		static char want[TEXT];
		char *p = want;
		uint8_t bytes[256];
		size_t n = 0;
		for (int i = 0; i < EVENTS; i++) {
			const char *hex = worked[i];
			if (!hex && layout == PRISM_WIDE)
				hex = i == 5 ? "2a 01 40 01 02" : "33 03 40 04 05";
			else if (!hex)
				hex = i == 5 ? "2a 05 01 02" : "33 0d 04 05";
			p += sprintf(p, "%zu %s\n", n, worked_text[i]);
			n += prismkit_hex(bytes + n, sizeof(bytes) - n, hex);
		}
		CHECK(n == (layout == PRISM_WIDE ? 126 : 124));
		(void)sprintf(p, "%zu end\n", n);
		check_stream("worked example", bytes, n, &settings, 0, want);
		check_again(bytes, n, &settings);
	}
}

/* 75 bytes that upstream tests its own reader with. */
static void
test_upstream(void)
{
	static const char hex[] = "a0f0a4f8110df0adbaefbead0c2c0d0c6f41650000000000000063196143"
				  "6f6f6c46756e6374696f6e4265696e6750726f66696c6564624d01000000"
				  "0000616f000000000000a0d00c5ac0";
	struct prism_settings settings = { .layout = PRISM_PACKED };
	uint8_t bytes[75];
	check_hex(hex, &settings, 0,
		"0 config memory 00 to f0\n"
		"2 config compute 00 to f8\n"
		"4 memory type=store bytes=2 addr=ffadbeefbaadf00d id=c\n"
		"13 compute format=integer bytes=16 op=mult arity=2 ids=c,6f\n"
		"17 sync type=create args=65\n"
		"26 context type=function enter name=aCoolFunctionBeingProfiled\n"
		"54 context type=basic block id=14d\n"
		"62 context type=instruction id=6f\n"
		"70 config memory f0 to d0\n"
		"72 memory type=load bytes=16 id=5a\n"
		"74 end\n"
		"75 end\n");
	CHECK(prismkit_hex(bytes, sizeof(bytes), hex) == 75);
	check_again(bytes, 75, &settings);
}

/* ---- Codes. ---- */

/* Bytes of a stream, what a strict reader and what a lenient one makes of them. */
static const struct {
	const char *hex;
	const char *strict;
	const char *lenient; /* NULL: the same */
	uint8_t detail[PRISM_KINDS];
	bool packed, control_flow;
	uint64_t buffer_size;
} codes[] = {
	/* PB01: inside an event of each kind. */
	{ .hex = "00 45 01 00 00", .strict = "0 memory\n1 PB01\n" },
	{ .hex = "00 a0", .strict = "0 memory\n1 PB01\n" },
	{ .hex = "63", .strict = "0 PB01\n" },
	{ .hex = "63 01 61", .strict = "0 PB01\n" },
	{ .hex = "61 00 00 00 00 00 00", .strict = "0 PB01\n" },
	{ .hex = "0a 78 56 34 12 fd 7f 00", .strict = "0 PB01\n", .detail = { 0xf0 } },
	{ .hex = "2a 01 40 01", .strict = "0 PB01\n", .detail = { 0, 0xf8 } },
	{ .hex = "2a", .strict = "0 PB01\n", .detail = { 0, 0xf8 }, .packed = true },
	{ .hex = "48 00 00 00 00 00 00 00 00 01", .strict = "0 PB01\n", .detail = { 0, 0, 0xc0 } },
	/* PB02 */
	{ .hex = "00 e0 00 c0", .strict = "0 memory\n1 PB02\n" },
	{ .hex = "ff", .strict = "0 PB02\n" },
	/* PB03 */
	{ .hex = "00 81 00", .strict = "0 memory\n1 PB03\n" },
	{ .hex = "81 c0", .strict = "0 control flow type=1\n1 end\n2 end\n", .control_flow = true },
	/* PB04 */
	{ .hex = "b4 f0 c0", .strict = "0 PB04\n", .lenient = "0 config config 00 to 00 PB04\n2 end\n3 end\n" },
	{ .hex = "00 b8 00 c0", .strict = "0 memory\n1 PB04\n", .lenient = "0 memory\n1 config config 00 to 00 PB04\n3 end\n4 end\n" },
	{ .hex = "bf ff c0", .strict = "0 PB04\n", .lenient = "0 config config 00 to 00 PB04 PB05\n2 end\n3 end\n" },
	{ .hex = "bc", .strict = "0 PB04\n", .lenient = "0 PB01\n" },
	/* PB05 */
	{ .hex = "a1 80 08 c0", .strict = "0 config memory 00 to 80 PB05\n2 memory type=load\n3 end\n4 end\n" },
	{ .hex = "a6 00 c0", .strict = "0 config compute 00 to 00 PB05\n2 end\n3 end\n" },
	/* PB06 */
	{ .hex = "a0 88 08 c0", .strict = "0 config memory 00 to 80 PB06\n2 memory type=load\n3 end\n4 end\n" },
	{ .hex = "a4 07 20 c0", .strict = "0 config compute 00 to 00 PB06\n2 compute\n3 end\n4 end\n" },
	{ .hex = "a8 a0 46 c0", .strict = "0 config sync c0 to 80 PB06\n2 sync type=lock\n3 end\n4 end\n" },
	{ .hex = "ac ff 63 00 66 c0", .strict = "0 config context c0 to c0 PB06\n2 context type=function enter name=f\n5 end\n6 end\n" },
	{ .hex = "b0 ff c0", .strict = "0 config control flow 00 to ff\n2 end\n3 end\n" },
	/* PB07 */
	{ .hex = "18 c0", .strict = "0 PB07\n", .lenient = "0 memory type=undefined PB07\n1 end\n2 end\n", .detail = { 0x80 } },
	{ .hex = "1f 01 c0", .strict = "0 PB07\n", .lenient = "0 memory type=undefined bytes=128 id=1 PB07\n2 end\n3 end\n", .detail = { 0xd0 } },
	{ .hex = "1f", .strict = "0 PB07\n", .lenient = "0 PB01\n", .detail = { 0xd0 } },
	{ .hex = "18 c0", .strict = "0 memory PB17\n1 end\n2 end\n" },
	/* PB08 */
	{ .hex = "38 c0", .strict = "0 PB08\n", .lenient = "0 compute format=undefined PB08\n1 end\n2 end\n", .detail = { 0, 0x80 } },
	{ .hex = "38 00 c0", .strict = "0 compute op=undefined PB17\n2 end\n3 end\n", .detail = { 0, 0x20 } },
	/* PB09 */
	{ .hex = "20 07 c0", .strict = "0 compute op=? PB09\n2 end\n3 end\n", .detail = { 0, 0x20 } },
	{ .hex = "20 ff 00 c0", .strict = "0 compute op=? arity=1 PB09\n3 end\n4 end\n", .detail = { 0, 0x30 } },
	{ .hex = "20 1c c0", .strict = "0 compute op=? PB09\n2 end\n3 end\n", .detail = { 0, 0x20 }, .packed = true },
	{ .hex = "20 06 c0", .strict = "0 compute op=mov\n2 end\n3 end\n", .detail = { 0, 0x20 } },
	/* PB10 */
	{ .hex = "20 41 c0", .strict = "0 compute arity=2 PB10\n2 end\n3 end\n", .detail = { 0, 0x10 } },
	{ .hex = "20 01 3f 05 c0", .strict = "0 compute op=add arity=1 ids=5 PB10\n4 end\n5 end\n", .detail = { 0, 0x38 } },
	/* PB11 */
	{ .hex = "40 c0", .strict = "0 PB11\n", .lenient = "0 sync type=undefined PB11\n1 end\n2 end\n", .detail = { 0, 0, 0x80 } },
	{ .hex = "4d 01 00 00 00 00 00 00 00 c0", .strict = "0 PB11\n", .lenient = "0 sync type=? args=1 PB11\n9 end\n10 end\n" },
	{ .hex = "5f 01 00 00 00 00 00 00 00 c0", .strict = "0 PB11\n", .lenient = "0 sync type=? args=1 PB11\n9 end\n10 end\n" },
	/* PB12 */
	{ .hex = "00 60 c0", .strict = "0 memory\n1 PB12\n" },
	{ .hex = "6a", .strict = "0 PB12\n" },
	{ .hex = "7f", .strict = "0 PB12\n", .detail = { [3] = 0x80 } },
	/* PB13 */
	{ .hex = "63 02 61 00 62 c0", .strict = "0 context type=function enter name=a PB13\n5 end\n6 end\n" },
	{ .hex = "63 01 61 ff c0", .strict = "0 context type=function enter name=a\xff PB13\n4 end\n5 end\n" },
	/* PB14 */
	{ .hex = "", .strict = "0 PB14\n0 end\n" },
	{ .hex = "00", .strict = "0 memory\n1 PB14\n1 end\n" },
	{ .hex = "00 c0", .strict = "0 memory\n1 end\n2 end\n" },
	{ .hex = "00 c0 00 00 20", .strict = "0 memory\n1 end\n4 compute\n5 PB14\n5 end\n", .buffer_size = 4 },
	{ .hex = "00 00 00 00", .strict = "0 memory\n1 memory\n2 memory\n3 memory\n4 PB14\n4 end\n", .buffer_size = 4 },
	/* PB15 */
	{ .hex = "c0 00", .strict = "0 end\n1 PB15\n", .lenient = "0 end\n1 PB15\n2 end\n" },
	{ .hex = "00 c0 00 00 00", .strict = "0 memory\n1 end\n2 PB15\n", .lenient = "0 memory\n1 end\n2 PB15\n5 end\n" },
	{ .hex = "c0 c0", .strict = "0 end\n1 PB15\n", .lenient = "0 end\n1 PB15\n2 end\n" },
	{ .hex = "c0 00 00 00", .strict = "0 end\n4 end\n", .buffer_size = 4 },
	/* PB16 */
	{ .hex = "00 00 00 a0 00 c0", .strict = "0 memory\n1 memory\n2 memory\n3 PB16\n", .buffer_size = 4 },
	{ .hex = "00 00 00 a0", .strict = "0 memory\n1 memory\n2 memory\n3 PB16\n", .buffer_size = 4 },
	{ .hex = "00 63 05 61 62 63 64 65 66", .strict = "0 memory\n1 PB16\n", .buffer_size = 4 },
	{ .hex = "00 00 a0 00 c0", .strict = "0 memory\n1 memory\n2 config memory 00 to 00\n4 end\n5 end\n", .buffer_size = 4 },
	{ .hex = "a0", .strict = "0 PB16\n", .buffer_size = 1 },
	/* PB17 */
	{ .hex = "08 10 07 1f c0", .strict = "0 memory PB17\n1 memory PB17\n2 memory PB17\n3 memory PB17\n4 end\n5 end\n" },
	{ .hex = "0b c0", .strict = "0 memory type=load PB17\n1 end\n2 end\n", .detail = { 0x80 } },
	{ .hex = "0b c0", .strict = "0 memory bytes=8 PB17\n1 end\n2 end\n", .detail = { 0x40 } },
	{ .hex = "28 27 3f c0", .strict = "0 compute PB17\n1 compute PB17\n2 compute PB17\n3 end\n4 end\n" },
	{ .hex = "20 05 c0", .strict = "0 compute op=add PB17\n2 end\n3 end\n", .detail = { 0, 0x20 }, .packed = true },
	{ .hex = "20 05 09 08 c0", .strict = "0 compute arity=2 ids=9,8 PB17\n4 end\n5 end\n", .detail = { 0, 0x18 }, .packed = true },
	{ .hex = "46 c0", .strict = "0 sync PB17\n1 end\n2 end\n", .detail = { 0, 0, 0x40 } },
	{ .hex = "7f c0", .strict = "0 context PB17\n1 end\n2 end\n", .detail = { [3] = 0x40 } },
	{ .hex = "c1", .strict = "0 end PB17\n1 end\n" },
	/* Several at once. */
	{ .hex = "bb 00 a3 0f c0", .strict = "0 PB04\n", .lenient = "0 config config 00 to 00 PB04 PB05\n2 config memory 00 to 00 PB05 PB06\n4 end\n5 end\n" },
	{ .hex = "3b 1c c0", .strict = "0 PB08\n", .lenient = "0 compute format=undefined op=? PB08 PB09 PB17\n2 end\n3 end\n", .detail = { 0, 0xa0 }, .packed = true },
};

static void
test_codes(void)
{
	uint32_t seen = 0;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		for (int lenient = 0; lenient < 2; lenient++) {
			struct prism_settings settings = {
				.layout = codes[i].packed ? PRISM_PACKED : PRISM_WIDE,
				.control_flow = codes[i].control_flow,
				.lenient = lenient,
				.has_detail = true,
			};
			for (int kind = 0; kind < PRISM_KINDS; kind++)
				settings.detail[kind] = codes[i].detail[kind] || kind < PRISM_SYNC || kind == PRISM_CF ? codes[i].detail[kind] : 0xc0;
			const char *want = lenient && codes[i].lenient ? codes[i].lenient : codes[i].strict;
			check_hex(codes[i].hex, &settings, codes[i].buffer_size, want);
			for (int code = PRISM_PB01; code <= PRISM_PB17; code++)
				if (strstr(want, prism_code_name(code)))
					seen |= 1U << code;
		}
	}
	CHECK(seen == (1U << (PRISM_PB17 + 1)) - (1U << PRISM_PB01));
}

/* ---- Buffers. ---- */

static void
test_buffers(void)
{
	/* A level of detail is in force in the next buffer too; what is behind an End is nothing. */
	static const char hex[] = "a0 d0 0a 03 c0 ff ff ff   13 ff c0 e0 00 45 60 81   a0 00 00 a4 80 28 c0 aa   c0";
	check_hex(hex, &(struct prism_settings){ 0 }, 8,
		"0 config memory 00 to d0\n"
		"2 memory type=load bytes=4 id=3\n"
		"4 end\n"
		"8 memory type=store bytes=8 id=ff\n"
		"10 end\n"
		"16 config memory d0 to 00\n"
		"18 memory\n"
		"19 config compute 00 to 80\n"
		"21 compute format=integer\n"
		"22 end\n"
		"24 end\n"
		"25 end\n");
	/* A buffer may be full without an End. */
	check_hex("a0 80 08 08 10 c0", &(struct prism_settings){ 0 }, 4,
		"0 config memory 00 to 80\n2 memory type=load\n3 memory type=load\n4 memory type=store\n5 end\n6 end\n");
	/* And as large as nothing that is there. */
	check_hex("00 c0 00", &(struct prism_settings){ 0 }, UINT64_MAX, "0 memory\n1 end\n3 end\n");
	check_hex("00 00", &(struct prism_settings){ 0 }, 1, "0 memory\n1 memory\n2 PB14\n2 end\n");
}

/* Two streams at the same time have each its own level of detail. */
static void
test_two(void)
{
	static const char *const hex[2] = { "a0 f0 a4 f8 0a 78 56 34 12 fd 7f 00 03 2a 01 40 01 02 c0", "a0 80 08 a4 c0 2a a8 80 46 c0" };
	static const char *const want[2] = {
		"0 config memory 00 to f0\n2 config compute 00 to f8\n4 memory type=load bytes=4 addr=7ffd12345678 id=3\n"
		"13 compute format=integer bytes=4 op=add arity=2 ids=1,2\n18 end\n",
		"0 config memory 00 to 80\n2 memory type=load\n3 config compute 00 to c0\n5 compute format=integer bytes=4\n"
		"6 config sync c0 to 80\n8 sync type=lock\n9 end\n",
	};
	static char text[2][TEXT];
	uint8_t bytes[2][64];
	struct reader s[2] = { 0 };
	char *out[2] = { text[0], text[1] };
	int left = 2;
	for (int i = 0; i < 2; i++) {
		s[i].bytes = bytes[i];
		s[i].n = prismkit_hex(bytes[i], sizeof(bytes[i]), hex[i]);
		prismread_begin(&s[i].r, NULL, 0);
	}
	while (left) {
		for (int i = 0; i < 2; i++) {
			if (s[i].r.ended)
				continue;
			int rc = step(&s[i], s[i].n - s[i].used, true, &out[i]);
			CHECK(rc >= 0);
			left -= rc == 0;
		}
	}
	CHECK(strcmp(text[0], want[0]) == 0 && strcmp(text[1], want[1]) == 0);
}

/* ---- By chance: events in buffers, as they were written. ---- */

static void
test_random(uint64_t *seed)
{
	static char want[TEXT * 8], have[TEXT * 8];
	uint8_t bytes[PRISMKIT_ROOM];
	struct prism_settings settings = prismkit_settings(seed);
	size_t buffer = kit_below(seed, 4) ? 300 + kit_below(seed, 1000) : 0;
	size_t most = kit_below(seed, sizeof(bytes) - 300);
	struct prism_state writer;
	char *p = want;
	size_t n = 0;
	prism_begin(&writer, &settings);
	while (n < most) {
		struct prism_state before = writer;
		struct prism_event ev, shown;
		size_t room = buffer ? buffer - n % buffer : sizeof(bytes) - n;
		prismkit_random(seed, &writer, &ev);
		if (ev.kind == PRISM_END && buffer == 0)
			continue;
		prismkit_shown(&writer, &ev, &shown);
		if (room > sizeof(bytes) - n)
			room = sizeof(bytes) - n;
		ssize_t size = prism_encode(bytes + n, room, &writer, &ev);
		if (size == 0 && buffer) {
			/* It is for the next buffer. */
			writer = before;
			ev.kind = shown.kind = PRISM_END;
			size = prism_encode(bytes + n, room, &writer, &ev);
		}
		CHECK(size > 0);
		p += sprintf(p, "%zu ", n);
		prismkit_text(p, &shown);
		p += strlen(p);
		*p++ = '\n';
		*p = '\0';
		n += (size_t)size;
		for (; buffer && ev.kind == PRISM_END && n % buffer && n < sizeof(bytes); n++)
			bytes[n] = (uint8_t)kit_random(seed);
	}
	bool closed = n == 0 ? false : strcmp(p - 5, " end\n") == 0;
	if (!closed)
		p += sprintf(p, "%zu PB14\n", n);
	(void)sprintf(p, "%zu end\n", n);
	for (int how = WHOLE; how < PIECES; how++) {
		read_all(have, bytes, n, &settings, buffer, (enum pieces)how, seed);
		if (strcmp(have, want) != 0) {
			(void)fprintf(stderr, "pieces %d, buffers of %zu:\n%s  wanted\n%s", how, buffer, have, want);
			exit(1);
		}
	}
}

int
main(int argc, char **argv)
{
	uint64_t seed = kit_seed(argc, argv);
	test_worked();
	test_upstream();
	test_codes();
	test_buffers();
	test_two();
	double until = kit_now() + 2.0 / check_share();
	for (int i = 0; i < 50 || (i < 1000 && kit_now() < until); i++)
		test_random(&seed);
	return 0;
}
