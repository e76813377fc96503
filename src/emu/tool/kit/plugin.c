/* SPDX-License-Identifier: MIT */
#include "plugin.h"

#include "decl/decl.h"
#include "crash.h"
#include "object.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct plugin_object {
	struct plugin_object *next;
	void *handle; /* NULL: it has no code, and is known by its inode */
	dev_t dev;
	ino_t ino;
};

static const struct object_kind kind = {
	.code = ERR_MODEL,
	.symbol = "ovniscope_model",
	.type = "struct model",
	.header = "ovniscope/model.h",
	.page = "doc/howto-model.md",
	.version = OVNISCOPE_ABI,
	.size = sizeof(struct model),
};

static bool
ends_in(const char *text, const char *end)
{
	size_t n = strlen(text);
	size_t k = strlen(end);
	return n > k && strcmp(text + n - k, end) == 0;
}

bool
plugin_is_json(const char *file)
{
	return ends_in(file, ".json");
}

bool
plugin_is_file(const char *arg)
{
	return strchr(arg, '/') || ends_in(arg, ".so") || plugin_is_json(arg);
}

/* Keeps the handle, unless the object is there already: it would be a second name of the same file. */
static int
keep(struct plugins *p, struct diag *d, void *handle, bool *again)
{
	*again = false;
	for (const struct plugin_object *o = p->objects; o && !*again; o = o->next)
		*again = o->handle == handle;
	struct plugin_object *o = *again ? NULL : arena_new(&p->arena, struct plugin_object, 1);
	if (o) {
		*o = (struct plugin_object){ .next = p->objects, .handle = handle };
		p->objects = o;
		return 0;
	}
	(void)dlclose(handle);
	return *again ? 0 : diag_no_memory(d);
}

/* Makes the rows of a table as long as they are here: those of an older model are shorter. size: bytes of its
 * rows; ours: of those here. */
static int
take_rows(struct plugins *p, struct diag *d, const char *file, const char *what, const void **rows, size_t n, size_t size, size_t ours)
{
	const struct place at = { .file = file };
	if (n == 0 || !*rows || size == ours)
		return 0;
	if (size == 0)
		return diag_error(d, ERR_MODEL, &at, "its table of %s does not say how many bytes a row has", what);
	char *copy = arena_alloc(&p->arena, n, ours);
	if (!copy)
		return diag_no_memory(d);
	for (size_t i = 0; i < n; i++) {
		const char *row = (const char *)*rows + i * size;
		if (!object_is_zero(row, ours, size))
			return diag_error(d, ERR_MODEL, &at, "row %zu of its %s has %zu bytes, of which %zu are known here, and the others are not zero\n"
							     "hint: build it with the ovniscope/model.h of this ovniscope, or use a newer one",
				i, what, size, ours);
		memcpy(copy + i * ours, row, size < ours ? size : ours);
	}
	*rows = copy;
	return 0;
}

/* Makes a model of an object, as it would be built in. */
static int
take_model(struct plugins *p, struct diag *d, const char *file, const struct object *o)
{
	struct model *m = arena_new(&p->arena, struct model, 1);
	if (!m)
		return diag_no_memory(d);
	int rc = object_copy(m, o->data, o->size, &kind, d, file);
	const void *chans = m->chans;
	const void *states = m->states;
	const void *events = m->events;
	const void *breakdown = m->breakdown;
	if (rc == 0)
		rc = take_rows(p, d, file, "channels", &chans, m->nchans, m->chan_size, sizeof(*m->chans));
	if (rc == 0)
		rc = take_rows(p, d, file, "states", &states, m->nstates, m->state_size, sizeof(*m->states));
	if (rc == 0)
		rc = take_rows(p, d, file, "events", &events, m->nevents, m->event_size, sizeof(*m->events));
	if (rc == 0)
		rc = take_rows(p, d, file, "breakdowns", &breakdown, 1, m->breakdown_size, sizeof(*m->breakdown));
	m->chans = chans;
	m->states = states;
	m->events = events;
	m->breakdown = breakdown;
	return rc == 0 ? modelset_add(&p->set, d, m, file) : rc;
}

static int
load_object(struct plugins *p, struct diag *d, const char *file)
{
	struct object o;
	bool again = false;
	crash_loads(file);
	int rc = object_open(&o, &kind, d, file);
	if (o.handle) {
		int bad = keep(p, d, o.handle, &again);
		rc = rc ? rc : bad;
	}
	if (rc == 0 && !again)
		rc = take_model(p, d, file, &o);
	crash_loads(NULL);
	return rc;
}

/* A model without code. A second name of the same file is not another model. */
static int
load_json(struct plugins *p, struct diag *d, const char *file)
{
	struct stat st = { 0 }; /* what cannot be looked at cannot be read either */
	bool is = stat(file, &st) == 0;
	for (const struct plugin_object *o = p->objects; o && is; o = o->next)
		if (!o->handle && o->dev == st.st_dev && o->ino == st.st_ino)
			return 0;
	int rc = decl_load(&p->arena, d, file, &p->set);
	struct plugin_object *o = rc == 0 ? arena_new(&p->arena, struct plugin_object, 1) : NULL;
	if (!o)
		return rc == 0 ? diag_no_memory(d) : rc;
	*o = (struct plugin_object){ .next = p->objects, .dev = st.st_dev, .ino = st.st_ino };
	p->objects = o;
	return 0;
}

static int
load(struct plugins *p, struct diag *d, const char *file)
{
	return plugin_is_json(file) ? load_json(p, d, file) : load_object(p, d, file);
}

/* ---- Folders. ---- */

/* Whether a regular file has the n bytes. One that cannot be read may have them: who loads it says why not. */
static bool
has_bytes(const char *file, const char *bytes, size_t n)
{
	char text[1 << 14];
	struct stat st;
	size_t got;
	size_t kept = 0;
	bool found = false;
	if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
		return false;
	FILE *f = fopen(file, "re");
	if (!f)
		return true;
	while (!found && (got = fread(text + kept, 1, sizeof(text) - kept, f)) > 0) {
		got += kept;
		found = memmem(text, got, bytes, n) != NULL;
		kept = got < n ? got : n - 1; /* they may go on in what is read next */
		memmove(text, text + got - kept, kept);
	}
	found = found || ferror(f);
	(void)fclose(f);
	return found;
}

/* Whether a file of a folder says that it is a model. Others, such as libraries, compile_commands.json and package.json, are
 * not loaded: a library would run code. */
static bool
says_model(const char *file)
{
	static const char key[] = "\"letter\""; /* which each model needs */
	static const char schema[] = "model.schema.json\"";
	if (plugin_is_json(file))
		return has_bytes(file, key, strlen(key)) || has_bytes(file, schema, strlen(schema));
	return has_bytes(file, kind.symbol, strlen(kind.symbol) + 1);
}

static int
is_named_so(const struct dirent *e)
{
	return ends_in(e->d_name, ".so") || ends_in(e->d_name, ".json");
}

static int
by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int
load_folder(struct plugins *p, struct diag *d, const char *folder)
{
	struct dirent **list;
	int n = scandir(folder, &list, is_named_so, by_bytes);
	if (n < 0) {
		diag_warn(d, &(struct place){ .file = folder }, "a folder of " PLUGIN_FOLDERS " cannot be read: %s", strerror(errno));
		return 0;
	}
	int rc = 0;
	for (int i = 0; i < n; i++) {
		const char *file = rc == 0 ? arena_printf(&p->arena, "%s/%s", folder, list[i]->d_name) : NULL;
		if (rc == 0 && !file)
			rc = diag_no_memory(d);
		else if (rc == 0 && says_model(file))
			rc = load(p, d, file);
		else if (rc == 0)
			diag_debug(d, "%s is no model: it has no %s", file, plugin_is_json(file) ? "key \"letter\"" : "symbol ovniscope_model");
		free(list[i]);
	}
	free(list);
	return rc;
}

static int
load_folders(struct plugins *p, struct diag *d, const char *folders)
{
	int rc = 0;
	while (*folders && rc == 0) {
		size_t n = strcspn(folders, ":");
		const char *folder = arena_strndup(&p->arena, folders, n);
		if (!folder)
			return diag_no_memory(d);
		rc = n ? load_folder(p, d, folder) : 0;
		folders += n + (folders[n] == ':');
	}
	return rc;
}

int
plugins_load(struct plugins *p, const struct cli *cli, struct diag *d)
{
	const char *folders = getenv(PLUGIN_FOLDERS);
	for (size_t i = 0; i < p->files.n; i++)
		if (!plugin_is_file(p->files.items[i]))
			return cli_usage(cli, "--model needs a file (.so or .json), not '%s'", p->files.items[i]);
	if (folders || p->files.n)
		crash_watch(d->program, &p->set);
	int rc = folders ? load_folders(p, d, folders) : 0;
	for (size_t i = 0; i < p->files.n && rc == 0; i++)
		rc = load(p, d, p->files.items[i]);
	return rc < 0 ? CLI_FAILED : CLI_END;
}

void
plugins_close(struct plugins *p)
{
	crash_forget();
	for (struct plugin_object *o = p->objects; o; o = o->next)
		if (o->handle)
			(void)dlclose(o->handle);
	arena_finish(&p->arena);
}
