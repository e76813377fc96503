/* SPDX-License-Identifier: MIT */
#ifndef PRISM_TRACE_PARTS_H
#define PRISM_TRACE_PARTS_H

/* parts: state of the tracer that its files share: the thread (life.c), its events (hooks.c,
 * sync.c), their times (clock.c) and files (stream.c), and names of functions (names.c, symbols.c),
 * and which of them are recorded (filter.c).
 *
 * The library runs inside programs it knows nothing about: in their signal handlers, their malloc(),
 * and while they die. So a hook takes no lock, allocates from mmap() only, keeps errno, and
 * gives up tracing where something fails. */

#include "prism.h"
#include "ticks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum {
	TRACER_WINDOW = 64 * 1024, /* bytes of a file that are mapped at first; also the size of a buffer of the stream */
	TRACER_NUMBER = 4,         /* bytes of the number of a name */
	TRACER_PATH = 1024,
	TRACER_SPARE = 8, /* bytes behind the events of a window: an End, and what a store of 8 bytes has too much */
};

/* First byte of an event that ends a buffer. */
#define TRACER_END ((uint8_t)(PRISM_END << 5))

/* A function. */
struct tracer_name {
	const void *fn;
	uint32_t number; /* place of its name in the table */
	bool out;        /* it is not recorded, and has no number */
};

/* A function that was entered. */
struct tracer_frame {
	const struct tracer_name *name;
	uintptr_t sp;     /* of the call of the hook: lower in what it calls, equal in what is a part of it */
	const void *pc;   /* of that call */
	const void *site; /* where the function that the call is in was called */
	uint64_t ns;      /* with filters: when it was entered; TRACER_SHOWN, or TRACER_HIDDEN for good */
};

#define TRACER_SHOWN UINT64_C(0)
#define TRACER_HIDDEN UINT64_MAX

struct tracer_stack {
	size_t n;                     /* functions that were entered */
	size_t cap;                   /* for them */
	uint64_t after;               /* position behind the last event that changes n, which may not be written yet, */
	size_t next;                  /* and what n is then */
	size_t due;                   /* with filters: frames below this one are shown, or hidden for good */
	struct tracer_frame frames[]; /* from 1 on; that of 0 is the end of the thread's stack */
};

/* A part of a file in memory. */
struct tracer_window {
	uint8_t *base;
	uint64_t offset; /* in the file */
	uint8_t *map;    /* what is mapped, with the window in it */
	size_t mapped;   /* bytes */
	bool shared;     /* mapped; else its bytes are written when it is full */
};

/* Streams are in memory that a child of fork() gets as zeros: it must not write into those of its
 * parent, and finds room nowhere. */
struct tracer_stream {
	uint64_t pos;  /* bytes of events in the window, and above them, from bit 32 on, timestamps: one store ends an event */
	uint32_t room; /* bytes that events may fill, */
	uint32_t stamps_room;
	uint64_t last; /* time of the last event, ns */
	struct tracer_window events;
	struct tracer_window stamps;
	uint32_t flushed; /* bytes of events that are written, of those that are not mapped */
	unsigned number;  /* in the names of its files, */
	char stem[32];    /* behind that of its process */
	unsigned rounds;  /* calls of the key's destructor */
	pid_t process;
	pid_t thread;
	uint64_t lost; /* events of signal handlers that interrupted a hook */
	struct tracer_stream *next;
	/* For slow work: the stack may be that of a signal handler, and small. */
	char path[TRACER_PATH];
	char fresh[TRACER_PATH];
	char text[TRACER_PATH / 2];
};

_Static_assert(sizeof(struct tracer_stream) <= 4096, "a stream is a page");

/* How times follow from the counter of the processor (clock.c). */
struct tracer_line {
	uint64_t base; /* ticks, */
	uint64_t span; /* for which it holds; 0: there is none */
	uint64_t ns;   /* at base */
	uint64_t mult; /* ns of a tick, * 2^32 */
};

struct tracer_thread {
	struct tracer_stream *stream; /* NULL: no event yet */
	struct tracer_stack *stack;
	uintptr_t inside; /* stack pointer of the hook that runs; TRACER_NEVER: events are no longer taken */
	uintptr_t lo;     /* its stack is in [lo, lo + size); 0: not known */
	uintptr_t size;
	uintptr_t limit;                  /* a call at a place below this one, counted from lo, is made by what is on top; 0: that is not known */
	volatile struct tracer_line line; /* a signal handler may replace it */
};

#define TRACER_NEVER UINTPTR_MAX

extern __thread struct tracer_thread tracer_self __attribute__((tls_model("initial-exec")));
extern bool tracer_on;            /* the environment asks for a trace */
extern atomic_bool tracer_active; /* a function was entered */

/* ---- Life (life.c). ---- */

/* Slow work runs between these two: no signal and no cancellation comes in, and errno stays. */
struct tracer_calm {
	sigset_t signals;
	int cancel;
	int error;
};
void tracer_calm(struct tracer_calm *c);
void tracer_resume(const struct tracer_calm *c);

/* Guards what threads share; only for moments, in slow work. */
void tracer_lock(void);
void tracer_unlock(void);

/* Zeroed memory, or NULL. Never malloc(): the program may be in it. */
void *tracer_map(size_t size);

/* A piece of such memory, which is never given back. */
void *tracer_take(size_t size);

/* Name of a file of a stream. */
void tracer_path(char *path, const struct tracer_stream *s, const char *suffix);

/* Whether a file may have so many bytes: a signal would end a process whose file becomes too long. 0, or -1. */
int tracer_check_limit(uint64_t size);

/* Appends to the table of names. Returns the place of the bytes, or -1 (told). */
int64_t tracer_append(const void *bytes, size_t n);

/* Name of the table, without its folder. */
const char *tracer_table(void);

/* Names a stream, and makes the directory. False: it cannot be (told). */
bool tracer_name(struct tracer_stream *s);

/* Says once in a process why tracing ends, of a file. */
void tracer_say(const char *path, int error);

/* Says that a setting is ignored. */
void tracer_complain(const char *name, const char *value, const char *wanted);

/* The stream ends with its thread, or with the process. */
void tracer_watch(struct tracer_stream *s);

bool tracer_wants_shared(void);

/* ---- Time (clock.c). ---- */

void tracer_clock_begin(void);

/* The time where the line of the thread does not hold. */
uint64_t tracer_clock_slow(void);

/* Whether the line of the thread tells the time, ns. */
static inline bool
tracer_clock_quick(uint64_t *ns)
{
	const volatile struct tracer_line *l = &tracer_self.line;
	uint64_t base = l->base;
	uint64_t past = ticks_now() - base;
	bool good = past < l->span;
	*ns = l->ns + (past * l->mult >> 32);
	__asm__(""
		: "+r"(*ns)); /* here: what it is made of would take registers that the hooks must save */
	return good && l->base == base;
}

static inline uint64_t
tracer_now(void)
{
	uint64_t ns;
	return __builtin_expect(tracer_clock_quick(&ns), 1) ? ns : tracer_clock_slow();
}

#define EXPORT __attribute__((visibility("default")))
#define STACK_POINTER ((uintptr_t)__builtin_frame_address(0))

/* ---- Hooks (hooks.c). ---- */

/* Whether the address is in the stack of the thread, as far as that is known. */
static inline bool
tracer_on_stack(uintptr_t sp)
{
	return sp - tracer_self.lo < tracer_self.size;
}

/* Whether the hook that has begun and not ended was left: by siglongjmp() of a signal handler. If so it is
 * brought to its end. */
bool tracer_recover(uintptr_t sp);

/* Begins a hook. False: the event is not taken, as the hook of another one is interrupted. */
static inline bool
tracer_enter(uintptr_t sp)
{
	struct tracer_thread *t = &tracer_self;
	if (__builtin_expect(t->inside != 0, 0) && !tracer_recover(sp)) {
		if (t->inside != TRACER_NEVER && t->stream)
			t->stream->lost++;
		return false;
	}
	t->inside = sp;
	atomic_signal_fence(memory_order_seq_cst);
	return true;
}

static inline void
tracer_leave(void)
{
	atomic_signal_fence(memory_order_seq_cst);
	if (tracer_self.inside != TRACER_NEVER)
		tracer_self.inside = 0;
}

/* Enters again what is on the stack, in a stream that has just begun. */
void tracer_replay(uint64_t ns);

/* ---- Filters (filter.c). ---- */

struct tracer_filter {
	bool on;
	size_t depth;   /* of functions, from 1 */
	uint64_t least; /* ns that a call takes */
	uint64_t from;  /* ns, of a window of time */
	uint64_t to;
};

extern struct tracer_filter tracer_filter;

void tracer_filter_begin(void);

/* Whether functions of that name are recorded. */
bool tracer_filter_takes(const char *text);

/* ---- Synchronization (sync.c, locks.c). ---- */

/* The function of that name that would be called without us. */
void *tracer_real(const char *name);

/* Declares it: `real`. */
#define REAL(name)                                                           \
	static __typeof__(name) *cached;                                     \
	__typeof__(name) *real = __atomic_load_n(&cached, __ATOMIC_RELAXED); \
	if (__builtin_expect(!real, 0)) {                                    \
		*(void **)&real = tracer_real(#name);                        \
		__atomic_store_n(&cached, real, __ATOMIC_RELAXED);           \
	}

/* Writes an event at a time that may have passed; 0: now. */
void tracer_note(enum prism_sync_type type, uintptr_t object, uintptr_t other, uint64_t ns);

/* The time; 0: events are not taken. */
uint64_t tracer_time(void);

/* ---- Files (stream.c). ---- */

/* Makes room for an event of so many bytes; a stream begins at its time, as making its files takes some. NULL: there is
 * none, and the thread is traced no more. */
struct tracer_stream *tracer_room(size_t size, uint64_t ns);

/* Puts what was lost into the description of a stream. Returns how much that is. */
uint64_t tracer_tell_lost(struct tracer_stream *s);

/* The thread ends. */
void tracer_finish(struct tracer_stream *s);

/* Writes windows that are not mapped. 0, -1 (told). */
int tracer_flush(struct tracer_stream *s);

/* Room for an event of `size` bytes, and the End behind it. */
static inline struct tracer_stream *
tracer_get_room(size_t size, uint64_t ns)
{
	struct tracer_stream *s = tracer_self.stream;
	if (__builtin_expect(!s || (uint32_t)s->pos + size > s->room || s->pos >> 32 >= s->stamps_room, 0))
		return tracer_room(size, ns);
	return s;
}

/* Ends the event that begins at the position: what is read of the file at any moment are whole events, each with
 * its time. `head` has its first bytes, and an End behind them if there are less than 8. */
static inline void
tracer_commit(struct tracer_stream *s, uint64_t head, size_t size, uint64_t ns)
{
	uint8_t *at = s->events.base + (uint32_t)s->pos;
	s->last = ns > s->last ? ns : s->last;
	((uint64_t *)(void *)s->stamps.base)[s->pos >> 32] = s->last;
	atomic_signal_fence(memory_order_seq_cst);
	memcpy(at, &head, sizeof(head)); /* one store */
	atomic_signal_fence(memory_order_seq_cst);
	s->pos += size + (UINT64_C(1) << 32);
}

/* ---- Names (names.c, symbols.c). ---- */

/* A hash table of functions. */
struct tracer_slots {
	size_t cap; /* power of two */
	size_t n;
	_Atomic(const struct tracer_name *) slot[];
};

extern _Atomic(struct tracer_slots *) tracer_slots; /* NULL: no function yet */

static inline size_t
tracer_hash(const void *fn, size_t cap)
{
	return (size_t)(((uintptr_t)fn >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (cap - 1);
}

/* The name of a function; NULL: there is no room for it. */
const struct tracer_name *tracer_name_find(const void *fn);

/* Reads the symbols of what is loaded and has instrumented functions. */
void tracer_names_begin(void);

/* Forgets functions of objects that are no longer there. */
void tracer_names_closed(void);

struct tracer_symbol {
	uintptr_t value; /* address in the object; 0: none */
	const char *text;
};

/* Functions of an object. */
struct tracer_symbols {
	struct tracer_symbol *table;
	size_t cap;        /* power of two */
	bool instrumented; /* it calls the hooks */
};

struct dl_phdr_info;

/* Reads them from the file of a loaded object. False: it has none. */
bool tracer_symbols_read(struct tracer_symbols *s, const char *path, const struct dl_phdr_info *info);
const char *tracer_symbols_find(const struct tracer_symbols *s, uintptr_t value);

#endif
