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
	WINDOW = 1000000,
	FREQ = 1000000000,
	FREQ_MIN = 233, /* the period is in picoseconds, in 32 bits */
};

#define FREQ_MAX UINT64_C(1000000000000)
#define WINDOW_MAX UINT64_C(999999999999999999)

enum {
	OPT_ENDIAN = CONV_OPT_OWN,
	OPT_DIALECT,
	OPT_FORMAT,
	OPT_KERNEL_BASE,
	OPT_OFFSET_UNIT,
	OPT_WINDOW,
	OPT_FREQ,
	OPT_NAME,
	OPT_REFS,
	OPT_CPUS,
	OPT_JSON,
};

static const struct conv_option options[] = {
	{ 0, { OPT_ENDIAN, "endian", "little|big", "byte order; default little" } },
	{ LTOOL_WITH_KERNEL, { OPT_DIALECT, "dialect", "DIALECT", "of kernel events; default laplace" } },
	{ LTOOL_WITH_JSON, { OPT_JSON, "json", NULL, "print an object of JSON" } },
	{ LTOOL_WITH_FORMAT, { OPT_FORMAT, "format", "FORMAT", "what all inputs are; default: found out" } },
	{ LTOOL_WITH_MACHINE, { OPT_KERNEL_BASE, "kernel-base", "HEX", "first address of the kernel; c0000000" } },
	{ LTOOL_WITH_MACHINE, { OPT_CPUS, "cpus", "LIST", "the CPU of each input, as in 0,0,1,1; default 0" } },
	{ LTOOL_WITH_MACHINE, { OPT_OFFSET_UNIT, "offset-unit", "byte|page", "of file mappings; default byte" } },
	{ LTOOL_WITH_WINDOW, { OPT_WINDOW, "window", "CYCLES", "length of a window; default 1000000" } },
	{ LTOOL_WITH_USCOPE, { OPT_FREQ, "freq", "HZ", "cycles in a second; default 1000000000" } },
	{ LTOOL_WITH_USCOPE, { OPT_NAME, "name", "NAME", "of the machine; default node0" } },
	{ LTOOL_WITH_USCOPE, { OPT_REFS, "refs", "all|none", "an event for each reference; default all" } },
};

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
static const char *const refs_names[] = { "all", "none" };

static bool
set_kernel_base(struct ltool *t, const char *text)
{
	uint64_t v;
	if (lapref_number(text, strlen(text), 8, &v) != 0) {
		(void)conv_usage(&t->conv, "--kernel-base '%s': up to 8 hexadecimal digits are expected, without 0x", text);
		return false;
	}
	t->kernel_base = (uint32_t)v;
	return true;
}

static bool
choose(struct ltool *t, const char *option, const char *const *names, size_t n, uint8_t *to)
{
	int i = cli_choose(t->conv.cli, option, names, n, optarg);
	*to = (uint8_t)i;
	return i >= 0;
}

static bool
take_option(struct conv *c, int opt)
{
	struct ltool *t = ltool_of(c);
	switch (opt) {
	case OPT_ENDIAN: return choose(t, "--endian", endian_names, 2, &t->endian);
	case OPT_DIALECT: return choose(t, "--dialect", lap_dialect_names, LAP_DIALECTS, &t->dialect);
	case OPT_FORMAT: return choose(t, "--format", format_names, LAP_FORMATS, &t->format);
	case OPT_OFFSET_UNIT: return choose(t, "--offset-unit", unit_names, 2, &t->offset_in_pages);
	case OPT_REFS: return choose(t, "--refs", refs_names, 2, &t->no_refs);
	case OPT_KERNEL_BASE: return set_kernel_base(t, optarg);
	case OPT_FREQ: return cli_number(c->cli, "--freq", FREQ_MIN, FREQ_MAX, optarg, &t->freq);
	case OPT_WINDOW: return cli_number(c->cli, "--window", 1, WINDOW_MAX, optarg, &t->window);
	case OPT_JSON: t->json = true; return true;
	case OPT_CPUS: t->cpus = optarg; return true;
	default: t->name = optarg; return true;
	}
}

static const struct conv_family family = {
	.program = "ovniscope-laplace",
	.about = "Convert, merge and count traces of the Laplace simulator.",
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
	struct ltool t = { .kernel_base = 0xc0000000, .window = WINDOW, .freq = FREQ, .name = "node0", .ncpus = 1 };
	t.log.tell = ltool_tell;
	t.log.self = &t;
	return conv_main(&family, &t.conv, argc, argv);
}
