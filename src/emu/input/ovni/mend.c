/* SPDX-License-Identifier: MIT */
/* mend: goes on where metadata of version 3 is missing or damaged, for who repairs it. */
#include "parts.h"

#include "idmap.h"
#include "json.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Where the metadata of a stream file is. */
static char *
json_beside(struct trace *t, const char *obs)
{
	const char *slash = strrchr(obs, '/');
	return arena_printf(&t->arena, "%.*sstream.json", slash ? (int)(slash + 1 - obs) : 0, obs);
}

static int
add(struct trace *t, struct found_list *list, const struct stream_file *obs, char *path)
{
	char *relpath = json_beside(t, obs->relpath);
	if (!relpath || !arena_grow(&t->arena, &list->files, list->n, &list->cap, sizeof(*list->files)))
		return diag_no_memory(t->diag);
	list->files[list->n++] = (struct stream_file){ .path = path, .relpath = relpath };
	return 0;
}

int
mend_find(struct trace *t, struct found *f)
{
	const char *last = "";
	for (size_t i = 0; i < f->obs.n; i++) {
		struct stat st;
		char *path = json_beside(t, f->obs.files[i].path);
		if (!path)
			return diag_no_memory(t->diag);
		if (strcmp(path, last) == 0 || lstat(path, &st) == 0 || errno != ENOENT)
			continue; /* one that is there and cannot be read was told */
		last = path;
		struct thread_meta m = { 0 };
		int rc = bare_guess(t, &m, path, false);
		if (rc < 0)
			return rc;
		if (m.loom && m.pid && m.tid)
			rc = add(t, &f->json, &f->obs.files[i], path);
		else
			diag_warn(t->diag, &(struct place){ .file = f->obs.files[i].relpath },
				"there is no stream.json, and the path is not of the form loom.NAME/proc.PID/thread.TID: the stream is left out");
		if (rc < 0)
			return rc;
	}
	return 0;
}

int
mend_load(struct stream *s, const char *json_path)
{
	struct trace *t = s->trace;
	struct stat st;
	bool good = false;
	if (stat(json_path, &st) == 0) {
		cJSON *root = NULL;
		t->diag->soften = true;
		int rc = json_load(t->diag, json_path, &root);
		t->diag->soften = false;
		good = rc == 0;
		cJSON_Delete(root);
		if (rc < 0 && rc != -ERR_JSON)
			return rc;
	}
	if (good)
		return tmeta_load_v3(s, json_path, NULL);
	s->meta.part = "thread";
	s->meta.finished = FINISHED_NO;
	s->meta.made_up = MADE_UP_ALL;
	int rc = bare_guess(t, &s->meta, s->in.path, false);
	if (rc == 0 && !(s->meta.loom && s->meta.pid && s->meta.tid))
		rc = diag_error(t->diag, ERR_METADATA, &(struct place){ .file = s->relpath },
			"the path of a thread without metadata must be of the form loom.NAME/proc.PID/thread.TID");
	return rc;
}

/* Whether two streams, neighbours in path order, are of one process. */
static bool
same_proc(const struct thread_meta *a, const struct thread_meta *b)
{
	return a->loom && b->loom && a->pid == b->pid && strcmp(a->loom, b->loom) == 0;
}

/* Returns the end of the process that begins there. */
static size_t
find_end(const struct trace *t, size_t i)
{
	size_t end = i + 1;
	while (end < t->nstreams && same_proc(&t->streams[i].meta, &t->streams[end].meta))
		end++;
	return end;
}

static int
max_rank(const struct trace *t, size_t i, size_t end, int *app_id)
{
	int rank = -1;
	for (; i < end; i++) {
		const struct thread_meta *m = &t->streams[i].meta;
		rank = m->rank > rank ? m->rank : rank;
		*app_id = m->app_id ? m->app_id : *app_id;
	}
	return rank;
}

/* Notes the ranks that are taken. Returns 0, or <0 (reported). */
static int
take_ranks(struct trace *t, struct idmap *taken, int *nranks)
{
	for (size_t i = 0; i < t->nstreams; i++) {
		struct thread_meta *m = &t->streams[i].meta;
		if (m->rank < 0)
			continue;
		struct idmap_slot *slot = idmap_slot(taken, &t->arena, (uint64_t)m->rank);
		if (!slot)
			return diag_no_memory(t->diag);
		slot->value = m;
		*nranks = m->nranks;
	}
	return 0;
}

/* Whether some process of the loom has a rank. */
static bool
is_ranked(const struct trace *t, const char *loom)
{
	for (size_t i = 0; i < t->nstreams; i++)
		if (t->streams[i].meta.rank >= 0 && t->streams[i].meta.loom && strcmp(t->streams[i].meta.loom, loom) == 0)
			return true;
	return false;
}

int
mend_processes(struct trace *t)
{
	struct idmap taken = { 0 };
	const char *loom = ""; /* the last one without ranks that was looked at */
	bool ranked = false;
	int nranks = 0;
	int next = 0;
	int rc = take_ranks(t, &taken, &nranks);
	for (size_t i = 0, end; i < t->nstreams && rc == 0; i = end) {
		struct thread_meta *m = &t->streams[i].meta;
		int app_id = 0;
		end = find_end(t, i);
		int rank = max_rank(t, i, end, &app_id);
		if (m->loom && !app_id) {
			m->app_id = 1;
			m->made_up |= MADE_UP_APP_ID;
		}
		if (rank >= 0 || !m->loom || !nranks)
			continue;
		if (strcmp(loom, m->loom) != 0)
			ranked = is_ranked(t, m->loom);
		loom = m->loom;
		while (ranked && next < nranks && idmap_find(&taken, (uint64_t)next))
			next++;
		if (ranked && next < nranks) {
			m->rank = next++;
			m->nranks = nranks;
			m->made_up |= MADE_UP_RANK;
		}
	}
	return rc;
}
