/* SPDX-License-Identifier: MIT */
#include "jsonout.h"

#include "check.h"

#include <unistd.h>

static struct wbuf out;

/* What was put since the last call. */
static const char *
text(void)
{
	static char buf[4096];
	memcpy(buf, out.data, out.used);
	buf[out.used] = 0;
	out.used = 0;
	return buf;
}

static void
forms(void)
{
	static const struct {
		enum text_form form;
		const char *in;
		const char *want;
	} cases[] = {
		{ TEXT_PLAIN, "plain ~", "plain ~" },
		{ TEXT_PLAIN, "a\"b\\c", "a\"b\\c" },
		{ TEXT_CSV, "a\"b\\c", "a\"\"b\\c" },
		{ TEXT_JSON_BYTES, "a\"b\\c", "a\\\"b\\\\c" },
		{ TEXT_PLAIN, "\n\t\x7f", "\\x0a\\x09\\x7f" },
		{ TEXT_JSON_BYTES, "\n\t\x7f", "\\u000a\\u0009\\u007f" },
		{ TEXT_PLAIN, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ TEXT_PLAIN, "\xff\xc3", "\\xff\\xc3" },
		{ TEXT_JSON_BYTES, "\xff", "\\\\xff" },
		{ TEXT_PLAIN, "\xc0\x80", "\\xc0\\x80" },                   /* longer than need be */
		{ TEXT_PLAIN, "\xe0\x80\x80", "\\xe0\\x80\\x80" },          /* the same */
		{ TEXT_PLAIN, "\xed\xa0\x80", "\\xed\\xa0\\x80" },          /* a surrogate */
		{ TEXT_PLAIN, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" }, /* beyond the last */
		{ TEXT_PLAIN, "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80" },
		{ TEXT_PLAIN, "\xe2\x82", "\\xe2\\x82" },
		{ TEXT_PLAIN, "\x80", "\\x80" },
		{ TEXT_PLAIN, "\xc2\x9b", "\\xc2\\x9b" }, /* begins a sequence */
		{ TEXT_JSON_BYTES, "\xc2\x9b", "\\u009b" },
		{ TEXT_PLAIN, "\xe2\x80\xae", "\\xe2\\x80\\xae" }, /* right to left */
		{ TEXT_WORD, "a\"b\\c\n\xff", "a\\\"b\\\\c\\x0a\\xff" },
		{ TEXT_CELL, "a\"b\\c\n\xff", "a\"\"b\\c\n\xef\xbf\xbd" },
		{ TEXT_SHOWN, "a\"b\\c\n\t\r\x01\xff", "a\"b\\\\c\\n\\t\\r\\x01\\xff" },
		{ TEXT_SHOWN, "\xe2\x80\xae", "\\u{202e}" },
		{ TEXT_QUOTED, "a\"b\\c\n\xff", "a\\\"b\\\\c\\n\\xff" },
		{ TEXT_JSON, "a\"b\\c\n\t\r\xff", "a\\\"b\\\\c\\n\\t\\u000d\xef\xbf\xbd" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_form(&out, cases[i].form, cases[i].in, strlen(cases[i].in));
		CHECK(strcmp(text(), cases[i].want) == 0);
	}
	for (int c = 0; c < 256; c++) {
		put_letter(&out, TEXT_PLAIN, (uint8_t)c);
		size_t n = strlen(text());
		CHECK(n == (c > 0x20 && c < 0x7f ? 1 : 4));
	}
}

static void
csv(void)
{
	put_csv(&out, "a b", 3);
	CHECK(strcmp(text(), "a b") == 0);
	put_csv(&out, "a,\"b", 4);
	CHECK(strcmp(text(), "\"a,\"\"b\"") == 0);
}

static void
write_json(bool spaced)
{
	out.spaced = spaced;
	json_open(&out, NULL, '{');
	json_str(&out, "a", "x\"");
	json_str(&out, "none", NULL);
	json_open(&out, "list", '[');
	json_close(&out, ']');
	json_open(&out, "b", '[');
	json_u64(&out, NULL, UINT64_MAX);
	json_i64(&out, NULL, -1);
	json_open(&out, NULL, '{');
	json_bool(&out, "c", true);
	json_bool(&out, "d", false);
	json_close(&out, '}');
	json_newline(&out);
	json_text(&out, NULL, "a\0b", 3);
	json_close(&out, ']');
	json_key(&out, "share");
	wbuf_printf(&out, "%.1f", 0.5);
	json_printf(&out, "v", "%d.%d", 1, 2);
	json_form(&out, "f", TEXT_JSON_BYTES, "\xff", 1);
	json_end(&out);
	json_open(&out, NULL, '{');
	json_end(&out);
	out.spaced = false;
}

static void
json(void)
{
	write_json(false);
	CHECK(strcmp(text(), "{\"a\":\"x\\\"\",\"none\":null,\"list\":[],\"b\":[18446744073709551615,-1,{\"c\":true,\"d\":false},\n"
			     "\"a\\u0000b\"],\"share\":0.5,\"v\":\"1.2\",\"f\":\"\\\\xff\"}\n{}\n") == 0);
	write_json(true);
	CHECK(strcmp(text(), "{\"a\": \"x\\\"\", \"none\": null, \"list\": [], \"b\": [18446744073709551615, -1, {\"c\": true, \"d\": false},\n"
			     "\"a\\u0000b\"], \"share\": 0.5, \"v\": \"1.2\", \"f\": \"\\\\xff\"}\n{}\n") == 0);
}

int
main(void)
{
	CHECK(wbuf_attach(&out, dup(STDERR_FILENO), "stderr") == 0);
	forms();
	csv();
	json();
	return wbuf_close(&out) < 0;
}
