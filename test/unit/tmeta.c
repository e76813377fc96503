/* SPDX-License-Identifier: MIT */
/* Metadata of the three versions: what is read, and each key wrong in turn. */
#include "input/inputs.h"
#include "trace.h"

#include "kit.h"

#include <cjson/cJSON.h>
#include <string.h>

static struct diag diag = { .program = "test" };
static struct trace t;
static char root[256];

/* A fresh, empty trace directory. */
static const char *
fresh(void)
{
	(void)snprintf(root, sizeof(root), "%s", kit_path("trace"));
	kit_remove(root);
	return root;
}

static void
put(const char *relpath, const char *text)
{
	kit_text(kit_path("trace/%s", relpath), text);
}

static void
put_stream(const char *relpath)
{
	kit_write(kit_path("trace/%s", relpath), "ovni\1\0\0\0", 8);
}

static void
open_good(bool strict)
{
	kit_capture();
	int rc = trace_open(&t, &diag, root, &(struct trace_options){ .strict = strict, .inputs = inputs });
	const char *err = kit_captured();
	if (rc != 0)
		(void)fputs(err, stderr);
	CHECK(rc == 0);
}

static void
open_bad(bool strict, enum error code, const char *text)
{
	kit_capture();
	int rc = trace_open(&t, &diag, root, &(struct trace_options){ .strict = strict, .inputs = inputs });
	trace_close(&t);
	const char *err = kit_captured();
	if (rc != -(int)code || !strstr(err, text))
		(void)fprintf(stderr, "wanted %s with \"%s\", got %d: %s", error_name((int)code), text, rc, err);
	CHECK(rc == -(int)code && strstr(err, text));
}

/* ---- Version 3. ---- */

static const struct {
	const char *key, *value;
} keys[] = {
	{ "lib", "{\"version\": \"1.14.0\", \"commit\": \"abc\"}" },
	{ "part", "\"thread\"" },
	{ "loom", "\"node.1\"" },
	{ "pid", "10" },
	{ "tid", "11" },
	{ "app_id", "3" },
	{ "rank", "2" },
	{ "nranks", "4" },
	{ "require", "{\"ovni\": \"1.1.0\", \"x\": 4, \"nosv\": \"2.0.0\"}" },
	{ "loom_cpus", "[{\"index\": 0, \"phyid\": 3}, {\"phyid\": 4, \"index\": 1}]" },
	{ "finished", "1" },
	{ "other", "{\"a\": 5}" },
};

/* The good file with one key replaced, or without it (value NULL). */
static void
put_v3(const char *version, const char *key, const char *value)
{
	char text[2048];
	size_t n = (size_t)snprintf(text, sizeof(text), "{%s \"ovni\": {", version);
	const char *comma = "";
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		bool this = key && strcmp(keys[i].key, key) == 0;
		if (this && !value)
			continue;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\"%s\": %s", comma, keys[i].key, this ? value : keys[i].value);
		comma = ", ";
	}
	(void)snprintf(text + n, sizeof(text) - n, "}}");
	(void)fresh();
	put("loom.x/proc.1/thread.1/stream.json", text);
	put_stream("loom.x/proc.1/thread.1/stream.obs");
}

#define V3 "\"version\": 3,"

static void
v3_good(void)
{
	put_v3(V3, NULL, NULL);
	open_good(true);
	CHECK(t.metadata_version == 3 && t.nstreams == 1 && strcmp(t.streams[0].relpath, "loom.x/proc.1/thread.1") == 0);
	const struct thread_meta *m = &t.streams[0].meta;
	CHECK(strcmp(m->part, "thread") == 0 && strcmp(m->loom, "node.1") == 0);
	CHECK(m->pid == 10 && m->tid == 11 && m->app_id == 3 && m->rank == 2 && m->nranks == 4);
	CHECK(m->finished == FINISHED_YES && m->has_require && m->nrequire == 2); /* 4 is ignored */
	CHECK(strcmp(m->require[0].model, "ovni") == 0 && strcmp(m->require[0].version, "1.1.0") == 0);
	CHECK(strcmp(m->require[1].model, "nosv") == 0 && strcmp(m->require[1].version, "2.0.0") == 0);
	CHECK(m->ncpus == 2 && m->cpus[0].index == 0 && m->cpus[0].phyid == 3 && m->cpus[1].index == 1 && m->cpus[1].phyid == 4);
	CHECK(strcmp(m->lib_version, "1.14.0") == 0);
	CHECK(m->attrs);
	trace_forget_attrs(&t);
	CHECK(!m->attrs);
	trace_close(&t);

	/* What may be missing. */
	put_v3(V3, "app_id", NULL);
	open_good(true);
	CHECK(t.streams[0].meta.app_id == 0);
	trace_close(&t);
	put_v3(V3, "rank", NULL); /* nranks alone is not looked at */
	open_good(true);
	CHECK(t.streams[0].meta.rank == -1 && t.streams[0].meta.nranks == 0);
	trace_close(&t);
	put_v3(V3, "loom_cpus", NULL);
	open_good(true);
	CHECK(t.streams[0].meta.ncpus == 0);
	trace_close(&t);
	put_v3(V3, "require", "{}");
	open_good(true);
	CHECK(t.streams[0].meta.has_require && t.streams[0].meta.nrequire == 0);
	trace_close(&t);
	put_v3(V3, "part", "\"gpu\"");
	open_good(true);
	CHECK(!t.streams[0].meta.loom && strcmp(t.streams[0].meta.part, "gpu") == 0);
	trace_close(&t);

	/* The directory itself is the stream. */
	char *text = kit_read(kit_path("trace/loom.x/proc.1/thread.1/stream.json"), NULL);
	(void)fresh();
	put("stream.json", "{\"version\": 3, \"ovni\": {\"part\": \"gpu\"}}");
	put_stream("stream.obs");
	open_good(true);
	CHECK(strcmp(t.streams[0].relpath, ".") == 0);
	trace_close(&t);
	free(text);
}

static void
v3_unfinished(void)
{
	static const char *const values[] = { NULL, "0", "\"1\"", "true", "2" };
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		put_v3(V3, "finished", values[i]);
		open_bad(true, ERR_UNFINISHED, "ovni.finished");
		open_good(false);
		CHECK(t.streams[0].meta.finished == FINISHED_NO);
		trace_close(&t);
	}
	put_v3(V3, "require", NULL);
	open_bad(false, ERR_METADATA, "ovni.require");
}

static void
v3_bad(void)
{
	static const struct {
		const char *key, *value, *message;
	} bad[] = {
		{ "lib", NULL, "ovni.lib" },
		{ "lib", "3", "ovni.lib" },
		{ "lib", "{\"version\": \"1.0.0\"}", "ovni.lib" },
		{ "lib", "{\"commit\": \"1.0.0\"}", "ovni.lib" },
		{ "lib", "{\"version\": 1, \"commit\": \"a\"}", "ovni.lib" },
		{ "part", NULL, "ovni.part" },
		{ "part", "3", "ovni.part" },
		{ "loom", NULL, "ovni.loom" },
		{ "loom", "4", "ovni.loom" },
		{ "loom", "\"a/b\"", "must not contain" },
		{ "pid", NULL, "ovni.pid" },
		{ "pid", "0", "ovni.pid" },
		{ "pid", "-1", "ovni.pid" },
		{ "pid", "\"1\"", "ovni.pid" },
		{ "pid", "2147483648", "ovni.pid" },
		{ "tid", NULL, "ovni.tid" },
		{ "tid", "0", "ovni.tid" },
		{ "tid", "null", "ovni.tid" },
		{ "app_id", "0", "ovni.app_id" },
		{ "app_id", "-3", "ovni.app_id" },
		{ "app_id", "\"3\"", "ovni.app_id" },
		{ "rank", "-1", "rank" },
		{ "rank", "\"0\"", "rank" },
		{ "rank", "4", "not below nranks" },
		{ "nranks", NULL, "nranks" },
		{ "nranks", "0", "nranks" },
		{ "nranks", "[]", "nranks" },
		{ "loom_cpus", "[]", "list of CPUs is empty" },
		{ "loom_cpus", "[3]", "not an object" },
		{ "loom_cpus", "[{\"index\": 0, \"phyid\": 0}, {\"index\": \"1\", \"phyid\": 1}]", "CPU number 1" },
		{ "loom_cpus", "[{\"index\": 0, \"phyid\": 1e10}]", "CPU number 0" },
		{ "loom_cpus", "[{\"index\": -1, \"phyid\": 1}]", "negative" },
		{ "loom_cpus", "[{\"index\": 0, \"phyid\": -1}]", "negative" },
		{ "require", "[]", "ovni.require" },
		{ "require", "\"ovni\"", "ovni.require" },
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_v3(V3, bad[i].key, bad[i].value);
		open_bad(false, ERR_METADATA, bad[i].message);
	}
	static const char *const versions[] = { "", "\"version\": 2,", "\"version\": 4,", "\"version\": \"3\"," };
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		put_v3(versions[i], NULL, NULL);
		open_bad(false, ERR_METADATA_VERSION, "must be the number 3");
	}
	(void)fresh();
	put("a/stream.json", "{\"version\": 3}");
	put_stream("a/stream.obs");
	open_bad(false, ERR_METADATA, "ovni.part");
	put("a/stream.json", "{\"version\": 3, \"ovni\": []}");
	open_bad(false, ERR_METADATA, "ovni.part");
	put("a/stream.json", "{");
	open_bad(false, ERR_JSON, "a/stream.json");
}

/* ---- Directories. ---- */

static void
directories(void)
{
	(void)fresh();
	open_bad(false, ERR_NO_TRACE, "No such file");
	put("x", "");
	open_bad(false, ERR_NO_STREAM, "no stream in");
	(void)snprintf(root, sizeof(root), "%s", kit_path("trace/x"));
	open_bad(false, ERR_NO_TRACE, "not a directory");

	put_v3(V3, NULL, NULL);
	kit_remove(kit_path("trace/loom.x/proc.1/thread.1/stream.obs"));
	open_bad(false, ERR_READ, "no stream.obs");

	put_v3(V3, NULL, NULL);
	put_stream("loom.x/proc.1/thread.2.obs");
	open_bad(false, ERR_METADATA_VERSION, "mixes");

	/* Slashes behind the name do not show. */
	put_v3(V3, NULL, NULL);
	(void)strcat(root, "///");
	open_good(true);
	CHECK(strcmp(t.dir, kit_path("trace")) == 0);
	CHECK(strcmp(t.streams[0].relpath, "loom.x/proc.1/thread.1") == 0);
	trace_close(&t);
}

static void
headers(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *message;
	} bad[] = {
		{ "", 0, "less than its header" },
		{ "ovni\1\0\0", 7, "less than its header" },
		{ "ov", 2, "less than its header" },
		{ "x", 1, "not a stream" },
		{ "ovnj\1\0\0\0", 8, "not a stream" },
		{ "ovni\2\0\0\0", 8, "version 2" },
		{ "ovni\1\0\0\1", 8, "version 16777217" },
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_v3(V3, NULL, NULL);
		kit_write(kit_path("trace/loom.x/proc.1/thread.1/stream.obs"), bad[i].bytes, bad[i].n);
		open_bad(false, ERR_STREAM_HEADER, bad[i].message);
		/* A thread that died may not have written it all. */
		put_v3(V3, "finished", NULL);
		kit_write(kit_path("trace/loom.x/proc.1/thread.1/stream.obs"), bad[i].bytes, bad[i].n);
		if (strstr(bad[i].message, "less")) {
			open_good(false);
			CHECK(t.streams[0].was_cut);
			trace_close(&t);
		} else {
			open_bad(false, ERR_STREAM_HEADER, bad[i].message);
		}
	}
}

/* ---- Versions 1 and 2. ---- */

#define MODELS "\"model_version\": \"O1 V1 T1 M1 D1 K1 61\""
#define PROC "loom.n.1/proc.20/metadata.json"
#define CPU_LIST "\"cpus\": [{\"index\": 0, \"phyid\": 6}]"
#define THREAD_V2 "{\"version\": 2, \"ovni\": {\"lib\": {\"version\": \"1.5.0\", \"commit\": \"c\"}, \"require\": {\"ovni\": \"1.0.0\"}, \"finished\": 1}}"

static void
v1(void)
{
	(void)fresh();
	put(PROC, "{\"version\": 1, " MODELS ", \"app_id\": 4, \"rank\": 1, \"nranks\": 2, " CPU_LIST "}");
	put_stream("loom.n.1/proc.20/thread.22.obs");
	put_stream("loom.n.1/proc.20/thread.21"); /* of the first releases */
	open_good(true);
	CHECK(t.metadata_version == 1 && t.nstreams == 2);
	const struct thread_meta *m = &t.streams[0].meta;
	CHECK(strcmp(m->loom, "n.1") == 0 && m->pid == 20 && m->tid == 21 && m->app_id == 4 && m->rank == 1 && m->nranks == 2);
	CHECK(m->ncpus == 1 && m->cpus[0].phyid == 6 && !m->has_require && m->finished == FINISHED_UNKNOWN);
	CHECK(t.streams[1].meta.tid == 22 && t.streams[1].meta.app_id == 4 && t.streams[1].meta.ncpus == 0);
	trace_close(&t);

	static const struct {
		const char *text;
		enum error code;
		const char *message;
	} bad[] = {
		{ "{\"version\": 3, " MODELS ", \"app_id\": 4}", ERR_METADATA_VERSION, "must be 1 or 2" },
		{ "{\"version\": 0, " MODELS ", \"app_id\": 4}", ERR_METADATA_VERSION, "must be 1 or 2" },
		{ "{" MODELS ", \"app_id\": 4}", ERR_METADATA_VERSION, "must be 1 or 2" },
		{ "{\"version\": 1, \"app_id\": 4}", ERR_MODEL_VERSION, "model_version" },
		{ "{\"version\": 1, \"model_version\": \"O2\", \"app_id\": 4}", ERR_MODEL_VERSION, "model_version" },
		{ "{\"version\": 1, " MODELS "}", ERR_METADATA, "app_id" },
		{ "{\"version\": 1, " MODELS ", \"app_id\": \"4\"}", ERR_METADATA, "app_id" },
		{ "{\"version\": 1, " MODELS ", \"app_id\": 4, \"rank\": 1}", ERR_METADATA, "nranks" },
		{ "{\"version\": 1, " MODELS ", \"app_id\": 4, \"cpus\": []}", ERR_METADATA, "CPUs is empty" },
		{ "[1]", ERR_JSON, "not a JSON object" },
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put(PROC, bad[i].text);
		open_bad(false, bad[i].code, bad[i].message);
	}
	kit_remove(kit_path("trace/" PROC));
	open_bad(true, ERR_METADATA, "cannot open");
	open_good(false); /* the process died */
	CHECK(t.metadata_version == 1);
	trace_close(&t);
}

static void
v2(void)
{
	(void)fresh();
	put(PROC, "{\"version\": 2, \"app_id\": 4, " CPU_LIST "}");
	put_stream("loom.n.1/proc.20/thread.21.obs");
	open_bad(false, ERR_READ, "thread.21.json");
	put("loom.n.1/proc.20/thread.21.json", THREAD_V2);
	open_good(true);
	const struct thread_meta *m = &t.streams[0].meta;
	CHECK(t.metadata_version == 2 && m->has_require && m->nrequire == 1 && m->finished == FINISHED_YES);
	CHECK(strcmp(m->lib_version, "1.5.0") == 0);
	trace_close(&t);

	put("loom.n.1/proc.20/thread.21.json", "{\"version\": 3}");
	open_bad(false, ERR_METADATA_VERSION, "must be the number 2");
	put("loom.n.1/proc.20/thread.21.json", "{\"version\": 2, \"ovni\": {}}");
	open_bad(false, ERR_METADATA, "ovni.lib");
	put("loom.n.1/proc.20/thread.21.json", "{\"version\": 2, \"ovni\": {\"lib\": {\"version\": \"1.5.0\", \"commit\": \"c\"}}}");
	open_bad(true, ERR_UNFINISHED, "ovni.finished");
	open_good(false);
	CHECK(t.streams[0].meta.finished == FINISHED_NO && !t.streams[0].meta.has_require);
	trace_close(&t);

	/* One process of each version. */
	put("loom.n.1/proc.20/thread.21.json", THREAD_V2);
	put("loom.n.1/proc.30/metadata.json", "{\"version\": 1, " MODELS ", \"app_id\": 4}");
	put_stream("loom.n.1/proc.30/thread.31.obs");
	open_bad(false, ERR_METADATA_VERSION, "mixes metadata versions 2 and 1");
}

/* A stream elsewhere is set aside. */
static void
strangers(void)
{
	static const char *const paths[] = {
		"thread.1.obs",
		"loom.a/thread.1.obs",
		"loom.a/proc.1/x/thread.1.obs",
		"foo.a/proc.1/thread.1.obs",
		"loom.a/foo.1/thread.1.obs",
		"loom.a/proc.x/thread.1.obs",
		"loom.a/proc.0/thread.1.obs",
		"loom.a/proc.1/thread.99999999999.obs",
	};
	(void)fresh();
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		put_stream(paths[i]);
	put("loom.a/proc.1/thread.x.obs", ""); /* not even a stream */
	open_good(false);
	CHECK(t.nstreams == sizeof(paths) / sizeof(paths[0]));
	for (size_t i = 0; i < t.nstreams; i++)
		CHECK(!t.streams[i].meta.loom);
	trace_close(&t);
}

int
main(void)
{
	v3_good();
	v3_unfinished();
	v3_bad();
	directories();
	headers();
	v1();
	v2();
	strangers();
	return 0;
}
