/* SPDX-License-Identifier: MIT */
/* uscope: looks into µScope files, checks, repairs and converts them. */
#include "tool.h"

#include <getopt.h>

/* In the order of the help. */
static const struct conv_command commands[] = {
	{ "info", "[options] FILE", "what a file is and what it can hold",
		"Print what a trace is: format, size, times, schema.",
		WITH_JSON | WITH_MODE | WITH_OUTPUT, CONV_TAKES_LINE, run_info },
	{ "check", "[options] FILE", "whether a file keeps all rules of the format",
		"Decode all of a trace and print what is wrong with it. Status 1: something is.",
		WITH_JSON | WITH_MODE | WITH_OUTPUT | WITH_PROGRESS, CONV_TAKES_LINE, run_check },
	{ "dump", "[options] FILE", "all operations and events, as JSON lines",
		"Print all that is recorded, as lines of JSON in the order of the file.",
		WITH_JSON | WITH_MODE | WITH_RANGE | WITH_PICK | WITH_VALUES | WITH_OUTPUT | WITH_PROGRESS, CONV_TAKES_LINE, run_dump },
	{ "state", "[options] [-t TIME] FILE", "the state of the storages at a time",
		"Print the slots and properties of all storages at a time.",
		WITH_JSON | WITH_MODE | WITH_SCOPE | WITH_STORAGE | WITH_VALUES | WITH_OUTPUT, CONV_TAKES_LINE, run_state },
	{ "events", "[options] FILE", "events between two times",
		"Print the events of a trace, a line each.",
		WITH_JSON | WITH_MODE | WITH_RANGE | WITH_SCOPE | WITH_EVENT | WITH_VALUES | WITH_OUTPUT | WITH_PROGRESS, CONV_TAKES_LINE, run_events },
	{ "summary", "[options] FILE", "overview: density and counters",
		"Print the summary of a trace: density and counters over time.",
		WITH_JSON | WITH_MODE | WITH_OUTPUT, CONV_TAKES_LINE, run_summary },
	{ "strings", "[options] FILE", "the texts that values refer to",
		"Print the strings of a trace with their indices.",
		WITH_JSON | WITH_MODE | WITH_OUTPUT, CONV_TAKES_LINE, run_strings },
	{ "history", "[options] PLACE FILE", "all values of a field over time, or when it gets one",
		"Print the values of one place over time, such as /soc/core0/rob[3].done or\nrob.head.",
		WITH_CSV | WITH_MODE | WITH_RANGE | WITH_VALUES | WITH_OUTPUT | WITH_PROGRESS, CONV_TAKES_LINE, run_history },
	{ "tail", "[options] [-f] FILE", "what came last; -f: what is added, until it is complete",
		"Print the last operations and events; with -f also those to come.",
		WITH_JSON | WITH_PICK | WITH_VALUES | WITH_OUTPUT, CONV_TAKES_LINE, run_tail },
	{ "recover", "[options] IN OUT", "a complete file from a torn or damaged one",
		"Write a complete trace with the segments of IN that are whole.",
		WITH_JSON, CONV_TAKES_LINE, run_recover },
	{ "diff", "[options] A B", "where states or events of two files differ",
		"Print the first difference of states or events of two traces. Status 1: there is\none.",
		WITH_JSON | WITH_MODE | WITH_PICK | WITH_VALUES | WITH_OUTPUT | WITH_PROGRESS, CONV_TAKES_LINE, run_diff },
	{ "timeline", "[options] FILE", "what threads and CPUs did, out of ovni.uscp",
		"Print what threads and CPUs did, out of the timeline that ovniemu writes.",
		WITH_JSON | WITH_MODE | WITH_RANGE | WITH_OUTPUT | WITH_PROGRESS, CONV_TAKES_LINE, run_timeline },
	{ "konata", "[options] FILE", "the pipeline of a processor, for Konata",
		"Print the pipeline of a processor as a log for the viewer Konata.",
		WITH_MODE | WITH_OUTPUT | WITH_PROGRESS, CONV_TAKES_LINE, run_konata },
	{ "view", "[options] FILE", "as a page in a browser",
		"Show a trace in a browser, also one that grows; with -o, write the page, with\nthe trace in it.",
		WITH_OUTPUT, CONV_TAKES_LINE, run_view },
	{ "export", "--format=FORMAT [options] FILE", "as CSV, or as VCD for waveform viewers",
		"Convert a trace: csv for tables, vcd for waveform viewers such as GTKWave.",
		WITH_MODE | WITH_RANGE | WITH_PICK | WITH_VALUES | WITH_OUTPUT | WITH_PROGRESS, CONV_TAKES_LINE, run_export },
};

enum {
	COMMANDS = sizeof(commands) / sizeof(commands[0]),
	OPT_FORMAT = CONV_OPT_OWN,
	OPT_SCOPE,
	OPT_STORAGE,
	OPT_EVENT,
};

static struct tool tool = {
	.times = { [TIME_FROM].option = "--from", [TIME_TO].option = "--to" },
	.to = UINT64_MAX,
	.at = UINT64_MAX,
};

static const char *const formats[] = { "text", "json", "csv" };
static const char *const modes[] = { [USCOPE_TOLERANT] = "tolerant", [USCOPE_STRICT] = "strict", [USCOPE_RECOVER] = "recover" };

static const struct conv_option options[] = {
	{ WITH_RANGE, { 0, "from", "TIME", "begin at this time: 1.5us, 120cy@CLOCK, 50%, end-2us", CLI_TEXT, &tool.times[TIME_FROM].text } },
	{ WITH_RANGE, { 0, "to", "TIME", "end at this time, which is included", CLI_TEXT, &tool.times[TIME_TO].text } },
	{ WITH_SCOPE, { OPT_SCOPE, "scope", "PATH", "only what is in this scope or below" } },
	{ WITH_STORAGE, { OPT_STORAGE, "storage", "NAME", "only this storage: name or path, with * and ?" } },
	{ WITH_EVENT, { OPT_EVENT, "event", "NAME", "only events of this type, likewise" } },
	{ WITH_VALUES, { 0, "hex", NULL, "integers in hexadecimal", CLI_FLAG, &tool.hex } },
	{ WITH_VALUES, { 0, "raw", NULL, "numbers instead of labels and texts", CLI_FLAG, &tool.raw } },
	{ WITH_JSON, { OPT_FORMAT, "format", "text|json", "how to print; JSON is for programs" } },
	{ WITH_CSV, { OPT_FORMAT, "format", "text|json|csv", "how to print; JSON and CSV are for programs" } },
	{ WITH_JSON | WITH_CSV, { 0, "json", NULL, "the same as --format=json", CLI_FLAG, &tool.json } },
	{ WITH_MODE, { 0, "mode", "MODE", "tolerant (default), strict or recover", CLI_WORD, &tool.mode, CLI_WORDS(modes) } },
	{ WITH_MODE, { 0, "recover", NULL, "find segments whose list is missing or broken", CLI_SET, &tool.mode, USCOPE_RECOVER } },
};

static bool
add_pattern(struct conv *c, enum pick_kind kind)
{
	if (pick_add(&tool.pick, kind, optarg))
		return true;
	(void)conv_usage(c, "more than %d names of a kind", PICK_MAX);
	return false;
}

static bool
take_option(struct conv *c, int opt)
{
	int i;
	switch (opt) {
	case OPT_FORMAT:
		i = cli_choose(&c->cli, "--format", formats, c->command->with & WITH_CSV ? 3 : 2, optarg);
		tool.json = i == 1;
		tool.csv = i == 2;
		tool.text = i == 0;
		return i >= 0;
	case OPT_SCOPE: return add_pattern(c, PICK_SCOPE);
	case OPT_STORAGE: return add_pattern(c, PICK_STORAGE);
	default: return add_pattern(c, PICK_EVENT);
	}
}

int
main(int argc, char **argv)
{
	const struct conv_command *list[COMMANDS];
	const struct conv_family family = {
		.program = "uscope",
		.about = "Look into µScope traces, check, repair and convert them.",
		.footer = "Times are numbers with ps, ns, us, ms, s, min or h behind them, such as 1.5us;\n"
			  "or 120cy@CLOCK, 50%, end, end-2us.\n",
		.commands = list,
		.ncommands = COMMANDS,
		.options = options,
		.noptions = sizeof(options) / sizeof(options[0]),
		.take = take_option,
		.finish = utool_finish,
	};
	for (size_t i = 0; i < COMMANDS; i++)
		list[i] = &commands[i];
	for (int i = 0; i < 2; i++)
		tool.in[i] = (struct source){ .tool = &tool, .w = &tool.conv.out };
	return conv_main(&family, &tool.conv, argc, argv);
}
