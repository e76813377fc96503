/* SPDX-License-Identifier: MIT */
/* attr: programs set and get values under dotted keys in the metadata of their thread. */
#include <ctype.h>
#include <math.h>
#include "rt.h"
#include "utf8.h"

/* The tree of the caller, to set key in. */
static cJSON *
to_set(const char *func, const char *key)
{
	struct rt_thread *t = rt_ready(func);

	if (key == NULL)
		rt_die(func, "key is NULL");
	if (!utf8_is_text(key))
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

/* Finds numbers such as 012, which cJSON accepts and readers of the file do not. */
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

/* Finds more that cJSON accepts and readers do not: a name twice in an object, infinity (1e999), and
 * bytes that are no UTF-8. */
static bool
fit_for_readers(const cJSON *v)
{
	if (cJSON_IsNumber(v) && !isfinite(v->valuedouble))
		return false;
	if (cJSON_IsString(v) && !utf8_is_text(v->valuestring))
		return false;
	for (const cJSON *m = v->child; m != NULL; m = m->next) {
		if (m->string != NULL && (!utf8_is_text(m->string) || rt_member(v, m->string, strlen(m->string)) != m))
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
