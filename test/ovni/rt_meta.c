/* SPDX-License-Identifier: MIT */
/* stream.json: what is in it, when, and the attributes a program adds. */
#include <locale.h>
#include "kit.h"

static void
file_is(const char *want)
{
	size_t size;
	uint8_t *got = kit_file("ovni", KIT_PID, 101, "stream.json", &size);
	CHECK(got != NULL);
	if (strcmp((char *)got, want) != 0)
		(void)fprintf(stderr, "got:\n%s\nwanted:\n%s\n", (char *)got, want);
	CHECK(strcmp((char *)got, want) == 0);
	free(got);
}

#define HEAD                                                \
	"{\n"                                               \
	"    \"version\": 3,\n"                             \
	"    \"ovni\": {\n"                                 \
	"        \"lib\": {\n"                              \
	"            \"version\": \"1.14.0\",\n"            \
	"            \"commit\": \"" OVNI_GIT_COMMIT "\"\n" \
	"        },\n"                                      \
	"        \"part\": \"thread\",\n"                   \
	"        \"tid\": 101,\n"                           \
	"        \"pid\": 100,\n"                           \
	"        \"loom\": \"node.1\",\n"                   \
	"        \"app_id\": 1"

#define REQUIRE                              \
	",\n"                                \
	"        \"require\": {\n"           \
	"            \"ovni\": \"1.1.0\",\n" \
	"            \"nosv\": \"2.7.0\"\n"  \
	"        }"

#define LAST                              \
	",\n"                             \
	"        \"rank\": 0,\n"          \
	"        \"nranks\": 2,\n"        \
	"        \"loom_cpus\": [\n"      \
	"            {\n"                 \
	"                \"index\": 0,\n" \
	"                \"phyid\": 4\n"  \
	"            },\n"                \
	"            {\n"                 \
	"                \"index\": 1,\n" \
	"                \"phyid\": 5\n"  \
	"            }\n"                 \
	"        ]"

static void
life(void)
{
	kit_begin(101);
	file_is(HEAD ",\n"
		     "        \"require\": {\n"
		     "            \"ovni\": \"1.1.0\"\n"
		     "        }\n    }\n}");
	ovni_thread_require("nosv", "1.0.0");
	ovni_thread_require("nosv", "2.7.0");
	ovni_proc_set_rank(7, 8);
	ovni_proc_set_rank(0, 2);
	ovni_add_cpu(0, 4);
	ovni_add_cpu(1, 5);
	ovni_attr_flush();
	file_is(HEAD REQUIRE LAST "\n    }\n}");
	kit_end();
	file_is(HEAD REQUIRE LAST ",\n"
				  "        \"finished\": 1\n"
				  "    }\n"
				  "}");
}

/* Other threads need the first CPU, each rank and each type at once; the rest comes with the next
 * event, labels and attributes with the next flush, or when there are as many as the file has. */
static void
early(void)
{
	kit_begin(101);
	ovni_add_cpu(0, 40);
	CHECK(kit_says(101, "\"phyid\": 40\n"));
	ovni_proc_set_rank(3, 4);
	CHECK(kit_says(101, "\"rank\": 3,\n"));
	ovni_mark_type(7, 0, "sevens");
	CHECK(kit_says(101, "\"sevens\""));
	ovni_add_cpu(1, 41);
	CHECK(kit_says(101, "\"phyid\": 41\n"));
	ovni_add_cpu(2, 42);
	CHECK(!kit_says(101, "\"phyid\": 42\n"));
	ovni_thread_require("nosv", "2.7.0");
	CHECK(!kit_says(101, "nosv"));
	kit_emit("OB.", ovni_clock_now());
	CHECK(kit_says(101, "\"phyid\": 42\n") && kit_says(101, "nosv"));
	ovni_mark_label(7, 1, "one of them");
	kit_emit("OB.", ovni_clock_now());
	CHECK(!kit_says(101, "one of them"));
	ovni_flush();
	CHECK(kit_says(101, "one of them"));
	for (int i = 2; i < 40; i++)
		ovni_mark_label(7, i, "many");
	kit_emit("OB.", ovni_clock_now());
	CHECK(kit_says(101, "many") && !kit_says(101, "finished"));
	ovni_attr_set_str("the", "end");
	ovni_proc_fini();
	CHECK(kit_says(101, "\"end\""));
	ovni_thread_free();
}

/* Labels of a large enumeration take linear time, in memory and in files. */
static void
many_labels(void)
{
	char label[32];

	kit_begin(101);
	ovni_mark_type(1, 0, "large");
	for (int64_t i = 1; i <= 200000; i++) {
		(void)snprintf(label, sizeof(label), "label %d", (int)i);
		ovni_mark_label(1, i, label);
		kit_emit("OB.", ovni_clock_now());
	}
	CHECK(kit_says(101, "label 100000\""));
	kit_end();
	CHECK(kit_says(101, "\"200000\": \"label 200000\"\n"));
}

/* The last word on reserved keys is the library's. */
static void
reserved(void)
{
	kit_begin(101);
	ovni_attr_set_str("ovni.finished", "no");
	ovni_attr_set_double("ovni.rank", 5);
	ovni_attr_set_json("ovni.loom_cpus", "[]");
	ovni_attr_set_double("ovni.app_id", 9);
	ovni_proc_set_rank(1, 2);
	ovni_add_cpu(0, 0);
	kit_end();
	CHECK(kit_says(101, "\"finished\": 1\n"));
	CHECK(kit_says(101, "\"rank\": 1,\n"));
	CHECK(kit_says(101, "\"phyid\": 0\n"));
	CHECK(kit_says(101, "\"app_id\": 9,\n"));
}

static void
json_is(const char *key, const char *want)
{
	char *got = ovni_attr_get_json(key);
	CHECK(got != NULL);
	if (strcmp(got, want) != 0)
		(void)fprintf(stderr, "got %s, wanted %s\n", got, want);
	CHECK(strcmp(got, want) == 0);
	free(got);
}

static void
attributes(void)
{
	kit_begin(101);
	CHECK(!ovni_attr_has("a"));
	ovni_attr_set_double("a.b.c", 1.5);
	CHECK(ovni_attr_has("a") && ovni_attr_has("a.b") && ovni_attr_has("a.b.c"));
	CHECK(!ovni_attr_has("a.b.c.d") && !ovni_attr_has("a.B") && !ovni_attr_has("a.b.") && !ovni_attr_has("a.b.cc"));
	CHECK(ovni_attr_get_double("a.b.c") == 1.5);

	/* Any type replaces any other, in its place. */
	ovni_attr_set_boolean("a.x", 7);
	CHECK(ovni_attr_get_boolean("a.x") == 1);
	ovni_attr_set_boolean("a.x", 0);
	CHECK(ovni_attr_get_boolean("a.x") == 0);
	ovni_attr_set_str("a.b", "text");
	CHECK(strcmp(ovni_attr_get_str("a.b"), "text") == 0);
	ovni_attr_set_str("a.b", ovni_attr_get_str("a.b"));
	json_is("a", "{\"b\":\"text\",\"x\":false}");

	/* Empty names are names. */
	ovni_attr_set_double("", 1);
	ovni_attr_set_double("e..f", 2);
	ovni_attr_set_double("e..", 3);
	CHECK(ovni_attr_get_double("") == 1 && ovni_attr_get_double("e..f") == 2);
	json_is("e", "{\"\":{\"f\":2,\"\":3}}");

	/* JSON in, JSON out. */
	ovni_attr_set_json("j", " {\"a\": 1, \"b\": [true, null, \"x/y\"]} and more");
	json_is("j", "{\"a\":1,\"b\":[true,null,\"x\\/y\"]}");
	CHECK(ovni_attr_has("j.a") && ovni_attr_get_double("j.a") == 1);
	CHECK(!ovni_attr_has("j.b.0")); /* an array has no members */
	ovni_attr_set_json("n", "null");
	CHECK(ovni_attr_has("n"));
	json_is("n", "null");
	ovni_attr_set_json("n", "\xef\xbb\xbf[]");
	json_is("n", "[]");
	ovni_attr_set_json("n", "{}");
	json_is("n", "{}");
	ovni_attr_set_json("n", "[0, -0.5, 1e-05, \"007\", \"\\\"012\", 10, 0.25, true]");
	json_is("n", "[0,-0.5,1.0000000000000001e-05,\"007\",\"\\\"012\",10,0.25,true]");
	ovni_attr_set_json("u", "\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"");
	json_is("u", "\"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
	ovni_attr_set_str("s", "\"\\/\b\f\n\r\t\x1f\x7f\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	json_is("s", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u001f\x7f\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
	kit_end();
	CHECK(kit_says(101, "\"b\": \"text\",\n        \"x\": false\n"));
	CHECK(kit_says(101, "\"finished\": 1"));
}

/* The last bit of a number arrives, whatever the program thinks of decimal points. */
static void
numbers(void)
{
	static const double v[] = { 0, 1, -1, 0.1, 0.1 + 0.2, 1e300, 9007199254740992.0, 1.0 / 3.0, 5e-324, 1.7976931348623157e308 };

	(void)setlocale(LC_ALL, "de_DE.UTF-8");
	kit_begin(101);
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		ovni_attr_set_double("v", v[i]);
		char *text = ovni_attr_get_json("v");
		CHECK(strchr(text, ',') == NULL);
		ovni_attr_set_json("w", text);
		CHECK(memcmp(&(double){ ovni_attr_get_double("w") }, &v[i], sizeof(double)) == 0);
		free(text);
	}
	ovni_attr_set_double("v", 0.1);
	json_is("v", "0.10000000000000001");
	ovni_attr_set_double("v", 9007199254740992.0);
	json_is("v", "9007199254740992");
	ovni_attr_set_double("v", 1e300);
	json_is("v", "1.0000000000000001e+300");
	kit_end();
}

static void
marks(void)
{
	kit_begin(101);
	ovni_mark_type(7, OVNI_MARK_STACK, "Phase");
	ovni_mark_label(7, 1, "one");
	ovni_mark_label(7, 9223372036854775807, "last");
	ovni_mark_type(0, 0, "Step");
	json_is("ovni.mark", "{\"7\":{\"title\":\"Phase\",\"chan_type\":\"stack\",\"labels\":{\"1\":\"one\",\"9223372036854775807\":\"last\"}},\"0\":{\"title\":\"Step\",\"chan_type\":\"single\"}}");
	kit_end();
	CHECK(kit_says(101, "\"title\": \"Phase\",\n                \"chan_type\": \"stack\",\n"));
}

int
main(void)
{
	RUNS(life);
	RUNS(early);
	RUNS(many_labels);
	RUNS(reserved);
	RUNS(attributes);
	RUNS(numbers);
	RUNS(marks);
	return 0;
}
