/* SPDX-License-Identifier: MIT */
#include "metadata.h"

#include "json.h"

#include <string.h>

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

int
tmeta_cpus(struct stream *s, const cJSON *list, const char *path)
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

int
tmeta_rank(struct stream *s, const cJSON *obj, const char *path)
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

int
tmeta_common(struct stream *s, const char *path)
{
	const cJSON *ovni = json_find(s->meta.attrs, "ovni", NULL);
	const cJSON *version = json_find(ovni, "lib", "version", NULL);
	const cJSON *commit = json_find(ovni, "lib", "commit", NULL);
	if (!cJSON_IsString(version) || !cJSON_IsString(commit))
		return bad_key(s, path, "ovni.lib.version and ovni.lib.commit must be strings");
	int rc = intern(s, version, &s->meta.lib_version);
	if (rc == 0)
		rc = intern(s, commit, &s->meta.lib_commit);
	const cJSON *require = json_find(ovni, "require", NULL);
	if (rc == 0 && cJSON_IsObject(require))
		rc = load_require(s, require);
	if (rc < 0)
		return rc;
	const cJSON *finished = json_find(ovni, "finished", NULL);
	bool yes = cJSON_IsNumber(finished) && finished->valuedouble == 1.0;
	s->meta.finished = yes ? FINISHED_YES : FINISHED_NO;
	/* A process that died left what it wrote at its start: the rest is not known. */
	if (!yes && s->trace->options.strict)
		return diag_error(s->trace->diag, ERR_UNFINISHED, &(struct place){ .file = s->relpath },
			"missing ovni.finished: the thread never called ovni_thread_free()\n"
			"hint: without -l and --compat, what it wrote is emulated");
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
	rc = tmeta_rank(s, ovni, path);
	if (rc == 0)
		rc = tmeta_cpus(s, json_find(ovni, "loom_cpus", NULL), path);
	if (rc == 0)
		rc = tmeta_common(s, path);
	if (rc == 0 && !m->has_require && m->finished == FINISHED_YES)
		return bad_key(s, path, "ovni.require must be an object with the models that the thread uses");
	return rc;
}

int
tmeta_load_v3(struct stream *s, const char *json_path)
{
	struct diag *d = s->trace->diag;
	cJSON *root;
	int rc = json_load(d, json_path, &root);
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
