/* SPDX-License-Identifier: MIT */
/* rules: each rule on malformed input, strict and lenient: code, offset and line, and
 * what is left. */
#include "lapkit.h"
#include "laplace/machine.h"
#include "laplace/ref.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum {
	RECORDS = 16,
};

struct rule {
	int code;
	enum lap_format format;
	uint64_t offset;
	uint64_t line;
	int lenient;      /* records that are left */
	int strict;       /* before the error; only a warning: all */
	const char *text; /* of binary files: as text, to be encoded */
	uint64_t last_ts; /* of the last record that is left, 0: not looked at */
	int cut;          /* bytes cut from the end */
};

static const struct rule rules[] = {
	{ LAP_LR01, LAP_BINARY, 36, 0, 2, 2, "r 1 4 2 3\nr 2 4 2 3\nr 3 4 2 3\n", 2, 5 },
	{ LAP_LR01, LAP_BINARY, 0, 0, 0, 0, "r 1 4 2 3\n", 0, 17 },
	{ LAP_LR02, LAP_BINARY, 18, 0, 2, 1, "r 1 4 2 3\nx 2 4 2 3\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LR03, LAP_BINARY, 18, 0, 2, 1, "r 1 4 2 3\nr 2 0 2 3\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LR03, LAP_BINARY, 0, 0, 1, 0, "r 1 0 2 0\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LR04, LAP_BINARY, 18, 0, 3, 1, "r 1 4 2 fffffffc\nr 2 4 2 fffffffd\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LR05, LAP_BINARY, 18, 0, 3, 1, "r 3 4 2 3\nr 2 4 2 3\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LR02, LAP_TEXT, 10, 2, 2, 1, "r 1 4 2 3\nx 2 4 2 3\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LR03, LAP_TEXT, 10, 2, 2, 1, "r 1 4 2 3\nr 2 0 2 3\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LR03, LAP_TEXT, 10, 2, 2, 1, "r 1 4 2 3\nr  2 0 2 3\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LR04, LAP_TEXT, 10, 2, 3, 1, "r 1 4 2 3\nr 2 ff 2 ffffffff\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LR05, LAP_TEXT, 10, 2, 2, 1, "r 3 4 2 3\nr 2 4 2 3\n", 3, 0 },
	{ LAP_LR05, LAP_KERNEL, 7, 2, 2, 1, "S 3 77\nS 2 77\n", 3, 0 },
	{ LAP_LR05, LAP_MIXED, 7, 2, 2, 1, "S 3 77\nr 2 4 2 3\n", 3, 0 },
	{ LAP_LT01, LAP_TEXT, 19, 4, 2, 1, "\n# hello\nr 1 4 2 3\nr 2 4 2\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LT01, LAP_KERNEL, 7, 2, 1, 1, "S 1 77\nS 2\n", 1, 0 },
	{ LAP_LT01, LAP_BASIC, 4, 2, 2, 1, "R 1\nR 2 3\n", 0, 0 },
	{ LAP_LT01, LAP_BASIC, 4, 2, 1, 1, "R 1\nR\n", 0, 0 },
	{ LAP_LT02, LAP_TEXT, 10, 2, 2, 1, "r 1 4 2 3\nr 2 4 2 0x3\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LT02, LAP_MIXED, 10, 2, 2, 1, "r 1 4 2 3\n r 2 4 2 3\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LT02, LAP_PROCESS, 10, 2, 1, 1, "r 1 4 2 3\nr 2 4 2 q\n", 1, 0 },
	{ LAP_LT03, LAP_TEXT, 10, 2, 2, 1, "r 1 4 2 3\nr 2 4 2 000000003\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LT03, LAP_PROCESS, 0, 1, 1, 0, "r 1 4 100000 3\nr 2 4 fffff 8888ffff3e456a21\n", 2, 0 },
	{ LAP_LT04, LAP_TEXT, 10, 2, 2, 1, "r 1 4 2 3\nread 2 4 2 3\nr 3 4 2 3\n", 3, 0 },
	{ LAP_LT04, LAP_KERNEL, 7, 2, 1, 1, "S 1 77\nSwitch 2 77\n", 1, 0 },
	{ LAP_LT06, LAP_TEXT, 10, 2, 2, 2, "r 1 4 2 3\nr 2 4 2 3", 2, 0 },
	{ LAP_LT06, LAP_KERNEL, 7, 2, 2, 2, "S 1 77\nS 2 78", 2, 0 },
	{ LAP_LK01, LAP_KERNEL, 7, 2, 2, 1, "S 1 77\n! 2 77\nS 3 77\n", 3, 0 },
	{ LAP_LK01, LAP_KERNEL, 7, 2, 2, 1, "S 1 77\nr 2 4 2 3\nS 3 77\n", 3, 0 },
	{ LAP_LK01, LAP_MIXED, 7, 2, 2, 1, "S 1 77\nq 2 4 2 3\nS 3 77\n", 3, 0 },
	{ LAP_LK02, LAP_KERNEL, 7, 2, 3, 1, "S 1 77\nX 2 77 1 2 3\nS 3 77\n", 3, 0 },
	{ LAP_LK03, LAP_KERNEL, 7, 2, 2, 1, "S 1 77\nm 2 77 1000 0\nS 3 77\n", 3, 0 },
	{ LAP_LK03, LAP_KERNEL, 7, 2, 2, 1, "S 1 77\nD 2 1 2 2000 1000\nS 3 77\n", 3, 0 },
	{ LAP_LK04, LAP_KERNEL, 4, 2, 1, 1, "e 1\nS 2 77\n", 1, 0 },
	{ LAP_LK04, LAP_MIXED, 14, 3, 2, 2, "e 1\nr 2 4 2 3\nS 3 77\n", 2, 0 },
};

/* The bytes of a rule. */
static size_t
make_bytes(const struct rule *r, uint8_t *to)
{
	if (r->format != LAP_BINARY) {
		memcpy(to, r->text, strlen(r->text));
		return strlen(r->text);
	}
	size_t n = 0;
	for (const char *line = r->text; *line; line = strchr(line, '\n') + 1) {
		struct lap_record rec = { 0 };
		char kind;
		unsigned length;
		CHECK(sscanf(line, "%c %" SCNx64 " %x %x %x", &kind, &rec.ts, &length, &rec.space, &rec.addr) == 5);
		rec.kind = (uint8_t)kind;
		rec.length = (uint8_t)length;
		lapref_encode(to + n, LAP_LITTLE, &rec);
		n += LAP_RECORD_SIZE;
	}
	return n - (size_t)r->cut;
}

static void
test_rule(const struct rule *r, bool lenient, size_t step)
{
	uint8_t bytes[4096];
	struct lapkit_log l;
	struct lap_record rec[RECORDS];
	struct lapread_options options = { .file = "the file", .format = r->format };
	lapkit_log_init(&l, lenient);
	size_t size = make_bytes(r, bytes);
	int n = lapkit_read_all((struct lapkit_bytes){ .p = bytes, .n = size, .step = step }, &options, &l, rec, RECORDS);
	bool goes_on = lenient || lap_code(r->code)->warning;
	if (n != (goes_on ? r->lenient : -r->code) || l.n < 1 || l.issues[0].offset != r->offset)
		(void)fprintf(stderr, "%s, %s: %d records, %zu issues, at %" PRIu64 "\n%s", lap_code(r->code)->name,
			lenient ? "lenient" : "strict", n, l.n, l.issues[0].offset, r->text);
	CHECK(n == (goes_on ? r->lenient : -r->code));
	CHECK(l.n >= 1 && l.issues[0].code == r->code && l.fatal[0] == !goes_on);
	CHECK(strcmp(l.issues[0].file, "the file") == 0);
	CHECK(l.issues[0].offset == r->offset && l.issues[0].line == r->line && *l.issues[0].text);
	CHECK(l.log.counts[r->code] == l.n);
	if (lenient && r->last_ts)
		CHECK(rec[n - 1].ts == r->last_ts);
	if (lenient && r->code == LAP_LR04)
		CHECK((uint64_t)rec[1].addr + rec[1].length == UINT64_C(1) << 32);
}

/* ---- Lines without end, and NULs. ---- */

static void
test_long_line(size_t length, bool newline, bool nul, bool lenient)
{
	static uint8_t bytes[3 << 20];
	static const char head[] = "S 1 77\n", tail[] = "S 3 77\n";
	struct lapkit_log l;
	size_t n = strlen(head);
	memcpy(bytes, head, n);
	memset(bytes + n, nul ? 0 : '#', length);
	n += length;
	if (newline) {
		bytes[n++] = '\n';
		memcpy(bytes + n, tail, strlen(tail));
		n += strlen(tail);
	}
	lapkit_log_init(&l, lenient);
	int have = lapkit_read_all((struct lapkit_bytes){ .p = bytes, .n = n },
		&(struct lapread_options){ .file = "f", .format = LAP_MIXED }, &l, NULL, 0);
	bool good = length <= LAP_LINE_MAX && !nul;
	if (!good) {
		CHECK(have == (lenient ? 1 + newline : -LAP_LT05));
		CHECK(l.issues[0].code == LAP_LT05 && l.issues[0].line == 2 && l.issues[0].offset == strlen(head));
		CHECK(l.log.counts[LAP_LT05] == 1);
	} else {
		CHECK(have == 1 + newline && l.log.counts[LAP_LT05] == 0);
	}
}

/* ---- What a name becomes, and a read that fails. ---- */

static void
test_rest(void)
{
	static const char names[] = "X 1 77 1 2 3\n";
	struct lapkit_log l;
	struct lapread r;
	struct lap_record rec;
	struct lapkit_bytes b = { .p = (const uint8_t *)names, .n = strlen(names) };
	lapkit_log_init(&l, true);
	struct lapread_options options = { .file = "f", .format = LAP_KERNEL };
	CHECK(lapread_open(&r, &l.log, &(struct lap_input){ .read = lapkit_read, .self = &b }, &options) == 0);
	CHECK(lapread_next(&r, &rec) == 1 && rec.type == LAP_EVENT);
	CHECK(rec.event->name_len == 1 && rec.event->name[0] == '?');
	lapread_close(&r);

	for (int format = LAP_AUTO; format < LAP_FORMATS; format++) {
		options.format = (enum lap_format)format;
		lapkit_log_init(&l, true);
		b = (struct lapkit_bytes){ .p = (const uint8_t *)"r 1 4 2 3\n", .n = 10, .fail = EIO };
		CHECK(lapkit_read_all(b, &options, &l, NULL, 0) == -LAP_E_IO);
		CHECK(l.fatal[l.n - 1] && l.issues[l.n - 1].code == LAP_E_IO);
		/* Nothing at all is a trace. */
		lapkit_log_init(&l, false);
		b = (struct lapkit_bytes){ 0 };
		CHECK(lapkit_read_all(b, &options, &l, NULL, 0) == 0 && l.n == 0);
	}
}

/* ---- The machine. ---- */

static const struct {
	int code;
	int at; /* the record, from 0 */
	int ignored;
	const char *text;
} machine_rules[] = {
	{ LAP_LM01, 0, 0, "S 1 77\n" },
	{ LAP_LM01, 0, 0, "T 1 77\n" },
	{ LAP_LM01, 0, 0, "C 1 77 1000\n" },
	{ LAP_LM01, 0, 0, "F 1 78 77\n" },
	{ LAP_LM01, 1, 0, "F 1 0 0\nF 1 0 5\nS 2 0\nT 3 0\nS 4 0\n" }, /* the idle task is none */
	{ LAP_LM02, 1, 0, "F 1 78 0\nF 2 78 0\n" },
	{ LAP_LM03, 2, 1, "F 1 78 0\nT 2 78\nT 3 78\n" },
	{ LAP_LM03, 2, 1, "F 1 78 0\nT 2 78\nS 3 78\n" },
	{ LAP_LM04, 4, 0, "F 1 78 0\nA 2 78 1\nS 3 78\nm 3 78 0 1000\nr 4 4 2 10\n" },
	{ LAP_LM05, 1, 0, "S 1 0\nr 2 4 2 10\nr 2 4 2 20\nr 2 4 2 ffe\nr 2 4 2 c0000000\n" },
	{ LAP_LM06, 0, 0, "u 1 2\n" },
	{ LAP_LM06, 2, 0, "F 1 78 0\nA 1 78 1\nD 1 1 2 1000 2000\n" },
	{ LAP_LM06, 2, 0, "F 1 78 0\nA 1 78 1\nD 1 2 1 1000 2000\n" },
};

static void
test_machine_rule(size_t i, bool lenient)
{
	struct lapkit_log l;
	struct lapread r;
	struct lapmachine m;
	struct lap_record rec;
	struct lap_step step;
	const char *text = machine_rules[i].text;
	struct lapkit_bytes b = { .p = (const uint8_t *)text, .n = strlen(text) };
	int code = machine_rules[i].code;
	int n = 0, ignored = 0, rc;
	lapkit_log_init(&l, lenient);
	CHECK(lapread_open(&r, &l.log, &(struct lap_input){ .read = lapkit_read, .self = &b },
		      &(struct lapread_options){ .file = "f", .format = LAP_MIXED }) == 0);
	CHECK(lapmachine_init(&m, &l.log, &(struct lapmachine_options){ .kernel_base = 0xc0000000 }) == 0);
	while ((rc = lapread_next(&r, &rec)) > 0) {
		struct lap_place at = r.at;
		rc = lapmachine_step(&m, &rec, &at, &step);
		if (rc < 0)
			break;
		ignored += rc == 0;
		n++;
	}
	bool goes_on = lenient || lap_code(code)->warning;
	if (l.n < 1 || l.issues[0].code != code)
		(void)fprintf(stderr, "%s: %zu issues, %s\n%s", lap_code(code)->name, l.n, lap_code(l.issues[0].code)->name, text);
	CHECK(l.n >= 1 && l.issues[0].code == code && l.log.counts[code] == (code == LAP_LM05 ? 3 : 1));
	CHECK(l.issues[0].line == (uint64_t)machine_rules[i].at + 1 && l.fatal[0] == !goes_on);
	CHECK(rc == (goes_on ? 0 : -code) && ignored == (goes_on ? machine_rules[i].ignored : 0));
	CHECK(goes_on || n == machine_rules[i].at);
	lapmachine_finish(&m);
	lapread_close(&r);
}

int
main(void)
{
	static const size_t steps[] = { 0, 1, 7 };
	bool seen[LAP_CODES] = { false };
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		seen[rules[i].code] = true;
		for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
			test_rule(&rules[i], false, steps[k]);
			test_rule(&rules[i], true, steps[k]);
		}
	}
	static const size_t lengths[] = { 1, 8191, 8192, 8193, 20000, 262144, 2 << 20 };
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (unsigned k = 0; k < 8; k++)
			test_long_line(lengths[i], k & 1, k & 2, k & 4);
	seen[LAP_LT05] = true;
	test_rest();
	for (size_t i = 0; i < sizeof(machine_rules) / sizeof(machine_rules[0]); i++) {
		seen[machine_rules[i].code] = true;
		test_machine_rule(i, false);
		test_machine_rule(i, true);
	}
	for (int code = 1; code < LAP_CODES; code++)
		CHECK(seen[code] || code == LAP_LJ01); /* of the manifest, which is not read here */
	return 0;
}
