/* SPDX-License-Identifier: MIT */
/* libver: versions, as text and as a promise. */
#include <stdlib.h>
#include <string.h>
#include "rt.h"

/* A field ends at any of `end`; empty fields do not count, so "..1..2.3" is 1.2.3. */
static int
field(char **rest, const char *end, long *out)
{
	char *tok = strtok_r(NULL, end, rest);
	if (tok == NULL)
		return -1;

	char *stop;
	*out = strtol(tok, &stop, 10);
	return *stop == '\0' && *out >= 0 ? 0 : -1;
}

int
rt_version_parse(const char *text, long out[3])
{
	char copy[RT_VERSION_MAX];

	size_t len = text ? strlen(text) : sizeof(copy);
	if (len >= sizeof(copy))
		return -1;
	memcpy(copy, text, len + 1);

	char *rest = copy;
	if (field(&rest, ".", &out[0]) < 0 || field(&rest, ".", &out[1]) < 0 ||
		field(&rest, ".-", &out[2]) < 0)
		return -1;
	return 0;
}

void
ovni_version_check_str(const char *version)
{
	long want[3], have[3];

	if (version == NULL)
		rt_die(__func__, "version is NULL");
	if (rt_version_parse(version, want) < 0)
		rt_die(__func__, "cannot parse version \"%s\"", version);
	if (rt_version_parse(OVNI_LIB_VERSION, have) < 0)
		rt_die(__func__, "cannot parse the version of the library");

	/* Functions only ever get added within a major, so a program made with an older
	 * minor finds all it needs. */
	if (want[0] != have[0])
		rt_die(__func__, "the program wants version %s, of another major than libovni " OVNI_LIB_VERSION, version);
	if (want[1] > have[1])
		rt_die(__func__, "the program wants version %s, newer than libovni " OVNI_LIB_VERSION, version);
}

void
ovni_version_get(const char **version, const char **commit)
{
	*version = OVNI_LIB_VERSION;
	*commit = OVNI_GIT_COMMIT;
}
