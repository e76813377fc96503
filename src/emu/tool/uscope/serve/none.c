/* SPDX-License-Identifier: MIT */
/* none: in place of a server, where the build has no library for one. */
#include "serve.h"

int
serve_file(struct tool *t, const char *path, const struct serve_options *o)
{
	(void)o;
	return conv_fail(&t->conv, "no-server", "this uscope cannot serve %s: it was built without libmicrohttpd\n"
						"hint: -o PAGE.html writes a page with the file in it, to be opened from disk\n"
						"hint: with libmicrohttpd-dev installed, build it again",
		path);
}
