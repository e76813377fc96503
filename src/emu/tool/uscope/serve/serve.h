/* SPDX-License-Identifier: MIT */
#ifndef SERVE_H
#define SERVE_H

/* serve: a page that shows a µScope file, and the file, served to browsers of this machine until the user ends it. */

#include "uscope/tool.h"

struct serve_options {
	uint64_t port;   /* 0: a free one */
	bool no_browser; /* the user opens one */
};

/* Opens the file, which may be one that is being written, prints the address, and opens a browser if there is one here.
 * Returns the status of the command. */
int serve_file(struct tool *t, const char *path, const struct serve_options *o);

#endif
