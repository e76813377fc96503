/* SPDX-License-Identifier: MIT */
/* manifest: laplace.json, and the same keys on the command line. */
#include "json.h"
#include "stream.h"
#include "trace.h"

#include "laplace/kernel.h"
#include "laplace/ref.h"

#include <errno.h>
#include <libgen.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MANIFEST "laplace.json"

int
lapmanifest_probe(const char *dir)
{
	struct arena a = { 0 };
	struct stat st;
	const char *path = arena_printf(&a, "%s/" MANIFEST, dir);
	int found = path && stat(path, &st) == 0;
	arena_finish(&a);
	return found;
}

/* What is read: the manifest, or a setting of the command line. */
static struct json_source
source_of(struct laplace *l, bool manifest)
{
	return (struct json_source){
		.diag = l->trace->diag,
		.arena = &l->trace->arena,
		.error = ERR_LAPLACE,
		.code = "LJ01",
		.count = &l->log.counts[LAP_LJ01],
		.file = manifest ? MANIFEST : NULL,
		.help = "--help-laplace",
		.digits = manifest ? NULL : "",
	};
}

/* ---- Values. ---- */

enum key_type {
	TEXT,
	NUMBER, /* from 1 to `most` */
	BASE,   /* hexadecimal, as a string */
	FIXED,  /* nothing but `most` */
	WORD,   /* the index of one of the words */
};

struct key {
	const char *name;
	enum key_type type;
	bool required; /* it has no default, and cannot be set */
	size_t offset; /* of the value in struct laplace_source */
	uint64_t most; /* at most 2^53; of WORD the number of words */
	const char *const *words;
};

#define TO(field) .offset = offsetof(struct laplace_source, field)

/* Required ones first, in the order in which they are looked at. */
static const struct key keys[] = {
	{ "version", FIXED, .required = true, .most = 1 },
	{ "format", WORD, .words = (const char *const[]){ "laplace" }, .most = 1, .required = true, TO(format) },
	{ "name", TEXT, TO(name) },
	{ "freq_hz", NUMBER, TO(freq), .most = UINT64_C(1) << 50 },
	{ "endian", WORD, .words = (const char *const[]){ "little", "big" }, .most = 2, TO(endian) },
	{ "dialect", WORD, .words = lap_dialect_names, .most = LAP_DIALECTS, TO(dialect) },
	{ "page_size", FIXED, .most = LAP_PAGE_SIZE },
	{ "kernel_base", BASE, TO(kernel_base) },
	{ "kernel_refs", WORD, .words = (const char *const[]){ "task", "kernel-thread" }, .most = 2, TO(kernel_thread) },
	{ "offset_unit", WORD, .words = (const char *const[]){ "byte", "page" }, .most = 2, TO(offset_in_pages) },
	{ "unknown_tags", WORD, .words = (const char *const[]){ "pass", "refuse" }, .most = 2, TO(refuse_unknown) },
};

static const struct key *
find_key(const char *name)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(name, keys[i].name) == 0)
			return &keys[i];
	return NULL;
}

static int
parse_value(struct laplace *l, const struct json_source *in, const struct key *k, const cJSON *item)
{
	void *to = (char *)&l->source + k->offset;
	const char *text = cJSON_IsString(item) ? item->valuestring : "";
	uint64_t v = 0;
	int word = 0;
	int rc;
	switch (k->type) {
	case WORD:
		rc = json_word(in, item, k->words, k->most, &word);
		*(uint8_t *)to = (uint8_t)word;
		return rc;
	case BASE:
		if (lapref_number(text, strlen(text), 8, &v) != 0)
			return json_bad(in, k->name, "must be a string of up to 8 hexadecimal digits");
		*(uint32_t *)to = (uint32_t)v;
		return 0;
	case NUMBER: return json_number(in, item, 1, k->most, to);
	case FIXED: return json_number(in, item, k->most, k->most, &v);
	default:
		if (!*text)
			return json_bad(in, k->name, "must be a string, and not empty");
		l->source.name = arena_strndup(&l->trace->arena, text, strlen(text));
		return l->source.name ? 0 : diag_no_memory(l->trace->diag);
	}
}

/* ---- Files. ---- */

static int
parse_cpus(struct laplace *l, const struct json_source *in, const cJSON *cpus)
{
	int n = cJSON_IsArray(cpus) ? cJSON_GetArraySize(cpus) : 0;
	if (n == 0)
		return json_bad(in, "cpus", cpus ? "must be a list of objects" : "is missing");
	if (n > LAPLACE_CPUS)
		return json_bad(in, "cpus", "has %d CPUs: there may be %d", n, LAPLACE_CPUS);
	struct laplace_cpu *list = arena_new(&l->trace->arena, struct laplace_cpu, (size_t)n);
	if (!list)
		return diag_no_memory(l->trace->diag);
	l->source.cpus = list;
	const char *path = arena_printf(in->arena, "%s/" MANIFEST, l->trace->dir);
	const cJSON *item;
	int rc = path ? 0 : diag_no_memory(in->diag);
	cJSON_ArrayForEach(item, cpus)
	{
		struct laplace_cpu *cpu = &list[l->source.ncpus++];
		if (!cJSON_IsObject(item))
			return json_bad(in, "cpus", "must be a list of objects");
		const cJSON *references = json_find(item, "references", NULL);
		const cJSON *kernel = json_find(item, "kernel", NULL);
		if (rc == 0 && references)
			rc = json_file(in, references, path, &cpu->references);
		if (rc == 0 && kernel)
			rc = json_file(in, kernel, path, &cpu->kernel);
		if (rc == 0 && !cpu->references && !cpu->kernel)
			rc = json_bad(in, "cpus", "must tell \"references\", \"kernel\", or both, of CPU %u", l->source.ncpus - 1);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- The manifest, and the command line. ---- */

static int
parse_manifest(struct laplace *l, const cJSON *root)
{
	const struct json_source in = source_of(l, true);
	int rc = 0;
	for (const struct key *k = keys; k->required && rc == 0; k++) {
		const cJSON *item = json_find(root, k->name, NULL);
		rc = item ? parse_value(l, &in, k, item) : json_bad(&in, k->name, "is missing");
	}
	const cJSON *item;
	cJSON_ArrayForEach(item, root)
	{
		const struct key *k = find_key(item->string);
		if (rc == 0 && k && !k->required)
			rc = parse_value(l, &in, k, item);
		else if (rc == 0 && !k && strcmp(item->string, "cpus") != 0)
			diag_warn(l->trace->diag, &(struct place){ .file = MANIFEST }, "the key \"%s\" is not known", item->string);
	}
	return rc < 0 ? rc : parse_cpus(l, &in, json_find(root, "cpus", NULL));
}

/* KEY=VALUE of the command line. */
static int
parse_setting(struct laplace *l, const char *text)
{
	const char *eq = strchr(text, '=');
	char *key = arena_strndup(&l->trace->arena, text, eq ? (size_t)(eq - text) : strlen(text));
	cJSON *item = cJSON_CreateString(eq ? eq + 1 : "");
	if (!key || !item) {
		cJSON_Delete(item);
		return diag_no_memory(l->trace->diag);
	}
	const struct json_source in = source_of(l, false);
	const struct key *k = find_key(key);
	item->string = key;
	int rc = k && !k->required ? parse_value(l, &in, k, item)
				   : json_bad(&in, key, "is not one that can be set: name, freq_hz, endian, dialect, page_size, kernel_base, kernel_refs, offset_unit, unknown_tags");
	item->string = NULL; /* of the arena */
	cJSON_Delete(item);
	return rc;
}

int
lapmanifest_read(struct laplace *l, const struct laplace_options *o)
{
	struct trace *t = l->trace;
	struct laplace_source *s = &l->source;
	*s = (struct laplace_source){ .name = "node0", .freq = 1000000000, .kernel_base = 0xc0000000 };
	int rc = 0;
	if (t->dir) {
		cJSON *root = NULL;
		const char *path = arena_printf(&t->arena, "%s/" MANIFEST, t->dir);
		s->has_manifest = true;
		rc = path ? json_load(t->diag, path, &root) : diag_no_memory(t->diag);
		if (rc == 0)
			rc = parse_manifest(l, root);
		cJSON_Delete(root);
	} else {
		struct laplace_cpu *cpu = arena_new(&t->arena, struct laplace_cpu, 1);
		if (!cpu)
			return diag_no_memory(t->diag);
		*cpu = (struct laplace_cpu){ o->references, o->kernel };
		s->cpus = cpu;
		s->ncpus = 1;
		const char *file = o->references ? o->references : o->kernel;
		char *copy = arena_strndup(&t->arena, file, strlen(file));
		t->dir = copy ? dirname(copy) : NULL;
		if (!t->dir)
			rc = diag_no_memory(t->diag);
	}
	for (size_t i = 0; i < o->nset && rc == 0; i++)
		rc = parse_setting(l, o->set[i]);
	return rc;
}
