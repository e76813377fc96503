/* SPDX-License-Identifier: MIT */
/* meta: what stream.json says about the thread, its process and its loom. */
#include <errno.h>
#include <unistd.h>
#include "rt.h"

#define NAME "stream.json"

void
rt_meta_begin(struct rt_thread *t, const char *func, const char *loom, int app, int pid)
{
	cJSON *m = t->meta = cJSON_CreateObject();
	t->cpus = cJSON_CreateArray();
	if (m == NULL || t->cpus == NULL)
		rt_nomem(func);

	rt_set(m, func, "version", cJSON_CreateNumber(OVNI_METADATA_VERSION));
	rt_set_str(m, func, "ovni.lib.version", OVNI_LIB_VERSION);
	rt_set_str(m, func, "ovni.lib.commit", OVNI_GIT_COMMIT);
	rt_set_str(m, func, "ovni.part", "thread");
	rt_set(m, func, "ovni.tid", cJSON_CreateNumber(t->tid));
	rt_set(m, func, "ovni.pid", cJSON_CreateNumber(pid));
	rt_set_str(m, func, "ovni.loom", loom);
	rt_set(m, func, "ovni.app_id", cJSON_CreateNumber(app));
}

void
rt_meta_end(struct rt_thread *t, const char *func)
{
	if (t->have_rank) {
		rt_set(t->meta, func, "ovni.rank", cJSON_CreateNumber(t->rank));
		rt_set(t->meta, func, "ovni.nranks", cJSON_CreateNumber(t->nranks));
	}
	if (t->cpus->child != NULL) {
		rt_set(t->meta, func, "ovni.loom_cpus", t->cpus);
		t->cpus = NULL;
	}
	if (t->limit > 0) {
		rt_set(t->meta, func, "ovni.finished", cJSON_CreateNumber(1));
	} else {
		/* Readers take "finished" for "whole", whoever wrote it. */
		cJSON *ovni = rt_find(t->meta, "ovni");
		cJSON_DeleteItemFromObjectCaseSensitive(ovni, "finished");
		rt_set(t->meta, func, "ovni.lost", cJSON_CreateNumber((double)t->lost));
	}
}

/* The file is never half written, nor missing between two versions. */
int
rt_meta_write(struct rt_thread *t, const char *func)
{
	char part[PATH_MAX], path[PATH_MAX];

	if (rt_path(part, "%s/.part." NAME, t->dir) < 0 || rt_path(path, "%s/" NAME, t->dir) < 0) {
		rt_error(func, "cannot write %s/" NAME ":", t->dir);
		return -1;
	}
	int fd = rt_open(part);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	if (f == NULL) {
		rt_error(func, "cannot write %s:", part);
		if (fd >= 0)
			(void)close(fd);
		return -1;
	}
	errno = 0;
	rt_json_print(f, t->meta, 0);
	int bad = fflush(f) != 0 || ferror(f);
	int err = errno;
	if (fclose(f) != 0 && !bad) {
		bad = 1;
		err = errno;
	}
	if (!bad && rename(part, path) < 0) {
		bad = 1;
		err = errno;
	}
	if (bad) {
		errno = err;
		rt_error(func, "cannot write %s:", path);
		(void)unlink(part);
		return -1;
	}
	return 0;
}

void
ovni_thread_require(const char *model, const char *version)
{
	struct rt_thread *t = rt_ready(__func__);
	char key[RT_KEY_MAX];
	long numbers[3];

	if (model == NULL)
		rt_die(__func__, "model is NULL");
	if (strpbrk(model, " .") != NULL)
		rt_die(__func__, "model \"%s\" has a blank or a dot", model);
	if (strlen(model) < 2)
		rt_die(__func__, "model \"%s\" is too short", model);
	if (rt_version_parse(version, numbers) < 0)
		rt_die(__func__, "cannot parse version \"%s\" of model \"%s\"",
			version ? version : "(null)", model);
	int n = snprintf(key, sizeof(key), "ovni.require.%s", model);
	if (n < 0 || (size_t)n >= sizeof(key))
		rt_die(__func__, "model \"%s\" is too long", model);
	rt_set_str(t->meta, __func__, key, version);
}

void
ovni_proc_set_rank(int rank, int nranks)
{
	rt_need_proc(__func__);
	struct rt_thread *t = rt_ready(__func__);

	t->have_rank = true;
	t->rank = rank;
	t->nranks = nranks;
}

void
ovni_add_cpu(int index, int phyid)
{
	if (index < 0)
		rt_die(__func__, "index %d is negative", index);
	if (phyid < 0)
		rt_die(__func__, "phyid %d is negative", phyid);
	rt_need_proc(__func__);
	struct rt_thread *t = rt_ready(__func__);

	cJSON *cpu = cJSON_CreateObject();
	if (cpu == NULL || cJSON_AddNumberToObject(cpu, "index", index) == NULL ||
		cJSON_AddNumberToObject(cpu, "phyid", phyid) == NULL ||
		!cJSON_AddItemToArray(t->cpus, cpu))
		rt_nomem(__func__);
}
