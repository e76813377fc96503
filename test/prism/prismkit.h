/* SPDX-License-Identifier: MIT */
#ifndef PRISMKIT_H
#define PRISMKIT_H

/* prismkit: events as text, random events, a page behind which nothing can be read, and a
 * second reader of events that takes the format bit by bit, as its description is written. */

#include "check.h"
#include "prism/read.h"

enum {
	PRISMKIT_LINE = 1200, /* room for an event as text */
	PRISMKIT_ROOM = 4096, /* bytes in front of the guard */
};

/* Hexadecimal digits, with blanks anywhere between bytes. Returns the bytes. */
size_t prismkit_hex(uint8_t *out, size_t cap, const char *hex);
void prismkit_unhex(char *out, const uint8_t *p, size_t n);

/* "memory type=load bytes=4 addr=7ffd12345678 id=3": only what the event has. */
void prismkit_text(char *out, const struct prism_event *ev);

/* Whether all fields and issues are the same, also those that an event has not. */
bool prismkit_same(const struct prism_event *a, const struct prism_event *b);

bool prismkit_same_state(const struct prism_state *a, const struct prism_state *b);

/* The end of PRISMKIT_ROOM bytes; touching what is behind is a crash. */
uint8_t *prismkit_guard(void);

/* Some settings; lenient or not by chance. */
struct prism_settings prismkit_settings(uint64_t *seed);

/* An event that every stream of these settings can hold, with all fields set. A name is
 * borrowed until the next call. */
void prismkit_random(uint64_t *seed, const struct prism_state *st, struct prism_event *ev);

/* What is read back of an event that was written under these levels of detail. */
void prismkit_shown(const struct prism_state *st, const struct prism_event *ev, struct prism_event *shown);

/* The other reader: prism_begin() and prism_decode() again. */
struct prismkit_twin {
	uint8_t detail[PRISM_KINDS];
	struct prism_settings settings;
};

void prismkit_twin_begin(struct prismkit_twin *t, const struct prism_settings *settings);
ssize_t prismkit_twin_decode(struct prismkit_twin *t, const uint8_t *p, size_t len, struct prism_event *ev);

/* Says what two events are that should be one, and exits. */
_Noreturn void prismkit_differ(const char *what, const uint8_t *p, size_t n, const struct prism_event *a, const struct prism_event *b);

/* Reads any bytes with both readers, whole and cut, and writes what can be written again. */
void prismkit_take(const uint8_t *p, size_t n, const struct prism_settings *settings);

#endif
