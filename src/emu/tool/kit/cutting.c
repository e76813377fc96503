/* SPDX-License-Identifier: MIT */
#include "kit/cutting.h"

enum {
	FROM = 256,
	TO,
	ROWS,
	TYPES,
	KEEP_TIME,
};

static const struct cli_option options[] = {
	{ FROM, "from", "TIME", "from there on: 1.5s, a clock, 25%, end-2s" },
	{ TO, "to", "TIME", "up to there; nothing behind it is read" },
	{ KEEP_TIME, "keep-time", NULL, "count times from the first event all the same" },
	{ ROWS, "rows", "LIST", "these rows: thread:1-8,cpu:*node1*,loom:2,pid:47" },
	{ TYPES, "types", "LIST", "these PRV types, channels or models: 4,nosv" },
};

static int
take(void *self, int id, const char *arg, char *why)
{
	struct emu_options *o = self;
	const char *reason;
	switch (id) {
	case FROM:
	case TO:
		if (!cut_parse(arg, id == FROM ? &o->cut.from : &o->cut.to, &reason))
			return option_refuse(why, "--%s=%s: %s", options[id - FROM].name, arg, reason);
		return 0;
	case ROWS: o->rows = arg; return 0;
	case TYPES: o->types = arg; return 0;
	case KEEP_TIME: o->cut.keep_time = true; return 0;
	default: return 0; /* OPTION_LENIENT */
	}
}

struct cli_group
cutting_options(struct emu_options *o)
{
	return (struct cli_group){
		.name = "part",
		.about = "a part of the trace: time, rows, types",
		.options = options,
		.noptions = sizeof(options) / sizeof(options[0]),
		.take = take,
		.self = o,
	};
}
