/* SPDX-License-Identifier: MIT */
/* References in all forms. The first byte chooses: format (3 bits), byte order, lenient. What is
 * read is in order and in range, does not depend on how the bytes come, and survives being
 * written in each form and read again. */
#include "fuzz.h"
#include "lapkit.h"
#include "laplace/ref.h"

#include <string.h>

static bool
is_same(const struct lap_record *a, const struct lap_record *b)
{
	return a->kind == b->kind && a->ts == b->ts && a->length == b->length && a->space == b->space && a->addr == b->addr;
}

static void
check_ref(const struct lap_record *rec, uint64_t last)
{
	uint8_t bytes[LAP_RECORD_SIZE];
	uint8_t line[LAPREF_ROOM * 2] = { 0 };
	struct lap_record back = { 0 };
	uint64_t addr = 0;
	if (!lap_kinds[rec->kind] || rec->length == 0 || (uint64_t)rec->addr + rec->length > UINT64_C(1) << 32 || rec->ts < last)
		abort();
	for (int endian = 0; endian < 2; endian++) {
		lapref_encode(bytes, (enum lap_endian)endian, rec);
		lapref_decode(bytes, (enum lap_endian)endian, &back);
		if (!is_same(rec, &back))
			abort();
	}
	size_t n = (size_t)(lapref_put_line((char *)line, rec) - (char *)line);
	memset(line + n, 0, sizeof(line) - n);
	if (n > LAP_REF_LINE || lapref_scan(line, &back) != n || !is_same(rec, &back))
		abort();
	if (lapref_parse((char *)line, n - 1, 8, &back, &addr) != 0 || addr != rec->addr)
		abort();
}

/* What all records are, as one number. */
static uint64_t
read_all(const uint8_t *data, size_t size, const struct lapread_options *options, bool lenient, size_t step, int *code)
{
	struct lapkit_bytes b = { .p = data, .n = size, .step = step };
	struct lapkit_log l;
	struct lapread r;
	struct lap_record rec;
	uint64_t sum = 0, last = 0;
	lapkit_log_init(&l, lenient);
	int rc = lapread_open(&r, &l.log, &(struct lap_input){ .read = lapkit_read, .self = &b }, options);
	while (rc >= 0 && (rc = lapread_next(&r, &rec)) > 0) {
		if (rec.type == LAP_REF)
			check_ref(&rec, last);
		else if (rec.ts < last)
			abort();
		last = rec.ts;
		sum = (sum ^ rec.ts ^ (uint64_t)rec.addr << 20 ^ rec.kind ^ (uint64_t)rec.length << 56 ^ rec.page ^ r.at.line << 30 ^ r.at.offset << 40) * UINT64_C(0x9e3779b97f4a7c15);
	}
	/* An error was told, and a lenient reader has none but that this is no trace. */
	if (rc < 0 && (l.n == 0 || (lenient && rc != -LAP_E_FORMAT)))
		abort();
	*code = rc;
	lapread_close(&r);
	return sum;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t steps[] = { 0, 1, 5 };
	if (size == 0)
		return 0;
	struct lapread_options options = {
		.file = "input",
		.format = (enum lap_format)((data[0] & 7) % LAP_FORMATS),
		.endian = data[0] & 8 ? LAP_BIG : LAP_LITTLE,
	};
	uint64_t sums[3];
	int codes[3];
	for (int i = 0; i < 3; i++) {
		sums[i] = read_all(data + 1, size - 1, &options, data[0] & 16, steps[i], &codes[i]);
		if (sums[i] != sums[0] || codes[i] != codes[0])
			abort();
	}
	return 0;
}
