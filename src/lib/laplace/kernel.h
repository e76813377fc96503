/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_KERNEL_H
#define LAPLACE_KERNEL_H

/* kernel: kernel events, a line each: tag, timestamp, then the fields of the tag. One table
 * has, for each tag, its fields, the task it is about, and its ranges. Fields that dialects
 * add are in the same table, with their dialects. Defined in doc/format/laplace.md. */

#include "laplace.h"

/* The task that an event belongs to. */
enum lap_owner {
	LAP_OWNER_PID,
	LAP_OWNER_PARENT,
	LAP_OWNER_RUNNING, /* the event names none: the running task, else the kernel */
};

enum {
	LAPKERNEL_FIELDS = 10, /* most fields of an event, with the end of the list */
	LAPKERNEL_ROOM = LAP_LINE_MAX + 32,
};

/* Ranges that may be neither empty nor wrap. */
enum lap_range {
	LAP_RANGE_NONE,
	LAP_RANGE_LENGTH, /* address, length */
	LAP_RANGE_MOVE,   /* address, length; old_address, old_length */
	LAP_RANGE_STOP,   /* start, stop */
	LAP_RANGE_OFFSET, /* offset, length, of a file */
};

/* Work of the kernel for a task. The format does not delimit it: an event starts a section
 * that lasts until the next one. */
enum lap_section {
	LAP_SECTION_NONE = -1, /* the event does not tell */
	LAP_SECTION_USER,
	LAP_SECTION_UNKNOWN,
	LAP_SECTION_SCHEDULE,
	LAP_SECTION_PROCESS,
	LAP_SECTION_MEMORY,
	LAP_SECTION_FAULT,
	LAP_SECTION_FILE,
	LAP_SECTION_SEGMENT,
	LAP_SECTION_SOCKET,
};

struct lap_tag {
	uint8_t tag;
	uint8_t code;  /* index in the table, and channel value: never renumber */
	uint8_t owner; /* enum lap_owner */
	uint8_t range;
	int16_t section; /* enum lap_section that the event starts */
	uint8_t fields[LAPKERNEL_FIELDS];
	const char *name;
	const char *text; /* a clause */
};

struct lap_field_info {
	const char *name;
	uint8_t digits;
	uint8_t digits_06; /* in kvmtrace-0.6, whose machines have 64 bits */
	uint8_t since;     /* enum lap_dialect */
	uint8_t until;     /* last dialect with it */
};

enum {
	LAP_TAGS = 23,
	LAP_OTHER, /* code of events whose tag is not in the catalogue */
};

extern const struct lap_tag lap_tags[LAP_OTHER]; /* the last one stands for all others */
extern const struct lap_field_info lap_fields[LAP_FIELDS];
extern const uint8_t lap_tag_codes[256];                      /* 0: no tag; else lap_tags[code - 1] */
extern const char *const lap_dialect_names[LAP_DIALECTS + 1]; /* the last is NULL */

/* Whether the events of a dialect have the field. */
static inline bool
lap_has_field(enum lap_dialect dialect, unsigned field)
{
	return lap_fields[field].since <= dialect && dialect <= lap_fields[field].until;
}

/* Reads a line of n bytes without its end. ev->name points into the line, or to static
 * text. Returns 0 or a code: LAP_LT.., LAP_LK01; LAP_LK02 with an event whose name is
 * replaced or cut; LAP_LK03 with the event as it is. */
int lapkernel_parse(const char *line, size_t n, enum lap_dialect dialect, struct lap_event *ev);

/* Takes a line that lapkernel_parse() refuses with LAP_LK01, if it is an event of a tracer that we do not know: a tag that
 * may be one, and a timestamp. The line is borrowed. Returns whether it is. */
bool lapkernel_take_other(const char *line, size_t n, struct lap_event *ev);

/* What is wrong with an event that was not read but made, or changed: a clause; NULL: it could be a line. */
const char *lapkernel_fault(enum lap_dialect dialect, const struct lap_event *ev);

/* Writes the line with its newline, at most LAPKERNEL_ROOM bytes. Returns its length, or
 * -LAP_LK01 or -LAP_LK02 for what cannot be written: a name with a newline, a NUL, a blank
 * in front or a return at its end would not be read as it is. A line of LAP_OTHER stays as it is, but for another
 * timestamp than its own. */
int lapkernel_format(char *to, enum lap_dialect dialect, const struct lap_event *ev);

#endif
