/* SPDX-License-Identifier: MIT */
#ifndef OPENS_H
#define OPENS_H

/* opens: what a thread has open at a point of its stream, so that a window of the stream can be
 * understood without what was before it.
 *
 * It is fed with events, and written as a snapshot: events that bring a reader who knows nothing to the
 * same state. First comes that the thread runs, then what concerns the whole process, types and tasks that it
 * created; then what was set, and the regions and tasks that it is in. What events do
 * is in rules.h.
 *
 * Memory is allocated once. What there is no room for is counted: types and regions beyond the first
 * ones, and of old tasks those that the thread is not in. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "rules.h"
#include "wire.h"

enum {
	OPEN_EVENT_MAX = WIRE_EVENT_HEADER + WIRE_PAYLOAD_MAX,
	OPEN_TASK_SIZE = WIRE_EVENT_HEADER + 8, /* an event with a task and a type */
	OPEN_DEEP = 64,                         /* timelines that may be nested too deep */
};

/* Something that is open. */
struct open {
	uint32_t chan;
	uint8_t size;
	bool last;
	bool paused;
	uint8_t event[OPEN_EVENT_MAX];
	uint8_t created[OPEN_TASK_SIZE]; /* what created the task that it enters; 0: not known, or none */
};

/* Called for an event that moves another thread. */
typedef void open_move(int32_t tid, int32_t cpu, uint64_t clock);

struct opens {
	open_move *move; /* NULL: nobody is interested */

	/* The thread. */
	uint8_t state;      /* third letter of the OH event that brought it there; 0: it has not begun */
	int32_t cpu;        /* where it is, */
	uint64_t cpu_clock; /* since when */
	int32_t creator;

	struct open *stack; /* in the order in which they were entered */
	size_t nstack, stack_cap;
	size_t stack_bytes, bytes_max; /* that they may take in a snapshot */
	struct open *sets;
	size_t nsets, sets_cap;
	struct {
		uint32_t chan, n;
	} deep[OPEN_DEEP]; /* entered when there was no room */
	uint8_t *jumbo;    /* the last one that was set */
	size_t jumbo_size;

	uint8_t *types;
	size_t types_size, types_cap;
	uint8_t *tasks; /* the last ones that were created; each has its place by its number */
	size_t tasks_cap;

	uint64_t missed; /* regions and types that a snapshot lacks */
};

/* Snapshots will have at most `room` bytes, at least 4096. Returns 0, or -1 without memory. */
int opens_init(struct opens *o, size_t room);
void opens_finish(struct opens *o);

/* Another thread has moved this one, unless it has moved later itself. */
void opens_was_moved(struct opens *o, int32_t cpu, uint64_t clock);

/* Takes an event, all `size` bytes of it. O(1), but for what many events enter or set at a time. */
void opens_take(struct opens *o, const uint8_t *event, size_t size);

/* Where the creation of the task of an event is, if it was one of the last; whether two events are of the same task. */
uint8_t *opens_task(const struct opens *o, const uint8_t *event);
bool opens_same_task(const uint8_t *a, const uint8_t *b);

/* Writes the snapshot, whose events have the clock (snapshot.c). *shared: bytes of those that concern the process.
 * Returns the bytes of all. */
size_t opens_write(const struct opens *o, uint8_t *to, uint64_t clock, size_t *shared);

#endif
