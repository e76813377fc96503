/* SPDX-License-Identifier: MIT */
/* manifest: laplace.json, and the same keys on the command line. */
#include "json.h"
#include "stream.h"

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

__attribute__((format(printf, 3, 4))) static int
bad(struct laplace *l, const char *key, const char *fmt, ...)
{
	char text[300];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	struct diag *d = l->trace->diag;
	l->log.counts[LAP_LJ01]++;
	if (l->source.has_manifest)
		return diag_error(d, ERR_LAPLACE, &(struct place){ .file = MANIFEST }, "LJ01: the key \"%s\" %s", key, text);
	return diag_error(d, ERR_USAGE, &(struct place){ .file = "the command line" },
		"LJ01: the key \"%s\" %s\nhint: %s --help-laplace lists the options", key, text, d->program);
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
	bool required;            /* it has no default, and cannot be set */
	size_t offset;            /* of the value in struct laplace_source */
	uint64_t most;            /* at most 2^53 */
	const char *const *words; /* NULL at the end */
};

#define TO(field) .offset = offsetof(struct laplace_source, field)

/* Required ones first, in the order in which they are looked at. */
static const struct key keys[] = {
	{ "version", FIXED, .required = true, .most = 1 },
	{ "format", WORD, .words = (const char *const[]){ "laplace", NULL }, .required = true, TO(format) },
	{ "name", TEXT, TO(name) },
	{ "freq_hz", NUMBER, TO(freq), .most = UINT64_C(1) << 50 },
	{ "endian", WORD, .words = (const char *const[]){ "little", "big", NULL }, TO(endian) },
	{ "dialect", WORD, .words = lap_dialect_names, TO(dialect) },
	{ "page_size", FIXED, .most = LAP_PAGE_SIZE },
	{ "kernel_base", BASE, TO(kernel_base) },
	{ "kernel_refs", WORD, .words = (const char *const[]){ "task", "kernel-thread", NULL }, TO(kernel_thread) },
	{ "offset_unit", WORD, .words = (const char *const[]){ "byte", "page", NULL }, TO(offset_in_pages) },
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
parse_word(struct laplace *l, const struct key *k, const cJSON *item, uint8_t *to)
{
	char list[200] = "";
	size_t at = 0;
	for (uint8_t i = 0; k->words[i] && at < sizeof(list); i++) {
		if (cJSON_IsString(item) && strcmp(item->valuestring, k->words[i]) == 0) {
			*to = i;
			return 0;
		}
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s\"%s\"", i ? ", " : "", k->words[i]);
	}
	return bad(l, k->name, "must be one of %s", list);
}

/* A whole number: as a number of JSON, or as text on the command line. */
static int
parse_number(struct laplace *l, const struct key *k, const cJSON *item, uint64_t max, uint64_t *to)
{
	char *end = NULL;
	errno = 0;
	if (cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= (double)max) {
		*to = (uint64_t)item->valuedouble;
		if ((double)*to == item->valuedouble)
			return 0;
	} else if (cJSON_IsString(item) && !l->source.has_manifest && item->valuestring[0] >= '0' && item->valuestring[0] <= '9') {
		*to = strtoull(item->valuestring, &end, 10);
		if (!*end && !errno && *to <= max)
			return 0;
	}
	return bad(l, k->name, "must be a whole number up to %llu", (unsigned long long)max);
}

static int
parse_value(struct laplace *l, const struct key *k, const cJSON *item)
{
	void *to = (char *)&l->source + k->offset;
	const char *text = cJSON_IsString(item) ? item->valuestring : "";
	uint64_t v = 0;
	int rc;
	switch (k->type) {
	case WORD: return parse_word(l, k, item, to);
	case BASE:
		if (lapref_number(text, strlen(text), 8, &v) != 0)
			return bad(l, k->name, "must be a string of up to 8 hexadecimal digits");
		*(uint32_t *)to = (uint32_t)v;
		return 0;
	case NUMBER:
		rc = parse_number(l, k, item, k->most, to);
		return rc == 0 && l->source.freq == 0 ? bad(l, k->name, "must not be 0") : rc;
	case FIXED:
		rc = parse_number(l, k, item, UINT32_MAX, &v);
		return rc == 0 && v != k->most ? bad(l, k->name, "must be %u: nothing else is known", (unsigned)k->most) : rc;
	default:
		if (!*text)
			return bad(l, k->name, "must be a string, and not empty");
		l->source.name = arena_strndup(&l->trace->arena, text, strlen(text));
		return l->source.name ? 0 : diag_no_memory(l->trace->diag);
	}
}

/* ---- Files. ---- */

static int
parse_file(struct laplace *l, const cJSON *cpu, const char *key, const char **path)
{
	const cJSON *item = json_find(cpu, key, NULL);
	if (!item)
		return 0;
	if (!cJSON_IsString(item) || !*item->valuestring)
		return bad(l, key, "must be the name of a file");
	const char *name = item->valuestring;
	*path = *name == '/' ? arena_printf(&l->trace->arena, "%s", name)
			     : arena_printf(&l->trace->arena, "%s/%s", l->trace->dir, name);
	return *path ? 0 : diag_no_memory(l->trace->diag);
}

static int
parse_cpus(struct laplace *l, const cJSON *cpus)
{
	int n = cJSON_IsArray(cpus) ? cJSON_GetArraySize(cpus) : 0;
	if (n == 0)
		return bad(l, "cpus", cpus ? "must be a list of objects" : "is missing");
	if (n > LAPLACE_CPUS)
		return bad(l, "cpus", "has %d CPUs: there may be %d", n, LAPLACE_CPUS);
	struct laplace_cpu *list = arena_new(&l->trace->arena, struct laplace_cpu, (size_t)n);
	if (!list)
		return diag_no_memory(l->trace->diag);
	l->source.cpus = list;
	const cJSON *item;
	int rc = 0;
	cJSON_ArrayForEach(item, cpus)
	{
		struct laplace_cpu *cpu = &list[l->source.ncpus++];
		if (!cJSON_IsObject(item))
			return bad(l, "cpus", "must be a list of objects");
		rc = parse_file(l, item, "references", &cpu->references);
		if (rc == 0)
			rc = parse_file(l, item, "kernel", &cpu->kernel);
		if (rc == 0 && !cpu->references && !cpu->kernel)
			rc = bad(l, "cpus", "must tell \"references\", \"kernel\", or both, of CPU %u", l->source.ncpus - 1);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- The manifest, and the command line. ---- */

static int
parse_manifest(struct laplace *l, const cJSON *root)
{
	int rc = 0;
	for (const struct key *k = keys; k->required && rc == 0; k++) {
		const cJSON *item = json_find(root, k->name, NULL);
		rc = item ? parse_value(l, k, item) : bad(l, k->name, "is missing");
	}
	const cJSON *item;
	cJSON_ArrayForEach(item, root)
	{
		const struct key *k = find_key(item->string);
		if (rc == 0 && k && !k->required)
			rc = parse_value(l, k, item);
		else if (rc == 0 && !k && strcmp(item->string, "cpus") != 0)
			diag_warn(l->trace->diag, &(struct place){ .file = MANIFEST }, "the key \"%s\" is not known", item->string);
	}
	return rc < 0 ? rc : parse_cpus(l, json_find(root, "cpus", NULL));
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
	bool manifest = l->source.has_manifest;
	l->source.has_manifest = false; /* for messages, and numbers are text */
	const struct key *k = find_key(key);
	int rc = k && !k->required ? parse_value(l, k, item)
				   : bad(l, key, "is not one that can be set: name, freq_hz, endian, dialect, page_size, kernel_base, kernel_refs, offset_unit");
	l->source.has_manifest = manifest;
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
