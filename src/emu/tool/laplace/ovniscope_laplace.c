/* SPDX-License-Identifier: MIT */
/* ovniscope-laplace: converts, merges and counts traces of the Laplace simulator. */
#include "tool.h"

#include "laplace/kernel.h"
#include "laplace/ref.h"

#include <getopt.h>

static const struct conv_command *const commands[] = {
	&lcommand_text,
	&lcommand_binary,
	&lcommand_merge,
	&lcommand_split,
	&lcommand_basic,
	&lcommand_stat,
	&lcommand_uscope,
};

enum {
	KERNEL_BASE = CONV_OPT_OWN, /* its option */
	WINDOW = 1000000,
	FREQ = 1000000000,
	FREQ_MIN = 233, /* the period is in picoseconds, in 32 bits */
};

#define FREQ_MAX UINT64_C(1000000000000)
#define WINDOW_MAX UINT64_C(999999999999999999)

static const char *const format_names[LAP_FORMATS] = {
	[LAP_AUTO] = "auto",
	[LAP_BINARY] = "binary",
	[LAP_TEXT] = "text",
	[LAP_KERNEL] = "kernel",
	[LAP_MIXED] = "interleave",
	[LAP_BASIC] = "basic",
	[LAP_PROCESS] = "process",
};

static const char *const endian_names[] = { [LAP_LITTLE] = "little", [LAP_BIG] = "big" };
static const char *const unit_names[] = { "byte", "page" };
static const char *const unknown_names[] = { "pass", "refuse" };
static const char *const refs_names[] = { "all", "none" };

static struct ltool tool = {
	.kernel_base = 0xc0000000,
	.window = WINDOW,
	.freq = FREQ,
	.name = "node0",
	.ncpus = 1,
	.log = { .tell = ltool_tell, .self = &tool },
};

static const struct conv_option options[] = {
	{ 0, { 0, "endian", "little|big", "byte order; default little", CLI_WORD, &tool.endian, CLI_WORDS(endian_names) } },
	{ 0, { 0, "laplace-hooks", "FILE", "a tool of yours (repeatable): \"FILE KEY=VALUE\"", CLI_LIST, &tool.hook_list } },
	{ LTOOL_WITH_KERNEL, { 0, "dialect", "DIALECT", "of kernel events; default laplace", CLI_WORD, &tool.dialect, LAP_DIALECTS, 0, lap_dialect_names } },
	{ LTOOL_WITH_KERNEL, { 0, "unknown-tags", "pass|refuse", "events with tags not known; default pass", CLI_WORD, &tool.refuse_unknown, CLI_WORDS(unknown_names) } },
	{ LTOOL_WITH_JSON, { 0, "csv", NULL, "print a line of CSV for each window", CLI_FLAG, &tool.csv } },
	{ LTOOL_WITH_JSON, { 0, "json", NULL, "print an object of JSON", CLI_FLAG, &tool.json } },
	{ LTOOL_WITH_FORMAT, { 0, "format", "FORMAT", "what all inputs are; default: found out", CLI_WORD, &tool.format, CLI_WORDS(format_names) } },
	{ LTOOL_WITH_MACHINE, { KERNEL_BASE, "kernel-base", "HEX", "first address of the kernel; c0000000" } },
	{ LTOOL_WITH_MACHINE, { 0, "cpus", "LIST", "the CPU of each input, as in 0,0,1,1; default 0", CLI_TEXT, &tool.cpus } },
	{ LTOOL_WITH_MACHINE, { 0, "offset-unit", "byte|page", "of file mappings; default byte", CLI_WORD, &tool.offset_in_pages, CLI_WORDS(unit_names) } },
	{ LTOOL_WITH_WINDOW, { 0, "window", "CYCLES", "length of a window; default 1000000", CLI_NUMBER, &tool.window, WINDOW_MAX, 1 } },
	{ LTOOL_WITH_USCOPE, { 0, "freq", "HZ", "cycles in a second; default 1000000000", CLI_NUMBER, &tool.freq, FREQ_MAX, FREQ_MIN } },
	{ LTOOL_WITH_USCOPE, { 0, "name", "NAME", "of the machine; default node0", CLI_TEXT, &tool.name } },
	{ LTOOL_WITH_USCOPE, { 0, "refs", "all|none", "an event for each reference; default all", CLI_WORD, &tool.no_refs, CLI_WORDS(refs_names) } },
};

/* Takes --kernel-base. */
static bool
take_option(struct conv *c, int opt)
{
	uint64_t v;
	(void)opt;
	if (lapref_number(optarg, strlen(optarg), 8, &v) != 0) {
		(void)conv_usage(c, "--kernel-base '%s': up to 8 hexadecimal digits are expected, without 0x", optarg);
		return false;
	}
	tool.kernel_base = (uint32_t)v;
	return true;
}

static const struct conv_family family = {
	.program = "ovniscope-laplace",
	.about = "Convert, merge and count traces of the Laplace simulator.",
	.with = CONV_WITH_LENIENT | CONV_WITH_PROGRESS,
	.commands = commands,
	.ncommands = sizeof(commands) / sizeof(commands[0]),
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.take = take_option,
	.so_far = ltool_so_far,
	.records = "records",
	.finish = ltool_finish,
};

int
main(int argc, char **argv)
{
	return conv_main(&family, &tool.conv, argc, argv);
}
