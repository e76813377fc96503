/* SPDX-License-Identifier: MIT */
/* Events as bytes. */
#include <time.h>
#include "kit.h"
#include "ovni_emit.h"

static void
payload(void)
{
	struct ovni_ev ev = { 0 };
	uint8_t data[16];

	for (int i = 0; i < 16; i++)
		data[i] = (uint8_t)(i + 1);
	CHECK(ovni_payload_size(&ev) == 0 && ovni_ev_size(&ev) == 12);
	for (int n = 2; n <= 16; n++) {
		memset(&ev, 0, sizeof(ev));
		ovni_payload_add(&ev, data, n);
		CHECK(ev.header.flags == n - 1);
		CHECK(ovni_payload_size(&ev) == n && ovni_ev_size(&ev) == 12 + n);
		CHECK(memcmp(ev.payload.u8, data, (size_t)n) == 0);
	}
	/* Pieces add up. */
	memset(&ev, 0, sizeof(ev));
	ovni_payload_add(&ev, data, 4);
	ovni_payload_add(&ev, data + 4, 4);
	ovni_payload_add(&ev, data + 8, 8);
	CHECK(ev.header.flags == 0x0f && memcmp(ev.payload.u8, data, 16) == 0);

	/* A jumbo counts its count. */
	memset(&ev, 0, sizeof(ev));
	ev.header.flags = 0x13;
	ev.payload.jumbo.size = 100;
	CHECK(ovni_payload_size(&ev) == 104 && ovni_ev_size(&ev) == 116);

	ovni_ev_set_clock(&ev, UINT64_MAX - 1);
	CHECK(ovni_ev_get_clock(&ev) == UINT64_MAX - 1);
}

/* The example of doc/format/trace.md. */
static void
worked_bytes(void)
{
	static const uint8_t want[] = {
		0x6f,
		0x76,
		0x6e,
		0x69,
		1,
		0,
		0,
		0,
		0x0f,
		0x4f,
		0x48,
		0x78,
		10,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0xff,
		0xff,
		0xff,
		0xff,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0x0b,
		0x4f,
		0x4d,
		0x5b,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0, /* clock not known */
		3,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		7,
		0,
		0,
		0,
		0x13,
		0x56,
		0x59,
		0x63,
		0,
		0,
		0,
		0,
		0,
		1,
		0,
		0,
		14,
		0,
		0,
		0,
		1,
		0,
		0,
		0,
		't',
		'e',
		's',
		't',
		't',
		'y',
		'p',
		'e',
		'1',
		0,
		0x00,
		0x4f,
		0x48,
		0x65,
		0,
		0,
		0,
		0,
		0,
		2,
		0,
		0,
	};
	const size_t mark_clock = 8 + 28 + 4;
	int32_t cpu = 0, creator = -1;
	uint64_t tag = 0;
	size_t size;

	kit_begin(1);
	struct ovni_ev ev = { 0 };
	ovni_ev_set_mcv(&ev, "OHx and what follows");
	ovni_ev_set_clock(&ev, 10);
	ovni_payload_add(&ev, (uint8_t *)&cpu, sizeof(cpu));
	ovni_payload_add(&ev, (uint8_t *)&creator, sizeof(creator));
	ovni_payload_add(&ev, (uint8_t *)&tag, sizeof(tag));
	struct ovni_ev copy = ev;
	ovni_ev_emit(&ev);
	CHECK(memcmp(&ev, &copy, sizeof(ev)) == 0);

	uint64_t before = ovni_clock_now();
	ovni_mark_push(7, 3);
	uint64_t after = ovni_clock_now();

	memset(&ev, 0, sizeof(ev));
	ovni_ev_set_mcv(&ev, "VYc");
	ovni_ev_set_clock(&ev, UINT64_C(1) << 40);
	uint8_t type[14] = { 1, 0, 0, 0, 't', 'e', 's', 't', 't', 'y', 'p', 'e', '1', 0 };
	ovni_ev_jumbo_emit(&ev, type, sizeof(type));
	CHECK(ev.header.flags == 0x13 && ovni_payload_size(&ev) == 18);

	kit_emit("OHe", UINT64_C(2) << 40);
	kit_end();

	uint8_t *got = kit_file("ovni", KIT_PID, 1, "stream.obs", &size);
	CHECK(got != NULL && size == sizeof(want));
	uint64_t clock = wire_u64(got + mark_clock);
	CHECK(clock >= before && clock <= after);
	memset(got + mark_clock, 0, sizeof(clock));
	CHECK(memcmp(got, want, size) == 0);
	free(got);
}

/* Every size goes through the copy of its own, and none takes bytes behind the event. */
static void
all_sizes(void)
{
	uint8_t want[1024] = { 'o', 'v', 'n', 'i', 1 };
	size_t size, at = 8;

	kit_begin(1);
	for (int n = 0; n <= 16; n++) {
		if (n == 1)
			continue;
		/* At the end of an allocation, for the sanitizer to see. */
		uint8_t *p = malloc(12 + (size_t)n);
		CHECK(p != NULL);
		for (int i = 0; i < 12 + n; i++)
			p[i] = (uint8_t)(n * 16 + i);
		p[0] = (uint8_t)(n ? n - 1 : 0);
		ovni_ev_emit((struct ovni_ev *)p);
		memcpy(want + at, p, 12 + (size_t)n);
		at += 12 + (size_t)n;
		free(p);
	}
	kit_end();
	uint8_t *got = kit_file("ovni", KIT_PID, 1, "stream.obs", &size);
	CHECK(got != NULL && size == at && memcmp(got, want, at) == 0);
	free(got);
}

static void
marks(void)
{
	static const char *const mcv[] = { "OM[", "OM]", "OM=" };
	size_t size;

	kit_begin(1);
	ovni_mark_push(0, 1);
	ovni_mark_pop(99, -1);
	ovni_mark_set(5, INT64_MIN);
	kit_end();
	uint8_t *got = kit_file("ovni", KIT_PID, 1, "stream.obs", &size);
	CHECK(got != NULL && size == 8 + 3 * 24);
	for (size_t i = 0; i < 3; i++) {
		CHECK(got[8 + i * 24] == 0x0b);
		CHECK(memcmp(got + 9 + i * 24, mcv[i], 3) == 0);
	}
	CHECK(wire_i64(got + 8 + 24 + 12) == -1 && wire_i32(got + 8 + 24 + 20) == 99);
	CHECK(wire_i64(got + 8 + 48 + 12) == INT64_MIN && wire_i32(got + 8 + 48 + 20) == 5);
	free(got);
}

/* The emitters of ovni_emit.h write what the plain way writes, also where the buffer ends. */
static void
emit_both(bool inlined, int kind, uint64_t clock)
{
	static const uint8_t sizes[] = { 0, 4, 4, 8, 8, 8, 16 };
	const uint64_t v[2] = { 0x1122334455667788, 0x99aabbccddeeff00 };
	struct ovni_ev ev = { 0 };

	if (!inlined) {
		ovni_ev_set_mcv(&ev, "OB.");
		ovni_ev_set_clock(&ev, clock);
		if (sizes[kind])
			ovni_payload_add(&ev, (const uint8_t *)v, sizes[kind]);
		ovni_ev_emit(&ev);
	} else if (kind == 0) {
		ovni_emit("OB.", clock);
	} else if (kind == 1) {
		ovni_emit_u32("OB.", clock, (uint32_t)v[0]);
	} else if (kind == 2) {
		ovni_emit_i32("OB.", clock, (int32_t)v[0]);
	} else if (kind == 3) {
		ovni_emit_u64("OB.", clock, v[0]);
	} else if (kind == 4) {
		ovni_emit_i64("OB.", clock, (int64_t)v[0]);
	} else if (kind == 5) {
		ovni_emit_u32x2("OB.", clock, (uint32_t)v[0], (uint32_t)(v[0] >> 32));
	} else {
		ovni_emit_u64x2("OB.", clock, v[0], v[1]);
	}
}

static void
inlined(void)
{
	uint8_t *got[2];
	size_t size[2];

	ovni_proc_init(1, KIT_LOOM, KIT_PID);
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();
		CHECK(pid >= 0);
		if (pid == 0) {
			kit_begin(1 + i);
			for (uint64_t k = 0; k < 150000; k++)
				emit_both(i == 1, (int)(k * 7919 % 101 % 7), k);
			kit_end();
			exit(0);
		}
		int status;
		CHECK(waitpid(pid, &status, 0) == pid && status == 0);
		got[i] = kit_file("ovni", KIT_PID, 1 + i, "stream.obs", &size[i]);
		CHECK(got[i] != NULL);
	}
	CHECK(size[0] == size[1] && size[0] > OVNI_MAX_EV_BUF);
	for (size_t at = 8; at < size[0]; at += wire_event_size(got[0] + at, size[0] - at))
		CHECK(memcmp(got[0] + at, got[1] + at, got[0][at + 2] == 'F' ? 4 : wire_event_size(got[0] + at, size[0] - at)) == 0);
	free(got[0]);
	free(got[1]);
}

/* A thread that is not ready is told, whichever way it emits. */
static void
inlined_too_early(void)
{
	ovni_emit_u32("OB.", 0, 0);
}

static uint64_t
monotonic(void)
{
	struct timespec ts;
	CHECK(clock_gettime(CLOCK_MONOTONIC, &ts) == 0);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Before the process is initialised, too. */
static void
clock_is_monotonic(void)
{
	for (int i = 0; i < 2; i++) {
		uint64_t a = monotonic(), b = ovni_clock_now(), c = monotonic();
		CHECK(a <= b && b <= c);
		if (i == 0)
			kit_begin(1);
	}
	kit_end();
}

int
main(void)
{
	RUNS(payload);
	RUNS(worked_bytes);
	RUNS(all_sizes);
	RUNS(marks);
	RUNS(inlined);
	DIES(inlined_too_early, "ovni_ev_emit");
	RUNS(clock_is_monotonic);
	return 0;
}
