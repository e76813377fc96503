/* SPDX-License-Identifier: MIT */
/* ipc_feed: writes the events of a stream to live buffers.
 *
 *   ipc_feed DIR NUMBER FILE [TIMEOUT_MS [TRIES]]
 *
 * TRIES: how often it looks for its reader, TIMEOUT_MS each; 1.
 * Exit status: 0, 1 the reader did not see all, or 2, and says why on the standard error. */
#include "prism_ipc.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
fail(const char *what, const char *why, int status)
{
	(void)fprintf(stderr, "%s: %s\n", what, why);
	return status;
}

static uint8_t *
load(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END) != 0)
		return NULL;
	long n = ftell(f);
	uint8_t *bytes = n >= 0 ? malloc((size_t)n + 1) : NULL;
	rewind(f);
	*size = bytes ? fread(bytes, 1, (size_t)n, f) : 0;
	(void)fclose(f);
	return bytes;
}

int
main(int argc, char **argv)
{
	size_t size = 0;
	if (argc < 4)
		return fail(argv[0], "DIR NUMBER FILE [TIMEOUT_MS [TRIES]]", 2);
	static uint8_t *bytes;
	bytes = load(argv[3], &size);
	if (!bytes)
		return fail(argv[3], strerror(errno), 2);
	static struct prism_ipc w;
	struct prism_state in, out;
	struct prism_event ev;
	prism_begin(&in, NULL);
	prism_begin(&out, NULL);
	int rc = -ETIMEDOUT;
	for (int tries = argc > 5 ? atoi(argv[5]) : 1; tries > 0 && rc == -ETIMEDOUT; tries--)
		rc = prism_ipc_open(&w, argv[1], (unsigned)strtoul(argv[2], NULL, 10), argc > 4 ? atoi(argv[4]) : 20000);
	if (rc < 0)
		return fail("open", strerror(-rc), 2);
	for (size_t at = 0; at < size && rc == 0;) {
		ssize_t n = prism_decode(bytes + at, size - at, &in, &ev);
		if (n <= 0)
			return fail(argv[3], prism_code_text((int)n), 2);
		at += (size_t)n;
		rc = prism_ipc_put(&w, &out, &ev);
	}
	if (rc > 0)
		return fail("put", prism_code_text(rc), 2);
	int closed = prism_ipc_close(&w);
	free(bytes);
	if (rc < 0 || closed < 0)
		return fail(rc < 0 ? "put" : "close", strerror(rc < 0 ? -rc : -closed), 1);
	return 0;
}
