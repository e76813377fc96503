/* SPDX-License-Identifier: MIT */
#ifndef TOOL_PRISM_LINE_H
#define TOOL_PRISM_LINE_H

/* line: events as text, a line each, and as JSON; the text is read again.
 *
 *   config mem 0xf0
 *   mem load size=4 addr=0x7ffd12345678 id=3
 *   comp integer size=4 op=add arity=2 ids=1,2
 *   sync lock 0x6010a0
 *   cxt function-enter "main"
 *   cf 1
 *   end
 *
 * Fields that an event has not are left out, and stand for none. Numbers are decimal, or
 * hexadecimal behind 0x. In the text of a name \" \\ and \xNN stand for bytes. From '#' on
 * the rest of a line is a comment. Defined in doc/format/prism.md, "As text". */

#include "prism/names.h"
#include "wbuf.h"

/* How a field is written. */
enum ptform {
	PTFORM_WORD, /* a name of the library, or a number that has none */
	PTFORM_NUMBER,
	PTFORM_HEX,
	PTFORM_CONTEXT, /* an id of a context: some are addresses */
	PTFORM_IDS,
	PTFORM_ARGS,
	PTFORM_NAME,
};

/* A field of an event. */
struct ptfield {
	uint32_t has; /* PRISM_HAS_*; 0: behind the last */
	enum ptform form;
	const char *key;
	bool bare;    /* stands in a line without its key */
	uint8_t at;   /* of a number in struct prism_event, */
	uint8_t size; /* and its bytes: 1, 2 or 8 */
	const char *(*name)(unsigned type);
	unsigned nnames;
	uint64_t max;
};

/* Those of a kind, up to control flow. */
const struct ptfield *ptline_fields(unsigned kind);

/* Which fields an event has; one of control flow always has its type. */
uint32_t ptline_has(const struct prism_event *ev);

/* The number of a field that is one. */
uint64_t ptline_value(const struct ptfield *f, const struct prism_event *ev);

/* Without the end of the line. */
void ptline_put(struct wbuf *w, const struct prism_event *ev);

/* The members of an object of JSON, without its braces. */
void ptline_put_json(struct wbuf *w, const struct prism_event *ev);

enum ptline_type {
	PTLINE_EMPTY,
	PTLINE_EVENT,
	PTLINE_BYTES,  /* bytes as they are: "bytes ff 00" */
	PTLINE_STREAM, /* settings: "stream compute_layout=packed" */
};

enum {
	PTLINE_BYTES_MAX = 4096, /* in a line */
	PTLINE_SETS_MAX = 8,
};

struct ptline {
	enum ptline_type type;
	struct prism_event ev; /* the name is in bytes */
	uint8_t bytes[PTLINE_BYTES_MAX];
	size_t nbytes;
	char key[PTLINE_SETS_MAX][24]; /* of the stream */
	char value[PTLINE_SETS_MAX][64];
	size_t nsets;
	/* The error of a line that cannot be parsed. */
	const char *problem;
	size_t column; /* bytes from the start of the line */
};

/* Reads a line of n bytes, without its end. false: line->problem. */
bool ptline_parse(struct ptline *line, const char *text, size_t n);

#endif
