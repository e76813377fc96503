/* SPDX-License-Identifier: MIT */
/* schema: what the µScope file of a Laplace trace can hold. */
#include "uscope.h"

enum {
	SCOPE = 1,
	REF_KIND = 0,
	MODE,
	PAGE_CLASS,
	KEVENT,
	TASK_STATE,
	ENUMS,
};

const struct conv_table lschema_storages[LU_STORAGES] = {
	[LU_CPU] = { "cpu", 1, 0, { { "pid", USCOPE_U32, 0 }, { "space", USCOPE_U32, 0 }, { "mode", USCOPE_ENUM, MODE }, { "ksection", USCOPE_U8, 0 } } },
	[LU_TASKS] = { "tasks", LU_TASKS_MAX, USCOPE_SPARSE, { { "pid", USCOPE_U32, 0 }, { "parent", USCOPE_U32, 0 }, { "space", USCOPE_U32, 0 }, { "state", USCOPE_ENUM, TASK_STATE }, { "start_cycle", USCOPE_U64, 0 }, { "program", USCOPE_STRING_REF, 0 } } },
	[LU_COUNTERS] = { "task_counters", LU_TASKS_MAX, 0, { { "loads", USCOPE_U64, 0 }, { "stores", USCOPE_U64, 0 }, { "fetches", USCOPE_U64, 0 }, { "load_bytes", USCOPE_U64, 0 }, { "store_bytes", USCOPE_U64, 0 }, { "new_pages", USCOPE_U64, 0 } } },
	[LU_SPACES] = { "spaces", LU_SPACES_MAX, USCOPE_SPARSE, { { "context", USCOPE_U32, 0 }, { "tasks", USCOPE_U16, 0 }, { "mapped_bytes", USCOPE_U64, 0 }, { "touched_pages", USCOPE_U64, 0 } } },
	[LU_REGIONS] = { "regions", LU_REGIONS_MAX, USCOPE_SPARSE | USCOPE_BUFFER, { { "space", USCOPE_U16, 0 }, { "class", USCOPE_ENUM, PAGE_CLASS }, { "start", USCOPE_U32, 0 }, { "end", USCOPE_U32, 0 }, { "major", USCOPE_U32, 0 }, { "minor", USCOPE_U32, 0 }, { "inode", USCOPE_U32, 0 }, { "offset", USCOPE_U64, 0 }, { "name", USCOPE_STRING_REF, 0 } } },
};

static const struct conv_table events[] = {
	[LU_REF] = { "ref", 0, 0, { { "kind", USCOPE_ENUM, REF_KIND }, { "length", USCOPE_U8, 0 }, { "space", USCOPE_U32, 0 }, { "address", USCOPE_U32, 0 }, { "task", USCOPE_U16, 0 }, { "page", USCOPE_U64, 0 } } },
	[LU_KEVENT] = { "kevent", 0, 0, { { "kind", USCOPE_ENUM, KEVENT }, { "task", USCOPE_U16, 0 }, { "a", USCOPE_U64, 0 }, { "b", USCOPE_U64, 0 }, { "c", USCOPE_U64, 0 }, { "d", USCOPE_U64, 0 } } },
	[LU_PAGE] = { "page", 0, 0, { { "class", USCOPE_ENUM, PAGE_CLASS }, { "page", USCOPE_U64, 0 }, { "space", USCOPE_U32, 0 }, { "vpage", USCOPE_U32, 0 } } },
	[LU_SWITCH] = { "switch", 0, 0, { { "from", USCOPE_U32, 0 }, { "to", USCOPE_U32, 0 } } },
};

static const struct {
	const char *name;
	uint8_t first; /* value of the first label */
	const char *labels[7];
} enums[ENUMS] = {
	[REF_KIND] = { "ref_kind", 1, { "load", "store", "fetch", "load again", "store again", "fetch again" } },
	[MODE] = { "mode", 1, { "user", "kernel" } },
	[PAGE_CLASS] = { "page_class", LAP_CLASS_ANONYMOUS, { "anonymous", "file", "segment", "unmapped", "copy on write", "kernel" } },
	[KEVENT] = { "kevent", 1, { NULL } }, /* from the catalogue */
	[TASK_STATE] = { "task_state", 0, { "free", "created", "running", "waiting", "exited" } },
};

static int
add_enums(uscope_schema_t *s)
{
	int rc = 0;
	for (int i = 0; i < ENUMS && rc >= 0; i++) {
		rc = uscope_schema_add_enum(s, enums[i].name);
		for (uint8_t k = 0; rc >= 0 && enums[i].labels[k]; k++)
			rc = uscope_schema_add_enum_value(s, i, (uint8_t)(enums[i].first + k), enums[i].labels[k]);
	}
	for (int i = 0; i < LAP_OTHER && rc >= 0; i++)
		rc = uscope_schema_add_enum_value(s, KEVENT, lap_tags[i].code, lap_tags[i].name);
	return rc;
}

static int
add_tables(uscope_schema_t *s, uint32_t ncpus)
{
	struct conv_table cpus = lschema_storages[LU_CPU];
	cpus.slots = (uint16_t)ncpus;
	int rc = convscope_storage(s, SCOPE, &cpus);
	for (int i = LU_CPU + 1; i < LU_STORAGES && rc >= 0; i++)
		rc = convscope_storage(s, SCOPE, &lschema_storages[i]);
	if (rc >= 0)
		rc = uscope_schema_add_property(s, LU_REGIONS, "live", USCOPE_U32, 0);
	for (int i = 0; i <= LU_SWITCH && rc >= 0; i++)
		rc = convscope_event(s, SCOPE, &events[i]);
	return rc;
}

uscope_schema_t *
lschema_make(uint64_t freq, uint32_t ncpus)
{
	uscope_schema_t *s = uscope_schema_new();
	if (!s)
		return NULL;
	int rc = uscope_schema_add_clock(s, "cpu_clk", (uint32_t)((UINT64_C(1000000000000) + freq / 2) / freq));
	if (rc >= 0)
		rc = uscope_schema_add_scope(s, "/", -1, NULL, 0);
	if (rc >= 0)
		rc = uscope_schema_add_scope(s, "laplace", 0, "laplace", 0);
	if (rc >= 0)
		rc = add_enums(s);
	if (rc >= 0)
		rc = add_tables(s, ncpus);
	if (rc >= 0)
		return s;
	uscope_schema_free(s);
	return NULL;
}
