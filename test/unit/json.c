/* SPDX-License-Identifier: MIT */
#include "json.h"

#include "kit.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static struct diag diag = { .program = "test" };

static cJSON *
load(const char *text)
{
	const char *path = kit_path("a.json");
	kit_text(path, text);
	cJSON *root = NULL;
	int rc = json_load(&diag, path, &root);
	if (rc != 0)
		(void)fprintf(stderr, "refused: %.200s\n", text);
	CHECK(rc == 0 && root);
	return root;
}

static void
refuse_bytes(const void *text, size_t n, enum error code, const char *message)
{
	const char *path = kit_path("b.json");
	kit_write(path, text, n);
	cJSON *root = NULL;
	kit_capture();
	int rc = json_load(&diag, path, &root);
	const char *err = kit_captured();
	if (rc != -(int)code || !strstr(err, message))
		(void)fprintf(stderr, "%.100s: %d: %s", (const char *)text, rc, err);
	CHECK(rc == -(int)code && strstr(err, message) && !root);
}

static void
refuse(const char *text, const char *message)
{
	refuse_bytes(text, strlen(text), ERR_JSON, message);
}

static int
number(const char *text, int *out)
{
	char json[256];
	(void)snprintf(json, sizeof(json), "{\"a\": {\"b\": %s}}", text);
	cJSON *root = load(json);
	int rc = json_int(json_find(root, "a", "b", NULL), out);
	cJSON_Delete(root);
	return rc;
}

static void
good(void)
{
	cJSON *r = load("{}");
	CHECK(!json_find(r, "a", NULL));
	cJSON_Delete(r);
	r = load(" \n\t{ \"a\": 1, \"b\": { \"a\": [ { \"a\": 2 }, { \"a\": 3 } ] } }\n");
	int v = 0;
	CHECK(json_int(json_find(r, "a", NULL), &v) == 0 && v == 1);
	CHECK(!json_find(r, "a", "b", NULL) && !json_find(r, "b", "x", "y", NULL) && !json_find(r, "A", NULL));
	CHECK(cJSON_IsArray(json_find(r, "b", "a", NULL)));
	CHECK(!json_find(NULL, "a", NULL));
	cJSON_Delete(r);
}

static void
comments(void)
{
	cJSON *r = load("// a line\n{ /* inside\n two lines */ \"a//b\": \"/* text */\", // \"c\": 1\n"
			"\"q\\\"//\": \"\\\\\", /**/ \"d\": 4 /***/ } // end");
	CHECK(cJSON_GetArraySize(r) == 3);
	CHECK(strcmp(json_find(r, "a//b", NULL)->valuestring, "/* text */") == 0);
	CHECK(strcmp(json_find(r, "q\"//", NULL)->valuestring, "\\") == 0);
	int v = 0;
	CHECK(json_int(json_find(r, "d", NULL), &v) == 0 && v == 4);
	cJSON_Delete(r);
	refuse("{ \"a\": 1 /* never closed }", "not valid JSON");
	refuse("{ \"a\": 1 /", "not valid JSON");
	refuse("//", "not valid JSON");
	refuse("/*/", "not valid JSON");
	refuse("{ \"a\": \"never closed", "not valid JSON");
	refuse("{ \"a\": \"\\", "not valid JSON");
}

static void
bad(void)
{
	refuse("", "it is empty");
	refuse("{", "not valid JSON");
	refuse("{\"a\"}", "not valid JSON");
	refuse("{\"a\":}", "not valid JSON");
	refuse("{\"a\":1,}", "not valid JSON");
	refuse("{a:1}", "not valid JSON");
	refuse("nothing", "not valid JSON");
	refuse("[]", "not a JSON object");
	refuse("3", "not a JSON object");
	refuse("null", "not a JSON object");
	refuse("\xef\xbb\xbf{}", "byte order mark");
	refuse("{\"a\":1,\"b\":2,\"a\":3}", "key \"a\" twice");
	refuse("{\"x\":{\"y\":[0,{\"k\":1,\"k\":1}]}}", "key \"k\" twice");
	refuse_bytes("\0\0\0\0", 4, ERR_JSON, "not valid JSON");
	/* The line of the problem, when more is wanted. */
	diag.level = DIAG_NORMAL;
	refuse("{\n\"a\": 1,\n/* x\n y */ \"b\" 2 }", "line 4");
	diag.level = DIAG_QUIET;
	/* In two objects, or in other case, it is no duplicate. */
	cJSON_Delete(load("{\"a\":{\"a\":1},\"A\":[{\"a\":1},{\"a\":1}]}"));
}

static void
places(void)
{
	struct json_text t;
	char path[16];
	kit_text(kit_path("c.json"), "{ // one\n\"a\": [1, {\"x\\\"}\": \"]:,\",\n\"y\": -2e3\n}, [\n[]]],\n\"b\":\ntrue,\"a long key\": {\"d\": null}} tail");
	CHECK(json_text_load(&diag, kit_path("c.json"), 1000, "a test", &t) == 0);
	const cJSON *a = json_find(t.root, "a", NULL);
	const struct {
		const cJSON *item;
		size_t line;
		const char *path;
	} want[] = {
		{ t.root, 1, "" },
		{ a, 2, "a" },
		{ a->child, 2, "a[0]" },
		{ a->child->next->child, 2, "a[1].x\"}" },
		{ json_find(a->child->next, "y", NULL), 3, "a[1].y" },
		{ a->child->next->next->child, 5, "a[2][0]" },
		{ json_find(t.root, "b", NULL), 7, "b" },
		{ json_find(t.root, "a long key", "d", NULL), 7, "a long key.d" },
	};
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		CHECK(json_where(&t, want[i].item, path, sizeof(path)) == want[i].line && strcmp(path, want[i].path) == 0);
	CHECK(json_where(&t, want[7].item, path, 8) == 7 && strcmp(path, "a long ") == 0);
	cJSON other = { 0 };
	CHECK(json_where(&t, &other, path, sizeof(path)) == 0 && !*path);
	CHECK(strcmp(t.end, " tail") == 0);
	json_text_finish(&t);
	CHECK(!t.root && !t.text);
	kit_capture();
	CHECK(json_text_load(&diag, kit_path("c.json"), 20, "a test", &t) == -ERR_JSON && strstr(kit_captured(), "is too large for a test: ") && !t.root);
}

static void
depth(void)
{
	enum {
		DEEP = 100000,
	};
	char *text = malloc(2 * DEEP + 32);
	CHECK(text);
	for (int n = 500; n <= DEEP; n = n == 500 ? DEEP : n + 1) {
		char *p = text + sprintf(text, "{\"a\":");
		memset(p, '[', (size_t)n);
		memset(p + n, ']', (size_t)n);
		(void)strcpy(p + 2 * n, "}");
		if (n == 500)
			cJSON_Delete(load(text));
		else
			refuse(text, "nested too deep");
	}
	free(text);
}

static void
numbers(void)
{
	int v = -5;
	CHECK(number("2147483647", &v) == 0 && v == INT_MAX);
	CHECK(number("-2147483648", &v) == 0 && v == INT_MIN);
	CHECK(number("2147483647.9", &v) == 0 && v == INT_MAX);
	CHECK(number("1.9", &v) == 0 && v == 1);
	CHECK(number("-1.9", &v) == 0 && v == -1);
	CHECK(number("3e2", &v) == 0 && v == 300);
	v = -5;
	CHECK(number("2147483648", &v) == -1);
	CHECK(number("-2147483649", &v) == -1);
	CHECK(number("1e300", &v) == -1);
	CHECK(number("1e999", &v) == -1);
	CHECK(number("-1e999", &v) == -1);
	CHECK(number("\"1\"", &v) == -1);
	CHECK(number("true", &v) == -1);
	CHECK(number("null", &v) == -1);
	CHECK(number("[1]", &v) == -1);
	CHECK(json_int(NULL, &v) == -1);
	CHECK(v == -5);
}

static void
files(void)
{
	cJSON *root = NULL;
	kit_capture();
	CHECK(json_load(&diag, kit_path("absent.json"), &root) == -ERR_READ);
	CHECK(json_load(&diag, kit_dir(), &root) == -ERR_READ);
	CHECK(strstr(kit_captured(), "not a regular file"));
	const char *path = kit_path("big.json");
	kit_text(path, "{}");
	CHECK(truncate(path, (off_t)JSON_FILE_MAX + 1) == 0); /* sparse */
	kit_capture();
	CHECK(json_load(&diag, path, &root) == -ERR_JSON);
	CHECK(strstr(kit_captured(), "too large") && !root);
}

int
main(void)
{
	good();
	comments();
	bad();
	places();
	depth();
	numbers();
	files();
	return 0;
}
