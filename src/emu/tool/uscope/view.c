/* SPDX-License-Identifier: MIT */
/* view: a trace as a page for browsers. */
#include "page.h"
#include "serve/serve.h"
#include "survey.h"
#include "tool.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <string.h>

static int
write_page(struct tool *t, const char *path, uint64_t limit)
{
	struct conv *c = &t->conv;
	struct overview overview = { 0 };
	char dir[PATH_MAX];
	uint64_t size;
	int fd = conv_open_input(c, path, &size);
	if (fd < 0)
		return -1;
	const uint8_t *bytes;
	size_t n;
	int status = survey_file(&overview, t, &t->in[0], page_overview_most(size, limit), &bytes, &n);
	struct page p;
	page_open(&p, &c->out, conv_split(path, dir, sizeof(dir)), limit, size);
	int rc = utool_stop(t) ? 0 : page_put_file(&p, fd);
	bool whole = page_close(&p, bytes, n);
	overview_finish(&overview);
	if (rc == -ENODATA)
		return conv_error(c, "read", "%s has become shorter", path);
	if (rc < 0)
		return conv_error(c, "read", "cannot read %s: %s", path, strerror(-rc));
	char text[PAGE_SIZE_TEXT];
	if (!whole && !utool_stop(t) && !c->quiet)
		diag_tell(&c->diag, DIAG_QUIET, "%s holds an overview only, as %s is larger than %s: drop that file on it for the rest\n"
						"hint: --html-limit puts more into the page",
			c->out_path, path, page_size_text(text, limit));
	return status;
}

int
run_view(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	uint64_t limit = PAGE_LIMIT;
	struct serve_options serving = { 0 };
	const struct cli_option own[] = {
		{ 0, "html-limit", "SIZE", "put files up to SIZE into the page (default: 64M)", CLI_SIZE, &limit },
		{ 0, "port", "N", "without -o, serve at this port (default: a free one)", CLI_NUMBER, &serving.port, UINT16_MAX, 1 },
		{ 0, "no-browser", NULL, "without -o, open no browser", CLI_FLAG, &serving.no_browser },
	};
	int last = conv_next(c, UTOOL_OPTIONS(own), argc, argv);
	if (!utool_ready(t, last, argc, argv, 1))
		return t->status;
	if (!c->out_path)
		return serve_file(t, argv[optind], &serving);
	if (!utool_load(t, &t->in[0], argv[optind]))
		return t->status;
	return write_page(t, argv[optind], limit);
}
