/* SPDX-License-Identifier: MIT */
/* manifest: laplace.json, and the same keys on the command line. */
#include "json.h"
#include "stream.h"

#include "laplace/kernel.h"

#include <errno.h>
#include <stdarg.h>
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

/* One of the words; the first is 0. */
static int
parse_word(struct laplace *l, const cJSON *item, const char *const *words, int n, int *out)
{
	for (int i = 0; i < n && cJSON_IsString(item); i++)
		if (strcmp(item->valuestring, words[i]) == 0) {
			*out = i;
			return 0;
		}
	char list[200] = "";
	size_t at = 0;
	for (int i = 0; i < n && at < sizeof(list); i++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s\"%s\"", i ? ", " : "", words[i]);
	return bad(l, item->string, "must be one of %s", list);
}

/* A whole number: as a number of JSON, or as text on the command line. */
static int
parse_number(struct laplace *l, const cJSON *item, uint64_t max, uint64_t *out)
{
	char *end = NULL;
	errno = 0;
	if (cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= (double)max) {
		*out = (uint64_t)item->valuedouble;
		if ((double)*out == item->valuedouble)
			return 0;
	} else if (cJSON_IsString(item) && !l->source.has_manifest && item->valuestring[0] >= '0' && item->valuestring[0] <= '9') {
		*out = strtoull(item->valuestring, &end, 10);
		if (!*end && !errno && *out <= max)
			return 0;
	}
	return bad(l, item->string, "must be a whole number up to %llu", (unsigned long long)max);
}

static int
parse_base(struct laplace *l, const cJSON *item)
{
	uint64_t v = 0;
	const char *p = cJSON_IsString(item) ? item->valuestring : "";
	size_t n = strlen(p);
	if (n < 1 || n > 8 || strspn(p, "0123456789abcdefABCDEF") != n)
		return bad(l, item->string, "must be a string of up to 8 hexadecimal digits");
	v = strtoull(p, NULL, 16);
	l->source.kernel_base = (uint32_t)v;
	return 0;
}

static int
parse_freq(struct laplace *l, const cJSON *item)
{
	int rc = parse_number(l, item, UINT64_C(1) << 50, &l->source.freq);
	if (rc == 0 && l->source.freq == 0)
		rc = bad(l, item->string, "must not be 0");
	return rc;
}

static int
parse_fixed(struct laplace *l, const cJSON *item, uint64_t only)
{
	uint64_t v = 0;
	int rc = parse_number(l, item, UINT32_MAX, &v);
	if (rc == 0 && v != only)
		rc = bad(l, item->string, "must be %u: nothing else is known", (unsigned)only);
	return rc;
}

/* Parses a key that has a default. 1: it is another key. */
static int
parse_key(struct laplace *l, const cJSON *item)
{
	static const char *const endians[] = { "little", "big" };
	static const char *const whose[] = { "task", "kernel-thread" };
	static const char *const units[] = { "byte", "page" };
	struct laplace_source *s = &l->source;
	const char *key = item->string;
	int word = 0;
	int rc;
	if (strcmp(key, "name") == 0) {
		if (!cJSON_IsString(item) || !*item->valuestring)
			return bad(l, key, "must be a string, and not empty");
		s->name = arena_strndup(&l->trace->arena, item->valuestring, strlen(item->valuestring));
		return s->name ? 0 : diag_no_memory(l->trace->diag);
	}
	if (strcmp(key, "freq_hz") == 0)
		return parse_freq(l, item);
	if (strcmp(key, "kernel_base") == 0)
		return parse_base(l, item);
	if (strcmp(key, "page_size") == 0)
		return parse_fixed(l, item, LAP_PAGE_SIZE);
	if (strcmp(key, "endian") == 0) {
		rc = parse_word(l, item, endians, 2, &word);
		s->endian = (enum lap_endian)word;
	} else if (strcmp(key, "dialect") == 0) {
		rc = parse_word(l, item, lap_dialect_names, LAP_DIALECTS, &word);
		s->dialect = (enum lap_dialect)word;
	} else if (strcmp(key, "kernel_refs") == 0) {
		rc = parse_word(l, item, whose, 2, &word);
		s->kernel_thread = word != 0;
	} else if (strcmp(key, "offset_unit") == 0) {
		rc = parse_word(l, item, units, 2, &word);
		s->offset_in_pages = word != 0;
	} else {
		return 1;
	}
	return rc;
}

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

static int
parse_manifest(struct laplace *l, const cJSON *root)
{
	static const char *const formats[] = { "laplace" };
	const cJSON *version = json_find(root, "version", NULL);
	const cJSON *format = json_find(root, "format", NULL);
	int word;
	int rc = version ? parse_fixed(l, version, 1) : bad(l, "version", "is missing");
	if (rc == 0)
		rc = format ? parse_word(l, format, formats, 1, &word) : bad(l, "format", "is missing");
	const cJSON *item;
	cJSON_ArrayForEach(item, root)
	{
		bool known = item == version || item == format || strcmp(item->string, "cpus") == 0;
		if (rc < 0 || known)
			continue;
		rc = parse_key(l, item);
		if (rc > 0) {
			diag_warn(l->trace->diag, &(struct place){ .file = MANIFEST }, "the key \"%s\" is not known", item->string);
			rc = 0;
		}
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
	l->source.has_manifest = false; /* whose key it is, and numbers are text */
	item->string = key;
	int rc = parse_key(l, item);
	if (rc > 0)
		rc = bad(l, key, "is not one that can be set: name, freq_hz, endian, dialect, page_size, kernel_base, kernel_refs, offset_unit");
	l->source.has_manifest = manifest;
	item->string = NULL; /* of the arena */
	cJSON_Delete(item);
	return rc;
}

/* The directory of a file. */
static const char *
dir_of(struct arena *a, const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	while (n && path[n - 1] != '/')
		n--;
	while (n > 1 && path[n - 1] == '/')
		n--;
	return n ? arena_strndup(a, path, n) : ".";
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
		t->dir = dir_of(&t->arena, o->references ? o->references : o->kernel);
		if (!t->dir)
			rc = diag_no_memory(t->diag);
	}
	for (size_t i = 0; i < o->nset && rc == 0; i++)
		rc = parse_setting(l, o->set[i]);
	return rc;
}
