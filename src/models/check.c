/* SPDX-License-Identifier: MIT */
/* Runs when ovniscope is built: models that clash stop the build.
 *
 *   usage: check_models STAMP */
#include "clash.h"

#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
	char text[256];
	if (argc != 2)
		return 2;
	if (clash_find(model_list, text, sizeof(text))) {
		(void)fprintf(stderr, "models.def: %s\nhint: doc/howto-model.md lists the free letters and types\n", text);
		return EXIT_FAILURE;
	}
	FILE *f = fopen(argv[1], "w");
	return f && fclose(f) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
