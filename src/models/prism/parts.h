/* SPDX-License-Identifier: MIT */
#ifndef MODELS_PRISM_PARTS_H
#define MODELS_PRISM_PARTS_H

/* parts: the state of the model prism, and what its parts share: its channels
 * (chans.c), the way of an event (prism.c), who runs where and waits for what (thread.c), contexts and
 * names (cxt.c), functions that are not shown (filter.c), intervals (span.c), messages (issue.c). The machine of the library knows what
 * events do; the model shows it. */

#include "input/prism/stream.h"
#include "ovniscope/model.h"
#include "prism/prism_hooks.h"
#include "prism/threads.h"

/* Channels. */
enum {
	FUNC,
	FUNC_DEPTH,
	OPERATOR,
	NET,
	BB,
	INSN,
	SYNC_STATE,
	SYNC,
	LOCKS,
	CHILDREN,
	SYNC_OBJECT,
	MEM,
	MEM_BYTES,
	COMP,
	COMP_OP,
	CF,
	WIN, /* the totals of the machine */
	LOD = WIN + PRISM_TOTALS,
	LOD_MEM = LOD,
	LOD_COMP,
	LOD_SYNC,
	LOD_CXT,
	SWAPS,
	THREADS,
	DIAG,
	NCHANS,
};

/* Values of SYNC_STATE. */
enum {
	STATE_CRITICAL = 1,
	STATE_BARRIER,
	STATE_JOIN,
};

/* Values of MEM and COMP: 0 in the event becomes 3, as 0 shows nothing. */
enum {
	MEM_LOAD = 1,
	MEM_STORE,
	MEM_OTHER,
	COMP_INTEGER = 1,
	COMP_FLOAT,
	COMP_OTHER,
	OP_OTHER = PRISM_OPS + 1,
};

enum {
	LABELS_MAX = 1024, /* of blocks, of instructions and of objects; names have no limit */
};

/* What there is to do for an event of memory or compute of a thread that runs. */
enum prismmodel_quick {
	QUICK_NOT,   /* more than that, */
	QUICK_COUNT, /* it is counted, and given to tools, */
	QUICK_GIVE,  /* or only the latter */
};

/* Numbers of addresses or objects, from 1 in the order of first appearance. */
struct prismmodel_numbers {
	struct emu_map *map;
	uint32_t n;
};

/* A thread, by row, which is its number in the machine. */
struct prismmodel_thread {
	uint64_t nticks;              /* events in the interval */
	bool listed;                  /* the interval, or the one before, has something */
	uint32_t shown[PRISM_STACKS]; /* frames of its stacks that are in the channels: those whose `user` is 1 */
};

/* A stream, and its CPU. */
struct prismmodel_core {
	struct prism_at at; /* of the current event, for tools */
	uint64_t nticks;
	uint64_t nswaps; /* in the interval */
	uint64_t nthreads;
	bool started;
	bool ended;
	bool shown; /* its level of detail was shown */
	bool stale; /* the interval before the current one has something */
};

struct prismmodel {
	struct prism *p;
	struct prism_run *tools;
	struct prism_machine machine;
	struct prismmodel_core *cores;
	struct prismmodel_thread *threads; /* by row */
	struct prism_inside *inside;       /* by row, for tools; NULL: there are none */
	uint32_t nnames[PRISM_STACKS];     /* numbered so far */
	uint32_t unnamed[PRISM_STACKS];    /* number that stands for a missing name; 0: none yet, */
	uint32_t cut[PRISM_STACKS];        /* and that for contexts which are too deep */
	struct prismmodel_numbers blocks;
	struct prismmodel_numbers insns;
	struct prismmodel_numbers objects;
	struct emu_map *met; /* stream << 32 | row */
	uint32_t *listed;    /* rows */
	uint32_t nlisted;
	int64_t ticked; /* time of the last RW. */
	bool all;       /* show each event: all of them, */
	bool syncs;     /* or only synchronization */
	bool shown;     /* there are timelines; else only threads, tools and issues matter */
	enum prismmodel_quick quick;
	uint64_t every; /* events in an interval; 0: it is not of events */
	bool filters;   /* some functions are not shown */
	uint8_t *known; /* by id of a name: what the lists say */
	size_t nknown;
	size_t known_cap;
	/* The current event. */
	uint32_t stream;
	struct prismmodel_core *core;
	struct prism_step step; /* effects of the current event */
	uint32_t codes;         /* 1 << code of each issue of the current event */
	bool hidden;            /* it enters a function that is not shown */
};

extern const struct chan_decl prismmodel_chans[NCHANS];

/* Functions that return int return 0, or <0: the error was reported, and work on the event ends. */

/* Reports the issues that the machine found at the current event. Returns 0 if the run goes
 * on (lenient). */
int prismissue_tell(struct prismmodel *d, const struct prism_event *pe);
/* Makes a name a text of one line, in a buffer of PRISMISSUE_TEXT bytes. */
enum {
	PRISMISSUE_TEXT = PRISM_NAME_MAX * 4 + 1, /* \xNN for every byte */
};
const char *prismissue_text(char *text, const struct prism_name *name);

/* Chooses the thread of the step, and shows that it runs. A failure leaves it without a row. */
int prismthread_show(struct emu *emu, struct prismmodel *d);
/* Ends the current stream, and the threads of its CPU. */
void prismthread_end(struct emu *emu, struct prismmodel *d);

/* Returns the number of an address or object. A new one gets a label of the channel. */
uint32_t prismcxt_index(struct emu *emu, struct prismmodel_numbers *x, int chan, uint64_t key);
/* Numbers the name that the step enters, if it is shown, also beyond the depth of a stack, and labels it. */
void prismcxt_number(struct emu *emu, struct prismmodel *d, const struct prism_cxt *c, bool brief);
void prismcxt_take(struct emu *emu, struct prismmodel *d, const struct prism_cxt *c);
/* Notes for tools what the thread of the step is in, behind the event. */
void prismcxt_note(const struct prismmodel *d, const struct prism_cxt *c);

#define PRISM_UNNAMED "(no name)"

/* Looks which filters of functions there are. */
void prismfilter_begin(struct prismmodel *d);
/* Whether the function that the step enters is not shown. */
bool prismfilter_hides(struct emu *emu, struct prismmodel *d, bool brief);

void prismthread_take(struct emu *emu, struct prismmodel *d, const struct prism_sync *s);
/* Shows that the thread of the step waits no more. */
void prismthread_wake(struct emu *emu, const struct prismmodel *d);

/* Lists the thread of the event: it has totals to show when the interval ends. */
void prismspan_note(struct prismmodel *d);
/* Ends the interval of the thread with the current event; counts the event, and ends
 * intervals that are full. */
void prismspan_close(struct emu *emu, struct prismmodel *d);
void prismspan_tick(struct emu *emu, struct prismmodel *d);
/* Ends all intervals: of time, and at the end of the trace. */
void prismspan_rotate(struct emu *emu, struct prismmodel *d);
void prismspan_end(struct emu *emu, struct prismmodel *d);

#endif
