/* SPDX-License-Identifier: MIT */
#include "laplace.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum {
	REFERENCES = LAPOPTS,
	KERNEL,
	REFS,
	WINDOW,
	SET,
};

static const struct cli_option options[] = {
	{ REFERENCES, "laplace", "FILE", "references, in place of TRACEDIR" },
	{ KERNEL, "laplace-kernel", "FILE", "events of the kernel, with them or alone" },
	{ SET, "laplace-set", "KEY=VALUE", "a key of the manifest, such as endian=big" },
	{ REFS, "laplace-refs", "WHICH", "timelines of references: all, pages or none" },
	{ WINDOW, "laplace-window", "NS", "length of the windows that are counted in" },
};

const struct cli_group lapopts = {
	.name = "laplace",
	.about = "traces of the Laplace simulator",
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
};

static int
parse_window(const struct cli *cli, struct laplace_options *o)
{
	char *end;
	errno = 0;
	o->window = strtoll(optarg, &end, 10);
	if (end != optarg && !*end && !errno && o->window > 0)
		return 0;
	return cli_group_usage(cli, &lapopts, "--laplace-window needs a number of nanoseconds, not '%s'", optarg);
}

static int
parse_refs(const struct cli *cli, struct laplace_options *o)
{
	static const char *const refs[] = { [LAPLACE_REFS_ALL] = "all", [LAPLACE_REFS_PAGES] = "pages", [LAPLACE_REFS_NONE] = "none" };
	for (int i = LAPLACE_REFS_ALL; i <= LAPLACE_REFS_NONE; i++)
		if (strcmp(optarg, refs[i]) == 0) {
			o->refs = (enum laplace_refs)i;
			return 0;
		}
	return cli_group_usage(cli, &lapopts, "--laplace-refs needs all, pages or none, not '%s'", optarg);
}

int
lapopts_take(const struct cli *cli, int id, struct laplace_options *o)
{
	switch (id) {
	case REFERENCES: o->references = optarg; return 0;
	case KERNEL: o->kernel = optarg; return 0;
	case WINDOW: return parse_window(cli, o);
	case REFS: return parse_refs(cli, o);
	default:
		if (o->nset == LAPLACE_SETTINGS || !strchr(optarg, '='))
			return cli_group_usage(cli, &lapopts, "--laplace-set needs KEY=VALUE, at most %d times, not '%s'", LAPLACE_SETTINGS, optarg);
		o->set[o->nset++] = optarg;
		return 0;
	}
}
