/* SPDX-License-Identifier: MIT */
#include "opens.h"

#include <stdlib.h>

enum {
	JUMBO_MAX = 1024, /* 100 counters */
	FIXED_MAX = 256,  /* the events of the thread itself */
	SETS_MAX = 128,
	MODELS_OF_TASKS = 3,
	REGIONS_MIN = 12, /* bytes that one takes at least */
	MARK_VALUE = 8,   /* bytes in front of the type in the payload of a mark */
};

int
opens_init(struct opens *o, size_t room)
{
	open_rules_begin();
	*o = (struct opens){
		.types_cap = room / 4,
		.tasks_cap = room * 3 / 16 / OPEN_TASK_SIZE / MODELS_OF_TASKS * MODELS_OF_TASKS - 1, /* so that one model can have all */
		.bytes_max = room / 2 - JUMBO_MAX - FIXED_MAX,
		.sets_cap = room / 16 / OPEN_EVENT_MAX < SETS_MAX ? room / 16 / OPEN_EVENT_MAX : SETS_MAX,
	};
	o->stack_cap = o->bytes_max / REGIONS_MIN;
	o->stack = malloc(o->stack_cap * sizeof(*o->stack));
	o->sets = malloc(o->sets_cap * sizeof(*o->sets));
	o->types = malloc(o->types_cap);
	o->tasks = calloc(o->tasks_cap, OPEN_TASK_SIZE);
	o->jumbo = malloc(JUMBO_MAX);
	if (o->stack != NULL && o->sets != NULL && o->types != NULL && o->tasks != NULL && o->jumbo != NULL)
		return 0;
	opens_finish(o);
	return -1;
}

void
opens_finish(struct opens *o)
{
	free(o->stack);
	free(o->sets);
	free(o->types);
	free(o->tasks);
	free(o->jumbo);
	*o = (struct opens){ 0 };
}

/* A number for the timeline of an event: of a model, of a type of marks, or of a category of a model that is not
 * known. */
static uint32_t
chan_of(unsigned row, const uint8_t *event, size_t size)
{
	const uint8_t *mcv = event + 1;
	uint32_t model = (uint32_t)mcv[0] << 24;
	if (row == 0)
		return model | 0x800000 | mcv[1];
	if (mcv[0] == 'O' && mcv[1] == 'M' && size >= WIRE_EVENT_HEADER + MARK_VALUE + sizeof(uint32_t))
		return model | 0x400000 | (wire_u32(event + WIRE_EVENT_HEADER + MARK_VALUE) & 0xff);
	return model | open_rules.chan[row];
}

uint8_t *
opens_task(const struct opens *o, const uint8_t *event)
{
	uint64_t model = event[1] == 'V' ? 0 : event[1] == '6' ? 1
							       : 2;
	/* Models count alike, and may be in one program. */
	uint64_t n = MODELS_OF_TASKS * (uint64_t)wire_u32(event + WIRE_EVENT_HEADER) + model;
	return o->tasks + n % o->tasks_cap * OPEN_TASK_SIZE;
}

/* What something open may take of a snapshot. */
static size_t
bytes_of(size_t size)
{
	return size > WIRE_EVENT_HEADER ? 2 * size + OPEN_TASK_SIZE : size;
}

bool
opens_same_task(const uint8_t *a, const uint8_t *b)
{
	return a[1] == b[1] && a[2] == b[2] && wire_u32(a + WIRE_EVENT_HEADER) == wire_u32(b + WIRE_EVENT_HEADER);
}

static void
fill(struct open *to, uint32_t chan, const uint8_t *event, size_t size)
{
	*to = (struct open){ .chan = chan, .size = (uint8_t)size };
	memcpy(to->event, event, size);
}

/* What does not fit must be left again: how often, by timeline. */
static uint32_t *
deep_of(struct opens *o, uint32_t chan)
{
	for (size_t i = 0; i < OPEN_DEEP; i++)
		if (o->deep[i].chan == chan || o->deep[i].n == 0) {
			o->deep[i].chan = chan;
			return &o->deep[i].n;
		}
	return NULL;
}

static void
enter(struct opens *o, uint32_t chan, const uint8_t *event, size_t size, bool last)
{
	/* A task takes more of it, for its creation and while it is paused. */
	if (o->nstack < o->stack_cap && o->stack_bytes + bytes_of(size) <= o->bytes_max) {
		struct open *top = &o->stack[o->nstack++];
		fill(top, chan, event, size);
		o->stack_bytes += bytes_of(size);
		top->last = last;
		const uint8_t *created = size >= WIRE_EVENT_HEADER + sizeof(uint32_t) ? opens_task(o, event) : NULL;
		if (created != NULL && opens_same_task(created, event))
			memcpy(top->created, created, sizeof(top->created));
		return;
	}
	o->missed++;
	uint32_t *n = deep_of(o, chan);
	if (n != NULL)
		(*n)++;
}

/* Finds the last of a timeline; NULL: it is empty. */
static struct open *
top_of(const struct opens *o, uint32_t chan)
{
	for (size_t i = o->nstack; i > 0; i--)
		if (o->stack[i - 1].chan == chan)
			return &o->stack[i - 1];
	return NULL;
}

static void
leave(struct opens *o, uint32_t chan)
{
	for (size_t i = 0; i < OPEN_DEEP; i++)
		if (o->deep[i].chan == chan && o->deep[i].n > 0) {
			o->deep[i].n--;
			return;
		}
	struct open *top = top_of(o, chan);
	if (top == NULL)
		return;
	size_t behind = (size_t)(o->stack + o->nstack - (top + 1));
	o->stack_bytes -= bytes_of(top->size);
	memmove(top, top + 1, behind * sizeof(*top));
	o->nstack--;
}

static void
set(struct opens *o, uint32_t chan, const uint8_t *event, size_t size, bool clear)
{
	if (size > OPEN_EVENT_MAX) {
		o->jumbo_size = size <= JUMBO_MAX ? size : 0;
		memcpy(o->jumbo, event, o->jumbo_size);
		return;
	}
	size_t i = 0;
	while (i < o->nsets && o->sets[i].chan != chan)
		i++;
	if (i < o->nsets)
		o->sets[i] = o->sets[--o->nsets];
	if (!clear && o->nsets < o->sets_cap)
		fill(&o->sets[o->nsets++], chan, event, size);
}

/* The task that an event pauses or resumes is the one that was executed last, in the timeline. */
static void
pause_task(struct opens *o, uint32_t chan, const uint8_t *event, bool paused)
{
	for (size_t i = o->nstack; i > 0; i--) {
		struct open *t = &o->stack[i - 1];
		if (t->chan == chan && t->event[2] == event[2]) {
			t->paused = paused;
			return;
		}
	}
}

static void
move(struct opens *o, const uint8_t *event, size_t size)
{
	if (size < WIRE_EVENT_HEADER + sizeof(int32_t))
		return;
	o->cpu = wire_i32(event + WIRE_EVENT_HEADER);
	o->cpu_clock = wire_u64(event + 4);
}

static void
move_other(const struct opens *o, const uint8_t *event, size_t size)
{
	const uint8_t *arg = event + WIRE_EVENT_HEADER;
	if (o->move != NULL && size >= WIRE_EVENT_HEADER + 2 * sizeof(int32_t))
		o->move(wire_i32(arg + sizeof(int32_t)), wire_i32(arg), wire_u64(event + 4));
}

void
opens_was_moved(struct opens *o, int32_t cpu, uint64_t clock)
{
	if (clock < o->cpu_clock)
		return;
	o->cpu = cpu;
	o->cpu_clock = clock;
}

static void
change_state(struct opens *o, const uint8_t *event, size_t size)
{
	o->state = event[3];
	if (event[3] != 'x')
		return;
	move(o, event, size);
	o->creator = size >= WIRE_EVENT_HEADER + 2 * sizeof(int32_t) ? wire_i32(event + WIRE_EVENT_HEADER + sizeof(int32_t)) : -1;
}

static void
add_type(struct opens *o, const uint8_t *event, size_t size)
{
	if (!(event[0] & WIRE_JUMBO))
		return;
	if (size > o->types_cap - o->types_size) {
		o->missed++;
		return;
	}
	memcpy(o->types + o->types_size, event, size);
	o->types_size += size;
}

static void
add_task(struct opens *o, const uint8_t *event, size_t size)
{
	if (size == OPEN_TASK_SIZE)
		memcpy(opens_task(o, event), event, size);
}

void
opens_take(struct opens *o, const uint8_t *event, size_t size)
{
	unsigned row = open_row(event + 1);
	unsigned action = open_action(row, event + 1);

	if (action == OPEN_NOTHING || (event[0] & WIRE_JUMBO && action != OPEN_TYPE && action != OPEN_SET))
		return;
	uint32_t chan = chan_of(row, event, size);
	switch (action) {
	case OPEN_ENTER:
	case OPEN_ENTER_LAST: enter(o, chan, event, size, action == OPEN_ENTER_LAST); break;
	case OPEN_LEAVE:
	case OPEN_LEAVE_LAST: leave(o, chan); break;
	case OPEN_SET:
	case OPEN_CLEAR: set(o, chan, event, size, action == OPEN_CLEAR); break;
	case OPEN_PAUSE:
	case OPEN_RESUME: pause_task(o, chan, event, action == OPEN_PAUSE); break;
	case OPEN_TASK: add_task(o, event, size); break;
	case OPEN_TYPE: add_type(o, event, size); break;
	case OPEN_STATE: change_state(o, event, size); break;
	case OPEN_CPU: move(o, event, size); break;
	case OPEN_MOVE: move_other(o, event, size); break;
	default: break;
	}
}
