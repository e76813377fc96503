/* SPDX-License-Identifier: MIT */
/* emit: events, and how they get into the buffer of the thread.
 *
 * The buffer has room for OVNI_MAX_EV_BUF bytes and one flush pair more. An event that
 * would reach OVNI_MAX_EV_BUF empties it first and is followed by OF[ and OF], which
 * therefore always fit: a flush never happens inside another. */
#include "rt.h"

_Static_assert(sizeof(struct ovni_ev_header) == WIRE_EVENT_HEADER, "event header");
_Static_assert(sizeof(union ovni_ev_payload) == WIRE_PAYLOAD_MAX, "payload");
_Static_assert(sizeof(struct ovni_ev) == WIRE_EVENT_HEADER + WIRE_PAYLOAD_MAX, "event");
_Static_assert((int)OVNI_EV_JUMBO == (int)WIRE_JUMBO, "jumbo flag");

enum {
	CODE = 0x0f,       /* flags: size of the payload, minus one */
	JUMBO_CODE = 0x03, /* what a jumbo has there: its count takes 4 bytes */
};

void
ovni_ev_set_clock(struct ovni_ev *ev, uint64_t clock)
{
	ev->header.clock = clock;
}

uint64_t
ovni_ev_get_clock(const struct ovni_ev *ev)
{
	return ev->header.clock;
}

void
ovni_ev_set_mcv(struct ovni_ev *ev, const char *mcv)
{
	ev->header.model = (uint8_t)mcv[0];
	ev->header.category = (uint8_t)mcv[1];
	ev->header.value = (uint8_t)mcv[2];
}

/* Bytes of the payload of a normal event. */
static size_t
payload_size(unsigned flags)
{
	unsigned code = flags & CODE;
	return code ? code + 1u : 0;
}

int
ovni_payload_size(const struct ovni_ev *ev)
{
	size_t n = payload_size(ev->header.flags);
	if (n > 0 && ev->header.flags & OVNI_EV_JUMBO)
		n = sizeof(ev->payload.jumbo.size) + ev->payload.jumbo.size;
	return (int)n;
}

int
ovni_ev_size(const struct ovni_ev *ev)
{
	return WIRE_EVENT_HEADER + ovni_payload_size(ev);
}

void
ovni_payload_add(struct ovni_ev *ev, const uint8_t *buf, int size)
{
	if (ev->header.flags & OVNI_EV_JUMBO)
		rt_die(__func__, "the event is a jumbo");
	if (size < 2)
		rt_die(__func__, "%d bytes, the least is 2", size);

	size_t have = payload_size(ev->header.flags);
	size_t total = have + (size_t)size;
	if (total > sizeof(ev->payload))
		rt_die(__func__, "%zu bytes in all, the most is %zu", total, sizeof(ev->payload));

	memcpy(&ev->payload.u8[have], buf, (size_t)size);
	ev->header.flags = (uint8_t)((ev->header.flags & 0xf0u) | (total - 1));
}

/* Adds bytes behind the buffer's events. Returns the bytes used then: they are events only when
 * publish() has got that number. */
static size_t
put(struct rt_thread *t, size_t used, const void *data, size_t size)
{
	if (size > 0)
		memcpy(t->tail->events + used, data, size);
	return used + size;
}

static void
publish(struct rt_thread *t, size_t used)
{
	atomic_store_explicit(&t->tail->used, used, memory_order_release);
}

/* Adds the two events that tell readers the time of a flush. */
static void
put_pair(struct rt_thread *t, uint64_t begin, uint64_t end)
{
	const struct ovni_ev_header pair[2] = {
		{ 0, 'O', 'F', '[', begin },
		{ 0, 'O', 'F', ']', end },
	};
	publish(t, put(t, atomic_load_explicit(&t->tail->used, memory_order_relaxed), pair, sizeof(pair)));
}

/* Adds an event, for which there is room. */
static void
put_event(struct rt_thread *t, const void *ev, size_t size, const void *data, size_t data_size)
{
	size_t used = atomic_load_explicit(&t->tail->used, memory_order_relaxed);
	used = put(t, used, ev, size);
	publish(t, put(t, used, data, data_size));
}

/* Empties the buffer before an event that does not fit. The pair goes behind the event, as the clock
 * of the event was taken before the flush. */
static void
flush_and_put(struct rt_thread *t, const void *ev, size_t size, const void *data, size_t data_size, const char *func)
{
	uint64_t begin = ovni_clock_now();
	rt_drain(t, func);
	uint64_t end = ovni_clock_now();
	if (t->limit > 0 && !rt_buffer_grow(t, size + data_size)) {
		rt_error(func, "tracing of thread %d stops, no room for an event of %zu bytes", (int)t->tid, size + data_size);
		rt_break(t, 0);
	}
	if (t->limit == 0) {
		rt_lose(t, RT_LOST_WRITE);
		return;
	}
	put_event(t, ev, size, data, data_size);
	put_pair(t, begin, end);
	if (t->changes > t->written)
		(void)rt_meta_write(t, func);
}

/* The ring drops its oldest events for one that does not fit. */
static void
put_in_ring(struct rt_thread *t, const void *ev, size_t size, const void *data, size_t data_size)
{
	if (rt_ring_make_room(t, size + data_size, ((const struct ovni_ev_header *)ev)->clock))
		put_event(t, ev, size, data, data_size);
}

/* Adds an event by the slow way: the thread is not ready, or ended, or its metadata is not written, or
 * there is no room. */
static __attribute__((noinline, cold)) void
add_slow(const void *ev, size_t size, const void *data, size_t data_size, const char *func)
{
	struct rt_thread *t = rt_self;

	if (t == NULL && rt_ended > RT_END_FREE)
		return; /* a destructor that runs after ours */
	t = rt_ready(func);
	if (ovni_room.limit == RT_BUSY) {
		rt_lose(t, RT_LOST_SIGNAL);
		return;
	}
	ovni_room.limit = RT_BUSY;
	atomic_signal_fence(memory_order_seq_cst);
	(void)pthread_mutex_lock(&t->lock);
	if (t->due)
		(void)rt_meta_write(t, func);
	if (t->end != RT_END_NONE)
		rt_lose(t, RT_LOST_EXIT);
	else if (t->limit == 0)
		rt_lose(t, RT_LOST_WRITE);
	else if (t->ring != NULL)
		put_in_ring(t, ev, size, data, data_size);
	else if (rt_buffer_grow(t, size + data_size))
		put_event(t, ev, size, data, data_size);
	else
		flush_and_put(t, ev, size, data, data_size, func);
	rt_leave(t);
	atomic_signal_fence(memory_order_seq_cst);
	rt_make_room(t);
}

/* 2 to 16 bytes by two copies that may overlap: a call of memcpy() for so few takes as
 * long as all the rest. Reads no byte beyond n, as the event may be at the end of a map. */
static inline void
copy_payload(uint8_t *to, const uint8_t *from, size_t n)
{
	if (n >= 8) {
		memcpy(to, from, 8);
		memcpy(to + n - 8, from + n - 8, 8);
	} else if (n >= 4) {
		memcpy(to, from, 4);
		memcpy(to + n - 4, from + n - 4, 4);
	} else {
		memcpy(to, from, 2);
		memcpy(to + n - 2, from + n - 2, 2);
	}
}

/* An event that cannot simply be copied. */
static __attribute__((noinline, cold)) void
emit_slow(const struct ovni_ev *ev, const char *func)
{
	if (ev->header.flags & OVNI_EV_JUMBO && (rt_self != NULL || rt_ended <= RT_END_FREE)) {
		(void)rt_ready(func);
		rt_die(func, "a jumbo event goes through ovni_ev_jumbo_emit()");
	}
	add_slow(ev, WIRE_EVENT_HEADER + payload_size(ev->header.flags), NULL, 0, func);
}

/* The way of every normal event. What is rare is one call at the end of the function, so
 * that the compiler need not save registers for it. */
static inline void
emit(const struct ovni_ev *ev, const char *func)
{
	uint64_t limit = ovni_room.limit;
	unsigned flags = ev->header.flags;
	size_t n = payload_size(flags);
	size_t size = WIRE_EVENT_HEADER + n;

	/* From here on a signal handler that emits finds no room. */
	ovni_room.limit = RT_BUSY;
	atomic_signal_fence(memory_order_seq_cst);
	struct tail *tail = (struct tail *)(void *)(ovni_room.events - TAIL_HEADER);
	uint64_t used = atomic_load_explicit(&tail->used, memory_order_relaxed);
	if (RT_UNLIKELY(flags & OVNI_EV_JUMBO) || RT_UNLIKELY(used + size >= limit)) {
		ovni_room.limit = limit;
		emit_slow(ev, func);
		return;
	}
	uint8_t *to = tail->events + used;
	memcpy(to, &ev->header, WIRE_EVENT_HEADER);
	if (n > 0)
		copy_payload(to + WIRE_EVENT_HEADER, ev->payload.u8, n);
	atomic_store_explicit(&tail->used, used + size, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	ovni_room.limit = limit;
}

void
ovni_ev_emit(struct ovni_ev *ev)
{
	emit(ev, __func__);
}

void
ovni_ev_jumbo_emit(struct ovni_ev *ev, const uint8_t *buf, uint32_t bufsize)
{
	uint64_t size = (uint64_t)WIRE_JUMBO_HEADER + bufsize;

	if (rt_self == NULL && rt_ended > RT_END_FREE)
		return;
	(void)rt_ready(__func__);
	if (ev->header.flags & (CODE | OVNI_EV_JUMBO))
		rt_die(__func__, "the event has a payload");
	if (size >= RT_BUF_MAX)
		rt_die(__func__, "%u bytes of data are too many", bufsize);

	ev->header.flags |= OVNI_EV_JUMBO | JUMBO_CODE;
	ev->payload.jumbo.size = bufsize;
	add_slow(ev, WIRE_JUMBO_HEADER, buf, bufsize, __func__);
}

void
ovni_flush(void)
{
	if (rt_self == NULL && rt_ended > RT_END_FREE)
		return;
	(void)rt_ready(__func__);
	rt_need_proc(__func__);
	struct rt_thread *t = rt_enter(__func__);

	ovni_room.limit = RT_BUSY;
	if (t->ring == NULL) {
		uint64_t begin = ovni_clock_now();
		rt_drain(t, __func__);
		uint64_t end = ovni_clock_now();
		if (t->limit > 0 && t->end == RT_END_NONE)
			put_pair(t, begin, end);
	}
	if (t->on_disk && t->end == RT_END_NONE && t->changes > t->written)
		(void)rt_meta_write(t, __func__);
	rt_leave(t);
	rt_make_room(t);
}

static inline void
mark(char value_letter, int32_t type, int64_t value, const char *func)
{
	struct ovni_ev ev = { .header = { 0, 'O', 'M', (uint8_t)value_letter, 0 } };

	if (value == 0)
		rt_die(func, "value is 0");
	memcpy(&ev.payload.u8[0], &value, sizeof(value));
	memcpy(&ev.payload.u8[sizeof(value)], &type, sizeof(type));
	ev.header.flags = sizeof(value) + sizeof(type) - 1;
	ev.header.clock = ovni_clock_now();
	emit(&ev, func);
}

void
ovni_mark_push(int32_t type, int64_t value)
{
	mark('[', type, value, __func__);
}

void
ovni_mark_pop(int32_t type, int64_t value)
{
	mark(']', type, value, __func__);
}

void
ovni_mark_set(int32_t type, int64_t value)
{
	mark('=', type, value, __func__);
}
