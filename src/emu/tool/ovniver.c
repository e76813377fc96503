/* SPDX-License-Identifier: MIT */
/* ovniver: which libovni a program gets when it is started like this one. It links the
 * shared library for that, as traced programs do. */
#include "kit/cli.h"

#include <dlfcn.h>
#include <getopt.h>
#include <ovni.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void
print_file(void)
{
	Dl_info info;
	/* A function of the library tells where it is. */
	void (*probe)(const char **, const char **) = ovni_version_get;
	void *address = *(void **)&probe;
	if (dladdr(address, &info) && info.dli_fname)
		(void)printf("loaded from %s\n", info.dli_fname);
}

int
main(int argc, char **argv)
{
	bool verbose = false;
	const struct cli_option options[] = {
		{ 'v', "verbose", NULL, "also print the file that was loaded", CLI_FLAG, &verbose },
	};
	const struct cli cli = {
		.program = "ovniver",
		.synopsis = "[options]",
		.about = "Print the version of libovni that was built against, and that was loaded.",
		.footer = "Status: 0 good, 1 failed, 2 wrong usage. Manual: man ovniver\n",
		.options = options,
		.noptions = sizeof(options) / sizeof(options[0]),
	};
	int opt = cli_none(&cli, cli_next(&cli, argc, argv), argc, argv);
	if (opt != CLI_END)
		return cli_status(opt);

	const char *path = getenv("LD_LIBRARY_PATH");
	const char *version;
	const char *commit;
	ovni_version_get(&version, &commit);
	(void)printf(path ? "LD_LIBRARY_PATH set to %s\n" : "LD_LIBRARY_PATH not set\n", path);
	(void)printf("libovni: build v%s (%s), dynamic v%s (%s)\n", OVNI_LIB_VERSION, OVNI_GIT_COMMIT, version, commit);
	if (verbose)
		print_file();
	return cli_status(cli_written(&cli));
}
