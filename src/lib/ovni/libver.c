/* SPDX-License-Identifier: MIT */
/* libver: versions, as a promise. */
#include "rt.h"
#include "version.h"

void
ovni_version_check_str(const char *version)
{
	struct version want, have;

	if (version == NULL)
		rt_die(__func__, "version is NULL");
	if (version_parse(version, &want) < 0)
		rt_die(__func__, "cannot parse version \"%s\"", version);
	if (version_parse(OVNI_LIB_VERSION, &have) < 0)
		rt_die(__func__, "cannot parse the version of the library");

	/* Functions only ever get added within a major, so a program made with an older
	 * minor finds all it needs. */
	if (want.major != have.major)
		rt_die(__func__, "the program wants version %s, of another major than libovni " OVNI_LIB_VERSION, version);
	if (want.minor > have.minor)
		rt_die(__func__, "the program wants version %s, newer than libovni " OVNI_LIB_VERSION, version);
}

void
ovni_version_get(const char **version, const char **commit)
{
	*version = OVNI_LIB_VERSION;
	*commit = OVNI_GIT_COMMIT;
}
