/* SPDX-License-Identifier: MIT */
#ifndef TEAM_H
#define TEAM_H

/* team: processes that emulate a trace together, on one machine or on several.
 *
 * Each opens all of the trace, and emulates the parts (parts.h) of some looms, in slices that are the same for all. The records of
 * a slice are divided by time, at instants where the lines of outputs can be divided. Each process gets the records of its
 * piece from the others, makes lines of them and writes these at their place, which follows from the sizes of the pieces
 * before. The process of rank 0 prints the messages of all, and writes what has to be written in one go: it gets
 * all records, if an output wants them.
 *
 * When something fails in any of them, the process of rank 0 begins anew and does all of it alone (learned.whole). So messages and
 * files are those of a run without a team.
 *
 * How the processes reach each other is not known here, but to the functions of the struct, which all of them call in the same
 * order. They do not fail: who cannot reach the others ends. */

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emu;
struct emu_options;
struct parts;

enum team_op {
	TEAM_LEAST,
	TEAM_SUM,
	TEAM_EITHER, /* bit by bit */
	TEAM_SETS,
};

/* Numbers that become those of all processes: v[i] the least of all v[i], and so on. */
struct team_numbers {
	enum team_op op;
	uint64_t *v;
	size_t n;
};

struct team_box {
	void *data;
	size_t size;
};

struct team {
	unsigned rank, n;
	volatile sig_atomic_t *stop; /* as emu_options.stop, of this process */

	/* Joins the numbers of all processes, some sets of them at once: TEAM_SETS at most, of as many numbers in all. */
	void (*reduce)(struct team *t, const struct team_numbers *sets, size_t nsets);
	/* One block of memory of this process, zeroed, for what it will give: boxes there are not copied where others can read them. The one before
	 * is gone. NULL: nobody can. */
	void *(*share)(struct team *t, size_t size);
	/* Gives boxes to each of the others, of rank 0 first, and takes those of each, of rank 0 first, which are valid until the next time,
	 * or numbers are joined: n[r] of process r. They are only to be read. What is given stays where it is, and as it is: in the block of share()
	 * until numbers are joined the next time, elsewhere until settle() has returned. */
	void (*swap)(struct team *t, const size_t *n, const struct team_box *give, struct team_box *take);
	/* Waits until the others have taken what this process gave, but for what is in the block of share(). */
	void (*settle)(struct team *t);
	/* Rank 0 says a word to the others, who wait for it, without using their CPU. Returns it. */
	int (*say)(struct team *t, int word);
	/* In rank 0, now and then while the others wait: takes over a signal that one of them got. */
	void (*listen)(struct team *t);
	/* Ends all processes at once. */
	void (*abort)(struct team *t, int status) __attribute__((noreturn));

	/* What all have done up to now. */
	uint64_t nevents;
	uint64_t nread; /* bytes of the trace */
};

/* Joins one set of numbers. */
static inline void
team_reduce(struct team *t, enum team_op op, uint64_t *v, size_t n)
{
	t->reduce(t, &(struct team_numbers){ op, v, n }, 1);
}

/* Whether all have come so far: each calls it with its result. Returns 0; or what failed, in rank 0 or, for which rank 0 then reports
 * it, in another one. */
int team_agree(struct emu *emu, int rc);

/* As team_agree(), with the trace open: it has to be the same for all. */
int team_meet(struct emu *emu, int rc);

/* As team_agree(), with the file open, which has to be the same for all. */
int team_meet_file(struct emu *emu, const char *path, int rc);

/* ---- For slices.c. ---- */

/* Returns 0, or -ERR_MEMORY (not reported); team_close() is due in both cases. */
int team_open(struct parts *m);
void team_close(struct parts *m);

/* How many parts there should be, of which each process has some. */
uint32_t team_count_parts(const struct emu_options *o, uint32_t each);

/* The parts of a process are from the first one up to that of the next process. */
uint32_t team_first_part(const struct parts *m, unsigned rank);

/* Whether a part is of this process. */
bool team_has_part(const struct parts *m, uint32_t part);

/* Begins a run; `first`: the lowest clock of this process. */
void team_begin(struct parts *m, uint64_t first);

/* Begins a slice. Returns the time from which keys count: records of the one before may be left. */
int64_t team_begin_slice(struct parts *m);

/* The lowest clock of the events that are left, of all processes. */
uint64_t team_first(const struct parts *m);

/* As take() in slices.c. When a part has failed, all know why. */
int team_take(struct parts *m);

/* Swaps what was taken, and merges what is of this process. */
void team_merge(struct parts *m);

/* 0; or <0: the run is to stop, as a signal came or an output failed. */
int team_look_up(const struct parts *m);

/* Behind the last slice, of a run that has not failed: all text is written, and rank 0 knows what is to be reported. Returns 0, or <0:
 * rank 0 has to begin anew. */
int team_finish(struct parts *m);

#endif
