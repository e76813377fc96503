/* SPDX-License-Identifier: MIT */
/* The subcommand trace: a trace out of text. */
#include "text.h"

#include <errno.h>
#include <unistd.h>

static int
read_text(struct text *x, const char *path)
{
	struct conv *c = &x->tool->conv;
	uint64_t size;
	int fd = conv_open_input(c, path, &size);
	int own = fd < 0 ? -1 : dup(fd);
	FILE *f = own < 0 ? NULL : fdopen(own, "r");
	if (fd >= 0 && !f)
		return conv_error(c, "read", "cannot open %s: %s", path, strerror(errno));
	if (!f)
		return -1;
	int rc = text_read(x, f);
	(void)fclose(f);
	return rc;
}

static int
run(struct conv *c, int argc, char **argv)
{
	struct mtool *t = mtool_of(c);
	if (argc != 2)
		return conv_usage(c, "a text and a folder for the trace are needed");
	struct text x = { .tool = t, .file = conv_input_name(argv[0]), .version = 3 };
	int rc = mtool_ready(t);
	if (rc == 0)
		rc = read_text(&x, argv[0]);
	if (rc == 0)
		rc = mtool_folder(t, argv[1]);
	if (rc == 0)
		rc = text_write(&x, argv[1]);
	text_free(&x);
	return rc;
}

const struct conv_command mcommand_trace = {
	.name = "trace",
	.synopsis = "[options] TEXT TRACEDIR",
	.brief = "make a trace of a text",
	.about = "Write the trace that TEXT describes into TRACEDIR, for tests of a model.",
	.with = MTOOL_WITH_MODEL | MTOOL_WITH_FORCE,
	.max_args = 2,
	.run = run,
};
