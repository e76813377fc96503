/* SPDX-License-Identifier: MIT */
/* work: what scripts/bench measures with.
 *
 *   work trace DIR KIND LOOMS THREADS CPUS EVENTS    writes a trace (trace.h), prints its number of events; KIND is nosv or marks
 *   work plain INPUT OUT SIZE...                     a plain pass (bench_plain())
 *   work time COMMAND...                             runs a command, whose output goes to standard error
 *
 * The last two print what it cost: seconds that passed, seconds of CPU, KiB of memory at most. Status 1 when something failed. */
#include "bench.h"
#include "trace.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	OUTPUTS = 32,
};

static void
tell(struct cost c)
{
	(void)printf("%.6f %.6f %ld\n", c.wall, c.cpu, c.rss);
}

static void
plain(char **argv)
{
	off_t sizes[OUTPUTS];
	int n = 0;
	for (; argv[2 + n] && n < OUTPUTS; n++)
		sizes[n] = atoll(argv[2 + n]);
	tell(bench_plain(argv[0], argv[1], sizes, n));
}

static void
command(char **argv)
{
	pid_t pid = fork();
	if (pid == 0) {
		/* Whoever stops us stops the command. */
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
		(void)execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	tell(bench_wait(pid));
}

int
main(int argc, char **argv)
{
	if (argc == 8 && strcmp(argv[1], "trace") == 0) {
		struct trace t = { atoi(argv[4]), atoi(argv[5]), atoi(argv[6]), atol(argv[7]), strcmp(argv[3], "nosv") == 0 };
		(void)printf("%ld\n", trace_write(argv[2], &t));
	} else if (argc > 4 && strcmp(argv[1], "plain") == 0) {
		plain(argv + 2);
	} else if (argc > 2 && strcmp(argv[1], "time") == 0) {
		command(argv + 2);
	} else {
		(void)fprintf(stderr, "usage: work trace DIR KIND LOOMS THREADS CPUS EVENTS | plain INPUT OUT SIZE... | time COMMAND...\n");
		return 2;
	}
	return 0;
}
