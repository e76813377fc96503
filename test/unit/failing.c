/* SPDX-License-Identifier: MIT */
/* failing: linked to a tool with wrapalloc and wraparena, allocation number FAILING_AT of it fails,
 * and with FAILING_ALL those behind it too. At the end it writes how many there were to the file
 * FAILING_COUNT. */
#include "wrapalloc.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void
begin(void)
{
	const char *text = getenv("FAILING_AT");
	wrapalloc_arm(text ? atol(text) : 0, getenv("FAILING_ALL") != NULL);
}

__attribute__((destructor)) static void
end(void)
{
	long count = wrapalloc_count();
	wrapalloc_arm(0, false);
	const char *path = getenv("FAILING_COUNT");
	FILE *f = path ? fopen(path, "w") : NULL;
	if (f) {
		(void)fprintf(f, "%ld\n", count);
		(void)fclose(f);
	}
}
