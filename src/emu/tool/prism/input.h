/* SPDX-License-Identifier: MIT */
#ifndef TOOL_PRISM_INPUT_H
#define TOOL_PRISM_INPUT_H

/* input: the events of a file through a window, with their bytes and times. What is wrong
 * is told and counted here: what ptinput_next() gives can be used. */

#include "source/prism/file.h"
#include "tool.h"

struct ptinput {
	struct prism_file file;
	struct ptool *tool;
	struct prism_source source; /* its name is that in messages */
	bool ended;
	const uint8_t *bytes; /* of the current event */
	size_t size;
	uint64_t clock; /* ns */
	struct reader reader;
};

/* Opens the inputs: streams, their descriptions, or, if the command takes any number, their
 * directories. "-", or no path, is the standard input. Returns 0, or <0 (reported). */
int ptinput_open_all(struct ptool *t, int n, char **paths);

/* For the arguments IN and OUT: opens both. *out: the path of OUT. Returns 0, <0 (reported), or 2. */
int ptinput_open_pair(struct ptool *t, int argc, char **argv, const char **out);

/* The next event. Returns 1, 0 at the end, <0 (reported). */
int ptinput_next(struct ptinput *in);

/* Bytes of the file that were read so far. */
uint64_t ptinput_read(const struct ptinput *in);

/* Whether the stream has instructions, in *has; what cannot be read twice is taken to have none. Says
 * nothing of what is wrong in it. Returns 0, or <0 (reported). */
int ptinput_has_insns(const struct ptinput *in, bool *has);

void ptinput_close(struct ptinput *in);

#endif
