/* SPDX-License-Identifier: MIT */
/* Looms, processes, threads and CPUs from metadata, and the metadata that is refused. */
#include "system.h"

#include "kit.h"

#include <string.h>

enum {
	MAX = 16,
};

static struct trace trace;
static struct stream streams[MAX];
static struct diag diag = { .program = "test" };
static struct arena arena;
static struct system sys;

static void
begin(int version)
{
	arena_finish(&arena);
	memset(streams, 0, sizeof(streams));
	trace = (struct trace){ .diag = &diag, .streams = streams, .metadata_version = version };
}

static struct thread_meta *
add(const char *loom, int pid, int tid)
{
	CHECK(trace.nstreams < MAX);
	struct stream *s = &streams[trace.nstreams++];
	s->trace = &trace;
	s->relpath = arena_printf(&arena, "stream%zu", trace.nstreams - 1);
	s->meta = (struct thread_meta){
		.part = "thread",
		.loom = loom,
		.pid = pid,
		.tid = tid,
		.app_id = 1,
		.rank = -1,
	};
	return &s->meta;
}

static struct thread_meta *
ranked(const char *loom, int pid, int tid, int rank)
{
	struct thread_meta *m = add(loom, pid, tid);
	m->rank = rank;
	m->nranks = 100;
	return m;
}

static struct cpu_meta one_cpu[] = { { 0, 0 } };
static struct cpu_meta four_cpus[] = { { 2, 9 }, { 0, 3 }, { 3, 1 }, { 1, 7 } };

static void
tell(struct thread_meta *m, struct cpu_meta *list, size_t n)
{
	m->cpus = list;
	m->ncpus = n;
}

#define CPUS(m, list) tell((m), (list), sizeof(list) / sizeof((list)[0]))

static void
build(void)
{
	kit_capture();
	int rc = system_build(&sys, &arena, &trace);
	const char *err = kit_captured();
	if (rc != 0)
		(void)fputs(err, stderr);
	CHECK(rc == 0);
}

static void
expect(enum error code, const char *text)
{
	kit_capture();
	int rc = system_build(&sys, &arena, &trace);
	const char *err = kit_captured();
	if (rc != -(int)code || !strstr(err, text))
		(void)fprintf(stderr, "%d, wanted %s with \"%s\":\n%s", rc, error_name((int)code), text, err);
	CHECK(rc == -(int)code && strstr(err, text));
}

/* "loom:pid/tid loom:pid/tid ..." in the order of the rows. */
static void
check_threads(const char *want)
{
	char have[1024] = "";
	size_t n = 0;
	for (uint32_t i = 0; i < sys.nthreads; i++) {
		const struct thread *th = &sys.threads[i];
		const struct proc *p = &sys.procs[th->proc];
		n += (size_t)snprintf(have + n, sizeof(have) - n, "%s%s:%d/%d", i ? " " : "",
			sys.looms[p->loom].name, p->pid, th->tid);
		CHECK(sys.thread_of_stream[th->stream] == i);
		CHECK(i >= p->first_thread && i < p->first_thread + p->nthreads);
		CHECK(th->proc >= sys.looms[p->loom].first_proc);
		CHECK(th->proc < sys.looms[p->loom].first_proc + sys.looms[p->loom].nprocs);
		CHECK(system_thread(&sys, th->proc, th->tid) == i);
	}
	if (strcmp(have, want) != 0)
		(void)fprintf(stderr, "wanted %s\ngot    %s\n", want, have);
	CHECK(strcmp(have, want) == 0);
}

static void
by_name(void)
{
	begin(3);
	CPUS(add("b", 20, 5), one_cpu);
	CPUS(add("a", 30, 9), four_cpus);
	add("a", 4, 8);
	add("b", 20, 2);
	add("a", 30, 1)->app_id = 7;
	streams[1].meta.app_id = 0; /* the other thread of the process tells */
	build();
	CHECK(sys.nlooms == 2 && sys.nprocs == 3 && sys.nthreads == 5 && sys.ncpus == 7 && !sys.by_rank);
	check_threads("a:4/8 a:30/1 a:30/9 b:20/2 b:20/5");
	CHECK(strcmp(sys.threads[0].label, "TH 1.8") == 0 && strcmp(sys.threads[2].label, "TH 7.9") == 0);

	static const char *const labels[] = { " CPU 0.1", " CPU 0.3", " CPU 0.7", " CPU 0.9", "vCPU 0.*", " CPU 1.0", "vCPU 1.*" };
	static const int index[] = { 3, 0, 1, 2, -1, 0, -1 };
	for (uint32_t i = 0; i < sys.ncpus; i++)
		CHECK(strcmp(sys.cpus[i].label, labels[i]) == 0 && sys.cpus[i].index == index[i] && sys.cpus[i].loom == i / 5);
	CHECK(system_cpu(&sys, 0, 0) == 1 && system_cpu(&sys, 0, 1) == 2 && system_cpu(&sys, 0, 2) == 3);
	CHECK(system_cpu(&sys, 0, 3) == 0 && system_cpu(&sys, 0, -1) == 4);
	CHECK(system_cpu(&sys, 1, 0) == 5 && system_cpu(&sys, 1, -1) == 6);
	CHECK(system_cpu(&sys, 0, 4) == NO_INDEX && system_cpu(&sys, 0, -2) == NO_INDEX);
	CHECK(system_cpu(&sys, 1, 1) == NO_INDEX && system_cpu(&sys, 1, INT32_MIN) == NO_INDEX);

	/* A thread of another process of the loom is found, of another loom not. */
	CHECK(system_thread(&sys, 0, 9) == 2 && system_thread(&sys, 0, 5) == NO_INDEX);
	CHECK(system_thread(&sys, 1, 0) == NO_INDEX && system_thread(&sys, 1, INT32_MAX) == NO_INDEX);
}

static void
by_rank(void)
{
	begin(3);
	CPUS(ranked("a", 1, 11, 5), one_cpu);
	ranked("a", 2, 12, 3);
	CPUS(ranked("b", 3, 13, 4), one_cpu);
	ranked("b", 4, 14, 0);
	add("b", 4, 9); /* of the process of rank 0 */
	build();
	CHECK(sys.by_rank);
	check_threads("b:4/9 b:4/14 b:3/13 a:2/12 a:1/11");
	CHECK(sys.looms[0].rank == 0 && sys.looms[1].rank == 3);
	CHECK(sys.procs[0].rank == 0 && sys.procs[0].nranks == 100 && sys.procs[3].rank == 5);
	CHECK(strcmp(sys.cpus[0].label, " CPU 0.0") == 0);
}

/* Equal ranks keep the order of the streams, whatever the names. */
static void
ties(void)
{
	begin(3);
	CPUS(ranked("b", 9, 1, 2), one_cpu);
	ranked("b", 5, 2, 2);
	CPUS(ranked("a", 7, 3, 2), one_cpu);
	build();
	check_threads("b:9/1 b:5/2 a:7/3");
}

static void
some_ranks(void)
{
	begin(3);
	CPUS(ranked("b", 1, 1, 0), one_cpu);
	CPUS(add("a", 2, 2), one_cpu);
	kit_capture();
	CHECK(system_build(&sys, &arena, &trace) == 0);
	CHECK(strstr(kit_captured(), "1 of 2 looms have no rank"));
	CHECK(!sys.by_rank);
	check_threads("a:2/2 b:1/1");
}

static void
set_aside(void)
{
	begin(3);
	add(NULL, 0, 0)->part = "gpu";
	CPUS(add("a", 1, 1), one_cpu);
	build();
	CHECK(sys.nthreads == 1 && sys.thread_of_stream[0] == NO_INDEX && sys.thread_of_stream[1] == 0);

	begin(3);
	add(NULL, 0, 0);
	build();
	CHECK(sys.nthreads == 0 && sys.nlooms == 0 && sys.ncpus == 0);
}

static void
conflicts(void)
{
	begin(3);
	CPUS(add("a", 1, 1), one_cpu);
	add("a", 1, 1);
	expect(ERR_DUPLICATE_THREAD, "already in stream0");

	begin(3); /* the same tid in another process is another thread */
	CPUS(add("a", 1, 1), one_cpu);
	add("a", 2, 1);
	build();
	CHECK(system_thread(&sys, 0, 1) == 0 && system_thread(&sys, 1, 1) == 1);

	begin(3);
	CPUS(add("a", 1, 1), one_cpu);
	add("a", 1, 2)->app_id = 2;
	expect(ERR_METADATA_CONFLICT, "app_id 2");

	begin(3);
	CPUS(ranked("a", 1, 1, 3), one_cpu);
	ranked("a", 1, 2, 4);
	expect(ERR_METADATA_CONFLICT, "rank 4");
	streams[1].meta.rank = 3;
	streams[1].meta.nranks = 50;
	expect(ERR_METADATA_CONFLICT, "of 50");

	begin(3);
	CPUS(ranked("a", 1, 1, 3), one_cpu);
	add("a", 2, 2);
	expect(ERR_METADATA_CONFLICT, "process 2 has no rank");

	begin(3);
	CPUS(add("a", 1, 1), one_cpu);
	streams[0].meta.app_id = 0;
	expect(ERR_METADATA, "ovni.app_id");
	trace.metadata_version = 1; /* there it is not needed */
	build();
}

static void
cpus(void)
{
	static struct cpu_meta again[] = { { 1, 7 }, { 0, 3 } };
	static struct cpu_meta other_index[] = { { 2, 7 } };
	static struct cpu_meta other_phyid[] = { { 1, 8 } };
	static struct cpu_meta outside[] = { { 1, 5 } };
	static struct cpu_meta huge[] = { { INT32_MAX, 0 } };

	begin(3);
	add("a", 1, 1);
	expect(ERR_NO_CPUS, "loom a has no physical CPUs");

	begin(3); /* told twice, the same */
	CPUS(add("a", 1, 1), four_cpus);
	CPUS(add("a", 2, 2), again);
	build();
	CHECK(sys.ncpus == 5);

	begin(3);
	CPUS(add("a", 1, 1), four_cpus);
	CPUS(add("a", 2, 2), other_index);
	expect(ERR_METADATA_CONFLICT, "two indices");

	begin(3);
	CPUS(add("a", 1, 1), four_cpus);
	CPUS(add("a", 2, 2), other_phyid);
	expect(ERR_CPU_INDEX, "index 1 already taken");

	begin(3);
	CPUS(add("a", 1, 1), outside);
	expect(ERR_CPU_INDEX, "out of bounds");
	begin(3);
	CPUS(add("a", 1, 1), huge);
	expect(ERR_CPU_INDEX, "out of bounds");

	begin(2); /* one process tells all */
	CPUS(add("a", 1, 1), four_cpus);
	CPUS(add("a", 2, 2), again);
	expect(ERR_METADATA_CONFLICT, "again");
	static struct cpu_meta repeated[] = { { 0, 3 }, { 0, 3 } };
	begin(2);
	CPUS(add("a", 1, 1), repeated);
	expect(ERR_METADATA_CONFLICT, "phyid 3 is repeated");
	begin(2);
	CPUS(add("a", 1, 1), four_cpus);
	CPUS(add("b", 1, 2), one_cpu);
	build();
}

int
main(void)
{
	by_name();
	by_rank();
	ties();
	some_ranks();
	set_aside();
	conflicts();
	cpus();
	arena_finish(&arena);
	return 0;
}
