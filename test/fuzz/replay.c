/* SPDX-License-Identifier: MIT */
/* Runs a target over files, and over the files of directories, without libFuzzer. */
#include "fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static long
one(const char *path)
{
	size_t n;
	char *text = kit_read(path, &n);
	/* A copy of its own size, so that a read behind it is seen. */
	uint8_t *data = malloc(n ? n : 1);
	CHECK(data);
	memcpy(data, text, n);
	free(text);
	(void)LLVMFuzzerTestOneInput(data, n);
	free(data);
	return 1;
}

static long
all(const char *path)
{
	struct stat st;
	CHECK(stat(path, &st) == 0);
	if (!S_ISDIR(st.st_mode))
		return one(path);
	DIR *dir = opendir(path);
	CHECK(dir);
	long n = 0;
	struct dirent *e;
	while ((e = readdir(dir))) {
		char name[4096];
		if (e->d_name[0] == '.')
			continue;
		(void)snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		n += all(name);
	}
	(void)closedir(dir);
	return n;
}

int
main(int argc, char **argv)
{
	long n = 0;
	(void)LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
		n += all(argv[i]);
	(void)printf("%ld inputs\n", n);
	return n ? 0 : 1;
}
