/* SPDX-License-Identifier: MIT */
#include "rules.h"

#include <pthread.h>
#include <string.h>

/* The events of a category. `pairs`: letters of which the small one enters and the capital leaves;
 * `others`: a letter and its enum open_action, again and again. */
struct row {
	char mc[3];
	uint8_t chan;
	const char *pairs;
	const char *others;
};

static const struct row table[] = {
	{ "OH", 0, "", "xhehphrhchwh" },
	{ "OA", 0, "", "scrm" },
	{ "OM", 0, "", "[[]]==" },
	{ "OF", 1, "", "[[]]" },
	{ "OU", 2, "", "[{]}" },
	{ "KC", 0, "", "O{I}" },
	/* nOS-V: subsystem, idle, counters */
	{ "VS", 0, "", "h[f][[]]N[n]" },
	{ "VU", 0, "", "[[]]" },
	{ "VM", 0, "af", "" },
	{ "VA", 0, "rdspywcaeltubogkjmin", "" },
	{ "VH", 0, "wd", "" },
	{ "VT", 0, "", "x[e]p(r)c+C+" },
	{ "VY", 0, "", "c*" },
	{ "VP", 1, "", "p0r=a=" },
	{ "VW", 2, "", "C=" },
	/* Nanos6: subsystem, type of the thread, idle */
	{ "6C", 0, "", "[[]]" },
	{ "6U", 0, "", "[[]]" },
	{ "6F", 0, "", "[[]]" },
	{ "6O", 0, "", "[[]]" },
	{ "6S", 0, "ap", "[[]]" },
	{ "6D", 0, "ru", "" },
	{ "6B", 0, "wbuf", "" },
	{ "6W", 0, "twmsrg", "[[]]" },
	{ "6M", 0, "af", "" },
	{ "6H", 1, "ewlm", "" },
	{ "6P", 2, "", "p0r=a=" },
	{ "6T", 0, "", "x[e]p(r)c+" },
	{ "6Y", 0, "", "c*" },
	/* NODES */
	{ "DR", 0, "", "[[]]" },
	{ "DU", 0, "", "[[]]" },
	{ "DW", 0, "", "[[]]" },
	{ "DI", 0, "", "[[]]" },
	{ "DT", 0, "", "[[]]" },
	{ "DC", 0, "", "[[]]" },
	{ "DS", 0, "", "[[]]" },
	{ "DP", 0, "", "[[]]" },
	/* OpenMP-V: subsystem, tasks, worksharings (the last two may have one label, so that what ends is told by the event) */
	{ "PW", 0, "dcysei", "" },
	{ "PT", 0, "acdrisgtwy", "[[]]" },
	{ "PI", 0, "ar", "[[]]" },
	{ "PB", 0, "fjbt", "" },
	{ "PA", 0, "", "[[]]" },
	{ "PC", 0, "fi", "" },
	{ "PM", 0, "iu", "" },
	{ "PH", 0, "", "[[]]" },
	{ "PP", 1, "", "x[e]c+" },
	{ "PQ", 2, "", "x[e]" },
	{ "PO", 2, "", "c*" },
	/* TAMPI */
	{ "TC", 0, "i", "" },
	{ "TG", 0, "c", "" },
	{ "TL", 0, "ip", "" },
	{ "TQ", 0, "at", "" },
	{ "TR", 0, "tcas", "" },
	{ "TT", 0, "cw", "" },
	/* MPI */
	{ "MU", 0, "itf", "" },
	{ "MW", 0, "ays", "[[]]" },
	{ "MT", 0, "ays", "[[]]" },
	{ "MR", 0, "so", "[[]]" },
	{ "MS", 0, "brs", "[[]]" },
	{ "Mr", 0, "so", "[[]]" },
	{ "Ms", 0, "brs", "[[]]" },
	{ "MA", 0, "gra", "" },
	{ "MC", 0, "bse", "" },
	{ "MD", 0, "bgs", "" },
	{ "ME", 0, "sb", "[[]]" },
	{ "Ma", 0, "gra", "" },
	{ "Mc", 0, "bse", "" },
	{ "Md", 0, "bgs", "" },
	{ "Me", 0, "sb", "[[]]" },
};
_Static_assert(sizeof(table) / sizeof(table[0]) < OPEN_NO_ROW, "rows of the table");

struct open_rules open_rules;
static pthread_once_t rules_once = PTHREAD_ONCE_INIT;

static void
make_rules(void)
{
	uint8_t nmodels = 0;

	open_rules.action[0]['['] = OPEN_ENTER;
	open_rules.action[0][']'] = OPEN_LEAVE;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct row *r = &table[i];
		uint8_t *model = &open_rules.model[(uint8_t)r->mc[0]];
		uint8_t *action = open_rules.action[i + 1];
		if (*model == 0) {
			*model = ++nmodels;
			memset(open_rules.row[nmodels], OPEN_NO_ROW, OPEN_LETTERS);
		}
		open_rules.row[*model][(uint8_t)r->mc[1]] = (uint8_t)(i + 1);
		open_rules.chan[i + 1] = r->chan;
		for (const char *p = r->pairs; *p; p++) {
			action[(uint8_t)*p] = OPEN_ENTER;
			action[*p - 'a' + 'A'] = OPEN_LEAVE;
		}
		for (const char *p = r->others; *p; p += 2)
			action[(uint8_t)p[0]] = (uint8_t)p[1];
	}
}

void
open_rules_begin(void)
{
	(void)pthread_once(&rules_once, make_rules);
}
