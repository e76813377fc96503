/* SPDX-License-Identifier: MIT */
/* attr: values under dotted keys in the metadata of the thread. */
#include <ctype.h>
#include <math.h>
#include "rt.h"

bool
rt_utf8(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		unsigned c = *p++, low = 0x80, high = 0xbf;
		int more;
		if (c < 0x80)
			continue;
		else if (c >= 0xc2 && c <= 0xdf)
			more = 1;
		else if (c >= 0xe0 && c <= 0xef)
			more = 2;
		else if (c >= 0xf0 && c <= 0xf4)
			more = 3;
		else
			return false;
		/* The second byte keeps out long forms, surrogates and what is above
		 * U+10FFFF. */
		if (c == 0xe0)
			low = 0xa0;
		else if (c == 0xed)
			high = 0x9f;
		else if (c == 0xf0)
			low = 0x90;
		else if (c == 0xf4)
			high = 0x8f;
		for (; more > 0; more--, p++) {
			if (*p < low || *p > high)
				return false;
			low = 0x80;
			high = 0xbf;
		}
	}
	return true;
}

static cJSON *
member(const cJSON *object, const char *name, size_t len)
{
	if (!cJSON_IsObject(object))
		return NULL;
	for (cJSON *m = object->child; m != NULL; m = m->next)
		if (strncmp(m->string, name, len) == 0 && m->string[len] == '\0')
			return m;
	return NULL;
}

cJSON *
rt_find(const cJSON *root, const char *key)
{
	for (;;) {
		size_t len = strcspn(key, ".");
		cJSON *m = member(root, key, len);
		if (m == NULL || key[len] == '\0')
			return m;
		root = m;
		key += len + 1;
	}
}

/* The object that name is in, made if need be. */
static cJSON *
descend(cJSON *object, const char *func, const char *key, const char *name, size_t len)
{
	cJSON *m = member(object, name, len);
	if (m != NULL) {
		if (!cJSON_IsObject(m))
			rt_die(func, "\"%.*s\" of key \"%s\" is not an object", (int)len, name, key);
		return m;
	}
	char *copy = strndup(name, len);
	if (copy == NULL || (m = cJSON_AddObjectToObject(object, copy)) == NULL)
		rt_nomem(func);
	free(copy);
	return m;
}

void
rt_set(cJSON *root, const char *func, const char *key, cJSON *value)
{
	const char *name = key;

	if (value == NULL)
		rt_nomem(func);
	for (size_t len; name[len = strcspn(name, ".")] != '\0'; name += len + 1)
		root = descend(root, func, key, name, len);

	int ok = member(root, name, strlen(name)) != NULL
		? cJSON_ReplaceItemInObjectCaseSensitive(root, name, value)
		: cJSON_AddItemToObject(root, name, value);
	if (!ok)
		rt_nomem(func);
}

void
rt_set_str(cJSON *root, const char *func, const char *key, const char *value)
{
	if (value == NULL)
		rt_die(func, "the value for key \"%s\" is NULL", key);
	if (!rt_utf8(value))
		rt_die(func, "the value for key \"%s\" is not UTF-8", key);
	rt_set(root, func, key, cJSON_CreateString(value));
}

/* The tree of the caller, to set key in. */
static cJSON *
to_set(const char *func, const char *key)
{
	struct rt_thread *t = rt_ready(func);

	if (key == NULL)
		rt_die(func, "key is NULL");
	if (!rt_utf8(key))
		rt_die(func, "key is not UTF-8");
	return t->meta;
}

/* The value of the caller under key, which must be there. */
static cJSON *
to_get(const char *func, const char *key)
{
	struct rt_thread *t = rt_ready(func);

	if (key == NULL)
		rt_die(func, "key is NULL");
	cJSON *v = rt_find(t->meta, key);
	if (v == NULL)
		rt_die(func, "there is no key \"%s\"", key);
	return v;
}

int
ovni_attr_has(const char *key)
{
	struct rt_thread *t = rt_ready(__func__);

	if (key == NULL)
		rt_die(__func__, "key is NULL");
	return rt_find(t->meta, key) != NULL;
}

void
ovni_attr_set_double(const char *key, double num)
{
	cJSON *root = to_set(__func__, key);

	if (!isfinite(num))
		rt_die(__func__, "the value for key \"%s\" is not finite", key);
	rt_set(root, __func__, key, cJSON_CreateNumber(num));
}

void
ovni_attr_set_boolean(const char *key, int value)
{
	cJSON *root = to_set(__func__, key);
	rt_set(root, __func__, key, cJSON_CreateBool(value != 0));
}

void
ovni_attr_set_str(const char *key, const char *value)
{
	cJSON *root = to_set(__func__, key);
	rt_set_str(root, __func__, key, value);
}

/* What cJSON lets pass and readers of the file do not: 012. */
static bool
leading_zero(const char *p, const char *end)
{
	while (p < end) {
		if (*p == '"') {
			for (p++; *p != '"'; p++)
				if (*p == '\\')
					p++;
			p++;
		} else if (*p == '-' || isalnum((unsigned char)*p)) {
			if (*p == '-')
				p++;
			if (p[0] == '0' && isdigit((unsigned char)p[1]))
				return true;
			while (p < end && (isalnum((unsigned char)*p) || strchr("+-.", *p) != NULL))
				p++;
		} else {
			p++;
		}
	}
	return false;
}

/* The same for a name twice in an object, infinity (1e999) and bytes that are no text. */
static bool
fit_for_readers(const cJSON *v)
{
	if (cJSON_IsNumber(v) && !isfinite(v->valuedouble))
		return false;
	if (cJSON_IsString(v) && !rt_utf8(v->valuestring))
		return false;
	for (const cJSON *m = v->child; m != NULL; m = m->next) {
		if (m->string != NULL && (!rt_utf8(m->string) || member(v, m->string, strlen(m->string)) != m))
			return false;
		if (!fit_for_readers(m))
			return false;
	}
	return true;
}

void
ovni_attr_set_json(const char *key, const char *json)
{
	cJSON *root = to_set(__func__, key);
	const char *end = NULL;

	if (json == NULL)
		rt_die(__func__, "the value for key \"%s\" is NULL", key);
	cJSON *v = cJSON_ParseWithOpts(json, &end, 0);
	if (v == NULL || leading_zero(json, end) || !fit_for_readers(v))
		rt_die(__func__, "the value for key \"%s\" is not valid JSON", key);
	rt_set(root, __func__, key, v);
}

double
ovni_attr_get_double(const char *key)
{
	const cJSON *v = to_get(__func__, key);

	if (!cJSON_IsNumber(v))
		rt_die(__func__, "\"%s\" is not a number", key);
	return v->valuedouble;
}

int
ovni_attr_get_boolean(const char *key)
{
	const cJSON *v = to_get(__func__, key);

	if (!cJSON_IsBool(v))
		rt_die(__func__, "\"%s\" is not a boolean", key);
	return cJSON_IsTrue(v) ? 1 : 0;
}

const char *
ovni_attr_get_str(const char *key)
{
	const cJSON *v = to_get(__func__, key);

	if (!cJSON_IsString(v))
		rt_die(__func__, "\"%s\" is not a string", key);
	return v->valuestring;
}

char *
ovni_attr_get_json(const char *key)
{
	const cJSON *v = to_get(__func__, key);
	char *text = NULL;
	size_t size;

	FILE *f = open_memstream(&text, &size);
	if (f == NULL)
		rt_nomem(__func__);
	rt_json_print(f, v, -1);
	int bad = ferror(f);
	if (fclose(f) != 0 || bad)
		rt_nomem(__func__);
	return text;
}

void
ovni_attr_flush(void)
{
	struct rt_thread *t = rt_ready(__func__);

	/* Events go on when this fails: the end of the thread writes it all again. */
	if (t->fd >= 0)
		(void)rt_meta_write(t, __func__);
}
