/* SPDX-License-Identifier: MIT */
#include "tasktype.h"

#include "emu.h"
#include "labelhash.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	LABEL_SIZE = 512, /* a label must be shorter, as in the peer */
};

int
task_error(struct emu *emu, enum error code, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return event_error(emu, code, "%s\nmodel %s, thread %d", text, emu->cur->model->name, emu->plan->sys.threads[emu->thread].tid);
}

struct task_table *
task_table(struct emu *emu)
{
	return &emu->cur->task_tables[emu->plan->sys.threads[emu->thread].proc];
}

static void
name_type(struct task_type *type, const char *label)
{
	type->label = label;
	type->value = labelhash(label, strlen(label));
	type->awaited = false;
}

struct task_type *
tasktype_new(struct emu *emu, uint32_t id, const char *label)
{
	struct task_table *t = task_table(emu);
	struct task_type *type = arena_new(&emu->arena, struct task_type, 1);
	if (!type || !label || idmap_add(&t->types, &emu->arena, id, type) < 0) {
		(void)emu_no_memory(emu);
		return NULL;
	}
	*type = (struct task_type){ .id = id };
	name_type(type, label);
	if (emu_add_text(emu, type->value, type->label) < 0)
		return NULL;
	*(t->last ? &t->last->next : &t->first) = type;
	t->last = type;
	return type;
}

static int
create_type(struct emu *emu, const struct event *ev)
{
	struct task_table *t = task_table(emu);
	enum {
		LABEL_AT = 8, /* the count of the jumbo, the id */
	};
	uint32_t id = event_u32(ev, 4);
	const char *text = (const char *)ev->payload + LABEL_AT;
	size_t room = ev->size - LABEL_AT;
	size_t n = strnlen(text, room);
	if (n == room)
		return event_error(emu, ERR_PAYLOAD, "the label of task type %" PRIu32 " has no NUL at its end", id);
	if (n >= LABEL_SIZE)
		return task_error(emu, ERR_TASK_TYPE, "the label of task type %" PRIu32 " has %zu bytes, the most is %d",
			id, n, LABEL_SIZE - 1);
	if (id == 0)
		return task_error(emu, ERR_TASK_TYPE, "the id of a task type cannot be 0");
	struct task_type *old = idmap_find(&t->types, id);
	if (old && old->made_up)
		return 0; /* it is too late for its label */
	if (old && !old->awaited)
		return task_error(emu, ERR_TASK_TYPE, "task type %" PRIu32 " already exists in the process, with the label \"%s\"",
			id, old->label);
	char *label = n ? arena_strndup(&emu->arena, text, n) : arena_printf(&emu->arena, "(unlabeled task type %" PRIu32 ")", id);
	if (old && label) {
		name_type(old, label);
		return emu_add_text(emu, old->value, label);
	}
	return tasktype_new(emu, id, label) ? 0 : -ERR_MEMORY;
}

void
task_type_create(struct emu *emu, const struct event *ev)
{
	(void)create_type(emu, ev);
}

const char *
tasktype_unknown(struct emu *emu, uint32_t id)
{
	return arena_printf(&emu->arena, "(unknown task type %" PRIu32 ")", id);
}

const char *
tasktype_why_lost(const struct emu *emu)
{
	return emu->plan->ring ? "that was before the events that were kept" : "the program died before that was written";
}

/* Adds a type or a task that the program has created in events it did not write, with a warning
 * for all. Returns NULL without memory (reported). */
static struct task_type *
make_up_type(struct emu *emu, uint32_t id)
{
	struct place at = event_place(emu);
	often_add(&emu->tallies.types, &at, "task type %" PRIu32 " was never created: %s", id, tasktype_why_lost(emu));
	struct task_type *type = tasktype_new(emu, id, tasktype_unknown(emu, id));
	if (type)
		type->made_up = emu->plan->ring;
	return type;
}

struct task_type *
tasktype_get(struct emu *emu, uint32_t id)
{
	const struct task_table *t = task_table(emu);
	struct task_type *type = idmap_find(&t->types, id);
	if (!type && emu->plan->unfinished)
		type = make_up_type(emu, id);
	else if (!type)
		(void)task_error(emu, ERR_TASK_TYPE, "task type %" PRIu32 " does not exist in the process", id);
	return type;
}

int64_t
task_type_value(struct emu *emu, uint32_t type)
{
	const struct task_type *t = tasktype_get(emu, type);
	return t ? t->value : 0;
}

static int
add_labels(struct emu *emu, int chan)
{
	for (uint32_t p = 0; p < emu->plan->sys.nprocs; p++) {
		const struct task_table *t = &emu->cur->task_tables[p];
		for (const struct task_type *type = t->first; type; type = type->next) {
			int rc = emu_add_label(emu, chan, type->value, type->label);
			if (rc < 0)
				return rc;
			if (type->awaited)
				often_add(&emu->tallies.types, &(struct place){ 0 }, "task type %" PRIu32 " was never created: %s", type->id, tasktype_why_lost(emu));
		}
	}
	return 0;
}

int
task_finish(struct emu *emu)
{
	const struct model *m = emu->cur->model;
	int rc = 0;
	for (size_t i = 0; i < m->nchans && rc == 0; i++)
		rc = m->chans[i].values == VALUES_TEXT ? add_labels(emu, (int)i) : 0;
	return rc;
}
