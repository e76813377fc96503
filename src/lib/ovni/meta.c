/* SPDX-License-Identifier: MIT */
/* meta: what stream.json says about the thread, its process and its loom. */
#include <errno.h>
#include <unistd.h>
#include "rt.h"
#include "version.h"

#define NAME "stream.json"

void
rt_meta_begin(struct rt_thread *t, const char *func, const char *loom, int app, int pid)
{
	struct json *m = t->meta = rt_json_new(JSON_OBJECT);
	t->cpus = rt_json_new(JSON_ARRAY);
	if (m == NULL || t->cpus == NULL)
		rt_nomem(func);

	rt_set(m, func, "version", rt_json_number(OVNI_METADATA_VERSION));
	rt_set_str(m, func, "ovni.lib.version", OVNI_LIB_VERSION);
	rt_set_str(m, func, "ovni.lib.commit", OVNI_GIT_COMMIT);
	rt_set_str(m, func, "ovni.part", "thread");
	rt_set(m, func, "ovni.tid", rt_json_number(t->tid));
	rt_set(m, func, "ovni.pid", rt_json_number(pid));
	rt_set_str(m, func, "ovni.loom", loom);
	rt_set(m, func, "ovni.app_id", rt_json_number(app));
	rt_set_str(m, func, "ovni.require.ovni", OVNI_MODEL_VERSION);
	t->changes = 1;
}

/* Puts the last value of a member behind all others; NULL: there is none. */
static void
put_last(struct json *ovni, const char *func, const char *name, struct json *value)
{
	rt_json_free(rt_json_take(ovni, name));
	if (value != NULL && !rt_json_put(ovni, name, strlen(name), value))
		rt_nomem(func);
}

/* Events that were lost, by reason, and since when. */
static void
put_losses(const struct rt_thread *t, struct json *ovni, const char *func)
{
	static const char *const names[] = { [RT_LOST_WRITE] = "write", [RT_LOST_SIGNAL] = "signal", [RT_LOST_EXIT] = "exit", [RT_LOST_SIZE] = "size" };
	struct json *by = rt_json_new(JSON_OBJECT);
	uint64_t sum = 0;

	for (int i = 0; i < RT_LOSSES; i++) {
		uint64_t n = atomic_load(&t->lost[i]);
		sum += n;
		if (n > 0)
			rt_set(by, func, names[i], rt_json_number((double)n));
	}
	put_last(ovni, func, "lost", rt_json_number((double)sum));
	put_last(ovni, func, "lost_by", by);
	put_last(ovni, func, "lost_since", rt_json_number((double)atomic_load(&t->lost_since)));
}

/* How exact the clock is, if it is not the system's. */
static struct json *
clock_value(struct rt_thread *t, const char *func)
{
	if (t == rt_self)
		t->counter = rt_clock_error(&t->clock_error);
	if (!t->counter)
		return NULL;
	struct json *v = rt_json_new(JSON_OBJECT);
	if (v == NULL)
		rt_nomem(func);
	rt_set_str(v, func, "source", "tsc");
	rt_set(v, func, "error_ns", rt_json_number((double)t->clock_error));
	return v;
}

/* The window that a ring keeps. */
static struct json *
ring_value(const struct rt_window *window, const char *func)
{
	const struct rt_window w = *window;
	struct json *v = rt_json_new(JSON_OBJECT);
	if (v == NULL)
		rt_nomem(func);
	rt_set(v, func, "size", rt_json_number((double)w.size));
	if (w.missed > 0)
		rt_set(v, func, "missed", rt_json_number((double)w.missed));
	if (w.since > 0) {
		rt_set(v, func, "dropped", rt_json_number((double)w.dropped));
		rt_set(v, func, "since", rt_json_number((double)w.since));
		rt_set(v, func, "snapshot", rt_json_number((double)w.snapshot));
		rt_set(v, func, "shared", rt_json_number((double)w.shared));
	}
	return v;
}

/* Writes what may still change behind the rest, in the order in which it always was there. */
static void
refresh(struct rt_thread *t, const struct rt_window *dumped, const char *func)
{
	static const char *const ended[] = { [RT_END_FREE] = NULL, [RT_END_THREAD] = "thread", [RT_END_EXIT] = "exit" };
	struct json *ovni = rt_find(t->meta, "ovni");
	bool lost = t->limit == 0;

	if (ovni == NULL || ovni->kind != JSON_OBJECT)
		rt_die(func, "\"ovni\" of the metadata is not an object");

	for (int i = 0; i < RT_LOSSES; i++)
		lost |= atomic_load(&t->lost[i]) > 0;
	put_last(ovni, func, "clock", clock_value(t, func));
	if (t->ring != NULL) {
		struct rt_window own = rt_ring_window(t);
		put_last(ovni, func, "ring", ring_value(dumped != NULL ? dumped : &own, func));
	}
	if (t->have_rank) {
		put_last(ovni, func, "rank", rt_json_number(t->rank));
		put_last(ovni, func, "nranks", rt_json_number(t->nranks));
	}
	if (t->cpus->first != NULL)
		put_last(ovni, func, "loom_cpus", t->cpus);
	/* Readers take "finished" for "whole", whoever wrote it. */
	bool whole = t->end == RT_END_FREE && t->limit > 0 && dumped == NULL;
	put_last(ovni, func, "finished", whole ? rt_json_number(1) : NULL);
	const char *how = dumped != NULL ? "dump" : ended[t->end];
	put_last(ovni, func, "ended", how != NULL ? rt_json_text(how) : NULL);
	if (lost)
		put_losses(t, ovni, func);
}

/* The file is never half written, nor missing between two versions. */
static int
write_to(struct rt_thread *t, const char *dir, const struct rt_window *dumped, const char *func)
{
	char part[PATH_MAX], path[PATH_MAX];

	if (rt_path(part, "%s/.part." NAME, dir) < 0 || rt_path(path, "%s/" NAME, dir) < 0)
		return -1;
	int fd = rt_open(part);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	if (f == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return -1;
	}
	refresh(t, dumped, func);
	errno = 0;
	rt_json_print(f, t->meta, 0);
	if (t->cpus->first != NULL)
		(void)rt_json_take(rt_find(t->meta, "ovni"), "loom_cpus");
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
		(void)unlink(part);
		errno = err;
		return -1;
	}
	return 0;
}

int
rt_meta_write(struct rt_thread *t, const char *func)
{
	t->written = t->changes;
	t->due = false;
	int rc = write_to(t, t->dir, NULL, func);
	if (rc < 0)
		rt_disk_error(func, "cannot write %s/" NAME ":", t->dir);
	return rc;
}

int
rt_meta_dump(struct rt_thread *t, const char *dir, const struct rt_window *w, const char *func)
{
	return write_to(t, dir, w, func);
}

void
rt_meta_changed(struct rt_thread *t, enum rt_when when, const char *func)
{
	t->changes++;
	if (!t->on_disk || t->end != RT_END_NONE)
		return;
	if (when == RT_NOW) {
		(void)rt_meta_write(t, func);
	} else if (when == RT_WHEN_USED || t->changes >= 2 * t->written) {
		t->due = true;
		rt_make_room(t);
	}
}

void
ovni_thread_require(const char *model, const char *version)
{
	char key[RT_KEY_MAX];
	struct version parsed;

	(void)rt_ready(__func__);
	if (model == NULL)
		rt_die(__func__, "model is NULL");
	if (strpbrk(model, " .") != NULL)
		rt_die(__func__, "model \"%s\" has a blank or a dot", model);
	if (strlen(model) < 2)
		rt_die(__func__, "model \"%s\" is too short", model);
	if (version_parse(version, &parsed) < 0)
		rt_die(__func__, "cannot parse version \"%s\" of model \"%s\"",
			version ? version : "(null)", model);
	int n = snprintf(key, sizeof(key), "ovni.require.%s", model);
	if (n < 0 || (size_t)n >= sizeof(key))
		rt_die(__func__, "model \"%s\" is too long", model);
	struct rt_thread *t = rt_enter(__func__);
	rt_set_str(t->meta, __func__, key, version);
	rt_meta_changed(t, RT_WHEN_USED, __func__);
	rt_leave(t);
}

void
ovni_proc_set_rank(int rank, int nranks)
{
	rt_need_proc(__func__);
	struct rt_thread *t = rt_enter(__func__);

	t->have_rank = true;
	t->rank = rank;
	t->nranks = nranks;
	rt_meta_changed(t, RT_NOW, __func__);
	rt_leave(t);
}

void
ovni_add_cpu(int index, int phyid)
{
	if (index < 0)
		rt_die(__func__, "index %d is negative", index);
	if (phyid < 0)
		rt_die(__func__, "phyid %d is negative", phyid);
	rt_need_proc(__func__);
	struct rt_thread *t = rt_enter(__func__);

	struct json *cpu = rt_json_new(JSON_OBJECT);
	if (cpu == NULL)
		rt_nomem(__func__);
	rt_set(cpu, __func__, "index", rt_json_number(index));
	rt_set(cpu, __func__, "phyid", rt_json_number(phyid));
	(void)rt_json_push(t->cpus, cpu);
	/* Other threads run in them: the file has half of them at least. */
	size_t n = t->cpus->nmembers;
	rt_meta_changed(t, (n & (n - 1)) == 0 ? RT_NOW : RT_WHEN_USED, __func__);
	rt_leave(t);
}
