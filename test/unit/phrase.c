/* SPDX-License-Identifier: MIT */
#include "look/phrase.h"

#include "kit.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static struct arena arena;
static struct wbuf out;

/* What has been put, as text. */
static const char *
text(void)
{
	out.data[out.used] = 0;
	out.used = 0;
	return out.data;
}

static const char *
say(const char *signature, const char *words, const void *payload, size_t size)
{
	struct sig *sig = arena_new(&arena, struct sig, 1);
	struct phrase ph;
	const char *why;
	CHECK(sig_parse(signature, sig, &why) == 0);
	CHECK(phrase_compile(&ph, &arena, words, sig, &why) == 0);
	phrase_put(&out, TEXT_PLAIN, &ph, payload, size);
	return text();
}

static bool
says(const char *want, const char *signature, const char *words, const char *payload, size_t size)
{
	const char *got = say(signature, words, payload, size);
	if (strcmp(got, want) == 0)
		return true;
	(void)fprintf(stderr, "'%s' instead of '%s'\n", got, want);
	return false;
}

/* The examples of the peer's mini-language. */
static void
examples(void)
{
	CHECK(says("goes to sleep", "XHp", "goes to sleep", "", 0));
	CHECK(says("moves 2 to CPU 1", "XAr(i32 cpu, i32 tid)", "moves %{tid} to CPU %{cpu}", "\1\0\0\0\2\0\0\0", 8));
	CHECK(says("on 3, tag 0x7f9239c6b6c0", "XHC(i32 cpu, u64 tag)", "on %{cpu}, tag %#llx{tag}",
		"\3\0\0\0\xc0\xb6\xc6\x39\x92\x7f\0\0", 12));
	CHECK(says("type 100 \"testtype100\"", "XYc+(u32 id, str label)", "type %{id} \"%{label}\"",
		"\x10\0\0\0\x64\0\0\0testtype100\0", 20));
	CHECK(says("100% 255 -2 403", "Xab(u8 a, i8 b, u16 c)", "100%% %{a} %{b} %x{c}", "\xff\xfe\3\4", 4));
	CHECK(says("  255|255  |0xff", "Xab(u8 a)", "%5d{a}|%-5d{a}|%#x{a}", "\xff", 1));
}

/* Extremes of all types. */
static void
types(void)
{
	const char *ones = "\xff\xff\xff\xff\xff\xff\xff\xff";
	const char *top = "\0\0\0\0\0\0\0\x80";
	CHECK(says("255 -1", "Xab(u8 a, i8 b)", "%{a} %{b}", ones, 2));
	CHECK(says("65535 -1", "Xab(u16 a, i16 b)", "%{a} %{b}", ones, 4));
	CHECK(says("4294967295 -1", "Xab(u32 a, i32 b)", "%{a} %{b}", ones, 8));
	CHECK(says("18446744073709551615", "Xab(u64 a)", "%{a}", ones, 8));
	CHECK(says("-1", "Xab(i64 a)", "%{a}", ones, 8));
	CHECK(says("-9223372036854775808", "Xab(i64 a)", "%{a}", top, 8));
	CHECK(says("9223372036854775808", "Xab(u64 a)", "%{a}", top, 8));
	CHECK(says("ff ffff", "Xab(i8 a, i16 b)", "%x{a} %x{b}", ones, 3));
	CHECK(says("A", "Xab(u8 a)", "%c{a}", "A", 1));
	CHECK(says("\\x1b", "Xab(u8 a)", "%c{a}", "\x1b", 1));
	CHECK(says("a\\x1bb", "Xab(str s)", "%{s}", "a\x1b"
						    "b\0",
		4));
}

/* What the payload does not have is not read. */
static void
missing(void)
{
	CHECK(says("? ?", "Xab(u8 a, u8 b)", "%{a} %{b}", NULL, 0));
	CHECK(says("7 ?", "Xab(u8 a, u64 b)", "%{a} %{b}", "\7\0\0\0\0\0\0\0", 8));
	CHECK(says("7", "Xab(u8 a)", "%{a}", "\7\1\1", 3));
	CHECK(says("?", "Xab(str a)", "%{a}", "abc", 3));
	CHECK(says("?", "Xab(str a)", "%{a}", "", 0));
	CHECK(says("", "Xab(str a)", "%{a}", "\0", 1));
}

/* Numbers as printf() prints them. */
static void
like_printf(uint64_t seed)
{
	static const char *const flags[] = { "", "-", "0", "#", "+", " ", "-#", "0#", "+0", "-+", " 0", "#-0" };
	static const char conversions[] = { 'd', 'i', 'u', 'x', 'X', 'o' };
	for (int i = 0; i < 20000; i++) {
		char format[32];
		char words[48];
		char want[600];
		const char *f = flags[kit_below(&seed, sizeof(flags) / sizeof(flags[0]))];
		int width = kit_below(&seed, 2) ? (int)kit_below(&seed, 40) : 0;
		char precision[8] = "";
		if (kit_below(&seed, 3) == 0)
			(void)snprintf(precision, sizeof(precision), ".%d", (int)kit_below(&seed, 30));
		char w[8] = "";
		if (width)
			(void)snprintf(w, sizeof(w), "%d", width);
		char c = conversions[kit_below(&seed, sizeof(conversions))];
		(void)snprintf(format, sizeof(format), "%%%s%s%sll%c", f, w, precision, c);
		(void)snprintf(words, sizeof(words), "%s{a}", format);
		uint64_t v = kit_random(&seed) >> kit_below(&seed, 64);
		v = kit_below(&seed, 10) ? v : 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		(void)snprintf(want, sizeof(want), format, (long long)v);
#pragma GCC diagnostic pop
		char payload[8];
		memcpy(payload, &v, sizeof(v));
		const char *got = say(c == 'd' || c == 'i' ? "Xab(i64 a)" : "Xab(u64 a)", words, payload, 8);
		if (strcmp(got, want) != 0) {
			(void)fprintf(stderr, "%s of %" PRIu64 ": '%s' instead of '%s'\n", format, v, got, want);
			exit(1);
		}
		arena_finish(&arena);
	}
}

static void
bad(void)
{
	static const char *const words[] = { "%", "%{", "%{a", "%{}", "%{b}", "%y{a}", "%n{a}", "%s{a}", "%d", "a%", "%5", "%d{a",
		"%999d{a}", "%.999d{a}", "%*d{a}", "%x{s}", "%c{s}" };
	struct sig sig;
	struct phrase ph;
	const char *why;
	CHECK(sig_parse("Xab(u8 a, str s)", &sig, &why) == 0);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		why = NULL;
		int rc = phrase_compile(&ph, &arena, words[i], &sig, &why);
		if (rc != -1)
			(void)fprintf(stderr, "'%s' is taken\n", words[i]);
		CHECK(rc == -1);
		CHECK(why && *why);
	}
}

int
main(int argc, char **argv)
{
	CHECK(wbuf_attach(&out, dup(STDERR_FILENO), "stderr") == 0);
	examples();
	types();
	missing();
	bad();
	like_printf(kit_seed(argc, argv));
	out.used = 0;
	CHECK(wbuf_close(&out) == 0);
	arena_finish(&arena);
	return 0;
}
