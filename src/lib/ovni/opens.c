/* SPDX-License-Identifier: MIT */
#include "opens.h"

#include <pthread.h>
#include <stdlib.h>

enum {
	MODELS = 16,
	ROWS = 96,
	NO_ROW = ROWS - 1, /* of which nothing is known: its events do nothing */
	LETTERS = 128,
	JUMBO_MAX = 1024, /* 100 counters */
	FIXED_MAX = 256,  /* the events of the thread itself */
	SETS_MAX = 128,
	MODELS_OF_TASKS = 3,
	REGIONS_MIN = 12, /* bytes that one takes at least */
	MARK_VALUE = 8,   /* bytes in front of the type in the payload of a mark */
};

/* The events of a category. `pairs`: letters of which the small one enters and the capital leaves;
 * `others`: a letter and its enum open_action, again and again. */
struct row {
	char mc[3];
	uint8_t chan;
	const char *pairs;
	const char *others;
};

static const struct row table[] = {
	{ "OH", 0, "", "xhehphrhchwh" },
	{ "OA", 0, "", "scrm" },
	{ "OM", 0, "", "[[]]==" },
	{ "OF", 1, "", "[[]]" },
	{ "OU", 2, "", "[{]}" },
	{ "KC", 0, "", "O{I}" },
	/* nOS-V: subsystem, idle, counters */
	{ "VS", 0, "", "h[f][[]]N[n]" },
	{ "VU", 0, "", "[[]]" },
	{ "VM", 0, "af", "" },
	{ "VA", 0, "rdspywcaeltubogkjmin", "" },
	{ "VH", 0, "wd", "" },
	{ "VT", 0, "", "x[e]p(r)c+C+" },
	{ "VY", 0, "", "c*" },
	{ "VP", 1, "", "p0r=a=" },
	{ "VW", 2, "", "C=" },
	/* Nanos6: subsystem, type of the thread, idle */
	{ "6C", 0, "", "[[]]" },
	{ "6U", 0, "", "[[]]" },
	{ "6F", 0, "", "[[]]" },
	{ "6O", 0, "", "[[]]" },
	{ "6S", 0, "ap", "[[]]" },
	{ "6D", 0, "ru", "" },
	{ "6B", 0, "wbuf", "" },
	{ "6W", 0, "twmsrg", "[[]]" },
	{ "6M", 0, "af", "" },
	{ "6H", 1, "ewlm", "" },
	{ "6P", 2, "", "p0r=a=" },
	{ "6T", 0, "", "x[e]p(r)c+" },
	{ "6Y", 0, "", "c*" },
	/* NODES */
	{ "DR", 0, "", "[[]]" },
	{ "DU", 0, "", "[[]]" },
	{ "DW", 0, "", "[[]]" },
	{ "DI", 0, "", "[[]]" },
	{ "DT", 0, "", "[[]]" },
	{ "DC", 0, "", "[[]]" },
	{ "DS", 0, "", "[[]]" },
	{ "DP", 0, "", "[[]]" },
	/* OpenMP-V: subsystem, tasks, worksharings (the last two may have one label, so that what ends is told by the event) */
	{ "PW", 0, "dcysei", "" },
	{ "PT", 0, "acdrisgtwy", "[[]]" },
	{ "PI", 0, "ar", "[[]]" },
	{ "PB", 0, "fjbt", "" },
	{ "PA", 0, "", "[[]]" },
	{ "PC", 0, "fi", "" },
	{ "PM", 0, "iu", "" },
	{ "PH", 0, "", "[[]]" },
	{ "PP", 1, "", "x[e]c+" },
	{ "PQ", 2, "", "x[e]" },
	{ "PO", 2, "", "c*" },
	/* TAMPI */
	{ "TC", 0, "i", "" },
	{ "TG", 0, "c", "" },
	{ "TL", 0, "ip", "" },
	{ "TQ", 0, "at", "" },
	{ "TR", 0, "tcas", "" },
	{ "TT", 0, "cw", "" },
	/* MPI */
	{ "MU", 0, "itf", "" },
	{ "MW", 0, "ays", "[[]]" },
	{ "MT", 0, "ays", "[[]]" },
	{ "MR", 0, "so", "[[]]" },
	{ "MS", 0, "brs", "[[]]" },
	{ "Mr", 0, "so", "[[]]" },
	{ "Ms", 0, "brs", "[[]]" },
	{ "MA", 0, "gra", "" },
	{ "MC", 0, "bse", "" },
	{ "MD", 0, "bgs", "" },
	{ "ME", 0, "sb", "[[]]" },
	{ "Ma", 0, "gra", "" },
	{ "Mc", 0, "bse", "" },
	{ "Md", 0, "bgs", "" },
	{ "Me", 0, "sb", "[[]]" },
};
_Static_assert(sizeof(table) / sizeof(table[0]) < NO_ROW, "rows of the table");

/* The table as it is looked up. Model 0 is any that the table does not have, and row 0 its only one. */
static struct {
	uint8_t model[UINT8_MAX + 1];
	uint8_t row[MODELS][LETTERS];
	uint8_t chan[ROWS];
	uint8_t action[ROWS][LETTERS];
} rules;
static pthread_once_t rules_once = PTHREAD_ONCE_INIT;

static void
make_rules(void)
{
	uint8_t nmodels = 0;

	rules.action[0]['['] = OPEN_ENTER;
	rules.action[0][']'] = OPEN_LEAVE;
	for (uint8_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct row *r = &table[i];
		uint8_t *model = &rules.model[(uint8_t)r->mc[0]];
		uint8_t *action = rules.action[i + 1];
		if (*model == 0) {
			*model = ++nmodels;
			memset(rules.row[nmodels], NO_ROW, LETTERS);
		}
		rules.row[*model][(uint8_t)r->mc[1]] = (uint8_t)(i + 1);
		rules.chan[i + 1] = r->chan;
		for (const char *p = r->pairs; *p; p++) {
			action[(uint8_t)*p] = OPEN_ENTER;
			action[*p - 'a' + 'A'] = OPEN_LEAVE;
		}
		for (const char *p = r->others; *p; p += 2)
			action[(uint8_t)p[0]] = (uint8_t)p[1];
	}
}

/* Letters beyond ASCII do nothing. */
static unsigned
row_of(const uint8_t mcv[3])
{
	return rules.row[rules.model[mcv[0]]][mcv[1] % LETTERS];
}

static unsigned
action_of(unsigned row, const uint8_t mcv[3])
{
	return (mcv[1] | mcv[2]) < LETTERS ? rules.action[row][mcv[2]] : OPEN_NOTHING;
}

struct open_rule
open_rule(const uint8_t mcv[3])
{
	(void)pthread_once(&rules_once, make_rules);
	unsigned row = row_of(mcv);
	return (struct open_rule){ (uint8_t)action_of(row, mcv), rules.chan[row] };
}

int
opens_init(struct opens *o, size_t room)
{
	(void)pthread_once(&rules_once, make_rules);
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
	return model | rules.chan[row];
}

/* Where the creation of the task of an event is, if it was one of the last. */
static uint8_t *
place_of(const struct opens *o, const uint8_t *event)
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

/* Whether two events are of the same task. */
static bool
is_same_task(const uint8_t *a, const uint8_t *b)
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
		const uint8_t *created = size >= WIRE_EVENT_HEADER + sizeof(uint32_t) ? place_of(o, event) : NULL;
		if (created != NULL && is_same_task(created, event))
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
		memcpy(place_of(o, event), event, size);
}

void
opens_take(struct opens *o, const uint8_t *event, size_t size)
{
	unsigned row = row_of(event + 1);
	unsigned action = action_of(row, event + 1);

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

/* ---- The snapshot ---- */

static uint8_t *
put(uint8_t *to, const uint8_t *event, size_t size, uint64_t clock)
{
	memcpy(to, event, size);
	memcpy(to + 4, &clock, sizeof(clock));
	return to + size;
}

static uint8_t *
put_named(uint8_t *to, const char *mcv, uint64_t clock)
{
	const uint8_t event[WIRE_EVENT_HEADER] = { 0, (uint8_t)mcv[0], (uint8_t)mcv[1], (uint8_t)mcv[2] };
	return put(to, event, sizeof(event), clock);
}

static uint8_t *
put_shared(uint8_t *to, const struct opens *o, uint64_t clock)
{
	for (size_t at = 0; at < o->types_size;) {
		size_t size = (size_t)wire_event_size(o->types + at, o->types_size - at);
		to = put(to, o->types + at, size, clock);
		at += size;
	}
	for (size_t i = 0; i < o->tasks_cap; i++)
		if (o->tasks[i * OPEN_TASK_SIZE] != 0)
			to = put(to, o->tasks + i * OPEN_TASK_SIZE, OPEN_TASK_SIZE, clock);
	for (size_t i = 0; i < o->nstack; i++) {
		const uint8_t *created = o->stack[i].created;
		if (created[0] != 0 && !is_same_task(place_of(o, created), created))
			to = put(to, created, OPEN_TASK_SIZE, clock);
	}
	return to;
}

/* Where the thread is, and since when: another thread may have moved it later. */
static uint8_t *
put_begin(uint8_t *to, const struct opens *o, uint64_t clock)
{
	uint8_t event[OPEN_EVENT_MAX] = { WIRE_PAYLOAD_MAX - 1, 'O', 'H', 'x' };
	uint8_t *arg = event + WIRE_EVENT_HEADER;
	memcpy(arg, &o->cpu, sizeof(o->cpu));
	memcpy(arg + sizeof(o->cpu), &o->creator, sizeof(o->creator));
	memcpy(arg + sizeof(o->cpu) + sizeof(o->creator), &o->cpu_clock, sizeof(o->cpu_clock));
	return put(to, event, sizeof(event), clock);
}

static uint8_t *
put_state(uint8_t *to, const struct opens *o, uint64_t clock)
{
	switch (o->state) {
	case 'p': return put_named(to, "OHp", clock);
	case 'c': return put_named(to, "OHc", clock);
	case 'e': return put_named(to, "OHe", clock);
	case 'w': return put_named(put_named(to, "OHp", clock), "OHw", clock);
	default: return to;
	}
}

static uint8_t *
put_stack(uint8_t *to, const struct opens *o, uint64_t clock, bool last)
{
	for (size_t i = 0; i < o->nstack; i++) {
		const struct open *s = &o->stack[i];
		if (s->last != last)
			continue;
		to = put(to, s->event, s->size, clock);
		if (s->paused) {
			to = put(to, s->event, s->size, clock);
			to[-(ptrdiff_t)s->size + 3] = 'p';
		}
	}
	return to;
}

size_t
opens_write(const struct opens *o, uint8_t *to, uint64_t clock, size_t *shared)
{
	uint8_t *p = put_shared(to, o, clock);
	*shared = (size_t)(p - to);
	if (o->state != 0)
		p = put_begin(p, o, clock);
	for (size_t i = 0; i < o->nsets; i++)
		p = put(p, o->sets[i].event, o->sets[i].size, clock);
	if (o->jumbo_size > 0)
		p = put(p, o->jumbo, o->jumbo_size, clock);
	p = put_stack(p, o, clock, false);
	p = put_state(p, o, clock);
	p = put_stack(p, o, clock, true);
	return (size_t)(p - to);
}
