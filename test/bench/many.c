/* SPDX-License-Identifier: MIT */
/* many: a million task types, and as many tasks, cost no more each than a tenth of them; and what has ended takes little memory.
 *
 *   many OVNIEMU
 *
 * Each type is created, and one task of it created, executed and ended. What is compared
 * is CPU time of an event, with room for caches that no longer hold the tables and for
 * the noise of the machine; a search or a copy for each type would be ten times more. Of tasks of one type memory is compared:
 * of each that has ended an entry in a table is left, and not the 72 bytes of a task. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define RATIO_MAX 4.0
#define BYTES_MAX 40.0 /* of a task that has ended */

enum {
	FEW = 100000,
	MANY = 1000000,
	LABELS = 10000, /* of a million different ones some have the same value, an error */
	RUNS = 2,
};

static FILE *
create(const char *dir, const char *name)
{
	char path[512];
	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	if (!f)
		bench_fail(path);
	return f;
}

static void
write_trace(const char *dir, uint32_t ntypes, uint32_t ntasks)
{
	if (mkdir(dir, 0777) != 0)
		bench_fail(dir);
	FILE *f = create(dir, "stream.json");
	(void)fprintf(f, "{\"version\":3,\"ovni\":{\"lib\":{\"version\":\"1.14.0\",\"commit\":\"x\"},\"part\":\"thread\","
			 "\"tid\":1,\"pid\":1,\"loom\":\"n.0\",\"app_id\":1,\"require\":{\"ovni\":\"1.1.0\",\"nosv\":\"2.7.0\"},"
			 "\"finished\":1,\"loom_cpus\":[{\"index\":0,\"phyid\":0}]}}");
	if (fclose(f) != 0)
		bench_fail(dir);
	f = create(dir, "stream.obs");
	uint8_t ev[64] = "ovni\1";
	(void)fwrite(ev, 1, 8, f);
	int32_t exec[4] = { 0, -1, 0, 0 };
	int64_t clock = 1000;
	(void)fwrite(ev, 1, bench_put(ev, "OHx", clock, exec, sizeof(exec)), f);
	for (uint32_t id = 1; id <= ntasks; id++, clock += 1000) {
		char label[16];
		(void)snprintf(label, sizeof(label), "type %u", id % LABELS);
		if (id <= ntypes)
			(void)fwrite(ev, 1, bench_put_type(ev, clock, id, label), f);
		(void)fwrite(ev, 1, bench_put_pair(ev, "VTc", clock + 10, id, (id - 1) % ntypes + 1), f);
		(void)fwrite(ev, 1, bench_put_pair(ev, "VTx", clock + 20, id, 0), f);
		(void)fwrite(ev, 1, bench_put_pair(ev, "VTe", clock + 500, id, 0), f);
	}
	(void)fwrite(ev, 1, bench_put(ev, "OHe", clock, NULL, 0), f);
	if (fclose(f) != 0)
		bench_fail(dir);
}

/* CPU seconds of a type, the best of some runs. */
static double
measure(const char *emu, const char *tmp, uint32_t ntypes)
{
	char trace[256];
	char out[256];
	(void)snprintf(trace, sizeof(trace), "%s/trace", tmp);
	(void)snprintf(out, sizeof(out), "%s/out", tmp);
	write_trace(trace, ntypes, ntypes);
	struct cost best = { .cpu = 1e9 };
	for (int i = 0; i < RUNS; i++) {
		struct cost c = bench_run(emu, trace, out, "prv,uscope", NULL);
		if (c.cpu < best.cpu)
			best = c;
		bench_remove(out);
	}
	bench_remove(trace);
	(void)printf("%7u task types: %6.0f ns CPU each, %.0f bytes each in memory\n", ntypes,
		best.cpu * 1e9 / ntypes, (double)best.rss * 1024 / ntypes);
	return best.cpu / ntypes;
}

/* Bytes of memory of a run that has so many tasks. */
static double
memory_of(const char *emu, const char *tmp, uint32_t ntasks)
{
	char trace[256];
	char out[256];
	(void)snprintf(trace, sizeof(trace), "%s/trace", tmp);
	(void)snprintf(out, sizeof(out), "%s/out", tmp);
	write_trace(trace, 1, ntasks);
	struct cost c = bench_run(emu, trace, out, "none", NULL);
	bench_remove(out);
	bench_remove(trace);
	return (double)c.rss * 1024;
}

int
main(int argc, char **argv)
{
	if (argc != 2) {
		(void)fprintf(stderr, "usage: many OVNIEMU\n");
		return 2;
	}
	char tmp[256];
	(void)snprintf(tmp, sizeof(tmp), "%s/many.XXXXXX", bench_place());
	if (!mkdtemp(tmp))
		bench_fail(tmp);
	double few = measure(argv[1], tmp, FEW);
	double many = measure(argv[1], tmp, MANY);
	double task = (memory_of(argv[1], tmp, MANY) - memory_of(argv[1], tmp, FEW)) / (MANY - FEW);
	bench_remove(tmp);
	(void)printf("ratio %.2f (limit %.1f)\n", many / few, RATIO_MAX);
	(void)printf("%.0f bytes of a task that has ended (limit %.0f)\n", task, BYTES_MAX);
	return many / few <= RATIO_MAX && task <= BYTES_MAX ? 0 : 1;
}
