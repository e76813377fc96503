/* SPDX-License-Identifier: MIT */
/* nomem: reads and follows a trace with the Nth allocation failing, for N = 1, 2... until
 * none fails. Each time the result is the same or out of memory, and all is freed. With
 * TEST_SHARE=n each n-th. */
#include "kit.h"
#include "lapkit.h"
#include "laplace/machine.h"
#include "laplace/merge.h"
#include "wrapalloc.h"

#include <string.h>

/* Many tasks, spaces, files and pages, so that all tables grow. */
static struct kit_bytes
make_kernel(void)
{
	struct kit_bytes b = { 0 };
	char line[400];
	for (int i = 1; i <= 120; i++) {
		int n = snprintf(line, sizeof(line),
			"F %x %x %x\nA %x %x %x\nm %x %x 1000 8000\nM %x %x 100000 4000 %x 8 1 0 lib.so\ns %x %x 200000 2000 %x\n"
			"S %x %x\nD %x %x %x 0 c0000000\nC %x %x 1000\n< %x %x %x 8 1 0 9000\n@ %x %x 300000 3000 1000 2000\n- %x %x 8 1\n",
			i * 16, i, i - 1, i * 16, i, i + 500, i * 16, i, i * 16, i, i, i * 16, i, i,
			i * 16, i, i * 16, i + 500, i + 501, i * 16, i, i * 16, i, i, i * 16, i, i * 16 + 8, i);
		kit_put(&b, line, (size_t)n);
	}
	return b;
}

static struct kit_bytes
make_refs(void)
{
	struct kit_bytes b = { 0 };
	char line[100];
	for (int i = 0; i < 4000; i++) {
		int n = snprintf(line, sizeof(line), "r %x 4 %x %x\n", i / 2, i / 32 + 501, i % 7 * 0x1000 * (i % 300) + i % 3 * 0xfff00);
		kit_put(&b, line, (size_t)n);
	}
	return b;
}

/* Sum of what it gives, or a code. */
static int64_t
follow(const struct kit_bytes *kernel, const struct kit_bytes *refs)
{
	struct lapkit_log l;
	struct lapkit_bytes in[] = { { .p = kernel->p, .n = kernel->n }, { .p = refs->p, .n = refs->n } };
	struct lapread r[2] = { 0 };
	struct lapmerge merge = { 0 };
	struct lapmachine m = { 0 };
	const struct lap_record *rec;
	const struct lapread *of;
	struct lap_step step;
	uint64_t sum = 0;
	int rc = 0;
	lapkit_log_init(&l, true);
	for (int i = 0; i < 2 && rc == 0; i++)
		rc = lapread_open(&r[i], &l.log, &(struct lap_input){ .read = lapkit_read, .self = &in[i] },
			&(struct lapread_options){ .file = "f", .format = i ? LAP_TEXT : LAP_KERNEL });
	if (rc == 0)
		rc = lapmachine_init(&m, &l.log, &(struct lapmachine_options){ .kernel_base = 0xc0000000 });
	if (rc == 0)
		rc = lapmerge_open(&merge, r, 2);
	while (rc >= 0 && (rc = lapmerge_next(&merge, &rec, &of)) > 0) {
		struct lap_place at = of->at;
		rc = lapmachine_step(&m, rec, &at, &step);
		for (int i = 0; rc > 0 && i < step.ntouches; i++)
			sum = sum * 31 + step.touch[i].page;
	}
	lapmerge_close(&merge);
	lapmachine_finish(&m);
	lapread_close(&r[0]);
	lapread_close(&r[1]);
	return rc < 0 ? rc : (int64_t)(sum >> 1);
}

int
main(void)
{
	struct kit_bytes kernel = make_kernel();
	struct kit_bytes refs = make_refs();
	int64_t good = follow(&kernel, &refs);
	CHECK(good > 0);
	const int share = check_share();
	for (int k = 0; k < 2; k++) {
		long n = 1 + k % share - share;
		bool hit;
		do {
			wrapalloc_arm(n += share, k);
			int64_t got = follow(&kernel, &refs);
			hit = wrapalloc_failed();
			wrapalloc_arm(0, false);
			CHECK(got == (hit ? -LAP_E_MEMORY : good));
		} while (hit);
		CHECK(n > 400);
		(void)printf("%ld allocations%s\n", n - share, k ? ", all behind" : "");
	}
	kit_done(&kernel);
	kit_done(&refs);
	return 0;
}
