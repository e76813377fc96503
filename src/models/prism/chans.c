/* SPDX-License-Identifier: MIT */
/* chans: the channels of the model prism. */
#include "parts.h"

static const struct label state_labels[] = {
	{ STATE_CRITICAL, "In a critical section" },
	{ STATE_BARRIER, "Waiting at a barrier" },
	{ STATE_JOIN, "Waiting in a join" },
};

static const struct label sync_labels[] = {
	{ PRISM_CREATE, "Create" },
	{ PRISM_JOIN, "Join" },
	{ PRISM_BARRIER, "Barrier" },
	{ PRISM_SYNC_SYNC, "Sync" },
	{ PRISM_SWAP, "Swap" },
	{ PRISM_LOCK, "Lock" },
	{ PRISM_UNLOCK, "Unlock" },
	{ PRISM_COND_WAIT, "Condition wait" },
	{ PRISM_COND_SIGNAL, "Condition signal" },
	{ PRISM_COND_BROADCAST, "Condition broadcast" },
	{ PRISM_SPIN_LOCK, "Spin lock" },
	{ PRISM_SPIN_UNLOCK, "Spin unlock" },
};

static const struct label mem_labels[] = {
	{ MEM_LOAD, "Load" },
	{ MEM_STORE, "Store" },
	{ MEM_OTHER, "Memory access of unknown type" },
};

static const struct label comp_labels[] = {
	{ COMP_INTEGER, "Integer" },
	{ COMP_FLOAT, "Floating point" },
	{ COMP_OTHER, "Computation of unknown format" },
};

static const struct label op_labels[] = {
	{ PRISM_UNKNOWN + 1, "Undefined" },
	{ PRISM_ADD + 1, "Add" },
	{ PRISM_SUB + 1, "Subtract" },
	{ PRISM_MULT + 1, "Multiply" },
	{ PRISM_DIV + 1, "Divide" },
	{ PRISM_SHIFT + 1, "Shift" },
	{ PRISM_MOV + 1, "Move" },
	{ OP_OTHER, "Other operation" },
};

static const struct label cf_labels[] = {
	{ 1, "Undefined" },
	{ 2, "Jump" },
	{ 3, "Conditional branch" },
};

static const struct label diag_labels[] = {
#define X(name, text, lenient) { PRISM_##name, #name ": " text },
	PRISM_CODE_LIST(X)
#undef X
};

/* A total of an interval: the value at the end shows over the interval itself. */
#define TOTAL(NAME, TITLE, TYPE, THREAD, FILE)                   \
	{                                                        \
		.name = (NAME),                                  \
		.title = "Prism: " TITLE,                        \
		.prv_type = (TYPE),                              \
		.dup = DUP_SKIP,                                 \
		.values = VALUES_ANY,                            \
		.thread_track = (THREAD),                        \
		.cpu_track = TRACK_OWN,                          \
		.bare_title = true,                              \
		.view = {                                        \
			.file = (FILE),                          \
			.thread_title = "Thread: Prism: " TITLE, \
			.cpu_title = "CPU: Prism: " TITLE,       \
			.gradient = true,                        \
			.next_value = true,                      \
		},                                               \
	}
#define WINDOW(NAME, TITLE, TYPE, FILE) TOTAL("win." NAME, TITLE " in the interval", TYPE, TRACK_ANY, FILE)

/* The level of detail of a kind. */
#define DETAIL(NAME, TITLE, TYPE)                                                   \
	{                                                                           \
		.name = "lod." NAME,                                                \
		.title = "Prism: level of detail of " TITLE " events (256 + bits)", \
		.prv_type = (TYPE),                                                 \
		.dup = DUP_SKIP,                                                    \
		.values = VALUES_ANY,                                               \
		.thread_track = TRACK_HIDDEN,                                       \
		.cpu_track = TRACK_OWN,                                             \
		.bare_title = true,                                                 \
		.view = { .file = "detail-" NAME },                                 \
	}

const struct chan_decl prismmodel_chans[NCHANS] = {
	[FUNC] = {
		.name = "func",
		.title = "Prism: function",
		.prv_type = 400,
		.kind = CHAN_STACK,
		.dup = DUP_ALLOW,
		.view = { .file = "function" },
	},
	[FUNC_DEPTH] = {
		.name = "func_depth",
		.title = "Prism: depth of functions",
		.prv_type = 401,
		.dup = DUP_SKIP,
		.values = VALUES_ANY,
		.view = { .file = "function-depth", .gradient = true },
	},
	[OPERATOR] = {
		.name = "operator",
		.title = "Prism: operator",
		.prv_type = 402,
		.kind = CHAN_STACK,
		.dup = DUP_ALLOW,
		.view = { .file = "operator" },
	},
	[NET] = {
		.name = "net",
		.title = "Prism: net",
		.prv_type = 403,
		.kind = CHAN_STACK,
		.dup = DUP_ALLOW,
		.view = { .file = "net" },
	},
	[BB] = {
		.name = "bb",
		.title = "Prism: basic block",
		.prv_type = 404,
		.dup = DUP_SKIP,
		.view = { .file = "basic-block", .gradient = true },
	},
	[INSN] = {
		.name = "insn",
		.title = "Prism: instruction",
		.prv_type = 405,
		.dup = DUP_SKIP,
		.view = { .file = "instruction", .gradient = true },
	},
	[SYNC_STATE] = {
		.name = "sync_state",
		.title = "Prism: synchronization state",
		.prv_type = 410,
		.dup = DUP_SKIP,
		.thread_track = TRACK_ANY,
		LABELS(state_labels),
		.view = { .file = "sync-state" },
	},
	[SYNC] = {
		.name = "sync",
		.title = "Prism: synchronization",
		.prv_type = 411,
		.kind = CHAN_PUNCTUAL,
		.thread_track = TRACK_ANY,
		LABELS(sync_labels),
		.view = { .file = "sync" },
	},
	[LOCKS] = {
		.name = "locks",
		.title = "Prism: locks held",
		.prv_type = 412,
		.dup = DUP_SKIP,
		.values = VALUES_ANY,
		.thread_track = TRACK_ANY,
		.view = { .file = "locks", .gradient = true },
	},
	[CHILDREN] = {
		.name = "children",
		.title = "Prism: threads created",
		.prv_type = 413,
		.dup = DUP_SKIP,
		.values = VALUES_ANY,
		.thread_track = TRACK_ANY,
		.cpu_track = TRACK_HIDDEN,
		.view = { .file = "children", .gradient = true },
	},
	[SYNC_OBJECT] = {
		.name = "sync_object",
		.title = "Prism: object of synchronization",
		.prv_type = 415,
		.kind = CHAN_PUNCTUAL,
		.thread_track = TRACK_ANY,
		.view = { .file = "sync-object" },
	},
	[MEM] = {
		.name = "mem",
		.title = "Prism: memory access",
		.prv_type = 420,
		.kind = CHAN_PUNCTUAL,
		LABELS(mem_labels),
		.view = { .file = "memory" },
	},
	[MEM_BYTES] = {
		.name = "mem_bytes",
		.title = "Prism: bytes of a memory access",
		.prv_type = 421,
		.kind = CHAN_PUNCTUAL,
		.values = VALUES_ANY,
		.view = { .file = "memory-bytes", .gradient = true },
	},
	[COMP] = {
		.name = "comp",
		.title = "Prism: computation",
		.prv_type = 422,
		.kind = CHAN_PUNCTUAL,
		LABELS(comp_labels),
		.view = { .file = "compute" },
	},
	[COMP_OP] = {
		.name = "comp_op",
		.title = "Prism: operation",
		.prv_type = 423,
		.kind = CHAN_PUNCTUAL,
		LABELS(op_labels),
		.view = { .file = "operation" },
	},
	[CF] = {
		.name = "cf",
		.title = "Prism: control flow",
		.prv_type = 424,
		.kind = CHAN_PUNCTUAL,
		LABELS(cf_labels),
		.view = { .file = "control-flow" },
	},
	[WIN + PRISM_TOTAL_LOADS] = WINDOW("loads", "loads", 430, "loads"),
	[WIN + PRISM_TOTAL_STORES] = WINDOW("stores", "stores", 431, "stores"),
	[WIN + PRISM_TOTAL_LOAD_BYTES] = WINDOW("load_bytes", "bytes loaded", 432, "load-bytes"),
	[WIN + PRISM_TOTAL_STORE_BYTES] = WINDOW("store_bytes", "bytes stored", 433, "store-bytes"),
	[WIN + PRISM_TOTAL_INT_OPS] = WINDOW("int_ops", "integer operations", 434, "integer-ops"),
	[WIN + PRISM_TOTAL_FP_OPS] = WINDOW("fp_ops", "floating-point operations", 435, "float-ops"),
	[WIN + PRISM_TOTAL_INSNS] = WINDOW("insns", "instructions", 436, "instructions"),
	[WIN + PRISM_TOTAL_SYNCS] = WINDOW("syncs", "synchronizations", 437, "syncs"),
	[WIN + PRISM_TOTAL_LINES] = WINDOW("lines", "lines of 64 bytes touched", 438, "lines"),
	[WIN + PRISM_TOTAL_MEM_OTHER] = WINDOW("mem_other", "memory accesses of unknown type", 439, "memory-other"),
	[WIN + PRISM_TOTAL_OPS +
		PRISM_UNKNOWN] = WINDOW("op.undefined", "operations of unknown type", 440, "op-undefined"),
	[WIN + PRISM_TOTAL_OPS +
		PRISM_ADD] = WINDOW("op.add", "additions", 441, "op-add"),
	[WIN + PRISM_TOTAL_OPS +
		PRISM_SUB] = WINDOW("op.sub", "subtractions", 442, "op-sub"),
	[WIN + PRISM_TOTAL_OPS +
		PRISM_MULT] = WINDOW("op.mult", "multiplications", 443, "op-mult"),
	[WIN + PRISM_TOTAL_OPS +
		PRISM_DIV] = WINDOW("op.div", "divisions", 444, "op-div"),
	[WIN + PRISM_TOTAL_OPS +
		PRISM_SHIFT] = WINDOW("op.shift", "shifts", 445, "op-shift"),
	[WIN + PRISM_TOTAL_OPS +
		PRISM_MOV] = WINDOW("op.mov", "moves", 446, "op-mov"),
	[WIN + PRISM_TOTAL_OPS +
		PRISM_OPS] = WINDOW("op.other", "other operations", 447, "op-other"),
	[WIN + PRISM_TOTAL_COMP_OTHER] = WINDOW("comp_other", "operations of unknown format", 448, "compute-other"),
	[LOD_MEM] = DETAIL("mem", "memory", 450),
	[LOD_COMP] = DETAIL("comp", "compute", 451),
	[LOD_SYNC] = DETAIL("sync", "sync", 452),
	[LOD_CXT] = DETAIL("cxt", "context", 453),
	[SWAPS] = TOTAL("win.swaps", "thread switches in the interval", 460, TRACK_HIDDEN, "swaps"),
	[THREADS] = {
		.name = "threads",
		.title = "Prism: threads seen",
		.prv_type = 461,
		.dup = DUP_SKIP,
		.values = VALUES_ANY,
		.thread_track = TRACK_HIDDEN,
		.cpu_track = TRACK_OWN,
		.bare_title = true,
		.view = { .file = "threads", .gradient = true },
	},
	[DIAG] = {
		.name = "diag",
		.title = "Prism: diagnostic",
		.prv_type = 499,
		.kind = CHAN_PUNCTUAL,
		.thread_track = TRACK_ANY,
		.cpu_track = TRACK_OWN,
		.bare_title = true,
		LABELS(diag_labels),
		.view = { .file = "diagnostic" },
	},
};
