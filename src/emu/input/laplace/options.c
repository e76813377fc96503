/* SPDX-License-Identifier: MIT */
/* options: the options of ovniemu for traces of Laplace. */
#include "codec.h"
#include "source/laplace/hooks.h"
#include "stream.h"
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	REFERENCES = 256,
	KERNEL,
	REFS,
	WINDOW,
	SET,
	HOOKS,
};

static const struct cli_option options[] = {
	{ REFERENCES, "laplace", "FILE", "references, in place of TRACEDIR" },
	{ KERNEL, "laplace-kernel", "FILE", "events of the kernel, with them or alone" },
	{ SET, "laplace-set", "KEY=VALUE", "a key of the manifest, such as endian=big" },
	{ HOOKS, "laplace-hooks", "FILE", "a tool of yours (repeatable): \"FILE KEY=VALUE\"" },
	{ REFS, "laplace-refs", "WHICH", "timelines of references: all, pages or none" },
	{ WINDOW, "laplace-window", "NS", "length of the windows that are counted in" },
};

static int
parse_window(struct laplace_options *o, const char *arg, char *why)
{
	char *end;
	errno = 0;
	o->window = strtoll(arg, &end, 10);
	if (end != arg && !*end && !errno && o->window > 0)
		return 0;
	return option_refuse(why, "--laplace-window needs a number of nanoseconds, not '%s'", arg);
}

static int
parse_refs(struct laplace_options *o, const char *arg, char *why)
{
	static const char *const refs[] = { [LAPLACE_REFS_ALL] = "all", [LAPLACE_REFS_PAGES] = "pages", [LAPLACE_REFS_NONE] = "none" };
	for (int i = LAPLACE_REFS_ALL; i <= LAPLACE_REFS_NONE; i++)
		if (strcmp(arg, refs[i]) == 0) {
			o->refs = (enum laplace_refs)i;
			return 0;
		}
	return option_refuse(why, "--laplace-refs needs all, pages or none, not '%s'", arg);
}

/* A shared object and its arguments, which are read again when it is loaded. */
static int
add_hooks(struct laplace_options *o, const char *arg, char *why)
{
	char text[ARGUMENTS_WHY];
	if (o->nhooks == LAPLACE_TOOLS)
		return option_refuse(why, "--laplace-hooks can be given %d times at most", LAPLACE_TOOLS);
	o->hooks[o->nhooks++] = arg;
	return laphooks_check(arg, text) < 0 ? option_refuse(why, "--laplace-hooks '%s': %s", arg, text) : 0;
}

static int
take(void *self, int id, const char *arg, char *why)
{
	struct laplace_options *o = self;
	switch (id) {
	case OPTION_LENIENT: o->lenient = true; return 0;
	case REFERENCES: o->references = arg; return 0;
	case KERNEL: o->kernel = arg; return 0;
	case WINDOW: return parse_window(o, arg, why);
	case REFS: return parse_refs(o, arg, why);
	case HOOKS: return add_hooks(o, arg, why);
	default:
		if (o->nset == LAPLACE_SETTINGS || !strchr(arg, '='))
			return option_refuse(why, "--laplace-set needs KEY=VALUE, at most %d times, not '%s'", LAPLACE_SETTINGS, arg);
		o->set[o->nset++] = arg;
		return 0;
	}
}

static const char *
names_trace(const void *self)
{
	const struct laplace_options *o = self;
	return o->references || o->kernel ? "laplace" : NULL;
}

/* .lrt, .lrb: references; .lkt, .lkb: events of the kernel; compressed or not. */
static const char *
takes(const char *name)
{
	size_t n = codec_stem(name);
	const char *dot = n >= 4 ? name + n - 4 : "";
	if (dot[0] != '.' || dot[1] != 'l' || !strchr("rk", dot[2]) || !strchr("tb", dot[3]))
		return NULL;
	return dot[2] == 'r' ? "laplace" : "laplace-kernel";
}

static int
foreign(const void *self, struct diag *d)
{
	const struct laplace_options *o = self;
	return !o->nhooks ? 0 : diag_error(d, ERR_HOOKS, NULL, "the trace is none of Laplace: there are no records for the tools of --laplace-hooks");
}

static const struct laplace_options defaults;

const struct format_options lapopts = {
	.group = {
		.name = "laplace",
		.about = "traces of the Laplace simulator",
		.options = options,
		.noptions = sizeof(options) / sizeof(options[0]),
		.take = take,
	},
	.defaults = &defaults,
	.size = sizeof(defaults),
	.names_trace = names_trace,
	.foreign = foreign,
	.takes = takes,
};
