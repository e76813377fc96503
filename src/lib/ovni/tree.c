/* SPDX-License-Identifier: MIT */
/* tree: JSON objects whose members are found and set by dotted keys. */
#include "rt.h"
#include "utf8.h"

struct json *
rt_find(const struct json *root, const char *key)
{
	for (;;) {
		size_t len = strcspn(key, ".");
		struct json *m = rt_json_member(root, key, len);
		if (m == NULL || key[len] == '\0')
			return m;
		root = m;
		key += len + 1;
	}
}

/* The object that name is in, made if need be. */
static struct json *
descend(struct json *object, const char *func, const char *key, const char *name, size_t len)
{
	struct json *m = rt_json_member(object, name, len);
	if (m != NULL) {
		if (m->kind != JSON_OBJECT)
			rt_die(func, "\"%.*s\" of key \"%s\" is not an object", (int)len, name, key);
		return m;
	}
	m = rt_json_new(JSON_OBJECT);
	if (!rt_json_put(object, name, len, m))
		rt_nomem(func);
	return m;
}

void
rt_set(struct json *root, const char *func, const char *key, struct json *value)
{
	const char *name = key;

	if (value == NULL)
		rt_nomem(func);
	for (size_t len; name[len = strcspn(name, ".")] != '\0'; name += len + 1)
		root = descend(root, func, key, name, len);

	if (!rt_json_put(root, name, strlen(name), value))
		rt_nomem(func);
}

void
rt_set_str(struct json *root, const char *func, const char *key, const char *value)
{
	if (value == NULL)
		rt_die(func, "the value for key \"%s\" is NULL", key);
	if (!utf8_is_text(value))
		rt_die(func, "the value for key \"%s\" is not UTF-8", key);
	rt_set(root, func, key, rt_json_text(value));
}
