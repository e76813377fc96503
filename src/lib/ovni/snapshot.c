/* SPDX-License-Identifier: MIT */
#include "opens.h"

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
		if (created[0] != 0 && !opens_same_task(opens_task(o, created), created))
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
	uint8_t *begun = o->state != 0 ? put_begin(to, o, clock) : to;
	uint8_t *p = put_shared(begun, o, clock);
	*shared = (size_t)(p - begun);
	for (size_t i = 0; i < o->nsets; i++)
		p = put(p, o->sets[i].event, o->sets[i].size, clock);
	if (o->jumbo_size > 0)
		p = put(p, o->jumbo, o->jumbo_size, clock);
	p = put_stack(p, o, clock, false);
	p = put_state(p, o, clock);
	p = put_stack(p, o, clock, true);
	return (size_t)(p - to);
}
