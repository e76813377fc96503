/* SPDX-License-Identifier: MIT */
#include "task.h"

#include "emu.h"
#include "labelhash.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	LABEL_SIZE = 512, /* a label must be shorter, as in the peer */
};

/* Reports an error with its model and thread. Returns <0. */
__attribute__((format(printf, 3, 4))) static int
task_error(struct emu *emu, enum error code, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return event_error(emu, code, "%s\nmodel %s, thread %d", text, emu->cur->model->name, emu->plan->sys.threads[emu->thread].tid);
}

static struct task_table *
table(struct emu *emu)
{
	return &emu->cur->task_tables[emu->plan->sys.threads[emu->thread].proc];
}

static struct task_stack *
task_stack(struct emu *emu)
{
	return &emu->cur->task_stacks[emu->thread];
}

static void
name_type(struct task_type *type, const char *label)
{
	type->label = label;
	type->value = labelhash(label, strlen(label));
	type->awaited = false;
}

/* Adds a type to the process. Returns NULL without memory (reported); label may be NULL then. */
static struct task_type *
new_type(struct emu *emu, uint32_t id, const char *label)
{
	struct task_table *t = table(emu);
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
	struct task_table *t = table(emu);
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
	return new_type(emu, id, label) ? 0 : -ERR_MEMORY;
}

void
task_type_create(struct emu *emu, const struct event *ev)
{
	(void)create_type(emu, ev);
}

static const char *
unknown_label(struct emu *emu, uint32_t id)
{
	return arena_printf(&emu->arena, "(unknown task type %" PRIu32 ")", id);
}

static const char *
why_not_created(const struct emu *emu)
{
	return emu->plan->ring ? "that was before the events that were kept" : "the program died before that was written";
}

/* Adds a type or a task that the program has created in events it did not write, with a warning
 * for all. Returns NULL without memory (reported). */
static struct task_type *
make_up_type(struct emu *emu, uint32_t id)
{
	struct place at = event_place(emu);
	often_add(&emu->tallies.types, &at, "task type %" PRIu32 " was never created: %s", id, why_not_created(emu));
	struct task_type *type = new_type(emu, id, unknown_label(emu, id));
	if (type)
		type->made_up = emu->plan->ring;
	return type;
}

/* Makes a task, and has the slot lead to it. Returns NULL without memory (not reported); the slot may be NULL then. */
static struct task *
new_task(struct emu *emu, struct idmap_slot *slot, uint32_t id, struct task_type *type, unsigned flags)
{
	struct task_table *t = table(emu);
	struct task *task = slot ? t->unused : NULL;
	if (task)
		t->unused = task->next;
	else if (slot)
		task = arena_new(&emu->arena, struct task, 1);
	if (task) {
		*task = (struct task){ .id = id, .flags = flags, .type = type, .slot = slot };
		slot->value = task;
	}
	return task;
}

static struct task *
make_up_task(struct emu *emu, uint32_t id, uint32_t body)
{
	struct task_table *t = table(emu);
	struct place at = event_place(emu);
	often_add(&emu->tallies.tasks, &at, "task %" PRIu32 " was never created: %s", id, why_not_created(emu));
	struct task_type *type = idmap_find(&t->types, 0);
	if (!type)
		type = new_type(emu, 0, "(unknown task type)");
	unsigned flags = TASK_PAUSE | TASK_RESURRECT | TASK_RELAXED | (body ? TASK_PARALLEL : 0) | (emu->plan->ring ? TASK_MADE_UP : 0);
	return type ? new_task(emu, idmap_slot(&t->tasks, &emu->arena, id), id, type, flags) : NULL;
}

static struct task_type *
type_get(struct emu *emu, uint32_t id)
{
	const struct task_table *t = table(emu);
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
	const struct task_type *t = type_get(emu, type);
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
				often_add(&emu->tallies.types, &(struct place){ 0 }, "task type %" PRIu32 " was never created: %s", type->id, why_not_created(emu));
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

int
task_create(struct emu *emu, uint32_t id, uint32_t type, unsigned flags)
{
	struct task_table *t = table(emu);
	struct idmap_slot *slot = idmap_slot(&t->tasks, &emu->arena, id);
	const struct task *old = slot ? slot->value : NULL;
	if (old && old->flags & TASK_MADE_UP)
		return 0;
	if (old)
		return task_error(emu, ERR_TASK, "task %" PRIu32 " already exists in the process", id);
	struct task_type *tt = idmap_find(&t->types, type);
	if (!tt && emu->plan->ring && (tt = new_type(emu, type, unknown_label(emu, type))))
		tt->awaited = true;
	tt = tt ? tt : type_get(emu, type);
	if (!tt)
		return -ERR_TASK_TYPE;
	if (!new_task(emu, slot, id, tt, flags))
		return emu_no_memory(emu);
	if (emu->detail)
		detail_task(emu, id, false);
	return 0;
}

static const char *const state_names[] = {
	[BODY_CREATED] = "Created",
	[BODY_RUNNING] = "Running",
	[BODY_PAUSED] = "Paused",
	[BODY_DEAD] = "Dead",
};

static uint64_t
body_key(const struct task *task, uint32_t body)
{
	return (uint64_t)task->id << 32 | body;
}

/* Finds the body that an event names, NULL if it never ran; the task must exist. */
static int
find_body(struct emu *emu, uint32_t id, uint32_t *body,
	struct task **task, struct body **out)
{
	struct task_table *t = table(emu);
	struct task *k = *task = idmap_find(&t->tasks, id);
	*out = NULL;
	if (id == 0)
		return task_error(emu, ERR_TASK, "the id of a task cannot be 0");
	if (!k && emu->plan->unfinished && !(k = *task = make_up_task(emu, id, *body)))
		return emu_no_memory(emu);
	if (!k)
		return task_error(emu, ERR_TASK, "task %" PRIu32 " does not exist in the process", id);
	bool parallel = k->flags & TASK_PARALLEL;
	if (!parallel && *body != 0)
		return task_error(emu, ERR_TASK, "task %" PRIu32 " is not parallel: its body must be 0, not %" PRIu32, id, *body);
	if (parallel && *body == 0)
		return task_error(emu, ERR_TASK, "task %" PRIu32 " is parallel: its body cannot be 0", id);
	if (!parallel)
		*body = 1;
	if (parallel)
		*out = idmap_find(&t->bodies, body_key(k, *body));
	else
		*out = k->body.face.id ? &k->body : NULL;
	return 0;
}

/* Reports that a body cannot do something as it is. */
static int
bad_state(struct emu *emu, uint32_t task, uint32_t id, const struct body *b, const char *verb, const char *allowed)
{
	return task_error(emu, ERR_TASK_STATE, "body %" PRIu32 " of task %" PRIu32 " cannot %s: it is %s\nallowed states: %s",
		id, task, verb, b ? state_names[b->state] : "not executed yet", allowed);
}

/* Whether a body of the task `id`, NULL if it never ran, may be executed in the thread. Reports why not. */
static bool
may_execute(struct emu *emu, uint32_t id, const struct task *task, const struct body *b, uint32_t body)
{
	struct task_table *t = table(emu);
	const struct body *top = task_stack(emu)->top;
	bool again = task->flags & TASK_RESURRECT;
	if (b && !(b->state == BODY_DEAD && again)) {
		(void)bad_state(emu, id, body, b, "be executed", again ? "Created or Dead" : "Created");
		return false;
	}
	if (!top || top->state != BODY_RUNNING)
		return true;
	if (!(top->task->flags & TASK_RELAXED)) {
		(void)task_error(emu, ERR_TASK_STATE,
			"task %" PRIu32 " cannot be executed over task %" PRIu32 ", which is Running in the same thread\n"
			"hint: pause it first",
			id, top->task->id);
		return false;
	}
	if (!t->nesting_told)
		diag_warn(emu->diag, NULL, "task %" PRIu32 " is executed over task %" PRIu32 ", which is not paused: deprecated nesting (told once a process)",
			id, top->task->id);
	t->nesting_told = true;
	return true;
}

/* Adds a body to a task. NULL when memory is exhausted (reported). */
static struct body *
new_body(struct emu *emu, struct task *task, uint32_t id)
{
	bool parallel = task->flags & TASK_PARALLEL;
	struct body *b = parallel ? arena_new(&emu->arena, struct body, 1) : &task->body;
	if (!b || (parallel && idmap_add(&table(emu)->bodies, &emu->arena, body_key(task, id), b) < 0)) {
		(void)emu_no_memory(emu);
		return NULL;
	}
	*b = (struct body){ .task = task, .face = { .task = task->id, .id = id } };
	return b;
}

/* Returns what stands for tasks of that type and with those flags, when they have ended. NULL when memory is exhausted. */
static struct task *
stand_in(struct emu *emu, struct task_type *type, unsigned flags)
{
	struct task *k = type->ended;
	while (k && k->flags != (flags | TASK_STANDS_IN))
		k = k->next;
	if (k || !(k = arena_new(&emu->arena, struct task, 1)))
		return k;
	*k = (struct task){ .flags = flags | TASK_STANDS_IN, .type = type, .next = type->ended };
	k->body = (struct body){ .task = k, .face.id = 1, .state = BODY_DEAD, .thread = NO_INDEX };
	type->ended = k;
	return k;
}

/* Its memory is for the next task. */
static void
retire(struct emu *emu, struct task *task)
{
	struct task_table *t = table(emu);
	struct task *k = stand_in(emu, task->type, task->flags);
	if (!k) /* it can stay */
		return;
	task->slot->value = k;
	task->next = t->unused;
	t->unused = task;
}

/* A task that has ended is executed again. Returns its body, NULL when memory is exhausted (reported). */
static struct body *
revive(struct emu *emu, uint32_t id, struct task **task)
{
	const struct task *was = *task;
	struct idmap_slot *slot = idmap_slot(&table(emu)->tasks, &emu->arena, id);
	*task = new_task(emu, slot, id, was->type, was->flags & ~(unsigned)TASK_STANDS_IN);
	if (*task)
		return new_body(emu, *task, 1);
	(void)emu_no_memory(emu);
	return NULL;
}

static struct task_body *
set_state(struct body *b, enum body_state st)
{
	b->state = st;
	b->face.running = st == BODY_RUNNING;
	b->face.type = b->task->type->value; /* a type may get its label late */
	return &b->face;
}

const struct task_body *
task_execute(struct emu *emu, uint32_t id, uint32_t body)
{
	struct task_stack *s = task_stack(emu);
	struct task *task;
	struct body *b;
	if (find_body(emu, id, &body, &task, &b) < 0 || !may_execute(emu, id, task, b, body))
		return NULL;
	if (!b)
		b = new_body(emu, task, body);
	else if (task->flags & TASK_STANDS_IN)
		b = revive(emu, id, &task);
	if (!b)
		return NULL;
	if (emu->detail && !(task->flags & TASK_EXECUTED)) {
		detail_task(emu, id, true);
		task->flags |= TASK_EXECUTED;
	}
	b->thread = emu->thread;
	b->below = s->top;
	s->top = b;
	return set_state(b, BODY_RUNNING);
}

/* Finds a body, which must be in a state and on top of the stack of this thread. NULL: it is not (reported). */
static struct body *
get_top(struct emu *emu, uint32_t id, uint32_t body, enum body_state from, const char *verb)
{
	const struct body *above = task_stack(emu)->top;
	struct task *task;
	struct body *b = task_stack(emu)->top;
	/* Fast path: nearly always it is the body on top. */
	bool top = b && b->task->id == id && id && !(b->task->flags & TASK_PARALLEL) && body == 0;
	if (!top && find_body(emu, id, &body, &task, &b) < 0)
		return NULL;
	body = b ? b->face.id : body;
	if (!b || b->state != from)
		(void)bad_state(emu, id, body, b, verb, state_names[from]);
	else if (b->thread != emu->thread)
		(void)task_error(emu, ERR_TASK_STATE, "body %" PRIu32 " of task %" PRIu32 " cannot %s here: it is in thread %d",
			body, id, verb, emu->plan->sys.threads[b->thread].tid);
	else if (above && above != b)
		(void)task_error(emu, ERR_TASK_STATE, "body %" PRIu32 " of task %" PRIu32 " cannot %s: task %" PRIu32 " is above it",
			body, id, verb, above->task->id);
	else
		return b;
	return NULL;
}

/* When a plain task yields to a parallel one, nOS-V pauses and resumes it with the body of the other. Returns
 * the body that it has. */
static uint32_t
own_body(struct emu *emu, uint32_t id, uint32_t body)
{
	if (body == 0 || emu->plan->trace.options.strict)
		return body;
	const struct task *task = idmap_find(&table(emu)->tasks, id);
	return task && !(task->flags & TASK_PARALLEL) ? 0 : body;
}

const struct task_body *
task_pause(struct emu *emu, uint32_t id, uint32_t body)
{
	struct body *b = get_top(emu, id, own_body(emu, id, body), BODY_RUNNING, "pause");
	if (b && !(b->task->flags & TASK_PAUSE)) {
		(void)task_error(emu, ERR_TASK_STATE, "task %" PRIu32 " cannot pause: it is of a kind that never does", id);
		return NULL;
	}
	return b ? set_state(b, BODY_PAUSED) : NULL;
}

const struct task_body *
task_resume(struct emu *emu, uint32_t id, uint32_t body)
{
	struct body *b = get_top(emu, id, own_body(emu, id, body), BODY_PAUSED, "resume");
	return b ? set_state(b, BODY_RUNNING) : NULL;
}

const struct task_body *
task_end(struct emu *emu, uint32_t id, uint32_t body)
{
	struct body *b = get_top(emu, id, body, BODY_RUNNING, "end");
	if (!b)
		return NULL;
	b->thread = NO_INDEX;
	task_stack(emu)->top = b->below;
	const struct task_body *face = set_state(b, BODY_DEAD);
	if (!(b->task->flags & TASK_PARALLEL))
		retire(emu, b->task);
	return face;
}

const struct task_body *
task_top(struct emu *emu)
{
	const struct body *b = task_stack(emu)->top;
	return b ? &b->face : NULL;
}
