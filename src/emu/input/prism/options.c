/* SPDX-License-Identifier: MIT */
/* options: the options of ovniemu for Prism event streams. */
#include "arguments.h"
#include "stream.h"
#include "trace.h"
#include "when.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	STREAM = 256,
	SET,
	EVENTS,
	INTERVAL,
	INSN,
	HOOKS,
	NEEDS,
	ROWS,
	DEPTH,
	MIN_TIME,
	ONLY,
	EXCEPT,
	KEYS, /* and up: keys of the description that are options too */
};

static const struct cli_option options[] = {
	{ STREAM, "prism", "FILE", "stream, FIFO, ipc:DIR, - or .json in place of TRACEDIR" },
	{ EVENTS, "prism-events", "WHICH", "timelines of single events: all, sync or none" },
	{ INTERVAL, "prism-interval", "KIND", "totals: time:NS (default), events:N, sync or func" },
	{ INSN, "prism-insn", NULL, "also the timeline of instructions" },
	{ DEPTH, "prism-depth", "N", "no functions nested deeper than N (the first is 1)" },
	{ MIN_TIME, "prism-min-time", "TIME", "no calls that take less, such as 10us" },
	{ ONLY, "prism-only", "LIST", "functions of these names only: patterns with commas" },
	{ EXCEPT, "prism-except", "LIST", "no functions of these names; what they call stays" },
	{ HOOKS, "prism-hooks", "FILE", "an analysis of yours (repeatable): \"FILE KEY=VALUE\"" },
	{ NEEDS, "prism-needs", "WHAT", "stop (default) or skip what shows less than it needs" },
	{ ROWS, "prism-threads", "N", "rows for threads of live input (default: 256)" },
	{ SET, "prism-set", "KEY=VALUE", "a key of all descriptions; some are options too:" },
	{ KEYS, "prism-initial-config", "LIST", "such as mem=f0,comp=f8,sync=c0,cxt=c0" },
	{ KEYS + 1, "prism-compute-layout", "WHICH", "wide (default) or packed" },
	{ KEYS + 2, "prism-word-size", "N", "bytes of a word of sync events: 8 (default) or 4" },
	{ KEYS + 3, "prism-buffer-size", "N", "bytes of a buffer; 0 (default): there is one" },
	{ KEYS + 4, "prism-control-flow", "BOOL", "true: these events have one byte (default: false)" },
	{ KEYS + 5, "prism-half-sizes", "BOOL", "true: half the bytes as size (default: false)" },
	{ KEYS + 6, "prism-process", "N", "of the threads (default: 1)" },
	{ KEYS + 7, "prism-first-thread", "N", "it runs from the start; 0 (default): none" },
	{ KEYS + 8, "prism-clock", "LIST", "such as instr, or mode=event,start=0,tick_ns=1" },
	{ KEYS + 9, "prism-timestamps", "FILE", "times of the events, for clock mode=timestamps" },
	{ KEYS + 10, "prism-names", "FILE", "table of names; events have numbers of them" },
	{ KEYS + 11, "prism-name-size", "N", "bytes of such a number: 8 (default) or 4" },
};

/* A number above 0. */
static bool
parse_number(const char *text, uint64_t max, uint64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *out > 0 && *out <= max;
}

static int
find_word(const char *text, const char *const *words, int n)
{
	for (int i = 0; i < n; i++)
		if (words[i] && strcmp(text, words[i]) == 0)
			return i;
	return -1;
}

static int
parse_interval(struct prism_options *o, const char *arg, char *why)
{
	static const char *const words[] = { [PRISM_INTERVAL_SYNC] = "sync", [PRISM_INTERVAL_FUNC] = "func" };
	int i = find_word(arg, words, PRISM_INTERVAL_FUNC + 1);
	bool good = i >= 0;
	o->length = 0;
	if (strncmp(arg, "time:", 5) == 0) {
		i = PRISM_INTERVAL_TIME;
		good = parse_number(arg + 5, INT64_MAX, &o->length);
	} else if (strncmp(arg, "events:", 7) == 0) {
		i = PRISM_INTERVAL_EVENTS;
		good = parse_number(arg + 7, INT64_MAX, &o->length);
	}
	if (!good)
		return option_refuse(why, "--prism-interval needs time:NS, events:N, sync or func, not '%s'", arg);
	o->interval = (enum prism_interval)i;
	return 0;
}

static int
add_setting(struct prism_options *o, const char *key, const char *value, char *why)
{
	if (o->keys.nset == PRISM_SETTINGS)
		return option_refuse(why, "at most %d keys of descriptions can be set", PRISM_SETTINGS);
	o->keys.set[o->keys.nset++] = (struct prism_setting){ key, value };
	return 0;
}

static int
add_text(const char *option, const char *what, const char *arg, char *why, const char **texts, size_t *n, size_t max)
{
	if (*n == max)
		return option_refuse(why, "%s can be given %zu times at most", option, max);
	if (!*arg)
		return option_refuse(why, "%s needs %s", option, what);
	texts[(*n)++] = arg;
	return 0;
}

/* A shared object and its arguments, which are read again when it is loaded. */
static int
add_hooks(struct prism_options *o, const char *arg, char *why)
{
	char text[ARGUMENTS_WHY];
	struct arguments a = { 0 };
	int rc = add_text("--prism-hooks", "the name of a file", arg, why, o->hooks, &o->nhooks, PRISM_TOOLS);
	if (rc == 0 && arguments_read(&a, arg, text) < 0)
		rc = option_refuse(why, "--prism-hooks '%s': %s", arg, text);
	arguments_finish(&a);
	return rc;
}

static int
take(void *self, int id, const char *arg, char *why)
{
	struct prism_options *o = self;
	static const char *const events[] = { [PRISM_EVENTS_ALL] = "all", [PRISM_EVENTS_SYNC] = "sync", [PRISM_EVENTS_NONE] = "none" };
	static const char *const needs[] = { "stop", "skip" };
	static const char names[] = "names of functions";
	const char *wrong;
	struct when time;
	uint64_t n;
	int i;
	switch (id) {
	case OPTION_LENIENT: o->lenient = true; return 0;
	case STREAM: return add_text("--prism", "the name of a file", arg, why, o->file, &o->nfiles, PRISM_FILES);
	case HOOKS: return add_hooks(o, arg, why);
	case EVENTS:
		if ((i = find_word(arg, events, PRISM_EVENTS_NONE + 1)) < 0)
			return option_refuse(why, "--prism-events needs all, sync or none, not '%s'", arg);
		o->events = (enum prism_events)i;
		return 0;
	case INTERVAL: return parse_interval(o, arg, why);
	case NEEDS:
		if ((i = find_word(arg, needs, 2)) < 0)
			return option_refuse(why, "--prism-needs needs stop or skip, not '%s'", arg);
		o->needs_skip = i == 1;
		return 0;
	case INSN: o->insn = true; return 0;
	case ROWS:
		if (!parse_number(arg, PRISM_ROWS_MAX, &n))
			return option_refuse(why, "--prism-threads needs a number from 1 to %d, not '%s'", PRISM_ROWS_MAX, arg);
		o->threads = (uint32_t)n;
		return 0;
	case DEPTH:
		if (!parse_number(arg, PRISM_DEPTH_MAX, &n))
			return option_refuse(why, "--prism-depth needs a number from 1 to %d, not '%s'", PRISM_DEPTH_MAX, arg);
		o->depth = (uint32_t)n;
		return 0;
	case MIN_TIME:
		if (!when_parse(arg, &time, &wrong) || time.ns <= 0)
			return option_refuse(why, "--prism-min-time needs a time above 0, such as 10us, not '%s'", arg);
		o->min_ns = (uint64_t)time.ns;
		return 0;
	case ONLY: return add_text("--prism-only", names, arg, why, o->only, &o->nonly, PRISM_LISTS);
	case EXCEPT: return add_text("--prism-except", names, arg, why, o->except, &o->nexcept, PRISM_LISTS);
	case SET:
		if (!strchr(arg, '='))
			return option_refuse(why, "--prism-set needs KEY=VALUE, not '%s'", arg);
		return add_setting(o, arg, strchr(arg, '=') + 1, why);
	default: break;
	}
	const struct cli_option *key = options;
	while (key->id != id)
		key++;
	return add_setting(o, key->name + strlen("prism-"), arg, why);
}

static const char *
names_trace(const void *self)
{
	const struct prism_options *o = self;
	return o->nfiles ? "prism" : NULL;
}

static const char *
takes(const char *name)
{
	return prismfiles_is_events(name) ? "prism" : NULL;
}

static int
foreign(const void *self, struct diag *d)
{
	const struct prism_options *o = self;
	if (!o->nhooks)
		return 0;
	return diag_error(d, ERR_HOOKS, NULL, "the trace is none of Prism: there are no events for the tools of --prism-hooks");
}

static const struct prism_options defaults = { .keys = { .prefix = "--prism-", .help = "--help-prism" } };

const struct format_options prismopts = {
	.group = {
		.name = "prism",
		.about = "Prism event streams",
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
