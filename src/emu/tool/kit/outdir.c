/* SPDX-License-Identifier: MIT */
#include "outdir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int
outdir_make(struct diag *d, const char *dir)
{
	char path[4096];
	if (!dir)
		return 0;
	int n = snprintf(path, sizeof(path), "%s", dir);
	bool fits = n >= 0 && n < (int)sizeof(path);
	for (char *p = path + 1; fits && n && (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			break; /* that of the whole fails too */
	}
	if (mkdir(dir, 0777) == 0 || errno == EEXIST)
		return 0;
	return diag_error(d, ERR_WRITE, NULL, "cannot create the directory '%s': %s\nhint: choose another place with -o", dir, strerror(errno));
}

int
outdir_is_empty(struct diag *d, const char *dir)
{
	DIR *list = opendir(dir);
	if (!list)
		return diag_io(d, ERR_READ, "look into", dir, errno);
	const struct dirent *e;
	while ((e = readdir(list)) && (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0))
		;
	(void)closedir(list);
	return !e;
}
