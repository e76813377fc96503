/* SPDX-License-Identifier: MIT */
/* Streams of a runtime trace. The first byte of the input chooses:
 *   bits 0-1  plain, .zst, .lz4 of the bytes as they are; 3: plain, two streams
 *   bit  2    compress the bytes here, so that what is inside varies too
 *   bit  3    --compat
 *   bit  4    lint
 *   bit  5    the thread never finished
 *   bit  6    the header of the stream is put before the bytes
 *   bit  7    .gz of the bytes instead */
#include "fuzz.h"

#include <string.h>

enum {
	SECOND = 0xfe, /* splits the input in two streams */
};

static void
put_thread(int tid, bool finished, const char *ext, const struct kit_bytes *b)
{
	static const char *const exts[] = { "", ".zst", ".lz4", ".gz" };
	char text[1024];
	int n = snprintf(text, sizeof(text),
		"{\"version\": 3, \"ovni\": {\"lib\": {\"version\": \"1\", \"commit\": \"c\"}, \"part\": \"thread\","
		"\"loom\": \"n\", \"pid\": 1, \"tid\": %d, \"app_id\": 1, \"require\": {\"ovni\": \"1.0.0\", \"kernel\": \"1.0.0\"},"
		"\"mark\": {\"0\": {\"title\": \"a\", \"chan_type\": \"single\"}, \"1\": {\"title\": \"b\", \"chan_type\": \"stack\"}},"
		"\"loom_cpus\": [{\"index\": 0, \"phyid\": 0}, {\"index\": 1, \"phyid\": 1}]%s}}",
		tid, finished ? ", \"finished\": 1" : "");
	char path[64];
	(void)snprintf(path, sizeof(path), "t/%d/stream.json", tid);
	fuzz_file(path, text, (size_t)n);
	for (int i = 0; i < 4; i++) {
		(void)snprintf(path, sizeof(path), "t/%d/stream.obs%s", tid, exts[i]);
		if (strcmp(exts[i], ext) == 0)
			fuzz_file(path, b->p, b->n);
		else
			fuzz_drop(path);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	static const char *const exts[] = { "", ".zst", ".lz4", "" };
	uint8_t how = *data++;
	size--;
	const char *ext = how & 0x80 ? ".gz" : exts[how & 3];
	bool two = (how & 3) == 3;
	const uint8_t *split = two ? memchr(data, SECOND, size) : NULL;
	size_t first = split ? (size_t)(split - data) : size;
	for (int tid = 1; tid <= 2; tid++) {
		struct kit_bytes b = { 0 };
		kit_put(&b, "", 0);
		if (how & 0x40 || (tid == 2 && !split))
			kit_header(&b);
		if (tid == 1)
			kit_put(&b, data, first);
		else if (split)
			kit_put(&b, split + 1, size - first - 1);
		if (how & 4 || tid == 2) {
			struct kit_bytes packed = kit_pack(&b, tid == 1 ? ext : "");
			kit_done(&b);
			b = packed;
		}
		put_thread(tid, !(how & 0x20), tid == 1 ? ext : "", &b);
		kit_done(&b);
	}
	fuzz_emulate(kit_path("t"), how & 8, how & 0x10);
	return 0;
}
