/* SPDX-License-Identifier: MIT */
/* oldmeta: metadata versions 1 and 2, where the path of a stream is its identity:
 * loom.NAME/proc.PID/thread.TID[.obs], with one metadata.json for the process and, in
 * version 2, a thread.TID.json for the thread. */
#include "metadata.h"

#include "json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The event formats of version 1 are implied by this text, equal in all its releases. */
#define MODELS_V1 "O1 V1 T1 M1 D1 K1 61"

/* The last metadata.json that was read: the streams of a process are neighbours in path order. */
struct proc_file {
	const char *dir; /* as in the relpath of the streams */
	int version;     /* 0: there is none, the process died */
	int app_id;
	cJSON *root;
};

static int
parse_number(const char *text, int *out)
{
	char *end;
	errno = 0;
	long n = strtol(text, &end, 10);
	if (end == text || errno || n <= 0 || n > 0x7fffffff)
		return -1;
	*out = (int)n;
	return 0;
}

/* Splits the path. Returns 0, or -1 when it is not of the form above. */
static int
parse_path(struct stream *s)
{
	const char *rel = s->relpath;
	const char *proc = strchr(rel, '/');
	const char *thread = proc ? strchr(proc + 1, '/') : NULL;
	if (!thread || strchr(thread + 1, '/'))
		return -1;
	if (strncmp(rel, "loom.", 5) != 0 || strncmp(proc, "/proc.", 6) != 0)
		return -1;
	if (parse_number(proc + 6, &s->meta.pid) < 0 || parse_number(thread + 8, &s->meta.tid) < 0)
		return -1;
	s->meta.part = "thread";
	s->meta.loom = arena_strndup(&s->trace->arena, rel + 5, (size_t)(proc - rel) - 5);
	return s->meta.loom ? 0 : diag_no_memory(s->trace->diag);
}

static char *
beside(struct stream *s, const char *name)
{
	const char *slash = strrchr(s->relpath, '/');
	return arena_printf(&s->trace->arena, "%s/%.*s/%s", s->trace->dir, (int)(slash - s->relpath), s->relpath, name);
}

static int
load_proc(struct trace *t, struct stream *s, struct proc_file *p)
{
	const char *path = beside(s, "metadata.json");
	if (!path)
		return diag_no_memory(t->diag);
	struct place at = { .file = path };
	if (access(path, F_OK) != 0) {
		if (t->options.strict)
			return diag_io(t->diag, ERR_METADATA, "open", path, errno);
		diag_warn(t->diag, &at, "the process has no metadata.json: it never called ovni_proc_fini()");
		return 0;
	}
	int rc = json_load(t->diag, path, &p->root);
	if (rc < 0)
		return rc;
	if (json_int(json_find(p->root, "version", NULL), &p->version) < 0 || p->version < 1 || p->version > 2)
		return diag_error(t->diag, ERR_METADATA_VERSION, &at,
			"the metadata version must be 1 or 2 in a metadata.json, and it is %d", p->version);
	const cJSON *models = json_find(p->root, "model_version", NULL);
	if (p->version == 1 && (!cJSON_IsString(models) || strcmp(models->valuestring, MODELS_V1) != 0))
		return diag_error(t->diag, ERR_MODEL_VERSION, &at,
			"model_version must be \"%s\", the only one of metadata version 1", MODELS_V1);
	if (json_int(json_find(p->root, "app_id", NULL), &p->app_id) < 0)
		return diag_error(t->diag, ERR_METADATA, &at, "app_id must be a number");
	rc = tmeta_rank(s, p->root, path);
	return rc < 0 ? rc : tmeta_cpus(s, json_find(p->root, "cpus", NULL), path);
}

static int
load_thread(struct stream *s, int *version)
{
	struct trace *t = s->trace;
	char name[32];
	(void)snprintf(name, sizeof(name), "thread.%d.json", s->meta.tid);
	const char *path = beside(s, name);
	if (!path)
		return diag_no_memory(t->diag);
	if (*version == 0) /* the process died: its threads tell the version */
		*version = access(path, F_OK) == 0 ? 2 : 1;
	if (*version == 1)
		return 0;
	int rc = json_load(t->diag, path, &s->meta.attrs);
	if (rc < 0)
		return rc;
	struct place at = { .file = path };
	int v = 0;
	if (json_int(json_find(s->meta.attrs, "version", NULL), &v) < 0 || v != 2)
		return diag_error(t->diag, ERR_METADATA_VERSION, &at, "the metadata version must be the number 2, and it is %d", v);
	return tmeta_common(s, path);
}

static bool
same_proc(const struct stream *s, const struct proc_file *p)
{
	size_t n = (size_t)(strrchr(s->relpath, '/') - s->relpath);
	return p->dir && strncmp(p->dir, s->relpath, n) == 0 && p->dir[n] == '/';
}

static int
load_stream(struct stream *s, struct proc_file *p)
{
	struct trace *t = s->trace;
	int rc = parse_path(s);
	if (rc == -1) {
		diag_warn(t->diag, &(struct place){ .file = s->relpath },
			"not of the form loom.NAME/proc.PID/thread.TID: the stream is set aside");
		s->meta.part = "unknown";
		return 0;
	}
	if (rc < 0)
		return rc;
	if (!same_proc(s, p)) {
		cJSON_Delete(p->root);
		*p = (struct proc_file){ .dir = s->relpath };
		if ((rc = load_proc(t, s, p)) < 0)
			return rc;
	}
	s->meta.app_id = p->app_id;
	int version = p->version;
	if ((rc = load_thread(s, &version)) < 0)
		return rc;
	if (p->version == 0)
		s->meta.finished = FINISHED_NO; /* its process died, whatever the thread says */
	if (t->metadata_version && t->metadata_version != version)
		return diag_error(t->diag, ERR_METADATA_VERSION, &(struct place){ .file = s->relpath },
			"the trace mixes metadata versions %d and %d", t->metadata_version, version);
	t->metadata_version = version;
	return 0;
}

int
tmeta_load_old(struct trace *t)
{
	struct proc_file p = { 0 };
	int rc = 0;
	for (size_t i = 0; i < t->nstreams && rc == 0; i++)
		rc = load_stream(&t->streams[i], &p);
	cJSON_Delete(p.root);
	return rc;
}
