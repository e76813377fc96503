/* SPDX-License-Identifier: MIT */
#include "sig.h"

#include "check.h"

#include <string.h>

static void
good(void)
{
	struct sig s;
	const char *why;
	CHECK(sig_parse("OHe", &s, &why) == 0);
	CHECK(strcmp(s.mcv, "OHe") == 0 && !s.jumbo && s.size == 0 && s.nargs == 0);

	CHECK(sig_parse("OM[(i64 value, i32 type)", &s, &why) == 0);
	CHECK(strcmp(s.mcv, "OM[") == 0 && s.size == 12 && s.nargs == 2);
	CHECK(s.args[0].type == SIG_I64 && s.args[0].at == 0 && s.args[0].size == 8 && strcmp(s.args[0].name, "value") == 0);
	CHECK(s.args[1].type == SIG_I32 && s.args[1].at == 8 && s.args[1].size == 4 && strcmp(s.args[1].name, "type") == 0);

	/* A jumbo event begins with its count; a string has at least its NUL. */
	CHECK(sig_parse("VYc+(u32 id, str label)", &s, &why) == 0);
	CHECK(s.jumbo && s.size == 9 && s.nargs == 2 && s.args[0].at == 4 && s.args[1].at == 8);
	CHECK(s.args[1].type == SIG_STR && s.args[1].size == 1);
	CHECK(sig_parse("VYc+", &s, &why) == 0 && s.jumbo && s.size == 4 && s.nargs == 0);

	CHECK(sig_parse("ABC(u8 a,u16 b,u32 c,u64 d,i8 e,i16 f,i32 g,i64 h)", &s, &why) == 0);
	CHECK(s.nargs == 8 && s.size == 30 && s.args[7].at == 22);
	CHECK(sig_parse("ABC(  u8   a  )", &s, &why) == 0 && s.nargs == 1 && strcmp(s.args[0].name, "a") == 0);

	/* Most arguments, longest name. */
	CHECK(sig_parse("ABC(u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a)", &s, &why) == 0);
	CHECK(s.nargs == SIG_ARGS_MAX);
	CHECK(sig_parse("ABC(u8 a234567890123456789012345678901)", &s, &why) == 0);
	/* Any letters: a parenthesis is one too. */
	CHECK(sig_parse("((+", &s, &why) == 0 && !s.jumbo);
}

static void
bad(void)
{
	static const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{ "", "an event needs three letters" },
		{ "OH", "an event needs three letters" },
		{ "OHeX", "the arguments need parentheses" },
		{ "OHe ", "the arguments need parentheses" },
		{ "OHe++", "the arguments need parentheses" },
		{ "OHe(", "an argument is a type" },
		{ "OHe()", "an argument is a type" },
		{ "OHe(u8)", "an argument is a type" },
		{ "OHe(u9 x)", "an argument is a type" },
		{ "OHe(u x)", "an argument is a type" },
		{ "OHe(u88 x)", "an argument is a type" },
		{ "OHe(u8 x,)", "an argument is a type" },
		{ "OHe(u8 a2345678901234567890123456789012)", "an argument is a type" },
		{ "OHe(str s, u8 x)", "a string must be the last argument" },
		{ "OHe(str s", "a string must be the last argument" },
		{ "OHe(u8 x", "the arguments end with a ')'" },
		{ "OHe(u8 x y)", "the arguments end with a ')'" },
		{ "OHe(u8 x))", "text behind the arguments" },
		{ "OHe(u8 x) ", "text behind the arguments" },
		{ "ABC(u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a,u8 a)",
			"too many arguments" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sig s;
		const char *why = NULL;
		int rc = sig_parse(cases[i].text, &s, &why);
		if (rc != -1 || !why || strncmp(why, cases[i].why, strlen(cases[i].why)) != 0)
			(void)fprintf(stderr, "signature \"%s\": %d, %s\n", cases[i].text, rc, why ? why : "-");
		CHECK(rc == -1 && why && strncmp(why, cases[i].why, strlen(cases[i].why)) == 0);
	}
}

int
main(void)
{
	good();
	bad();
	return 0;
}
