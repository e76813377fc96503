/* SPDX-License-Identifier: MIT */
/* bare: the streams of a runtime trace, with or without their metadata. */
#include "parts.h"

#include "codec.h"
#include "json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a path before its last component, without the slash. */
static size_t
dir_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) : 0;
}

/* Whether two files are in one directory. */
static bool
are_beside(const struct stream_file *a, const struct stream_file *b)
{
	size_t n = dir_length(a->relpath);
	return n == dir_length(b->relpath) && memcmp(a->relpath, b->relpath, n) == 0;
}

/* One file of each directory, named by the directory. Returns how many, or <0 (reported). */
static int64_t
list_streams(struct trace *t, const struct found *f, struct stream_file *list)
{
	size_t n = 0;
	const struct stream_file *last = NULL; /* of list[n - 1] */
	for (size_t i = 0; i < f->obs.n; i++) {
		const struct stream_file *obs = &f->obs.files[i];
		if (last && are_beside(last, obs)) {
			if (codec_kind(obs->path) < codec_kind(last->path))
				list[n - 1].path = obs->path;
			continue;
		}
		last = obs;
		list[n] = *obs;
		list[n].relpath = arena_strndup(&t->arena, obs->relpath, dir_length(obs->relpath));
		if (!list[n++].relpath)
			return diag_no_memory(t->diag);
	}
	for (size_t i = 0; i < f->old.n; i++)
		list[n++] = f->old.files[i];
	return (int64_t)n;
}

static int
by_name(const void *key, const void *file)
{
	return strcmp(key, ((const struct stream_file *)file)->relpath);
}

/* Reports metadata whose stream file is missing. */
static int
look_for_missing(struct trace *t, const struct found *f, const struct stream_file *list, size_t n)
{
	for (size_t i = 0; i < f->json.n; i++) {
		const char *json = f->json.files[i].relpath;
		const char *dir = arena_strndup(&t->arena, json, dir_length(json));
		if (!dir)
			return diag_no_memory(t->diag);
		if (!n || !bsearch(dir, list, n, sizeof(*list), by_name))
			(void)diag_error(t->diag, ERR_READ, &(struct place){ .file = json },
				"there is no stream.obs (nor .zst, .lz4, .gz) beside the stream.json");
	}
	return 0;
}

/* The number behind `prefix` in the last component of the path, which is n bytes long.
 * 0: there is none. */
static int
number_in(const char *path, size_t n, const char *prefix)
{
	size_t k = strlen(prefix);
	size_t at = n;
	while (at && path[at - 1] != '/')
		at--;
	if (n - at <= k || strncmp(path + at, prefix, k) != 0)
		return 0;
	errno = 0;
	long v = strtol(path + at + k, NULL, 10);
	return errno || v <= 0 || v > 0x7fffffff ? 0 : (int)v;
}

int
bare_guess(struct trace *t, struct thread_meta *m, const char *path, bool old)
{
	size_t n = old ? strlen(path) : dir_length(path);
	m->tid = m->tid ? m->tid : number_in(path, n, "thread.");
	while (n && path[n - 1] != '/')
		n--;
	n -= n > 0;
	m->pid = m->pid ? m->pid : number_in(path, n, "proc.");
	while (n && path[n - 1] != '/')
		n--;
	n -= n > 0;
	size_t at = n;
	while (at && path[at - 1] != '/')
		at--;
	if (m->loom || n - at <= 5 || strncmp(path + at, "loom.", 5) != 0)
		return 0;
	m->loom = arena_strndup(&t->arena, path + at + 5, n - at - 5);
	return m->loom ? 0 : diag_no_memory(t->diag);
}

/* Takes the keys that are valid; none is required. */
static int
read_meta(struct stream *s, const cJSON *root, bool old)
{
	const cJSON *ovni = json_find(root, "ovni", NULL);
	const cJSON *loom = json_find(ovni, "loom", NULL);
	const cJSON *finished = json_find(ovni, "finished", NULL);
	struct thread_meta *m = &s->meta;
	if (cJSON_IsNumber(finished))
		m->finished = finished->valuedouble == 1.0 ? FINISHED_YES : FINISHED_NO;
	else
		m->finished = FINISHED_NO;
	if (old) /* the path is the identity */
		return 0;
	if (json_int(json_find(ovni, "pid", NULL), &m->pid) < 0 || m->pid < 0)
		m->pid = 0;
	if (json_int(json_find(ovni, "tid", NULL), &m->tid) < 0 || m->tid < 0)
		m->tid = 0;
	if (!cJSON_IsString(loom))
		return 0;
	m->loom = arena_strndup(&s->trace->arena, loom->valuestring, strlen(loom->valuestring));
	return m->loom ? 0 : diag_no_memory(s->trace->diag);
}

/* Metadata beside the stream: stream.json, or thread.N.json in old traces. */
static int
load_meta(struct stream *s, bool old)
{
	struct trace *t = s->trace;
	size_t dir = dir_length(s->in.path);
	char name[32] = "stream.json";
	if (old)
		(void)snprintf(name, sizeof(name), "thread.%d.json", number_in(s->in.path, strlen(s->in.path), "thread."));
	const char *path = arena_printf(&t->arena, "%.*s/%s", (int)dir, s->in.path, name);
	if (!path)
		return diag_no_memory(t->diag);
	cJSON *root = NULL;
	int rc = 0;
	if (access(path, F_OK) == 0) {
		t->diag->soften = true;
		rc = json_load(t->diag, path, &root);
		t->diag->soften = false;
	} else if (!old) { /* version 1 has none */
		diag_warn(t->diag, &(struct place){ .file = s->relpath },
			"there is no stream.json: loom, process and thread are taken from the path");
	}
	if (rc == 0 && root)
		rc = read_meta(s, root, old);
	cJSON_Delete(root);
	if (rc == -ERR_MEMORY)
		return rc;
	return bare_guess(s->trace, &s->meta, s->in.path, old);
}

int
bare_open(struct trace *t, struct found *f)
{
	struct stream_file *list = arena_new(&t->arena, struct stream_file, f->obs.n + f->old.n);
	if (!list)
		return diag_no_memory(t->diag);
	int64_t n = list_streams(t, f, list);
	if (n < 0)
		return (int)n;
	int rc = trace_open_streams(t, list, (size_t)n);
	if (rc == 0)
		rc = look_for_missing(t, f, list, (size_t)n);
	for (size_t i = 0; i < t->nstreams && rc == 0; i++) {
		struct stream *s = &t->streams[i];
		if (s->failed)
			continue;
		const char *name = s->in.path + dir_length(s->in.path) + 1;
		bool old = strncmp(name, "thread.", 7) == 0;
		rc = load_meta(s, old);
		if (rc == 0 && !old)
			rc = tail_apply(s);
		if (!*s->relpath)
			s->relpath = s->in.name = "."; /* the trace directory itself is the stream */
	}
	return rc;
}
