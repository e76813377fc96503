/* SPDX-License-Identifier: MIT */
#ifndef READER_H
#define READER_H

/* reader: what the parts of the reader share. Everything of a file is read by pread when
 * it is wanted and checked before it is used; a reader takes less than 64 MiB for any file,
 * besides the states it hands out. Functions return 0 or a
 * status, with the place in the error of the reader. */

#include "layout.h"
#include "schema.h"
#include "state.h"
#include "status.h"

/* Deltas up to here are decoded at once and kept. Tests make it small, so that small files
 * take the way of large ones. */
#ifndef WHOLE_MAX
#define WHOLE_MAX (8 * 1024 * 1024)
#endif

enum {
	READ_WINDOW = 64 * 1024,      /* of tables and checkpoints */
	TEXT_MAX = 16 * 1024 * 1024,  /* of one string or counter name */
	LEVEL_MAX = 32 * 1024 * 1024, /* bytes of one level of a summary, or of a section of an application */
	SUMMARY_LEVELS_MAX = 64,      /* 33 suffice for 2^32 entries */
	NO_SEGMENT = -1,
};

/* Offsets of the segments: in a table in the file, or in memory, found by walking. */
struct seglist {
	uint64_t table;    /* offset; 0: they are in offsets */
	uint64_t *offsets; /* of the headers */
	size_t cap;        /* of offsets */
	uint32_t num;
	bool ends_ascend;  /* no time_end is less than one before it */
	uint64_t last_end; /* of the last segment, and where it begins */
	uint64_t last_start;
	uint8_t *marks;  /* two bits per segment, see seglist_mark() */
	uint32_t marked; /* segments that have them */
};

struct text {
	char *text;
	size_t cap;
};

struct strings {
	uint64_t offset; /* of the entries, 0: none */
	uint64_t data;   /* where they point into */
	uint64_t data_size;
	uint32_t num;
	struct text last; /* that was asked for */
};

/* A range of the file, piece by piece. */
struct window {
	struct uscope_reader *r;
	int status;      /* of the first read that failed: nothing more comes then */
	uint64_t offset; /* in the file, of buf */
	uint64_t end;    /* of the range */
	size_t pos, n;   /* in buf */
	uint8_t buf[READ_WINDOW];
};

struct summary;
struct whole;

struct uscope_reader {
	int fd;
	uint64_t size; /* of the file, as last seen */
	enum uscope_mode mode;
	uscope_reader_options_t limits;
	uscope_file_header_t header;
	uint64_t preamble_end; /* found by reading when the header has 0 */
	bool checksums;        /* the preamble says that a complete file has them */
	bool open_preamble;    /* then even CHUNK_END may be missing */
	uscope_schema_t *schema;
	uscope_dut_desc_t dut;
	uint64_t interval;
	uscope_error_t error;
	uint64_t diag[USCOPE_NUM_DIAGS];
	uint64_t opened[USCOPE_NUM_DIAGS]; /* the part of it that no segment raised */
	bool complete;                     /* finalized, and its tables are read */
	bool live;                         /* may grow: uscope_poll_new_segments() looks */
	uscope_recovery_t recovery;

	uint32_t num_sections;
	uscope_section_t strings_section, summary_section, checksums_section; /* type 0: not there */
	struct seglist segments;
	struct strings strings;
	struct summary *summary; /* NULL: none */

	struct whole *whole; /* the last small blob, see blob.h */
	uint8_t *extra;      /* the last section of an application */
	size_t extra_cap;
	uint8_t *packed; /* what it was made of */
	size_t packed_cap;
	void *zstd;           /* in the middle of `packed`, see whole.h */
	uint64_t as_written;  /* the last segment, plus 1, that was found to be; 0: none */
	struct window window; /* for tables and checkpoints, one after the other */
};

/* A call of the application begins, and ends well if nothing changes that. */
static inline void
reader_clear(struct uscope_reader *r)
{
	r->error = (uscope_error_t){ .segment = NO_SEGMENT };
}

/* The reader could not do it; any other status is about the file. */
static inline bool
is_ours(int status)
{
	return status == USCOPE_E_NOMEM || status == USCOPE_E_IO;
}

/* ---- Bytes: bytes.c. ---- */

/* n bytes at an offset. E_TRUNCATED: the file has become shorter. */
int reader_read(struct uscope_reader *r, uint64_t offset, void *to, size_t n);
/* Room of n bytes in *buf of *cap, the content is lost. false: out of memory. */
bool reader_room(void *buf, size_t *cap, size_t n);
/* A text of n bytes and its end. what: the kind of text, of which `at` tells, for errors. */
int reader_text(struct uscope_reader *r, struct text *t, uint64_t offset, uint32_t n, const char *what, uint64_t at);

void window_open(struct window *w, struct uscope_reader *r, uint64_t offset, uint64_t size);
/* The next n bytes, n <= READ_WINDOW; NULL: the range has less, or w->status tells why not. */
const uint8_t *window_next(struct window *w, size_t n);
/* The next n bytes, which the range has. Returns w->status. */
int window_copy(struct window *w, void *to, size_t n);
uint64_t window_left(const struct window *w);
void window_skip(struct window *w, uint64_t n); /* at most what is left */

/* ---- Header and preamble: preamble.c. ---- */

int header_read(struct uscope_reader *r, uscope_file_header_t *h);
int header_check(struct uscope_reader *r, const uscope_file_header_t *h);
int preamble_read(struct uscope_reader *r);

/* Whether the checksum of a segment is right; false, too, if there is none. */
bool sums_segment(struct uscope_reader *r, uint32_t i, const uscope_segment_t *s);

/* ---- Segments: seglist.c. ---- */

/* A header, if it is good at that place. */
int segment_read(struct uscope_reader *r, uint64_t offset, uscope_segment_t *s);
/* Bytes of a segment with its header. */
uint64_t segment_size(const uscope_segment_t *s);

/* By the table; all of its entries are looked at, headers are not. */
int seglist_table(struct uscope_reader *r, uint64_t offset, uint64_t size);
/* Adds those from `tail` back to the last one known, oldest first. E_STATE: that one is
 * not among them. After an error the list is as before. */
int seglist_chain(struct uscope_reader *r, uint64_t tail);
int seglist_add(struct uscope_reader *r, const uscope_segment_t *s);
void seglist_finish(struct seglist *l);

int seglist_get(struct uscope_reader *r, uint32_t i, uscope_segment_t *s);
/* The last one with time_start <= t. E_NODATA: there is none. */
int seglist_find(struct uscope_reader *r, uint64_t t, uint32_t *i);
/* The first one with time_end >= t; *i is their number when there is none. */
int seglist_first(struct uscope_reader *r, uint64_t t, uint32_t *i);

enum {
	SEGMENT_COUNTED = 1, /* its diagnostics are in reader->diag */
	SEGMENT_GOOD = 2,    /* decoded without error */
};

/* Gets and adds marks of a segment. Segments past a limit of 2^27 have none, as has every segment when
 * there is no memory. */
unsigned seglist_marks(const struct seglist *l, uint32_t i);
void seglist_mark(struct seglist *l, uint32_t i, unsigned marks);

/* ---- Tables behind the segments: sections.c, summaryin.c. ---- */

/* Section table of a finalized file, and what it leads to; the segment table only when
 * asked for. */
int sections_read(struct uscope_reader *r, bool segments);
/* Damage is counted, and leaves the reader without a summary. */
int summary_open(struct uscope_reader *r);
void summary_close(struct summary *s);

/* Places of the levels of a counter, -1 for the density; at most SUMMARY_LEVELS_MAX. */
struct level {
	uint64_t offset;
	uint32_t n;
};
int summary_levels(struct uscope_reader *r, int64_t counter, struct level *levels, uint32_t *n);

/* ---- Content of a segment: query.c. ---- */

/* Checks the checkpoint of a segment, adding to diag (NULL: nowhere). state (NULL: none) becomes it;
 * after an error it is of no use. */
int checkpoint_read(struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, struct uscope_state *state, uint64_t *diag);

/* Decodes a whole segment, adding to diag. state (NULL: none) becomes what it ends with. */
int segment_decode(struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, struct uscope_state *state,
	uint64_t *diag);
/* Decodes a segment unless it is marked good; counts its diagnostics once. */
int segment_check(struct uscope_reader *r, uint32_t i, uscope_segment_t *s);
/* A state for this reader, within its limits. */
int reader_state(struct uscope_reader *r, struct uscope_state **state);

/* ---- Recovery: scan.c. ---- */

/* Segments by what the bytes look like. */
int scan_segments(struct uscope_reader *r);

#endif
