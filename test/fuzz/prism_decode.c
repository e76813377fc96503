/* SPDX-License-Identifier: MIT */
/* Events of Prism. The first byte chooses: layout, word size, control flow, lenient, whether five
 * bytes of levels of detail follow, the last of which also chooses the size of numbers of names, and the size of buffers
 * (3 bits); the rest is a stream. It
 * is read as a second reader reads it, however the bytes come, and is written again. The same
 * bytes are also taken for events: what is written of them can be read. */
#include "fuzz.h"
#include "prismkit.h"

#include <string.h>

static uint64_t
mix(uint64_t sum, uint64_t v)
{
	return (sum ^ v) * UINT64_C(0x9e3779b97f4a7c15);
}

/* What all events of a stream are, as one number. */
static uint64_t
read_all(const uint8_t *data, size_t size, const struct prism_settings *settings, uint64_t buffer_size, size_t step)
{
	struct prismread r;
	struct prism_event ev;
	uint64_t sum = 0;
	size_t at = 0, given = 0, used;
	int rc;
	prismread_begin(&r, settings, buffer_size);
	for (;;) {
		bool last = given == size;
		rc = prismread_next(&r, data + at, given - at, last, &used, &ev);
		CHECK(used <= given - at);
		at += used;
		CHECK(r.offset == at && r.at <= r.offset);
		if (rc > 0)
			sum = mix(sum, ev.kind ^ (uint64_t)ev.issues << 8 ^ r.at << 40);
		else if (rc == 0 && ev.issues)
			sum = mix(sum, (uint64_t)ev.issues << 8 ^ r.at << 40);
		if (rc < 0 || (rc == 0 && last))
			break;
		if (rc == 0)
			given = size - given < step ? size : given + step;
	}
	CHECK(r.ended && (rc < 0 || at == size) && rc > -PRISM_PM01);
	return mix(sum, (uint64_t)-rc ^ r.at << 40);
}

static void
write_any(const uint8_t *data, size_t size, const struct prism_settings *settings)
{
	struct prism_state in, out;
	prism_begin(&in, settings);
	prism_begin(&out, settings);
	while (size) {
		struct prism_event ev, back;
		uint8_t bytes[PRISM_EVENT_MAX];
		size_t n = size < sizeof(ev) ? size : sizeof(ev);
		memset(&ev, 0, sizeof(ev));
		memcpy(&ev, data, n);
		data += n;
		size -= n;
		ev.kind &= 7;
		if (ev.kind == PRISM_CXT) {
			ev.cxt.name = (const char *)data;
			ev.cxt.name_len = ev.cxt.name_len % 300 < size ? ev.cxt.name_len % 300 : (uint32_t)size;
		}
		size_t cap = n % 2 ? n : sizeof(bytes);
		ssize_t k = prism_encode(bytes, cap, &out, &ev);
		CHECK(k <= (ssize_t)cap && k >= -PRISM_E_VALUE);
		if (k <= 0)
			continue;
		CHECK(prism_decode(bytes, (size_t)k, &in, &back) == k && back.kind == ev.kind);
		CHECK((back.issues & ~(1U << PRISM_PB09 | 1U << PRISM_PB13)) == 0 && prismkit_same_state(&in, &out));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t buffers[8] = { 0, 0, 0, 1, 7, 64, 300, UINT64_MAX };
	if (size == 0)
		return 0;
	uint8_t how = *data++;
	size--;
	struct prism_settings settings = {
		.layout = how & 1 ? PRISM_PACKED : PRISM_WIDE,
		.word_size = how & 2 ? 4 : 8,
		.control_flow = how & 4,
		.lenient = how & 8,
		.has_detail = (how & 16) && size >= PRISM_KINDS,
	};
	uint64_t buffer_size = buffers[how >> 5];
	if (settings.has_detail) {
		memcpy(settings.detail, data, PRISM_KINDS);
		settings.name_size = (uint8_t)(4 * (data[PRISM_CF] % 3)); /* the level of detail of control flow says nothing */
		data += PRISM_KINDS;
		size -= PRISM_KINDS;
	}
	prismkit_take(data, size, &settings);
	uint64_t whole = read_all(data, size, &settings, buffer_size, size + 1);
	CHECK(read_all(data, size, &settings, buffer_size, 1) == whole);
	CHECK(read_all(data, size, &settings, buffer_size, 13) == whole);
	write_any(data, size, &settings);
	return 0;
}
