/* SPDX-License-Identifier: MIT */
/* desc: the description of a stream, and the same keys on the command line. */
#include "arena.h"
#include "diag.h"
#include "heap.h"
#include "json.h"
#include "source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const prism_clock_words[3] = { "event", "instr", "timestamps" };

struct parse {
	struct json_source in;
	struct prism_source *s;
	bool texts; /* all values are texts */
};

/* where: for messages; NULL: the command line. */
static struct parse
parse_of(struct prism_sources *p, struct prism_source *s, const char *where, bool texts)
{
	return (struct parse){
		.in = {
			.diag = p->diag,
			.arena = p->arena,
			.error = ERR_PRISM,
			.code = "PJ01",
			.count = &p->counts[PRISM_PJ01],
			.file = where,
			.help = p->keys ? p->keys->help : "",
			.digits = texts ? "" : ", in quotes if it is above 9007199254740992",
		},
		.s = s,
		.texts = texts,
	};
}

/* ---- Values. ---- */

static int
parse_bool(const struct parse *c, const cJSON *item, bool *out)
{
	const char *text = c->texts && cJSON_IsString(item) ? item->valuestring : "";
	if (!cJSON_IsBool(item) && strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
		return json_bad(&c->in, item->string, "must be true or false");
	*out = cJSON_IsTrue(item) || *text == 't';
	return 0;
}

/* ---- Keys. ---- */

static int
parse_detail(const struct parse *c, const cJSON *item)
{
	if (!cJSON_IsObject(item))
		return json_bad(&c->in, item->string, c->texts ? "must be like mem=f0,comp=f8" : "must be an object");
	const cJSON *kind;
	cJSON_ArrayForEach(kind, item)
	{
		int k = 0;
		while (k < 4 && strcmp(kind->string, prism_kind_words[k]) != 0)
			k++;
		if (k == 4)
			return json_bad(&c->in, item->string, "knows mem, comp, sync and cxt, not \"%s\"", kind->string);
		const char *text = cJSON_IsString(kind) ? kind->valuestring : "";
		if (strlen(text) != 2 || strspn(text, "0123456789abcdefABCDEF") != 2)
			return json_bad(&c->in, item->string, "must tell \"%s\" as two hexadecimal digits, such as \"f0\"", prism_kind_words[k]);
		c->s->settings.detail[k] = (uint8_t)strtoul(text, NULL, 16);
	}
	return 0;
}

static int
parse_clock(const struct parse *c, const cJSON *item)
{
	if (!cJSON_IsObject(item))
		return json_bad(&c->in, item->string, c->texts ? "must be like instr, or mode=instr,tick_ns=2" : "must be an object");
	int rc = 0;
	const cJSON *key;
	cJSON_ArrayForEach(key, item)
	{
		int word = (int)c->s->clock;
		if (rc < 0)
			break;
		if (strcmp(key->string, "mode") == 0) {
			rc = json_word(&c->in, key, prism_clock_words, 3, &word);
			c->s->clock_set = !c->in.file;
		} else if (strcmp(key->string, "start") == 0) {
			rc = json_number(&c->in, key, 0, INT64_MAX, &c->s->start);
		} else if (strcmp(key->string, "tick_ns") == 0) {
			rc = json_number(&c->in, key, 1, INT64_MAX, &c->s->tick_ns);
		} else {
			rc = json_bad(&c->in, item->string, "knows mode, start and tick_ns, not \"%s\"", key->string);
		}
		c->s->clock = (enum prism_clock)word;
	}
	return rc;
}

static int
parse_stamps(const struct parse *c, const cJSON *item)
{
	c->s->timestamps = NULL;
	return cJSON_IsNull(item) ? 0 : json_file(&c->in, item, c->texts ? NULL : c->s->json, &c->s->timestamps);
}

static int
parse_names(const struct parse *c, const cJSON *item)
{
	c->s->names = NULL;
	return cJSON_IsNull(item) ? 0 : json_file(&c->in, item, c->texts ? NULL : c->s->json, &c->s->names);
}

/* Bytes of a number: 4 or 8. */
static int
parse_size(const struct parse *c, const cJSON *item, uint64_t *size)
{
	uint64_t v = 0;
	int rc = json_number(&c->in, item, 0, UINT32_MAX, &v);
	if (rc == 0 && v != 4 && v != 8)
		return json_bad(&c->in, item->string, "must be 4 or 8");
	*size = v;
	return rc;
}

/* Parses a key that has a default. 1: it is another key. */
static int
parse_key(const struct parse *c, const cJSON *item)
{
	struct prism_source *s = c->s;
	const char *key = item->string;
	uint64_t v = 0;
	int word = 0;
	int rc;
	if (strcmp(key, "compute_layout") == 0) {
		rc = json_word(&c->in, item, prism_layout_words, 2, &word);
		s->settings.layout = (enum prism_layout)word;
	} else if (strcmp(key, "word_size") == 0) {
		rc = parse_size(c, item, &v);
		s->settings.word_size = (unsigned)v;
	} else if (strcmp(key, "names") == 0) {
		rc = parse_names(c, item);
	} else if (strcmp(key, "name_size") == 0) {
		rc = parse_size(c, item, &v);
		s->name_size = (uint8_t)v;
	} else if (strcmp(key, "buffer_size") == 0) {
		rc = json_number(&c->in, item, 0, INT64_MAX, &s->buffer_size);
	} else if (strcmp(key, "initial_config") == 0) {
		rc = parse_detail(c, item);
	} else if (strcmp(key, "process") == 0) {
		rc = json_number(&c->in, item, 1, INT32_MAX, &v);
		s->process = (int)v;
	} else if (strcmp(key, "first_thread") == 0) {
		rc = json_number(&c->in, item, 0, INT32_MAX, &v);
		s->first_thread = (uint32_t)v;
	} else if (strcmp(key, "control_flow") == 0) {
		rc = parse_bool(c, item, &s->settings.control_flow);
	} else if (strcmp(key, "half_sizes") == 0) {
		rc = parse_bool(c, item, &s->settings.half_sizes);
	} else if (strcmp(key, "clock") == 0) {
		rc = parse_clock(c, item);
	} else if (strcmp(key, "timestamps") == 0) {
		rc = parse_stamps(c, item);
	} else {
		return 1;
	}
	return rc;
}

/* ---- Files. ---- */

static int
parse_fixed(const struct parse *c, const cJSON *root)
{
	static const char *const formats[] = { "prism" };
	const cJSON *version = json_find(root, "version", NULL);
	const cJSON *format = json_find(root, "format", NULL);
	const cJSON *events = json_find(root, "events", NULL);
	uint64_t v = 0;
	int word;
	int rc = version ? json_number(&c->in, version, 1, 1, &v) : json_bad(&c->in, "version", "is missing");
	if (rc == 0)
		rc = format ? json_word(&c->in, format, formats, 1, &word) : json_bad(&c->in, "format", "is missing");
	if (rc == 0)
		rc = events ? json_file(&c->in, events, c->s->json, &c->s->events) : json_bad(&c->in, "events", "is missing");
	return rc;
}

static bool
is_fixed(const char *key)
{
	return strcmp(key, "version") == 0 || strcmp(key, "format") == 0 || strcmp(key, "events") == 0;
}

/* Whether its format says that it is a description. */
static bool
says_prism(const cJSON *root)
{
	const cJSON *format = json_find(root, "format", NULL);
	return cJSON_IsString(format) && strcmp(format->valuestring, "prism") == 0;
}

bool
prismdesc_is(const char *path)
{
	struct diag mute = { .program = "", .level = DIAG_MUTE };
	cJSON *root = NULL;
	bool is = json_load(&mute, path, &root) == 0 && says_prism(root);
	cJSON_Delete(root);
	return is;
}

void
prismdesc_default(struct prism_source *s)
{
	*s = (struct prism_source){
		.settings = { .word_size = 8, .has_detail = true, .detail = { [PRISM_SYNC] = 0xc0, [PRISM_CXT] = 0xc0 } },
		.process = 1,
		.tick_ns = 1,
		.name_size = 8,
	};
}

int
prismdesc_read(struct prism_sources *p, const char *path, bool wanted, struct prism_source *s)
{
	struct diag *d = p->diag;
	struct parse c = parse_of(p, s, prismfiles_name(p->dir, path), false);
	cJSON *root = NULL;
	prismdesc_default(s);
	s->json = path;
	int rc = json_load(d, path, &root);
	if (rc == 0 && !wanted && !json_find(root, "events", NULL) && !says_prism(root))
		rc = 1;
	if (rc == 0)
		rc = parse_fixed(&c, root);
	const cJSON *item;
	cJSON_ArrayForEach(item, root)
	{
		if (rc != 0 || is_fixed(item->string))
			continue;
		rc = strcmp(item->string, "lost") == 0 ? json_number(&c.in, item, 0, INT64_MAX, &s->lost) : parse_key(&c, item);
		if (rc > 0) {
			diag_warn(d, &(struct place){ .file = c.in.file }, "the key \"%s\" is not known", item->string);
			rc = 0;
		}
	}
	cJSON_Delete(root);
	return rc;
}

/* ---- The command line. ---- */

/* "a=1,b=2" as an object of texts, or "1,b=2" where a is the usual key; NULL: memory is exhausted,
 * or it is none. */
static cJSON *
make_object(const char *text, const char *usual)
{
	cJSON *o = cJSON_CreateObject();
	while (o && *text) {
		char key[16];
		char value[40];
		size_t n = strcspn(text, ",");
		size_t eq = strcspn(text, "=");
		size_t from = eq < n ? eq + 1 : 0;
		bool good = (eq < n || usual) && (eq < sizeof(key) || eq >= n) && n - from < sizeof(value);
		if (good) {
			(void)snprintf(key, sizeof(key), "%.*s", (int)(from ? eq : sizeof(key) - 1), from ? text : usual);
			(void)snprintf(value, sizeof(value), "%.*s", (int)(n - from), text + from);
		}
		if (!good || !cJSON_AddStringToObject(o, key, value)) {
			cJSON_Delete(o);
			return NULL;
		}
		usual = NULL; /* only in front */
		text += n + (text[n] == ',');
	}
	return o;
}

int
prismdesc_set(struct prism_sources *p, const struct prism_setting *o, const char *where, struct prism_source *s)
{
	struct parse c = parse_of(p, s, where, true);
	char *key = arena_strndup(p->arena, o->key, strcspn(o->key, "="));
	if (!key)
		return diag_no_memory(p->diag);
	for (char *k = key; *k; k++)
		*k = *k == '-' ? '_' : *k;
	bool is_clock = strcmp(key, "clock") == 0;
	cJSON *item = is_clock || strcmp(key, "initial_config") == 0 ? make_object(o->value, is_clock ? "mode" : NULL) : NULL;
	if (!item)
		item = cJSON_CreateString(o->value);
	if (!item)
		return diag_no_memory(p->diag);
	item->string = key;
	int rc = parse_key(&c, item);
	item->string = NULL; /* of the arena */
	cJSON_Delete(item);
	if (rc > 0)
		rc = json_bad(&c.in, key, "is not one that can be set: buffer_size, clock, compute_layout, control_flow, first_thread, half_sizes, initial_config, name_size, names, process, timestamps, word_size");
	return rc;
}

int
prismdesc_check(struct prism_sources *p, struct prism_source *s)
{
	struct parse c = parse_of(p, s, s->json ? prismfiles_name(p->dir, s->json) : s->name, false);
	struct parse asked = parse_of(p, s, NULL, true);
	s->settings.name_size = s->names ? s->name_size : 0;
	s->heap = s->names ? prismheap_get(&p->heaps, p->arena, p->diag, s->names) : NULL;
	if (s->names && !s->heap)
		return -ERR_MEMORY;
	if (s->clock == PRISM_CLOCK_TIMESTAMPS && !s->timestamps)
		return json_bad(s->clock_set ? &asked.in : &c.in, "timestamps", "is missing: the mode of the clock needs that file");
	if (s->clock != PRISM_CLOCK_TIMESTAMPS && s->timestamps)
		diag_warn(p->diag, &(struct place){ .file = c.in.file },
			"the timestamps are not looked at, as the mode of the clock is another\nhint: set the key clock to mode=timestamps, or leave the timestamps out");
	return 0;
}
