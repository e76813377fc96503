/* SPDX-License-Identifier: MIT */
/* emit: events, and the buffer of the thread on their way to the file.
 *
 * The buffer has room for OVNI_MAX_EV_BUF bytes and one flush pair more. An event that
 * would reach OVNI_MAX_EV_BUF empties it first and is followed by OF[ and OF], which
 * therefore always fit: a flush never happens inside another. */
#include <time.h>
#include <unistd.h>
#include "rt.h"

_Static_assert(sizeof(struct ovni_ev_header) == WIRE_EVENT_HEADER, "event header");
_Static_assert(sizeof(union ovni_ev_payload) == WIRE_PAYLOAD_MAX, "payload");
_Static_assert(sizeof(struct ovni_ev) == WIRE_EVENT_HEADER + WIRE_PAYLOAD_MAX, "event");
_Static_assert((int)OVNI_EV_JUMBO == (int)WIRE_JUMBO, "jumbo flag");

enum {
	CODE = 0x0f,       /* flags: size of the payload, minus one */
	JUMBO_CODE = 0x03, /* what a jumbo has there: its count takes 4 bytes */
};

uint64_t
ovni_clock_now(void)
{
	struct timespec ts;

	if (RT_UNLIKELY(clock_gettime(CLOCK_MONOTONIC, &ts) != 0))
		rt_die(__func__, "cannot read CLOCK_MONOTONIC:");
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

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

void
rt_break(struct rt_thread *t, size_t from)
{
	size_t whole = 0;

	for (size_t at = 0; at < t->used;) {
		at += wire_event_size(t->buf + at, t->used - at);
		if (at <= from)
			whole = at;
		else
			t->lost++;
	}
	t->size += (off_t)whole;
	t->used = 0;
	t->limit = 0;

	/* Cut off the written part of the next event. A reader copes with it, so there is
	 * nothing to do when this fails too. */
	if (t->fd >= 0 && from > whole && ftruncate(t->fd, t->size) < 0)
		return;
}

void
rt_drain(struct rt_thread *t, const char *func)
{
	size_t done = 0;

	if (t->used == 0)
		return;
	if (rt_write(t->fd, t->buf, t->used, &done) < 0) {
		rt_error(func, "tracing of thread %d stops, cannot write %s/stream%s:",
			(int)t->tid, t->dir, OVNI_STREAM_EXT);
		rt_break(t, done);
		return;
	}
	t->size += (off_t)t->used;
	t->used = 0;
}

static void
append(struct rt_thread *t, const void *data, size_t size)
{
	memcpy(t->buf + t->used, data, size);
	t->used += size;
}

/* The two events that tell readers the time of a flush. */
static void
append_pair(struct rt_thread *t, uint64_t begin, uint64_t end)
{
	struct ovni_ev_header pair[2] = {
		{ 0, 'O', 'F', '[', begin },
		{ 0, 'O', 'F', ']', end },
	};
	append(t, pair, sizeof(pair));
}

/* An event that does not fit: empty the buffer first. The pair goes behind the event, as
 * the clock of the event was taken before the flush. */
static void
flush_and_add(struct rt_thread *t, const void *ev, size_t size,
	const void *data, size_t data_size, const char *func)
{
	uint64_t begin = 0, end = 0;

	if (t->limit > 0) {
		begin = ovni_clock_now();
		rt_drain(t, func);
		end = ovni_clock_now();
	}
	if (t->limit == 0) {
		t->lost++;
		return;
	}
	append(t, ev, size);
	if (data_size > 0)
		append(t, data, data_size);
	append_pair(t, begin, end);
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

/* An event that cannot simply be copied: no stream, not a normal one, or no room. */
static __attribute__((noinline, cold)) void
emit_slow(struct rt_thread *t, const struct ovni_ev *ev, const char *func)
{
	if (t == NULL)
		t = rt_ready(func);
	if (ev->header.flags & OVNI_EV_JUMBO)
		rt_die(func, "a jumbo event goes through ovni_ev_jumbo_emit()");
	flush_and_add(t, ev, WIRE_EVENT_HEADER + payload_size(ev->header.flags), NULL, 0, func);
}

/* The way of every normal event. What is rare is one call at the end of the function, so
 * that the compiler need not save registers for it. */
static inline void
emit(const struct ovni_ev *ev, const char *func)
{
	struct rt_thread *t = rt_self;
	unsigned flags = ev->header.flags;
	size_t n = payload_size(flags);
	size_t size = WIRE_EVENT_HEADER + n;

	if (RT_UNLIKELY(t == NULL) || RT_UNLIKELY(flags & OVNI_EV_JUMBO) ||
		RT_UNLIKELY(t->used + size >= t->limit)) {
		emit_slow(t, ev, func);
		return;
	}
	uint8_t *to = t->buf + t->used;
	t->used += size;
	memcpy(to, &ev->header, WIRE_EVENT_HEADER);
	if (n > 0)
		copy_payload(to + WIRE_EVENT_HEADER, ev->payload.u8, n);
}

void
ovni_ev_emit(struct ovni_ev *ev)
{
	emit(ev, __func__);
}

void
ovni_ev_jumbo_emit(struct ovni_ev *ev, const uint8_t *buf, uint32_t bufsize)
{
	struct rt_thread *t = rt_ready(__func__);
	uint64_t size = (uint64_t)WIRE_JUMBO_HEADER + bufsize;

	if (ev->header.flags & (CODE | OVNI_EV_JUMBO))
		rt_die(__func__, "the event has a payload");
	if (size >= RT_BUF_MAX)
		rt_die(__func__, "%u bytes of data are too many", bufsize);

	ev->header.flags |= OVNI_EV_JUMBO | JUMBO_CODE;
	ev->payload.jumbo.size = bufsize;
	if (t->used + size >= t->limit) {
		flush_and_add(t, ev, WIRE_JUMBO_HEADER, buf, bufsize, __func__);
		return;
	}
	append(t, ev, WIRE_JUMBO_HEADER);
	if (bufsize > 0)
		append(t, buf, bufsize);
}

void
ovni_flush(void)
{
	struct rt_thread *t = rt_ready(__func__);
	rt_need_proc(__func__);

	uint64_t begin = ovni_clock_now();
	rt_drain(t, __func__);
	uint64_t end = ovni_clock_now();
	if (t->limit > 0)
		append_pair(t, begin, end);
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
