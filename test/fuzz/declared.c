/* SPDX-License-Identifier: MIT */
/* Models without code; a good one sees each of its events. */
#include "fuzz.h"

#include "decl/decl.h"
#include "sig.h"

#include <string.h>

static void
put_event(struct kit_bytes *obs, const char *text)
{
	static const uint8_t zeros[16 * 8];
	struct sig s;
	const char *why;
	if (!text || sig_parse(text, &s, &why) < 0 || obs->n > 1 << 20)
		return;
	if (s.jumbo)
		kit_jumbo(obs, s.mcv, (int64_t)obs->n, s.size - 4, zeros, s.size - 4);
	else
		kit_event(obs, s.mcv, (int64_t)obs->n, zeros, s.size == 1 ? 2 : s.size < 16 ? s.size
											    : 16);
}

static void
emulate(const struct model_set *set, const struct model *m)
{
	static const int32_t zero[4];
	struct kit_bytes obs = { 0 };
	char metadata[512];
	int n = snprintf(metadata, sizeof(metadata), "{\"version\": 3, \"ovni\": {\"lib\": {\"version\": \"1.14.0\", \"commit\": \"c\"}, \"part\": \"thread\", \"tid\": 1, "
						     "\"pid\": 1, \"loom\": \"l\", \"app_id\": 1, \"require\": {\"ovni\": \"1.1.0\", \"%s\": \"%s\"}, "
						     "\"loom_cpus\": [{\"index\": 0, \"phyid\": 0}], \"finished\": 1}}",
		m->name, m->version);
	CHECK(n > 0 && n < (int)sizeof(metadata));
	kit_header(&obs);
	kit_event(&obs, "OHx", 1, zero, 16);
	for (size_t i = 0; i < m->nstates; i++) {
		put_event(&obs, m->states[i].enter);
		put_event(&obs, m->states[i].leave);
	}
	for (size_t i = 0; i < m->nevents; i++)
		put_event(&obs, m->events[i].sig);
	put_event(&obs, "OHe");
	fuzz_file("v3/x/stream.obs", obs.p, obs.n);
	fuzz_file("v3/x/stream.json", metadata, (size_t)n);
	kit_done(&obs);
	fuzz_emulate_with(set, kit_path("v3"), false, false);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	const struct model *m = NULL;
	static struct model_set set;
	fuzz_file("model.json", data, size);
	set = *fuzz_models();
	fuzz_quiet();
	bool good = decl_load(&arena, &fuzz_diag, kit_path("model.json"), &set) == 0;
	fuzz_loud();
	for (size_t i = 0; i < set.n; i++)
		if (strcmp(set.items[i].owner, MODELSET_OURS) != 0)
			m = set.items[i].model;
	if (good)
		emulate(&set, m);
	arena_finish(&arena);
	return 0;
}
