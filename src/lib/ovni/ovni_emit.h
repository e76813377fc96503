/* SPDX-License-Identifier: MIT */
#ifndef OVNI_EMIT_H
#define OVNI_EMIT_H

/* ovni_emit: events of a size that the compiler knows, added to the buffer where they are emitted.
 *
 *   ovni_emit_u64("VTx", ovni_clock_now(), task);
 *
 * does what zeroing a struct ovni_ev, ovni_ev_set_mcv(), ovni_ev_set_clock(), ovni_payload_add()
 * and ovni_ev_emit() do, without a copy and without a call. All that ovni.h says of
 * ovni_ev_emit() holds. Programs compiled with it need libovni 1.14 of this project, or newer: the
 * peer of the same name has no ovni_room. See libovni(3). */

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "traces are little-endian, and the functions below write them as memory has them"
#endif

#include "ovni.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the calling thread adds its events. Changed by the library, and by the functions below.
 *   events  room for them; the 8 bytes before it are the number of bytes used
 *   limit   an event that would reach it goes to ovni_ev_emit() */
struct ovni_room {
	uint8_t *events;
	uint64_t limit;
};

extern __thread struct ovni_room ovni_room __attribute__((visibility("default"), tls_model("initial-exec")));

/* Adds an event with `size` bytes of payload, 0 or 2 to 16. mcv: its three letters. */
static inline __attribute__((always_inline)) void
ovni_emit_payload(const char *mcv, uint64_t clock, const void *payload, unsigned size)
{
	const struct ovni_ev_header header = { (uint8_t)(size ? size - 1 : 0), (uint8_t)mcv[0], (uint8_t)mcv[1], (uint8_t)mcv[2], clock };
	uint64_t limit = ovni_room.limit;

	/* From here on a signal handler that emits finds no room. */
	ovni_room.limit = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	uint8_t *events = ovni_room.events;
	uint64_t *used = (uint64_t *)(void *)(events - sizeof(uint64_t));
	uint64_t at = __atomic_load_n(used, __ATOMIC_RELAXED);
	if (__builtin_expect(at + sizeof(header) + size >= limit, 0)) {
		struct ovni_ev ev;
		ovni_room.limit = limit;
		memset(&ev, 0, sizeof(ev));
		ev.header = header;
		if (size > 0)
			memcpy(&ev.payload, payload, size);
		ovni_ev_emit(&ev);
		return;
	}
	memcpy(events + at, &header, sizeof(header));
	if (size > 0)
		memcpy(events + at + sizeof(header), payload, size);
	__atomic_store_n(used, at + sizeof(header) + size, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ovni_room.limit = limit;
}

static inline void
ovni_emit(const char *mcv, uint64_t clock)
{
	ovni_emit_payload(mcv, clock, NULL, 0);
}

static inline void
ovni_emit_u32(const char *mcv, uint64_t clock, uint32_t a)
{
	ovni_emit_payload(mcv, clock, &a, sizeof(a));
}

static inline void
ovni_emit_i32(const char *mcv, uint64_t clock, int32_t a)
{
	ovni_emit_payload(mcv, clock, &a, sizeof(a));
}

static inline void
ovni_emit_u64(const char *mcv, uint64_t clock, uint64_t a)
{
	ovni_emit_payload(mcv, clock, &a, sizeof(a));
}

static inline void
ovni_emit_i64(const char *mcv, uint64_t clock, int64_t a)
{
	ovni_emit_payload(mcv, clock, &a, sizeof(a));
}

/* Two values of 4 bytes, as tasks and their bodies or types are. */
static inline void
ovni_emit_u32x2(const char *mcv, uint64_t clock, uint32_t a, uint32_t b)
{
	const uint32_t ab[2] = { a, b };
	ovni_emit_payload(mcv, clock, ab, sizeof(ab));
}

static inline void
ovni_emit_u64x2(const char *mcv, uint64_t clock, uint64_t a, uint64_t b)
{
	const uint64_t ab[2] = { a, b };
	ovni_emit_payload(mcv, clock, ab, sizeof(ab));
}

#ifdef __cplusplus
}
#endif

#endif
