/* SPDX-License-Identifier: MIT */
#ifndef OUT_PERFETTO_PERFETTO_H
#define OUT_PERFETTO_PERFETTO_H

/* perfetto: the parts of the sink of ovni.perfetto-trace: the tree of tracks (tracks.c), names of values (names.c),
 * records as packets (perfetto.c), packets as bytes (pack.c).
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
	PF_SEQUENCE_MAX = 6, /* bytes of the field with the number of a sequence */
	PF_END_EVENT = 4,    /* bytes of the event of an end */
	PF_BEGIN_EVENT = 6,  /* and of a begin whose name has a small number */
	PF_AT_ONCE = 4,      /* bytes of a packet without difference in time before its event */
	PF_PAIR = PF_END_EVENT + PF_SEQUENCE_MAX + PF_AT_ONCE + PF_BEGIN_EVENT + PF_SEQUENCE_MAX,
	PF_SMALL = 128,     /* values, and numbers of names, below are frequent; these have one byte */
	PF_NAMED = 1 << 14, /* names of other values that are kept. A power of two */
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
	char pair[PF_PAIR];            /* the end of a slice, without its time: an event and the number of the sequence; and the packet of a begin at once */
	uint8_t nend;                  /* bytes of the former */
	uint8_t type;                  /* enum pf_type */
	uint16_t open;                 /* slices */
	bool plain;                    /* values have no labels, but for error states */
	bool numbered;                 /* a name of a small value has the value as number */
	int64_t last;                  /* time of its last packet, ns */
	uint64_t known[PF_SMALL / 64]; /* which of these names the sequence has */
	uint32_t names;                /* highest number of others */
};

/* The number that the name of a value has in the sequence of a track. */
struct pf_named {
	int64_t value;
	uint32_t track; /* 0: the entry is free */
	uint32_t iid;
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
};

/* Reports once that memory is exhausted. */
void pf_no_memory(struct perfetto *p);

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

/* The text of a value; NULL: it has none. */
const struct pf_text *pf_find_text(struct perfetto *p, enum row_class rows, uint32_t col, int64_t value);

/* Gives a text a number in the sequence of a track, by a packet. */
void pf_define(struct perfetto *p, struct pf_track *t, const struct pf_text *text, uint32_t iid);

/* The number of a text there; the first time it is given one. */
uint32_t pf_intern(struct perfetto *p, uint32_t track, const struct pf_text *text);

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

static inline size_t
varint_size(uint64_t v)
{
	size_t n = 1;
	while (v >>= 7)
		n++;
	return n;
}

#endif
