/* SPDX-License-Identifier: MIT */
#ifndef PHRASE_H
#define PHRASE_H

/* phrase: SETs that are made ready once and written many times, many cycles in one call. Only for
 * programs that link the library statically, as ovniemu does: the header is not installed, and
 * the shared library does not export the functions. */

#include "uscope.h"

enum {
	USCOPE_PHRASE_PLACES = 2,
};

/* A place that a SET changes. */
typedef struct {
	uint16_t storage;
	uint16_t slot;
	uint16_t field;
} uscope_place_t;

/* A phrase: a value that is set in one place, or in two at once such as a thread and its
 * CPU, and will be again. It is made ready once. The application has its memory, and touches
 * nothing in it but the tag. */
typedef struct {
	uint8_t ops[32];
	uint64_t at; /* where it was written last */
	uint8_t bytes;
	uint8_t sets;
	uint8_t bits; /* that a value may have */
	uint32_t tag; /* the application's; 0 at first */
} uscope_phrase_t;

/* For this writer alone; *p is zero, or was made ready for it before, and lines that have it
 * were written. From then on its memory stays where it is until finish or close has returned,
 * which look at it. false, and it must not be used: n is none of 1 and 2, a place does not exist
 * or is sparse, or the value does not fit. */
bool uscope_phrase_init(uscope_writer_t *w, uscope_phrase_t *p, uint64_t value, const uscope_place_t *places, size_t n);
/* Gives a phrase another value, in less time than init; lines that have the old one were written.
 * false, and nothing is done: the value does not fit, or the operations would have another form,
 * and it is to be made ready as a new one. */
bool uscope_phrase_change(uscope_writer_t *w, uscope_phrase_t *p, uint64_t value);
/* Does the SETs of a phrase, inside of a cycle. */
void uscope_phrase(uscope_writer_t *w, uscope_phrase_t *p);

/* Sets how many picoseconds a tick is, in which lines count time; 1 without this call. Before the first
 * cycle. E_ARG: ps is 0. */
int uscope_set_tick(uscope_writer_t *w, uint64_t ps);

#define USCOPE_GOES_ON UINT64_MAX

/* A phrase, and the time of the cycle that begins with it in ticks, or USCOPE_GOES_ON if it is
 * of the same one as the line before. */
typedef struct {
	uint64_t time;
	uscope_phrase_t *phrase;
} uscope_line_t;

/* Cycles of phrases alone, whole ones: the same as begin_cycle, phrase for each and
 * end_cycle, in much less time. What a segment has already is not compressed again. */
void uscope_cycles(uscope_writer_t *w, const uscope_line_t *lines, size_t n);

#endif
