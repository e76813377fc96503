/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_RECORD_H
#define LAPLACE_RECORD_H

/* laplace_record: the records of traces of the Laplace simulator, as they are read, and as tools of users (laplace_hooks.h)
 * get them. doc/format/laplace.md says which fields an event of a tag has. */

#include <stddef.h>
#include <stdint.h>

enum {
	LAP_RECORD_SIZE = 18, /* bytes of a reference in the binary form */
	LAP_REF_LINE = 40,    /* longest line of one in writer's form, with its newline */
	LAP_LINE_MAX = 8192,  /* longest line that is read, without its newline */
	LAP_NAME_MAX = 4095,  /* bytes of a name in a kernel event */
	LAP_PAGE_SHIFT = 12,
	LAP_PAGE_SIZE = 1 << LAP_PAGE_SHIFT,
};

/* Fields of kernel events, which index lap_event.arg. */
enum lap_field {
	LAP_END, /* ends a list */
	LAP_PID,
	LAP_PARENT,
	LAP_CONTEXT,
	LAP_DUP,
	LAP_START,
	LAP_STOP,
	LAP_ADDRESS,
	LAP_LENGTH,
	LAP_OLD_ADDRESS,
	LAP_OLD_LENGTH,
	LAP_END_ADDRESS,
	LAP_INODE,
	LAP_MAJOR, /* the whole device number since kvmtrace-0.6 */
	LAP_MINOR,
	LAP_OFFSET,
	LAP_SHM,
	LAP_USER_TIME,
	LAP_SYSTEM_TIME,
	LAP_SIZE,      /* of the file that is opened */
	LAP_FILE_TYPE, /* one letter: f p d s o */
	LAP_NAME,      /* in lap_event.name */
	LAP_FIELDS,
};

struct lap_event {
	uint64_t ts;
	uint64_t refs; /* user references of the task so far (kvmtrace) */
	uint64_t arg[LAP_FIELDS];
	const char *name; /* not terminated; NULL if the event has none; of LAP_OTHER: the line without its newline */
	size_t name_len;
	uint8_t tag;
	uint8_t code; /* 1..23, or LAP_OTHER of kernel.h */
};

enum lap_type {
	LAP_REF,   /* kind, length, space, addr */
	LAP_EVENT, /* event */
	LAP_PAGE,  /* kind, length, page; addr is that of the virtual page, space if known */
};

struct lap_record {
	uint64_t ts; /* cycles */
	uint64_t page;
	const struct lap_event *event; /* borrowed from the reader until its next record */
	uint32_t space;
	uint32_t addr;
	uint8_t type; /* enum lap_type */
	uint8_t kind; /* r w i R W I */
	uint8_t length;
};

/* Place of a record, set by readers. */
struct lap_place {
	const char *file;
	uint64_t offset;
	uint64_t line;
	uint32_t cpu; /* of the file */
};

#endif
