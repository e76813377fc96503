/* SPDX-License-Identifier: MIT */
/* mark: definitions of mark types. The metadata tree is the only record of them. */
#include <inttypes.h>
#include "rt.h"

enum {
	NTYPES = 100, /* readers number the timelines 100 + type, up to 199 */
};

static void
check_type(const char *func, int32_t type)
{
	if (type < 0 || type >= NTYPES)
		rt_die(func, "type %" PRIi32 " is not in 0 to %d", type, NTYPES - 1);
}

static void
check_text(const char *func, const char *what, const char *text)
{
	if (text == NULL || text[0] == '\0')
		rt_die(func, "the %s is %s", what, text == NULL ? "NULL" : "empty");
	if (strlen(text) >= RT_TEXT_MAX)
		rt_die(func, "the %s has more than %d bytes", what, RT_TEXT_MAX - 1);
}

void
ovni_mark_type(int32_t type, long flags, const char *title)
{
	char key[RT_KEY_MAX];

	check_type(__func__, type);
	check_text(__func__, "title", title);
	struct rt_thread *t = rt_enter(__func__);

	(void)snprintf(key, sizeof(key), "ovni.mark.%" PRIi32, type);
	if (rt_find(t->meta, key) != NULL)
		rt_die(__func__, "type %" PRIi32 " is defined already", type);
	(void)snprintf(key, sizeof(key), "ovni.mark.%" PRIi32 ".title", type);
	rt_set_str(t->meta, __func__, key, title);
	(void)snprintf(key, sizeof(key), "ovni.mark.%" PRIi32 ".chan_type", type);
	rt_set_str(t->meta, __func__, key, flags & OVNI_MARK_STACK ? "stack" : "single");
	rt_meta_changed(t, RT_NOW, __func__);
	rt_leave(t);
}

void
ovni_mark_label(int32_t type, int64_t value, const char *label)
{
	char key[RT_KEY_MAX];

	check_type(__func__, type);
	if (value <= 0)
		rt_die(__func__, "value %" PRIi64 " is not above 0", value);
	check_text(__func__, "label", label);
	struct rt_thread *t = rt_enter(__func__);

	(void)snprintf(key, sizeof(key), "ovni.mark.%" PRIi32, type);
	if (rt_find(t->meta, key) == NULL)
		rt_die(__func__, "type %" PRIi32 " is not defined", type);
	(void)snprintf(key, sizeof(key), "ovni.mark.%" PRIi32 ".labels.%" PRIi64, type, value);
	if (rt_find(t->meta, key) != NULL)
		rt_die(__func__, "value %" PRIi64 " of type %" PRIi32 " has a label already", value, type);
	rt_set_str(t->meta, __func__, key, label);
	rt_meta_changed(t, RT_WHEN_FLUSHED, __func__);
	rt_leave(t);
}
