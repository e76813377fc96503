/* SPDX-License-Identifier: MIT */
#ifndef USCOPE_H
#define USCOPE_H

/* uscope: reads and writes µScope traces.
 *
 * A µScope file holds the state of typed storages over time. A storage is an array of
 * slots with the same fields, and a block of properties. Cycles change it (set, clear,
 * add) and carry events; every segment begins with a checkpoint of the whole state, so
 * the state at any time is found by reading one segment. A file can be read while it is
 * written, and after its writer died.
 *
 * The bytes are defined in doc/format/uscope.md. Times are picoseconds from one origin,
 * up to 2^64 - 2. All texts are UTF-8. A handle (schema, writer, reader, state, iterator)
 * is used by one thread at a time; different handles are independent. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All else in the library is hidden. */
#pragma GCC visibility push(default)

/* ---- Status. ---- */

/* Functions that return int give 0 or a positive result, or one of these. */
#define USCOPE_STATUS_LIST(X)                                                       \
	X(E_IO, -1, "the file cannot be opened, read or written (see errno)")       \
	X(E_NOMEM, -2, "out of memory")                                             \
	X(E_ARG, -3, "the argument does not fit what it is used on")                \
	X(E_STATE, -4, "not possible now, such as an operation outside of a cycle") \
	X(E_RANGE, -5, "an id or a time is out of range")                           \
	X(E_LIMIT, -6, "a limit of the format or of the reader is passed")          \
	X(E_MAGIC, -7, "not a µScope file")                                         \
	X(E_VERSION, -8, "a version of the format that is not known")               \
	X(E_FLAGS, -9, "flags of the header that are not known")                    \
	X(E_UNSUPPORTED, -10, "a compression that this build cannot read")          \
	X(E_TRUNCATED, -11, "the file ends too early")                              \
	X(E_PREAMBLE, -12, "the preamble is damaged")                               \
	X(E_SCHEMA, -13, "the schema is not valid")                                 \
	X(E_SECTION, -14, "the section or segment table is damaged")                \
	X(E_SEGMENT, -15, "the header of a segment is damaged")                     \
	X(E_CHECKPOINT, -16, "the checkpoint of a segment is damaged")              \
	X(E_COMPRESS, -17, "the deltas of a segment cannot be decompressed")        \
	X(E_FRAME, -18, "a frame of a segment is damaged")                          \
	X(E_NODATA, -19, "there is no state at that time")                          \
	X(E_STRICT, -20, "the file breaks a rule of the format, and strict mode was asked for")

enum uscope_status {
	USCOPE_OK = 0,
#define USCOPE_X(name, value, text) USCOPE_##name = (value),
	USCOPE_STATUS_LIST(USCOPE_X)
#undef USCOPE_X
};

/* "E_FRAME" and what it means; "OK" for 0 and above. Static text, never NULL. */
const char *uscope_status_name(int status);
const char *uscope_status_text(int status);

/* An error: its place and its reason. */
typedef struct {
	int status;       /* USCOPE_OK: nothing did */
	int64_t segment;  /* its index, -1: not inside a segment */
	uint64_t offset;  /* bytes from the start of the file; inside compressed deltas, from
			   * the start of the raw ones */
	bool raw_offset;  /* the offset is of the latter kind */
	char reason[160]; /* one line */
} uscope_error_t;

/* ---- Schema: what a file can hold. ---- */

enum uscope_type {
	USCOPE_U8 = 1,
	USCOPE_U16 = 2,
	USCOPE_U32 = 3,
	USCOPE_U64 = 4,
	USCOPE_I8 = 5,
	USCOPE_I16 = 6,
	USCOPE_I32 = 7,
	USCOPE_I64 = 8,
	USCOPE_BOOL = 9,
	USCOPE_STRING_REF = 10, /* index into the strings of the file */
	USCOPE_ENUM = 11,
};

enum {
	USCOPE_SPARSE = 1,     /* storage flag: each slot is valid or not */
	USCOPE_BUFFER = 2,     /* storage flag: a hint for viewers */
	USCOPE_NONE = 0xffff,  /* no scope: the root */
	USCOPE_INHERIT = 0xff, /* no clock: that of the parent */
};

typedef struct {
	const char *name;
	uint32_t period_ps; /* 0: unknown, counts as 1 */
} uscope_clock_t;

typedef struct {
	const char *name;
	const char *protocol; /* NULL: none */
	uint16_t parent;      /* USCOPE_NONE: this is scope 0 */
	uint8_t clock;        /* or USCOPE_INHERIT */
} uscope_scope_t;

typedef struct {
	const char *name;
	uint8_t value;
} uscope_enum_value_t;

typedef struct {
	const char *name;
	uscope_enum_value_t *values;
	uint32_t num_values; /* at most 255 */
} uscope_enum_t;

typedef struct {
	const char *name;
	uint32_t offset; /* bytes, inside the slot, the property block or the payload */
	uint8_t type;    /* enum uscope_type */
	uint8_t size;    /* bytes */
	uint8_t enum_id; /* USCOPE_ENUM only */
	uint8_t ext[4];  /* reserved bytes of the file, kept as they are */
} uscope_field_t;

typedef struct {
	const char *name;
	uscope_field_t *fields;
	uscope_field_t *properties;
	uint16_t num_slots;
	uint16_t num_fields;
	uint16_t num_properties;
	uint16_t flags;
	uint16_t scope;     /* USCOPE_NONE: the root */
	uint32_t slot_size; /* bytes of one slot */
	uint32_t prop_size; /* bytes of the property block */
} uscope_storage_t;

typedef struct {
	const char *name;
	uscope_field_t *fields;
	uint16_t num_fields;
	uint16_t scope;
	uint32_t payload_size; /* bytes */
} uscope_event_type_t;

typedef struct {
	const char *name;
	uint16_t scope;
	uint8_t type;
} uscope_summary_field_t;

/* Read it freely; change it through the functions below only. */
typedef struct uscope_schema {
	uscope_clock_t *clocks;
	uscope_scope_t *scopes;
	uscope_enum_t *enums;
	uscope_storage_t *storages;
	uscope_event_type_t *events;
	uscope_summary_field_t *summary_fields;
	uint32_t num_clocks;
	uint32_t num_scopes;
	uint32_t num_enums;
	uint32_t num_storages;
	uint32_t num_events;
	uint32_t num_summary_fields;
	struct uscope_schema_private *priv;
} uscope_schema_t;

/* NULL: out of memory. Free it with uscope_schema_free; NULL is accepted there. A writer
 * keeps the schema it was opened with: it may be freed at once, but no longer changed. */
uscope_schema_t *uscope_schema_new(void);
void uscope_schema_free(uscope_schema_t *schema);

/* Each returns the id of what it added, from 0, or a negative status: E_ARG (bad text or
 * type), E_RANGE (no such parent), E_LIMIT (the format has no room), E_NOMEM, E_STATE (a
 * writer uses the schema). Texts are copied. Names may repeat. */
int uscope_schema_add_clock(uscope_schema_t *schema, const char *name, uint32_t period_ps);
/* parent: -1 for the root, which is scope 0 and must be the first. protocol: NULL none.
 * clock: -1 inherits. */
int uscope_schema_add_scope(
	uscope_schema_t *schema, const char *name, int parent, const char *protocol, int clock);
int uscope_schema_add_enum(uscope_schema_t *schema, const char *name);
int uscope_schema_add_enum_value(uscope_schema_t *schema, int enum_id, uint8_t value, const char *name);
/* scope: -1 for the root. flags: USCOPE_SPARSE, USCOPE_BUFFER. */
int uscope_schema_add_storage(
	uscope_schema_t *schema, const char *name, int scope, uint16_t num_slots, uint16_t flags);
/* enum_id is used with USCOPE_ENUM only. */
int uscope_schema_add_field(
	uscope_schema_t *schema, int storage, const char *name, uint8_t type, int enum_id);
int uscope_schema_add_property(
	uscope_schema_t *schema, int storage, const char *name, uint8_t type, int enum_id);
int uscope_schema_add_event(uscope_schema_t *schema, const char *name, int scope);
int uscope_schema_add_event_field(
	uscope_schema_t *schema, int event, const char *name, uint8_t type, int enum_id);
int uscope_schema_add_summary_field(uscope_schema_t *schema, const char *name, uint8_t type, int scope);

/* The reserved bytes of a field: `which` is 0 for a field of a storage, 1 for a property,
 * 2 for a field of an event. 0, or E_RANGE. */
int uscope_schema_set_ext(
	uscope_schema_t *schema, int which, int owner, int field, const uint8_t ext[4]);

/* The label of a value, NULL when it has none. The first one wins. */
const char *uscope_enum_label(const uscope_schema_t *schema, uint8_t enum_id, uint8_t value);
/* "U8", "ENUM"...; NULL for an unknown type. Bytes of a value of it; 0 likewise. */
const char *uscope_type_name(uint8_t type);
unsigned uscope_type_size(uint8_t type);
/* Clock domain of a scope, inheritance resolved. USCOPE_NONE counts as scope 0. */
uint8_t uscope_scope_clock(const uscope_schema_t *schema, uint16_t scope);
/* "/soc/tile0/core1" into buf, cut to size; the length it wanted, as snprintf. */
size_t uscope_scope_path(const uscope_schema_t *schema, uint16_t scope, char *buf, size_t size);

/* Look-ups by path: the names of the scopes below the root, then that of what is looked for, with '/' or
 * '.' between: "/core0/rob", "core0.rob". The begin may be left out, "rob", where one path alone ends
 * so; a '/' in front says that it is not. The id, or E_RANGE (there is none), E_ARG (there are several). */
int uscope_find_scope(const uscope_schema_t *schema, const char *path);
int uscope_find_storage(const uscope_schema_t *schema, const char *path);
int uscope_find_event(const uscope_schema_t *schema, const char *path);
/* By name, in a storage or in the payload of an event. E_RANGE also if that does not exist. */
int uscope_find_field(const uscope_schema_t *schema, int storage, const char *name);
int uscope_find_property(const uscope_schema_t *schema, int storage, const char *name);
int uscope_find_event_field(const uscope_schema_t *schema, int event, const char *name);

/* Describes the traced device as pairs of texts. Borrowed by the writer during open only. */
typedef struct {
	const char *key;
	const char *value;
} uscope_dut_property_t;

typedef struct {
	const uscope_dut_property_t *properties;
	uint32_t num_properties;
} uscope_dut_desc_t;

/* Names without a prefix, which the first description of this interface has: for programs that
 * follow it, and define this before they include the header. */
#ifdef USCOPE_SHORT_NAMES
typedef uscope_schema_t schema_t;
typedef uscope_dut_property_t dut_property_t;
typedef uscope_dut_desc_t dut_desc_t;
#endif

/* ---- Writer. ---- */

typedef struct uscope_writer uscope_writer_t;

enum uscope_frames {
	USCOPE_INTERLEAVED = 0, /* v0.2: operations and events in the order of the calls */
	USCOPE_WIDE,            /* v0.1: operations of 16 bytes, then events */
	USCOPE_COMPACT,         /* v0.1: operations of 8 bytes where they fit */
};

enum uscope_compression {
	USCOPE_LZ4 = 0,
	USCOPE_ZSTD,
	USCOPE_RAW, /* none */
};

/* All zero: the defaults. */
typedef struct {
	enum uscope_frames frames;
	enum uscope_compression compression;
	int level;            /* ZSTD: 0 is 3. LZ4: 0 looks for what repeats where operations and
			       * events begin (v0.2, from 64 KiB), unless liblz4 packs the segment
			       * better; else it is the acceleration of liblz4 */
	uint64_t interval_ps; /* of the checkpoints; 0: cut by size only */
	uint64_t origin_ps;   /* time where the first segment begins */
	uint64_t min_raw;     /* bytes below which the interval does not cut */
	uint64_t max_raw;     /* bytes from which the next time cuts; 0: 64 checkpoints, from 1
			       * MiB to 4, or 16 checkpoints if these are more, up to 64 MiB */
	bool drop_empty;      /* cycles without content leave no frame */
	bool only_changes;    /* operations that leave the state as it is are left out, of the summary as well */
	bool sync;            /* fsync, so that a crash of the system loses no segment */
	bool lz4_size_prefix; /* blocks preceded by their size, for viewers that need it */
	bool background;      /* compress and write on a thread of its own, if one can be made */
	bool no_checksums;    /* no hashes of all bytes for uscope_verify_bytes() */
	bool no_summary;
	bool no_auto_summary;     /* only what uscope_summary_* adds */
	uint32_t summary_base;    /* cycles, 0: 1024 */
	uint32_t summary_fan_out; /* 0: 4 */
	uint64_t summary_budget;  /* bytes, 0: 32 MiB */
	uscope_error_t *error;    /* set by open: why it failed, and which definition is wrong */
} uscope_writer_options_t;

typedef struct {
	uint64_t operations;
	uint64_t events;
	uint64_t frames;
	uint64_t segments;
	uint64_t raw_bytes;        /* deltas before compression */
	uint64_t compressed_bytes; /* and after */
	uint64_t truncated;        /* values that did not fit their field */
	uint64_t misuses;          /* calls without effect */
} uscope_writer_stats_t;

/* Creates or truncates the file, which must be seekable. NULL on failure; open_ex then
 * says why in *status and *options->error (NULL accepted). What is called with a writer
 * that is NULL has no effect, and gives E_ARG if it has a status.
 * Memory: the state, plus up to 3 times max_raw (4 with background), plus the summary
 * budget, plus the strings. ZSTD takes 1 MiB more at its default level, 80 MiB at level 19 with
 * a max_raw of 64 MiB, and 640 at level 22.
 * interval: as options.interval_ps, 0 for none. options: NULL for the defaults. */
uscope_writer_t *uscope_writer_open(const char *path, const uscope_dut_desc_t *dut,
	const uscope_schema_t *schema, uint64_t checkpoint_interval_ps);
uscope_writer_t *uscope_writer_open_ex(const char *path, const uscope_dut_desc_t *dut,
	const uscope_schema_t *schema, const uscope_writer_options_t *options, int *status);

/* Finishes if that was not done, and frees. NULL is accepted. */
void uscope_writer_close(uscope_writer_t *w);
/* Writes what is left and the tables, marks the file complete. 0, or what went wrong in the
 * whole run: E_IO, E_NOMEM or E_LIMIT, after which the file is not complete and holds the
 * segments committed before, or else the first misuse (E_ARG, E_RANGE, E_STATE), with which
 * it is complete all the same. */
int uscope_writer_finish(uscope_writer_t *w);
/* Commits a segment now; the next cycle must be later than the last. */
int uscope_writer_flush(uscope_writer_t *w);
/* The end of the trace, if later than the last cycle. */
int uscope_writer_set_end(uscope_writer_t *w, uint64_t time_ps);
/* The status that finish would return if nothing else went wrong. With background, a failure to write is
 * known once the next segment is complete, or after flush. */
int uscope_writer_error(const uscope_writer_t *w);
/* That error with its reason. Valid until the next call. */
const uscope_error_t *uscope_writer_error_info(const uscope_writer_t *w);
void uscope_writer_stats(const uscope_writer_t *w, uscope_writer_stats_t *stats);

/* The schema, as for look-ups. Valid until close. NULL for a writer that is NULL. */
const uscope_schema_t *uscope_writer_schema(const uscope_writer_t *w);

/* One cycle: begin, any number of operations and events, end. Times do not go back; equal
 * ones are accepted. Misuse has no effect but is remembered. */
void uscope_begin_cycle(uscope_writer_t *w, uint64_t time_ps);
void uscope_slot_set(
	uscope_writer_t *w, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value);
/* Sparse storages only: the slot becomes invalid. */
void uscope_slot_clear(uscope_writer_t *w, uint16_t storage, uint16_t slot);
/* Modulo the width of the field; a decrement adds the two's complement. */
void uscope_slot_add(
	uscope_writer_t *w, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value);
void uscope_prop_set(uscope_writer_t *w, uint16_t storage, uint16_t property, uint64_t value);
/* payload: the fields in order, little-endian, packed; event_bytes checks its size. */
void uscope_event(uscope_writer_t *w, uint16_t type, const void *payload);
void uscope_event_bytes(uscope_writer_t *w, uint16_t type, const void *payload, uint32_t size);
/* values: of the n fields of the type, in order. */
void uscope_event_values(uscope_writer_t *w, uint16_t type, const uint64_t *values, uint32_t n);
void uscope_end_cycle(uscope_writer_t *w);

/* Index of the text, for STRING_REF values; equal texts share one. UINT32_MAX on error.
 * Readers see strings once the file is complete. */
uint32_t uscope_string_insert(uscope_writer_t *w, const char *text);

/* Called when a segment begins, so that the application can provide the state. What it
 * does not mention stays as the writer knows it. */
typedef void (*uscope_checkpoint_fn)(uscope_writer_t *w, void *user);
void uscope_set_checkpoint_callback(uscope_writer_t *w, uscope_checkpoint_fn fn, void *user);
/* Inside the callback only. valid_mask: bit i & 7 of byte i >> 3, ignored for dense
 * storages. slot_data: the valid slots only (all of a dense storage), packed. */
void uscope_checkpoint_storage(uscope_writer_t *w, uint16_t storage, const uint8_t *valid_mask,
	const void *slot_data, uint32_t num_valid_slots);
void uscope_checkpoint_properties(uscope_writer_t *w, uint16_t storage, const void *data);

/* Summaries: pyramids of buckets over the cycles of clock domain 0, for overviews.
 * A counter's id >= 0, or a negative status. All counters before the first cycle. */
int uscope_summary_counter(uscope_writer_t *w, const char *name, uint16_t storage);
/* Any time, in any order; what is after the last cycle of the trace is left out. Additions
 * to one cycle that follow each other are one value of it; a cycle that is come back to
 * later counts again for min and max, and so do spans that overlap. */
void uscope_summary_add(uscope_writer_t *w, int counter, uint64_t time_ps, uint64_t delta);
/* 1 in each cycle of [t0, t1); a cycle that begins before t0 and ends after it counts. */
void uscope_summary_span(uscope_writer_t *w, int counter, uint64_t t0_ps, uint64_t t1_ps);
void uscope_summary_density(uscope_writer_t *w, uint64_t time_ps, uint32_t n);

/* ---- Reader. ---- */

typedef struct uscope_reader uscope_reader_t;
typedef struct uscope_state uscope_state_t;
typedef struct uscope_event_iter uscope_event_iter_t;
typedef struct uscope_item_iter uscope_item_iter_t;
struct uscope_item;

typedef struct {
	uint16_t version_major;
	uint16_t version_minor;
	uint64_t flags;
	uint64_t total_time_ps;
	uint32_t num_segments; /* as stored; uscope_num_segments() counts */
	uint32_t preamble_end;
	uint64_t section_table_offset;
	uint64_t tail_offset;
} uscope_file_header_t;

#ifdef USCOPE_SHORT_NAMES
typedef uscope_file_header_t file_header_t;
#endif

enum {
	USCOPE_F_COMPLETE = 1 << 0,
	USCOPE_F_COMPRESSED = 1 << 1,
	USCOPE_F_HAS_STRINGS = 1 << 2,
	USCOPE_F_COMP_METHOD = 7 << 3, /* 0 LZ4, 1 ZSTD */
	USCOPE_F_COMPACT_DELTAS = 1 << 6,
	USCOPE_F_INTERLEAVED = 1 << 7,
};

/* Rules that a file may break (V_) and oddities worth a note (N_), neither of which makes it useless. */
#define USCOPE_DIAG_LIST(X)                                                 \
	X(V_LAYOUT, "storage definitions have the size of another version") \
	X(V_POOL_BASE, "the offset of the string pool is 2 too large")      \
	X(V_ALIGN, "a section or segment is not aligned to 8 bytes")        \
	X(V_NOSECT, "the file is complete but has no section table")        \
	X(V_COUNT, "the number of segments in the header is wrong")         \
	X(V_STRFLAG, "the flag of the string table is wrong")               \
	X(V_STRINGS, "the string table is damaged")                         \
	X(V_SUMMARY, "the summary is damaged")                              \
	X(V_TIME_END, "a segment has frames at or after its end")           \
	X(V_LZ4_PREFIX, "LZ4 blocks are preceded by their size")            \
	X(V_NFRAMES, "the number of frames in a segment header is wrong")   \
	X(V_MASK, "a validity mask has bits for slots that do not exist")   \
	X(V_CKPT_EXTRA, "a block of a checkpoint is too long")              \
	X(V_CKPT_PROPS, "a block of a checkpoint lacks properties")         \
	X(V_CKPT_MISSING, "a checkpoint lacks a storage")                   \
	X(V_BAD_OP, "an operation on something that does not exist")        \
	X(V_BAD_EVENT, "an event with a payload of the wrong size")         \
	X(N_POOL_GAP, "bytes between the definitions and the string pool")  \
	X(N_PREAMBLE_TAIL, "bytes after the end of the preamble")           \
	X(N_CHUNK_FLAGS, "flags in a chunk of the preamble")                \
	X(N_RESERVED, "reserved flags are in use")                          \
	X(N_CKPT_UNKNOWN, "a checkpoint of an unknown storage")             \
	X(N_UNKNOWN_EVENT, "an event of an unknown type")                   \
	X(N_TAIL, "bytes after the last committed segment")

enum uscope_diag {
#define USCOPE_X(name, text) USCOPE_##name,
	USCOPE_DIAG_LIST(USCOPE_X)
#undef USCOPE_X
		USCOPE_NUM_DIAGS,
};

const char *uscope_diag_name(enum uscope_diag id); /* "V_LAYOUT" */
const char *uscope_diag_text(enum uscope_diag id);

enum uscope_mode {
	USCOPE_TOLERANT = 0, /* rules broken are counted, the content is used */
	USCOPE_STRICT,       /* open decodes everything and refuses the first of them */
	USCOPE_RECOVER,      /* finds the segments again when their list is missing or broken */
};

/* All zero: the defaults. Limits against hostile files; above one: E_LIMIT. */
typedef struct {
	enum uscope_mode mode;
	uint64_t max_raw;        /* bytes of the deltas of a segment, 0: 1 GiB */
	uint64_t max_checkpoint; /* bytes, 0: 1 GiB */
	uint64_t max_state;      /* bytes, 0: 1 GiB */
	uint64_t max_chunk;      /* bytes of a chunk of the preamble, 0: 16 MiB */
} uscope_reader_options_t;

/* NULL on failure; *error (NULL accepted) says why and where. A file that has just been
 * created gives E_TRUNCATED: try again. */
uscope_reader_t *uscope_reader_open(const char *path);
uscope_reader_t *uscope_reader_open_ex(
	const char *path, const uscope_reader_options_t *options, uscope_error_t *error);
void uscope_reader_close(uscope_reader_t *r);

/* The last error, 0: none. Cleared by the next call that succeeds. */
int uscope_reader_status(const uscope_reader_t *r);
const uscope_error_t *uscope_reader_error(const uscope_reader_t *r);
/* Counts a diagnostic, while opening and in segments that have been decoded as a whole since; that of
 * a state at a time is not, if its checksum is right. Decoding a segment again does not count again. */
uint64_t uscope_reader_diag(const uscope_reader_t *r, enum uscope_diag id);

/* Valid until the reader is closed; the header changes when polled. */
const uscope_file_header_t *uscope_header(const uscope_reader_t *r);
const uscope_dut_desc_t *uscope_dut_desc(const uscope_reader_t *r);
const uscope_schema_t *uscope_schema(const uscope_reader_t *r);
uint64_t uscope_checkpoint_interval(const uscope_reader_t *r); /* ps, 0: none */
const char *uscope_scope_protocol(const uscope_reader_t *r, uint16_t scope);
const char *uscope_dut_property(const uscope_reader_t *r, const char *key);
bool uscope_is_complete(const uscope_reader_t *r);

typedef struct {
	uint16_t type;
	uint16_t flags;
	uint64_t offset;
	uint64_t size;
} uscope_section_t;

enum {
	USCOPE_SECTION_SUMMARY = 1,
	USCOPE_SECTION_STRINGS = 2,
	USCOPE_SECTION_SEGMENTS = 3,
	USCOPE_SECTION_COUNTER_SUMMARY = 0x10,
	USCOPE_SECTION_CHECKSUMS = 0x8001, /* of this library; others skip it */
};

uint32_t uscope_num_sections(const uscope_reader_t *r);
bool uscope_section_info(const uscope_reader_t *r, uint32_t i, uscope_section_t *section);

typedef struct {
	uint64_t offset; /* of the header, in the file */
	uint64_t time_start_ps;
	uint64_t time_end_ps; /* exclusive */
	uint64_t prev_offset; /* 0: the first */
	uint32_t flags;
	uint32_t checkpoint_size;
	uint32_t compressed_size;
	uint32_t raw_size;
	uint32_t num_frames;
	uint32_t num_frames_active;
} uscope_segment_t;

uint32_t uscope_num_segments(const uscope_reader_t *r);
/* 0, E_RANGE, or what is wrong with its header. */
int uscope_segment_info(uscope_reader_t *r, uint32_t i, uscope_segment_t *segment);

/* The state at a time: all cycles up to and at it have happened. NULL: see
 * uscope_reader_status (E_NODATA before the first segment). After the last cycle: the
 * final state. The state is the caller's, and outlives the reader. */
uscope_state_t *uscope_state_at(uscope_reader_t *r, uint64_t time_ps);
/* The checkpoint of a segment, before its first cycle. */
uscope_state_t *uscope_segment_checkpoint(uscope_reader_t *r, uint32_t i);
void uscope_state_free(uscope_state_t *s);

/* Signed values are sign-extended, others zero-extended; 0 where nothing is. */
bool uscope_slot_valid(const uscope_state_t *s, uint16_t storage, uint16_t slot);
uint64_t uscope_slot_field(
	const uscope_state_t *s, uint16_t storage, uint16_t slot, uint16_t field);
uint64_t uscope_slot_field_raw(
	const uscope_state_t *s, uint16_t storage, uint16_t slot, uint16_t field);
uint64_t uscope_state_prop(const uscope_state_t *s, uint16_t storage, uint16_t property);
/* Valid slots; all of a dense storage. */
uint32_t uscope_storage_occupancy(const uscope_state_t *s, uint16_t storage);

/* Applies an operation to a state: for programs that walk the items from a checkpoint or
 * a state on. Bad ones, and items that are no operations, have no effect. */
void uscope_state_apply(uscope_state_t *s, const struct uscope_item *item);

/* Events with t0 <= time <= t1, in file order. NULL: out of memory. payload is valid until
 * the next call. next: false at the end or at damage, which status tells; at the end of a
 * live file it can be called again after a poll. Free iterators before the reader. */
uscope_event_iter_t *uscope_events_in_range(uscope_reader_t *r, uint64_t t0_ps, uint64_t t1_ps);
bool uscope_event_next(
	uscope_event_iter_t *it, uint64_t *time_ps, uint16_t *type, const void **payload);
int uscope_event_iter_status(const uscope_event_iter_t *it);
void uscope_event_iter_free(uscope_event_iter_t *it);

enum uscope_action {
	USCOPE_SLOT_SET = 1,
	USCOPE_SLOT_CLEAR = 2,
	USCOPE_SLOT_ADD = 3,
	USCOPE_PROP_SET = 4,
};

enum uscope_item_kind {
	USCOPE_ITEM_FRAME, /* a frame begins; no more than its time and segment */
	USCOPE_ITEM_OP,
	USCOPE_ITEM_EVENT,
};

typedef struct uscope_item {
	enum uscope_item_kind kind;
	bool bad;  /* names something that does not exist, or has the wrong size */
	bool wide; /* an operation of 16 bytes */
	uint64_t time_ps;
	uint32_t segment; /* index */
	/* operation */
	uint8_t action; /* enum uscope_action, or another when bad */
	uint16_t storage;
	uint16_t slot;
	uint16_t field; /* or property */
	uint64_t value; /* as stored: not sign-extended */
	/* event */
	uint16_t event_type;
	uint32_t payload_size;
	const void *payload; /* valid until the next call; NULL: bad, and over 64 KiB */
} uscope_item_t;

/* Frames, operations and events in file order, as uscope_events_in_range. */
uscope_item_iter_t *uscope_items_in_range(uscope_reader_t *r, uint64_t t0_ps, uint64_t t1_ps);
/* The items of one segment, whatever is wrong with the others. NULL: out of memory, or E_RANGE. */
uscope_item_iter_t *uscope_segment_items(uscope_reader_t *r, uint32_t segment);
bool uscope_item_next(uscope_item_iter_t *it, uscope_item_t *item);
int uscope_item_iter_status(const uscope_item_iter_t *it);
void uscope_item_iter_free(uscope_item_iter_t *it);

/* A text of the file, NUL-terminated, valid until the next call with this reader; NULL
 * when there is none. *length (NULL accepted): bytes. */
const char *uscope_string(uscope_reader_t *r, uint32_t index, uint32_t *length);
uint32_t uscope_num_strings(const uscope_reader_t *r);

typedef struct {
	uint32_t base_interval_cycles;
	uint32_t fan_out;
	uint64_t total_instructions;
	uint32_t num_density_levels;
	uint32_t num_counters;
	bool legacy; /* CSUM: no density */
} uscope_summary_t;

typedef struct {
	uint64_t min;
	uint64_t max;
	uint64_t sum;
} uscope_mipmap_t;

/* false: the file has no summary. */
bool uscope_summary_info(const uscope_reader_t *r, uscope_summary_t *summary);
/* Levels of the density pyramid; one of them as const uint32_t *. */
uint32_t uscope_summary_levels(const uscope_reader_t *r);
const void *uscope_summary_data(const uscope_reader_t *r, uint32_t level, uint32_t *count);
/* The name is valid until the next call of this function; NULL accepted for what is not
 * wanted. */
bool uscope_summary_counter_info(const uscope_reader_t *r, uint32_t counter, const char **name,
	uint32_t *name_length, uint16_t *storage, uint32_t *num_levels);
/* Valid until the next uscope_summary_ call with this reader. */
const uscope_mipmap_t *uscope_summary_counter_data(
	const uscope_reader_t *r, uint32_t counter, uint32_t level, uint32_t *count);

/* True when segments were added since. The file may also have become complete. */
bool uscope_poll_new_segments(uscope_reader_t *r);

/* Called for each finding; return false to stop. fn may be NULL below. */
typedef bool (*uscope_verify_fn)(const uscope_error_t *finding, void *user);
/* Compares all bytes of a complete file with the checksums in it; a file that has none is taken as it
 * is. Decodes nothing. Number of findings, 0: none; negative: it could not be done. */
int uscope_verify_bytes(uscope_reader_t *r, uscope_verify_fn fn, void *user);
/* Does so, decodes everything, and checks that every checkpoint is the replay of the segment before
 * it and that the summary is a pyramid. Returns as uscope_verify_bytes(). */
int uscope_verify(uscope_reader_t *r, uscope_verify_fn fn, void *user);

typedef struct {
	uint32_t segments;  /* that were kept */
	uint32_t holes;     /* places where bytes were left out */
	uint64_t discarded; /* bytes */
} uscope_recovery_t;

/* Writes a complete file with the segments of `in` that are whole. Strings of an unfinished
 * file are lost. 0, or why not. report and error may be NULL. */
int uscope_recover(
	const char *in, const char *out, uscope_recovery_t *report, uscope_error_t *error);
/* The result of recovery, for a reader in recover mode. */
void uscope_reader_recovery(const uscope_reader_t *r, uscope_recovery_t *report);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
