/* SPDX-License-Identifier: MIT */
/* tree: JSON objects whose members are found and set by dotted keys. */
#include "rt.h"
#include "utf8.h"

cJSON *
rt_member(const cJSON *object, const char *name, size_t len)
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
		cJSON *m = rt_member(root, key, len);
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
	cJSON *m = rt_member(object, name, len);
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

	int ok = rt_member(root, name, strlen(name)) != NULL
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
	if (!utf8_is_text(value))
		rt_die(func, "the value for key \"%s\" is not UTF-8", key);
	rt_set(root, func, key, cJSON_CreateString(value));
}
