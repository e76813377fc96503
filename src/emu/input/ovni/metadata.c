/* SPDX-License-Identifier: MIT */
/* metadata: the metadata of runtime streams, versions 1 to 3, into struct thread_meta. */
#include "parts.h"

#include "json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Complains of a key; each message names file and key. */
#define bad_key(s, path, ...) \
	diag_error((s)->trace->diag, ERR_METADATA, &(struct place){ .file = (path) }, __VA_ARGS__)

static int
intern(struct stream *s, const cJSON *item, const char **out)
{
	const char *text = item->valuestring;
	*out = arena_strndup(&s->trace->arena, text, strlen(text));
	return *out ? 0 : diag_no_memory(s->trace->diag);
}

/* An array of {index, phyid} into s->meta.cpus. Absent or no array: none. */
static int
load_cpus(struct stream *s, const cJSON *list, const char *path)
{
	if (!cJSON_IsArray(list))
		return 0;
	int n = cJSON_GetArraySize(list);
	if (n == 0)
		return bad_key(s, path, "the list of CPUs is empty");
	s->meta.cpus = arena_new(&s->trace->arena, struct cpu_meta, (size_t)n);
	if (!s->meta.cpus)
		return diag_no_memory(s->trace->diag);
	const cJSON *it;
	cJSON_ArrayForEach(it, list)
	{
		struct cpu_meta *cpu = &s->meta.cpus[s->meta.ncpus];
		if (!cJSON_IsObject(it))
			return bad_key(s, path, "CPU number %zu of the list is not an object", s->meta.ncpus);
		const cJSON *index = json_find(it, "index", NULL);
		const cJSON *phyid = json_find(it, "phyid", NULL);
		if ((index && json_int(index, &cpu->index) < 0) || (phyid && json_int(phyid, &cpu->phyid) < 0))
			return bad_key(s, path, "CPU number %zu has an index or phyid that is not a number up to 2147483647", s->meta.ncpus);
		if (cpu->index < 0 || cpu->phyid < 0)
			return bad_key(s, path, "CPU number %zu has index %d and phyid %d, which must not be negative",
				s->meta.ncpus, cpu->index, cpu->phyid);
		s->meta.ncpus++;
	}
	return 0;
}

/* rank and nranks of an object into s->meta. */
static int
load_rank(struct stream *s, const cJSON *obj, const char *path)
{
	const cJSON *rank = json_find(obj, "rank", NULL);
	if (!rank)
		return 0;
	if (json_int(rank, &s->meta.rank) < 0 || s->meta.rank < 0)
		return bad_key(s, path, "the rank must be a number from 0 to 2147483647");
	const cJSON *nranks = json_find(obj, "nranks", NULL);
	if (json_int(nranks, &s->meta.nranks) < 0 || s->meta.nranks <= 0)
		return bad_key(s, path, "there is a rank, so nranks must be a number above 0");
	if (s->meta.rank >= s->meta.nranks)
		return bad_key(s, path, "rank %d is not below nranks %d", s->meta.rank, s->meta.nranks);
	return 0;
}

static int
load_require(struct stream *s, const cJSON *obj)
{
	struct arena *a = &s->trace->arena;
	s->meta.has_require = true;
	s->meta.require = arena_new(a, struct require_meta, (size_t)cJSON_GetArraySize(obj));
	if (!s->meta.require)
		return diag_no_memory(s->trace->diag);
	const cJSON *it;
	cJSON_ArrayForEach(it, obj)
	{
		if (!cJSON_IsString(it))
			continue; /* ignored by all readers */
		struct require_meta *r = &s->meta.require[s->meta.nrequire++];
		r->model = arena_strndup(a, it->string, strlen(it->string));
		if (!r->model)
			return diag_no_memory(s->trace->diag);
		int rc = intern(s, it, &r->version);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Whether the stream is only the last part of what the thread emitted. */
static void
load_ring(struct stream *s, const cJSON *ovni)
{
	const cJSON *since = json_find(ovni, "ring", "since", NULL);
	const cJSON *shared = json_find(ovni, "ring", "shared", NULL);
	const cJSON *ended = json_find(ovni, "ended", NULL);
	if (s->trace->options.strict)
		return;
	s->meta.ring = cJSON_IsNumber(since) && since->valuedouble > 0;
	if (s->meta.ring && cJSON_IsNumber(shared) && shared->valuedouble >= 0 && shared->valuedouble <= UINT32_MAX)
		s->meta.shared = (uint32_t)shared->valuedouble;
	if (cJSON_IsString(ended))
		s->meta.ended = strcmp(ended->valuestring, "dump") == 0 ? ENDED_DUMPED : ENDED_WHOLE;
}

/* Reads the part of the metadata that versions 2 and 3 share (requirements, library,
 * finished) out of s->meta.attrs. With the option strict it must be finished. */
static int
load_common(struct stream *s, const char *path)
{
	const cJSON *ovni = json_find(s->meta.attrs, "ovni", NULL);
	const cJSON *version = json_find(ovni, "lib", "version", NULL);
	const cJSON *commit = json_find(ovni, "lib", "commit", NULL);
	if (!cJSON_IsString(version) || !cJSON_IsString(commit))
		return bad_key(s, path, "ovni.lib.version and ovni.lib.commit must be strings");
	int rc = intern(s, version, &s->meta.lib_version);
	const cJSON *lost = json_find(ovni, "lost", NULL);
	const cJSON *since = json_find(ovni, "lost_since", NULL);
	if (rc == 0 && cJSON_IsNumber(lost) && lost->valuedouble > 0 && lost->valuedouble < (double)INT64_MAX)
		rc = stream_has_lost(s, (uint64_t)lost->valuedouble, cJSON_IsNumber(since) && since->valuedouble < (double)INT64_MAX ? (int64_t)since->valuedouble : 0);
	const cJSON *require = json_find(ovni, "require", NULL);
	if (rc == 0 && cJSON_IsObject(require))
		rc = load_require(s, require);
	if (rc < 0)
		return rc;
	load_ring(s, ovni);
	const cJSON *finished = json_find(ovni, "finished", NULL);
	bool yes = cJSON_IsNumber(finished) && finished->valuedouble == 1.0;
	s->meta.finished = yes ? FINISHED_YES : FINISHED_NO;
	/* A process that died left what it wrote at its start: the rest is not known. */
	if (!yes && s->trace->options.strict)
		return diag_error(s->trace->diag, ERR_UNFINISHED, &(struct place){ .file = s->relpath },
			"missing ovni.finished: the thread never called ovni_thread_free()\n"
			"hint: without -l and --compat, what it wrote is emulated; ovnifix makes a finished trace of it");
	return 0;
}

/* The facts of a thread stream, version 3. */
static int
load_thread(struct stream *s, const char *path)
{
	const cJSON *ovni = json_find(s->meta.attrs, "ovni", NULL);
	const cJSON *loom = json_find(ovni, "loom", NULL);
	struct thread_meta *m = &s->meta;
	if (!cJSON_IsString(loom))
		return bad_key(s, path, "ovni.loom must be a string");
	if (strchr(loom->valuestring, '/'))
		return bad_key(s, path, "the loom name \"%s\" must not contain '/'", loom->valuestring);
	int rc = intern(s, loom, &m->loom);
	if (rc < 0)
		return rc;
	if (json_int(json_find(ovni, "pid", NULL), &m->pid) < 0 || m->pid <= 0)
		return bad_key(s, path, "ovni.pid must be a number from 1 to 2147483647");
	if (json_int(json_find(ovni, "tid", NULL), &m->tid) < 0 || m->tid <= 0)
		return bad_key(s, path, "ovni.tid must be a number from 1 to 2147483647");
	const cJSON *app = json_find(ovni, "app_id", NULL);
	if (app && (json_int(app, &m->app_id) < 0 || m->app_id <= 0))
		return bad_key(s, path, "ovni.app_id must be a number from 1 to 2147483647");
	rc = load_rank(s, ovni, path);
	if (rc == 0)
		rc = load_cpus(s, json_find(ovni, "loom_cpus", NULL), path);
	if (rc == 0)
		rc = load_common(s, path);
	if (rc == 0 && !m->has_require && m->finished == FINISHED_YES)
		return bad_key(s, path, "ovni.require must be an object with the models that the thread uses");
	return rc;
}

int
tmeta_load_v3(struct stream *s, const char *json_path, cJSON *root)
{
	struct diag *d = s->trace->diag;
	int rc = root ? 0 : json_load(d, json_path, &root);
	if (rc < 0)
		return rc;
	s->meta.attrs = root;

	int version = 0;
	if (json_int(json_find(root, "version", NULL), &version) < 0 || version != 3)
		return diag_error(d, ERR_METADATA_VERSION, &(struct place){ .file = json_path },
			"the metadata version must be the number 3 in a stream.json, and it is %d", version);
	const cJSON *part = json_find(root, "ovni", "part", NULL);
	if (!cJSON_IsString(part))
		return bad_key(s, json_path, "ovni.part must be a string");
	rc = intern(s, part, &s->meta.part);
	if (rc < 0)
		return rc;
	if (strcmp(s->meta.part, "thread") != 0) {
		diag_warn(d, &(struct place){ .file = s->relpath },
			"a stream of part \"%s\" is not known and set aside", s->meta.part);
		return 0;
	}
	rc = load_thread(s, json_path);

	/* The bulky list has been read: only models look at the rest. */
	cJSON *ovni = cJSON_GetObjectItemCaseSensitive(root, "ovni");
	cJSON_DeleteItemFromObjectCaseSensitive(ovni, "loom_cpus");
	return rc;
}

/* ---- Versions 1 and 2, where the path of a stream is its identity: loom.NAME/proc.PID/thread.TID[.obs],
 * with one metadata.json for the process and, in version 2, a thread.TID.json for the thread. ---- */

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
	rc = load_rank(s, p->root, path);
	return rc < 0 ? rc : load_cpus(s, json_find(p->root, "cpus", NULL), path);
}

static int
load_thread_v2(struct stream *s, int *version)
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
	return load_common(s, path);
}

static bool
same_proc(const struct stream *s, const struct proc_file *p)
{
	size_t n = (size_t)(strrchr(s->relpath, '/') - s->relpath);
	return p->dir && strncmp(p->dir, s->relpath, n) == 0 && p->dir[n] == '/';
}

static int
load_old(struct stream *s, struct proc_file *p)
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
	if ((rc = load_thread_v2(s, &version)) < 0)
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
		rc = load_old(&t->streams[i], &p);
	cJSON_Delete(p.root);
	return rc;
}
