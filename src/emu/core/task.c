/* SPDX-License-Identifier: MIT */
#include "task.h"

#include "emu.h"
#include "tasktype.h"

#include <inttypes.h>

static struct task_stack *
task_stack(struct emu *emu)
{
	return &emu->cur->task_stacks[emu->thread];
}

/* Makes a task, and has the slot lead to it. Returns NULL without memory (not reported); the slot may be NULL then. */
static struct task *
new_task(struct emu *emu, struct idmap_slot *slot, uint32_t id, struct task_type *type, unsigned flags)
{
	struct task_table *t = task_table(emu);
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
	struct task_table *t = task_table(emu);
	struct place at = event_place(emu);
	often_add(&emu->tallies.tasks, &at, "task %" PRIu32 " was never created: %s", id, tasktype_why_lost(emu));
	struct task_type *type = idmap_find(&t->types, 0);
	if (!type)
		type = tasktype_new(emu, 0, "(unknown task type)");
	unsigned flags = TASK_PAUSE | TASK_RESURRECT | TASK_RELAXED | (body ? TASK_PARALLEL : 0) | (emu->plan->ring ? TASK_MADE_UP : 0);
	return type ? new_task(emu, idmap_slot(&t->tasks, &emu->arena, id), id, type, flags) : NULL;
}

int
task_create(struct emu *emu, uint32_t id, uint32_t type, unsigned flags)
{
	struct task_table *t = task_table(emu);
	struct idmap_slot *slot = idmap_slot(&t->tasks, &emu->arena, id);
	const struct task *old = slot ? slot->value : NULL;
	if (old && old->flags & TASK_MADE_UP)
		return 0;
	if (old)
		return task_error(emu, ERR_TASK, "task %" PRIu32 " already exists in the process", id);
	struct task_type *tt = idmap_find(&t->types, type);
	if (!tt && emu->plan->ring && (tt = tasktype_new(emu, type, tasktype_unknown(emu, type))))
		tt->awaited = true;
	tt = tt ? tt : tasktype_get(emu, type);
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
	struct task_table *t = task_table(emu);
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
	struct task_table *t = task_table(emu);
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
	if (!b || (parallel && idmap_add(&task_table(emu)->bodies, &emu->arena, body_key(task, id), b) < 0)) {
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
	struct task_table *t = task_table(emu);
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
	struct idmap_slot *slot = idmap_slot(&task_table(emu)->tasks, &emu->arena, id);
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
	const struct task *task = idmap_find(&task_table(emu)->tasks, id);
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
