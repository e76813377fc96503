/* SPDX-License-Identifier: MIT */
/* meta: what the metadata of a thread lacks. Keys are defined in doc/format/trace.md. */
#include "fix.h"

#include "json.h"
#include "kit/replace.h"

#include <inttypes.h>
#include <string.h>

/* Whether a stream has events of a model that it does not require. */
static bool
lacks_model(const struct fix *f, const struct stream *s, const struct model *m)
{
	uint8_t id = (uint8_t)m->id;
	if (!(f->streams[s->rank].letters[id / 64] >> id % 64 & 1) && !(m->always && !s->meta.has_require))
		return false;
	for (size_t i = 0; i < s->meta.nrequire; i++)
		if (strcmp(s->meta.require[i].model, m->name) == 0)
			return false;
	return true;
}

static const struct proc *
proc_of(const struct fix *f, uint32_t rank)
{
	const struct plan *plan = f->emu.plan;
	return &plan->sys.procs[plan->sys.threads[f->emu.thread_of_stream[rank]].proc];
}

static const struct loss *
loss_of(const struct fix *f, uint32_t rank)
{
	const struct trace *t = &f->emu.plan->trace;
	return t->losses && t->losses[rank].n ? &t->losses[rank] : NULL;
}

static void
look_at_models(struct fix *f, const struct stream *s)
{
	const struct plan *plan = f->emu.plan;
	char list[200] = "";
	size_t n = 0;
	for (size_t i = 0; i < plan->nmodels && n < sizeof(list); i++) {
		const struct model *m = plan->models[i].model;
		if (lacks_model(f, s, m))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s %s", n ? ", " : "", m->name, m->version);
	}
	if (!n)
		return;
	f->streams[s->rank].meta = true;
	fix_note(f, REPAIR_REQUIRE, s, "thread %d does not require the models of its events: %s", s->meta.tid, list);
}

void
fix_look_at_meta(struct fix *f, uint32_t rank)
{
	const struct plan *plan = f->emu.plan;
	const struct stream *s = &plan->trace.streams[rank];
	const struct thread_meta *m = &s->meta;
	struct fix_stream *fs = &f->streams[rank];
	const struct proc *p = proc_of(f, rank);
	const struct loss *lost = loss_of(f, rank);
	fs->meta = m->made_up || fs->tells_cpus || (m->ring && s->has_tail);
	if (m->made_up & MADE_UP_ALL)
		fix_note(f, REPAIR_MADE_UP, s, "thread %d has no stream.json that can be read: it is made up from the path and the events", m->tid);
	if (m->made_up & MADE_UP_APP_ID)
		fix_note(f, REPAIR_APP_ID, s, "no thread of process %d tells its app_id: it is %d", m->pid, m->app_id);
	if (m->made_up & MADE_UP_RANK)
		fix_note(f, REPAIR_RANK, s, "process %d has no rank, as others of its loom have: it is %d of %d", m->pid, m->rank, m->nranks);
	if (fs->tells_cpus) {
		const struct loom *loom = &plan->sys.looms[p->loom];
		uint32_t n = loom->ncpus == 0;
		for (uint32_t c = 0; c < loom->ncpus; c++)
			n += plan->sys.cpus[loom->first_cpu + c].made_up;
		fix_note(f, REPAIR_CPUS, s, "no thread of loom %s tells %" PRIu32 " of its CPUs: they are added", loom->name, n);
	}
	look_at_models(f, s);
	for (int type = 0; type < MARK_TYPES; type++) {
		if (f->mark_stream[type] != rank + 1)
			continue;
		fs->meta = true;
		fix_note(f, REPAIR_MARK, s, "mark type %d has no definition: it gets one without labels", type);
	}
	if (lost && s->has_tail) {
		fs->meta = true;
		fix_note(f, REPAIR_LOST, s, "thread %d lost %" PRIu64 " events: the metadata tells so", m->tid, lost->n);
	}
	if (m->finished == FINISHED_YES || f->stays_open)
		return;
	fs->meta = true;
	fix_note(f, REPAIR_FINISHED, s, "thread %d is not finished: it is from now on", m->tid);
}

/* ---- Writing. Each function returns whether there was memory. ---- */

/* Sets a member: one that is there stays where it is. The item is taken. */
static bool
set(cJSON *obj, const char *key, cJSON *item)
{
	if (!obj || !item)
		cJSON_Delete(item);
	else if (cJSON_GetObjectItemCaseSensitive(obj, key))
		return cJSON_ReplaceItemInObjectCaseSensitive(obj, key, item);
	else
		return cJSON_AddItemToObject(obj, key, item);
	return false;
}

static bool
set_number(cJSON *obj, const char *key, double v)
{
	return set(obj, key, cJSON_CreateNumber(v));
}

static bool
set_text(cJSON *obj, const char *key, const char *text)
{
	return set(obj, key, cJSON_CreateString(text));
}

/* The member that is an object; one that is not is replaced. */
static cJSON *
get_object(cJSON *obj, const char *key)
{
	cJSON *have = cJSON_GetObjectItemCaseSensitive(obj, key);
	if (cJSON_IsObject(have))
		return have;
	return set(obj, key, cJSON_CreateObject()) ? cJSON_GetObjectItemCaseSensitive(obj, key) : NULL;
}

/* What a thread of libovni begins with. */
static cJSON *
make_root(const struct fix *f, uint32_t rank)
{
	const struct trace *t = &f->emu.plan->trace;
	const struct thread_meta *m = &t->streams[rank].meta;
	const char *version = "0.0.0";
	for (size_t i = t->nstreams; i-- > 0;)
		version = t->streams[i].meta.lib_version ? t->streams[i].meta.lib_version : version;
	cJSON *root = cJSON_CreateObject();
	bool ok = set_number(root, "version", 3);
	cJSON *ovni = get_object(root, "ovni");
	cJSON *lib = get_object(ovni, "lib");
	ok = ok && set_text(lib, "version", version) && set_text(lib, "commit", "unknown") && set_text(ovni, "part", "thread") &&
		set_number(ovni, "tid", m->tid) && set_number(ovni, "pid", m->pid) && set_text(ovni, "loom", m->loom) &&
		set_number(ovni, "app_id", proc_of(f, rank)->app_id);
	if (ok)
		return root;
	cJSON_Delete(root);
	return NULL;
}

static bool
add_cpu(cJSON *list, int index, int phyid)
{
	cJSON *cpu = cJSON_CreateObject();
	bool ok = set_number(cpu, "index", index) && set_number(cpu, "phyid", phyid);
	if (ok && cJSON_AddItemToArray(list, cpu))
		return true;
	cJSON_Delete(cpu);
	return false;
}

static bool
add_cpus(const struct fix *f, uint32_t rank, cJSON *ovni)
{
	const struct system *sys = &f->emu.plan->sys;
	const struct loom *loom = &sys->looms[proc_of(f, rank)->loom];
	cJSON *list = cJSON_GetObjectItemCaseSensitive(ovni, "loom_cpus");
	if (!cJSON_IsArray(list)) {
		if (!set(ovni, "loom_cpus", cJSON_CreateArray()))
			return false;
		list = cJSON_GetObjectItemCaseSensitive(ovni, "loom_cpus");
	}
	bool ok = loom->ncpus || add_cpu(list, 0, 0);
	for (uint32_t i = loom->first_cpu; ok && i < loom->first_cpu + loom->ncpus; i++)
		ok = !sys->cpus[i].made_up || add_cpu(list, sys->cpus[i].index, sys->cpus[i].phyid);
	return ok;
}

static bool
add_marks(const struct fix *f, uint32_t rank, cJSON *ovni)
{
	bool ok = true;
	for (int type = 0; type < MARK_TYPES && ok; type++) {
		char key[16];
		char title[32];
		if (f->mark_stream[type] != rank + 1)
			continue;
		(void)snprintf(key, sizeof(key), "%d", type);
		(void)snprintf(title, sizeof(title), "Mark type %d", type);
		cJSON *def = get_object(get_object(ovni, "mark"), key);
		bool stack = f->emu.plan->options.learned->kept[MARK_MODEL][type] == CHAN_STACK + 1;
		ok = set_text(def, "title", title) && set_text(def, "chan_type", stack ? "stack" : "single");
	}
	return ok;
}

static bool
add_models(const struct fix *f, const struct stream *s, cJSON *ovni)
{
	const struct plan *plan = f->emu.plan;
	bool ok = true;
	for (size_t i = 0; i < plan->nmodels && ok; i++) {
		const struct model *m = plan->models[i].model;
		if (lacks_model(f, s, m))
			ok = set_text(get_object(ovni, "require"), m->name, m->version);
	}
	return ok;
}

/* Adds what is missing, as libovni orders it. */
static bool
edit(const struct fix *f, uint32_t rank, cJSON *ovni)
{
	const struct stream *s = &f->emu.plan->trace.streams[rank];
	const struct thread_meta *m = &s->meta;
	const struct loss *lost = s->has_tail ? loss_of(f, rank) : NULL;
	bool ok = add_models(f, s, ovni) && add_marks(f, rank, ovni);
	if (m->made_up & MADE_UP_APP_ID)
		ok = ok && set_number(ovni, "app_id", m->app_id);
	if (m->made_up & MADE_UP_RANK)
		ok = ok && set_number(ovni, "rank", m->rank) && set_number(ovni, "nranks", m->nranks);
	if (f->streams[rank].tells_cpus)
		ok = ok && add_cpus(f, rank, ovni);
	if (lost)
		ok = ok && set_number(ovni, "lost", (double)lost->n) && set_number(ovni, "lost_since", (double)lost->since);
	if (m->ring && s->has_tail)
		ok = ok && set_number(get_object(ovni, "ring"), "since", (double)f->streams[rank].since) && set_number(get_object(ovni, "ring"), "shared", m->shared);
	return ok && (f->stays_open || set_number(ovni, "finished", 1));
}

static int
put(struct fix *f, const char *to, const char *like, const char *text)
{
	struct replace out;
	int rc = replace_open(&out, f->diag, to, like, "repaired");
	if (rc < 0)
		return rc;
	replace_put(&out, text, strlen(text));
	replace_put(&out, "\n", 1);
	return replace_commit(&out);
}

int
fix_write_meta(struct fix *f, uint32_t rank, const char *to, bool is_new)
{
	const struct stream *s = &f->emu.plan->trace.streams[rank];
	const char *slash = strrchr(s->in.path, '/');
	const char *from = arena_printf(&f->arena, "%.*sstream.json", slash ? (int)(slash + 1 - s->in.path) : 0, s->in.path);
	cJSON *root = NULL;
	int rc = from ? 0 : diag_no_memory(f->diag);
	if (rc == 0 && s->meta.made_up & MADE_UP_ALL)
		root = make_root(f, rank);
	else if (rc == 0)
		rc = json_load(f->diag, from, &root);
	cJSON *ovni = cJSON_GetObjectItemCaseSensitive(root, "ovni");
	bool ok = rc == 0 && ovni && edit(f, rank, ovni);
	char *text = ok ? cJSON_Print(root) : NULL;
	if (rc == 0)
		rc = text ? put(f, to, is_new ? s->in.path : NULL, text) : diag_no_memory(f->diag);
	cJSON_free(text);
	cJSON_Delete(root);
	return rc;
}
