/* SPDX-License-Identifier: MIT */
#ifndef OUT_USCOPE_USCP_H
#define OUT_USCOPE_USCP_H

/* uscp: the parts of the sink of ovni.uscp: how rows and columns of the emulator stand in the file (map.c), its
 * opening (open.c), records, event by event (uscp.c) and as phrases (shown.c, batch.c), and the texts and labels of
 * values (text.c).
 *
 * A class of rows is a scope; each of its models is a dense storage with a slot for every
 * row and a field for every channel. What the numbers mean is in the file as well: the
 * tables rows, channels and labels. Defined in doc/format/timeline.md. */

#include "out.h"
#include "reduce.h"

#include "overview.h"
#include "uscope/phrase.h"

/* Classes of rows in the file: those of the emulator, and the breakdowns. */
enum {
	USCP_BREAKDOWN = ROW_CLASSES,
	USCP_CLASSES,
};

/* The same in the table of labels. */
enum {
	LABEL_OF_THREAD,
	LABEL_OF_CPU,
	LABEL_OF_BREAKDOWN,
	LABEL_OF_BOTH, /* threads and CPUs */
	LABEL_OF_PROC, /* only if there are such rows */
};

enum uscp_kind {
	USCP_NONE, /* the rows do not have the column */
	USCP_ENUM, /* values up to 253, with their labels in the schema */
	USCP_U32,
	USCP_I64,
	USCP_TEXT, /* index of a text, in place of its hash */
};

/* Error states in an enum, and as texts. */
enum {
	USCP_ENUM_MAX = 253,
	USCP_ENUM_BAD = 254,
	USCP_ENUM_TOO_MANY = 255,
	USCP_TEXT_EMPTY = 0,
	USCP_TEXT_BAD = 1,
	USCP_TEXT_TOO_MANY = 2,
};

struct uscp_col {
	uint16_t storage;
	uint16_t field;
	uint16_t channel; /* slot in the table of channels */
	uint8_t kind;     /* enum uscp_kind */
	bool is_state;    /* its values have labels */
	uint64_t most;    /* larger values are converted */
};

struct uscp_class {
	const char *name; /* NULL: it is not in the file */
	uint16_t scope;
	uint16_t rows;     /* table of rows */
	uint16_t punctual; /* event */
	uint32_t first_row;
	uint32_t nrows;
	struct uscp_col *cols; /* by column; of the breakdowns, by number */
};

struct uscp_map {
	uscope_schema_t *schema;
	struct uscp_class classes[USCP_CLASSES];
	uint16_t channels; /* tables */
	uint16_t labels;
	uint16_t colors;
	uint16_t raw_event;
	uint32_t nchannels;
	uint32_t nlabels;    /* slots of the tables of labels and of colours */
	uint64_t state_size; /* bytes of a checkpoint, about */
};

/* Fields of the tables, in order. */
enum {
	ROWS_LABEL,
	ROWS_LOOM,
	ROWS_PROC, /* of a thread */
	ROWS_PID,
	ROWS_TID,
	ROWS_APP,
	ROWS_RANK,
	ROWS_PHYID = ROWS_PROC, /* of a CPU */
	ROWS_VIRTUAL,
	ROWS_OF_LEVEL = ROWS_LOOM, /* of a process, a loom or the system */
	ROWS_OF_LOOM,
	ROWS_OF_PID,
	ROWS_OF_APP,
	ROWS_OF_RANK,
};

enum {
	CHANNELS_TYPE,
	CHANNELS_STORAGE,
	CHANNELS_FIELD,
	CHANNELS_MODE,
	CHANNELS_NAME,
	CHANNELS_TITLE,
	CHANNELS_LEVELS, /* if there are rows of processes, looms or the system */
};

enum {
	LABELS_CLASS,
	LABELS_TYPE,
	LABELS_VALUE,
	LABELS_TEXT,
};

enum {
	COLORS_CLASS,
	COLORS_TYPE,
	COLORS_VALUE,
	COLORS_RGB,
};

enum {
	PS_PER_NS = 1000,
	USCP_LINES = 128, /* buffered: the writer takes many at once for less */
	NONE = -1,
	USCP_PLACES_MAX = 1 << 20, /* of which times and an overview are kept */
	USCP_STATES_OF_ROW = 64,   /* in the mean, of channels whose times are written */
};

#define USCP_UNWRITTEN (UINT32_C(1) << 31) /* beyond all places */

/* The last time that is less than 2^64 ps, in ns. */
#define USCP_TIME_MAX ((int64_t)((UINT64_MAX - 1) / 1000))

/* Converts to ps, the unit of the file; saturates. */
static inline uint64_t
uscp_ps(int64_t ns)
{
	return (uint64_t)ns > UINT64_MAX / PS_PER_NS ? UINT64_MAX : (uint64_t)ns * PS_PER_NS;
}

/* The current run of a CPU's counter in the overview. */
struct span {
	int counter; /* <0: none */
	int64_t since;
};

/* A record as it is written, kept to write equal ones again. */
struct uscp_shown {
	uscope_phrase_t phrase; /* first, as lines have its address; tag: the last lines that it was in, see uscp.mark */
	uint64_t place;         /* see shown_place() */
	int64_t value;
};

/* How long the rows were in their states. A place is a channel of a row: record.chan, or behind all of these
 * those of breakdowns. Nearly always the place of a thread and that of its CPU change together, in one record;
 * while they do, the run of the thread stands for both. */
struct uscp_times {
	struct uscp_run { /* by place */
		int64_t since;
		struct uscp_pair { /* states of the row and of the CPU with it; also by entry of `shown` */
			uint32_t row;
			uint32_t cpu;
		} states;
		uint32_t with;   /* of a thread: row of the CPU; of a CPU: 1 + place of the thread; 0: none */
		uint32_t latest; /* its states, if the overview has it: those shown latest come first */
	} * runs;                /* NULL: nothing is counted */
	struct uscp_pair *of_shown;
	int64_t *times; /* by state, ns; the first are of what is not counted */
	struct uscp_counted {
		uint64_t raw;   /* of the field */
		int64_t told;   /* how much of its time the overview knows */
		uint32_t place; /* USCP_UNWRITTEN: it is for the overview alone */
		uint32_t next;  /* state of the place, for the overview */
	} * states;
	int64_t other;     /* bits in which times differ that are in two buckets of the overview; 0: there is none */
	bool inexact;      /* a time was no whole ns */
	uint32_t *index;   /* hash table of the numbers of states, with bits of their hash above; 0: free */
	uint32_t nindex;   /* its size: a power of two */
	uint32_t *nstates; /* by slot in the table of channels */
	uint32_t n;
	uint32_t nuncounted; /* entries of `shown` that are not counted, so far */
	uint32_t nwritten;   /* those that are not for the overview alone */
	uint32_t cap;
	uint32_t nplaces;
};

struct uscp {
	const struct emu *emu;
	struct arena arena;
	struct uscp_map map;
	uscope_writer_t *w;
	const char *path;         /* in messages: of the file, or of the page if that alone is wanted */
	struct uscp_page *html;   /* NULL: it is not wanted */
	struct overview overview; /* of the page, if it has tracks: each has the number of its place, as in struct uscp_times */

	/* Texts: hash -> index, by what the models have told so far. */
	struct idmap texts;
	struct idmap by_index; /* and back */
	int64_t last_of;       /* last value looked up; 0: none */
	const struct emu_text *last_text;
	uint32_t last_index;
	/* The table of labels. */
	uint32_t nlabels;
	struct idmap labelled; /* pairs of value and model in the table */
	uint64_t nlabels_lost;
	const struct late_label **told; /* by column: last label in the table */
	uint32_t ncolors;               /* in the table of colours */
	uint64_t ncolors_lost;

	uint32_t nknown[ROW_CLASSES]; /* rows whose names are in the file */
	struct reduction *reductions;
	size_t nreductions;
	struct span *busy; /* by CPU */
	struct span *over;
	int64_t time;             /* of the current cycle or the last one, ns */
	bool left_out;            /* `failed`, and that is no error */
	int64_t flushed;          /* time at the last flush, ns; -1: none */
	struct uscp_shown *shown; /* hash table by channel and value */
	size_t shown_mask;        /* bits of a channel that select its entries */
	size_t shown_stride;      /* entries between those of two channels */
	uint32_t own;             /* first place of the breakdowns */
	struct uscp_times times;
	uscope_line_t lines[USCP_LINES]; /* SETs of the cycle */
	size_t nlines;
	bool begun;    /* uscope_begin_cycle() was called for the cycle */
	uint32_t mark; /* phrase.tag of records in unwritten lines */
	bool failed;   /* and reported */
};

/* Builds the schema for what the emulator has enabled. `nlabels`: slots of the table of
 * labels. Memory comes from the arena; the schema is freed with uscope_schema_free(), in
 * both cases. Returns 0, or a status of µScope with the reason (not reported). */
int uscpmap_build(struct uscp_map *m, struct arena *a, const struct emu *emu, uint16_t nlabels, const char **reason);

/* Reports once that the file stays as it is; the other outputs go on. */
void uscp_give_up(struct uscp *u, const char *what, int status);

/* Gives up when the writer has failed. */
void uscp_check_writer(struct uscp *u);

/* open() of the sink; uscp_finish() frees. */
int uscp_open(void *self, const struct emu *emu, const char *dir);
void uscp_finish(struct uscp *u);

/* Begins the cycle at u->time if it is not begun, and writes the buffered SETs: due before
 * anything else is written in the cycle. */
void uscp_begin_cycle(struct uscp *u);
/* Writes the rest of the cycle, or all of it, and ends it. */
void uscp_end_cycle(struct uscp *u);

/* ---- shown.c ---- */

/* false: out of memory. */
bool uscp_open_shown(struct uscp *u);

/* The class of a row. */
static inline enum row_class
uscp_class_of(const struct uscp *u, uint32_t row)
{
	const struct uscp_class *c = u->map.classes;
	return row < c[ROW_CPU].first_row ? ROW_THREAD : row < c[ROW_PROC].first_row ? ROW_CPU
										     : ROW_PROC;
}

/* Adds a record to the cycle. Its row must be in the file. */
void uscp_show(struct uscp *u, const struct record *r);
/* Adds a value of a breakdown row to the cycle. */
void uscp_show_own(struct uscp *u, const struct uscp_col *k, uint32_t row, int64_t value);

/* ---- batch.c ---- */

/* Fast path: writes whole cycles from r on, up to the first that needs more than SETs of
 * rows in the file. Returns the first record of that cycle. u->time becomes the time of the
 * last one written. */
const struct record *uscp_show_cycles(struct uscp *u, const struct record *r, const struct record *end);

/* ---- times.c ---- */

/* nshown: entries of `shown`. false: out of memory. */
bool uscp_open_times(struct uscp *u, size_t nshown);
/* A number for a state that is not counted. */
uint32_t uscp_uncounted(struct uscp *u);
/* The number of a state of a place, which is a channel of the slot of a row. */
uint32_t uscp_time_of(struct uscp *u, const struct uscp_class *c, const struct uscp_col *k, uint32_t slot, uint32_t place, uint64_t raw);
/* Gives the section with all times to the writer, and the rest of them to the overview. */
void uscp_write_times(struct uscp *u, int64_t end);

/* Makes ready to count up to `time`, from which on the place is together with the CPU in row `with`, or 0: needed where either is
 * another one, or the time is in a later bucket of the overview than what is counted. */
void uscp_turn_times(struct uscp *u, uint32_t place, uint32_t with, int64_t time);

static inline bool
uscp_turns(const struct uscp_run *run, uint32_t with, int64_t time, int64_t other)
{
	return (run->with ^ with) | ((time ^ run->since) & other);
}

/* Counts up to a time; from then on it is in other states. */
static inline void
uscp_count_run(struct uscp_run *run, int64_t *times, struct uscp_pair states, int64_t time)
{
	int64_t n = time - run->since;
	times[run->states.row] += n;
	times[run->states.cpu] += n;
	run->since = time;
	run->states = states;
}

/* A place gets a state, and so does that of the CPU in row `with`, or 0. */
static inline void
uscp_count_time(struct uscp *u, uint32_t place, uint32_t with, struct uscp_pair states, int64_t time)
{
	const struct uscp_times *t = &u->times;
	struct uscp_run *run = &t->runs[place];
	if (__builtin_expect(uscp_turns(run, with, time, t->other), 0))
		uscp_turn_times(u, place, with, time);
	uscp_count_run(run, t->times, states, time);
}

/* ---- html.c ---- */

/* Opens the page, if it is wanted. 0, or <0 (reported). */
int uscp_open_page(struct uscp *u, const char *dir);
/* Takes bytes of the file for it: a uscope_take_fn. */
int uscp_take_data(void *uscp, const void *bytes, size_t n, uint64_t offset);
/* Behind uscp_open_times(). false: out of memory. */
bool uscp_open_overview(struct uscp *u);
/* The page cannot take more: reports it, and removes what there is. */
void uscp_fail_page(struct uscp *u);
/* Completes the page, once the file is. 0, or <0 (reported). */
int uscp_write_page(struct uscp *u);
/* Removes a page that was not completed, and frees. */
void uscp_close_page(struct uscp *u);

/* Whether the bytes go to a page alone. */
static inline bool
uscp_is_page(const struct uscp *u)
{
	return u->html && !(u->emu->plan->options.outputs & OUTPUT_USCOPE);
}

/* Count the time that a CPU is busy or oversubscribed, for the overview. */
void uscp_count_running(struct uscp *u, const struct record *r);
void uscp_count_busy(struct uscp *u, struct span *s, bool now, int64_t time);

/* Writes the names of rows up to `end`. Begins the cycle. */
void uscp_put_rows(struct uscp *u, enum row_class rows, uint32_t end);

/* Returns the index of a text, adding it if it is new; on failure (reported) that of the
 * empty text. */
uint32_t uscp_put_text(struct uscp *u, const char *text);

/* The class of rows in the tables of labels and colours. */
static inline unsigned
uscp_label_class(enum row_class rows)
{
	return rows == ROW_PROC ? LABEL_OF_PROC : (unsigned)rows;
}

/* Adds a row to the table of labels. Begins the cycle. */
void uscp_put_label(struct uscp *u, unsigned class, int prv_type, int64_t value, uint32_t text);

/* Adds the texts that the models have told since the last call. */
void uscp_learn_texts(struct uscp *u);

/* At the end: writes the labels that models learnt during the run. */
void uscp_put_late(struct uscp *u);

/* At the end, in its cycle: writes the colours of all labels (colors.c). Returns 0, or <0 (reported). */
int uscp_put_colors(struct uscp *u);

/* Returns the index of the text of a value; UINT32_MAX: no model has told it. */
uint32_t uscp_text_of(struct uscp *u, int64_t value);
/* Whether the file has the text of the value. */
bool uscp_knows_text(const struct uscp *u, int64_t value);

#endif
