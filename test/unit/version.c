/* SPDX-License-Identifier: MIT */
#include "version.h"

#include "check.h"

#include <string.h>

static const struct {
	const char *text;
	int good;
	struct version v;
} parses[] = {
	{ "1.2.3", 1, { 1, 2, 3 } },
	{ "0.0.0", 1, { 0, 0, 0 } },
	{ "1.2.3-rc1", 1, { 1, 2, 3 } },
	{ "1.2.3.4", 1, { 1, 2, 3 } },
	{ "01.002.3", 1, { 1, 2, 3 } },
	{ "1..2.3", 1, { 1, 2, 3 } },
	{ "2147483647.0.0", 1, { 2147483647, 0, 0 } },
	{ "2147483648.0.0", 0, { 0 } },
	{ "99999999999999999999.0.0", 0, { 0 } },
	{ "", 0, { 0 } },
	{ "1", 0, { 0 } },
	{ "1.2", 0, { 0 } },
	{ "1.2.", 0, { 0 } },
	{ "1.2.x", 0, { 0 } },
	{ "1.2.3x", 0, { 0 } },
	{ "1.-2.3", 0, { 0 } },
	{ "-1.2.3", 0, { 0 } },
	{ "1-2.3.4", 0, { 0 } },
	{ "a.b.c", 0, { 0 } },
	{ "...", 0, { 0 } },
};

static const struct {
	struct version want, have;
	bool fits;
} fits[] = {
	{ { 1, 1, 0 }, { 1, 1, 0 }, true },
	{ { 1, 0, 0 }, { 1, 1, 0 }, true },
	{ { 1, 0, 9 }, { 1, 0, 0 }, true },
	{ { 1, 2, 0 }, { 1, 1, 9 }, false },
	{ { 2, 0, 0 }, { 1, 1, 0 }, false },
	{ { 0, 1, 0 }, { 1, 1, 0 }, false },
};

int
main(void)
{
	for (size_t i = 0; i < sizeof(parses) / sizeof(parses[0]); i++) {
		struct version v = { -1, -1, -1 };
		int rc = version_parse(parses[i].text, &v);
		if ((rc == 0) != parses[i].good)
			(void)fprintf(stderr, "version \"%s\"\n", parses[i].text);
		CHECK((rc == 0) == parses[i].good);
		if (rc == 0)
			CHECK(v.major == parses[i].v.major && v.minor == parses[i].v.minor && v.patch == parses[i].v.patch);
		else
			CHECK(rc == -1 && v.major == -1);
	}
	struct version v;
	CHECK(version_parse(NULL, &v) == -1);
	char text[VERSION_MAX + 1];
	memset(text, '0', sizeof(text));
	memcpy(text, "1.2.", 4);
	text[VERSION_MAX - 1] = 0;
	CHECK(version_parse(text, &v) == 0 && v.patch == 0);
	text[VERSION_MAX - 1] = '0';
	text[VERSION_MAX] = 0;
	CHECK(version_parse(text, &v) == -1);

	for (size_t i = 0; i < sizeof(fits) / sizeof(fits[0]); i++)
		CHECK(version_fits(&fits[i].want, &fits[i].have) == fits[i].fits);
	return 0;
}
