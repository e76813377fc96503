/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include "bench.h"
#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

enum {
	MARKS = 4,
	TYPES = 8,
	TURN = 64,        /* events of a thread until the next one of its CPU runs */
	TURN_NS = 100000, /* longer than they take */
};

static size_t
put_mark(uint8_t *p, const char *mcv, int64_t clock, int64_t value, int32_t type)
{
	uint8_t payload[12];
	memcpy(payload, &value, 8);
	memcpy(payload + 8, &type, 4);
	return bench_put(p, mcv, clock, payload, 12);
}

/* Two types are set, two are stacks; every 16 events the thread pauses and resumes. */
static size_t
put_event(uint8_t *p, long i, int64_t clock)
{
	switch (i % 16) {
	case 0: return bench_put(p, "OHc", clock, NULL, 0);
	case 1: return bench_put(p, "OHp", clock, NULL, 0);
	case 2: return bench_put(p, "OHw", clock, NULL, 0);
	case 3: return bench_put(p, "OHr", clock, NULL, 0);
	case 4:
	case 6:
	case 8: return put_mark(p, "OM[", clock, 1 + i % 7, 2 + (int)(i / 2) % 2);
	case 5:
	case 7:
	case 9: return put_mark(p, "OM]", clock, 1 + (i - 1) % 7, 2 + (int)((i - 1) / 2) % 2);
	default: return put_mark(p, "OM=", clock, 1 + i % 1000, (int)(i % 2));
	}
}

/* The life of a task: created and submitted from inside another state, executed, paused
 * in a nested call, ended. */
static size_t
put_task_event(uint8_t *p, long i, int64_t clock, uint32_t task)
{
	switch (i % 16) {
	case 0: return bench_put(p, "VAs", clock, NULL, 0);
	case 1: return bench_put_pair(p, "VTc", clock, task, task % TYPES + 1);
	case 2: return bench_put(p, "VU[", clock, NULL, 0);
	case 3: return bench_put(p, "VU]", clock, NULL, 0);
	case 4: return bench_put(p, "VAS", clock, NULL, 0);
	case 5: return bench_put(p, "VS[", clock, NULL, 0);
	case 6: return bench_put(p, "VS]", clock, NULL, 0);
	case 7: return bench_put_pair(p, "VTx", clock, task, 0);
	case 8: return bench_put(p, "VMa", clock, NULL, 0);
	case 9: return bench_put(p, "VMA", clock, NULL, 0);
	case 10: return bench_put(p, "VAp", clock, NULL, 0);
	case 11: return bench_put_pair(p, "VTp", clock, task, 0);
	case 12: return bench_put_pair(p, "VTr", clock, task, 0);
	case 13: return bench_put(p, "VAP", clock, NULL, 0);
	case 14: return bench_put_pair(p, "VTe", clock, task, 0);
	default: return bench_put(p, i % 32 == 15 ? "VPr" : "VPp", clock, NULL, 0);
	}
}

static void
write_types(FILE *f)
{
	for (uint32_t type = 1; type <= TYPES; type++) {
		uint8_t ev[64];
		char label[8];
		(void)snprintf(label, sizeof(label), "type%u", type);
		(void)fwrite(ev, 1, bench_put_type(ev, 1000, type, label), f);
	}
}

/* A thread: its place in the trace, and in its loom. */
struct place {
	const struct trace *t;
	int th;
	int loom;
	int first; /* thread of the loom */
	int cpu;
	int turn;  /* among those of its CPU */
	int turns; /* threads that the CPU has, at most */
};

static struct place
place_of(const struct trace *t, int th)
{
	int loom = (int)((long)th * t->looms / t->threads);
	int first = (int)(((long)loom * t->threads + t->looms - 1) / t->looms);
	int cpus = t->cpus / t->looms;
	int threads = (t->threads + t->looms - 1) / t->looms;
	return (struct place){ t, th, loom, first, (th - first) % cpus, (th - first) / cpus, (threads + cpus - 1) / cpus };
}

static long
write_metadata(FILE *f, struct place p)
{
	bool nosv = p.t->nosv;
	(void)fprintf(f, "{\"version\":3,\"ovni\":{\"lib\":{\"version\":\"1.14.0\",\"commit\":\"x\"},\"part\":\"thread\","
			 "\"tid\":%d,\"pid\":%d,\"loom\":\"n%d.0\",\"app_id\":1,\"require\":{\"ovni\":\"1.1.0\"%s},\"finished\":1,\"mark\":{",
		p.th + 1, p.first + 1, p.loom, nosv ? ",\"nosv\":\"2.7.0\"" : "");
	for (int m = 0; m < (nosv ? 0 : MARKS); m++)
		(void)fprintf(f, "%s\"%d\":{\"title\":\"Mark %d\",\"chan_type\":\"%s\"}", m ? "," : "", m, m, m < 2 ? "single" : "stack");
	(void)fprintf(f, "},\"loom_cpus\":[{\"index\":%d,\"phyid\":%d}]},\"nosv\":{\"can_breakdown\":true}}", p.cpu, p.cpu);
	return 0;
}

static long
write_events(FILE *f, struct place p)
{
	const struct trace *t = p.t;
	uint8_t ev[64] = "ovni\1";
	(void)fwrite(ev, 1, 8, f);
	int32_t exec[4] = { p.cpu, -1, 0, 0 };
	int64_t clock = 2000 + p.th;
	int64_t begin = t->nosv ? 1000 : 1000 + p.th;
	if (p.turn)
		begin = clock += (int64_t)p.turn * TURN_NS;
	(void)fwrite(ev, 1, bench_put(ev, "OHx", begin, exec, 16), f);
	bool types = t->nosv && p.th == p.first;
	if (types)
		write_types(f);
	long n = t->events / t->threads - 2;
	long pauses = 0;
	n -= n % 16;
	for (long i = 0; i < n; i++) {
		if (p.turns > 1 && i % TURN == 0) {
			if (i)
				(void)fwrite(ev, 1, bench_put(ev, "OHp", clock + 1, NULL, 0), f);
			clock = 2000 + p.th + (i / TURN * p.turns + p.turn) * TURN_NS;
			if (i)
				(void)fwrite(ev, 1, bench_put(ev, "OHr", clock, NULL, 0), f);
			pauses += i > 0;
		}
		clock += 700 + (i * 37 + p.th * 11) % 600;
		uint32_t task = (uint32_t)(i / 16 + 1) * (uint32_t)t->threads + (uint32_t)p.th;
		(void)fwrite(ev, 1, t->nosv ? put_task_event(ev, i, clock, task) : put_event(ev, i, clock), f);
	}
	(void)fwrite(ev, 1, bench_put(ev, "OHe", clock + 1, NULL, 0), f);
	return n + 2 * pauses + 2 + (types ? TYPES : 0);
}

static void
make(const char *dir)
{
	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		bench_fail(dir);
}

static long
write_file(const char *dir, const char *name, long (*write)(FILE *, struct place), struct place p)
{
	char path[512];
	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	if (!f)
		bench_fail(path);
	long n = write(f, p);
	if (ferror(f) || fclose(f) != 0)
		bench_fail(path);
	return n;
}

long
trace_write(const char *dir, const struct trace *t)
{
	char path[256];
	long n = 0;
	make(dir);
	for (int th = 0; th < t->threads; th++) {
		struct place p = place_of(t, th);
		(void)snprintf(path, sizeof(path), "%s/loom.n%04d.0", dir, p.loom);
		make(path);
		(void)snprintf(path, sizeof(path), "%s/loom.n%04d.0/proc.%d", dir, p.loom, p.first + 1);
		make(path);
		(void)snprintf(path, sizeof(path), "%s/loom.n%04d.0/proc.%d/thread.%05d", dir, p.loom, p.first + 1, th + 1);
		make(path);
		n += write_file(path, "stream.json", write_metadata, p);
		n += write_file(path, "stream.obs", write_events, p);
	}
	return n;
}
