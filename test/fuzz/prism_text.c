/* SPDX-License-Identifier: MIT */
/* Events of Prism as text. Bit 0 of the first byte chooses: the rest is lines, of which those
 * that are events are printed and read again; or it is a stream, of which each event is printed,
 * read, and written as the bytes that it was. The bits above are layout, word size and control
 * flow. */
#include "fuzz.h"
#include "prismkit.h"
#include "prism/line.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static struct wbuf out;
static struct ptline first, second;

/* The text of an event, in what is not written yet. */
static size_t
print(const struct prism_event *ev)
{
	out.used = 0;
	ptline_put(&out, ev);
	size_t n = out.used;
	ptline_put_json(&out, ev);
	CHECK(n > 0 && n < WBUF_SIZE && out.used < WBUF_SIZE && !wbuf_failed(&out));
	return n;
}

static void
read_lines(const uint8_t *data, size_t size)
{
	while (size) {
		const uint8_t *eol = memchr(data, '\n', size);
		size_t n = eol ? (size_t)(eol - data) : size;
		bool good = ptline_parse(&first, (const char *)data, n);
		CHECK(good == !first.problem && first.column <= n && first.nbytes <= PTLINE_BYTES_MAX);
		if (good && first.type == PTLINE_EVENT) {
			size_t k = print(&first.ev);
			CHECK(ptline_parse(&second, out.data, k) && second.type == PTLINE_EVENT && second.ev.kind == first.ev.kind);
			CHECK(print(&second.ev) == k);
		}
		data += n + (eol != NULL);
		size -= n + (eol != NULL);
	}
}

/* Bits that no text tells. */
static bool
is_plain(const struct prism_event *ev)
{
	return (ev->issues & ~(1U << PRISM_PB09 | 1U << PRISM_PB13)) == 0;
}

static void
read_events(const uint8_t *data, size_t size, const struct prism_settings *settings)
{
	struct prism_state in, state;
	struct prism_event ev;
	ssize_t n;
	prism_begin(&in, settings);
	prism_begin(&state, settings);
	while (size && (n = prism_decode(data, size, &in, &ev)) > 0) {
		uint8_t bytes[PRISM_EVENT_MAX];
		size_t k = print(&ev);
		CHECK(ptline_parse(&second, out.data, k) && second.type == PTLINE_EVENT);
		ssize_t m = prism_encode(bytes, sizeof(bytes), &state, &second.ev);
		CHECK(m == n && prismkit_same_state(&in, &state));
		CHECK(!is_plain(&ev) || memcmp(bytes, data, (size_t)n) == 0);
		data += n;
		size -= (size_t)n;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!out.data) {
		int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
		CHECK(fd >= 0 && wbuf_attach(&out, fd, "/dev/null") == 0);
	}
	if (size == 0)
		return 0;
	const struct prism_settings settings = {
		.layout = data[0] & 2 ? PRISM_PACKED : PRISM_WIDE,
		.word_size = data[0] & 4 ? 4 : 8,
		.control_flow = data[0] & 8,
	};
	if (data[0] & 1)
		read_lines(data + 1, size - 1);
	else
		read_events(data + 1, size - 1, &settings);
	return 0;
}
