/* SPDX-License-Identifier: MIT */
#ifndef OUT_PERFETTO_PERFETTO_H
#define OUT_PERFETTO_PERFETTO_H

/* perfetto: the parts of the sink of ovni.perfetto-trace: the tree of tracks (tracks.c), names of values (names.c),
 * records as packets (perfetto.c, the frequent ones in slices.c), packets as bytes (pack.c).
 *
 * A channel of a row is a track, and a sequence of packets with times that are differences and names that
 * are numbers: both begin with its first value. Defined in doc/perfetto.md. */

#include "out.h"
#include "pack.h"

enum pf_type {
	PF_SLICES,  /* the value is the name of the only slice that is open */
	PF_NESTED,  /* slices in slices, as values on the stack of a thread */
	PF_COUNTER, /* the value is a number */
	PF_NONE,    /* there is no track */
};

enum {
	PF_SMALL = 128,          /* values, and numbers of names, below are frequent; these have one byte */
	PF_NAMED = 1 << 14,      /* names of other values that are kept. A power of two */
	PF_DIGITS = 1 << 8,      /* digits of values that are kept, likewise */
	PF_TRACKS_MAX = 1 << 28, /* sequences: the number of one has at most four bytes */
	PF_RECORD_ROOM = 512,    /* more than the packets of a record take */
};

/* Fields of Perfetto. */
enum {
	TRACE_PACKET = 1,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	EVENT_DEBUG_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,
	NOTE_NAME = 10, /* of a debug annotation */
	NOTE_INT = 4,
	TYPE_BEGIN = 1,
	TYPE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4,
};

struct pf_track {
	_Alignas(64) int64_t last;     /* time of its last packet, ns */
	uint64_t sequence;             /* the field with the number of the sequence, as bytes */
	uint64_t known[PF_SMALL / 64]; /* which names of small values the sequence has, with the value as number */
	uint32_t names;                /* highest number of others */
	uint32_t open;                 /* slices, below the type << 16 */
	uint32_t under;                /* values that notes have told of since the last record */
	uint8_t type;                  /* enum pf_type */
	uint8_t nsequence;             /* bytes of that field */
	bool plain;                    /* values have no labels, but for error states */
	bool numbered;                 /* a name of a small value has the value as number */
};

static inline uint16_t
pf_depth(const struct pf_track *t)
{
	return (uint16_t)t->open;
}

/* The field of an event in its packet. */
struct pf_event {
	char bytes[31];
	uint8_t n;
};

/* That of a begin with the name of a value in the sequence of a track, or with its digits, which all have. */
struct pf_named {
	int64_t value;  /* 0: the entry is free, */
	uint32_t track; /* or this is, unless its name are digits */
	uint32_t iid;
	struct pf_event event;
};

struct pf_text {
	uint32_t id;
	size_t n;
	const char *text;
};

struct perfetto {
	const struct emu *emu;
	struct arena arena;
	struct pack pack;
	const char *path;
	bool failed; /* memory is exhausted, and reported */

	/* Tracks. */
	uint32_t *track_of;      /* by channel; 0: none yet */
	int64_t *values;         /* by channel, with --compat: shown last */
	struct pf_track *tracks; /* the first is none */
	size_t ntracks, tracks_cap;
	uint32_t **task_tracks;             /* by model, by thread */
	uint32_t *groups;                   /* uuids of rows, 0: not written yet, */
	uint32_t *loom_groups[ROW_CLASSES]; /* and of what they are in */
	uint32_t *proc_groups;
	uint32_t roots[ROW_CLASSES];
	uint32_t nuuids;
	const char **titles[ROW_CLASSES]; /* by column */
	uint32_t *rank;                   /* place of a column among those of a row */

	/* Names. */
	struct idmap *labels[ROW_CLASSES]; /* by column: value to text */
	uint32_t *nlabels[ROW_CLASSES];    /* of values; those of error states do not count */
	const struct emu_text *last_text;
	struct pf_text created, executed; /* tasks */
	struct pf_text numbers[PF_SMALL]; /* digits, for values without label */
	uint32_t ntexts;
	struct idmap names; /* track and text to number in the sequence */
	struct pf_named named[PF_NAMED];
	struct pf_named digits[PF_DIGITS];
	struct pf_event small[PF_SMALL]; /* begins with a small number as name */
};

/* Reports once that memory is exhausted. */
void pf_no_memory(struct perfetto *p);

/* ---- perfetto.c ---- */

/* A row shows the value of a record. */
void pf_show(struct perfetto *p, uint32_t chan, uint32_t row, const struct record *r);

/* Puts the field of an event, of at most as many bytes as a struct pf_event has. One without a number of a name has the digits of the
 * value. Returns its end. */
char *pf_put_event(char *to, unsigned type, uint32_t iid, int64_t value);
/* Makes that of a begin. */
void pf_make_event(struct pf_event *e, uint32_t iid, int64_t value);

/* ---- slices.c ---- */

/* Writes states, as pf_show() does, but quickly. Returns the record behind them: an odd one, or the end. */
const struct record *pf_write_states(struct perfetto *p, const struct record *r, const struct record *end);

/* ---- tracks.c ---- */

/* Prepares the tracks. Returns 0, or <0 (reported). */
int pf_open_tracks(struct perfetto *p);

/* Begins the track of a channel that has its first value, with its parents. Returns its number, which is that of its
 * sequence, or 0 when memory is exhausted (reported). */
uint32_t pf_add_track(struct perfetto *p, uint32_t row, uint32_t col, int64_t time);

/* The track of the tasks of a model that a thread creates and executes; 0 as above. */
uint32_t pf_task_track(struct perfetto *p, uint32_t thread, uint32_t model, int64_t time);

/* ---- names.c ---- */

/* Takes the labels that are known. Returns 0, or <0 (reported). */
int pf_open_names(struct perfetto *p);

/* Takes one that came later. */
void pf_learn(struct perfetto *p, uint32_t col, const struct label *label);

/* Finds the number of the name of a value, which is defined if it is new; 0: it has none. */
uint32_t pf_find_name(struct perfetto *p, uint32_t track, uint32_t row, uint32_t col, int64_t value);

/* Gives a text a small number in the sequence of a track, by a packet. */
void pf_define_small(struct perfetto *p, struct pf_track *t, const struct pf_text *text, uint32_t iid);

/* The text with what would drive a terminal, or is no UTF-8, replaced, in the arena; NULL: it is blank, or no memory. */
const char *pf_clean(struct perfetto *p, const char *text);

static inline enum row_class
pf_class_of(const struct emu *emu, uint32_t row)
{
	return row < emu->first_cpu ? ROW_THREAD : row < emu_first_row(emu, ROW_PROC) ? ROW_CPU
										      : ROW_PROC;
}

/* Whether the sequence has a name for a value with that number. */
static inline bool
pf_knows(const struct pf_track *t, int64_t value)
{
	return (uint64_t)value < PF_SMALL && t->known[value / 64] >> value % 64 & 1;
}

/* Whether a value that is not small has no label for sure. */
static inline bool
pf_is_number(const struct pf_track *t, int64_t value)
{
	return t->plain && value != ST_TOO_MANY_TH && value != ST_BAD;
}

/* Where the name of a value that is not small is kept. */
static inline struct pf_named *
pf_named_at(struct perfetto *p, uint32_t track, int64_t value)
{
	uint64_t hash = ((uint64_t)value + ((uint64_t)track << 32)) * UINT64_C(0x9e3779b97f4a7c15);
	return &p->named[hash >> 40 & (PF_NAMED - 1)];
}

static inline size_t
varint_size(uint64_t v)
{
	size_t n = 1;
	while (v >>= 7)
		n++;
	return n;
}

#endif
