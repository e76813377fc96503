/* SPDX-License-Identifier: MIT */
/* prism_import: what ovniscope-prism costs to import traces of other tools, in megabytes of text, or in
 * records, a second.
 *
 *   prism_import PROGRAM [thousands]
 *
 * Each figure is the best of some runs, in CPU time of the whole process, and is printed with its limit.
 * Exit status 1 when one is passed by far. */
#include "../xorshift.h"
#include "bench.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How far below a limit is a failure, and not the noise of a shared machine. */
#define TOLERANCE 1.6

enum {
	RUNS = 3,
};

static uint64_t
any(void)
{
	static uint64_t state = XORSHIFT_SEED;
	return xorshift(&state);
}

/* ---- Traces, of about as many lines or records as they are told. ---- */

static void
write_lackey(FILE *f, long n)
{
	for (long i = 0; i < n; i++) {
		uint64_t r = any();
		bool insn = r % 3 != 0;
		(void)fprintf(f, "%s %08" PRIx64 ",%u\n", insn ? "I " : r & 8 ? " L"
									      : " S",
			insn ? 0x401000 + (r >> 40) : 0x1fff000000 + (r >> 40),
			insn ? 1 + (unsigned)(r >> 8 & 7) : 1U << (r >> 8 & 3));
	}
}

static void
write_view(FILE *f, long n)
{
	for (long i = 0; i < n; i++) {
		uint64_t r = any();
		unsigned tid = 2765542 + (unsigned)(i >> 12 & 3);
		if (i % 4096 == 0)
			(void)fprintf(f, "%12ld%12ld: %11u <marker: timestamp %ld>\n", i, i, tid, 13334804716609227 + i);
		else if (r % 3)
			(void)fprintf(f, "%12ld%12ld: %11u ifetch       4 byte(s) @ 0x%016" PRIx64 " 48 8b 5c 24       mov    0x08(%%rsp), %%rbx\n", i, i, tid, r >> 40);
		else
			(void)fprintf(f, "%12ld%12ld: %11u read         8 byte(s) @ 0x%016" PRIx64 " by PC 0x0000000000404a7e\n", i, i, tid, r >> 20);
	}
}

static void
write_perf(FILE *f, long n)
{
	for (long i = 0; i < n / 8; i++) {
		(void)fprintf(f, "program  4711/%ld [001] %ld.%06ld:     250000 cycles:u: \n", 4711 + i % 4, 100 + i / 1000000, i % 1000000);
		for (unsigned k = 0; k < 6; k++)
			(void)fprintf(f, "\t    %12" PRIx64 " heat::solve_%u(double*, unsigned long)+0x%x (/home/user/bin/program)\n", any() >> 20,
				k < 2 ? (unsigned)(any() >> 40 & 15) : k, (unsigned)(any() >> 52));
		(void)fputs("\n", f);
	}
}

static void
write_uftrace(FILE *f, long n)
{
	for (long i = 0; i < n; i++) {
		long depth = i % 8 < 4 ? i % 8 : 7 - i % 8;
		(void)fprintf(f, "72815.%09ld   7672: [%s] heat::solve_%ld(55b6b78e6273) depth: %ld\n", i, i % 8 < 4 ? "entry" : "exit ", depth, depth);
	}
}

static void
write_champsim(FILE *f, long n)
{
	for (long i = 0; i < n; i++) {
		uint64_t words[8] = { 0x401000 + (any() >> 40), UINT64_C(0x0302) << 16 };
		uint64_t r = any();
		if (r % 4 == 0)
			words[2] = r >> 20;
		if (r % 3 == 0)
			words[4] = r >> 21;
		if (fwrite(words, sizeof(words), 1, f) != 1)
			bench_fail("fwrite");
	}
}

/* ---- Measures. ---- */

struct format {
	const char *name;
	void (*write)(FILE *f, long n);
	double limit; /* MB/s; of records: millions a second */
	long record;  /* bytes; 0: text */
};

static const struct format formats[] = {
	{ "lackey", write_lackey, 100, 0 },
	{ "drmemtrace", write_view, 100, 0 },
	{ "perf", write_perf, 100, 0 },
	{ "uftrace", write_uftrace, 100, 0 },
	{ "champsim", write_champsim, 20, 64 },
};

static double
import(const char *tool, const char *in, const char *out)
{
	double best = 1e9;
	for (int i = 0; i < RUNS; i++) {
		bench_remove(out);
		pid_t pid = fork();
		if (pid < 0)
			bench_fail("fork");
		if (pid == 0) {
			(void)execl(tool, tool, "import", "-q", in, "-o", out, (char *)NULL);
			_exit(127);
		}
		double cpu = bench_wait(pid).cpu;
		best = cpu < best ? cpu : best;
	}
	return best;
}

int
main(int argc, char **argv)
{
	if (argc < 2) {
		(void)fprintf(stderr, "usage: prism_import PROGRAM [thousands]\n");
		return 2;
	}
	long n = (argc > 2 ? strtol(argv[2], NULL, 10) : 1000) * 1000;
	char dir[200], in[260], out[260];
	(void)snprintf(dir, sizeof(dir), "%s/prism_import.XXXXXX", bench_place());
	if (!mkdtemp(dir))
		bench_fail(dir);
	(void)snprintf(in, sizeof(in), "%s/trace", dir);
	(void)snprintf(out, sizeof(out), "%s/streams", dir);
	bool good = true;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const struct format *f = &formats[i];
		FILE *file = fopen(in, "wb");
		if (!file)
			bench_fail(in);
		f->write(file, n);
		struct stat st;
		if (fclose(file) != 0 || stat(in, &st) != 0)
			bench_fail(in);
		double rate = (double)st.st_size / (f->record ? (double)f->record : 1) / import(argv[1], in, out) * 1e-6;
		(void)printf("%-12s %7.1f %s (limit %.0f)\n", f->name, rate, f->record ? "million records/s" : "MB/s", f->limit);
		good = good && rate * TOLERANCE * bench_slowness() >= f->limit;
	}
	bench_remove(dir);
	return good ? 0 : 1;
}
