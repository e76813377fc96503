/* SPDX-License-Identifier: MIT */
/* uscope: looks into µScope files, checks, repairs and converts them. */
#include "tool.h"

#include <signal.h>

/* In the order of the help. */
static const struct command commands[] = {
	{ "info", run_info, "[options] FILE", WITH_JSON | WITH_MODE | WITH_OUTPUT,
		"what a file is and what it can hold",
		"Print what a trace is: format, size, times, schema." },
	{ "check", run_check, "[options] FILE", WITH_JSON | WITH_OUTPUT | WITH_PROGRESS,
		"whether a file keeps all rules of the format",
		"Decode all of a trace and print what is wrong with it. Status 1: something is." },
	{ "dump", run_dump, "[options] FILE", WITH_JSON | WITH_MODE | WITH_RANGE | WITH_PICK | WITH_VALUES | WITH_OUTPUT | WITH_PROGRESS,
		"all operations and events, as JSON lines",
		"Print all that is recorded, as lines of JSON in the order of the file." },
	{ "state", run_state, "[options] [-t TIME] FILE", WITH_JSON | WITH_MODE | WITH_SCOPE | WITH_STORAGE | WITH_VALUES | WITH_OUTPUT,
		"the state of the storages at a time",
		"Print the slots and properties of all storages at a time." },
	{ "events", run_events, "[options] FILE", WITH_JSON | WITH_MODE | WITH_RANGE | WITH_SCOPE | WITH_EVENT | WITH_VALUES | WITH_OUTPUT | WITH_PROGRESS,
		"events between two times",
		"Print the events of a trace, a line each." },
	{ "summary", run_summary, "[options] FILE", WITH_JSON | WITH_MODE | WITH_OUTPUT,
		"overview: density and counters",
		"Print the summary of a trace: density and counters over time." },
	{ "strings", run_strings, "[options] FILE", WITH_JSON | WITH_MODE | WITH_OUTPUT,
		"the texts that values refer to",
		"Print the strings of a trace with their indices." },
	{ "tail", run_tail, "[options] [-f] FILE", WITH_JSON | WITH_PICK | WITH_VALUES | WITH_OUTPUT,
		"what came last; -f: what is added, until it is complete",
		"Print the last operations and events; with -f also those to come." },
	{ "recover", run_recover, "[options] IN OUT", WITH_JSON,
		"a complete file from a torn or damaged one",
		"Write a complete trace with the segments of IN that are whole." },
	{ "diff", run_diff, "[options] A B", WITH_JSON | WITH_MODE | WITH_PICK | WITH_VALUES | WITH_OUTPUT | WITH_PROGRESS,
		"where states or events of two files differ",
		"Print the first difference of states or events of two traces. Status 1: there is\none." },
	{ "timeline", run_timeline, "[options] FILE", WITH_JSON | WITH_MODE | WITH_RANGE | WITH_OUTPUT | WITH_PROGRESS,
		"what threads and CPUs did, out of ovni.uscp",
		"Print what threads and CPUs did, out of the timeline that ovniemu writes." },
	{ "konata", run_konata, "[options] FILE", WITH_MODE | WITH_OUTPUT | WITH_PROGRESS,
		"the pipeline of a processor, for Konata",
		"Print the pipeline of a processor as a log for the viewer Konata." },
	{ "export", run_export, "--format=FORMAT [options] FILE", WITH_MODE | WITH_RANGE | WITH_PICK | WITH_VALUES | WITH_OUTPUT | WITH_PROGRESS,
		"as CSV, or as VCD for waveform viewers",
		"Convert a trace: csv for tables, vcd for waveform viewers such as GTKWave." },
};

enum {
	COMMANDS = sizeof(commands) / sizeof(commands[0]),
};

int
main(int argc, char **argv)
{
	struct cli_command names[COMMANDS];
	static struct tool t; /* large */
	for (size_t i = 0; i < COMMANDS; i++)
		names[i] = (struct cli_command){ commands[i].name, commands[i].brief };
	t.cli.program = "uscope";
	t.cli.about = "Look into µScope traces, check, repair and convert them.";
	utool_list(&t, NULL, 0, ~0u);
	for (size_t i = 0; i < t.cli.noptions; i++)
		t.options[i].help = NULL; /* those that a command has are in its help */

	/* A file above the limit is a failed write and not a death. */
	(void)signal(SIGXFSZ, SIG_IGN);
	int status;
	int i = cli_command(&t.cli, names, COMMANDS, "Times are numbers with ps, ns, us, ms, s, min or h behind them, such as 1.5us.\n",
		&argc, &argv, &status);
	if (i < 0)
		return status;
	utool_init(&t, &commands[i]);
	return utool_finish(&t, commands[i].run(&t, argc, argv));
}
