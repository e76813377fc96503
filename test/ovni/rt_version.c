/* SPDX-License-Identifier: MIT */
/* Which versions of a program the library serves. */
#include "kit.h"

static const char *version;

static void
check(void)
{
	ovni_version_check_str(version);
}

static void
check_macro(void)
{
	ovni_version_check();
}

static const char *const good[] = {
	"1.14.0", "1.14.99", "1.14.99-rc1", "1.14.0.7", "..1..13.0", "1.0.0", "1.13.5-", "01.014.0",
	"1.14.-3", /* the dash is one more empty field */
};

static const char *const bad[] = {
	NULL, "", "1", "1.14", "1.14.", "1.13.0 ", "1.2.3rc", "1.15.0", "2.0.0", "0.14.0", "2.14.0",
	"a.b.c", "1.x.0", "-1.0.0", "1.-2.0", "1.14-0.1",
	"1.14.0-012345678901234567890123456789012345678901234567890123456", /* 64 */
};

static const char longest[] =
	"1.14.0-01234567890123456789012345678901234567890123456789012345"; /* 63 */

int
main(void)
{
	const char *lib = NULL, *commit = NULL;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		version = good[i];
		kit_runs(version, check, NULL);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		version = bad[i];
		kit_dies(version ? version : "NULL", check, "ovni_version_check_str");
	}
	CHECK(sizeof(longest) == 64);
	version = longest;
	RUNS(check);
	RUNS(check_macro);

	ovni_version_get(&lib, &commit);
	CHECK(strcmp(lib, "1.14.0") == 0);
	CHECK(strcmp(commit, OVNI_GIT_COMMIT) == 0);
	return 0;
}
