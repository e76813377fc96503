/* SPDX-License-Identifier: MIT */
/* attr: programs set and get values under dotted keys in the metadata of their thread. */
#include <errno.h>
#include <math.h>
#include "rt.h"
#include "utf8.h"

/* The caller's thread, locked, to set key in its metadata. */
static struct rt_thread *
to_set(const char *func, const char *key)
{
	(void)rt_ready(func);
	if (key == NULL)
		rt_die(func, "key is NULL");
	if (!utf8_is_text(key))
		rt_die(func, "key is not UTF-8");
	return rt_enter(func);
}

/* Lets it go, with a value that was set. */
static void
was_set(struct rt_thread *t, const char *func)
{
	rt_meta_changed(t, RT_WHEN_FLUSHED, func);
	rt_leave(t);
}

/* The value of the caller under key, which must be there. Only the caller changes it, so that it
 * can be read without the lock. */
static const struct json *
to_get(const char *func, const char *key)
{
	struct rt_thread *t = rt_ready(func);

	if (key == NULL)
		rt_die(func, "key is NULL");
	(void)pthread_mutex_lock(&t->lock);
	const struct json *v = rt_find(t->meta, key);
	rt_leave(t);
	if (v == NULL)
		rt_die(func, "there is no key \"%s\"", key);
	return v;
}

int
ovni_attr_has(const char *key)
{
	(void)rt_ready(__func__);
	if (key == NULL)
		rt_die(__func__, "key is NULL");
	struct rt_thread *t = rt_enter(__func__);
	bool has = rt_find(t->meta, key) != NULL;
	rt_leave(t);
	return has;
}

void
ovni_attr_set_double(const char *key, double num)
{
	struct rt_thread *t = to_set(__func__, key);

	if (!isfinite(num))
		rt_die(__func__, "the value for key \"%s\" is not finite", key);
	rt_set(t->meta, __func__, key, rt_json_number(num));
	was_set(t, __func__);
}

void
ovni_attr_set_boolean(const char *key, int value)
{
	struct rt_thread *t = to_set(__func__, key);
	rt_set(t->meta, __func__, key, rt_json_new(value ? JSON_TRUE : JSON_FALSE));
	was_set(t, __func__);
}

void
ovni_attr_set_str(const char *key, const char *value)
{
	struct rt_thread *t = to_set(__func__, key);
	rt_set_str(t->meta, __func__, key, value);
	was_set(t, __func__);
}

void
ovni_attr_set_json(const char *key, const char *json)
{
	struct rt_thread *t = to_set(__func__, key);

	if (json == NULL)
		rt_die(__func__, "the value for key \"%s\" is NULL", key);
	struct json *v = rt_json_parse(json);
	if (v == NULL && errno == ENOMEM)
		rt_nomem(__func__);
	if (v == NULL)
		rt_die(__func__, "the value for key \"%s\" is not valid JSON", key);
	rt_set(t->meta, __func__, key, v);
	was_set(t, __func__);
}

double
ovni_attr_get_double(const char *key)
{
	const struct json *v = to_get(__func__, key);

	if (v->kind != JSON_NUMBER)
		rt_die(__func__, "\"%s\" is not a number", key);
	return v->number;
}

int
ovni_attr_get_boolean(const char *key)
{
	const struct json *v = to_get(__func__, key);

	if (v->kind != JSON_TRUE && v->kind != JSON_FALSE)
		rt_die(__func__, "\"%s\" is not a boolean", key);
	return v->kind == JSON_TRUE;
}

const char *
ovni_attr_get_str(const char *key)
{
	const struct json *v = to_get(__func__, key);

	if (v->kind != JSON_STRING)
		rt_die(__func__, "\"%s\" is not a string", key);
	return v->text;
}

char *
ovni_attr_get_json(const char *key)
{
	const struct json *v = to_get(__func__, key);
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
	struct rt_thread *t = rt_enter(__func__);

	/* Events go on when this fails: the end of the thread writes it all again. */
	if (t->on_disk && t->end == RT_END_NONE)
		(void)rt_meta_write(t, __func__);
	rt_leave(t);
}
