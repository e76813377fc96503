/* SPDX-License-Identifier: MIT */
#ifndef PRISM_H
#define PRISM_H

/* prism: reads and writes events of Prism streams, one by one.
 *
 * A stream is a row of events of 1 to 258 bytes. What an event holds beside its type
 * depends on the level of detail: a byte for each kind of event that Config events
 * replace. Nothing is allocated, no byte is kept: a program that feeds what it gets, a
 * byte at a time if it must, sees the same events.
 *
 * The bytes are defined in doc/format/prism.md. A state is used by one thread at a time;
 * different states are independent. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All else in the library is hidden. */
#pragma GCC visibility push(default)

/* Bits 7-5 of the first byte of an event. */
enum prism_kind {
	PRISM_MEM,
	PRISM_COMP,
	PRISM_SYNC,
	PRISM_CXT,
	PRISM_CF,
	PRISM_CFG,
	PRISM_END, /* of a buffer */
};

/* How a compute event is laid out. */
enum prism_layout {
	PRISM_WIDE,   /* a byte for the operation and one for the arity */
	PRISM_PACKED, /* one byte for both */
};

enum prism_mem_type {
	PRISM_MEM_UNDEFINED,
	PRISM_LOAD,
	PRISM_STORE,
	PRISM_MEM_INVALID, /* never in an event that was read */
};

enum prism_op_format {
	PRISM_OP_UNDEFINED,
	PRISM_INTEGER,
	PRISM_FLOAT,
	PRISM_OP_INVALID, /* never in an event that was read */
};

enum prism_op {
	PRISM_UNKNOWN,
	PRISM_ADD,
	PRISM_SUB,
	PRISM_MULT,
	PRISM_DIV,
	PRISM_SHIFT,
	PRISM_MOV,
	PRISM_OPS, /* above: others */
};

enum prism_sync_type {
	PRISM_SYNC_UNDEFINED,
	PRISM_CREATE,
	PRISM_JOIN,
	PRISM_BARRIER,
	PRISM_SYNC_SYNC,
	PRISM_SWAP,
	PRISM_LOCK,
	PRISM_UNLOCK,
	PRISM_COND_WAIT, /* two words */
	PRISM_COND_SIGNAL,
	PRISM_COND_BROADCAST,
	PRISM_SPIN_LOCK,
	PRISM_SPIN_UNLOCK,
	PRISM_SYNCS,
};

enum prism_cxt_type {
	PRISM_CXT_UNDEFINED,
	PRISM_INSN,
	PRISM_BB,
	PRISM_FUNC_ENTER,
	PRISM_FUNC_EXIT,
	PRISM_THREAD,
	PRISM_NET_ENTER,
	PRISM_NET_EXIT,
	PRISM_OPERATOR_ENTER,
	PRISM_OPERATOR_EXIT,
	PRISM_CXTS,
};

/* Which fields an event has, in `has`. A field that it has not is zero and means nothing. */
enum {
	PRISM_HAS_TYPE = 1, /* sync and context: only then there are arguments, id or name */
	PRISM_HAS_SIZE = 2,
	PRISM_HAS_ADDR = 4,
	PRISM_HAS_ID = 8, /* of a memory event or a context */
	PRISM_HAS_FORMAT = 16,
	PRISM_HAS_OP = 32,
	PRISM_HAS_ARITY = 64,
	PRISM_HAS_ARGS = 128, /* ids of operands, or words of a sync event */
	PRISM_HAS_NAME = 256,
	PRISM_HAS_NUMBER = 512, /* of a name, in `id`: its place in the table of names */
};

enum {
	PRISM_EVENT_MAX = 258, /* bytes of the longest event */
	PRISM_NAME_MAX = 256,
	PRISM_KINDS = 5, /* that have a level of detail; control flow ignores its own */
};

struct prism_mem {
	uint32_t has;
	uint8_t type; /* enum prism_mem_type */
	uint8_t id;
	uint16_t bytes; /* 1, 2, 4 ... 128 */
	uint64_t addr;  /* sign-extended from 56 bits */
};

struct prism_comp {
	uint32_t has;
	uint8_t format; /* enum prism_op_format */
	uint8_t op;     /* enum prism_op, or another */
	uint16_t bytes; /* 1, 2, 4 ... 128 */
	uint8_t arity;  /* operands: 1 to 4 */
	uint8_t nids;
	uint8_t ids[4];
};

struct prism_sync {
	uint32_t has;
	uint8_t type; /* enum prism_sync_type */
	uint8_t nargs;
	uint64_t arg[2];
};

struct prism_cxt {
	uint32_t has;
	uint8_t type;      /* enum prism_cxt_type */
	uint64_t id;       /* 56 bits, not sign-extended: see prism_address(); or the number of a name */
	uint32_t name_id;  /* for hooks: 1, 2 ... in the order of first appearance; here 0 */
	uint32_t name_len; /* bytes, 1 to 256 */
	const char *name;  /* not NUL-terminated, in the bytes that were read */
};

struct prism_cf {
	uint8_t type;
};

struct prism_cfg {
	uint8_t target; /* enum prism_kind below PRISM_KINDS */
	uint8_t before, after;
};

struct prism_event {
	uint8_t kind;    /* enum prism_kind */
	uint32_t issues; /* 1 << code, of those that did not stop the reader */
	union {
		struct prism_mem mem;
		struct prism_comp comp;
		struct prism_sync sync;
		struct prism_cxt cxt;
		struct prism_cf cf;
		struct prism_cfg cfg;
	};
};

/* Codes of errors: name, text, what a lenient reader does. The position in the list
 * is the code, from 1. PB are found in the bytes, PM by the model of threads, PT in the
 * timestamps, PJ in the description of a stream, PN in the table of names. */
#define PRISM_CODE_LIST(X)                                                                                       \
	X(PB01, "the file ends inside an event", "the stream ends before it")                                    \
	X(PB02, "an event of type 7, which does not exist", "the stream ends")                                   \
	X(PB03, "a control-flow event, whose size is only known with \"control_flow\": true", "the stream ends") \
	X(PB04, "a config event for a kind that has none", "it is skipped")                                      \
	X(PB05, "reserved bits of a config event are set", "they are not looked at")                             \
	X(PB06, "a config event sets bits that its kind does not have", "they are not looked at")                \
	X(PB07, "memory type 3", "the type is undefined")                                                        \
	X(PB08, "operation format 3", "the format is undefined")                                                 \
	X(PB09, "an unknown operation", "it counts as \"other\"")                                                \
	X(PB10, "reserved bits of the arity are set", "they are not looked at")                                  \
	X(PB11, "an unknown synchronization", "one word is skipped with it")                                     \
	X(PB12, "an unknown context", "the stream ends")                                                         \
	X(PB13, "a name that is no text", "bytes are shown as \\xNN")                                            \
	X(PB14, "the file ends without an End event", "all that came is used")                                   \
	X(PB15, "bytes behind the End of a stream without buffer_size", "they are not read")                     \
	X(PB16, "an event crosses the end of its buffer", "the stream ends")                                     \
	X(PB17, "bits of a field that is off are set", "the field stays absent")                                 \
	X(PM01, "an exit while nothing was entered", "it is skipped")                                            \
	X(PM02, "an exit of what is not on top", "it leaves all that was entered in between, or it is skipped")  \
	X(PM03, "an unlock of a lock that the thread does not hold", "it is skipped")                            \
	X(PM04, "a thread runs in two streams at once", "the later stream takes it")                             \
	X(PM05, "a thread id that is 0 or above 2147483647", "the thread gets an id of its own")                 \
	X(PM06, "more than 512 nested contexts", "the deeper ones are only counted")                             \
	X(PT01, "timestamps and events are not the same number", "the stream ends with the shorter")             \
	X(PT02, "a timestamp goes back", "the one before is used")                                               \
	X(PJ01, "the description of the stream is wrong", "no")                                                  \
	X(PN01, "the table of names has no name of this number", "the number stands for it")

enum prism_code {
	PRISM_OK,
#define PRISM_X(name, text, lenient) PRISM_##name,
	PRISM_CODE_LIST(PRISM_X)
#undef PRISM_X
		PRISM_CODES,
	PRISM_E_VALUE = PRISM_CODES, /* of prism_encode(): no event can hold a value that it was given */
	PRISM_E_MEMORY,              /* of a machine: memory is exhausted */
};

/* "PB01", what it means, and what a lenient reader does. Static texts, never NULL. */
const char *prism_code_name(int code);
const char *prism_code_text(int code);
const char *prism_code_lenient(int code);
/* Whether it is told and passed also by a strict reader. */
bool prism_code_warns(int code);

/* State between two events. Set by prism_begin(), then the library's own; it may be
 * copied to read the same bytes twice. */
struct prism_state {
	uint8_t detail[PRISM_KINDS]; /* level of detail in force, by kind */
	uint8_t layout;              /* enum prism_layout */
	uint8_t word_size;           /* 4 or 8: bytes of a word of a sync event */
	uint8_t name_size;           /* 0, 4 or 8: bytes of the number of a name */
	bool control_flow;
	bool lenient;
	bool half_sizes;
	/* Derived from the levels of memory and of compute. */
	struct {
		uint32_t has;
		uint8_t size; /* bytes of an event, without ids of operands */
		uint8_t off;  /* bits of the first byte that must be 0 */
	} seen[2];
};

/* The settings of a stream; zeroed: those of doc/format/prism.md but for the word size,
 * where 0 stands for 8. */
struct prism_settings {
	enum prism_layout layout;
	unsigned word_size; /* 4 or 8 */
	bool control_flow;  /* events of that kind have one byte, and are no error */
	bool lenient;       /* go on where the list of codes says how */
	bool has_detail;    /* false: memory and compute 00, sync and context c0 */
	uint8_t detail[PRISM_KINDS];
	/* Reading: the size of an access is half of its bytes, and no logarithm, as the Valgrind front ends of Prism write
	 * it: 1, or 2 to 14. A store of 16 to 30 bytes has type 3; a load of so many is read as one of 16 bytes less. */
	bool half_sizes;
	/* 0: a context has its name. 4 or 8: it has a number of so many bytes, the place of its name in a table that the
	 * caller keeps: PRISM_HAS_NUMBER in place of PRISM_HAS_NAME. */
	uint8_t name_size;
};

/* settings: NULL stands for zeroed ones. Bits of a level of detail that its kind has not are
 * dropped. */
void prism_begin(struct prism_state *st, const struct prism_settings *settings);

/* Reads the event that starts at buf. Returns the bytes it has, 0 when the event has more
 * than len bytes (st is as before; call again with more), or -code: PB02, PB03, PB04,
 * PB07, PB08, PB11 or PB12, as soon as the byte is there that tells it. In a lenient state
 * only PB02, PB03 and PB12 are returned; the others, and all warnings, are set in ev->issues
 * (a skipped config event comes with target PRISM_KINDS and changes nothing). What ev borrows
 * is in buf; unless an event is returned, ev means nothing. */
ssize_t prism_decode(const void *buf, size_t len, struct prism_state *st, struct prism_event *ev);

/* Writes the event as the level of detail in force wants it: what that does not show is left
 * out, what it shows and `has` does not name is written as zero (a size as 1 byte, an arity
 * as unary, a name as "?"). Of an address and of an id the low 56 bits are written, of a name
 * the first 256 bytes. A config event changes st, and may have any `before`. Returns the
 * bytes, at most PRISM_EVENT_MAX, 0 when cap is too small (st is as before), or -code when no
 * strict reader would take the event: PB03 without control_flow, PB04, PB06, PB07, PB08,
 * PB11, PB12, or PRISM_E_VALUE: another kind or size, an arity that is not 1 to 4, an
 * operation above 63 in the packed layout, a word or a number of more bytes than the stream has, a name
 * where the stream has numbers. */
ssize_t prism_encode(void *buf, size_t cap, struct prism_state *st, const struct prism_event *ev);

/* The bits that the level of detail of a kind has (f0, f8, c0, c0; 0 for control flow and what
 * has none), and PRISM_HAS_* that events of a kind may have under a level of detail. */
uint8_t prism_detail_bits(unsigned kind);
uint32_t prism_detail_has(unsigned kind, unsigned detail);

/* Words of a synchronization, when the level of detail shows them: 1 or 2. */
unsigned prism_sync_words(unsigned type);

/* Whether a context has a name, when the level of detail shows it; else it has an id. */
static inline bool
prism_cxt_is_named(unsigned type)
{
	return type >= PRISM_FUNC_ENTER && type < PRISM_CXTS && type != PRISM_THREAD;
}

/* The id of a context as an address: sign-extended as those of memory events are. */
static inline uint64_t
prism_address(uint64_t id)
{
	return (id & 0x00ffffffffffffffULL) | (id >> 55 & 1 ? 0xff00000000000000ULL : 0);
}

/* "load", "lock", "function enter": for messages and tables; "?" for what is unknown. */
const char *prism_kind_name(unsigned kind);
const char *prism_mem_name(unsigned type);
const char *prism_format_name(unsigned format);
const char *prism_op_name(unsigned op);
const char *prism_sync_name(unsigned type);
const char *prism_cxt_name(unsigned type);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
