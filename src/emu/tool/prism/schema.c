/* SPDX-License-Identifier: MIT */
/* schema: what the µScope file of Prism streams can hold. */
#include "scope.h"

#include <stdio.h>

const char *const ptschema_totals[PS_TOTALS] = {
	[PRISM_TOTAL_LOADS] = "loads",
	[PRISM_TOTAL_STORES] = "stores",
	[PRISM_TOTAL_LOAD_BYTES] = "load_bytes",
	[PRISM_TOTAL_STORE_BYTES] = "store_bytes",
	[PRISM_TOTAL_INT_OPS] = "int_ops",
	[PRISM_TOTAL_FP_OPS] = "fp_ops",
	[PRISM_TOTAL_INSNS] = "insns",
	[PRISM_TOTAL_SYNCS] = "syncs",
};

enum {
	ROOT = 0,
	MEM_TYPE = 0,
	OP_FORMAT,
	OP_TYPE,
	SYNC_TYPE,
	CXT_TYPE,
	EVENT_TYPE,
	THREAD_STATE,
	ENUMS,
};

static const struct conv_table storages[PS_STORAGES] = {
	[PS_THREADS] = { "threads", PS_THREADS_MAX, USCOPE_SPARSE, { { "tid", USCOPE_U32, 0 }, { "process", USCOPE_U32, 0 }, { "state", USCOPE_ENUM, THREAD_STATE }, { "cpu", USCOPE_U16, 0 }, { "depth", USCOPE_U16, 0 }, { "function", USCOPE_STRING_REF, 0 }, { "locks", USCOPE_U16, 0 }, { "parent", USCOPE_U32, 0 } } },
	[PS_COUNTERS] = { "counters", PS_THREADS_MAX, 0, { { "loads", USCOPE_U64, 0 }, { "stores", USCOPE_U64, 0 }, { "load_bytes", USCOPE_U64, 0 }, { "store_bytes", USCOPE_U64, 0 }, { "int_ops", USCOPE_U64, 0 }, { "fp_ops", USCOPE_U64, 0 }, { "insns", USCOPE_U64, 0 }, { "syncs", USCOPE_U64, 0 } } },
	[PS_FRAMES] = { "frames", PS_FRAMES_MAX, USCOPE_SPARSE | USCOPE_BUFFER, { { "thread", USCOPE_U16, 0 }, { "depth", USCOPE_U16, 0 }, { "kind", USCOPE_ENUM, CXT_TYPE }, { "name", USCOPE_STRING_REF, 0 }, { "enter_seq", USCOPE_U64, 0 } } },
	[PS_LOCKS] = { "locks", PS_LOCKS_MAX, USCOPE_SPARSE, { { "object", USCOPE_U64, 0 }, { "owner", USCOPE_U16, 0 }, { "acquisitions", USCOPE_U64, 0 } } },
	[PS_DETAIL] = { "detail", 1, 0, { { "mem", USCOPE_U8, 0 }, { "comp", USCOPE_U8, 0 }, { "sync", USCOPE_U8, 0 }, { "cxt", USCOPE_U8, 0 } } },
};

static const struct conv_table events[PS_EVENTS] = {
	[PS_MEM] = { "mem", 0, 0, { { "thread", USCOPE_U16, 0 }, { "type", USCOPE_ENUM, MEM_TYPE }, { "bytes", USCOPE_U16, 0 }, { "addr", USCOPE_U64, 0 }, { "id", USCOPE_U8, 0 }, { "has", USCOPE_U16, 0 } } },
	[PS_COMP] = { "comp", 0, 0, { { "thread", USCOPE_U16, 0 }, { "format", USCOPE_ENUM, OP_FORMAT }, { "bytes", USCOPE_U16, 0 }, { "op", USCOPE_U8, 0 }, { "arity", USCOPE_U8, 0 }, { "id0", USCOPE_U8, 0 }, { "id1", USCOPE_U8, 0 }, { "id2", USCOPE_U8, 0 }, { "id3", USCOPE_U8, 0 }, { "has", USCOPE_U16, 0 } } },
	[PS_SYNC] = { "sync", 0, 0, { { "thread", USCOPE_U16, 0 }, { "type", USCOPE_ENUM, SYNC_TYPE }, { "arg0", USCOPE_U64, 0 }, { "arg1", USCOPE_U64, 0 } } },
	[PS_CXT] = { "cxt", 0, 0, { { "thread", USCOPE_U16, 0 }, { "type", USCOPE_ENUM, CXT_TYPE }, { "id", USCOPE_U64, 0 }, { "name", USCOPE_STRING_REF, 0 } } },
	[PS_CFG] = { "cfg", 0, 0, { { "target", USCOPE_ENUM, EVENT_TYPE }, { "before", USCOPE_U8, 0 }, { "after", USCOPE_U8, 0 } } },
};

static const char *
state_name(unsigned state)
{
	static const char *const names[] = { [PS_FREE] = "free", [PS_PAUSED] = "paused", [PS_RUNNING] = "running", [PS_DEAD] = "dead" };
	return names[state];
}

static const struct {
	const char *name;
	const char *(*label)(unsigned value);
	uint8_t n;
} enums[ENUMS] = {
	[MEM_TYPE] = { "mem_type", prism_mem_name, PRISM_MEM_INVALID + 1 },
	[OP_FORMAT] = { "op_format", prism_format_name, PRISM_OP_INVALID + 1 },
	[OP_TYPE] = { "op_type", prism_op_name, PRISM_OPS },
	[SYNC_TYPE] = { "sync_type", prism_sync_name, PRISM_SYNCS },
	[CXT_TYPE] = { "cxt_type", prism_cxt_name, PRISM_CXTS },
	[EVENT_TYPE] = { "event_type", prism_kind_name, PRISM_END + 1 },
	[THREAD_STATE] = { "thread_state", state_name, PS_DEAD + 1 },
};

static int
add_enums(uscope_schema_t *s)
{
	int rc = 0;
	for (int i = 0; i < ENUMS && rc >= 0; i++) {
		rc = uscope_schema_add_enum(s, enums[i].name);
		for (uint8_t k = 0; k < enums[i].n && rc >= 0; k++)
			rc = uscope_schema_add_enum_value(s, i, k, enums[i].label(k));
	}
	return rc;
}

static int
add_stream(uscope_schema_t *s, size_t n)
{
	char name[32];
	(void)snprintf(name, sizeof(name), "stream%zu", n);
	int scope = uscope_schema_add_scope(s, name, ROOT, "prism", -1);
	int rc = scope;
	for (int i = 0; i < PS_EVENTS && n < PS_EVENT_STREAMS && rc >= 0; i++)
		rc = convscope_event(s, scope, &events[i]);
	return rc;
}

uscope_schema_t *
ptschema_make(const struct ptool *t)
{
	uscope_schema_t *s = uscope_schema_new();
	if (!s)
		return NULL;
	int rc = uscope_schema_add_clock(s, "prism", 1000);
	if (rc >= 0)
		rc = uscope_schema_add_scope(s, "/", -1, NULL, 0);
	if (rc >= 0)
		rc = add_enums(s);
	for (int i = 0; i < PS_STORAGES && rc >= 0; i++) {
		struct conv_table table = storages[i];
		if (i == PS_DETAIL)
			table.slots = (uint16_t)t->ninputs;
		rc = convscope_storage(s, ROOT, &table);
	}
	for (size_t i = 0; i < t->ninputs && rc >= 0; i++)
		rc = add_stream(s, i);
	if (rc >= 0)
		return s;
	uscope_schema_free(s);
	return NULL;
}
