/* SPDX-License-Identifier: MIT */
/* Runs when ovniscope is built: models that clash stop the build.
 *
 *   usage: check_models STAMP */
#include "registry.h"

#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
	struct diag d = { .program = "models.def" };
	struct model_set set = { 0 };
	if (argc != 2)
		return 2;
	if (registry_add(&set, &d) < 0)
		return EXIT_FAILURE;
	FILE *f = fopen(argv[1], "w");
	return f && fclose(f) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
