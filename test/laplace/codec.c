/* SPDX-License-Identifier: MIT */
/* codec: records to bytes and back, in all forms. */
#include "kit.h"
#include "laplace/kernel.h"
#include "laplace/read.h"
#include "laplace/ref.h"

#include <inttypes.h>
#include <string.h>

/* ---- Hexadecimal numbers. ---- */

static void
test_hex(uint64_t *seed)
{
	char want[64], have[64];
	for (int i = 0; i < 200000; i++) {
		uint64_t v = kit_random(seed) >> kit_below(seed, 64);
		if (i < 1000)
			v = (uint64_t)i << i % 60;
		(void)snprintf(want, sizeof(want), "%" PRIx64, v);
		memset(have, '#', sizeof(have));
		*hex_put64(have, v) = 0;
		CHECK(strcmp(want, have) == 0);

		uint32_t a = (uint32_t)v, b = (uint32_t)(kit_random(seed) >> kit_below(seed, 64));
		(void)snprintf(want, sizeof(want), "%" PRIx32 " %" PRIx32, a, b);
		*hex_put_two(have, a, ' ', b) = 0;
		CHECK(strcmp(want, have) == 0);

		(void)snprintf(want, sizeof(want), i % 2 ? "%08" PRIx32 : "%08" PRIX32, a);
		CHECK(hex_load(want) == 0 || hex_count(hex_load(want)) == 8);
		CHECK(hex_value(hex_load(want), 8) == a);
		CHECK(i % 2 == 0 || hex_digits(a) == hex_load(want));
		for (unsigned n = 1; n < 8; n++)
			CHECK(hex_value(hex_load(want), n) == a >> (32 - 4 * n));
	}
	/* Each byte at each place: a digit or not. */
	for (unsigned at = 0; at < 8; at++) {
		for (unsigned c = 0; c < 256; c++) {
			char text[8] = { '0', '9', 'a', 'f', 'A', 'F', '5', 'e' };
			text[at] = (char)c;
			CHECK(hex_count(hex_load(text)) == (lapref_hex[c] < 16 ? 8 : at));
		}
	}
	for (unsigned c = 0; c < 256; c++) {
		char text[2] = { (char)c, 0 };
		bool digit = c && strchr("0123456789abcdefABCDEF", (int)c);
		CHECK((lapref_hex[c] < 16) == digit);
		CHECK(!digit || lapref_hex[c] == strtoul(text, NULL, 16));
		(void)snprintf(want, sizeof(want), "%x", c);
		CHECK(memcmp(lapref_lengths[c], want, lapref_lengths[c][3]) == 0 && lapref_lengths[c][3] == strlen(want));
	}
}

/* ---- References. ---- */

/* The examples of the specification. */
static const struct {
	const char *text;
	const char *little;
	const char *big;
} samples[] = {
	{ "r 123456789abcdef0 4 9f8e7 9a8b7c6d", "72f0debc9a7856341204e7f809006d7c8b9a", "72123456789abcdef0040009f8e79a8b7c6d" },
	{ "w 0 1 0 0", "770000000000000000010000000000000000", "770000000000000000010000000000000000" },
	{ "i ffffffffffffffff f ffffffff fffffff1", "69ffffffffffffffff0ffffffffff1ffffff", "69ffffffffffffffff0ffffffffffffffff1" },
	{ "i 1030 4 9f8e7 8048000", "69301000000000000004e7f8090000800408", "690000000000001030040009f8e708048000" },
	{ "W 1032 10 1a 804a010", "573210000000000000101a00000010a00408", "570000000000001032100000001a0804a010" },
};

static void
unhex(const char *text, uint8_t *bytes)
{
	for (size_t i = 0; i < LAP_RECORD_SIZE; i++)
		bytes[i] = (uint8_t)(lapref_hex[(uint8_t)text[2 * i]] << 4 | lapref_hex[(uint8_t)text[2 * i + 1]]);
}

static void
test_samples(void)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (int big = 0; big < 2; big++) {
			uint8_t want[LAP_RECORD_SIZE], have[LAP_RECORD_SIZE];
			char line[LAPREF_ROOM] = { 0 };
			struct lap_record rec = { 0 }, back = { 0 };
			uint64_t last;
			unhex(big ? samples[i].big : samples[i].little, want);
			lapref_decode(want, big ? LAP_BIG : LAP_LITTLE, &rec);
			char *end = lapref_put_line(line, &rec);
			CHECK(end[-1] == '\n' && end - line <= LAP_REF_LINE);
			CHECK((size_t)(end - line - 1) == strlen(samples[i].text));
			CHECK(memcmp(line, samples[i].text, strlen(samples[i].text)) == 0);
			CHECK(lapref_scan((const uint8_t *)line, &back) == (unsigned)(end - line));
			CHECK(lapref_parse(line, (size_t)(end - line - 1), 8, &rec, &last) == 0);
			CHECK(last == back.addr && rec.ts == back.ts && rec.space == back.space && rec.length == back.length);
			lapref_encode(have, big ? LAP_BIG : LAP_LITTLE, &back);
			CHECK(memcmp(have, want, sizeof(want)) == 0);
		}
	}
}

/* What is accepted beside the writer's form, and what is not: code, line. */
static void
test_lines(void)
{
	static const struct {
		int code;
		const char *line;
	} cases[] = {
		{ 0, "r 1F 4 9F8E7 9A8B7C6D" },
		{ 0, "r\t1  4 \t 2 3 \t" },
		{ 0, "r 0000000000000001 04 00000002 00000003" },
		{ LAP_LT03, "r 00000000000000001 4 2 3" },
		{ LAP_LT03, "r 1 004 2 3" },
		{ LAP_LT03, "r 1 4 000000002 3" },
		{ LAP_LT03, "r 1 4 2 000000003" },
		{ LAP_LT02, "r 0x1 4 2 3" },
		{ LAP_LT02, "r 1 4 2 +3" },
		{ LAP_LT02, "r -1 4 2 3" },
		{ LAP_LT02, "r 1 g 2 3" },
		{ LAP_LT02, " r 1 4 2 3" },
		{ LAP_LT01, "r 1 4 2" },
		{ LAP_LT01, "r 1 4 2 3 4" },
		{ LAP_LT01, "r" },
		{ LAP_LT04, "rr 1 4 2 3" },
		{ LAP_LT04, "r1 4 2 3" },
		{ LAP_LR02, "x 1 4 2 3" },
		{ LAP_LR02, "F 1 4 2" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lap_record rec;
		uint64_t last;
		int code = lapref_parse(cases[i].line, strlen(cases[i].line), 8, &rec, &last);
		if (code != cases[i].code)
			(void)fprintf(stderr, "%s: %s\n", cases[i].line, lap_code(code)->name);
		CHECK(code == cases[i].code);
		/* The fast way says the same or nothing. */
		uint8_t text[128] = { 0 };
		memcpy(text, cases[i].line, strlen(cases[i].line));
		text[strlen(cases[i].line)] = '\n';
		struct lap_record fast;
		if (lap_kinds[text[0]] && lapref_scan(text, &fast)) {
			CHECK(code == 0 && fast.ts == rec.ts && fast.addr == last);
			CHECK(fast.space == rec.space && fast.length == rec.length);
		}
	}
}

/* A line with a few bytes changed: the fast way and the other agree. */
static void
test_scan(uint64_t *seed)
{
	for (int i = 0; i < 200000; i++) {
		uint8_t text[128] = { 0 };
		struct lap_record rec = { .kind = (uint8_t) "rwiRWI"[kit_below(seed, 6)] };
		struct lap_record slow = { 0 };
		uint64_t last = 0;
		rec.ts = kit_random(seed) >> kit_below(seed, 64);
		rec.length = (uint8_t)kit_random(seed);
		rec.space = (uint32_t)(kit_random(seed) >> kit_below(seed, 64));
		rec.addr = (uint32_t)(kit_random(seed) >> kit_below(seed, 64));
		size_t n = (size_t)(lapref_put_line((char *)text, &rec) - (char *)text);
		memset(text + n, 0, sizeof(text) - n);
		for (uint64_t k = kit_below(seed, 3); k > 0; k--)
			text[1 + kit_below(seed, n - 1)] = (uint8_t) "0fF  \t\n\rgx"[kit_below(seed, 10)];
		const uint8_t *nl = memchr(text, '\n', n);
		unsigned taken = lapref_scan(text, &rec);
		int code = nl ? lapref_parse((char *)text, (size_t)(nl - text), 8, &slow, &last) : -1;
		if (taken) {
			CHECK(code == 0 && taken == (unsigned)(nl - text) + 1);
			CHECK(slow.kind == rec.kind && slow.ts == rec.ts && slow.length == rec.length);
			CHECK(slow.space == rec.space && last == rec.addr);
		}
	}
}

/* ---- Kernel events. ---- */

static void
test_catalogue(void)
{
	unsigned tags = 0;
	for (unsigned i = 0; i < LAP_TAGS; i++) {
		const struct lap_tag *t = &lap_tags[i];
		CHECK(t->code == i + 1 && lap_tag_codes[t->tag] == t->code && *t->name && *t->text);
		CHECK(!lap_kinds[t->tag] && t->tag != '!' && t->tag != '#');
		for (unsigned k = 0; t->fields[k]; k++) {
			CHECK(k + 1 < LAPKERNEL_FIELDS && t->fields[k] < LAP_FIELDS && lap_fields[t->fields[k]].name);
			CHECK(t->fields[k] != LAP_NAME || !t->fields[k + 1]);
		}
		/* Whom the first field names. */
		CHECK((t->owner == LAP_OWNER_RUNNING) == (t->fields[0] != LAP_PID));
	}
	for (unsigned c = 0; c < 256; c++)
		tags += lap_tag_codes[c] != 0;
	CHECK(tags == LAP_TAGS);
}

/* The records that the pages of Laplace print. */
static void
test_printed(void)
{
	static const char fork[] = "F 123456789abcdef7 100 77";
	static const char map[] = "M 123456789abcdefe 100 1a2b3c4d 9000 8efa5567 35 5 1029384756afbecd foobar.so";
	struct lap_event ev;
	CHECK(lapkernel_parse(fork, strlen(fork), LAP_LAPLACE, &ev) == 0);
	CHECK(ev.tag == 'F' && ev.code == 2 && ev.ts == 0x123456789abcdef7);
	CHECK(ev.arg[LAP_PID] == 0x100 && ev.arg[LAP_PARENT] == 0x77 && !ev.name);
	CHECK(lapkernel_parse(map, strlen(map), LAP_LAPLACE, &ev) == 0);
	CHECK(ev.tag == 'M' && ev.code == 7 && ev.ts == 0x123456789abcdefe);
	CHECK(ev.arg[LAP_PID] == 0x100 && ev.arg[LAP_ADDRESS] == 0x1a2b3c4d && ev.arg[LAP_LENGTH] == 0x9000);
	CHECK(ev.arg[LAP_INODE] == 0x8efa5567 && ev.arg[LAP_MAJOR] == 0x35 && ev.arg[LAP_MINOR] == 5);
	CHECK(ev.arg[LAP_OFFSET] == 0x1029384756afbecd);
	CHECK(ev.name_len == 9 && memcmp(ev.name, "foobar.so", 9) == 0);
}

static void
test_dialects(void)
{
	static const struct {
		enum lap_dialect dialect;
		const char *line;
	} lines[] = {
		{ LAP_LAPLACE, "T 5 77" },
		{ LAP_LAPLACE, "e 5" },
		{ LAP_LAPLACE, "( 5 77 1 2 3 a file with blanks" },
		{ LAP_LAPLACE, "@ 5 77 1000 2000 3000 1000" },
		{ LAP_LAPLACE, "t 5 1 2 3 0" },
		{ LAP_LAPLACE, "& 5 77 1 2 3" },
		{ LAP_KVMTRACE_04, "T 5 9 77 a b" },
		{ LAP_KVMTRACE_04, "e 5 9" },
		{ LAP_KVMTRACE_04, "M 5 9 77 1000 1 2 3 4 0 n" },
		{ LAP_KVMTRACE_05, "M 5 9 77 1000 1 2 3 4 0 f n" },
		{ LAP_KVMTRACE_05, "( 5 9 77 1 2 3 800 s n" },
		{ LAP_KVMTRACE_05, "X 5 9 77 1 2 3 n" },
		{ LAP_KVMTRACE_06, "M 5 9 77 7fffffffe000 1 ffffffffffffffff 801 0 d n" },
		{ LAP_KVMTRACE_06, ") 5 9 77 1 801" },
		{ LAP_KVMTRACE_06, "- 5 9 1 801" },
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct lap_event ev;
		char text[LAPKERNEL_ROOM];
		size_t n = strlen(lines[i].line);
		int code = lapkernel_parse(lines[i].line, n, lines[i].dialect, &ev);
		if (code)
			(void)fprintf(stderr, "%s: %s\n", lines[i].line, lap_code(code)->name);
		CHECK(code == 0);
		CHECK(lapkernel_format(text, lines[i].dialect, &ev) == (int)n + 1);
		CHECK(memcmp(text, lines[i].line, n) == 0 && text[n] == '\n');
	}
}

static void
test_bad_events(void)
{
	static const struct {
		int code;
		const char *line;
	} cases[] = {
		{ LAP_LK01, "! 1" },
		{ LAP_LK01, "Z 1 2" },
		{ LAP_LT04, "SS 1 2" },
		{ LAP_LT01, "S" },
		{ LAP_LT01, "S 1" },
		{ LAP_LT01, "S 1 2 3" },
		{ LAP_LT01, "M 1 2 3 4 5 6 7" },
		{ LAP_LT01, "e 1 2" },
		{ LAP_LT02, "S 0x1 2" },
		{ LAP_LT02, "S 1 -2" },
		{ LAP_LT03, "S 1 123456789" },
		{ LAP_LT03, "S 12345678901234567 1" },
		{ LAP_LT03, "m 1 1 123456789 1" },
		{ LAP_LK02, "X 1 2 3 4 5" },
		{ LAP_LK02, "X 1 2 3 4 5   " },
		{ LAP_LK03, "m 1 2 1000 0" },
		{ LAP_LK03, "m 1 2 fffff000 1001" },
		{ 0, "m 1 2 fffff000 1000" },
		{ LAP_LK03, "D 1 2 3 4000 4000" },
		{ LAP_LK03, "D 1 2 3 4000 3000" },
		{ LAP_LK03, "@ 1 2 1000 1000 2000 0" },
		{ LAP_LK03, "< 1 2 3 4 5 0 0" },
		{ LAP_LK03, "> 1 2 3 4 5 ffffffffffffffff 2" },
		{ 0, "> 1 2 3 4 5 ffffffffffffffff 1" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lap_event ev;
		int code = lapkernel_parse(cases[i].line, strlen(cases[i].line), LAP_LAPLACE, &ev);
		if (code != cases[i].code)
			(void)fprintf(stderr, "%s: %s\n", cases[i].line, lap_code(code)->name);
		CHECK(code == cases[i].code);
	}
	/* What would not be read as it was. */
	static const char *const names[] = { "", " a", "\ta", "a\nb", "a\r" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct lap_event ev = { .tag = 'X', .code = 3, .name = names[i], .name_len = strlen(names[i]) };
		char text[LAPKERNEL_ROOM];
		CHECK(lapkernel_format(text, LAP_LAPLACE, &ev) == -LAP_LK02);
	}
}

/* Names of any length: 4095 bytes are whole. */
static void
test_long_names(void)
{
	for (int n = LAP_NAME_MAX - 1; n <= LAP_NAME_MAX + 1; n++) {
		static char line[LAP_LINE_MAX], text[LAPKERNEL_ROOM];
		struct lap_event ev;
		int k = snprintf(line, sizeof(line), "( ffffffffffffffff ffffffff ffffffff ffffffff ffffffff ");
		memset(line + k, 'n', (size_t)n);
		int code = lapkernel_parse(line, (size_t)(k + n), LAP_LAPLACE, &ev);
		CHECK(code == (n > LAP_NAME_MAX ? LAP_LK02 : 0));
		CHECK(ev.name_len == (size_t)(n > LAP_NAME_MAX ? LAP_NAME_MAX : n));
		CHECK(lapkernel_format(text, LAP_LAPLACE, &ev) == k + (int)ev.name_len + 1);
	}
}

/* ---- What a file is. ---- */

static void
test_probe(void)
{
	static const struct {
		enum lap_format format;
		const char *bytes;
		uint64_t size;
	} cases[] = {
		{ LAP_MIXED, "r 1 4 2 3\n", 10 },
		{ LAP_MIXED, "# a comment\r\n\nr rubbish", 24 },
		{ LAP_MIXED, "S 1 77\nr 1 4 2 3", 18 },
		{ LAP_MIXED, "", 0 },
		{ LAP_BINARY, "r\1\2\3", 36 },
		{ LAP_AUTO, "r\1\2\3", 37 },
		{ LAP_BINARY, "r\1\2\3", 0 },
		{ LAP_AUTO, "x\1\2\3", 36 },
		{ LAP_AUTO, "r 1 4 2 3\nhello world\n", 22 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK(lapprobe_bytes((const uint8_t *)cases[i].bytes, strlen(cases[i].bytes), cases[i].size, LAP_LAPLACE) == cases[i].format);
	CHECK(lapprobe_name("a/b.lrb", 7) == LAP_BINARY && lapprobe_name(".lbm", 4) == LAP_BASIC && lapprobe_name("lrb", 3) == LAP_AUTO);
}

int
main(int argc, char **argv)
{
	uint64_t seed = kit_seed(argc, argv);
	test_hex(&seed);
	test_samples();
	test_lines();
	test_scan(&seed);
	test_catalogue();
	test_printed();
	test_dialects();
	test_bad_events();
	test_long_names();
	test_probe();
	return 0;
}
