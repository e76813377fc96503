/* SPDX-License-Identifier: MIT */
/* What a thread keeps of its last events. The first byte of the input chooses:
 *   bit  0    the bytes are a stream with a snapshot, whose shared part has as many bytes as the second byte tells
 *             times 4, not a stream.ring
 *   bit  3    --compat
 *   bit  4    lint
 *   bit  5    the thread finished
 * Another thread has all of its events, and moves this one. */
#include "fuzz.h"

#include <string.h>

static void
put_meta(int tid, const char *more)
{
	char path[64], text[1024];
	int n = snprintf(text, sizeof(text),
		"{\"version\": 3, \"ovni\": {\"lib\": {\"version\": \"1\", \"commit\": \"c\"}, \"part\": \"thread\","
		"\"loom\": \"n\", \"pid\": 1, \"tid\": %d, \"app_id\": 1,"
		"\"require\": {\"ovni\": \"1.0.0\", \"kernel\": \"1.0.0\", \"nosv\": \"2.0.0\", \"openmp\": \"1.0.0\"},"
		"\"loom_cpus\": [{\"index\": 0, \"phyid\": 0}, {\"index\": 1, \"phyid\": 1}]%s}}",
		tid, more);
	(void)snprintf(path, sizeof(path), "t/%d/stream.json", tid);
	fuzz_file(path, text, (size_t)n);
}

static void
put_other(void)
{
	static const uint8_t events[] = {
		'o', 'v', 'n', 'i', 1, 0, 0, 0,                                   /* header */
		3, 'O', 'H', 'x', 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,             /* on CPU 0 */
		7, 'V', 'T', 'x', 6, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, /* runs task 1 */
		7, 'O', 'A', 'r', 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, /* moves thread 1 to CPU 1 */
	};
	put_meta(2, "");
	fuzz_file("t/2/stream.obs", events, sizeof(events));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	uint8_t how = data[0];
	char more[128];
	struct kit_bytes b = { 0 };
	kit_put(&b, "", 0);
	kit_header(&b);
	if (how & 1) {
		kit_put(&b, data + 2, size - 2);
		fuzz_drop("t/1/stream.ring");
	} else {
		fuzz_file("t/1/stream.ring", data + 2, size - 2);
	}
	fuzz_file("t/1/stream.obs", b.p, b.n);
	kit_done(&b);
	(void)snprintf(more, sizeof(more), "%s, \"ring\": {\"size\": 1%s, \"shared\": %d}", how & 0x20 ? ", \"finished\": 1" : "",
		how & 1 ? ", \"since\": 5" : "", how & 1 ? 4 * data[1] : 0);
	put_meta(1, more);
	put_other();
	fuzz_emulate(kit_path("t"), how & 8, how & 0x10);
	return 0;
}
