/* SPDX-License-Identifier: MIT */
#include "decl/read.h"

#include "idmap.h"
#include "nearest.h"
#include "utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LIST_MAX = 400, /* bytes of what was expected */
};

/* ---- Messages. ---- */

int
decl_refuse(const struct decl_in *in, enum error code, const cJSON *item, const char *text)
{
	char path[200];
	char place[1024];
	size_t line = json_where(&in->json, item, path, sizeof(path));
	(void)snprintf(place, sizeof(place), "%s:%zu", in->file, line);
	return diag_error(in->diag, code, &(struct place){ .file = place }, "%s%s%s", path, *path ? ": " : "", text);
}

int
decl_bad(const struct decl_in *in, const cJSON *item, const char *fmt, ...)
{
	char text[LIST_MAX + 400];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return decl_refuse(in, ERR_MODEL, item, text);
}

/* The value of an item in a message. */
static const char *
shown(const cJSON *item, char *text, size_t size)
{
	if (cJSON_IsString(item))
		(void)snprintf(text, size, "\"%.60s\"", item->valuestring);
	else if (cJSON_IsNumber(item))
		(void)snprintf(text, size, "%.17g", item->valuedouble);
	else
		(void)snprintf(text, size, "%s", cJSON_IsBool(item) ? (cJSON_IsTrue(item) ? "true" : "false") : cJSON_IsNull(item) ? "null"
				: cJSON_IsArray(item)                                                                              ? "a list"
																   : "an object");
	return text;
}

static int __attribute__((format(printf, 3, 4)))
unexpected(const struct decl_in *in, const cJSON *item, const char *fmt, ...)
{
	char text[LIST_MAX];
	char have[80];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return decl_bad(in, item, "expected %s, not %s", text, shown(item, have, sizeof(have)));
}

int
decl_bad_word(const struct decl_in *in, const cJSON *item, const char *what, decl_words *words, const void *of)
{
	char list[LIST_MAX] = "";
	size_t at = 0;
	const char *typed = cJSON_IsString(item) ? item->valuestring : "";
	struct nearest best = { 0 };
	const char *word;
	for (size_t i = 0; (word = words(of, i)); i++) {
		if (at < sizeof(list))
			at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i ? ", " : "", word);
		nearest_try(&best, typed, strlen(typed), word);
	}
	char have[80];
	return decl_bad(in, item, "expected %s %s, not %s%s%s%s", what, *list ? list : "(there is none)", shown(item, have, sizeof(have)),
		best.word ? ": is \"" : "", best.word ? best.word : "", best.word ? "\" meant?" : "");
}

static const char *
word_of_key(const void *of, size_t i)
{
	const struct decl_key *k = of;
	return i < k->nwords ? k->words[i] : NULL;
}

static const char *
name_of_chan(const void *of, size_t i)
{
	const struct model *m = of;
	return i < m->nchans ? m->chans[i].name : NULL;
}

static int
unknown_key(const struct decl_in *in, const struct decl_shape *shape, const cJSON *item)
{
	char list[LIST_MAX] = "";
	size_t at = 0;
	struct nearest best = { 0 };
	for (size_t i = 0; i < shape->nkeys; i++) {
		if (at < sizeof(list))
			at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i ? ", " : "", shape->keys[i].name);
		nearest_try(&best, item->string, strlen(item->string), shape->keys[i].name);
	}
	if (best.word)
		return decl_bad(in, item, "unknown key: is \"%s\" meant?", best.word);
	return decl_bad(in, item, "unknown key, expected one of %s", list);
}

/* ---- Values. ---- */

static int
take_text(const struct decl_in *in, const cJSON *item, const char **to)
{
	if (!cJSON_IsString(item) || !*item->valuestring)
		return unexpected(in, item, "a text");
	size_t left = strlen(item->valuestring);
	uint32_t c;
	size_t k;
	for (const char *p = item->valuestring; left; p += k, left -= k) {
		k = utf8_next(p, left, &c);
		if (k == 0)
			return decl_bad(in, item, "the text is not UTF-8, from its byte %zu on", (size_t)(p - item->valuestring));
		if (utf8_is_control(c))
			return decl_bad(in, item, "the text has a control character: U+%04" PRIX32, c);
	}
	*to = arena_strndup(in->arena, item->valuestring, strlen(item->valuestring));
	return *to ? 0 : diag_no_memory(in->diag);
}

static int
take_texts(const struct decl_in *in, const cJSON *item, const char ***to, size_t *n)
{
	if (!cJSON_IsArray(item) || !item->child)
		return unexpected(in, item, "a list of texts");
	*to = arena_new(in->arena, const char *, (size_t)cJSON_GetArraySize(item));
	if (!*to)
		return diag_no_memory(in->diag);
	int rc = 0;
	for (const cJSON *it = item->child; it && rc == 0; it = it->next)
		rc = take_text(in, it, &(*to)[(*n)++]);
	return rc;
}

static int
take_number(const struct decl_in *in, const cJSON *item, const struct decl_key *k, int64_t *to)
{
	double v = item->valuedouble;
	bool number = cJSON_IsNumber(item) && v >= (double)k->min && v <= (double)k->max && (double)(int64_t)v == v;
	if (!number)
		return unexpected(in, item, "a whole number from %" PRId64 " to %" PRId64, k->min, k->max);
	*to = (int64_t)v;
	return 0;
}

static int
take_word(const struct decl_in *in, const cJSON *item, const struct decl_key *k, unsigned *to)
{
	for (unsigned i = 0; i < k->nwords; i++) {
		if (cJSON_IsString(item) && strcmp(item->valuestring, k->words[i]) == 0) {
			*to = i;
			return 0;
		}
	}
	return decl_bad_word(in, item, "one of", word_of_key, k);
}

static int
take_flags(const struct decl_in *in, const cJSON *item, const struct decl_key *k, unsigned *to)
{
	unsigned word = 0;
	unsigned flags = 0;
	const cJSON *it;
	if (!cJSON_IsArray(item))
		return decl_bad_word(in, item, "a list of", word_of_key, k);
	cJSON_ArrayForEach(it, item)
	{
		int rc = take_word(in, it, k, &word);
		if (rc < 0)
			return rc;
		if (flags & 1u << word)
			return decl_bad(in, it, "the word is there twice");
		flags |= 1u << word;
	}
	*to = flags ? flags : k->none;
	return 0;
}

static int
take_chan(const struct decl_in *in, const cJSON *item, int *to)
{
	const struct model *m = in->model;
	for (size_t i = 0; i < m->nchans; i++) {
		if (cJSON_IsString(item) && strcmp(item->valuestring, m->chans[i].name) == 0) {
			*to = (int)i;
			return 0;
		}
	}
	return decl_bad_word(in, item, "the name of a channel:", name_of_chan, m);
}

/* "value:r,g,b" with spaces between, as the views have them. */
static bool
is_palette(const char *text)
{
	for (const char *p = text;; p++) {
		p += *p == '-';
		size_t n = strspn(p, "0123456789");
		if (n == 0 || n > 18 || p[n] != ':')
			return false;
		p += n;
		for (int i = 0; i < 3; i++) {
			n = strspn(++p, "0123456789");
			if (n == 0 || n > 3 || strtol(p, NULL, 10) > 255 || (i < 2 && p[n] != ','))
				return false;
			p += n;
		}
		if (*p != ' ')
			return !*p;
	}
}

static int
take_labels(const struct decl_in *in, const cJSON *item, const struct label **to, size_t *n)
{
	struct idmap seen = { 0 };
	const cJSON *it;
	if (!cJSON_IsObject(item))
		return unexpected(in, item, "an object of texts by number");
	struct label *label = arena_new(in->arena, struct label, (size_t)cJSON_GetArraySize(item));
	if (!label)
		return diag_no_memory(in->diag);
	*to = label;
	cJSON_ArrayForEach(it, item)
	{
		char canon[24];
		errno = 0;
		label->value = strtoll(it->string, NULL, 10);
		(void)snprintf(canon, sizeof(canon), "%" PRId64, label->value);
		if (errno || strcmp(canon, it->string) != 0)
			return decl_bad(in, it, "the key is not a whole number of 64 bits");
		if (idmap_find(&seen, (uint64_t)label->value))
			return decl_bad(in, it, "the key is there twice");
		if (idmap_add(&seen, in->arena, (uint64_t)label->value, label) < 0)
			return diag_no_memory(in->diag);
		int rc = take_text(in, it, &label->text);
		if (rc < 0)
			return rc;
		label++;
		++*n;
	}
	return 0;
}

static int
take_rows(const struct decl_in *in, const cJSON *item, const struct decl_shape *shape, void **to, size_t *n)
{
	if (!cJSON_IsArray(item))
		return unexpected(in, item, "a list of objects");
	*to = arena_alloc(in->arena, (size_t)cJSON_GetArraySize(item), shape->size);
	if (!*to)
		return diag_no_memory(in->diag);
	int rc = 0;
	const cJSON *it;
	cJSON_ArrayForEach(it, item)
	{
		if ((rc = decl_read(in, it, shape, *to, *n)) < 0)
			break;
		++*n;
	}
	return rc;
}

static int
take_new(const struct decl_in *in, const cJSON *item, const struct decl_shape *shape, void **to)
{
	*to = arena_alloc(in->arena, 1, shape->size);
	return *to ? decl_read(in, item, shape, *to, 0) : diag_no_memory(in->diag);
}

static int
take_bool(const struct decl_in *in, const cJSON *item, bool *to)
{
	*to = cJSON_IsTrue(item);
	return cJSON_IsBool(item) ? 0 : unexpected(in, item, "true or false");
}

static int
take_letter(const struct decl_in *in, const cJSON *item, char *to)
{
	const char *text = NULL;
	int rc = take_text(in, item, &text);
	if (rc < 0 || !text)
		return rc;
	*to = *text;
	return text[1] ? unexpected(in, item, "one letter") : 0;
}

static int
take_palette(const struct decl_in *in, const cJSON *item, const char **to)
{
	int rc = take_text(in, item, to);
	return rc < 0 || !*to || is_palette(*to) ? rc : unexpected(in, item, "colors such as \"1:0,100,0 2:255,225,25\"");
}

static int
take_int(const struct decl_in *in, const cJSON *item, const struct decl_key *k, int *to)
{
	int64_t value = 0;
	int rc = take_number(in, item, k, &value);
	*to = (int)value;
	return rc;
}

static int
take(const struct decl_in *in, const cJSON *item, const struct decl_key *k, char *row)
{
	void *to = row + k->at;
	void *count = row + k->count;
	void *rows = NULL;
	int rc;
	switch (k->kind) {
	case KEY_TEXT: return take_text(in, item, to);
	case KEY_TEXTS: return take_texts(in, item, to, count);
	case KEY_LETTER: return take_letter(in, item, to);
	case KEY_PALETTE: return take_palette(in, item, to);
	case KEY_BOOL: return take_bool(in, item, to);
	case KEY_INT: return take_int(in, item, k, to);
	case KEY_VALUE: return take_number(in, item, k, to);
	case KEY_WORD: return take_word(in, item, k, to);
	case KEY_FLAGS: return take_flags(in, item, k, to);
	case KEY_CHAN: return take_chan(in, item, to);
	case KEY_LABELS: return take_labels(in, item, to, count);
	case KEY_OBJECT: return decl_read(in, item, k->of, to, 0);
	case KEY_NEW:
	case KEY_ROWS:
		rc = k->kind == KEY_NEW ? take_new(in, item, k->of, &rows) : take_rows(in, item, k->of, &rows, count);
		memcpy(to, &rows, sizeof(rows)); /* pointers of several types */
		return rc;
	case KEY_IGNORED:
	default: return 0;
	}
}

int
decl_read(const struct decl_in *in, const cJSON *item, const struct decl_shape *shape, void *rows, size_t i)
{
	const cJSON *found[64] = { 0 };
	const cJSON *it;
	char *row = (char *)rows + i * shape->size;
	if (!cJSON_IsObject(item))
		return unexpected(in, item, "an object");
	cJSON_ArrayForEach(it, item)
	{
		size_t k = 0;
		while (k < shape->nkeys && strcmp(shape->keys[k].name, it->string) != 0)
			k++;
		if (k == shape->nkeys)
			return unknown_key(in, shape, it);
		if (found[k])
			return decl_bad(in, it, "the key is there twice");
		found[k] = it;
	}
	if (shape->blank)
		memcpy(row, shape->blank, shape->size);
	int rc = 0;
	for (size_t k = 0; k < shape->nkeys && rc == 0; k++) {
		const struct decl_key *key = &shape->keys[k];
		if (found[k])
			rc = take(in, found[k], key, row);
		else if (key->needed)
			rc = decl_bad(in, item, "the key \"%s\" is missing", key->name);
	}
	return rc == 0 && shape->check ? shape->check(in, item, rows, i) : rc;
}
