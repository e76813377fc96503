/* SPDX-License-Identifier: MIT */
/* Metadata files. The first byte of the input chooses: bits 0-1: 0 and 3 a stream.json,
 * 1 a metadata.json (with a good thread.json), 2 a thread.json (with a good
 * metadata.json); bit 2 --compat, bit 3 lint. The bytes behind are the file. */
#include "fuzz.h"

#include <string.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char good_proc[] = "{\"version\": 2, \"app_id\": 4, \"cpus\": [{\"index\": 0, \"phyid\": 6}]}";
	static const char good_thread[] =
		"{\"version\": 2, \"ovni\": {\"lib\": {\"version\": \"1.5.0\", \"commit\": \"c\"}, \"require\": {\"ovni\": \"1.0.0\"}, \"finished\": 1}}";
	static struct kit_bytes obs;
	if (size < 1)
		return 0;
	if (!obs.n) {
		struct {
			int64_t value;
			int32_t type;
		} __attribute__((packed)) mark = { 5, 1 };
		static const int32_t zero[4];
		kit_header(&obs);
		kit_event(&obs, "OHx", 1, zero, 16);
		kit_event(&obs, "OM=", 2, &mark, 12);
		kit_event(&obs, "OHe", 3, NULL, 0);
	}
	uint8_t how = *data++;
	size--;
	bool proc = (how & 3) == 1;
	bool thread = (how & 3) == 2;
	const char *dir = "v3";
	if (proc || thread) {
		dir = "old";
		fuzz_file("old/loom.a/proc.1/thread.2.obs", obs.p, obs.n);
		fuzz_file("old/loom.a/proc.1/metadata.json", proc ? (const char *)data : good_proc, proc ? size : strlen(good_proc));
		fuzz_file("old/loom.a/proc.1/thread.2.json", thread ? (const char *)data : good_thread,
			thread ? size : strlen(good_thread));
	} else {
		fuzz_file("v3/x/stream.obs", obs.p, obs.n);
		fuzz_file("v3/x/stream.json", data, size);
	}
	fuzz_emulate(kit_path("%s", dir), how & 4, how & 8);
	return 0;
}
