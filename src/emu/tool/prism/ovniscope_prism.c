/* SPDX-License-Identifier: MIT */
/* ovniscope-prism: prints, writes, counts, recodes and imports Prism event streams. */
#include "import/import.h"
#include "input.h"

#include <getopt.h>
#include <stdlib.h>

static const struct conv_command *const commands[] = {
	&pcommand_dump,
	&pcommand_encode,
	&pcommand_stat,
	&pcommand_recode,
	&pcommand_uscope,
	&pcommand_import,
};

static struct ptool tool = {
	.to_layout = -1,
	.to_word_size = -1,
	.to_name_size = -1,
	.to_buffer_size = UINT64_MAX,
	.mask = { 0xff, 0xff, 0xff, 0xff, 0xff },
	.name = "prism",
	.from = -1,
	.window = 1000000,
	.keys = { .prefix = "--", .help = "--help" },
};

/* Options that are taken below: keys of a description, and levels of detail. */
enum {
	OPT_LAYOUT = CONV_OPT_OWN,
	OPT_WORD_SIZE,
	OPT_BUFFER_SIZE,
	OPT_INITIAL_CONFIG,
	OPT_CONTROL_FLOW,
	OPT_NAMES,
	OPT_NAME_SIZE,
	OPT_SET,
	OPT_CLOCK,
	OPT_TICK_NS,
	OPT_DETAIL,
};

/* Of words, and of numbers of names. */
static const char *const word_sizes[] = { "4", "8" };
static const char *const accesses[] = { "all", "none" };

static const struct conv_option options[] = {
	{ PTOOL_WITH_JSON, { 0, "format", "text|json", "how to print; JSON: an object a line", CLI_WORD, &tool.json, CLI_WORDS(cli_text_or_json) } },
	{ PTOOL_WITH_JSON, { 0, "json", NULL, "the same as --format=json", CLI_SET, &tool.json, 1 } },
	{ PTOOL_WITH_BYTES, { 0, "bytes", NULL, "also where, when, and the bytes", CLI_FLAG, &tool.bytes } },
	{ PTOOL_WITH_INPUT, { OPT_LAYOUT, "compute-layout", "wide|packed", "of compute events; default wide" } },
	{ PTOOL_WITH_INPUT, { OPT_WORD_SIZE, "word-size", "4|8", "bytes of a word of a sync event" } },
	{ PTOOL_WITH_INPUT, { OPT_BUFFER_SIZE, "buffer-size", "BYTES", "a row of buffers; default 0: one run" } },
	{ PTOOL_WITH_INPUT, { OPT_INITIAL_CONFIG, "initial-config", "LIST", "before any config, as mem=f0,comp=f8" } },
	{ PTOOL_WITH_INPUT, { OPT_CONTROL_FLOW, "control-flow", NULL, "such events have one byte" } },
	{ PTOOL_WITH_INPUT, { OPT_NAMES, "names", "PATH", "table of names; events have numbers" } },
	{ PTOOL_WITH_INPUT, { OPT_NAME_SIZE, "name-size", "4|8", "bytes of such a number; default 8" } },
	{ PTOOL_WITH_INPUT, { OPT_SET, "set", "KEY=VALUE", "any key of a description" } },
	{ PTOOL_WITH_CLOCK, { OPT_CLOCK, "clock", "LIST", "times, as instr or mode=event,start=5" } },
	{ PTOOL_WITH_CLOCK, { OPT_TICK_NS, "tick-ns", "NS", "length of a tick; default 1" } },
	{ PTOOL_WITH_RECODE, { 0, "to-compute-layout", "wide|packed", "of the output", CLI_WORD, &tool.to_layout, CLI_WORDS(prism_layout_words) } },
	{ PTOOL_WITH_RECODE, { 0, "to-word-size", "4|8", "of the output", CLI_WORD, &tool.to_word_size, CLI_WORDS(word_sizes) } },
	{ PTOOL_WITH_RECODE, { 0, "to-buffer-size", "BYTES", "of the output", CLI_NUMBER, &tool.to_buffer_size, PTOOL_BUFFER_MAX } },
	{ PTOOL_WITH_RECODE, { 0, "to-timestamps", "PATH", "write those of the output there", CLI_TEXT, &tool.to_timestamps } },
	{ PTOOL_WITH_RECODE, { OPT_DETAIL, "detail", "LIST", "at most this, as mem=c0,comp=00" } },
	{ PTOOL_WITH_DESCRIBE, { 0, "to-names", "PATH|none", "write each name once, there; or in the events", CLI_TEXT, &tool.to_names } },
	{ PTOOL_WITH_DESCRIBE, { 0, "to-name-size", "4|8", "bytes of a number of that table", CLI_WORD, &tool.to_name_size, CLI_WORDS(word_sizes) } },
	{ PTOOL_WITH_DESCRIBE, { 0, "describe", "PATH", "write the description there", CLI_TEXT, &tool.describe } },
	{ PTOOL_WITH_USCOPE, { 0, "name", "NAME", "of what is traced; default prism", CLI_TEXT, &tool.name } },
	{ PTOOL_WITH_USCOPE, { 0, "accesses", "all|none", "events for mem and comp; default all", CLI_WORD, &tool.no_accesses, CLI_WORDS(accesses) } },
	{ PTOOL_WITH_IMPORT, { 0, "from", "FORMAT", "lackey, drmemtrace, champsim, perf, uftrace[-chrome]", CLI_WORD, &tool.from, CLI_WORDS(import_words) } },
	{ PTOOL_WITH_USCOPE, { 0, "window", "NS", "of totals without accesses; 1000000", CLI_NUMBER, &tool.window, INT64_MAX, 1 } },
};

/* A list of levels of detail. */
static bool
check_detail(struct conv *c, const char *option, const char *text, uint8_t detail[PRISM_KINDS])
{
	const char *problem = ptool_parse_detail(text, detail);
	if (problem)
		(void)conv_usage(c, "%s '%s': %s", option, text, problem);
	return !problem;
}

/* A choice of words that is a key of a description. */
static bool
set_word(struct ptool *t, const char *option, const char *const *words, const char *key)
{
	return cli_choose(&t->conv.cli, option, words, 2, optarg) >= 0 && ptool_set(t, key, optarg);
}

static bool
set_number(struct ptool *t, const char *option, uint64_t min, uint64_t max, const char *key)
{
	uint64_t v;
	return cli_number(&t->conv.cli, option, min, max, optarg, &v) && ptool_set(t, key, optarg);
}

static bool
set_tick(struct ptool *t)
{
	const char *value = arena_printf(&t->arena, "tick_ns=%s", optarg);
	if (!value)
		(void)conv_no_memory(&t->conv);
	return value && ptool_set(t, "clock", value);
}

static bool
take_option(struct conv *c, int opt)
{
	struct ptool *t = ptool_of(c);
	uint8_t detail[PRISM_KINDS];
	uint64_t v;
	const char *eq;
	switch (opt) {
	case OPT_LAYOUT: return set_word(t, "--compute-layout", prism_layout_words, "compute_layout");
	case OPT_WORD_SIZE: return set_word(t, "--word-size", word_sizes, "word_size");
	case OPT_BUFFER_SIZE: return set_number(t, "--buffer-size", 0, PTOOL_BUFFER_MAX, "buffer_size");
	case OPT_INITIAL_CONFIG: return check_detail(c, "--initial-config", optarg, detail) && ptool_set(t, "initial_config", optarg);
	case OPT_CONTROL_FLOW: return ptool_set(t, "control_flow", "true");
	case OPT_NAMES: return ptool_set(t, "names", optarg);
	case OPT_NAME_SIZE: return set_word(t, "--name-size", word_sizes, "name_size");
	case OPT_CLOCK: return ptool_set(t, "clock", optarg);
	case OPT_TICK_NS: return cli_number(&c->cli, "--tick-ns", 1, INT64_MAX, optarg, &v) && set_tick(t);
	case OPT_SET:
		eq = strchr(optarg, '=');
		if (!eq || eq == optarg)
			return conv_usage(c, "--set '%s': KEY=VALUE is expected", optarg), false;
		return ptool_set(t, optarg, eq + 1);
	default: return check_detail(c, "--detail", optarg, t->mask);
	}
}

static void
so_far(const struct conv *c, uint64_t *bytes, uint64_t *events)
{
	const struct ptool *t = (const struct ptool *)c;
	*bytes = t->read;
	*events = t->made;
	for (size_t i = 0; i < t->ninputs; i++) {
		*bytes += ptinput_read(&t->inputs[i]);
		*events += t->inputs[i].file.in.seq;
	}
}

static void
finish(struct conv *c, bool good)
{
	struct ptool *t = ptool_of(c);
	for (size_t i = 0; i < t->ninputs; i++)
		ptinput_close(&t->inputs[i]);
	free(t->inputs);
	prismfiles_finish(&t->sources);
	arena_finish(&t->arena);
	for (int code = 1; good && code < PRISM_CODES; code++)
		if (!c->quiet || !prism_code_warns(code))
			conv_count(c, prism_code_name(code), t->counts[code], prism_code_text(code), prism_code_lenient(code));
}

static const struct conv_family family = {
	.program = "ovniscope-prism",
	.about = "Print, write, count, recode and import Prism event streams.",
	.with = CONV_WITH_LENIENT | CONV_WITH_PROGRESS,
	.commands = commands,
	.ncommands = sizeof(commands) / sizeof(commands[0]),
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.take = take_option,
	.so_far = so_far,
	.records = "events",
	.finish = finish,
};

int
main(int argc, char **argv)
{
	return conv_main(&family, &tool.conv, argc, argv);
}
