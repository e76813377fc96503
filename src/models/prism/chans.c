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

/* What all channels have; the rest of a row differs. */
#define CHAN(NAME, TITLE, TYPE, ...) .name = (NAME), .title = "Prism: " TITLE, .prv_type = (TYPE), __VA_ARGS__
#define VIEW(...) .view = { __VA_ARGS__ }

/* The kinds of channels: names on a stack, an index in a table, a number, and an event. */
#define NAMES .kind = CHAN_STACK, .dup = DUP_ALLOW
#define INDEX .dup = DUP_SKIP
#define NUMBER .dup = DUP_SKIP, .values = VALUES_ANY
#define PUNCTUAL .kind = CHAN_PUNCTUAL

/* A channel that threads show also while they do not run, and one of streams, which are CPUs. */
#define ALWAYS .thread_track = TRACK_ANY
#define OF_STREAM .thread_track = TRACK_HIDDEN, .cpu_track = TRACK_OWN, .bare_title = true

/* A total of an interval: the value at the end shows over the interval itself. */
#define TOTAL(NAME, TITLE, TYPE, THREAD, FILE)                                                                           \
	{                                                                                                                \
		CHAN(NAME, TITLE, TYPE, NUMBER, .thread_track = (THREAD), .cpu_track = TRACK_OWN),                       \
			.bare_title = true,                                                                              \
			VIEW(.file = (FILE), .thread_title = "Thread: Prism: " TITLE, .cpu_title = "CPU: Prism: " TITLE, \
				.gradient = true, .next_value = true),                                                   \
	}
#define WINDOW(NAME, TITLE, TYPE, FILE) TOTAL("win." NAME, TITLE " in the interval", TYPE, TRACK_ANY, FILE)

#define OP(op) (WIN + PRISM_TOTAL_OPS + (op))

/* The level of detail of a kind. */
#define DETAIL(NAME, TITLE, TYPE)                                                                                                            \
	{                                                                                                                                    \
		CHAN("lod." NAME, "level of detail of " TITLE " events (256 + bits)", TYPE, NUMBER, OF_STREAM), VIEW(.file = "detail-" NAME) \
	}

const struct chan_decl prismmodel_chans[NCHANS] = {
	[FUNC] = { CHAN("func", "function", 400, NAMES), VIEW(.file = "function") },
	[FUNC_DEPTH] = { CHAN("func_depth", "depth of functions", 401, NUMBER), VIEW(.file = "function-depth", .gradient = true) },
	[OPERATOR] = { CHAN("operator", "operator", 402, NAMES), VIEW(.file = "operator") },
	[NET] = { CHAN("net", "net", 403, NAMES), VIEW(.file = "net") },
	[BB] = { CHAN("bb", "basic block", 404, INDEX), VIEW(.file = "basic-block", .gradient = true) },
	[INSN] = { CHAN("insn", "instruction", 405, INDEX), VIEW(.file = "instruction", .gradient = true) },
	[SYNC_STATE] = { CHAN("sync_state", "synchronization state", 410, INDEX, ALWAYS), LABELS(state_labels), VIEW(.file = "sync-state") },
	[SYNC] = { CHAN("sync", "synchronization", 411, PUNCTUAL, ALWAYS), LABELS(sync_labels), VIEW(.file = "sync") },
	[LOCKS] = { CHAN("locks", "locks held", 412, NUMBER, ALWAYS), VIEW(.file = "locks", .gradient = true) },
	[CHILDREN] = { CHAN("children", "threads created", 413, NUMBER, ALWAYS, .cpu_track = TRACK_HIDDEN), VIEW(.file = "children", .gradient = true) },
	[SYNC_OBJECT] = { CHAN("sync_object", "object of synchronization", 415, PUNCTUAL, ALWAYS), VIEW(.file = "sync-object") },
	[MEM] = { CHAN("mem", "memory access", 420, PUNCTUAL), LABELS(mem_labels), VIEW(.file = "memory") },
	[MEM_BYTES] = { CHAN("mem_bytes", "bytes of a memory access", 421, PUNCTUAL, .values = VALUES_ANY), VIEW(.file = "memory-bytes", .gradient = true) },
	[COMP] = { CHAN("comp", "computation", 422, PUNCTUAL), LABELS(comp_labels), VIEW(.file = "compute") },
	[COMP_OP] = { CHAN("comp_op", "operation", 423, PUNCTUAL), LABELS(op_labels), VIEW(.file = "operation") },
	[CF] = { CHAN("cf", "control flow", 424, PUNCTUAL), LABELS(cf_labels), VIEW(.file = "control-flow") },
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
	[OP(PRISM_UNKNOWN)] = WINDOW("op.undefined", "operations of unknown type", 440, "op-undefined"),
	[OP(PRISM_ADD)] = WINDOW("op.add", "additions", 441, "op-add"),
	[OP(PRISM_SUB)] = WINDOW("op.sub", "subtractions", 442, "op-sub"),
	[OP(PRISM_MULT)] = WINDOW("op.mult", "multiplications", 443, "op-mult"),
	[OP(PRISM_DIV)] = WINDOW("op.div", "divisions", 444, "op-div"),
	[OP(PRISM_SHIFT)] = WINDOW("op.shift", "shifts", 445, "op-shift"),
	[OP(PRISM_MOV)] = WINDOW("op.mov", "moves", 446, "op-mov"),
	[OP(PRISM_OPS)] = WINDOW("op.other", "other operations", 447, "op-other"),
	[WIN + PRISM_TOTAL_COMP_OTHER] = WINDOW("comp_other", "operations of unknown format", 448, "compute-other"),
	[LOD_MEM] = DETAIL("mem", "memory", 450),
	[LOD_COMP] = DETAIL("comp", "compute", 451),
	[LOD_SYNC] = DETAIL("sync", "sync", 452),
	[LOD_CXT] = DETAIL("cxt", "context", 453),
	[SWAPS] = TOTAL("win.swaps", "thread switches in the interval", 460, TRACK_HIDDEN, "swaps"),
	[THREADS] = { CHAN("threads", "threads seen", 461, NUMBER, OF_STREAM), VIEW(.file = "threads", .gradient = true) },
	[DIAG] = { CHAN("diag", "diagnostic", 499, PUNCTUAL, ALWAYS, .cpu_track = TRACK_OWN, .bare_title = true), LABELS(diag_labels), VIEW(.file = "diagnostic") },
};
